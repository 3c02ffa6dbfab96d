"""Which tables of the schema a library has lost, so that what needs them is not asked."""

import re
from typing import Final

from webrag_desktop.storage.database import Connection

TABLES: Final = (
    "answers", "captures", "chunk_cache", "chunks", "citation_anchors", "citations", "collections", "corpus",
    "document_versions", "documents", "embedding_spaces", "expansion_left_out", "expansion_visits", "expansions",
    "jobs", "lexical_postings", "lexical_removals", "lexical_segments", "page_links", "queue_control",
    "schema_migrations", "source_addresses", "source_collections", "sources", "space_moves", "vector_cache",
)  # fmt: skip
OF_THE_SPACE: Final = frozenset(
    ("corpus", "embedding_spaces")
)  # without these nothing tells which space is in use
PROMISE: Final = "Every table of the library is there."


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


def names_any(statement: str, tables: list[str]) -> bool:
    """Whether a statement names one of these tables, if only as the name of a column."""
    return any(re.search(rf"\b{table}\b", statement) for table in tables)
