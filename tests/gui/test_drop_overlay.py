"""Drops land wherever they are let go, also over text fields that would like to have them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.support.drags import drag_away, drag_over, drop, link_of_firefox, plain_text, uri_list
from webrag_desktop.gui.dropped import Dropped
from webrag_desktop.gui.views.drop_overlay import DropOverlay, DropTarget

ADDRESS = "https://example.org/page"


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
    shown: Shown, picture: Callable[[QWidget, str], Path]
) -> None:
    assert drag_over(shown.window, uri_list(ADDRESS, ADDRESS + "2"))
    assert shown.overlay.isVisible()
    assert shown.overlay.accessibleName() == "Release to add 2 links."
    picture(shown.window, "part-drop")
    drag_away(shown.window)
    assert shown.overlay.isHidden()
    assert shown.got == []


def test_what_cannot_be_added_is_told_and_not_taken(shown: Shown) -> None:
    assert not drag_over(shown.window, plain_text("just words"))
    assert shown.overlay.accessibleName() == "There is no link or file in this."
    assert not drop(shown.window, plain_text("just words"))
    assert shown.got == []


def test_an_empty_drag_is_survived(shown: Shown) -> None:
    assert not drop(shown.window, QMimeData())
