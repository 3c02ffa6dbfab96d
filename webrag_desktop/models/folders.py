"""What is in a folder, before anything of it is added."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from webrag_desktop.models.formats import DocType

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
    """What is in folders; nothing was read and nothing added. ``cut_short``: there is more than was looked at."""

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
        """How many files stand so with the library."""
        return sum(file.standing == standing for file in self.files)
