"""What reading kept captures again brings, an earlier one too where the newest cannot be read."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.errors import Cancelled, IngestionError, ResourceError, WebragError
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.versions import ReadingState, Rereading, RereadOutcome
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.captures.captures import StoredCapture
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.texts import documents, versions

log = logging.getLogger(__name__)

Read = Callable[[Capture, CancelToken], NormalizedDocument]


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
        ResourceError: this computer lacks what reading takes, which says nothing of the documents.
    """
    token = cancel or CancelToken()
    with database.connection() as conn:
        states = versions.reading_states(conn, source_ids)
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
    except (Cancelled, ResourceError):
        raise
    except WebragError as error:
        return _rehearsed_earlier(database, state, error, read, extractor_version, cancel)
    outcome: RereadOutcome = "changed"
    if shown is not None and shown.content_hash == found.content_hash:
        shown_as = (shown.blocks, shown.html, shown.title, state.extractor_version)
        as_it_was = shown_as == (found.blocks, found.html, found.title, extractor_version)
        outcome = "same" if as_it_was else "renewed"
    return Rereading(
        state.id,
        state.address,
        outcome,
        (state.title, found.title),
        (state.characters, len(found.markdown)),
    )


def _rehearsed_earlier(
    database: Database,
    state: ReadingState,
    error: WebragError,
    read: Read,
    extractor_version: int,
    cancel: CancelToken,
) -> Rereading:
    """What becomes of a document whose newest capture cannot be read."""
    if state.earlier_copy is None:
        return Rereading(
            state.id,
            state.address,
            "failed",
            (state.title, None),
            (state.characters, None),
            error.message,
            error.hint,
        )
    found = read_earlier_copy(database, state, read, extractor_version, cancel)
    reported = beside_earlier_text(error)
    return Rereading(
        state.id,
        state.address,
        "kept",
        (state.title, found.document.title if found else state.title),
        (state.characters, len(found.document.markdown) if found else state.characters),
        reported.message,
        reported.hint,
    )


def beside_earlier_text(error: WebragError) -> IngestionError:
    """What is reported of a newest capture that cannot be read, where the text of an earlier one is shown."""
    return IngestionError(
        error.message, f"{error.hint} The text shown is of an earlier copy, and stays.".strip()
    )


@dataclass(frozen=True, slots=True)
class EarlierCopy:
    """The capture whose text a source shows, and what reading it again gives."""

    stored: StoredCapture
    document: NormalizedDocument


def read_earlier_copy(
    database: Database, state: ReadingState, read: Read, extractor_version: int, cancel: CancelToken
) -> EarlierCopy | None:
    """Read again what a source shows, whose newest capture cannot be read.

    None where that brings nothing: this very reader read it, or cannot read it any more.
    """
    if state.earlier_copy is None or state.extractor_version == extractor_version:
        return None
    with database.connection() as conn:
        stored = captures.load_capture(conn, state.earlier_copy)
    if stored is None:
        return None
    try:
        return EarlierCopy(stored, read(stored.capture, cancel))
    except IngestionError as error:
        log.info("the earlier copy of %s cannot be read any more either: %s", state.id, error.message)
        return None
