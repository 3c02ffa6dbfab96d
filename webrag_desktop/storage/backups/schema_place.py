"""A schema aside, in which a library is made before it takes the place of another one, all in one transaction."""

from collections.abc import Sequence

from psycopg import sql

from webrag_desktop.storage.database import Connection

ASIDE = "webrag_restored"


def begin_aside(conn: Connection) -> str:
    """Have everything made in a new schema until the transaction ends; returns the schema it was made in before."""
    conn.execute("CREATE EXTENSION IF NOT EXISTS vector")  # it stays, and so must not be made aside
    row = conn.execute("SELECT current_schema()").fetchone()
    assert row is not None  # a query without FROM gives a row
    conn.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(ASIDE)))
    conn.execute(
        "SELECT set_config('search_path', %s || ', ' || current_setting('search_path'), true)", [ASIDE]
    )
    return str(row[0])


def secondary_indexes(conn: Connection) -> list[str]:
    """Drop the indexes aside that no constraint needs; returns how they are made. Built at once they are quicker."""
    rows = conn.execute(
        """
        SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
          FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
         WHERE c.relnamespace = %s::regnamespace
           AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)
         ORDER BY c.relname
        """,
        [ASIDE],
    ).fetchall()
    for name, _definition in rows:
        conn.execute(sql.SQL("DROP INDEX {}").format(sql.SQL(name)))  # quoted by the server
    return [definition for _name, definition in rows]


def analyze(conn: Connection) -> None:
    """Give the planner figures of the tables aside, which the first search needs."""
    for name in _aside(conn, _TABLES):
        conn.execute(sql.SQL("ANALYZE {}").format(_in(ASIDE, name)))


def take_place(conn: Connection, home: str, former: Sequence[str]) -> None:
    """Put everything that was made aside into ``home``, in the place of what has its names and of tables ``former``."""
    tables, views, functions = (_aside(conn, query) for query in (_TABLES, _VIEWS, _FUNCTIONS))
    gone = [_in(home, name) for name in dict.fromkeys((*former, *tables))]
    for name in views:
        conn.execute(sql.SQL("DROP VIEW IF EXISTS {}").format(_in(home, name)))
    conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.SQL(", ").join(gone)))
    for kind, names in (("TABLE", tables), ("VIEW", views)):
        for name in names:
            move = sql.SQL("ALTER {} {} SET SCHEMA {}")
            conn.execute(move.format(sql.SQL(kind), _in(ASIDE, name), sql.Identifier(home)))
    if functions:
        listed = sql.SQL(", ").join(_function(home, one) for one in functions)  # they need one another
        conn.execute(sql.SQL("DROP FUNCTION IF EXISTS {}").format(listed))
    for one in functions:
        move = sql.SQL("ALTER FUNCTION {} SET SCHEMA {}")
        conn.execute(move.format(_function(ASIDE, one), sql.Identifier(home)))
    conn.execute(sql.SQL("DROP SCHEMA {}").format(sql.Identifier(ASIDE)))


_TABLES = (
    "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r' ORDER BY relname"
)
_VIEWS = (
    "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'v' ORDER BY relname"
)
_FUNCTIONS = """
    SELECT format('%%I(%%s)', proname, pg_get_function_identity_arguments(oid)) FROM pg_proc
     WHERE pronamespace = %s::regnamespace ORDER BY 1
"""


def _aside(conn: Connection, query: str) -> list[str]:
    return [row[0] for row in conn.execute(sql.SQL(query), [ASIDE])]


def _in(schema: str, name: str) -> sql.Composed:
    return sql.SQL("{}.{}").format(sql.Identifier(schema), sql.Identifier(name))


def _function(schema: str, signature: str) -> sql.Composed:
    return sql.SQL("{}.{}").format(sql.Identifier(schema), sql.SQL(signature))  # quoted by the server
