"""Notices with an undo: what was done last can be taken back for a while, and some things end only then."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from webrag_desktop.gui.kit.shortcuts import key_of

# How long an undo waits for its notice to be gone. Notices go sooner; a dismissed notice reports nothing.
UNDO_MILLISECONDS = 30_000

Act = Callable[[], None]


def do_nothing() -> None:
    """For what needs no end."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A passing message. ``action`` is the label of its button, which calls ``on_action``; ``way`` is that of another.

    The caller that shows it calls ``on_shown`` then, ``on_gone`` once it is hidden, and ``on_expired`` where its timer
    hid it, so that an undo is possible at least as long as its button can be seen.
    """

    text: str
    action: str = ""
    on_action: Act | None = None
    shortcut: str = ""
    on_expired: Act = do_nothing
    on_shown: Act = do_nothing
    on_gone: Act = do_nothing
    way: str = ""
    on_way: Act | None = None
    entry: object = None  # what it offers to undo, as :attr:`UndoStack.latest` gives it


@dataclass(frozen=True, slots=True, eq=False)
class _Done:
    undo: Act
    finish: Act
    timer: QTimer


class UndoStack(QObject):
    """What can be taken back, the latest first. Each entry ends once: undone, or finished when its time is over."""

    latest_changed = Signal()

    def __init__(self, parent: QObject | None = None, *, milliseconds: int = UNDO_MILLISECONDS) -> None:
        """Keep entries for ``milliseconds`` after their notice was last seen, unless it expired before."""
        super().__init__(parent)
        self._milliseconds = milliseconds
        self._done: list[_Done] = []

    def push(self, text: str, undo: Act, finish: Act = do_nothing) -> Notice:
        """Remember what was done; returns the notice to show. ``finish`` makes it final."""
        timer = QTimer(self)
        timer.setSingleShot(True)
        done = _Done(undo, finish, timer)
        # Not to a partial that holds this stack: freed with the timer, it would take the timer's parent along.
        timer.timeout.connect(self._time_out)
        timer.start(self._milliseconds)
        self._done.append(done)
        self.latest_changed.emit()
        return Notice(
            text,
            self.tr("Undo"),
            on_action=partial(self._undo, done),
            shortcut=key_of("window", "undo"),
            on_expired=partial(self._finish, done),
            on_shown=timer.stop,
            on_gone=partial(self._count, done),
            entry=done,
        )

    @property
    def latest(self) -> object:
        """What :meth:`undo` would take back; None where there is nothing."""
        return self._done[-1] if self._done else None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to take back."""
        return not self._done

    def undo(self) -> None:
        """Take back what was done last; nothing happens where there is nothing."""
        if self._done:
            self._undo(self._done[-1])

    def finish_all(self) -> None:
        """Make everything final; the window closes."""
        for done in list(self._done):
            self._finish(done)

    @Slot()
    def _time_out(self) -> None:
        timer = self.sender()
        for done in [one for one in self._done if one.timer is timer]:
            self._finish(done)

    def _count(self, done: _Done) -> None:
        if done in self._done:
            done.timer.start(self._milliseconds)

    def _undo(self, done: _Done) -> None:
        if self._take(done):
            done.undo()

    def _finish(self, done: _Done) -> None:
        if self._take(done):
            done.finish()

    def _take(self, done: _Done) -> bool:
        if done not in self._done:
            return False
        self._done.remove(done)
        done.timer.stop()
        done.timer.deleteLater()
        self.latest_changed.emit()
        return True
