"""Qt's start and import hook, signals of the system, and garbage collection, on the GUI thread.

Python collects in any thread that allocates. A Qt object in a reference cycle would then be destroyed in a thread that
it does not belong to; a timer, for example, crashes the process then.
"""

import builtins
import gc
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from types import FrameType

import PySide6.QtCore  # noqa: F401 - sets the hook
from PySide6.QtCore import (
    QAbstractEventDispatcher,
    QCoreApplication,
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    Qt,
    QtMsgType,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from webrag_desktop.errors import StackError

FULL_SECONDS = 60.0  # a full collection takes tens of milliseconds, so there is no more than one in this time


class GarbageOnGuiThread(QObject):
    """Collects when the event loop is about to wait; young garbage as often as Python itself would have."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Take over from Python until :meth:`release`; call it on the GUI thread, before there are others."""
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.disable()
        self.spare_what_is_there()
        self._full_at = time.monotonic()
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None  # the application exists
        self._dispatcher = dispatcher
        dispatcher.aboutToBlock.connect(self.collect)

    def spare_what_is_there(self) -> None:
        """Let no collection look at what was imported and made so far: all but a little of it stays."""
        gc.freeze()

    @Slot()
    def collect(self) -> None:
        """Collect the oldest generation that is due, if any; the event loop calls this."""
        if gc.isenabled() or threading.current_thread() is not threading.main_thread():
            return
        counts = gc.get_count()
        due = [at for at in (0, 1, 2) if counts[at] > self._thresholds[at] > 0]
        if 2 in due and time.monotonic() - self._full_at >= FULL_SECONDS:
            gc.collect()
            self._full_at = time.monotonic()
        elif due:
            gc.collect(min(due[-1], 1))

    def release(self) -> None:
        """Give it back to Python; the window is gone."""
        self._dispatcher.aboutToBlock.disconnect(self.collect)
        gc.unfreeze()
        gc.enable()


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
        self._before = {number: signal.signal(number, _do_nothing) for number in SIGNALS}

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


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Nothing: the byte written to the socket does the work."""


NO_DISPLAY_CODE = 3  # as for any part of the stack that cannot be used


class NoDisplayError(StackError):
    """No window can be opened here. Everything else works without: see `webrag --help`."""

    default_hint = "Start it from a desktop session; `webrag --help` lists what can be done without a window."

    @classmethod
    def of(cls, messages: Sequence[str]) -> "NoDisplayError":
        """The error for the messages of Qt before it gave up."""
        reasons = "; ".join(line.strip().rstrip(".") for line in messages if line.strip())
        return cls(f"No window can be opened here{f' ({reasons})' if reasons else ''}.")


def start_qt(name: str) -> QApplication:
    """Start Qt; where it finds no display, say so and end the process, which Qt would abort otherwise."""
    messages: list[str] = []

    def collect(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        if kind == QtMsgType.QtFatalMsg:
            _end(NoDisplayError.of(messages[:1]))
        messages.append(message)

    if (
        find_spec("PySide6.QtWebEngineCore") is not None
    ):  # it draws pages, and wants that before the application
        QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    before = qInstallMessageHandler(collect)
    application = QApplication([name])
    qInstallMessageHandler(before)
    for message in messages:
        _say(message)
    return application


def _end(error: NoDisplayError) -> None:
    # Nothing can be raised through Qt, which aborts as soon as its message is heard.
    _say(error.message)
    _say(error.hint)
    os._exit(NO_DISPLAY_CODE)


def _say(line: str) -> None:
    if sys.stderr is not None:  # a program without a console has none
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def remove_import_hook() -> None:
    """Import what follows as Python itself does.

    The hook reads the source of every module in search of ``from __feature__ import``, which nothing here uses.
    """
    without = getattr(builtins, "__orig_import__", None)
    if without is not None:
        builtins.__import__ = without
