"""Tags and collections of documents, as the window shows and changes them: plain, frozen data."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID


@dataclass(frozen=True, slots=True)
class LabelUse:
    """A tag or collection: how many of the documents looked at have it, and how many of the library."""

    name: str
    chosen: int
    documents: int


@dataclass(frozen=True, slots=True)
class DocumentLabels:
    """The labels of some documents, beside all others that there are. ``title`` is of a single document."""

    ids: tuple[UUID, ...]
    title: str
    tags: tuple[LabelUse, ...]
    collections: tuple[LabelUse, ...]


@dataclass(frozen=True, slots=True)
class LabelNames:
    """Names of tags and of collections."""

    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.tags or self.collections)


NO_NAMES: Final = LabelNames()


@dataclass(frozen=True, slots=True)
class LabelChange:
    """What the user wants these documents to have, and not to have any more."""

    ids: tuple[UUID, ...]
    add: LabelNames = NO_NAMES
    remove: LabelNames = NO_NAMES

    def __bool__(self) -> bool:
        """Whether anything is to be changed."""
        return bool(self.add or self.remove)
