"""The library as lists and figures show it: ids in order, single rows, counts, facets and known files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import LiteralString
from uuid import UUID

from psycopg import sql
from psycopg.rows import class_row

from webrag_desktop.models.sources import (
    MOST_COUNTED_AUTHORS,
    CollectionRow,
    CorpusFigures,
    Facets,
    Group,
    GroupedIds,
    Grouping,
    LabelCount,
    LibraryOverview,
    SortKey,
)
from webrag_desktop.progress import SourceState
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import arranging
from webrag_desktop.storage.library.sources import key_hash

# A list that shows neither of the tables joined does not read them.
_FROM: LiteralString = """
    FROM sources s LEFT JOIN documents d ON d.id = s.id LEFT JOIN removed_documents r ON r.id = s.id
"""

_SITES = {"of_document": sql.SQL(arranging.SITE_OF_DOCUMENT), "as_given": sql.SQL(arranging.SITE_AS_GIVEN)}

MOST_OPENED = 100
_PRESENT: LiteralString = "s.removed_at IS NULL"
# What the user gave, not what links led to, and has put nowhere yet.
_UNFILED: LiteralString = """
    s.depth = 0 AND s.tags = '{}' AND NOT EXISTS (SELECT 1 FROM source_collections m WHERE m.source_id = s.id)
"""
_INCOMPLETE: LiteralString = (
    "(s.state = 'ready' AND s.id IN (SELECT i.id FROM documents i WHERE i.incomplete IS NOT NULL))"
)
_UNDONE: LiteralString = "s.state NOT IN ('ready', 'failed', 'cancelled')"

_GROUPS: dict[Group, sql.Composable] = {
    "all": sql.SQL(_PRESENT),
    "inbox": sql.SQL(f"{_PRESENT} AND {_UNFILED}"),
    "open": sql.SQL(f"{_PRESENT} AND {_UNDONE}"),
    "opened": sql.SQL(
        """
        s.id IN (SELECT s.id FROM sources s WHERE s.opened_at IS NOT NULL AND s.removed_at IS NULL
                  ORDER BY s.opened_at DESC, s.id LIMIT %(most_opened)s)
        """
    ),
    "attention": sql.SQL(f"{_PRESENT} AND (s.state IN ('failed', 'cancelled') OR {_INCOMPLETE})"),
    "collection": sql.SQL(
        """
        s.removed_at IS NULL AND s.id IN (
            WITH RECURSIVE inside AS (
                SELECT k.id FROM collections k WHERE k.id = %(collection)s
                UNION SELECT k.id FROM collections k JOIN inside ON k.parent_id = inside.id)
            SELECT m.source_id FROM source_collections m JOIN inside ON m.collection_id = inside.id)
        """
    ),
    "tag": sql.SQL(
        "s.removed_at IS NULL AND EXISTS (SELECT 1 FROM unnest(s.tags) t WHERE lower(t) = lower(%(tag)s))"
    ),
    "bin": sql.SQL("s.removed_at IS NOT NULL"),
    "site": sql.SQL(
        """s.removed_at IS NULL AND s.id IN (
        SELECT d.id FROM documents d WHERE d.site = %(host)s AND {of_document} = %(site)s
        UNION ALL
        SELECT a.source_id FROM source_addresses a
         WHERE a.kind = 'given' AND a.site = %(host)s AND {as_given} = %(site)s
           AND NOT EXISTS (SELECT 1 FROM documents x WHERE x.id = a.source_id))"""
    ).format(**_SITES),
}


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose documents a group holds that is of one site, collection or tag.

    A site is the host of a document's own address, or of the given one while there is no text, with its port where
    that is not the usual one.
    """

    site: str | None = None
    collection: UUID | None = None
    tag: str | None = None


NO_ONE = Whose()


def list_ids(
    conn: Connection,
    group: Group,
    whose: Whose = NO_ONE,
    *,
    sort: SortKey,
    descending: bool,
    containing: str = "",
) -> list[UUID]:
    """The sources of a group, in order; equal ones in the order of adding, then by id.

    ``containing`` leaves those whose titles, address or tags hold each of its words, whatever case and accents
    they have.
    """
    chosen, values = _chosen(group, whose, containing)
    statement = (
        sql.SQL("SELECT s.id" + _FROM + "WHERE ") + chosen + sql.SQL(" ORDER BY " + _order(sort, descending))
    )
    return [row[0] for row in conn.execute(statement, values)]


