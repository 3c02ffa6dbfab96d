"""The whole window on operations that only note what they are asked for."""

from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.documents import REPORT, SIGN_IN
from tests.support.shown import QUESTION, results
from tests.support.window_operations import StandInOperations
from webrag_desktop.gui.data.view_data import Listing, SearchResults
from webrag_desktop.gui.library.operations.document_rows import Listed
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.window import Connections
from webrag_desktop.gui.shell.main_window import MainWindow

PLAIN = Qt.KeyboardModifier.NoModifier
ROWS = (REPORT, SIGN_IN)


class Shown:
    """A window with its connections, and what it asks for."""

    def __init__(self, qtbot: QtBot) -> None:
        self.do = StandInOperations()
        self.qtbot = qtbot
        self.window = MainWindow()
        qtbot.addWidget(self.window)
        self.window.resize(1440, 900)
        self.connections = Connections(self.window, cast("Operations", self.do))
        with qtbot.waitExposed(self.window):
            self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(self.window.isActiveWindow)
        self.connections.start()

    def end(self) -> None:
        """Forget what can be undone, and hide: closing is the application's, and the mouse of a later test
        would find the window.
        """
        self.do.undo.finish_all()
        self.window.hide()

    def fill(self) -> None:
        """Two documents come, one of them selected."""
        self.do.part("documents").listed.emit(Listed.of(Listing(), tuple(row.id for row in ROWS)))
        self.do.part("documents").rows.emit(ROWS)

    def ask(self, question: str = QUESTION) -> None:
        """Type a question, press Enter, and be answered."""
        self.window.query.focus()
        self.window.query.set_text(question)
        self.press(Qt.Key.Key_Return)
        self.do.part("searching").started.emit(question)
        self.answer(results(query=question))

    def answer(self, given: SearchResults) -> None:
        """An answer comes, and is shown."""
        shown: list[object] = []
        listed = self.window.research.results.list.results
        listed.modelReset.connect(lambda: shown.append(given))
        self.do.part("searching").results.emit(given)
        self.qtbot.waitUntil(lambda: bool(shown))

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifiers)

    def places(self) -> tuple[bool, bool]:
        return self.window.back_button.isEnabled(), self.window.forward_button.isEnabled()
