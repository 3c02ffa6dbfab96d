"""The corpus in numbers, without counting it."""

from dataclasses import dataclass

from psycopg.rows import class_row

from webrag_desktop.storage.database import Connection


@dataclass(frozen=True, slots=True)
class CorpusFigures:
    """Sums over every document; ``tokens`` counts parent chunks."""

    documents: int
    parent_chunks: int
    child_chunks: int
    tokens: int


def figures(conn: Connection) -> CorpusFigures:
    """The figures kept by the database itself with every change."""
    with conn.cursor(row_factory=class_row(CorpusFigures)) as cursor:
        row = cursor.execute("SELECT documents, parent_chunks, child_chunks, tokens FROM corpus").fetchone()
    assert row is not None  # the migrations lay the one row
    return row
