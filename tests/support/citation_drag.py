"""Drags the first citation below the third with a real mouse, as a program of its own.

The offscreen platform of the other tests ends every drag at once; the "minimal" one carries it out. Prints the
number asked for, then the numbers as they are shown.
"""

import sys

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.support.shown import citations
from webrag_desktop.gui.citations.citation_list import CitationList
from webrag_desktop.gui.kit.theme.colours import prepare

_LEFT, _NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class DraggedList(CitationList):
    """Lets the mouse go on and drop as soon as the drag has taken over."""

    def startDrag(self, actions: Qt.DropAction) -> None:
        QTimer.singleShot(0, self._finish)
        super().startDrag(actions)

    def _finish(self) -> None:
        end = self.at(2) + QPoint(0, 10)
        for place in (end - QPoint(0, 2), end):
            QTest.mouseMove(self.windowHandle(), place)
        QTest.mouseRelease(self.windowHandle(), _LEFT, _NO_KEYS, end)

    def pull(self) -> None:
        """Press on the first row and pull far enough for a drag."""
        start = self.at(0)
        QTest.mousePress(self.windowHandle(), _LEFT, _NO_KEYS, start)
        for step in (5, 30):
            QTest.mouseMove(self.windowHandle(), start + QPoint(0, step))
        QApplication.processEvents()

    def at(self, row: int) -> QPoint:
        """The middle of a row, in the window."""
        return self.viewport().mapTo(self, self.visualRect(self.citations.index(row)).center())


def drag_first_below_third() -> None:
    """Press, pull, let go, and tell what was asked for."""
    application = QApplication([])
    prepare(application)
    rows = DraggedList()
    rows.resize(568, 700)
    rows.show_citations(citations())
    rows.move_requested.connect(lambda move: sys.stdout.write(f"{move.position}\n"))
    rows.show()
    QTest.qWaitForWindowExposed(rows)
    rows.pull()
    sys.stdout.write(" ".join(str(row.number) for row in rows.citations.rows) + "\n")


if __name__ == "__main__":
    drag_first_below_third()
