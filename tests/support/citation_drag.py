"""Drags the first citation below the third with a real mouse, as a program of its own.

The offscreen platform of the other tests ends every drag at once; the "minimal" one carries it out. Prints the
number asked for, then the numbers as they are shown.
"""

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.support.shown import citations
from webrag_desktop.gui.views.citations import CitationsView

_LEFT, _NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def drag_first_below_third() -> None:
    """Press, pull, let go; the nested loop of the drag runs the rest of the gesture."""
    application = QApplication([])
    font = application.font()
    font.setPixelSize(13)
    application.setFont(font)
    view = CitationsView()
    view.resize(568, 700)
    view.show()
    view.show_citations(citations())
    view.move_requested.connect(lambda move: print(move.position))
    assert QTest.qWaitForWindowExposed(view)
    _gesture(view)
    print(*(row.number for row in view.list.citations.rows))


def _gesture(view: CitationsView) -> None:
    window = view.windowHandle()
    assert window is not None
    rows, viewport = view.list, view.list.viewport()

    def at(row: int, below: int) -> QPoint:
        rect = rows.visualRect(rows.citations.index(row))
        return viewport.mapTo(view, QPoint(rect.center().x(), rect.center().y() + below))

    def finish() -> None:
        end = at(2, 10)
        QTest.mouseMove(window, end - QPoint(0, 2))
        QTest.mouseMove(window, end)
        QTest.mouseRelease(window, _LEFT, _NO_KEYS, end)

    start = at(0, 0)
    QTest.mousePress(window, _LEFT, _NO_KEYS, start)
    QTimer.singleShot(0, finish)
    for step in (5, 30):
        QTest.mouseMove(window, start + QPoint(0, step))
        QApplication.processEvents()


if __name__ == "__main__":
    drag_first_below_third()
