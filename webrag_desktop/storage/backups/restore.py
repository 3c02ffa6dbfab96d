"""Putting a saved library in the place of the present one: in one transaction, so that a crash leaves either.

The saved library is made in a schema of its own, as its program made it; then it is brought up to date and takes the
place of the present one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from psutil import virtual_memory
from psycopg import sql

from webrag_desktop.errors import InputError, StackError
from webrag_desktop.models.backups import Manifest, Member, TableContent
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress, wait_for
from webrag_desktop.storage import removal
from webrag_desktop.storage.backups.backup_file import BackupReader
from webrag_desktop.storage.backups.library_tables import (
    SPACES,
    in_order_of_reference,
    layout,
    tables_of,
    tables_there,
)
from webrag_desktop.storage.database import SESSION_SETTINGS, Connection
from webrag_desktop.storage.migrate import (
    applied_migrations,
    apply,
    holds_anything,
    lock_schema,
    migrations,
    refuse_newer,
)
from webrag_desktop.storage.queue.jobs import RUNNER_LOCK
from webrag_desktop.storage.snapshot import interruptible
from webrag_desktop.storage.spaces.space_tables import (
    SpaceDamagedError,
    activate_space,
    active_space,
    create_space_table,
    stored_spaces,
)

NEW_SCHEMA = "webrag_restored"


def begin_new_schema(conn: Connection) -> str:
    """Have everything made in a new schema until the transaction ends; returns the schema it was made in before."""
    conn.execute(
        "CREATE EXTENSION IF NOT EXISTS vector"
    )  # it stays, so it must not be created in the new schema
    row = conn.execute("SELECT current_schema()").fetchone()
    assert row is not None  # a query without FROM gives a row
    conn.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(NEW_SCHEMA)))
    conn.execute(
        "SELECT set_config('search_path', %s || ', ' || current_setting('search_path'), true)", [NEW_SCHEMA]
    )
    return str(row[0])


def secondary_indexes(conn: Connection) -> list[str]:
    """Drop the new schema's indexes that no constraint needs, to build them later; returns their definitions."""
    rows = conn.execute(
        """
        SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
          FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
         WHERE c.relnamespace = %s::regnamespace
           AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)
         ORDER BY c.relname
        """,
        [NEW_SCHEMA],
    ).fetchall()
    for name, _definition in rows:
        conn.execute(sql.SQL("DROP INDEX {}").format(sql.SQL(name)))  # quoted by the server
    return [definition for _name, definition in rows]


def analyze(conn: Connection) -> None:
    """Collect the planner's statistics of the new tables, which the first search needs."""
    for name in _names_in_new_schema(conn, _TABLES):
        conn.execute(sql.SQL("ANALYZE {}").format(_in(NEW_SCHEMA, name)))


def take_place(conn: Connection, home: str, former: Sequence[str]) -> None:
    """Move everything in the new schema to ``home``, replacing what has the same names and the tables ``former``."""
    tables, views, functions = (_names_in_new_schema(conn, query) for query in (_TABLES, _VIEWS, _FUNCTIONS))
    gone = [_in(home, name) for name in dict.fromkeys((*former, *tables))]
    for name in views:
        conn.execute(sql.SQL("DROP VIEW IF EXISTS {}").format(_in(home, name)))
    conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.SQL(", ").join(gone)))
    for kind, names in (("TABLE", tables), ("VIEW", views)):
        for name in names:
            move = sql.SQL("ALTER {} {} SET SCHEMA {}")
            conn.execute(move.format(sql.SQL(kind), _in(NEW_SCHEMA, name), sql.Identifier(home)))
    if functions:
        listed = sql.SQL(", ").join(_function(home, one) for one in functions)  # they need one another
        conn.execute(sql.SQL("DROP FUNCTION IF EXISTS {}").format(listed))
    for one in functions:
        move = sql.SQL("ALTER FUNCTION {} SET SCHEMA {}")
        conn.execute(move.format(_function(NEW_SCHEMA, one), sql.Identifier(home)))
    conn.execute(sql.SQL("DROP SCHEMA {}").format(sql.Identifier(NEW_SCHEMA)))


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


def _names_in_new_schema(conn: Connection, query: str) -> list[str]:
    return [row[0] for row in conn.execute(sql.SQL(query), [NEW_SCHEMA])]


def _in(schema: str, name: str) -> sql.Composed:
    return sql.SQL("{}.{}").format(sql.Identifier(schema), sql.Identifier(name))


def _function(schema: str, signature: str) -> sql.Composed:
    return sql.SQL("{}.{}").format(sql.Identifier(schema), sql.SQL(signature))  # quoted by the server


