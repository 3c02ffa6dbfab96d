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
        self._then: Callable[[], None] = _nothing
        self._turns = self._timer(self._turn)
        self._end = self._timer(self._finish)

    def _timer(self, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(slot)
        return timer

    def start(self, steps: Iterator[object], then: Callable[[], None]) -> None:
        """Take the steps, then call ``then`` in a turn of its own, also after a step that failed."""
        self.stop()
        self._steps, self._then = steps, then
        self._turns.start()

    def stop(self) -> None:
        """Leave the rest undone; ``then`` is not called."""
        self._then = _nothing
        self._turns.stop()
        self._end.stop()

    def _turn(self) -> None:
        end = time.perf_counter() + SLICE_SECONDS
        try:
            for _step in self._steps:
                if time.perf_counter() >= end:
                    self._turns.start()
                    return
        finally:
            if not self._turns.isActive():
                self._end.start()

    def _finish(self) -> None:
        then, self._then = self._then, _nothing
        then()


def _nothing() -> None:
    pass
