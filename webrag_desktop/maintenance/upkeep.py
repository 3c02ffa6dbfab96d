"""Removing and deleting documents, vacuuming after that and merging postings, all while other work continues."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Thread
from typing import TYPE_CHECKING
from uuid import UUID

from webrag_desktop.errors import Cancelled, DatabaseError, WebragError
from webrag_desktop.maintenance.options import BinOptions
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import removal, upkeep
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.searching import chunk_cache
from webrag_desktop.storage.snapshot import interruptible

if TYPE_CHECKING:
    from webrag_desktop.progress import IdleTask

REMOVED_AT_ONCE = 100  # documents per transaction; a larger one would delay indexing
CHUNKS_REMOVED_AT_ONCE = 5000  # of documents in one transaction; a larger document has its own
log = logging.getLogger(__name__)
Remove = Callable[[Connection, Sequence[UUID]], list[UUID]]


def remove_to_bin(database: Database, ids: Sequence[UUID]) -> int:
    """Put documents into the bin, some at a time, each whole or not at all; returns how many were not there yet.

    Searches continue meanwhile. The rows deleted are removed from the files afterwards, in a background thread.
    """
    return _some_at_a_time(database, ids, removal.to_bin)


def delete_all(database: Database, ids: Sequence[UUID], *, of_bin: bool = False) -> int:
    """Delete documents for good, in the same way; ``of_bin``: only such as are in the bin at that moment."""

    def delete(conn: Connection, portion: Sequence[UUID]) -> list[UUID]:
        return sources.remove_sources(conn, removal.held(conn, portion) if of_bin else portion)

    return _some_at_a_time(database, ids, delete)


def delete_expired(database: Database, days: int, cancel: CancelToken) -> int:
    """Delete what has been in the bin for more than so many days; returns how many that were.

    ``cancel`` ends it in the middle of a statement; what was deleted before stays deleted.
    """

    def delete(conn: Connection, portion: Sequence[UUID]) -> list[UUID]:
        return sources.remove_sources(conn, removal.held_expired(conn, portion, days))

    try:
        with database.connection() as conn:
            expired = removal.expired(conn, days)
        return _some_at_a_time(database, expired, delete, cancel)
    except DatabaseError as error:
        log.info("what has been in the bin for long was not deleted: %s", error)
        return 0


def _some_at_a_time(
    database: Database, ids: Sequence[UUID], remove: Remove, cancel: CancelToken | None = None
) -> int:
    removed = 0
    try:
        for count in _removing(database, list(dict.fromkeys(ids)), remove, cancel or CancelToken()):
            removed += count
    except Cancelled:
        log.debug("removing was interrupted; %d are removed", removed)
        return removed  # whoever interrupts it waits for the end of the work; an idle task vacuums later
    if removed:
        vacuum_in_background(database)
    return removed


def _removing(database: Database, wanted: list[UUID], remove: Remove, cancel: CancelToken) -> Iterator[int]:
    """Remove a portion at each step; yields how many were in it."""
    for start in range(0, len(wanted), REMOVED_AT_ONCE):
        with database.connection() as conn:
            sizes = sources.chunk_counts(conn, wanted[start : start + REMOVED_AT_ONCE])
        for portion in _removed_together(sizes):
            with database.connection() as conn, interruptible(conn, cancel):
                count = len(remove(conn, portion))
                upkeep.count_at_once(conn)
            yield count


def _removed_together(sizes: Mapping[UUID, int]) -> Iterator[list[UUID]]:
    """Documents in portions of a bounded number of chunks, in the given order."""
    portion: list[UUID] = []
    chunks = 0
    for document_id, size in sizes.items():
        if portion and chunks + size > CHUNKS_REMOVED_AT_ONCE:
            yield portion
            portion, chunks = [], 0
        portion.append(document_id)
        chunks += size
    if portion:
        yield portion


def vacuum(database: Database, cancel: CancelToken) -> list[str]:
    """Take deleted rows out of the tables that hold many; returns their names. Nothing while another process vacuums.

    What cannot be removed now is left to autovacuum.
    """
    try:
        with database.connection() as conn:
            if not upkeep.tables_due(conn):
                return []
        with database.dedicated() as conn:
            if not upkeep.take_turn(conn):
                return []
            due = upkeep.tables_due(conn)
            return due if due and upkeep.vacuum(conn, due, cancel) else []
    except DatabaseError as error:
        log.info("deleted rows were not removed from the files: %s", error)
        return []


def vacuum_in_background(database: Database) -> Thread | None:
    """Do that in a background thread; None where little was deleted.

    When the program ends meanwhile, the server finishes alone, or stops with the rest of its work.
    """
    try:
        with database.connection() as conn:
            if not upkeep.tables_due(conn):
                return None
    except DatabaseError as error:  # the deletion itself is done; vacuuming can wait
        log.info("deleted rows were not removed from the files: %s", error)
        return None
    thread = Thread(target=vacuum, args=(database, CancelToken()), name="vacuuming", daemon=True)
    thread.start()
    return thread


def tidy_words(database: Database, cancel: CancelToken) -> int:
    """Merge the postings of words and remove deleted chunks from them; returns the number of steps.

    Each step is a transaction: what ``cancel`` interrupts is done at another time.
    """
    done = 0
    try:
        while not cancel.cancelled:
            with database.connection() as conn, interruptible(conn, cancel):
                if not upkeep.tidy_postings(conn):
                    break
            done += 1
    except Cancelled:
        log.debug("merging the index of words was interrupted by a job")
    except DatabaseError as error:
        log.info("the index of words was not tidied: %s", error)
    return done


def forget_expired_chunks(database: Database) -> int:
    """Delete expired chunks of the late-chunking cache; returns of how many documents."""
    try:
        with database.connection() as conn:
            return chunk_cache.delete_expired(conn)
    except DatabaseError as error:
        log.info("expired chunks were not deleted: %s", error)
        return 0


class Housekeeping:
    """The worker's idle task: another idle task first, then merging postings and vacuuming."""

    def __init__(self, database: Database, first: "IdleTask", options: BinOptions) -> None:
        """Do ``first``; merge postings, empty the bin of what is old, and vacuum when that has nothing to do."""
        self._database = database
        self._first = first
        self._options = options

    def step(self, give_way: CancelToken, cancel: CancelToken) -> bool:
        """Take one step of the first task; else merge postings and vacuum. All end when a job can begin."""
        if self._first.step(give_way, cancel):
            return True
        if not cancel.cancelled:
            tidy_words(self._database, give_way)
            forget_expired_chunks(self._database)
            delete_expired(self._database, self._options.days, give_way)
            vacuum(self._database, give_way)
        return False

    def due(self) -> float | None:
        """In how many seconds there may be something to do; no worker is kept for vacuuming."""
        return self._first.due()

    def comes_first(self) -> bool:
        """Whether no job can be done before the first task."""
        return self._first.comes_first()

    def takes_over(self, error: WebragError) -> bool:
        """As for the first task."""
        return self._first.takes_over(error)

    def postpone_jobs(self) -> None:
        """As for the first task."""
        self._first.postpone_jobs()
