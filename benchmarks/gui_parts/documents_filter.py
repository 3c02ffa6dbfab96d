"""Filters a library of 50,000 documents as one types: from each keystroke to the ids in the list, in milliseconds.

``python -m benchmarks.gui_parts.documents_filter [DOCUMENTS]``. "Idle" is a beat of the loop that does nothing else.
"""

import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from benchmarks.gui_parts.heartbeat import Heart
from benchmarks.gui_parts.window_at_work import wait
from benchmarks.measuring import table
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.kit.theme.colours import prepare
from webrag_desktop.gui.library.operations.document_rows import Listed
from webrag_desktop.gui.session.background import Background
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.application import SWITCH_SECONDS
from webrag_desktop.gui.shell.connections.window import Connections
from webrag_desktop.gui.shell.main_window import LIBRARY, MainWindow
from webrag_desktop.library.opening import open_with
from webrag_desktop.storage.database import Connection

DOCUMENTS = 50_000
ROUNDS = 5
TYPED = ("valentia", "gutta 1850", "site17.example", "nothing like it")
PATIENCE = 60

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


class Typist:
    """Types into the filter of a real window on the library, and waits for the ids of each keystroke."""

    def __init__(self, window: MainWindow, operations: Operations) -> None:
        self.listed: list[Listed] = []
        self._window, self._heart = window, Heart()
        operations.documents.listed.connect(self.listed.append)

    def type(self, text: str) -> tuple[list[float], float, int]:
        """Milliseconds from each keystroke to its ids in the list, the latest beat meanwhile, and how many are left."""
        took, field = [], self._window.library.filter
        self._heart.fresh()
        for at, letter in enumerate(text, 1):
            wanted = text[:at].strip()
            begun = time.perf_counter()
            QTest.keyClicks(field, letter)
            wait(partial(self._shows, wanted), PATIENCE)
            took.append(1000 * (time.perf_counter() - begun))
        found = len(self.listed[-1].ids)
        late = max(self._heart.late, default=0.0)
        field.clear()
        wait(lambda: self._shows(""), PATIENCE)
        return took, late, found

    def _shows(self, text: str) -> bool:
        return self._window.library.list.listing.containing == text


def main(documents: int) -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    application = QApplication([])
    prepare(application)
    with tempfile.TemporaryDirectory() as home:
        settings = Settings.of(WEBRAG_HOME=Path(home) / "home", EMBEDDING_BACKEND="embedded")
        with open_with(settings) as library, library.documents._database.connection() as conn:
            fill(conn, documents)
        background = Background()
        operations = Operations(settings, background)
        window = MainWindow()
        window.resize(1440, 900)
        connections = Connections(window, operations)
        window.show()
        connections.start()
        typist = Typist(window, operations)
        operations.session.open()
        wait(lambda: bool(typist.listed), PATIENCE)
        operations.documents.list_documents(Listing())
        window.show_view(LIBRARY)
        window.library.filter.setFocus(Qt.FocusReason.OtherFocusReason)
        wait(lambda: False, 2.0)
        rows = []
        for text in TYPED:
            runs = [typist.type(text) for _ in range(ROUNDS)]
            every = [took for run in runs for took in run[0]]
            last = [run[0][-1] for run in runs]
            rows.append(
                [
                    text,
                    f"{runs[0][2]:,}",
                    f"{statistics.median(every):.0f}",
                    f"{statistics.median(run[0][0] for run in runs):.0f}",
                    f"{statistics.median(last):.0f}",
                    f"{max(run[1] for run in runs):.0f}",
                ]
            )
        print(
            table(
                f"Filtering {documents:,} documents as one types",
                ["typed", "left", "median ms", "first letter", "last letter", "loop late ms"],
                rows,
            )
        )
        operations.session.close(10)
        background.stop(5)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS)
