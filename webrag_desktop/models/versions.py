"""The texts that a document had, and what changed between two of them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

VersionReason = Literal["first", "changed", "reread"]


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A stored text of a document; ``number`` counts from 1, ``active`` is the one that it shows.

    ``reason`` is why it came to be: the ``first`` text, the page or file ``changed``, or what was fetched before was
    ``reread`` and reads otherwise. ``citations`` counts those that quote it.
    """

    id: UUID
    number: int
    reason: VersionReason
    active: bool
    title: str | None
    source_url: str
    characters: int
    content_hash: str
    extractor_version: int
    fetched_at: datetime
    created_at: datetime
    citations: int


ChangeKind = Literal["added", "removed", "changed", "moved"]


StretchKind = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a paragraph that changed: in both texts, or in one."""

    kind: StretchKind
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A paragraph, heading, list item, table row or line of code that is not as it was, and where.

    ``before`` and ``after`` are its places in the old and in the new text, None where it is not there. ``words`` are
    told of what ``changed``: without those added they are the old text, without those removed the new one. What
    ``moved`` is the same elsewhere. ``heading`` is what it stands under, in the new text where it is there.
    """

    kind: ChangeKind
    before: tuple[int, int] | None
    after: tuple[int, int] | None
    heading: str | None
    words: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes in reading order. ``coarse``: not all was looked at closely, the texts are too different for that."""

    changes: tuple[Change, ...]
    coarse: bool


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """Two versions of a document, their texts, and what changed from the one to the other."""

    before: VersionRow
    after: VersionRow
    old: str
    new: str
    difference: Difference
