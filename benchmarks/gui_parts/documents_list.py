"""The list of 50,000 documents in the real window: how soon it shows what is typed, and how late the event loop is.

Prints lines for :mod:`benchmarks.gui`. Everything is done ``RUNS`` times, and each figure is the median of the runs.
"""

import random
import statistics
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from uuid import UUID

from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from benchmarks.gui_parts.heartbeat import Heart, share
from benchmarks.gui_parts.window_at_work import wait
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.kit.theme.colours import prepare
from webrag_desktop.gui.library.operations.document_rows import Listed
from webrag_desktop.gui.session.background import Background
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.application import SWITCH_SECONDS
from webrag_desktop.gui.shell.connections.window import Connections
from webrag_desktop.gui.shell.main_window import LIBRARY, MainWindow
from webrag_desktop.gui.shell.process import GarbageOnGuiThread
from webrag_desktop.library.opening import open_with
from webrag_desktop.storage import events
from webrag_desktop.storage.database import Connection, Database

RUNS = 5
IDLE_SECONDS = 3.0
CHANGING_SECONDS = 4.0
CHANGE_SECONDS = 0.05  # between two changes
PATIENCE = 60
TYPED = ("valentia", "gutta 1850", "site17.example", "nothing like it")
PAUSE_MS = 120  # between two letters, as a quick typist makes them

_FILL = """
    CREATE TEMPORARY TABLE made AS
    SELECT n, gen_random_uuid() AS id,
           'https://site' || (n % 400) || '.example/papers/' || md5(n::text) || '/page-' || n || '.html' AS url,
           (ARRAY['The induction coils of', 'Report on', 'A short life of', 'Letters to', 'Gutta-percha:',
                  'Ärger über'])[1 + n % 6] || ' '
           || (ARRAY['the cable', 'the telegraph', 'Whitehouse', 'Valentia', 'galvanometers'])[1 + n % 5]
           || ', part ' || n || ', re-examined in ' || (1850 + n % 100) AS title
      FROM generate_series(1, {documents}) n;
    INSERT INTO sources (id, kind, state, state_reason, added_at, tags)
    SELECT id, 'url', CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'ready' END,
           CASE WHEN n % 50 = 0 THEN 'No answer' END, now() - n * interval '1 minute',
           CASE WHEN n % 3 = 0 THEN ARRAY['telegraphy', 'primary-source'] ELSE '{{}}' END FROM made;
    INSERT INTO source_addresses (source_id, kind, url, url_key, key_hash)
    SELECT id, 'given', url, url, sha256(url::bytea) FROM made;
    INSERT INTO documents (id, active_version, url, source_url, site, title, doc_type, content_hash, fetched_at)
    SELECT id, id, url, url, 'site' || (n % 400) || '.example', title, 'html', md5(url), now()
      FROM made WHERE n % 50 <> 0;
"""


def fill(conn: Connection, documents: int) -> None:
    """Write rows that lists read, without the texts that they do not."""
    conn.execute("SET session_replication_role = replica")
    conn.execute(_FILL.format(documents=documents).encode())
    conn.execute("SET session_replication_role = origin")
    conn.execute("ANALYZE sources")
    conn.execute("ANALYZE documents")
    conn.execute("ANALYZE source_addresses")


class Sight(QObject):
    """The list of a real window on the library: waits for what is typed or asked for to be in it, and painted."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        super().__init__(window)
        self.view, self.heart = window.library, Heart()
        self._painted: Listing | None = None  # with the rows in sight
        self._loop = QEventLoop()
        self._until: Callable[[], bool] = lambda: True
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._look)
        self.view.list.viewport().installEventFilter(self)
        operations.documents.listed.connect(self._take)

    def _take(self, listed: Listed) -> None:
        if listed.listing != self._painted:
            self._painted = None
        self._look()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self._knows_rows():
            self._painted = self.view.list.listing
            self._soon.start()  # once it was painted
        return False

    def _look(self) -> None:
        if self._until():
            self._loop.quit()

    def wait(self, until: Callable[[], bool]) -> None:
        """Let the event loop run until something is so; it is looked at when ids arrive, and after every painting."""
        self._until = until
        limit = QTimer(singleShot=True, interval=1000 * PATIENCE)
        limit.timeout.connect(lambda: self._loop.exit(1))
        limit.start()
        if not until() and self._loop.exec():
            raise TimeoutError("waited in vain for the list")
        self._until = lambda: False

    def lists(self, listing: Listing) -> bool:
        """Whether the ids of a listing are in the list."""
        return self.view.list.listing == listing

    def shows(self, listing: Listing) -> bool:
        """Whether they are, and the rows in sight were painted with what they say."""
        return self.lists(listing) and (self._painted == listing or not self.view.list.isVisible())

    def _knows_rows(self) -> bool:
        shown = self.view.list
        first = max(shown.rowAt(0), 0)
        last = min(shown.documents.rowCount(), first + shown.viewport().height() // shown.rows.row_height)
        keys = shown.documents.keys_at(range(first, last))
        return all(key < 0 or shown.documents.document(UUID(int=key)) is not None for key in keys)


class Changes(threading.Thread):
    """Documents that come, go, fail and become ready, as fast as a worker would be at its best."""

    def __init__(self, database: Database) -> None:
        super().__init__(daemon=True)
        self._database, self._ended = database, threading.Event()

    def run(self) -> None:
        chosen = random.Random(1)
        with self._database.connection() as conn:
            ids = [row[0] for row in conn.execute("SELECT id FROM sources ORDER BY id")]
        while not self._ended.wait(CHANGE_SECONDS):
            some = chosen.sample(ids, 4)
            with self._database.connection() as conn:
                conn.execute(_FAIL, [some[:2]])
                conn.execute(
                    "UPDATE sources SET state = 'ready', state_reason = NULL, state_hint = NULL WHERE id = ANY(%s)",
                    [some[2:]],
                )
                come = conn.execute(_COME).fetchall()
                events.announce_all(conn, some[:2], "failed")
                events.announce_all(conn, some[2:], "ready")
                events.announce_all(conn, [row[0] for row in come], "failed")

    def end(self) -> None:
        self._ended.set()
        self.join()


_FAIL = """
    UPDATE sources SET state = 'failed', state_reason = 'No answer', state_hint = 'Try again' WHERE id = ANY(%s)
