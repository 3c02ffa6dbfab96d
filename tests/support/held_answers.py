"""Answers of a library that come later than those that were asked for after them."""

from collections.abc import Callable
from threading import Event

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import MILLISECONDS


class Held:
    """Holds back what a function of a module or class gives first from now on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, where: object, name: str = "ids_of") -> None:
        self.has_read, self._goes_on = Event(), Event()
        self._read: Callable[..., object] = getattr(where, name)

        def hold(*given: object) -> object:  # a function, which becomes a method where it is set on a class
            return self._hold(*given)

        monkeypatch.setattr(where, name, hold)

    def _hold(self, *given: object) -> object:
        found = self._read(*given)
        if not self.has_read.is_set():
            self.has_read.set()
            assert self._goes_on.wait(MILLISECONDS / 1000)
        return found

    def release(self) -> None:
        self._goes_on.set()


def deliver(qtbot: QtBot, held: Held) -> None:
    """Let what was held back arrive, of which nothing is to be seen."""
    held.release()
    qtbot.wait(300)
