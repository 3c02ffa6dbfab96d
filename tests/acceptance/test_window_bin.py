"""The bin in the window, on a real library: cited pages are removed, restored, and added again."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program
from tests.support.drags import drop, uri_list
from tests.support.pages import PageServer
from tests.support.photographer import Photographing
from tests.support.window_under_test import LONG, Opener, Seen, ask, cite_best, settings_of, wait_ready
from webrag_desktop.gui.data.view_data import CitationRow, CitationState, Listing
from webrag_desktop.gui.library.dialogs.removal_dialog import RemovalDialog
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH

LIMPETS, TERNS = "/limpets", "/terns"
PAGES = {
    LIMPETS: (
        "<!doctype html><html lang=en><title>How limpets keep house</title><main><h1>How limpets keep house</h1>"
        "<p>A limpet grinds a scar into its rock and returns to that scar before every low tide.</p>"
        "<h2>Feeding</h2><p>It grazes within a metre of home, and finds the way back by its own trail.</p></main>"
    ),
    TERNS: (
        "<!doctype html><html lang=en><title>Terns of the sand bar</title><main><h1>Terns of the sand bar</h1>"
        "<p>Arctic terns lay two eggs in a bare scrape of sand, and dive at whoever comes near.</p>"
        "<h2>Passage</h2><p>By August the bar is empty: the whole colony has left for the south.</p></main>"
    ),
}
IN_BIN = "Its source is in the bin. Your copy is kept there."


class Session:
    """What a user does with the bin in one window."""

    def __init__(self, seen: Seen, qtbot: QtBot) -> None:
        self.seen, self.view, self._qtbot = seen, seen.window.view, qtbot

    def wait(self, *, removed: int, ready: int) -> None:
        def settled() -> bool:
            figures = self.seen.figures[-1]
            return (figures.removed, figures.ready, figures.waiting) == (removed, ready, 0)

        self._qtbot.waitUntil(settled, timeout=LONG)

    def wait_for_citation(self, number: int, state: CitationState, explanation: str | None) -> CitationRow:
        def is_so() -> bool:
            row = self.seen.citations[-1][number - 1]
            return (row.state, row.explanation) == (state, explanation)

        self._qtbot.waitUntil(is_so, timeout=LONG)
        return self.seen.citations[-1][number - 1]

    def choose(self, title: str) -> None:
        """Bring the keyboard to a document of the list that is shown."""
        listed = self.view.library.list

        def row() -> int:
            rows = range(listed.model().rowCount())
            return next((at for at in rows if title in str(listed.model().index(at, 0).data())), -1)

        self._qtbot.waitUntil(lambda: row() >= 0, timeout=LONG)
        listed.setFocus()
        listed.choose(row())

    def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self.view.library.list, key)

    def asked(self) -> RemovalDialog:
        """The question that Delete leads to."""
        self.press(Qt.Key.Key_Delete)
        self._qtbot.waitUntil(
            lambda: isinstance(QApplication.activeModalWidget(), RemovalDialog), timeout=LONG
        )
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, RemovalDialog)
        return dialog

    def confirm(self, dialog: RemovalDialog) -> None:
        """Do what is asked about; then the window has the keyboard again."""
        QTest.mouseClick(dialog.confirm_button, Qt.MouseButton.LeftButton)
        self.view.activateWindow()  # the offscreen platform does not
        self._qtbot.waitUntil(self.view.isActiveWindow, timeout=LONG)

    def open_bin(self) -> None:
        """Choose the bin in the sidebar."""
        entries = self.view.sidebar.entries
        index: QModelIndex = entries.index_of(("bin", None))
        assert index.isValid()
        self.view.sidebar.list.setFocus()
        self.view.sidebar.list.setCurrentIndex(index)
        self._qtbot.waitUntil(lambda: self.view.library.list.listing.group == "bin", timeout=LONG)

    def open_all(self) -> None:
        """Choose all documents in the sidebar."""
        self.view.sidebar.list.setCurrentIndex(self.view.sidebar.entries.index_of(("all", None)))
        self._qtbot.waitUntil(lambda: self.view.library.list.listing == Listing(), timeout=LONG)

    def shows_verbatim(self, citation: CitationRow) -> None:
        """The citation names characters that its document's own text holds."""
        assert citation.version_id is not None
        version = self.seen.library.documents.version(citation.version_id)
        assert version is not None
        assert version.markdown[citation.char_start : citation.char_end] == citation.verbatim


def test_a_removed_page_with_citations_comes_back(
    opened: Opener, home: Program, photographer: Photographing, qtbot: QtBot
) -> None:
    seen = opened(settings_of(home.home))
    qtbot.waitUntil(lambda: bool(seen.figures), timeout=LONG)
    view, camera = seen.window.view, photographer(seen)
    user = Session(seen, qtbot)
    with PageServer(dict(PAGES)) as site:
        assert drop(view, uri_list(site.url(LIMPETS), site.url(TERNS)))
        wait_ready(qtbot, seen, 2)
        for question, part in (
            ("where does a limpet return to", "scar"),
            ("where do terns lay eggs", "eggs"),
        ):
            ask(qtbot, seen, question)
            cite_best(qtbot, seen, part)
        first, second = seen.citations[-1]

        # A cited page is removed once it is confirmed; its citation stays, and can be read.
        view.show_view(LIBRARY)
        user.choose("limpets")
        asking = user.asked()
        assert "1 citation: it stays" in asking.text
        assert "for 30 days" in asking.text
        camera.take("bin-asked", asking)
        user.confirm(asking)
        user.wait(removed=1, ready=1)
        user.wait_for_citation(1, CitationState.EXACT, IN_BIN)

        # It is in the sidebar's bin, and restored as it was, with its citation.
        user.open_bin()
        user.choose("limpets")
        camera.take("bin-listed")
        user.press(Qt.Key.Key_U)
        user.wait(removed=0, ready=2)
        assert user.wait_for_citation(1, CitationState.EXACT, None) == first
        user.shows_verbatim(first)

        # The other one is removed, and its address added again.
        user.open_all()
        user.choose("Terns")
        user.confirm(user.asked())
        user.wait(removed=1, ready=1)
        view.show_view(RESEARCH)
        empty = view.research.results._empty
        qtbot.waitUntil(lambda: empty.accessibleName() == "What was found is removed.", timeout=LONG)
        camera.take("bin-cited")
        view.show_view(LIBRARY)
        assert drop(view, uri_list(site.url(TERNS)))
        user.wait(removed=0, ready=2)
        user.shows_verbatim(user.wait_for_citation(2, CitationState.EXACT, None))

        # Deleted for good, it loses its citation, until its address is added again.
        user.choose("Terns")
        user.confirm(user.asked())
        user.wait(removed=1, ready=1)
        user.open_bin()
        user.choose("Terns")
        last = user.asked()
        assert "This cannot be undone." in last.text
        camera.take("bin-for-good", last)
        user.confirm(last)
        user.wait(removed=0, ready=1)
        lost = user.wait_for_citation(2, CitationState.LOST, "The document was deleted. The quote is kept.")
        assert (lost.document_id, lost.quote) == (None, second.quote)
        assert drop(view, uri_list(site.url(TERNS)))
        user.wait(removed=0, ready=2)
        found = user.wait_for_citation(2, CitationState.EXACT, None)
    assert found.document_id not in {None, second.document_id}
    user.shows_verbatim(found)
    camera.take("bin-added-again")
