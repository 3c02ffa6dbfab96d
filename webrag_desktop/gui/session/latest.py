"""The newest of what a thread tells again and again, brought to the GUI thread a few times a second."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from PySide6.QtCore import QTimer

from webrag_desktop.gui.session.background import STEP_SECONDS, Background

T = TypeVar("T")


class Latest(Generic[T]):
    """Unlike steps of work, the last thing told is always shown: what comes faster is put together, never dropped."""

    def __init__(self, background: Background, show: Callable[[T], None]) -> None:
        """Have ``show`` called on the GUI thread, at most twenty times a second. Made and closed on that thread."""
        self._background, self._show = background, show
        self._lock = Lock()
        self._told: list[T] = []  # one at most
        self._is_called = self._is_closed = False
        self._shown_at = -STEP_SECONDS
        self._timer = QTimer(background)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._deliver)

    def tell(self, newest: T) -> None:
        """Have this shown, unless something newer is told before. Any thread."""
        with self._lock:
            self._told = [newest]
            is_first, self._is_called = not self._is_called, True
        if is_first:
            self._background.post(self._call)

    def close(self) -> None:
        """Show nothing any more."""
        if not self._is_closed:
            self._is_closed = True
            self._timer.stop()
            self._timer.deleteLater()

    def _call(self) -> None:
        if self._is_closed:
            return
        wait = self._shown_at + STEP_SECONDS - time.monotonic()
        if wait > 0:
            self._timer.start(round(wait * 1000))
        else:
            self._deliver()

    def _deliver(self) -> None:
        with self._lock:
            told, self._told, self._is_called = self._told, [], False
        self._shown_at = time.monotonic()
        for newest in told:
            self._show(newest)