"""
_COME = """
    WITH come AS (INSERT INTO sources (id, kind, state, state_reason, state_hint)
                  VALUES (gen_random_uuid(), 'url', 'failed', 'No answer', 'Try again') RETURNING id)
    INSERT INTO source_addresses (source_id, kind, url, url_key, key_hash)
    SELECT id, 'given', 'https://new.example/' || id, id::text, sha256(id::text::bytea) FROM come RETURNING source_id
"""


class Measured:
    """What is done with the list, and how late the event loop was meanwhile."""

    def __init__(self, sight: Sight, operations: Operations, database: Database) -> None:
        self._sight, self._operations, self._database = sight, operations, database
        self.listed: list[float] = []
        self.painted: list[float] = []

    def idle(self) -> None:
        wait(lambda: False, IDLE_SECONDS)

    def arrive(self) -> None:
        """The documents of the library are listed, after those of another list."""
        self._list(Listing("attention"))
        self._sight.heart.fresh()
        self._list(Listing())

    def type(self) -> None:
        """Type, letter by letter, and delete it again."""
        field = self._sight.view.filter
        for text in TYPED:
            for at, letter in enumerate(text, 1):
                self._press(partial(QTest.keyClicks, field, letter), text[:at])
            for at in range(len(text) - 1, -1, -1):
                self._press(partial(QTest.keyClick, field, Qt.Key.Key_Backspace), text[:at])

    def _press(self, press: Callable[[], None], text: str) -> None:
        wanted, begun = replace(self._sight.view.list.listing, containing=text.strip()), perf_counter()
        press()
        self._sight.wait(partial(self._sight.lists, wanted))
        self.listed.append(1000 * (perf_counter() - begun))
        self._sight.wait(partial(self._sight.shows, wanted))
        self.painted.append(1000 * (perf_counter() - begun))
        wait(lambda: False, PAUSE_MS / 1000)

    def sort(self) -> None:
        for other in (
            Listing(sort="title", descending=False),
            Listing(sort="size"),
            Listing(grouping="site"),
        ):
            self._list(other)
        self._list(Listing())

    def change(self) -> None:
        """Documents come and change while all are listed, and while the list is narrowed to a word."""
        changes = Changes(self._database)
        changes.start()
        for listing in (Listing(), Listing(containing="valentia"), Listing(sort="state")):
            self._list(listing)
            wait(lambda: False, CHANGING_SECONDS)
        changes.end()
        self._list(Listing())

    def _list(self, listing: Listing) -> None:
        self._operations.documents.list_documents(listing)
        self._sight.wait(partial(self._sight.shows, listing))
        wait(lambda: False, 0.3)


@contextmanager
def opened(settings: Settings) -> Iterator[tuple[Sight, Operations]]:
    """The real window on a library, its list in sight."""
    background = Background()
    operations = Operations(settings, background)
    window = MainWindow()
    window.resize(1440, 900)
    connections = Connections(window, operations)
    window.show()
    connections.start()
    listed: list[object] = []
    operations.documents.listed.connect(listed.append)
    operations.session.open()
    wait(lambda: bool(listed), PATIENCE)
    operations.documents.listed.disconnect(listed.append)
    window.show_view(LIBRARY)
    window.library.filter.setFocus(Qt.FocusReason.OtherFocusReason)
    wait(lambda: False, 2.0)
    try:
        yield Sight(window, operations), operations
    finally:
        operations.session.close(10)
        background.stop(5)


def main(documents: int) -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    application = QApplication([])
    prepare(application)
    garbage = GarbageOnGuiThread(application)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        settings = Settings.of(WEBRAG_HOME=Path(home) / "home", EMBEDDING_BACKEND="embedded")
        with open_with(settings) as library:
            database = library.documents._database
            with database.connection() as conn:
                fill(conn, documents)
            with opened(settings) as (sight, operations):
                garbage.spare_what_is_there()
                report(sight, Measured(sight, operations, database))
    garbage.release()


def report(sight: Sight, measured: Measured) -> None:
    """Print, by what was done, the medians over all runs of how late the event loop was, and how long typing took."""
    late: dict[str, list[list[float]]] = {}
    busy: dict[str, list[list[float]]] = {}
    steps = {
        "idle": measured.idle,
        "arrival": measured.arrive,
        "filter": measured.type,
        "sort and group": measured.sort,
        "documents change": measured.change,
    }
    for _ in range(RUNS):
        for name, step in steps.items():
            sight.heart.fresh()
            step()
            late.setdefault(name, []).append(sight.heart.late)
            busy.setdefault(name, []).append(sight.heart.busy)
    for kind, measures in (("late", late), ("busy", busy)):
        for name, runs in measures.items():
            figures = [statistics.median(share(run, at) for run in runs) for at in (0.5, 0.99, 0.999, 1.0)]
            print(f"{kind}\t{name}\t{' '.join(f'{one:.2f}' for one in figures)}")
    for name, took in (("the ids in the list", measured.listed), ("the rows painted", measured.painted)):
        print(
            f"typed\t{name}\t{statistics.median(took):.2f} {share(took, 0.95):.2f} {max(took):.2f} {len(took)}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]))
