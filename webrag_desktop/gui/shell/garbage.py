"""Keeps Python's collection of cyclic garbage on the GUI thread.

Python collects in whichever thread happens to allocate. A Qt object that lies in a cycle would then be destroyed in
a thread that it does not belong to, and a timer, for one, takes the process down with it.
"""

import gc
import threading
import time

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Slot

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
