"""Mending a damaged library: what was derived is made again from what was kept; what the user gave is never deleted."""

import hashlib
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pydantic import ValidationError

from webrag_desktop.errors import (
    Cancelled,
    ConfigurationError,
    EmbeddingError,
    IngestionError,
    ResourceError,
    StackError,
    WebragError,
)
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.indexing.rebuilding import rebuild
from webrag_desktop.ingestion.addresses import url_key
from webrag_desktop.ingestion.sanitizing import sanitize
from webrag_desktop.maintenance import close_look
from webrag_desktop.models.checks import CHECK as TABLES_CHECK
from webrag_desktop.models.checks import REMEDY as TABLES_REMEDY
from webrag_desktop.models.checks import Repair
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.spaces import EmbeddingSpace
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.checks import close_look as looking
from webrag_desktop.storage.checks import repair, text_repair
from webrag_desktop.storage.checks.integrity import offenders_of
from webrag_desktop.storage.checks.missing_tables import missing_tables
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs
from webrag_desktop.storage.spaces import space_index
from webrag_desktop.storage.spaces.space_tables import active_space, damaged_space, put_back
from webrag_desktop.storage.texts import documents, rereading, words
from webrag_desktop.text.plain_text import project

_SPACE = "space-known"
SPACE_PUT_BACK = "What its vectors were made by is noted again."
SPACE_UNKNOWN = (
    "The settings do not ask for the space that the library is in. Set the embedding model and the chunk sizes as they "
    "were and mend it again, or restore a backup with `webrag restore`."
)
TABLE_GONE = f"The table is gone, so nothing can be mended. {TABLES_REMEDY}"
_FETCHED_AGAIN = "Checking for changes fetches the page again."
_GONE = "It is not the newest any more, and cannot come back."
NOT_UNDERSTOOD = "What is noted of its text cannot be understood."
Read = Callable[[Capture, CancelToken], NormalizedDocument]
_OF_CHUNKS = (
    "chunks-verbatim",
    "parents-partition",
    "children-partition",
    "chunks-current",
    "words-indexed",
    "vectors-complete",
    "no-orphans",
)


