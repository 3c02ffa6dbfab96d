"""Qt objects in cycles are destroyed on the GUI thread, whoever allocates."""

import gc
import threading
import time
import weakref

import pytest
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.conftest import GUI_GARBAGE
from webrag_desktop.gui.kit.theme.colours import styled_at_once
from webrag_desktop.gui.shell import process as module
from webrag_desktop.gui.shell.process import GarbageOnGuiThread

PATIENCE = 20.0


@pytest.fixture
def garbage(qtbot: QtBot, pytestconfig: pytest.Config) -> GarbageOnGuiThread:
    """The one that all tests of the window run with."""
    return pytestconfig.stash[GUI_GARBAGE]


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
    monkeypatch.setattr(garbage, "_full_at", time.monotonic())
    monkeypatch.setattr(gc, "get_count", lambda: (800, 20, 20))
    monkeypatch.setattr(gc, "collect", lambda generation=2: collected.append(generation))
    garbage.collect()
    assert collected == [1]
    monkeypatch.setattr(module, "FULL_SECONDS", 0.0)
    garbage.collect()
    assert collected == [1, 2]


class _Restyled(QWidget):
    """Makes more than enough for a collection whenever Qt gives it another style."""

    made = 0

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            _Restyled.made = len([[number] for number in range(50_000)])
        super().changeEvent(event)


def test_nothing_is_collected_while_every_widget_gets_another_style_sheet(
    garbage: GarbageOnGuiThread, qtbot: QtBot, application: QApplication
) -> None:
    """Qt goes through a list of all widgets meanwhile, in which none may be destroyed."""
    gone: list[threading.Thread] = []
    window = _Restyled()
    qtbot.addWidget(window)
    for _ in range(20):
        _Cycle(gone)
    with styled_at_once():
        pass
    assert _Restyled.made
    assert not gone
    kept = [[number] for number in range(gc.get_threshold()[0] + 100)]
    qtbot.waitUntil(lambda: len(gone) == 20)
    assert len(kept) > gc.get_threshold()[0]


def test_python_collects_again_once_it_is_released(
    garbage: GarbageOnGuiThread, pytestconfig: pytest.Config
) -> None:
    assert not gc.isenabled()
    garbage.release()
    try:
        assert gc.isenabled()
    finally:
        pytestconfig.stash[GUI_GARBAGE] = GarbageOnGuiThread()
    assert not gc.isenabled()
