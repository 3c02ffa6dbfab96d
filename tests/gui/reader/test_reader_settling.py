"""The marker that settles: it alone is painted again, wholly, and all around it stays as it was."""

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, QVariantAnimation
from PySide6.QtGui import QImage, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.reader import COILS, show, span
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.gui.reader.text import ReaderText


class Painted(QObject):
    """Notes which parts of a widget are painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.areas: list[QRect] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.areas.append(event.rect())
        return super().eventFilter(watched, event)


@pytest.fixture
def settling(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> ReaderText:
    """A reader whose marker has just appeared, and stands still in the middle of its motion."""
    show(view, qtbot, document)
    view.show_span(span(document, COILS))
    text = view._text
    text._settling.pause()
    QApplication.processEvents()
    assert text._settling.state() == QVariantAnimation.State.Paused
    return text


def on_screen(view: QWidget) -> QImage:
    """What a widget shows by now, without painting it again."""
    return view.screen().grabWindow(view.winId()).toImage()


def differing(one: QImage, other: QImage) -> QRect:
    """The smallest rectangle in which two pictures differ."""
    found = QRect()
    for y in range(one.height()):
        for x in range(one.width()):
            if one.pixel(x, y) != other.pixel(x, y):
                found |= QRect(x, y, 1, 1)
    return found


def test_a_step_of_the_motion_paints_the_marker_and_nothing_else(settling: ReaderText, qtbot: QtBot) -> None:
    viewport, motion = settling.viewport(), settling._settling
    painted = Painted(viewport)
    for part in (0.3, 0.9):
        painted.areas.clear()
        motion.setCurrentTime(round(motion.duration() * part))
        qtbot.waitUntil(lambda: bool(painted.areas))
        (area,) = painted.areas
        assert area == settling._settling_area() & viewport.rect()
        assert area.height() < viewport.height() / 2


def test_what_a_step_paints_is_all_that_changes(settling: ReaderText, view: ReaderView, qtbot: QtBot) -> None:
    viewport, motion = settling.viewport(), settling._settling
    motion.setCurrentTime(0)
    QApplication.processEvents()
    swollen = viewport.grab().toImage()
    painted = Painted(viewport)
    motion.setCurrentTime(motion.duration() - 1)
    qtbot.waitUntil(lambda: bool(painted.areas))
    changed = differing(swollen, viewport.grab().toImage())
    assert not changed.isEmpty()
    assert painted.areas[0].contains(changed)
    assert differing(on_screen(view), view.grab().toImage()).isEmpty()