@dataclass(frozen=True, slots=True)
class Repairer:
    """Mends one library. ``indexer`` is asked for when chunks are to be made; ``read`` reads a capture again.

    ``chosen`` gives the space that the settings would give a new library, to put back what is noted of this one's.
    """

    database: Database
    indexer: Callable[[], Indexer]
    read: Read
    progress: ProgressCallback = no_progress
    cancel: CancelToken = field(default_factory=CancelToken)
    chosen: Callable[[], EmbeddingSpace] | None = None

    def run(self, *, deep: bool = False) -> list[Repair]:
        """Mend everything that can be mended, as the library's one worker; doing it again does nothing more.

        ``deep`` looks closely at all texts and not at some.

        Raises:
            StackError: a worker is at the queue.
            Cancelled: the token was set; what was mended stays mended.
        """
        with self.database.dedicated() as lock:
            if not jobs.become_runner(lock):
                raise StackError(
                    "The library is being indexed, so it cannot be mended now. Nothing was changed.",
                    "Wait until that is done, or pause it, then try again.",
                )
            try:
                return [*self._repairs(deep=deep)]
            finally:
                jobs.resign(lock)

    def _repairs(self, *, deep: bool) -> Iterator[Repair]:
        """Each step leaves to the next what that can work with: spaces, texts, what is cut from them, the figures."""
        with self.database.connection() as conn:
            missing = missing_tables(conn)
        for table in missing:
            yield Repair(TABLES_CHECK, table, False, TABLE_GONE)
        if missing:
            return  # every step may ask it
        space_is_known = yield from self._definition()
        if space_is_known:
            yield from self._spaces()
        yield from self._queue()
        yield from self._addresses()
        if not space_is_known:
            return  # nothing tells how texts are cut
        yield from self._texts()
        look = close_look.CloseLook(
            self.database, None if deep else close_look.SAMPLE, self.progress, self.cancel
        )
        offenders = look.offenders(self.indexer)
        yield from self._projections(offenders[close_look.PLAIN])
        unsafe = yield from self._html(offenders[close_look.HTML])
        yield from self._captures(offenders[close_look.CAPTURES])
        yield from self._chunks(unsafe, [UUID(id_) for id_ in offenders.get(close_look.PLACES, ())])
        yield from self._figures()
        yield from self._words(offenders[close_look.POSTINGS])

    # -- Spaces and the queue ------------------------------------------------------------------------------------------

    def _definition(self) -> Generator[Repair, None, bool]:
        """Puts back what is noted of the library's space; False where it stays damaged."""
        with self.database.connection() as conn:
            table = damaged_space(conn)
        if table is None:
            return True
        try:
            wanted = self.chosen() if self.chosen is not None else None
        except (ConfigurationError, EmbeddingError):  # doctor tells of the settings by itself
            wanted = None
        with self.database.connection() as conn:
            mended = wanted is not None and put_back(conn, wanted)
        yield Repair(_SPACE, table, mended, SPACE_PUT_BACK if mended else SPACE_UNKNOWN)
        return mended

    def _spaces(self) -> Iterator[Repair]:
        self._next("spaces")
        with self.database.connection() as conn:
            chosen = repair.choose_only_space(conn)
            unaccounted = repair.drop_unaccounted_spaces(conn)
            made = repair.make_missing_space_tables(conn)
            dropped = repair.drop_orphaned_space_tables(conn)
            wrong = repair.drop_wrong_vectors(conn)
            stale = repair.drop_stale_cache(conn)
            stored = active_space(conn)
        if chosen:
            yield Repair("vectors-complete", "corpus", True, "The library has its embedding space again.")
        for table in made:
            yield Repair("spaces-accounted", table, True, "The table was made anew; its vectors follow.")
        for table in (*unaccounted, *dropped):
            yield Repair(
                "spaces-accounted", table, True, "Vectors of a space that is not the library's were dropped."
            )
        if wrong:
            yield Repair(
                "vectors-complete", _rows(wrong), True, "Wrong vectors were dropped, to be made anew."
            )
        if stale:
            yield Repair(
                "no-orphans", _rows(stale), True, "What was kept of texts that landed or went was dropped."
            )
        if stored is not None:
            with self.database.connection() as conn:
                state = space_index.state(conn, stored)
            if state in ("absent", "broken") and space_index.build(self.database, stored, self.cancel):
                yield Repair("spaces-accounted", stored.table, True, "The index of vectors was built anew.")

    def _queue(self) -> Iterator[Repair]:
        self._next("queue")
        with self.database.connection() as conn:
            requeued = repair.requeue_lost_work(conn)
            lost, gone = repair.requeue_lost_documents(conn)
        for id_ in requeued:
            yield Repair("queue-legal", str(id_), True, "It is in the queue again.", "work")
        for id_ in lost:
            yield Repair(
                "no-orphans", str(id_), True, "Its text is lost; reading it again is queued.", "work"
            )
        for id_ in gone:
            yield Repair("no-orphans", str(id_), False, f"{repair.NOTHING_KEPT} {repair.ADD_AGAIN}")

    def _addresses(self) -> Iterator[Repair]:
        with self.database.connection() as conn:
            for id_, address in repair.without_address(conn):
                owner = (
                    sources.claim_address(conn, id_, address, url_key(address), "given") if address else None
                )
                if owner == id_:
                    yield Repair("no-orphans", str(id_), True, "It has its address again.")
                else:
                    yield Repair("no-orphans", str(id_), False, "Nothing tells where it came from.", "remove")

    # -- Texts ---------------------------------------------------------------------------------------------------------

    def _texts(self) -> Iterator[Repair]:
        with self.database.connection() as conn:
            joined = text_repair.join_captures(conn)
            put_together = text_repair.texts_from_chunks(conn)
            damaged = text_repair.damaged_texts(conn)
        for version_id in joined:
            yield Repair(
                "no-orphans", str(version_id), True, "It is joined to the copy that it was read from."
            )
        for version_id in put_together:
            yield Repair(
                "texts-unaltered", str(version_id), True, "The text was put together again from its passages."
            )
        for text in damaged:
            self._next("texts")
            yield self._text(text)
        with self.database.connection() as conn:
            renewed = text_repair.renew_document_hashes(conn)
            cited = text_repair.mend_citations(conn)
            left = offenders_of(conn, "citations-verbatim")
        if renewed:
            yield Repair(
                "texts-unaltered", _rows(renewed), True, "Documents have the hash of their text again."
            )
        if cited:
            yield Repair("citations-verbatim", _rows(cited), True, "Citations point to their words again.")
        for id_ in left:
            yield Repair(
                "citations-verbatim",
                id_,
                False,
                "Its words are not there; they stay as you cited them.",
                "uncite",
            )

    def _text(self, text: text_repair.DamagedText) -> Repair:
        try:
            found = self._read_again(text.capture_id)
        except (Cancelled, ResourceError):
            raise
        except WebragError as error:
            return self._left(text, f"Its kept copy cannot be read: {error.message}")
        stored_hash = hashlib.sha256(text.markdown.encode()).hexdigest()
        if found is not None and found.content_hash in (text.content_hash, stored_hash):
            plain = project(found.markdown)
            with self.database.connection() as conn:
                text_repair.rewrite_text(conn, text.id, found, plain.text, plain.runs)
            return Repair(
                "texts-unaltered", str(text.id), True, "The text was read again from its kept copy."
            )
        if text.shown and found is not None:
            with self.database.connection() as conn:
                rereading.reread(conn, [text.document_id])
            told = "Its kept copy gives another text today. Reading that is queued; the damaged one stays."
            return Repair("texts-unaltered", str(text.id), False, told, "work")
        return self._left(text, "No copy is kept that would give this text.")

    def _left(self, text: text_repair.DamagedText, told: str) -> Repair:
        if text.capture_id is not None:  # a site that says "not modified" would bring back nothing
            with self.database.connection() as conn:
                text_repair.to_be_fetched_whole(conn, [text.capture_id])
        return Repair("texts-unaltered", str(text.id), False, told, "refresh" if text.shown else None)

    def _read_again(self, capture_id: UUID | None) -> NormalizedDocument | None:
        if capture_id is None:
            return None
        with self.database.connection() as conn:
            stored = captures.load_capture(conn, capture_id)
        if stored is None:
            return None
        if captures.raw_hash_of(stored.capture) != stored.raw_hash:
            raise IngestionError("It is not as it was received.")
        return self.read(stored.capture, self.cancel)

    def _projections(self, versions: Sequence[str]) -> Iterator[Repair]:
        for id_ in versions:
            try:
                with self.database.connection() as conn:
                    version = documents.load_text(conn, UUID(id_))
                    if version is None:
                        continue
                    plain = project(version.markdown)
                    looking.renew_projection(conn, version.id, plain.text, plain.runs)
            except ValidationError:
                yield Repair(close_look.PLAIN, id_, False, NOT_UNDERSTOOD)
            else:
                yield Repair(close_look.PLAIN, id_, True, "What quotations are searched in was made anew.")

    def _html(self, versions: Sequence[str]) -> Generator[Repair, None, list[UUID]]:
        """Makes stored HTML harmless; returns the documents whose chunks have a part of it."""
        concerned = []
        for id_ in versions:
            with self.database.connection() as conn:
                stored = text_repair.html_of(conn, UUID(id_))
                if stored is None:
                    continue
                document_id, source_url, html, blocks = stored
                local = source_url.startswith("file:")
                for block in blocks:
                    if isinstance(of_block := block.get("html"), str):
                        block["html"] = sanitize(of_block, local=local)
                text_repair.renew_html(conn, UUID(id_), html and sanitize(html, local=local), blocks)
            concerned.append(document_id)
            yield Repair(close_look.HTML, id_, True, "What runs or is loaded was taken out of its HTML.")
        return concerned

    def _captures(self, ids: Sequence[str]) -> Iterator[Repair]:
        with self.database.connection() as conn:
            lost = text_repair.without_capture(conn)
            newest = text_repair.to_be_fetched_whole(conn, [UUID(id_) for id_ in ids])
        for version, shown in lost:
            told = f"No copy is kept of what this text was read from. {_FETCHED_AGAIN if shown else _GONE}"
            yield Repair("no-orphans", str(version), False, told, "refresh" if shown else None)
        for id_ in ids:
            again = UUID(id_) in newest
            told = f"What was fetched is damaged; the text read from it stays. {_FETCHED_AGAIN if again else _GONE}"
            yield Repair(close_look.CAPTURES, id_, False, told, "refresh" if again else None)

    # -- Chunks --------------------------------------------------------------------------------------------------------

    def _chunks(self, *concerned: Sequence[UUID]) -> Iterator[Repair]:
        with self.database.connection() as conn:
            damaged = repair.documents_of(conn, *_OF_CHUNKS)
        for id_ in dict.fromkeys((*damaged, *(one for several in concerned for one in several))):
            self._next("documents")
            try:
                rebuild(self.indexer(), id_, self.cancel)
            except (Cancelled, ResourceError):
                raise
            except ValidationError:
                yield Repair("blocks-inside", str(id_), False, NOT_UNDERSTOOD)
            except WebragError as error:
                yield Repair("chunks-verbatim", str(id_), False, f"{error.message} {error.hint}".strip())
            else:
                yield Repair("chunks-verbatim", str(id_), True, "Its text was cut and indexed anew.")

    def _figures(self) -> Iterator[Repair]:
        with self.database.connection() as conn:
            stray = repair.drop_stray_chunks(conn)
            wrong = repair.count_anew(conn)
        if stray:
            yield Repair("spaces-accounted", _rows(stray), True, "Chunks that no space knows were dropped.")
        if wrong:
            yield Repair("figures-true", _rows(wrong), True, "It was counted anew.")

    def _words(self, other: Sequence[str]) -> Iterator[Repair]:
        self._next("words")
        with self.database.connection() as conn:
            wrong = offenders_of(conn, "words-scored")
            if wrong or other:
                words.put_down_anew(conn)
        if wrong or other:
            told = "The postings of words were put down anew."
            check = "words-scored" if wrong else close_look.POSTINGS
            yield Repair(check, _rows(len({*wrong, *other})), True, told)

    def _next(self, what: str) -> None:
        self.cancel.raise_if_cancelled()
        self.progress(Step("Mending the library", detail=what))


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