CHECKING = "Checking the backup"
RESTORING = "Restoring the library"
INDEXING = "Building the indexes"
REPLACING = "Replacing the library"
LEAVING_SECONDS = 5.0  # a command may have ended before the worker that it followed
_LEAST_INDEX_MEGABYTES, _MOST_INDEX_MEGABYTES = 64, 1024


def check(
    reader: BackupReader, progress: ProgressCallback = no_progress, cancel: CancelToken | None = None
) -> None:
    """Read a backup to its end and compare all of it with what its manifest says.

    Raises:
        Cancelled: the token was set.
        InputError: it is damaged, or was made by a newer program, or by one that this one cannot follow.
    """
    _check_migrations(reader.manifest)
    cancel = cancel or CancelToken()
    for _piece in reader.check_seal():
        cancel.raise_if_cancelled()
    reading = _Reading(reader, CHECKING, progress, cancel)
    for member in reader.manifest.members:
        for _piece in reading.content(member):
            cancel.raise_if_cancelled()


def _check_migrations(manifest: Manifest) -> None:
    known = {step.number: step.checksum for step in migrations()}
    if manifest.schema_number > max(known):
        raise InputError(
            f"The backup was made by a newer WebRAG Desktop ({manifest.program}, schema {manifest.schema_number}). "
            "Nothing was changed.",
            "Install the newest version, then restore it.",
        )
    ours = {number: sum_ for number, sum_ in known.items() if number <= manifest.schema_number}
    if {step.number: step.checksum for step in manifest.migrations} != ours:
        raise InputError(
            "The backup was made by a version of WebRAG Desktop with another schema than this one's. "
            "Nothing was changed.",
            "Restore it with the version that made it.",
        )


@dataclass(slots=True)
class _Reading:
    """Gives the content of members, and reports how much was read."""

    reader: BackupReader
    step: str
    progress: ProgressCallback
    cancel: CancelToken
    _done: int = field(default=0)

    def content(self, member: Member) -> Iterator[bytes]:
        total = sum(one.size for one in self.reader.manifest.members)
        for piece in self.reader.content(member):
            self.cancel.raise_if_cancelled()
            self._done += len(piece)
            share = self._done / max(1, total)
            self.progress(Step(self.step, self._done, total, f"{share:.0%}"))
            yield piece


@contextmanager
def alone(conn: Connection) -> Iterator[None]:
    """Be the only program at the library for the block, which is one transaction; others that open it wait.

    Raises:
        StackError: other processes use it.
        DatabaseError: the library is newer than this program.
    """
    with conn.transaction():
        lock_schema(conn)
        if not _others_leave(conn):
            raise StackError(
                "The library is in use by another WebRAG program: a window, or a worker that indexes. "
                "Nothing was changed.",
                "Close the window and wait for running commands, then try again.",
            )
        _keep_writers_out(conn)
        yield


def _keep_writers_out(conn: Connection) -> None:
    """Make processes that opened the library a moment ago write to the new tables, not to those that are replaced."""
    if names := tables_there(conn):
        listed = sql.SQL(", ").join(map(sql.Identifier, names))
        conn.execute(sql.SQL("LOCK TABLE {} IN SHARE MODE").format(listed))


def _others_leave(conn: Connection) -> bool:
    """Whether no other process uses the library; one that just ended may be visible for a moment."""
    return wait_for(partial(_is_alone, conn), LEAVING_SECONDS, every=0.1)


def _is_alone(conn: Connection) -> bool:
    """Whether no other process uses the library, nor can a worker begin before this transaction has ended."""
    row = conn.execute("SELECT pg_try_advisory_xact_lock(%s)", [RUNNER_LOCK]).fetchone()
    if row != (True,):
        return False
    conn.execute("SELECT pg_stat_clear_snapshot()")
    row = conn.execute(
        """
        SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = %s AND pid <> pg_backend_pid()
        """,
        [SESSION_SETTINGS["application_name"]],
    ).fetchone()
    return row == (0,)


def is_empty(conn: Connection) -> bool:
    """Whether a restored library would take the place of nothing that anybody gave or made.

    Raises:
        DatabaseError: a newer program opened the library.
    """
    refuse_newer(applied_migrations(conn))
    return not holds_anything(conn)  # also one that lost the list of its migrations may hold what was given


