"""What can be asked of a library besides searching it: add, list, look at, remove, count."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from webrag_desktop.errors import (
    DatabaseError,
    DatabaseUnreachableError,
    InputError,
    NotFoundError,
    WebragError,
)
from webrag_desktop.ingestion.addresses import parse_source, url_key
from webrag_desktop.ingestion.fetch import FetchOptions
from webrag_desktop.models import DocumentVersion
from webrag_desktop.orchestration.intake import Accepted, accept, accept_spooled, read_intake
from webrag_desktop.storage import captures, corpus, documents, jobs, sources
from webrag_desktop.storage.corpus import CorpusFigures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.documents import ChunkRow
from webrag_desktop.storage.jobs import QueueCounts
from webrag_desktop.storage.sources import SourceRow
from webrag_desktop.storage.spool import Spool

_ID = re.compile(r"[0-9a-f-]{4,36}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refused:
    """Something the user gave that cannot be taken in, and why."""

    given: str
    error: WebragError


@dataclass(frozen=True, slots=True)
class Kept:
    """Something the user gave that waits durably outside the database, which does not answer, and why."""

    given: str
    error: WebragError


@dataclass(frozen=True, slots=True)
class Library:
    """The user's documents. Each call is one transaction of its own."""

    database: Database
    spool: Spool
    fetch_options: FetchOptions

    def add(self, given: Sequence[str]) -> list[Accepted | Kept | Refused]:
        """Accept addresses and files, each durably on its own; one that is refused does not stop the rest."""
        with suppress(DatabaseUnreachableError):  # then what is given now is kept beside what waits already
            accept_spooled(self.database, self.spool)
        return [self._add_one(text) for text in dict.fromkeys(given)]

    def _add_one(self, given: str) -> Accepted | Kept | Refused:
        try:
            intake = read_intake(given, self.fetch_options)
        except WebragError as error:
            return Refused(given, error)
        try:
            with self.database.connection() as conn:
                return accept(conn, given, intake)
        except DatabaseUnreachableError as error:
            self.spool.put(intake)
            return Kept(given, error)
        except DatabaseError as error:
            return Refused(given, error)

    def retry_failed(self) -> int:
        """Queue again what failed for a reason that may have passed: no network, a busy site, a model down."""
        with self.database.connection() as conn:
            failed = jobs.transiently_failed(conn)
            for source_id in failed:
                sources.set_state(conn, source_id, "queued")
                latest = captures.latest_capture(conn, source_id)
                jobs.enqueue(conn, source_id, latest.id if latest else None)
        return len(failed)

    def sources(self) -> list[SourceRow]:
        """Everything in the library, in the order of adding."""
        with self.database.connection() as conn:
            return sources.list_sources(conn)

    def unfinished(self) -> list[UUID]:
        """Sources with open work, also what waited while the database was down."""
        accept_spooled(self.database, self.spool)
        with self.database.connection() as conn:
            return jobs.open_sources(conn)

    def source(self, source_id: UUID) -> SourceRow | None:
        """One source as it is now."""
        with self.database.connection() as conn:
            return sources.get_source(conn, source_id)

    def find(self, reference: str) -> SourceRow:
        """The source that an id, the beginning of an id, an address or a path names.

        Raises:
            NotFoundError: nothing answers to it.
        """
        with self.database.connection() as conn:
            if _ID.fullmatch(reference) and (found := sources.find_by_id_prefix(conn, reference)):
                return found
            owner = sources.owner_of(conn, _key_of(reference))
            found = sources.get_source(conn, owner) if owner else None
        if found is None:
            raise NotFoundError(
                f"Nothing in the library answers to {reference}.",
                "`webrag list` shows what is there; give an id or an address from it.",
            )
        return found

    def text(self, source_id: UUID) -> DocumentVersion | None:
        """The text that a document shows, or None while there is none."""
        with self.database.connection() as conn:
            return documents.load_version(conn, source_id)

    def chunks(self, source_id: UUID) -> list[ChunkRow]:
        """A document's chunks: parents, then children, each in reading order."""
        with self.database.connection() as conn:
            return documents.chunks_of(conn, source_id)

    def remove(self, source_id: UUID) -> bool:
        """Delete a document and everything kept about it; False when it was gone already."""
        with self.database.connection() as conn:
            return sources.remove_source(conn, source_id)

    def figures(self) -> tuple[CorpusFigures, QueueCounts, bool]:
        """The corpus in numbers, the open work, and whether a worker is at it."""
        with self.database.connection() as conn:
            return corpus.figures(conn), jobs.counts(conn), jobs.runner_exists(conn)


def keep_for_later(
    spool: Spool, given: Sequence[str], options: FetchOptions, error: WebragError
) -> list[Kept | Refused]:
    """Keep what was given durably until the database, which failed with ``error``, answers again."""
    return [_keep_one(spool, text, options, error) for text in dict.fromkeys(given)]


def _keep_one(spool: Spool, given: str, options: FetchOptions, error: WebragError) -> Kept | Refused:
    try:
        spool.put(read_intake(given, options))
    except WebragError as refusal:
        return Refused(given, refusal)
    return Kept(given, error)


def _key_of(reference: str) -> str:
    try:
        _kind, address = parse_source(reference)
    except InputError:
        return reference
    return url_key(address)
