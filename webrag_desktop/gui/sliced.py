"""Work of the GUI thread that is longer than a moment, done a little in every turn of the event loop."""

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

SLICE_SECONDS = 0.004  # a quarter of a frame at 60 Hz


class Sliced(QObject):
    """Runs one iterator at a time, for about four milliseconds a turn; a new one replaces the present one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: Iterator[object] = iter(())
        self._then: Callable[[], None] | None = None
        self._turns = QTimer(self)
        self._turns.setSingleShot(True)
        self._turns.timeout.connect(self._turn)

    def start(self, steps: Iterator[object], then: Callable[[], None]) -> None:
        """Take the steps, then call ``then`` in a turn of its own."""
        self._steps, self._then = steps, then
        self._turns.start()

    def stop(self) -> None:
        """Leave the rest undone; ``then`` is not called."""
        self._then = None
        self._turns.stop()

    def _turn(self) -> None:
        end = time.perf_counter() + SLICE_SECONDS
        for _step in self._steps:
            if time.perf_counter() >= end:
                self._turns.start()
                return
        then, self._then = self._then, None
        if then is not None:
            QTimer.singleShot(0, self, then)
