"""Reading stored captures again, an earlier one where the newest fails, and finding citations again in a new text."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from webrag_desktop.citations.anchoring import reanchor, reanchor_as_read
from webrag_desktop.citations.reading import QuoteAsRead, ReadText, WordIndex, as_read
from webrag_desktop.citations.spans import CONTEXT_LENGTH
from webrag_desktop.errors import Cancelled, IngestionError, ResourceError, WebragError
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.models.citations import CitationRecord
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.versions import ReadingState, Rereading, RereadOutcome
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.captures.captures import StoredCapture
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import citations, sources
from webrag_desktop.storage.library.citations import ListedCitation, StoredAnchor
from webrag_desktop.storage.texts import documents, versions
from webrag_desktop.text.plain_text import PlainText, project

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


def anchors_in(conn: Connection, version_id: UUID, quotes: Sequence[CitationRecord]) -> list[StoredAnchor]:
    """Where these quotes of earlier texts are in a stored one; none where that is gone."""
    text = read_text(conn, version_id)
    if text is None:
        return []
    load = cache(lambda quoted: read_text(conn, quoted))
    index = cache(lambda: WordIndex(text.plain))
    anchors = []
    for one in quotes:
        at = reanchor(one.verbatim, one.prefix, one.suffix, one.char_start, text.markdown)
        if at.state != "exact":
            at = reanchor_as_read(at, one.verbatim, _as_read(one, load(one.version_id)), text, index)
        anchors.append(
            StoredAnchor(one.id, version_id, at.state, at.start, at.end, at.as_rendered, at.similarity)
        )
    return anchors


def _as_read(one: CitationRecord, old: ReadText | None) -> QuoteAsRead | None:
    return as_read(old, one.char_start, one.char_end, CONTEXT_LENGTH) if old is not None else None


def read_text(conn: Connection, version_id: UUID | None) -> ReadText | None:
    """A stored text and how it reads; None when it went with its document."""
    stored = citations.load_readable(conn, version_id) if version_id is not None else None
    if stored is None:
        return None
    plain = PlainText(stored.plain_text, stored.plain_map)
    return ReadText.of(stored.markdown, plain)


def reanchor_document(conn: Connection, document_id: UUID) -> None:
    """Find the citations of a document in the text that it shows now, and store where they are."""
    if citations.is_cited(conn, document_id):
        anchored_again(
            conn, [one for one in citations.list_citations(conn) if one.document_id == document_id]
        )


def reattach(conn: Connection, document_id: UUID) -> list[UUID]:
    """Find citations again whose document was deleted and whose address this document answers to; returns which.

    Those whose words are in its text are of that text from now on. The others stay as they are: lost.
    """
    active = documents.active_version(conn, document_id)
    orphans = citations.detached(conn) if active is not None else []
    keys = sources.url_keys_of(conn, document_id) if orphans else frozenset[str]()
    wanted = [one for one in orphans if url_key(one.source_url) in keys]
    text = read_text(conn, active.version_id) if active is not None and wanted else None
    if active is None or text is None:
        return []
    found = []
    for one in wanted:
        at = reanchor(one.verbatim, one.prefix, one.suffix, one.char_start, text.markdown)
        if at.state == "lost":
            at = reanchor_as_read(at, one.verbatim, _as_kept(one), text, cache(lambda: WordIndex(text.plain)))
        if at.state != "lost" and at.start is not None and at.end is not None:
            verbatim = text.markdown[at.start : at.end]
            citations.attach(conn, one.id, document_id, active.version_id, (at.start, at.end), verbatim)
            found.append(one.id)
    return found


def _as_kept(one: CitationRecord) -> QuoteAsRead | None:
    """How a quote reads with what was kept of its surroundings, the text itself being gone."""
    around = one.prefix + one.verbatim + one.suffix
    start = len(one.prefix)
    return as_read(ReadText.of(around, project(around)), start, start + len(one.verbatim), CONTEXT_LENGTH)


def anchored_again(conn: Connection, listed: Sequence[ListedCitation]) -> dict[UUID, StoredAnchor]:
    """Find those citations again that were not yet searched for in the text shown, and store where they are."""
    unknown: dict[UUID, list[ListedCitation]] = {}
    for one in listed:
        if one.active_version is not None and one.unanchored:
            unknown.setdefault(one.active_version, []).append(one)
    found: dict[UUID, StoredAnchor] = {}
    for version_id, quotes in unknown.items():
        found |= {anchor.citation_id: anchor for anchor in anchors_in(conn, version_id, quotes)}
    if found:
        citations.save_anchors(conn, list(found.values()))
    return found
