"""What the user adds: the files that a folder holds, and what became of each item that was given."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from webrag_desktop.errors import (
    WebragError,
)
from webrag_desktop.models.formats import DocType

Verdict = Literal["added", "present", "retried", "changed", "restored"]


@dataclass(frozen=True, slots=True)
class Accepted:
    """The result of adding one item that the user gave.

    ``added`` is new; ``present`` was there already; ``retried`` had failed or been cancelled and is tried again;
    ``changed`` is a file whose content differs from what was read before; ``restored`` was in the bin. ``capture_id``
    is the capture of its site by which the links of a page are followed, if they are.
    """

    given: str
    source_id: UUID
    verdict: Verdict
    capture_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Something the user gave that cannot be taken in, and why."""

    given: str
    error: WebragError


@dataclass(frozen=True, slots=True)
class Kept:
    """Something the user gave that waits durably outside the database, which does not answer, and why."""

    given: str
    error: WebragError


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The results of a request to refresh documents, without those that no longer exist.

    ``queued`` are pages to be fetched and files that changed, with those whose work was open already; ``unchanged``
    are files that are as they are stored; of the ``unreadable`` files the stored text stays, with the reason.
    """

    queued: tuple[UUID, ...]
    unchanged: tuple[UUID, ...]
    unreadable: tuple[tuple[UUID, WebragError], ...]


def hint_beside_text(error: WebragError) -> str:
    """What helps with a file that could not be read again, whose text is there."""
    return f"{error.hint} The stored text stays."


SkipReason = Literal[
    "unreadable",
    "kind",
    "too large",
    "empty",
    "hidden",
    "tool",
    "page parts",
    "link",
    "special",
    "name",
    "deep",
]


Standing = Literal["new", "changed", "present"]


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file that can be read: size in bytes, when it changed in seconds since the epoch, how the library knows it.

    ``changed`` is in the library with an older content, or could not be read then; ``present`` as it is.
    """

    path: str
    kind: DocType
    size: int
    changed_at: float = 0.0
    standing: Standing = "new"


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many entries were left out for one reason; ``endings`` are the commonest of what has no reader."""

    reason: SkipReason
    files: int
    folders: int
    examples: tuple[str, ...]
    endings: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class KindCount:
    """The files of one kind: how many, how many of them would be added, and the bytes of those."""

    kind: DocType
    files: int
    to_add: int
    bytes_to_add: int


@dataclass(frozen=True, slots=True)
class FolderPreview:
    """The files of folders; nothing was read and nothing added. ``cut_short``: not all were listed."""

    folders: tuple[str, ...]
    files: tuple[FolderFile, ...]
    skipped: tuple[Skipped, ...]
    cut_short: bool = False

    def kinds(self) -> tuple[KindCount, ...]:
        """The files by kind, the most frequent first."""
        counts = Counter(file.kind for file in self.files)
        order = sorted(counts, key=lambda kind: (-counts[kind], kind))
        return tuple(self._count(kind, counts[kind]) for kind in order)

    def _count(self, kind: DocType, files: int) -> KindCount:
        sizes = [file.size for file in self.files if file.kind == kind and file.standing != "present"]
        return KindCount(kind, files, len(sizes), sum(sizes))

    def paths(self, kinds: Collection[str] | None = None) -> tuple[str, ...]:
        """What would be added: the files that are new or changed, of these kinds or of all."""
        return tuple(
            file.path
            for file in self.files
            if file.standing != "present" and (kinds is None or file.kind in kinds)
        )

    def standing(self, standing: Standing) -> int:
        """How many files have this relation to the library."""
        return sum(file.standing == standing for file in self.files)
