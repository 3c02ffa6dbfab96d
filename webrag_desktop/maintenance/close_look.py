"""Checks that statements cannot make: what was derived from stored texts is derived again and compared."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from pydantic import ValidationError

from webrag_desktop.errors import ConfigurationError, EmbeddingError
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.indexing.rebuilding import is_as_cut
from webrag_desktop.ingestion.sanitizing import is_harmless
from webrag_desktop.models.checks import Finding
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.storage.checks import close_look
from webrag_desktop.storage.checks.integrity import found, table_exists
from webrag_desktop.storage.checks.missing_tables import TABLES, missing_tables
from webrag_desktop.storage.checks.postings import children_with_other_postings
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.snapshot import snapshot
from webrag_desktop.storage.spaces.space_tables import active_space, damaged_space
from webrag_desktop.storage.texts import documents
from webrag_desktop.text.plain_text import project

SAMPLE = 50  # texts, documents and captures that are looked at unless all are to be
PLAIN, HTML, PLACES, CAPTURES = "plain-text-true", "html-safe", "chunks-placed", "captures-unaltered"
POSTINGS = "postings-true"
_PROMISES = {
    PLAIN: "What is searched for quotations is what a reader sees of the text.",
    HTML: "Stored HTML holds nothing that runs or is loaded.",
    PLACES: "Chunks lie where cutting their text puts them, and carry and are found by what it gives them.",
    CAPTURES: "What was fetched is kept as it was received.",
    POSTINGS: "The postings of words say what the words of the chunks say.",
}

_OF_TEXTS = frozenset(("document_versions", "chunks"))
_TABLES_OF = {
    PLAIN: _OF_TEXTS,
    HTML: _OF_TEXTS,
    PLACES: frozenset(TABLES),
    CAPTURES: frozenset(("captures",)),
    POSTINGS: frozenset(("chunks", "lexical_postings", "lexical_removals", "lexical_segments")),
}


@dataclass(slots=True)
class CloseLook:
    """The offenders by check; ``most`` bounds how many of each kind are looked at, None looks at all."""

    database: Database
    most: int | None = SAMPLE
    progress: ProgressCallback = no_progress
    cancel: CancelToken = field(default_factory=CancelToken)
    _offenders: dict[str, list[str]] = field(init=False, default_factory=dict)

    def run(self, indexer: Callable[[], Indexer]) -> list[Finding]:
        """Look, in the order of the checks; chunks are left out where the library's model cannot be used.

        Raises:
            Cancelled: the token was set.
        """
        offenders = self.offenders(indexer)
        return [
            found(check, promise, offenders[check])
            for check, promise in _PROMISES.items()
            if check in offenders
        ]

    def offenders(self, indexer: Callable[[], Indexer]) -> dict[str, list[str]]:
        """The ids of versions, documents and captures that break a promise, by check; raises as :meth:`run`."""
        self._offenders = {check: [] for check in _PROMISES}
        with self.database.connection() as conn:
            missing = missing_tables(conn)
            self._look_at_what_is_there(conn, missing)
            if missing:
                return self._offenders
            shown = close_look.shown_versions(conn, self.most)
            damaged = damaged_space(conn) is not None
            space = None if damaged else active_space(conn)
        if damaged:
            del self._offenders[PLACES]  # nothing tells how to cut; another check names it
        if shown and space is not None:
            try:
                self._look_at_places(indexer(), [document for document, _version in shown])
            except (ConfigurationError, EmbeddingError):  # doctor tells of the model by itself
                del self._offenders[PLACES]
        return self._offenders

    def _look_at_what_is_there(self, conn: Connection, missing: list[str]) -> None:
        """Look at texts, captures and postings, each where its tables are there; chunks only where all are."""
        for check, tables in _TABLES_OF.items():
            if not tables.isdisjoint(missing):
                del self._offenders[check]
        if PLAIN in self._offenders:
            self._look_at_texts(conn)
        if CAPTURES in self._offenders:
            self._look_at_captures(conn)
        if POSTINGS in self._offenders:
            self._next("postings", 1)
            self._offenders[POSTINGS] = children_with_other_postings(conn, self.most)

    def _look_at_texts(self, conn: Connection) -> None:
        for number, text in enumerate(close_look.stored_texts(conn, self.most), start=1):
            self._next("texts", number)
            plain = project(text.markdown)
            if (plain.text, plain.runs) != (text.plain_text, text.plain_map):
                self._offenders[PLAIN].append(str(text.id))
            local = text.source_url.startswith("file:")
            if not all(is_harmless(html, local=local) for html in text.html):
                self._offenders[HTML].append(str(text.id))

    def _look_at_captures(self, conn: Connection) -> None:
        for number, (id_, stored_hash, body) in enumerate(
            close_look.captured_bodies(conn, self.most), start=1
        ):
            self._next("kept copies", number)
            if body is None or hashlib.sha256(body).digest() != stored_hash:
                self._offenders[CAPTURES].append(str(id_))

    def _look_at_places(self, indexer: Indexer, ids: list[UUID]) -> None:
        for number, id_ in enumerate(ids, start=1):
            self._next("chunks", number)
            with self.database.connection() as conn, snapshot(conn, self.cancel):
                if active_space(conn) != indexer.space:
                    return  # the library moved to another space meanwhile; what was cut for this one goes
                if not table_exists(conn, indexer.space.table):
                    return  # another check tells
                if not self._is_as_cut(conn, indexer, id_):
                    self._offenders[PLACES].append(str(id_))

    def _is_as_cut(self, conn: Connection, indexer: Indexer, document_id: UUID) -> bool:
        try:
            version = documents.load_version(conn, document_id)
        except ValidationError:  # what is noted of its text cannot be understood
            return False
        if version is None or not version.markdown.strip():
            return True  # other checks tell
        return is_as_cut(conn, indexer, version, self.cancel)

    def _next(self, what: str, number: int) -> None:
        self.cancel.raise_if_cancelled()
        self.progress(Step("Looking closely", number, None, f"{what}, {number}"))
