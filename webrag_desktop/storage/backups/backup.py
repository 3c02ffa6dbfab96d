"""Saving a whole library: every row of every table as of one moment, while others go on reading and writing.

Of tables whose rows are derived from others only the layout is saved.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from psycopg import Copy, sql

from webrag_desktop.errors import InputError
from webrag_desktop.models.backups import AppliedMigration, Column, Manifest, Member, TableContent
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.storage import removal
from webrag_desktop.storage.backups.backup_file import BackupWriter
from webrag_desktop.storage.backups.library_tables import DERIVED, TableLayout, layout, library_tables
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.migrate import applied_migrations
from webrag_desktop.storage.snapshot import snapshot
from webrag_desktop.version import VERSION

STEP = "Saving the library"
_PORTION = 256 * 1024
_COPY = "COPY (SELECT {columns} FROM {table} WHERE {kept}) TO STDOUT WITH (FORMAT BINARY)"


@dataclass(frozen=True, slots=True)
class Beside:
    """Data of the library that is stored beside its database: waiting additions, and settings for people to read."""

    intake: Mapping[str, bytes] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)


def room_needed(conn: Connection) -> int:
    """The approximate largest size of a backup in bytes: that of the tables without their indexes."""
    return sum(layout(conn, name).size for name in library_tables(conn))


def save(
    conn: Connection,
    writer: BackupWriter,
    reason: str,
    beside: Beside | None = None,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
) -> Manifest:
    """Write every table into a backup and return its manifest; ``conn`` must be idle.

    Raises:
        Cancelled: the token was set.
        InputError: there is no library yet.
        OSError: the file cannot be written.
    """
    beside, cancel = beside or Beside(), cancel or CancelToken()
    with snapshot(conn, cancel):
        tables = _locked(conn)
        done = applied_migrations(conn)
        counting = _Counting(progress, sum(table.size for table in tables))
        contents = tuple(_save_table(conn, writer, table, counting, cancel) for table in tables)
        in_bin = _count_bin(conn, tables)
    return Manifest(
        program=VERSION,
        made_at=datetime.now(UTC),
        reason=reason,
        server=f"{conn.info.server_version // 10000}.{conn.info.server_version % 10000}",
        migrations=tuple(AppliedMigration(number=n, checksum=sum_) for n, sum_ in sorted(done.items())),
        tables=contents,
        intake=tuple(
            _save_bytes(writer, f"intake/{name}", beside.intake[name]) for name in sorted(beside.intake)
        ),
        settings=dict(beside.settings),
        in_bin=in_bin,
    )


def _count_bin(conn: Connection, tables: Sequence[TableLayout]) -> int:
    """How many sources are in the bin; a library that is saved before it is migrated may have none yet."""
    if not any(table.name == "sources" and "removed_at" in dict(table.columns) for table in tables):
        return 0
    return len(removal.all_ids(conn))


def _locked(conn: Connection) -> Sequence[TableLayout]:
    """Every table, locked until the transaction ends against dropping and altering, not against writing."""
    names = library_tables(conn)
    if not names:
        raise InputError("There is no library here yet, so there is nothing to save.", "Add something first.")
    listed = sql.SQL(", ").join(map(sql.Identifier, names))
    conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(listed))
    return [layout(conn, name) for name in names]


@dataclass(slots=True)
class _Counting:
    """Reports the saved share of the library, by the size of its tables."""

    progress: ProgressCallback
    total: int
    _before: int = 0

    def written(self, table: TableLayout, size: int) -> None:
        done = self._before + min(size, table.size)
        self.progress(Step(STEP, done, self.total, f"{table.name}, {done / max(1, self.total):.0%}"))

    def ended(self, table: TableLayout) -> None:
        self._before += table.size


def _save_table(
    conn: Connection, writer: BackupWriter, table: TableLayout, counting: _Counting, cancel: CancelToken
) -> TableContent:
    columns = sql.SQL(", ").join(sql.Identifier(name) for name, _type in table.columns)
    kept = sql.Literal(table.name not in DERIVED)
    copy = sql.SQL(_COPY).format(columns=columns, table=sql.Identifier(table.name), kept=kept)
    counting.written(table, 0)
    with conn.cursor() as cursor:
        with writer.member(f"tables/{table.name}.copy.zst") as content, cursor.copy(copy) as rows:
            for portion in _portions(rows):
                cancel.raise_if_cancelled()
                content.write(portion)
                counting.written(table, content.size)
        saved = cursor.rowcount
    counting.ended(table)
    return TableContent(
        name=table.name,
        columns=tuple(Column(name=name, type=type_) for name, type_ in table.columns),
        rows=saved,
        next_ids={column: _next_id(conn, table.name, column) for column in table.counters},
        content=content.member,
    )


def _portions(rows: Copy) -> Iterator[bytearray]:
    """The rows, gathered into portions worth compressing; the driver gives them one by one."""
    gathered = bytearray()
    for row in rows:
        gathered += row
        if len(gathered) >= _PORTION:
            yield gathered
            gathered = bytearray()
    yield gathered


def _next_id(conn: Connection, table: str, column: str) -> int:
    row = conn.execute(
        "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(quote_ident(%s), %s)::regclass), 0) + 1",
        [table, column],
    ).fetchone()
    assert row is not None  # a query without FROM gives a row
    return int(row[0])


def _save_bytes(writer: BackupWriter, name: str, content: bytes) -> Member:
    with writer.member(name) as member:
        member.write(content)
    return member.member
