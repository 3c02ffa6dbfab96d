"""How checks find damage with SQL: missing tables, the kinds of checks, and the documents that are affected."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, LiteralString
from uuid import UUID

from psycopg import sql

from webrag_desktop.models.checks import SHOWN_EXAMPLES, AffectedDocument, Check, Finding
from webrag_desktop.storage.database import Connection

TABLES: Final = (
    "answers", "captures", "chunk_cache", "chunks", "citation_anchors", "citations", "collections", "corpus",
    "document_versions", "documents", "embedding_spaces", "expansion_left_out", "expansion_visits", "expansions",
    "jobs", "lexical_postings", "lexical_removals", "lexical_segments", "page_links", "page_looks", "queue_control",
    "removed_documents", "schema_migrations", "searches", "source_addresses", "source_collections", "sources",
    "space_moves", "subresource_bodies", "subresources", "vector_cache",
)  # fmt: skip
OF_THE_SPACE: Final = frozenset(
    ("corpus", "embedding_spaces")
)  # without these nobody knows which space is in use


def missing_tables(conn: Connection) -> list[str]:
    """The names of tables that every library has and this one has not."""
    rows = conn.execute(
        """
        SELECT wanted.name FROM unnest(%s::text[]) AS wanted (name)
         WHERE NOT EXISTS (SELECT FROM pg_class
                            WHERE relname = wanted.name AND relkind = 'r'
                              AND relnamespace = current_schema()::regnamespace)
         ORDER BY wanted.name
        """,
        [list(TABLES)],
    )
    return [row[0] for row in rows]


def table_exists(conn: Connection, name: str) -> bool:
    """Whether there is a table of that name."""
    row = conn.execute("SELECT to_regclass(quote_ident(%s)) IS NOT NULL", [name]).fetchone()
    return bool(row and row[0])


def affected_documents(conn: Connection, names: Iterable[str]) -> dict[str, AffectedDocument]:
    """The documents of rows that are named by their ids: documents, versions, chunks, captures, citations.

    What names no such row, a table for instance, is left out.
    """
    ids = []
    for name in names:
        with suppress(ValueError):
            ids.append(UUID(name))
    rows = conn.execute(
        """
        WITH named AS (SELECT unnest(%s::uuid[]) AS id),
        owned AS (
            SELECT id, id AS source_id FROM named
            UNION SELECT id, v.document_id FROM named JOIN document_versions v USING (id)
            UNION SELECT id, c.document_id FROM named JOIN chunks c USING (id)
            UNION SELECT id, c.source_id FROM named JOIN captures c USING (id)
            UNION SELECT id, c.document_id FROM named JOIN citations c USING (id))
        SELECT o.id::text, s.id,
               coalesce(d.source_url, (SELECT a.url FROM source_addresses a
                                        WHERE a.source_id = s.id AND a.kind = 'given' ORDER BY a.id LIMIT 1)),
               coalesce(s.user_title, d.title)
          FROM owned o JOIN sources s ON s.id = o.source_id LEFT JOIN documents d ON d.id = s.id
        """,
        [ids],
    )
    return {name: AffectedDocument(*facts) for name, *facts in rows}


@dataclass(frozen=True, slots=True)
class Query(Check):
    """A check by a function that lists the damaged rows; left out where one of ``tables`` is missing."""

    offenders: Callable[[Connection], Sequence[str]]
    tables: frozenset[str] = frozenset()

    def can_run(self, missing: Sequence[str]) -> bool:
        """Whether it needs none of these missing tables."""
        return self.tables.isdisjoint(missing)

    def find(self, conn: Connection) -> Finding:
        """Run the check."""
        return self.finding(self.offenders(conn))


@dataclass(frozen=True, slots=True)
class Statement(Check):
    """A check by a query for the ids (as text) of damaged rows.

    With ``of_space`` its ``{table}`` and ``{chunking}`` are those of the library's embedding space.
    """

    query: LiteralString
    of_space: bool = field(default=False, kw_only=True)

    def can_run(self, missing: Sequence[str]) -> bool:
        """Whether the query names none of these missing tables, if only as the name of a column."""
        if self.of_space and not OF_THE_SPACE.isdisjoint(missing):
            return False
        return not any(re.search(rf"\b{table}\b", self.query) for table in missing)

    def find(self, conn: Connection) -> Finding:
        """Count the damaged rows, and name the first in order of the ids."""
        counted = sql.SQL("SELECT count(*), (array_agg(id ORDER BY id))[1:{}] FROM ({}) AS offenders(id)")
        row = conn.execute(counted.format(sql.Literal(SHOWN_EXAMPLES), self.composed(conn))).fetchone()
        assert row is not None  # an aggregate always gives a row
        return self.finding(row[1] or [], row[0])

    def composed(self, conn: Connection) -> sql.Composable:
        """The query, completed for this library."""
        if not self.of_space:
            return sql.SQL(self.query)
        active = conn.execute(
            "SELECT s.table_name, s.chunking_id FROM corpus JOIN embedding_spaces s ON s.id = corpus.active_space"
        ).fetchone()
        if active is None or not table_exists(conn, active[0]):
            return sql.SQL(_READY_SOURCES)
        return sql.SQL(self.query).format(chunking=sql.Literal(active[1]), table=sql.Identifier(active[0]))


# Without a space no ready document can have vectors.
_READY_SOURCES = "SELECT id::text FROM sources WHERE state = 'ready' AND removed_at IS NULL"
