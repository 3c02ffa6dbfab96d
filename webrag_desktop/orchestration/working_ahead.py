"""The kept page or file that comes next is read while the present document is embedded and written."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from webrag_desktop.errors import WebragError
from webrag_desktop.ingestion.reading_process.process import Reading
from webrag_desktop.models import Capture
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.captures.captures import StoredCapture
from webrag_desktop.storage.database import Database

log = logging.getLogger(__name__)
LARGEST_READ_AHEAD = 20_000_000  # bytes of a capture: what is read ahead is in memory beside what is embedded
Read = Callable[[Capture, CancelToken], Reading]


@dataclass(slots=True)
class _Ahead:
    """A capture that is read ahead of its turn."""

    reading: "Future[Reading]"
    capture_id: UUID
    cancel: CancelToken = field(default_factory=CancelToken)


class ReadingAhead:
    """Reads captures, one at a time, and at most one ahead of its job. Used from one thread, the runner's.

    Nothing of it is written and no job claimed: a job that comes otherwise is read as if nothing had been read ahead,
    and after a crash there is nothing to put in order.
    """

    def __init__(self, database: Database, read: Read, threads: ThreadPoolExecutor) -> None:
        """Read by ``read``, ahead in the single one of ``threads``."""
        self._database = database
        self._read = read
        self._threads = threads
        self._ahead: _Ahead | None = None

    def begin(self) -> None:
        """Begin to read what comes next, if that is kept already, and nothing else is read ahead."""
        if self._ahead is not None:
            return
        try:
            with self._database.connection() as conn:
                stored = captures.next_to_read(conn, LARGEST_READ_AHEAD)
        except WebragError as error:  # it is met again by the job that it concerns
            log.info("nothing can be read ahead: %s", error)
            return
        if stored is not None:
            token = CancelToken()
            self._ahead = _Ahead(self._threads.submit(self._read, stored.capture, token), stored.id, token)

    def read(self, stored: StoredCapture, cancel: CancelToken) -> Reading:
        """The document in a capture, read by now or read at once.

        Raises:
            WebragError: as ``read`` does.
        """
        ahead, self._ahead = self._ahead, None
        if ahead is None:
            return self._read(stored.capture, cancel)
        if ahead.capture_id != stored.id:
            _end(ahead)
            return self._read(stored.capture, cancel)
        with cancel.calling(ahead.cancel.cancel):
            cancel.raise_if_cancelled()
            return ahead.reading.result()

    def close(self) -> None:
        """End what is read ahead."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            _end(ahead)


def _end(ahead: _Ahead) -> None:
    """Let go of it; whatever it failed with is met again by its job."""
    ahead.cancel.cancel()
    ahead.reading.exception()


@contextmanager
def reading_ahead(database: Database, read: Read) -> Iterator[ReadingAhead]:
    """Reading ahead for the block."""
    with ThreadPoolExecutor(1, thread_name_prefix="reading-ahead") as threads:
        ahead = ReadingAhead(database, read, threads)
        try:
            yield ahead
        finally:
            ahead.close()
