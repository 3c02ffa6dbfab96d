"""Lists of results as tests drive them: clicked, hovered, and asked for their menus."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, SignalInstance
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QMenu

from webrag_desktop.gui.data.view_data import Passage
from webrag_desktop.gui.research.result_list import ResultList

Key = Qt.Key
Left = Qt.MouseButton.LeftButton
NoModifier = Qt.KeyboardModifier.NoModifier
Control = Qt.KeyboardModifier.ControlModifier


def reported(signal: SignalInstance) -> Callable[[], list[object]]:
    spy = QSignalSpy(signal)
    return lambda: [spy.at(at)[0] for at in range(spy.count())]


def click(view: ResultList, passage: Passage, x: int = 200, y: int = 12) -> None:
    rect = view.visualRect(view.results.find(passage.chunk_id))
    QTest.mouseClick(view.viewport(), Left, NoModifier, rect.topLeft() + QPoint(x, y))


def button_center(view: ResultList, command: str) -> QPoint:
    rect = view.delegate.button_rect(view.currentIndex(), command)
    assert rect is not None
    return rect.center().toPoint()


def double_click(view: ResultList, at: QPoint) -> None:
    QTest.mouseClick(view.viewport(), Left, NoModifier, at)
    QTest.mouseDClick(view.viewport(), Left, NoModifier, at)
    QTest.mouseRelease(view.viewport(), Left, NoModifier, at)


def hover(view: ResultList, at: QPoint) -> None:
    for point in (QPoint(1, 1), at):
        QTest.mouseMove(view.viewport(), point)
        QApplication.processEvents()


def menu_of(view: ResultList) -> QMenu:
    menu = view.menu()
    assert menu is not None
    return menu


def texts(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def trigger(menu: QMenu, text: str) -> None:
    next(action for action in menu.actions() if action.text() == text).trigger()
