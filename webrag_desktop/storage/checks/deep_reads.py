"""Stored texts with all that was derived from them, for looking at them closely, one after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from webrag_desktop.errors import IngestionError
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.document_columns import runs_of, stored_map

_AT_A_TIME = 20


@dataclass(frozen=True, slots=True)
class StoredText:
    """A version as it is stored. ``html`` holds all its HTML: of the whole text, of blocks and of chunks.

    ``plain_map`` are its runs, or the stored value where that is damaged.
    """

    id: UUID
    document_id: UUID
    source_url: str
    markdown: str
    html: tuple[str, ...]
    plain_text: str
    plain_map: object


def stored_texts(conn: Connection, most: int | None = None) -> Iterator[StoredText]:
    """All versions, or ``most`` of them, in an order that is always the same.

    Call it in a transaction; few are in memory at a time.
    """
    with conn.cursor("stored_texts") as cursor:
        cursor.itersize = _AT_A_TIME
        cursor.execute(
            """
            SELECT id, document_id, source_url, markdown,
                   array_remove(html || ARRAY(SELECT h #>> '{}' FROM jsonb_path_query(blocks, '$[*].html') h)
                                     || ARRAY(SELECT html_text FROM chunks WHERE version_id = v.id), NULL),
                   plain_text, plain_map
              FROM document_versions v ORDER BY md5(id::text) LIMIT %s
            """,
            [most],
        )
        for id_, document_id, source_url, markdown, html, plain_text, plain_map in cursor:
            held = _runs(plain_map)
            yield StoredText(id_, document_id, source_url, markdown, tuple(html), plain_text, held)


def _runs(stored: object) -> object:
    """The runs, or the stored value where it holds none: the caller compares it with what it should be."""
    try:
        return runs_of(stored)
    except ValueError:
        return stored


def shown_versions(conn: Connection, most: int | None = None) -> list[tuple[UUID, UUID]]:
    """Documents with the version that each shows, all or ``most`` of them."""
    return conn.execute(
        "SELECT id, active_version FROM documents ORDER BY md5(id::text) LIMIT %s", [most]
    ).fetchall()


def stored_chunks(conn: Connection, document_id: UUID, space: StoredSpace) -> list[dict[str, object]]:
    """A document's chunks with the hash of the text of each vector: parents, then children, in reading order.

    The names are those of :func:`~webrag_desktop.storage.texts.documents.chunk_columns`.
    """
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            sql.SQL(_CHUNKS).format(sql.Identifier(space.table)), [document_id, space.space.chunking_id]
        ).fetchall()


_CHUNKS = """
    SELECT c.chunk_level AS level, c.chunk_index AS index, c.section_heading AS heading, c.heading_path AS path,
           c.anchor, c.page, c.chunk_text AS text, c.html_text AS html, c.has_table, c.has_code, c.has_math,
           c.has_definition_list, c.has_admonition, c.has_steps, c.char_start, c.char_end, c.token_start, c.token_end,
           c.html_tokens, c.places, e.text_hash
      FROM chunks c LEFT JOIN {} e ON e.chunk_id = c.id
     WHERE c.document_id = %s AND c.chunking_id = %s ORDER BY c.chunk_level DESC, c.chunk_index
"""


def found_by_their_words(
    conn: Connection, document_id: UUID, chunking_id: str, words: Sequence[tuple[int, str, Sequence[str]]]
) -> bool:
    """Whether all child chunks are searched by these words, beside their text: number, context and extra terms."""
    given = [{"index": index, "context": context, "terms": list(terms)} for index, context, terms in words]
    row = conn.execute(
        """
        SELECT EXISTS (
            SELECT FROM jsonb_to_recordset(%s) AS given (index integer, context text, terms text[])
              JOIN chunks c ON c.document_id = %s AND c.chunking_id = %s AND c.chunk_level = 'child'
                           AND c.chunk_index = given.index
             WHERE c.search_vector IS DISTINCT FROM
                   webrag_search_vector(c.search_language, given.context, c.chunk_text, given.terms))
        """,
        [Jsonb(given), document_id, chunking_id],
    ).fetchone()
    return row == (False,)


def captured_bodies(conn: Connection, most: int | None = None) -> Iterator[tuple[UUID, bytes, bytes | None]]:
    """Captures, all or ``most`` of them, with the hash they were stored with and their body, None if unreadable."""
    with conn.cursor("captured_bodies") as cursor:
        cursor.itersize = 1
        cursor.execute(
            "SELECT id, body_sha256, body_zstd FROM captures ORDER BY md5(id::text) LIMIT %s", [most]
        )
        for id_, stored_hash, packed in cursor:
            yield id_, bytes(stored_hash), _unpacked(packed)


def subresource_bodies(conn: Connection, most: int | None = None) -> Iterator[tuple[bytes, bytes | None]]:
    """Hashes of files of pages, all or ``most`` of them, with the body, None if unreadable."""
    with conn.cursor("subresource_bodies") as cursor:
        cursor.itersize = 1
        cursor.execute(
            "SELECT sha256, body_zstd FROM subresource_bodies ORDER BY md5(sha256) LIMIT %s", [most]
        )
        for sha256, packed in cursor:
            yield bytes(sha256), _unpacked(packed)


def _unpacked(packed: bytes) -> bytes | None:
    try:
        return captures.unpacked(packed)
    except IngestionError:
        return None


def renew_projection(
    conn: Connection, version_id: UUID, plain_text: str, plain_map: tuple[tuple[int, int, int], ...]
) -> None:
    """Replace the plain-text projection of a text."""
    conn.execute(
        "UPDATE document_versions SET plain_text = %s, plain_map = %s WHERE id = %s",
        [plain_text, stored_map(plain_map), version_id],
    )


def children_with_other_postings(conn: Connection, most: int | None = None) -> list[str]:
    """Children whose postings differ from their words: of all children, or of ``most`` those that lack one.

    Where all are checked, also postings of words that the child does not hold.
    """
    statement = _OTHER_POSTINGS if most is None else _LACKING_POSTINGS
    return [row[0] for row in conn.execute(statement, {"most": most})]


# Postings as they should be, in the layout of their table.
_DUE = sql.SQL(
    """
    due AS MATERIALIZED (
        SELECT c.chunking_id, c.search_language AS language, w.lexeme COLLATE "C" AS term,
               int4send(c.ordinal) || int2send(webrag_words(c.search_vector)::smallint)
                   || set_byte('\\x00', 0, least(coalesce(cardinality(w.positions), 1), 256) - 1) AS posting
          FROM {children} c CROSS JOIN LATERAL unnest(c.search_vector) w)
    """
)
_SAMPLE = sql.SQL("(SELECT * FROM chunks WHERE chunk_level = 'child' ORDER BY md5(id::text) LIMIT %(most)s)")

# The chunk that a wrong posting names.
_NAMED = sql.SQL(
    """
    SELECT DISTINCT coalesce(c.id::text, 'ordinal ' || o.ordinal)
      FROM (SELECT ('x' || encode(substr(posting, 1, 4), 'hex'))::bit(32)::integer AS ordinal FROM ({wrong}) w) o
      LEFT JOIN chunks c ON c.ordinal = o.ordinal ORDER BY 1
    """
)
_LACKING = sql.SQL(
    """
    SELECT posting FROM due d
     WHERE NOT EXISTS (
           SELECT FROM lexical_postings p JOIN lexical_segments s ON s.id = p.segment
            WHERE p.term = d.term AND (s.chunking_id, s.language) = (d.chunking_id, d.language)
              AND position(d.posting IN p.postings) > 0)
    """
)
_LACKING_POSTINGS = sql.SQL("WITH {due} {named}").format(
    due=_DUE.format(children=_SAMPLE), named=_NAMED.format(wrong=_LACKING)
)

_STORED = sql.SQL(
    """
    stored AS MATERIALIZED (
        SELECT s.chunking_id, s.language, p.term, substr(p.postings, 7 * n + 1, 7) AS posting
          FROM lexical_postings p JOIN lexical_segments s ON s.id = p.segment
          CROSS JOIN LATERAL generate_series(0, octet_length(p.postings) / 7 - 1) n),
    gone AS MATERIALIZED (
        SELECT int4send(o) AS ordinal FROM lexical_removals r CROSS JOIN LATERAL unnest(r.ordinals) o)
    """
)
_DIFFERENT = sql.SQL(
    """
    SELECT posting FROM (TABLE due EXCEPT ALL TABLE stored) lacking
    UNION ALL
    SELECT posting FROM (TABLE stored EXCEPT ALL TABLE due) more
     WHERE substr(posting, 1, 4) NOT IN (SELECT ordinal FROM gone)
    """
)
_OTHER_POSTINGS = sql.SQL("WITH {due}, {stored} {named}").format(
    due=_DUE.format(children=sql.SQL("chunks")), stored=_STORED, named=_NAMED.format(wrong=_DIFFERENT)
)
