"""The bin of a real library in the real window: filtered as one types, sorted by its header, grouped by its menu."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.gui_library import MILLISECONDS, Address, Heard, paused_operations, settings_for
from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.window import Connections
from webrag_desktop.gui.shell.main_window import MainWindow
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]
FLUSS, KANAL, REPORT = "Ein Mu\u0308ller am Fluss", "Zwei M\u00fcller am Kanal", "Bericht"
PAGES = {KANAL: "https://b.example/", FLUSS: "https://a.example/", REPORT: "https://c.example/muell.pdf"}


@pytest.fixture
def address(clone: Clone, migrated_template: str) -> Address:
    """A library with three documents that were written as the worker does."""
    made = clone(migrated_template)
    database = Database(made)
    library = SyntheticLibrary(database)
    for title, url in PAGES.items():
        library.add(url, [Section([Passage("one")])], title=title)
    with database.connection() as conn:
        conn.execute("UPDATE sources SET state = 'ready'")
        conn.execute("UPDATE documents SET doc_type = 'pdf' WHERE title = %s", [REPORT])
    database.close()
    return made


@pytest.fixture
def do(address: Address, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with paused_operations(settings_for(address, tmp_path / "home"), qtbot) as made:
        yield made


@pytest.fixture
def window(application: QApplication, do: Operations, qtbot: QtBot) -> Iterator[MainWindow]:
    made = MainWindow()
    qtbot.addWidget(made)
    made.resize(1440, 900)
    connections = Connections(made, do)
    with qtbot.waitExposed(made):
        made.show()
    connections.start()
    made.activateWindow()
    yield made
    do.undo.finish_all()
    made.hide()


def lines(window: MainWindow) -> list[str]:
    """What the lines of the list say, heads of groups too."""
    documents = window.library.list.documents
    heads = {at: documents.group_at(at) for at in range(documents.rowCount())}
    return [str(head.group.value if head else documents.index(at, 0).data()) for at, head in heads.items()]


def test_the_bin_is_filtered_sorted_and_grouped(window: MainWindow, do: Operations, qtbot: QtBot) -> None:
    (library,) = do.session._libraries._open
    assert library.documents.remove_all(library.documents.listing()) == 3
    entries, listed = window.sidebar.entries, window.library.list

    def shows(*wanted: str) -> None:
        qtbot.waitUntil(lambda: lines(window) == list(wanted), timeout=MILLISECONDS)

    qtbot.waitUntil(lambda: entries.index_of(("bin", None)).isValid(), timeout=MILLISECONDS)
    window.sidebar.list.setFocus()
    window.sidebar.list.setCurrentIndex(entries.index_of(("bin", None)))
    qtbot.waitUntil(lambda: listed.listing.group == "bin", timeout=MILLISECONDS)
    listed.columns.sort_asked.emit("title", False)
    qtbot.waitUntil(lambda: listed.listing.sort == "title", timeout=MILLISECONDS)
    shows(REPORT, FLUSS, KANAL)

    window.library.focus_filter()
    for typed in ("muller", "M\u00dcLLER", "mu\u0308ller"):
        window.library.filter.insert(typed)  # which QTest cannot type
        shows(FLUSS, KANAL)
        QTest.keyClicks(window.library.filter, " b.ex")
        shows(KANAL)
        QTest.keyClick(window.library.filter, Qt.Key.Key_Escape)
        shows(REPORT, FLUSS, KANAL)
    assert window.library.filter.text() == ""

    qtbot.waitUntil(lambda: listed.listing.containing == "", timeout=MILLISECONDS)
    listed.listing_wanted.emit(replace(listed.listing, grouping="kind"))
    shows("html", FLUSS, KANAL, "pdf", REPORT)
    QTest.keyClicks(window.library.filter, "bericht")
    shows("pdf", REPORT)
    assert listed.listing == Listing(
        "bin", sort="title", descending=False, grouping="kind", containing="bericht"
    )


def test_the_palette_finds_a_title_without_its_accents(do: Operations, qtbot: QtBot) -> None:
    found = Heard(do.finding.documents)
    for typed in ("muller kanal", "M\u00fcller kan", "KANAL mu\u0308ll"):
        with qtbot.waitSignal(do.finding.documents, timeout=MILLISECONDS):
            do.finding.find(typed)
        assert [row.title for row in found.last] == [KANAL]
