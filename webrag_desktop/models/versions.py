"""The versions of a document, the changes between two of them, and reading kept copies again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from webrag_desktop.progress import SourceState

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


RunKind = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class TextRun:
    """A part of a paragraph that changed: in both texts, or in one."""

    kind: RunKind
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A paragraph, heading, list item, table row or line of code that is not as it was, and where.

    ``before`` and ``after`` are its places in the old and in the new text, None where it is not there. ``words`` hold
    what ``changed``: without those added they are the old text, without those removed the new one. What
    ``moved`` is the same elsewhere. ``heading`` is the one above it, in the new text where it occurs there.
    """

    kind: ChangeKind
    before: tuple[int, int] | None
    after: tuple[int, int] | None
    heading: str | None
    words: tuple[TextRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes in reading order. ``coarse``: not all was compared in detail, since the texts are too different."""

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


@dataclass(frozen=True, slots=True)
class ReadingState:
    """How a source was read: the text it shows, the reader of that, and its state.

    From ``version_id`` on None while there is no text. ``derived_hash`` is a hash of blocks, HTML, title and dates;
    ``capture_id`` is the newest capture, None where nothing was kept; ``shown_capture_id`` the one whose text is shown,
    None where there is no text or that capture is gone.
    """

    id: UUID
    state: SourceState
    reason: str | None
    hint: str | None
    address: str
    capture_id: UUID | None
    version_id: UUID | None
    title: str | None
    extractor_version: int | None
    content_hash: str | None
    characters: int | None
    derived_hash: str | None
    shown_capture_id: UUID | None

    @property
    def earlier_copy(self) -> UUID | None:
        """The capture whose text is shown, or was before the document lay in the bin, where it is not the newest."""
        return self.shown_capture_id if self.shown_capture_id != self.capture_id else None


RereadOutcome = Literal["same", "renewed", "changed", "kept", "failed", "queued", "nothing kept", "gone"]


@dataclass(frozen=True, slots=True)
class Rereading:
    """What reading a document again brought, or would bring.

    ``same``: nothing changed. ``renewed``: the same text, but its blocks, HTML or facts differ, or a newer reader
    vouches for it. ``changed``: another text, a new version beside the old one; ``characters`` and ``titles`` are
    those before and after. ``kept``: the newest capture cannot be read, so that the text of an earlier one goes on
    being shown, read again where a newer reader may read it better. ``nothing kept``: there is no capture to read.
    """

    id: UUID
    address: str
    outcome: RereadOutcome
    titles: tuple[str | None, str | None] = (None, None)
    characters: tuple[int | None, int | None] = (None, None)
    reason: str | None = None
    hint: str | None = None


def compared(
    before: Mapping[UUID, ReadingState], after: Mapping[UUID, ReadingState], queued: Sequence[UUID]
) -> list[Rereading]:
    """What became of sources that were read again; ``queued`` are those for which that was asked."""
    asked = frozenset(queued)
    return [_compared(state, after.get(id_), asked=id_ in asked) for id_, state in before.items()]


def _compared(before: ReadingState, after: ReadingState | None, *, asked: bool) -> Rereading:
    if after is None:
        return Rereading(before.id, before.address, "gone", (before.title, None))
    return Rereading(
        before.id,
        after.address,
        _outcome(before, after, asked=asked),
        (before.title, after.title),
        (before.characters, after.characters),
        after.reason,
        after.hint,
    )


def _outcome(before: ReadingState, after: ReadingState, *, asked: bool) -> RereadOutcome:
    if after.capture_id is None:
        return "nothing kept"
    if after.state == "failed" and asked and after.earlier_copy is not None:
        return "kept"
    if after.state in ("failed", "cancelled"):
        return "failed"
    if after.state != "ready" or not asked:
        return "queued"
    if before.content_hash != after.content_hash:
        return "changed"
    same = (before.derived_hash, before.extractor_version) == (after.derived_hash, after.extractor_version)
    return "same" if same else "renewed"
