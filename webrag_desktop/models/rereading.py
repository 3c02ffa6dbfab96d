"""What reading kept copies again brings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from webrag_desktop.progress import SourceState


@dataclass(frozen=True, slots=True)
class ReadingState:
    """How a source has been read: the text it shows, by whom it was read, and how it stands.

    From ``version_id`` on None while there is no text. ``told`` is a hash over blocks, HTML, title and dates;
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
    told: str | None
    shown_capture_id: UUID | None

    @property
    def earlier_copy(self) -> UUID | None:
        """The capture whose text is shown, where it is not the newest."""
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
    same = (before.told, before.extractor_version) == (after.told, after.extractor_version)
    return "same" if same else "renewed"
