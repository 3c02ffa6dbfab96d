"""Qt objects in cycles are destroyed on the GUI thread, whoever allocates."""

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.shell import garbage as module
from webrag_desktop.gui.shell.garbage import GarbageOnGuiThread

PATIENCE = 20.0


@pytest.fixture
def garbage(qtbot: QtBot) -> Iterator[GarbageOnGuiThread]:
    taken_over = GarbageOnGuiThread()
    yield taken_over
    taken_over.release()


class _Cycle:
    """A running timer that nobody needs any more, in a cycle."""

    def __init__(self, destroyed_by: list[threading.Thread]) -> None:
        self.timer = QTimer()
        self.timer.start(60_000)
        self.me = self
        weakref.finalize(self, lambda: destroyed_by.append(threading.current_thread()))


def test_garbage_is_collected_on_the_gui_thread_while_threads_allocate(
    garbage: GarbageOnGuiThread, qtbot: QtBot
) -> None:
    destroyed_by: list[threading.Thread] = []
    for _ in range(20):
        _Cycle(destroyed_by)

    kept: list[object] = []
    allocating = threading.Thread(target=lambda: kept.extend([number] for number in range(200_000)))
    allocating.start()
    allocating.join(PATIENCE)
    assert not destroyed_by
    qtbot.waitUntil(lambda: len(destroyed_by) == 20)
    assert set(destroyed_by) == {threading.main_thread()}


def test_young_garbage_goes_when_the_event_loop_is_about_to_wait(
    garbage: GarbageOnGuiThread, qtbot: QtBot
) -> None:
    gone: list[threading.Thread] = []
    _Cycle(gone)
    kept = [QObject() for _ in range(gc.get_threshold()[0] + 100)]
    qtbot.waitUntil(lambda: bool(gone))
    assert len(kept) > gc.get_threshold()[0]


def test_full_collections_are_rare(
    garbage: GarbageOnGuiThread, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "get_count", lambda: (800, 20, 20))
    monkeypatch.setattr(gc, "collect", lambda generation=2: collected.append(generation))
    garbage.collect()
    assert collected == [1]
    monkeypatch.setattr(module, "FULL_SECONDS", 0.0)
    garbage.collect()
    assert collected == [1, 2]


def test_python_collects_again_once_it_is_released(qtbot: QtBot) -> None:
    taken_over = GarbageOnGuiThread()
    assert not gc.isenabled()
    taken_over.release()
    assert gc.isenabled()
