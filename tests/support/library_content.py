"""Everything that a library holds, in a form in which two libraries can be compared."""

import hashlib
from typing import Any

from psycopg import sql

from webrag_desktop.storage.backups.library_tables import layout, library_tables
from webrag_desktop.storage.database import Connection, Database


def content(database: Database) -> dict[str, Any]:
    """Of every table its rows, ordered, and where its counters stand; and how tables, indexes and views are made."""
    with database.connection() as conn:
        return {name: _rows(conn, name) for name in library_tables(conn)} | {"objects": _objects(conn)}


def _rows(conn: Connection, name: str) -> tuple[int, str, list[Any]]:
    """What chunks are called in postings is left out: mending may call them again."""
    table = layout(conn, name)
    columns = sql.SQL(", ").join(
        sql.Identifier(column) for column, _type in table.columns if (name, column) != ("chunks", "ordinal")
    )
    counted = conn.execute(
        sql.SQL("SELECT ROW({})::text AS t FROM {} ORDER BY t").format(columns, sql.Identifier(name))
    ).fetchall()
    digest = hashlib.sha256("\n".join(row[0] for row in counted).encode()).hexdigest()
    counters = [
        conn.execute(
            "SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, %s)::regclass)", [name, column]
        ).fetchone()
        for column in table.counters
    ]
    return len(counted), digest, counters


def _objects(conn: Connection) -> list[tuple[str, str]]:
    return conn.execute(
        """
        SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
         WHERE connamespace = 'public'::regnamespace AND conrelid <> 0
        UNION ALL
        SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
         WHERE indrelid::regclass::text NOT LIKE 'pg_%'
        UNION ALL
        SELECT oid::regclass::text, pg_get_viewdef(oid) FROM pg_class
         WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace
        UNION ALL
        SELECT tgrelid::regclass::text, pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
        UNION ALL
        SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid) FROM pg_proc p
         WHERE p.pronamespace = 'public'::regnamespace AND p.proname LIKE 'webrag%'
         ORDER BY 1, 2
        """
    ).fetchall()