def list_grouped(
    conn: Connection,
    group: Group,
    whose: Whose = NO_ONE,
    *,
    sort: SortKey,
    descending: bool,
    grouping: Grouping,
    offset: timedelta,
    containing: str = "",
) -> GroupedIds:
    """The same as :func:`list_ids`, group by group; ``offset`` is that of the time zone whose days count."""
    chosen, values = _chosen(group, whose, containing)
    order = arranging.GROUP_ORDERS[grouping] + ", " + _order(sort, descending)
    columns = "SELECT s.id, " + arranging.GROUPS[grouping]
    statement = sql.SQL(columns + _FROM + "WHERE ") + chosen + sql.SQL(" ORDER BY " + order)
    # One by one, as in :func:`list_ids`: fetched all at once, many rows would keep every other thread from running.
    rows = list(iter(conn.execute(statement, values | {"offset": offset})))
    counts = tuple((value, len(list(found))) for value, found in groupby(rows, key=itemgetter(1)))
    return GroupedIds(tuple(row[0] for row in rows), counts)


def words(conn: Connection) -> Iterator[tuple[UUID, str]]:
    """What ``containing`` looks through, of every document: titles, address and tags, without case and accents."""
    yield from conn.execute(arranging.WORDS)


def _chosen(group: Group, whose: Whose, containing: str) -> tuple[sql.Composable, dict[str, object]]:
    narrowed, words = arranging.narrowed_to(containing)
    values: dict[str, object] = {
        "site": whose.site,
        "host": _host_of(whose.site or ""),
        "collection": whose.collection,
        "tag": whose.tag,
        "most_opened": MOST_OPENED,
    }
    values.update(words)
    return _GROUPS[group] + narrowed, values


def _order(sort: SortKey, descending: bool) -> LiteralString:
    direction: LiteralString = " DESC" if descending else ""
    ties: LiteralString = f", s.id{direction}" if sort == "added" else ", s.added_at, s.id"
    return arranging.SORTS[sort] + direction + ties


def ids_by_title(conn: Connection, text: str, limit: int) -> list[UUID]:
    """Documents whose title holds every word, whatever case and accents it has; the last opened come first.

    Then come those whose title begins with the first word. Without words, only what was opened.
    """
    words = arranging.words_of(text)
    rows = conn.execute(_SELECT_TITLED, {"words": words, "first": words[0] if words else "", "limit": limit})
    return [row[0] for row in rows]


_SELECT_TITLED: LiteralString = f"""
    SELECT id FROM (
        SELECT s.id, s.opened_at, {arranging.FOLDED_TITLE} AS title {_FROM} WHERE s.removed_at IS NULL OFFSET 0) titled
     WHERE (SELECT bool_and(strpos(title, word) > 0) FROM unnest(%(words)s::text[]) AS word)
        OR (%(first)s = '' AND opened_at IS NOT NULL)
     ORDER BY opened_at DESC NULLS LAST, NOT starts_with(title, %(first)s), title COLLATE "C", id
     LIMIT %(limit)s
"""  # noqa: S608 - our own texts


def _host_of(site: str) -> str:
    if site.startswith("["):
        return site[1:].partition("]")[0]
    return site.partition(":")[0] if site.count(":") == 1 else site


def overview(conn: Connection) -> LibraryOverview:
    """The library in numbers, all of one statement and so of one moment."""
    row = conn.execute(_OVERVIEW, {"most_opened": MOST_OPENED}).fetchone()
    assert row is not None  # the migrations lay both rows
    (documents, parent_chunks, tokens, paused, database_bytes, inbox, opened, removed, incomplete, *lists) = (
        row
    )
    states, sites, tags, collections = lists
    return LibraryOverview(
        states=states,
        documents=documents,
        parent_chunks=parent_chunks,
        tokens=tokens,
        sites=[(site, count) for site, count in sites],
        paused=paused,
        database_bytes=database_bytes,
        inbox=inbox,
        opened=opened,
        removed=removed,
        incomplete=incomplete,
        collections=tuple(
            CollectionRow(UUID(id_), name, count, parent and UUID(parent), colour)
            for id_, name, count, parent, colour in collections
        ),
        tags=tuple(LabelCount(name, count) for name, count in tags),
    )


