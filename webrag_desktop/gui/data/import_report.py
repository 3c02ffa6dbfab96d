"""The report of a batch that was added: what became of each thing, and the way on where something needs the user."""

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
