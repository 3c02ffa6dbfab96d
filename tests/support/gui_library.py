"""A window's operations on a real library, without a window: settings, a session that ends well, signals heard."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from PySide6.QtCore import QObject, QUrl, SignalInstance
from pytestqt.qtbot import QtBot

from tests.support.fused_model import place_fused_model
from tests.support.tested_model import embedded_unless
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.view_data import DocumentRow, Listing
from webrag_desktop.gui.session.background import Background
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.storage.database import Database

Address = dict[str, str | int]
PATIENCE = 30.0
MILLISECONDS = 120_000


def settings_for(address: Address, home: Path, **more: object) -> Settings:
    """Settings of a library in a database that is there already, as is the model."""
    given = {
        "WEBRAG_HOME": place_fused_model(home),
        "WEBRAG_DATABASE_URL": make_conninfo("", **address),
    }
    return Settings.of(**given | embedded_unless(more))


class Heard:
    """What a signal reported, in order."""

    def __init__(self, signal: SignalInstance) -> None:
        self.all: list[Any] = []
        self._signal = signal
        signal.connect(self._hear)

    def _hear(self, *reported: object) -> None:
        self.all.append(reported[0] if reported else None)

    @property
    def last(self) -> Any:
        """The newest."""
        return self.all[-1]

    def __len__(self) -> int:
        return len(self.all)


class OpenedAddresses:
    """Stands for the system: remembers what it was asked to open."""

    def __init__(self) -> None:
        self.all: list[str] = []

    def __call__(self, url: QUrl) -> bool:
        self.all.append(bytes(url.toEncoded().data()).decode())
        return True


@contextmanager
def operations_on(settings: Settings, parent: QObject | None = None) -> Iterator[Operations]:
    """Operations whose library is not opened yet; it is closed, and must end well, at the end."""
    background = Background(parent)
    do = Operations(settings, background, OpenedAddresses())
    try:
        yield do
    finally:
        assert do.session.close(PATIENCE), "something did not end"
        do.deleteLater()


@contextmanager
def open_operations(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    """The same, with the library open and its news being heard."""
    with operations_on(settings) as do:
        with qtbot.waitSignals([do.session.opened, do.session.queue_changed], timeout=MILLISECONDS):
            do.session.open()
        yield do


def heard(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    """Let the event loop run until a condition holds."""
    qtbot.waitUntil(condition, timeout=MILLISECONDS)


class Outage:
    """Takes a database away from its users and gives it back."""

    def __init__(self, address: Address) -> None:
        self._name = str(address["dbname"])
        self._server = address | {"dbname": "postgres"}

    def begin(self) -> None:
        """Let nobody in and end every connection."""
        self._allow(False)
        self._run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = {}",
            sql.Literal(self._name),
        )

    def end(self) -> None:
        """Let everybody in."""
        self._allow(True)

    def _allow(self, allowed: bool) -> None:
        name = sql.Identifier(self._name)
        self._run("ALTER DATABASE {} WITH ALLOW_CONNECTIONS {}", name, sql.Literal(allowed))

    def _run(self, statement: LiteralString, *names: sql.Composable) -> None:
        with psycopg.connect(**self._server, autocommit=True) as conn:  # type: ignore[arg-type]
            conn.execute(sql.SQL(statement).format(*names))


@contextmanager
def paused_operations(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    """An open library whose queue is paused: nothing is fetched unless the test resumes it."""
    with open_operations(settings, qtbot) as made:
        figures = Heard(made.documents.figures)
        made.documents.pause()
        heard(qtbot, lambda: bool(figures.all) and figures.last.paused)
        yield made


def listed(do: Operations, qtbot: QtBot, listing: Listing | None = None) -> tuple[UUID, ...]:
    """The ids of a listing, as they are reported."""
    reported = Heard(do.documents.listed)
    do.documents.list_documents(listing or Listing())
    heard(qtbot, lambda: len(reported) > 0)
    ids: tuple[UUID, ...] = reported.last.ids
    return ids


def row_of(do: Operations, qtbot: QtBot, document_id: UUID) -> DocumentRow:
    """A document's row, as it is reported."""
    rows = Heard(do.documents.rows)
    do.documents.fetch_rows((document_id,))
    heard(qtbot, lambda: len(rows) > 0)
    found: DocumentRow = rows.last[0]
    return found


def added(do: Operations, qtbot: QtBot, *given: str) -> tuple[UUID, ...]:
    """Add something; returns the ids of all documents then."""
    notices = Heard(do.documents.noticed)
    do.documents.add(given)
    heard(qtbot, lambda: len(notices) > 0)
    return listed(do, qtbot)


def stored(address: Address) -> set[UUID]:
    """The ids that are in the database, those in the bin included."""
    database = Database(address)
    with database.connection() as conn:
        ids = {row[0] for row in conn.execute("SELECT id FROM sources")}
    database.close()
    return ids


def kept(address: Address) -> set[UUID]:
    """The ids of what is in the library, not in its bin."""
    database = Database(address)
    with database.connection() as conn:
        ids = {row[0] for row in conn.execute("SELECT id FROM sources WHERE removed_at IS NULL")}
    database.close()
    return ids
