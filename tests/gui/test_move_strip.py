"""The strip about the library's embedding space: what it says, and what its buttons ask for."""

from dataclasses import replace
from datetime import datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from tests.support.whole_window import Shown
from webrag_desktop.gui.data.upkeep import MoveOffer, MoveProgress
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.maintenance.move_strip import MoveStrip
from webrag_desktop.gui.shell.main_window import LIBRARY

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
LEFT = Qt.MouseButton.LeftButton
OFFER = MoveOffer("nomic-embed-text", "bge-m3")
MOVE = MoveProgress(1, "bge-m3", "moving", 312, 1284)


@pytest.fixture
def strip(application: QApplication, qtbot: QtBot) -> MoveStrip:
    made = MoveStrip()
    qtbot.addWidget(made)
    made.resize(800, 80)
    return made


def shown(strip: MoveStrip) -> list[str]:
    return [one.text() for one in strip.findChildren(QPushButton) if not one.isHidden()]


def test_an_offer_can_be_taken_or_put_off(strip: MoveStrip, qtbot: QtBot) -> None:
    assert strip.isHidden()
    strip.show_offer(OFFER)
    assert strip.isVisible()
    assert strip.accessibleName().startswith(
        "Your settings ask for bge-m3. Your library was made with nomic-embed-text."
    )
    assert shown(strip) == ["Move", "Not now"]
    with qtbot.waitSignal(strip.begin_requested):
        QTest.mouseClick(strip.begin_button, LEFT)
    strip.later_button.setFocus()
    QTest.keyClick(strip.later_button, Qt.Key.Key_Space)
    assert strip.isHidden()
    strip.show_offer(OFFER)
    assert strip.isHidden()  # it was put off
    strip.show_offer(MoveOffer("nomic-embed-text", "another"))
    assert strip.isVisible()
    strip.show_offer(OFFER)
    strip.show_again()
    assert strip.isVisible()
    strip.show_offer(None)
    assert strip.isHidden()


def test_an_offer_tells_of_the_download_that_it_begins_with(strip: MoveStrip) -> None:
    strip.show_offer(MoveOffer("nomic-embed-text", "the tokenizer BAAI/bge-m3", "https://huggingface.co"))
    assert strip.accessibleName() == (
        "Your settings ask for the tokenizer BAAI/bge-m3. Your library was made with nomic-embed-text. "
        "Moving downloads the tokenizer from https://huggingface.co first."
    )
    assert shown(strip) == ["Move", "Not now"]


@pytest.mark.parametrize(
    ("move", "said", "buttons"),
    [
        (
            MOVE,
            "Moving to bge-m3. 312 of 1,284 documents. Searching goes on as before.",
            ["Pause", "Cancel"],
        ),
        (
            replace(MOVE, held=True),
            "Moving to bge-m3. 312 of 1,284 documents. Indexing is paused, and the move with it.",
            ["Pause", "Cancel"],
        ),
        (
            replace(MOVE, done=1284),
            "Moving to bge-m3. 1,284 of 1,284 documents. The last step takes a moment.",
            ["Pause", "Cancel"],
        ),
        (
            replace(MOVE, state="paused"),
            "The move to bge-m3 is paused. 312 of 1,284 documents. Searching goes on as before.",
            ["Resume", "Cancel"],
        ),
    ],
)
def test_a_move_is_reported_in_words(
    strip: MoveStrip, move: MoveProgress, said: str, buttons: list[str]
) -> None:
    strip.show_offer(OFFER)
    strip.show_move(move)
    assert strip.accessibleName() == said
    assert shown(strip) == buttons
    (bar,) = strip.findChildren(BusyBar)
    assert bar.accessibleName() in said
    strip.show_move(None)
    assert shown(strip) == ["Move", "Not now"]


def test_a_move_that_waits_says_why_and_until_when(strip: MoveStrip, qtbot: QtBot) -> None:
    until = datetime.now().astimezone().replace(hour=23, minute=59)
    strip.show_move(
        replace(MOVE, state="waiting", problem="Ollama does not answer.", hint="Start it.", waits_until=until)
    )
    assert strip.accessibleName() == (
        "The move to bge-m3 waits. 312 of 1,284 documents. Ollama does not answer. Start it. "
        "It is tried again at 23:59."
    )
    assert shown(strip) == ["Try now", "Cancel"]
    with qtbot.waitSignal(strip.resume_requested):
        QTest.mouseClick(strip.hold_button, LEFT)
    strip.show_move(MOVE)
    with qtbot.waitSignal(strip.pause_requested):
        QTest.mouseClick(strip.hold_button, LEFT)
    with qtbot.waitSignal(strip.cancel_requested):
        QTest.mouseClick(strip.cancel_button, LEFT)


def test_the_window_offers_steers_and_shows_it(application: QApplication, qtbot: QtBot) -> None:
    window = Shown(qtbot)
    window.fill()
    strip, moving = window.window.library.move_strip, window.do.part("moving")
    moving.offered.emit(OFFER)
    assert strip.isVisible()
    strip.later_button.click()
    window.window.show_view(LIBRARY + 1)
    window.connections.settings.move_wanted.emit()
    assert window.window.view == LIBRARY
    assert strip.isVisible()
    assert window.do.calls_of("moving.compare") == [(True,)]
    for press, asked in (
        (strip.begin_button, "moving.begin"),
        (strip.hold_button, "moving.pause"),
        (strip.cancel_button, "moving.cancel"),
    ):
        press.click()
        moving.progress.emit(MOVE)
        assert window.do.calls_of(asked) == [()]
    moving.progress.emit(replace(MOVE, state="paused"))
    strip.hold_button.click()
    assert window.do.calls_of("moving.resume") == [()]
    window.end()
