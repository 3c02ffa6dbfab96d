"""Keeps Python's collection of cyclic garbage on the GUI thread.

Python collects in whichever thread happens to allocate. A Qt object that lies in a cycle would then be destroyed in
a thread that it does not belong to, and a timer, for one, takes the process down with it.
"""

import gc
import threading

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Slot


class GarbageOnGuiThread(QObject):
    """Collects whenever the event loop is about to wait, as often as Python itself would have."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Take over from Python until :meth:`release`; call it on the GUI thread, once modules are imported."""
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.collect()
        gc.freeze()  # what is there now stays: a full collection need not look at it
        gc.disable()
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None  # the application exists
        self._dispatcher = dispatcher
        dispatcher.aboutToBlock.connect(self.collect)

    @Slot()
    def collect(self) -> None:
        """Collect the oldest generation that is due, if any."""
        if gc.isenabled() or threading.current_thread() is not threading.main_thread():
            return
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._thresholds[generation] > 0:
                gc.collect(generation)
                return

    def release(self) -> None:
        """Give it back to Python; the window is gone."""
        self._dispatcher.aboutToBlock.disconnect(self.collect)
        gc.unfreeze()
        gc.enable()
