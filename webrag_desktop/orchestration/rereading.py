"""What reading kept captures again brings: found out beforehand, or told afterwards by comparing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from webrag_desktop.errors import Cancelled, WebragError
from webrag_desktop.models import Capture, NormalizedDocument
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.storage import captures, documents, rereading
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.rereading import ReadingState

RereadOutcome = Literal["same", "renewed", "changed", "failed", "queued", "nothing kept", "gone"]
Read = Callable[[Capture, CancelToken], NormalizedDocument]


@dataclass(frozen=True, slots=True)
class Rereading:
    """What reading a document again brought, or would bring.

    ``same``: nothing changed. ``renewed``: the same text, but its blocks, HTML or facts differ, or a newer reader
    vouches for it. ``changed``: another text, a new version beside the old one; ``characters`` and ``titles`` are
    those before and after. ``nothing kept``: there is no capture to read.
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
    if after.state in ("failed", "cancelled"):
        return "failed"
    if after.state != "ready" or not asked:
        return "queued"
    if before.content_hash != after.content_hash:
        return "changed"
    same = (before.told, before.extractor_version) == (after.told, after.extractor_version)
    return "same" if same else "renewed"


def rehearsed(
    database: Database,
    source_ids: Sequence[UUID],
    read: Read,
    extractor_version: int,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
) -> Iterator[Rereading]:
    """What reading these again would bring; nothing is written and nothing fetched.

    Raises:
        Cancelled: the token was set.
    """
    token = cancel or CancelToken()
    with database.connection() as conn:
        states = rereading.reading_states(conn, source_ids)
    for done, state in enumerate(states.values()):
        token.raise_if_cancelled()
        progress(Step("Reading again", done, len(states), state.title or state.address))
        yield _rehearsed(database, state, read, extractor_version, token)


def _rehearsed(
    database: Database, state: ReadingState, read: Read, extractor_version: int, cancel: CancelToken
) -> Rereading:
    with database.connection() as conn:
        stored = captures.load_capture(conn, state.capture_id) if state.capture_id else None
        shown = documents.load_version(conn, state.id)
    if stored is None:
        return Rereading(state.id, state.address, "nothing kept", (state.title, state.title))
    try:
        found = read(stored.capture, cancel)
    except Cancelled:
        raise
    except WebragError as error:
        return Rereading(
            state.id,
            state.address,
            "failed",
            (state.title, None),
            (state.characters, None),
            error.message,
            error.hint,
        )
    outcome: RereadOutcome = "changed"
    if shown is not None and shown.content_hash == found.content_hash:
        told = (shown.blocks, shown.html, shown.title, state.extractor_version)
        as_it_was = told == (found.blocks, found.html, found.title, extractor_version)
        outcome = "same" if as_it_was else "renewed"
    return Rereading(
        state.id,
        state.address,
        outcome,
        (state.title, found.title),
        (state.characters, len(found.markdown)),
    )