# Few are in the bin: leaving them out costs less than joining all others. A collection's documents are counted once,
# however deep they are within it. Where there is a document, its own site counts.
_OVERVIEW = sql.SQL(
    """
    WITH RECURSIVE removed AS MATERIALIZED (
        SELECT s.id FROM sources s WHERE s.removed_at IS NOT NULL
    ), within (ancestor, id) AS (
        SELECT k.id, k.id FROM collections k
        UNION SELECT within.ancestor, k.id FROM within JOIN collections k ON k.parent_id = within.id
    ), filed AS (
        SELECT ancestor, count(*) AS documents
          FROM (SELECT DISTINCT within.ancestor, m.source_id
                  FROM within JOIN source_collections m ON m.collection_id = within.id
                 WHERE m.source_id NOT IN (SELECT id FROM removed)) once
         GROUP BY ancestor
    ), textless AS MATERIALIZED (
        SELECT s.id FROM sources s LEFT JOIN documents d ON d.id = s.id WHERE d.id IS NULL AND s.removed_at IS NULL
    ), sites (site, documents) AS (
        SELECT site, count(*)
          FROM (SELECT {of_document} AS site FROM documents d WHERE d.id NOT IN (SELECT id FROM removed)
                UNION ALL
                SELECT {as_given} FROM source_addresses a JOIN textless ON textless.id = a.source_id
                 WHERE a.kind = 'given') of_all
         WHERE site IS NOT NULL GROUP BY site
    ), tagged (tag, documents) AS (
        SELECT (array_agg(t ORDER BY n DESC, t))[1], sum(n)
          FROM (SELECT t, count(*) AS n FROM sources s CROSS JOIN unnest(s.tags) t
                 WHERE s.removed_at IS NULL AND s.tags <> '{{}}' GROUP BY t) spelt
         GROUP BY lower(t)
    )
    SELECT corpus.documents, corpus.parent_chunks, corpus.tokens, queue_control.paused,
           pg_database_size(current_database()),
           (SELECT count(*) FROM sources s WHERE s.removed_at IS NULL AND {unfiled}),
           (SELECT count(*) FROM (SELECT 1 FROM sources s WHERE s.opened_at IS NOT NULL AND s.removed_at IS NULL
                                   LIMIT %(most_opened)s) read),
           (SELECT count(*) FROM removed),
           (SELECT count(*) FROM sources s WHERE s.removed_at IS NULL AND {incomplete}),
           (SELECT coalesce(jsonb_object_agg(state, n), '{{}}')
              FROM (SELECT s.state, count(*) AS n FROM sources s WHERE s.removed_at IS NULL GROUP BY s.state) of_state),
           (SELECT coalesce(jsonb_agg(jsonb_build_array(site, documents) ORDER BY documents DESC, site), '[]')
              FROM sites),
           (SELECT coalesce(jsonb_agg(jsonb_build_array(tag, documents) ORDER BY documents DESC, lower(tag)), '[]')
              FROM tagged),
           (SELECT coalesce(jsonb_agg(jsonb_build_array(k.id, k.name, coalesce(filed.documents, 0),
                                                        k.parent_id, k.colour) ORDER BY lower(k.name), k.name), '[]')
              FROM collections k LEFT JOIN filed ON filed.ancestor = k.id)
      FROM corpus, queue_control
    """
).format(**_SITES, unfiled=sql.SQL(_UNFILED), incomplete=sql.SQL(_INCOMPLETE))


def canonical_address(conn: Connection, source_id: UUID) -> str | None:
    """The canonical address that a source's page named last, where it is not among its other addresses."""
    row = conn.execute(
        "SELECT url FROM source_addresses WHERE source_id = %s AND kind = 'canonical' ORDER BY id DESC LIMIT 1",
        [source_id],
    ).fetchone()
    return row[0] if row else None


def received_bytes(conn: Connection, source_id: UUID) -> int:
    """The size of what was received of a source last, as it was received; 0 while there is nothing."""
    row = conn.execute(
        "SELECT body_bytes FROM captures WHERE source_id = %s ORDER BY number DESC LIMIT 1", [source_id]
    ).fetchone()
    return row[0] if row else 0


