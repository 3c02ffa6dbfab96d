"""Ends the window in an orderly way when the system asks the process to stop."""

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)


class Termination(QObject):
    """Calls ``on_ask`` on the GUI thread at a signal: Python's own handlers only run when Python code does."""

    def __init__(self, on_ask: Callable[[], None], parent: QObject | None = None) -> None:
        """Take over the process's signals until :meth:`release`."""
        super().__init__(parent)
        self._on_ask = on_ask
        self._reading, self._writing = socket.socketpair()
        self._writing.setblocking(False)
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._asked)
        self._woken_before = signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _heard) for number in SIGNALS}

    def _asked(self) -> None:
        self._reading.recv(64)
        self._on_ask()

    def release(self) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._woken_before)
        self._notifier.setEnabled(False)
        self._reading.close()
        self._writing.close()


def _heard(_number: int, _frame: FrameType | None) -> None:
    """Nothing: the byte written to the socket does the work."""
