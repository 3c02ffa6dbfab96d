"""The corpus in numbers, without counting it."""

from psycopg.rows import class_row

from webrag_desktop.models.sources import CorpusFigures
from webrag_desktop.storage.database import Connection


def figures(conn: Connection) -> CorpusFigures:
    """The figures kept by the database itself with every change."""
    with conn.cursor(row_factory=class_row(CorpusFigures)) as cursor:
        row = cursor.execute("SELECT documents, parent_chunks, child_chunks, tokens FROM corpus").fetchone()
    assert row is not None  # the migrations lay the one row
    return row