def kept_bytes(conn: Connection, source_id: UUID) -> int:
    """The stored (compressed) bytes of a source: captures with their files, texts, chunks."""
    row = conn.execute(
        """
        SELECT (SELECT coalesce(sum(pg_column_size(body_zstd)), 0) FROM captures WHERE source_id = %(id)s)
             + (SELECT coalesce(sum(pg_column_size(b.body_zstd)), 0) FROM subresource_bodies b
                 WHERE b.sha256 IN (SELECT r.sha256 FROM captures c JOIN subresources r ON r.capture_id = c.id
                                     WHERE c.source_id = %(id)s))
             + (SELECT coalesce(sum(pg_column_size(markdown) + coalesce(pg_column_size(html), 0)
                                    + pg_column_size(plain_text) + pg_column_size(plain_map)
                                    + pg_column_size(blocks)), 0)
                  FROM document_versions WHERE document_id = %(id)s)
             + (SELECT coalesce(sum(pg_column_size(links) + pg_column_size(content_keys)
                                    + pg_column_size(navigation_keys)), 0)
                  FROM page_links WHERE document_id = %(id)s)
             + (SELECT coalesce(sum(pg_column_size(chunk_text) + coalesce(pg_column_size(html_text), 0)
                                    + coalesce(pg_column_size(search_vector), 0)), 0)
                  FROM chunks WHERE document_id = %(id)s)
        """,
        {"id": source_id},
    ).fetchone()
    assert row is not None  # sums always give a row
    return int(row[0])


def beginning(conn: Connection, source_id: UUID, characters: int) -> str | None:
    """The first characters of a document's text, as Markdown; None while there is none."""
    row = conn.execute(
        """
        SELECT left(v.markdown, %s) FROM documents d JOIN document_versions v ON v.id = d.active_version
         WHERE d.id = %s
        """,
        [characters, source_id],
    ).fetchone()
    return row[0] if row else None


def figures(conn: Connection) -> CorpusFigures:
    """The figures that the database updates with every change."""
    with conn.cursor(row_factory=class_row(CorpusFigures)) as cursor:
        row = cursor.execute("SELECT documents, parent_chunks, child_chunks, tokens FROM corpus").fetchone()
    assert row is not None  # the migrations lay the one row
    return row


def read_facets(conn: Connection) -> Facets:
    """The facets of all documents that have a text."""
    found: dict[str, list[tuple[str, int]]] = {"site": [], "type": [], "language": []}
    for facet, value, documents in conn.execute(_COUNT):
        found[facet].append((value, documents))
    authors = conn.execute(_COUNT_AUTHORS, [MOST_COUNTED_AUTHORS]).fetchall()
    return Facets(tuple(found["site"]), tuple(found["type"]), tuple(found["language"]), tuple(authors))


_COUNT_AUTHORS = """
    SELECT author, count(*) FROM documents d CROSS JOIN unnest(d.authors) author
     GROUP BY author ORDER BY count(*) DESC, author COLLATE "C" LIMIT %s
"""


_COUNT = """
    SELECT facet, value, count(*)
      FROM documents d CROSS JOIN LATERAL (VALUES
           ('site', d.site),
           ('type', d.doc_type),
           ('language', split_part(
               replace(lower(coalesce(d.language, nullif(d.search_language, 'simple'))), '_', '-'), '-', 1))
           ) AS facets (facet, value)
     WHERE value <> ''
     GROUP BY facet, value ORDER BY facet, count(*) DESC, value COLLATE "C"
"""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A known address: the state of its source, the bytes of what was read last, and when that was last checked."""

    state: SourceState
    size: int | None
    read_at: datetime | None


def kept_files(conn: Connection, url_keys: Sequence[str]) -> dict[str, KeptFile]:
    """The known files among these address keys."""
    by_hash = {key_hash(key): key for key in url_keys}
    rows = conn.execute(
        """
        SELECT a.key_hash, s.state, c.body_bytes, greatest(s.checked_at, c.fetched_at)
          FROM source_addresses a JOIN sources s ON s.id = a.source_id
          LEFT JOIN LATERAL (SELECT body_bytes, fetched_at FROM captures
                              WHERE source_id = s.id ORDER BY number DESC LIMIT 1) c ON true
         WHERE a.key_hash = ANY(%s) AND s.removed_at IS NULL
        """,
        [list(by_hash)],
    )
    return {by_hash[bytes(hashed)]: KeptFile(state, size, read_at) for hashed, state, size, read_at in rows}