def load(
    conn: Connection,
    reader: BackupReader,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
) -> list[int]:
    """Make the saved library, and have it take the place of the present one when the transaction ends.

    Call it in :func:`alone`. Returns the steps of the schema by which the saved library was brought up to date.

    Raises:
        Cancelled: the token was set.
        InputError: the backup is damaged after all.
    """
    cancel = cancel or CancelToken()
    reading = _Reading(reader, RESTORING, progress, cancel)
    with interruptible(conn, cancel):
        former = tables_there(conn)
        home = begin_new_schema(conn)
        _make_tables(conn, reader.manifest)
        indexes = _fill(conn, reading)
        migrated = _complete(conn, indexes, reader.manifest.schema_number, progress, cancel)
        progress(Step(REPLACING))
        take_place(conn, home, former)
    return migrated


def _make_tables(conn: Connection, manifest: Manifest) -> None:
    """The tables as they were when the library was saved, empty and without triggers."""
    steps = tuple(step for step in migrations() if step.number <= manifest.schema_number)
    apply(conn, steps)
    names = sql.SQL(", ").join(map(sql.Identifier, tables_of(steps)))
    conn.execute(sql.SQL("TRUNCATE {}").format(names))  # what migrations put in is in the backup, too
    for name in tables_of(steps):
        conn.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(sql.Identifier(name)))


def _fill(conn: Connection, reading: _Reading) -> list[str]:
    """Load every table, each behind those it refers to; returns how the indexes are made that it took away."""
    manifest = reading.reader.manifest
    saved = {table.name: table for table in manifest.tables}
    steps = tuple(step for step in migrations() if step.number <= manifest.schema_number)
    fixed = in_order_of_reference(conn, tables_of(steps))
    if missing := set(fixed) - set(saved):
        raise _does_not_fit(min(missing))
    indexes = secondary_indexes(conn)
    for name in fixed:
        _load_table(conn, saved.pop(name), reading)
    try:
        spaces = stored_spaces(conn)
    except SpaceDamagedError as error:
        raise _does_not_fit(SPACES) from error
    for space in spaces:
        create_space_table(conn, space, indexed=True)
        indexes += secondary_indexes(conn)
        if table := saved.pop(space.table, None):
            _load_table(conn, table, reading)
    if saved:
        raise _does_not_fit(min(saved))
    conn.execute("SET CONSTRAINTS ALL IMMEDIATE")  # else triggers could not be switched on again
    for name in fixed:
        conn.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(sql.Identifier(name)))
    return indexes


def _load_table(conn: Connection, table: TableContent, reading: _Reading) -> None:
    there = layout(conn, table.name)
    saved = tuple((column.name, column.type) for column in table.columns)
    if there.columns != saved or set(there.counters) != set(table.next_ids):
        raise _does_not_fit(table.name)
    names = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
    copy = sql.SQL("COPY {} ({}) FROM STDIN WITH (FORMAT BINARY)").format(sql.Identifier(table.name), names)
    with conn.cursor() as cursor:
        with cursor.copy(copy) as rows:
            for piece in reading.content(table.content):
                rows.write(piece)
        if cursor.rowcount != table.rows:
            raise _does_not_fit(table.name)
    for column in there.counters:
        conn.execute(
            "SELECT setval(pg_get_serial_sequence(quote_ident(%s), %s), greatest(%s - 1, 1), %s > 1)",
            [table.name, column, table.next_ids[column], table.next_ids[column]],
        )


def _complete(
    conn: Connection, indexes: list[str], schema_number: int, progress: ProgressCallback, cancel: CancelToken
) -> list[int]:
    """Indexes (within a quarter of the free memory), figures for the planner, later steps of the schema, the view.

    What is in the bin stays there for as long as if it was removed now, however old the backup is.
    """
    megabytes = max(_LEAST_INDEX_MEGABYTES, min(virtual_memory().available >> 22, _MOST_INDEX_MEGABYTES))
    conn.execute("SELECT set_config('maintenance_work_mem', %s, true)", [f"{megabytes}MB"])
    conn.execute("SET LOCAL max_parallel_maintenance_workers = 0")  # shared memory is scarce in containers
    for number, definition in enumerate(indexes):
        cancel.raise_if_cancelled()
        progress(Step(INDEXING, number, len(indexes), f"{number + 1} of {len(indexes)}"))
        conn.execute(sql.SQL(definition))  # as the server defined it
    analyze(conn)
    migrated = apply(conn, [step for step in migrations() if step.number > schema_number])
    conn.execute("SET CONSTRAINTS ALL IMMEDIATE")
    removal.rest_from_now(conn)
    if (space := active_space(conn)) is not None:
        activate_space(conn, space)
    return migrated


def _does_not_fit(table: str) -> InputError:
    return InputError(
        f"The backup does not fit the schema that it names (table {table}), so it was not restored. "
        "Nothing was changed.",
        "Use another backup.",
    )
