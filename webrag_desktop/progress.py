"""Progress steps and cancellation: the plain data that long work exchanges with whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from webrag_desktop.errors import Cancelled


@dataclass(frozen=True, slots=True)
class Step:
    """One step of long work: ``done`` of ``total`` units (``total`` is None while unknown)."""

    name: str
    done: int = 0
    total: int | None = None
    detail: str = ""


ProgressCallback = Callable[[Step], None]


def no_progress(_step: Step) -> None:
    """Watch nothing."""


class CancelToken:
    """Carries the wish to stop from one thread to another; long work asks it between units."""

    def __init__(self) -> None:
        self._event = Event()

    def cancel(self) -> None:
        """Ask the work to stop; calling it again changes nothing."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._event.is_set()

    def raise_if_cancelled(self) -> None:
        """Raise :class:`~webrag_desktop.errors.Cancelled` when somebody asked to stop."""
        if self.cancelled:
            raise Cancelled("Stopped as you asked. What was ready before is kept.")
