"""Which tables a damaged library has lost, and which documents its damaged rows belong to."""

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Final
from uuid import UUID

from webrag_desktop.models.checks import AffectedDocument
from webrag_desktop.storage.database import Connection

TABLES: Final = (
    "answers", "captures", "chunk_cache", "chunks", "citation_anchors", "citations", "collections", "corpus",
    "document_versions", "documents", "embedding_spaces", "expansion_left_out", "expansion_visits", "expansions",
    "jobs", "lexical_postings", "lexical_removals", "lexical_segments", "page_links", "queue_control",
    "schema_migrations", "source_addresses", "source_collections", "sources", "space_moves", "vector_cache",
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


def names_any(statement: str, tables: Iterable[str]) -> bool:
    """Whether a statement names one of these tables, if only as the name of a column."""
    return any(re.search(rf"\b{table}\b", statement) for table in tables)


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
        SELECT o.id::text, s.id, coalesce(s.user_title, d.title),
               coalesce(d.source_url, (SELECT a.url FROM source_addresses a
                                        WHERE a.source_id = s.id AND a.kind = 'given' ORDER BY a.id LIMIT 1))
          FROM owned o JOIN sources s ON s.id = o.source_id LEFT JOIN documents d ON d.id = s.id
        """,
        [ids],
    )
    return {name: AffectedDocument(*facts) for name, *facts in rows}
