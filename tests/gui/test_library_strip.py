import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.support.documents import batch
from webrag_desktop.gui.library.progress_strip import ProgressStrip

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
LONG = 600_000


def make(qtbot: QtBot, gone_after: int = LONG) -> ProgressStrip:
    strip = ProgressStrip(gone_after=gone_after)
    qtbot.addWidget(strip)
    return strip


def said(strip: ProgressStrip) -> list[str]:
    return [label.text() for label in strip.findChildren(QLabel) if label.isVisibleTo(strip) and label.text()]


def buttons(strip: ProgressStrip) -> dict[str, QPushButton]:
    return {one.text(): one for one in strip.findChildren(QPushButton) if one.isVisibleTo(strip)}


def test_it_says_what_is_done_how_fast_and_what_is_left(application: QApplication, qtbot: QtBot) -> None:
    strip = make(qtbot)
    assert not strip.isVisible()
    strip.show_batch(batch())
    assert said(strip) == [
        "Indexing 126 documents",
        "4.2 per minute, about 20 minutes left",
        "38 ready",
        "3 working",
        "83 waiting",
        "2 failed",
    ]
    assert strip.accessibleName() == (
        "Indexing 126 documents. 4.2 per minute, about 20 minutes left. "
        "38 ready, 3 working, 83 waiting, 2 failed"
    )
    assert list(buttons(strip)) == ["Pause", "Cancel"]
    assert buttons(strip)["Cancel"].toolTip() == (
        "Stops 86 documents. What is ready is kept, and the rest can be tried again."
    )


@pytest.mark.parametrize(
    ("per_minute", "seconds", "words"),
    [
        (None, None, "Measuring speed"),
        (4.25, None, "4.3 per minute"),
        (44.0, 20.0, "44 per minute, less than a minute left"),
        (9.0, 61.0, "9.0 per minute, about a minute left"),
        (1.0, 7200.0, "1.0 per minute, about 2 hours left"),
    ],
)
def test_pace_in_words(
    application: QApplication, qtbot: QtBot, per_minute: float | None, seconds: float | None, words: str
) -> None:
    strip = make(qtbot)
    strip.show_batch(batch(per_minute=per_minute, seconds_left=seconds))
    assert said(strip)[1] == words


def test_paused(application: QApplication, qtbot: QtBot) -> None:
    strip = make(qtbot)
    strip.show_batch(batch(paused=True))
    assert said(strip)[:2] == ["Paused, 86 documents to go", "What is ready can be searched."]
    assert list(buttons(strip)) == ["Resume", "Cancel"]


def test_it_goes_away_after_a_good_end(application: QApplication, qtbot: QtBot) -> None:
    strip = make(qtbot, gone_after=1)
    strip.show_batch(batch(working=1, waiting=0, failed=0))
    strip.show_batch(batch(ready=39, working=0, waiting=0, failed=0))
    assert said(strip)[0] == "39 documents indexed"
    strip.show_batch(None)
    assert strip.isVisible(), "it is read first"
    qtbot.waitUntil(lambda: not strip.isVisible())
    strip.show_batch(batch())
    assert strip.isVisible()


def test_it_stays_where_something_failed_until_it_is_dismissed(
    application: QApplication, qtbot: QtBot
) -> None:
    strip = make(qtbot, gone_after=1)
    strip.show_batch(batch())
    ended = batch(ready=124, working=0, waiting=0)
    strip.show_batch(ended)
    strip.show_batch(None)
    QTest.qWait(20)
    assert strip.isVisible()
    assert said(strip)[0] == "Indexing ended, 2 documents failed"
    assert list(buttons(strip)) == ["Dismiss"]
    QTest.mouseClick(buttons(strip)["Dismiss"], Qt.MouseButton.LeftButton)
    strip.show_batch(ended)
    assert not strip.isVisible(), "it was dismissed"
    strip.show_batch(batch(ready=124, working=1, waiting=0))
    assert strip.isVisible()


def test_when_the_rest_is_cancelled_it_leaves_at_once(application: QApplication, qtbot: QtBot) -> None:
    strip = make(qtbot)
    strip.show_batch(batch())
    strip.show_batch(None)
    assert not strip.isVisible()


def test_a_finished_strip_does_not_leave_while_the_pointer_is_over_the_rows_below(qtbot: QtBot) -> None:
    below = QWidget()
    qtbot.addWidget(below)
    strip = ProgressStrip(below, gone_after=1)
    qtbot.addWidget(strip)
    timer = strip.findChild(QTimer)
    assert timer is not None
    fired = QSignalSpy(timer.timeout)
    below.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
    strip.show_batch(batch(working=1, waiting=0, failed=0))
    strip.show_batch(batch(ready=39, working=0, waiting=0, failed=0))
    qtbot.waitUntil(lambda: fired.count() >= 3)
    assert strip.isVisible()
    below.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    qtbot.waitUntil(lambda: not strip.isVisible())
