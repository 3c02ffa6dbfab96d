"""What the preview of a folder shows: plain, frozen data, as in ``view_data.py``."""

from dataclasses import dataclass

from webrag_desktop.gui.data.view_data import DocumentKind


@dataclass(frozen=True, slots=True)
class FolderKind:
    """The files of one kind in a folder that would be added: their paths, and their bytes together."""

    kind: DocumentKind
    paths: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What of a folder is left out for one reason, with some of the paths, and endings of names with how often."""

    reason: str
    files: int
    folders: int
    examples: tuple[str, ...] = ()
    endings: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FolderContents:
    """What is in folders. ``present`` are here already, ``changed`` were read with another content, or not at all.

    ``cut_short``: there is more than was looked at.
    """

    folders: tuple[str, ...]
    kinds: tuple[FolderKind, ...]
    present: int = 0
    changed: int = 0
    left_out: tuple[LeftOut, ...] = ()
    cut_short: bool = False

    @property
    def to_add(self) -> int:
        """How many files would be added."""
        return sum(len(kind.paths) for kind in self.kinds)
