"""Drops land wherever they are let go, also over text fields that would like to have them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.support.drags import drag_away, drag_over, drop, link_of_firefox, plain_text, uri_list
from webrag_desktop.gui.adding.dropped import Dropped
from webrag_desktop.gui.adding.drops import DropOverlay, DropTarget

ADDRESS = "https://example.org/page"
COPY, LEFT, NO_KEYS = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class Shown:
    def __init__(self, qtbot: QtBot) -> None:
        self.window = QMainWindow()
        self.window.resize(900, 600)
        inside = QWidget()
        layout = QVBoxLayout(inside)
        self.line, self.text = QLineEdit(), QPlainTextEdit()
        layout.addWidget(self.line)
        layout.addWidget(self.text)
        self.window.setCentralWidget(inside)
        self.target = DropTarget(self.window)
        self.target.shield()
        self.got: list[Dropped] = []
        self.target.dropped.connect(self.got.append)
        qtbot.addWidget(self.window)
        with qtbot.waitExposed(self.window):
            self.window.show()

    @property
    def overlay(self) -> DropOverlay:
        return self.window.findChildren(DropOverlay)[0]

    def centre(self, widget: QWidget) -> QPoint:
        return widget.mapTo(self.window, widget.rect().center())


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Shown:
    return Shown(qtbot)


@pytest.mark.parametrize("where", ["window", "line", "text"])
def test_a_link_lands_wherever_it_is_let_go(shown: Shown, where: str) -> None:
    place = shown.centre(getattr(shown, where)) if where != "window" else QPoint(3, 3)
    assert drop(shown.window, link_of_firefox(ADDRESS, "A page"), place)
    assert [one.given for one in shown.got] == [(ADDRESS,)]
    assert shown.line.text() == shown.text.toPlainText() == ""
    assert shown.overlay.isHidden()


def test_while_it_hangs_there_one_sentence_says_what_will_happen(
    shown: Shown,
) -> None:
    assert drag_over(shown.window, uri_list(ADDRESS, ADDRESS + "2"))
    assert shown.overlay.isVisible()
    assert shown.overlay.accessibleName() == "Release to add 2 links."
    shown.window.resize(700, 500)
    assert shown.overlay.size() == shown.window.size()
    drag_away(shown.window)
    assert shown.overlay.isHidden()
    assert shown.got == []


def test_what_cannot_be_added_is_reported_and_not_taken(shown: Shown) -> None:
    assert not drag_over(shown.window, plain_text("just words"))
    assert shown.overlay.accessibleName() == "There is no link or file in this."
    assert not drop(shown.window, plain_text("just words"))
    assert shown.got == []


def test_an_empty_drag_is_survived(shown: Shown) -> None:
    assert not drop(shown.window, QMimeData())


def test_a_field_that_came_later_does_not_take_it_either(shown: Shown, qtbot: QtBot) -> None:
    late = QLineEdit(shown.window)
    late.setGeometry(20, 20, 300, 40)
    late.show()
    assert drop(shown.window, plain_text(f"see {ADDRESS}"), shown.centre(late))
    assert late.text() == ""
    assert [one.given for one in shown.got] == [(ADDRESS,)]


@pytest.mark.parametrize("name", ["window", "line"])
def test_drags_sent_to_a_widget_itself_are_taken(shown: Shown, name: str) -> None:
    widget, mime = getattr(shown, name), uri_list(ADDRESS)
    enter = QDragEnterEvent(QPoint(3, 3), COPY, mime, LEFT, NO_KEYS)
    QApplication.sendEvent(widget, enter)
    assert enter.isAccepted()
    assert shown.overlay.isVisible()
    move = QDragMoveEvent(QPoint(4, 4), COPY, mime, LEFT, NO_KEYS)
    QApplication.sendEvent(widget, move)
    assert move.isAccepted()
    QApplication.sendEvent(widget, QDropEvent(QPointF(4, 4), COPY, mime, LEFT, NO_KEYS))
    assert [one.given for one in shown.got] == [(ADDRESS,)]
    assert shown.line.text() == ""


class OwnDrag(QDragEnterEvent):
    """A drag that began in this program."""

    begun_in: QWidget

    def source(self) -> QWidget:
        return self.begun_in


def test_what_is_dragged_within_the_program_is_left_alone(shown: Shown) -> None:
    mime = uri_list(ADDRESS)
    event = OwnDrag(QPoint(3, 3), COPY, mime, LEFT, NO_KEYS)
    event.begun_in = shown.text
    event.ignore()
    QApplication.sendEvent(shown.window, event)
    assert shown.overlay.isHidden()
    assert not event.isAccepted()


def test_what_is_refused_is_reported_beside_what_is_taken(shown: Shown, tmp_path: Path) -> None:
    film = QUrl.fromLocalFile(str(tmp_path / "film.mp4")).toString()
    assert drag_over(shown.window, uri_list(ADDRESS, film))
    assert shown.overlay.accessibleName() == "Release to add 1 link."
    assert shown.overlay.accessibleDescription() == "This kind of file cannot be read: film.mp4"


def test_a_folder_is_taken_to_be_looked_through(shown: Shown, tmp_path: Path) -> None:
    assert drag_over(shown.window, uri_list(QUrl.fromLocalFile(str(tmp_path)).toString()))
    assert shown.overlay.accessibleName() == "Release to see what is in 1 folder."
    assert shown.overlay.accessibleDescription() == "You choose what of it is added."


def test_only_the_named_area_is_covered(application: QApplication, qtbot: QtBot) -> None:
    window = QMainWindow()
    window.resize(600, 400)
    inside, below = QPlainTextEdit(), QLabel("status")
    central = QWidget()
    layout = QVBoxLayout(central)
    layout.addWidget(inside)
    layout.addWidget(below)
    window.setCentralWidget(central)
    target = DropTarget(window, inside)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    with qtbot.waitSignal(target.dropped):
        assert drag_over(window, uri_list(ADDRESS))
        overlay = window.findChildren(DropOverlay)[0]
        assert overlay.geometry() == QRect(inside.mapTo(window, QPoint(0, 0)), inside.size())
        assert drop(window, uri_list(ADDRESS), below.mapTo(window, QPoint(2, 2)))


@pytest.mark.parametrize("dark", [False, True])
def test_pictures(
    shown: Shown, themed: Callable[[bool], None], picture: Callable[[QWidget, str], Path], dark: bool
) -> None:
    themed(dark)
    suffix = "-dark" if dark else ""
    drag_over(shown.window, uri_list(ADDRESS, ADDRESS + "2", ADDRESS + "3"))
    picture(shown.window, f"drop{suffix}")
    drag_away(shown.window)
    drag_over(shown.window, plain_text("just words"))
    picture(shown.window, f"drop-refused{suffix}")
