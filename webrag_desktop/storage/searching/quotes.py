"""Where the words of a quotation stand: its rarest ones by the postings, the texts around them, and whole texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import sql

from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.document_columns import runs_of
from webrag_desktop.storage.snapshot import in_pipeline


@dataclass(frozen=True, slots=True)
class RareWords:
    """The rarest words of a quotation that the children in one language hold.

    ``postings`` has for each lexeme one run of bytes for every segment, in the layout of the table
    ``lexical_postings``. ``asked`` counts the words that the quotation has there at all, ``held`` those of them that
    postings have; ``other_forms`` are lexemes that stand for others of them. The children ``removed`` are gone, and
    still stand in postings.
    """

    language: str
    children: int
    asked: int
    held: int
    removed: list[int]
    postings: dict[str, list[bytes]]
    other_forms: frozenset[str] = frozenset()


class PlacedChild(NamedTuple):
    """A child that holds some of the words, and its position in the document."""

    ordinal: int
    document_id: UUID
    chunking_id: str
    chunk_index: int
    char_start: int
    char_end: int


class TextAround(NamedTuple):
    """A child around a place, with what its position in the document follows from."""

    document_id: UUID
    chunk_index: int
    char_start: int
    char_end: int
    chunk_text: str
    section_heading: str | None
    heading_path: list[str]
    anchor: str | None
    page: int | None
    places: list[Any]


class ReadVersion(NamedTuple):
    """A stored text with its projection and document; ``markdown`` is None unless it was requested."""

    document_id: UUID
    version_id: UUID
    number: int
    shown: bool
    title: str | None
    source_url: str
    plain_text: str
    plain_map: tuple[tuple[int, int, int], ...]
    markdown: str | None


@dataclass(frozen=True, slots=True)
class ChunkRun:
    """Consecutive children of a document, by their indexes, and the span of the text that is to be read."""

    document_id: UUID
    chunking_id: str
    first: int
    last: int
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True)
class SoughtWords:
    """Texts to take words from, and whole lexemes of any language.

    ``other_forms`` are the same texts in other forms: what only they have is read where it is held, and not asked for.
    """

    texts: tuple[str, ...]
    other_forms: tuple[str, ...]
    literals: tuple[str, ...]


def rare_words(conn: Connection, sought: SoughtWords, most: int, postings: int) -> list[RareWords]:
    """The rarest of these words in each language of the library, of its chunking in use.

    Of each language the ``most`` rarest are read, fewer where these are ``postings`` in all already.
    """
    parameters = {
        "texts": list(sought.texts),
        "other_forms": list(sought.other_forms),
        "literals": list(sought.literals),
        "most": most,
        "bytes": postings * BYTES_OF_A_POSTING,
    }
    with in_pipeline(conn):
        languages = conn.cursor(binary=True).execute(_LANGUAGES, parameters, prepare=True)
        rarest = conn.cursor(binary=True).execute(_RAREST, parameters, prepare=True)
    found: dict[str, dict[str, list[bytes]]] = {}
    held: dict[str, int] = {}
    other: dict[str, set[str]] = {}
    for language, term, run, of_language, given in rarest.fetchall():
        found.setdefault(language, {}).setdefault(term, []).append(run)
        held[language] = of_language
        other.setdefault(language, set()).update(() if given else (term,))
    return [
        RareWords(
            language,
            children,
            asked,
            held.get(language, 0),
            removed,
            found.get(language, {}),
            frozenset(other.get(language, ())),
        )
        for language, children, asked, removed in languages.fetchall()
    ]


BYTES_OF_A_POSTING = 7

# The segments of the library's chunking, of all in a library without vectors; and the quotation in each language.
_ASKED = sql.SQL(
    """
    active AS MATERIALIZED (
        SELECT l.id, l.language, l.chunking_id, l.children
          FROM lexical_segments l, corpus c LEFT JOIN embedding_spaces s ON s.id = c.active_space
         WHERE s.id IS NULL OR l.chunking_id = s.chunking_id),
    asked AS MATERIALIZED (
        SELECT l.language, w.term, bool_or(w.given) AS given
          FROM (SELECT DISTINCT language FROM active) l
          CROSS JOIN LATERAL (
            SELECT unnest(tsvector_to_array(to_tsvector(webrag_regconfig(l.language), webrag_readable(t.text)))),
                   t.given
              FROM (SELECT unnest(%(texts)s::text[]), true UNION ALL
                    SELECT unnest(%(other_forms)s::text[]), false) t (text, given)
             UNION ALL SELECT unnest(%(literals)s::text[]), true) w (term, given)
         GROUP BY l.language, w.term)
    """
)
_LANGUAGES = (
    sql.SQL(
        """
        WITH {asked}
        SELECT f.language, f.children,
               (SELECT count(*) FROM asked a WHERE a.language = f.language AND a.given) AS asked,
               ARRAY(SELECT o FROM lexical_removals r CROSS JOIN LATERAL unnest(r.ordinals) o
                      WHERE r.language = f.language AND r.chunking_id IN (SELECT chunking_id FROM active)
                      ORDER BY o) AS removed
          FROM (SELECT language, sum(children)::bigint AS children FROM active GROUP BY language) f
         ORDER BY f.language
        """
    )
    .format(asked=_ASKED)
    .as_bytes()
)
_RAREST = (
    sql.SQL(
        """
        WITH {asked},
        sized AS MATERIALIZED (
            SELECT a.language, a.term, a.given, sum(octet_length(p.postings)) AS bytes
              FROM asked a JOIN active l ON l.language = a.language
              JOIN lexical_postings p ON p.term = a.term COLLATE "C" AND p.segment = l.id
             GROUP BY a.language, a.term, a.given),
        ranked AS (
            SELECT language, term, given, row_number() OVER rarest AS place,
                   count(*) FILTER (WHERE given) OVER (PARTITION BY language) AS held,
                   coalesce(sum(bytes) OVER (rarest ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
              FROM sized WINDOW rarest AS (PARTITION BY language ORDER BY bytes, term COLLATE "C"))
        SELECT r.language, r.term, p.postings, r.held, r.given
          FROM ranked r JOIN active l ON l.language = r.language
          JOIN lexical_postings p ON p.term = r.term COLLATE "C" AND p.segment = l.id
         WHERE r.place <= %(most)s AND r.before < %(bytes)s
         ORDER BY r.language, r.place, p.segment
        """
    )
    .format(asked=_ASKED)
    .as_bytes()
)


def placed_children(conn: Connection, ordinals: Sequence[int]) -> list[PlacedChild]:
    """The positions of these children, without deleted ones."""
    rows = conn.execute(_PLACED, [list(ordinals)], prepare=True).fetchall()
    return list(map(PlacedChild._make, rows))


_PLACED = b"""
    SELECT ordinal, document_id, chunking_id, chunk_index, char_start, char_end
      FROM chunks WHERE ordinal = ANY(%s::int4[]) AND chunk_level = 'child'
     ORDER BY document_id, chunk_index
"""


def texts_around(conn: Connection, runs: Sequence[ChunkRun]) -> list[TextAround]:
    """The texts around these runs of children, by document, in reading order."""
    wanted = {
        "documents": [one.document_id for one in runs],
        "chunkings": [one.chunking_id for one in runs],
        "first": [one.first for one in runs],
        "last": [one.last for one in runs],
        "starts": [one.char_start for one in runs],
        "ends": [one.char_end for one in runs],
    }
    rows = conn.cursor(binary=True).execute(_AROUND, wanted, prepare=True).fetchall()
    return list(map(TextAround._make, rows))


def shown_versions(conn: Connection, document_ids: Iterable[UUID]) -> dict[UUID, ReadVersion]:
    """The plain texts that these documents show, without their markdown, by document."""
    rows = conn.execute(_SHOWN, [list(document_ids)], prepare=True).fetchall()
    return {version.document_id: version for version in map(_read_version, rows)}


_AROUND = b"""
    SELECT DISTINCT ON (c.document_id, c.chunk_index) c.document_id, c.chunk_index, c.char_start, c.char_end,
           c.chunk_text, c.section_heading, c.heading_path, c.anchor, c.page, c.places
      FROM unnest(%(documents)s::uuid[], %(chunkings)s::text[], %(first)s::int4[], %(last)s::int4[],
                  %(starts)s::int4[], %(ends)s::int4[]) AS s (document_id, chunking_id, first, last, starts, ends)
      JOIN chunks c ON c.document_id = s.document_id AND c.chunking_id = s.chunking_id AND c.chunk_level = 'child'
       AND c.chunk_index BETWEEN s.first AND s.last AND c.char_end > s.starts AND c.char_start < s.ends
     ORDER BY c.document_id, c.chunk_index
"""
_NUMBER = sql.SQL(
    """
    (SELECT count(*) FROM document_versions e
      WHERE e.document_id = v.document_id AND (e.created_at, e.id) <= (v.created_at, v.id))
    """
)
_SHOWN = (
    sql.SQL(
        """
    SELECT v.document_id, v.id, {number} AS number, true AS shown, coalesce(s.user_title, d.title) AS title,
           d.source_url, v.plain_text, v.plain_map, NULL::text AS markdown
      FROM documents d JOIN document_versions v ON v.id = d.active_version JOIN sources s ON s.id = d.id
     WHERE d.id = ANY(%s::uuid[])
    """
    )
    .format(number=_NUMBER)
    .as_bytes()
)
_ANY_VERSION = (
    sql.SQL(
        """
    SELECT v.document_id, v.id, {number} AS number, coalesce(v.id = d.active_version, false) AS shown,
           coalesce(s.user_title, v.title) AS title, v.source_url, v.plain_text, v.plain_map, v.markdown
      FROM document_versions v JOIN sources s ON s.id = v.document_id LEFT JOIN documents d ON d.id = v.document_id
     WHERE v.id = %s
    """
    )
    .format(number=_NUMBER)
    .as_bytes()
)


def read_version(conn: Connection, version_id: UUID) -> ReadVersion | None:
    """A whole stored text, shown or not; None when it was deleted with its document."""
    row = conn.execute(_ANY_VERSION, [version_id], prepare=True).fetchone()
    return _read_version(row) if row else None


def _read_version(row: Sequence[Any]) -> ReadVersion:
    document, version, number, shown, title, source_url, plain, runs, markdown = row
    return ReadVersion(document, version, number, shown, title, source_url, plain, runs_of(runs), markdown)


class StoredSize(NamedTuple):
    """A stored text, and how many bytes of it are read to look for words."""

    version_id: UUID
    size: int


def shown_texts(conn: Connection, languages: Sequence[str]) -> list[StoredSize]:
    """The texts that documents of these text search languages show, by their addresses."""
    rows = conn.execute(
        """
        SELECT v.id, octet_length(v.plain_text) FROM documents d JOIN document_versions v ON v.id = d.active_version
         WHERE d.search_language = ANY(%s::text[]) ORDER BY d.source_url COLLATE "C", v.id
        """,
        [list(languages)],
    )
    return list(map(StoredSize._make, rows.fetchall()))


def texts_of(conn: Connection, documents: Sequence[UUID]) -> list[StoredSize]:
    """The texts that these documents show, in their order."""
    rows = conn.execute(
        """
        SELECT v.id, octet_length(v.plain_text)
          FROM unnest(%s::uuid[]) WITH ORDINALITY AS given (id, place)
          JOIN documents d ON d.id = given.id JOIN document_versions v ON v.id = d.active_version
         ORDER BY given.place
        """,
        [list(documents)],
    )
    return list(map(StoredSize._make, rows.fetchall()))


def older_texts(conn: Connection, document_id: UUID | None) -> list[StoredSize]:
    """The texts that no document shows any more, of one document or of all, newest first; none of the bin."""
    rows = conn.execute(
        """
        SELECT v.id, octet_length(v.plain_text)
          FROM document_versions v JOIN sources s ON s.id = v.document_id
          LEFT JOIN documents d ON d.active_version = v.id
         WHERE d.id IS NULL AND s.removed_at IS NULL AND (%(document)s::uuid IS NULL OR v.document_id = %(document)s)
         ORDER BY v.document_id, v.created_at DESC, v.id
        """,
        {"document": document_id},
    )
    return list(map(StoredSize._make, rows.fetchall()))


@dataclass(frozen=True, slots=True)
class Held:
    """What texts are looked for: such as hold at least ``least`` of the ``words`` as they read, and match ``in_order``.

    Or such as match all of ``otherwise``, or hold ``verbatim`` in their markdown. ``in_order`` and what is in
    ``otherwise`` are regular expressions.
    """

    words: Sequence[str]
    least: int
    in_order: str
    otherwise: Sequence[str]
    verbatim: str


def texts_holding(conn: Connection, versions: Sequence[UUID], held: Held) -> list[UUID]:
    """Those of these texts that match, in the order given."""
    statement = _HOLDING.format(holds=_ALL_OF if held.least >= len(held.words) else _SOME_OF)
    rows = conn.execute(
        statement,
        {
            "versions": list(versions),
            "words": list(held.words),
            "least": held.least,
            "in_order": held.in_order,
            "otherwise": list(held.otherwise),
            "verbatim": held.verbatim,
        },
    )
    return [row[0] for row in rows.fetchall()]


# OFFSET, so that a text is unpacked once and not for every word.
_HOLDING = sql.SQL(
    """
    SELECT o.id
      FROM unnest(%(versions)s::uuid[]) WITH ORDINALITY AS o (id, place)
      CROSS JOIN LATERAL (SELECT v.plain_text || '' AS text FROM document_versions v WHERE v.id = o.id OFFSET 0) p
     WHERE ({holds} AND p.text ~ %(in_order)s)
        OR NOT EXISTS (SELECT FROM unnest(%(otherwise)s::text[]) w WHERE p.text !~ w)
        OR EXISTS (SELECT FROM document_versions v WHERE v.id = o.id AND strpos(v.markdown, %(verbatim)s) > 0)
     ORDER BY o.place
    """
)
_ALL_OF = sql.SQL("NOT EXISTS (SELECT FROM unnest(%(words)s::text[]) w WHERE strpos(p.text, w) = 0)")
_SOME_OF = sql.SQL(
    "(SELECT count(*) FROM unnest(%(words)s::text[]) w WHERE strpos(p.text, w) > 0) >= %(least)s"
)
