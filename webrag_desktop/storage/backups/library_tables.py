"""Which tables of a database are the library's, and how they are made; others may share it with them."""

import re
from dataclasses import dataclass
from graphlib import TopologicalSorter

from psycopg import sql

from webrag_desktop.errors import DatabaseError
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.migrate import (
    SCHEMA_TABLE,
    Migration,
    applied_migrations,
    holds_anything,
    migrations,
)

SPACES = "embedding_spaces"
DERIVED = frozenset(("chunk_cache",))  # their rows can be made again at any time; a backup holds none of them
_MADE_OR_DROPPED = re.compile(r"^(CREATE|DROP) TABLE (?:IF (?:NOT )?EXISTS )?(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table: its columns that hold what was written (none that the database computes), with their types.

    ``counters`` are the columns that the database numbers.
    """

    name: str
    columns: tuple[tuple[str, str], ...]
    counters: tuple[str, ...]
    size: int


def tables_of(steps: tuple[Migration, ...]) -> tuple[str, ...]:
    """The tables that these migrations leave, and the one that notes them."""
    names = {SCHEMA_TABLE: None}
    for step in steps:
        for verb, name in _MADE_OR_DROPPED.findall(step.statements):
            if verb == "CREATE":
                names[name] = None
            else:
                names.pop(name, None)
    return tuple(names)


def library_tables(conn: Connection) -> tuple[str, ...]:
    """The tables of the library as far as it was migrated; none in a database without one.

    Raises:
        DatabaseError: one of them is missing.
    """
    done = applied_migrations(conn)
    if not done:
        if holds_anything(conn):
            raise _lost(SCHEMA_TABLE)
        return ()
    names = tables_of(tuple(step for step in migrations() if step.number in done))
    there = _existing(conn, names)
    if missing := [name for name in names if name not in there]:
        raise _lost(missing[0])
    return (*names, *space_tables(conn))


def _lost(table: str) -> DatabaseError:
    return DatabaseError(
        f"The library has lost its table {table}, so it cannot be saved. Nothing was changed.",
        "Move the data folder away, or name an empty database; then restore a backup with `webrag restore`.",
    )


def tables_there(conn: Connection) -> tuple[str, ...]:
    """Those tables of the library that there are, however far it was migrated and whatever it lost."""
    return (*_existing(conn, tables_of(migrations())), *space_tables(conn))


def space_tables(conn: Connection) -> tuple[str, ...]:
    """The tables that hold the vectors of embedding spaces."""
    if not _existing(conn, (SPACES,)):
        return ()
    named = conn.execute(
        sql.SQL("SELECT table_name FROM {} ORDER BY id").format(sql.Identifier(SPACES))
    ).fetchall()
    return _existing(conn, tuple(row[0] for row in named))


def _existing(conn: Connection, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of these tables that the present schema has."""
    rows = conn.execute(
        """
        SELECT relname FROM pg_class
         WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname = ANY(%s)
        """,
        [list(names)],
    ).fetchall()
    there = {row[0] for row in rows}
    return tuple(name for name in names if name in there)


def layout(conn: Connection, table: str) -> TableLayout:
    """How a table of the present schema is made."""
    rows = conn.execute(
        """
        SELECT a.attname, regexp_replace(format_type(a.atttypid, a.atttypmod), '^.*[.]', ''),
               a.attidentity <> '', pg_table_size(a.attrelid)
          FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
         WHERE c.relname = %s AND c.relnamespace = current_schema()::regnamespace
           AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
         ORDER BY a.attname
        """,
        [table],
    ).fetchall()
    return TableLayout(
        table,
        tuple((name, type_) for name, type_, _counter, _size in rows),
        tuple(name for name, _type, counter, _size in rows if counter),
        max((size for *_column, size in rows), default=0),
    )


def in_order_of_reference(conn: Connection, tables: tuple[str, ...]) -> list[str]:
    """The tables, each behind those that it refers to."""
    rows = conn.execute(
        """
        SELECT t.relname, r.relname
          FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class r ON r.oid = c.confrelid
         WHERE c.contype = 'f' AND c.conrelid <> c.confrelid
           AND t.relnamespace = current_schema()::regnamespace AND t.relname = ANY(%s)
        """,
        [list(tables)],
    ).fetchall()
    needs: dict[str, set[str]] = {name: set() for name in tables}
    for name, needed in rows:
        needs[name].add(needed)
    return list(TopologicalSorter(needs).static_order())
