"""A batch that was added: how the work on it goes, and the report of what became of each thing in it."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

Way = Literal["retry", "browse", "add", "copy", "show"]


@dataclass(frozen=True, slots=True)
class Unlinked:
    """Something that was dropped or pasted and cannot be added, and why in a sentence."""

    given: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One line of a report: what it is about, its reason, what helps, and the ways on, the likeliest first.

    ``ids`` are the documents that it stands for, ``given`` the texts as they were given.
    """

    title: str
    reason: str
    hint: str = ""
    ids: tuple[UUID, ...] = ()
    given: tuple[str, ...] = ()
    address: str = ""
    ways: tuple[Way, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportReport:
    """A batch: ``ready`` and ``open`` are documents of it, ``kept`` waits until the library is open.

    ``needs`` are lines of what failed or was refused, ``here`` of what was in the library already; ``attention`` and
    ``present`` count the things that they stand for.
    """

    added: int = 0
    ready: int = 0
    open: int = 0
    kept: int = 0
    present: int = 0
    attention: int = 0
    needs: tuple[ReportRow, ...] = ()
    here: tuple[ReportRow, ...] = ()

    @property
    def given(self) -> int:
        """How many things were given."""
        return self.added + self.present + self.attention + self.kept


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """The strip: what is being worked on now and how fast.

    Counts are of the present batch, which begins when the queue fills and ends when it is empty.
    ``per_minute`` and ``seconds_left`` are None while too little is known.
    """

    ready: int
    working: int
    waiting: int
    failed: int
    paused: bool = False
    per_minute: float | None = None
    seconds_left: float | None = None

    @property
    def total(self) -> int:
        """All documents of the batch."""
        return self.ready + self.working + self.waiting + self.failed

    @property
    def open(self) -> int:
        """What is not finished."""
        return self.working + self.waiting
