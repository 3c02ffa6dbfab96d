"""Work in slices: all of it, in order, with turns for everything else in between; the newest wins."""

import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.session import background
from webrag_desktop.gui.session.background import Sliced


def slow(done: list[int], count: int) -> Iterator[None]:
    for step in range(count):
        time.sleep(background.SLICE_SECONDS)
        done.append(step)
        yield


def test_other_work_gets_its_turn_between_the_slices(application: QApplication, qtbot: QtBot) -> None:
    work, done, ends = Sliced(), list[int](), list[int]()
    between: list[int] = []
    beat = QTimer()
    beat.timeout.connect(lambda: between.append(len(done)))
    beat.start(0)
    work.start(slow(done, 5), lambda: ends.append(len(done)))
    qtbot.waitUntil(lambda: bool(ends))
    assert done == [0, 1, 2, 3, 4]
    assert ends == [5]
    assert set(between) >= {1, 2, 3, 4}


@pytest.mark.parametrize("again", [True, False])
def test_what_is_stopped_or_replaced_never_ends(application: QApplication, qtbot: QtBot, again: bool) -> None:
    work, first, second, ends = Sliced(), list[int](), list[int](), list[str]()
    work.start(slow(first, 500), lambda: ends.append("first"))
    qtbot.waitUntil(lambda: len(first) >= 2)
    if again:
        work.start(slow(second, 2), lambda: ends.append("second"))
        taken = len(first)
        qtbot.waitUntil(lambda: ends == ["second"])
    else:
        work.stop()
        taken = len(first)
    QTimer.singleShot(5 * round(1000 * background.SLICE_SECONDS), lambda: ends.append("later"))
    qtbot.waitUntil(lambda: "later" in ends)
    assert "first" not in ends
    assert len(first) == taken


def test_what_is_stopped_after_its_last_step_does_not_end_either(
    application: QApplication, qtbot: QtBot
) -> None:
    work, ends = Sliced(), list[str]()

    def stop() -> None:
        work.stop()
        ends.append("stopped")

    def steps() -> Iterator[None]:
        yield
        QTimer.singleShot(0, stop)

    work.start(steps(), lambda: ends.append("ended"))
    QTimer.singleShot(20, lambda: ends.append("later"))
    qtbot.waitUntil(lambda: "later" in ends)
    assert "ended" not in ends or ends.index("ended") < ends.index("stopped")


def test_a_step_that_fails_is_reported_and_the_end_comes_all_the_same(
    application: QApplication, qtbot: QtBot
) -> None:
    work, ends = Sliced(), list[int]()

    def steps() -> Iterator[None]:
        yield
        raise ValueError("an odd passage")

    with qtbot.captureExceptions() as reported:
        work.start(steps(), lambda: ends.append(1))
        qtbot.waitUntil(lambda: bool(ends))
    assert [str(error) for _kind, error, _trace in reported] == ["an odd passage"]
