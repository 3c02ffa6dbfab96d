"""The one runner of a library: takes jobs from the durable queue until none is left."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.reading_process.process import Reading
from webrag_desktop.jobs.backoff import ModelAway
from webrag_desktop.jobs.fetching import PageFetcher
from webrag_desktop.jobs.interruptions import Interruptions, heeding_interruptions
from webrag_desktop.jobs.one_job import Work
from webrag_desktop.jobs.working_ahead import LARGEST_AHEAD, working_ahead
from webrag_desktop.models import Capture
from webrag_desktop.progress import Aside, CancelToken, NothingAside
from webrag_desktop.storage.database import Connection, Database, database_errors
from webrag_desktop.storage.queue import claiming_ahead, jobs
from webrag_desktop.storage.queue.jobs import Job

SHORTEST_REST_SECONDS = 0.05  # while what waits cannot be begun


@dataclass(frozen=True, slots=True)
class Runner:
    """Works jobs off, one at a time; the next is fetched, read and cut while one is embedded.

    ``indexer`` is asked for at every document (the first loads the model). ``read`` gives the document in a capture,
    see :meth:`ReadingProcess.read`. ``aside`` is done while no job can be begun.
    """

    database: Database
    indexer: Callable[[], Indexer]
    fetch_options: FetchOptions
    read: Callable[[Capture, CancelToken], Reading]
    aside: Aside = field(default_factory=NothingAside)
    network: Network = field(default_factory=Network)

    def drain(self, lock: Connection, cancel: CancelToken) -> int:
        """Work until the queue is empty or paused, or ``cancel`` is set; returns how many jobs were closed.

        It also ends when all that waits is put off for long (:data:`jobs.PATIENCE_SECONDS`), but for a move of the
        library that jobs must wait for.

        ``lock`` is a dedicated connection that holds the runner lock (:func:`jobs.become_runner`). What an
        earlier runner left half done is taken up again.

        Raises:
            DatabaseUnreachableError: the database went away, or the lock with it; the job stays in the queue.
            ConfigurationError: no document can be embedded with these settings; all stay in the queue.
        """
        jobs.release_claims(lock)
        closed = 0
        fetcher, away = PageFetcher(self.fetch_options, self.network), ModelAway()
        with heeding_interruptions(self.database) as interruptions:

            def claim(most_bytes: int | None = None) -> Work | None:
                with database_errors():
                    jobs.check_runner(lock)
                    job = None if cancel.cancelled else self._claim(fetcher, most_bytes)
                    if job is None:
                        return None
                    held = ExitStack()
                    token = held.enter_context(interruptions.job(lock, job.source_id, cancel))
                return Work(self, fetcher, away, ahead, job, token, held)

            with working_ahead(partial(claim, LARGEST_AHEAD)) as ahead:
                while not cancel.cancelled:
                    jobs.check_runner(lock)
                    interruptions.begin_to_rest()
                    work = ahead.take(partial(self._outranked, fetcher)) or claim()
                    if work is not None:
                        closed += work.run()
                    elif not (
                        self._step_aside(interruptions, cancel) or self._rest(fetcher, interruptions, cancel)
                    ):
                        break
        return closed + ahead.closed

    def _claim(self, fetcher: PageFetcher, ahead: int | None) -> Job | None:
        if self.aside.comes_first():
            return None
        with self.database.connection() as conn:
            return jobs.claim(conn, list(fetcher.schedule.resting()), ahead=ahead)

    def _outranked(self, fetcher: PageFetcher, work: Work) -> bool:
        """Whether a more urgent job came in since this one was begun ahead."""
        with self.database.connection() as conn:
            return claiming_ahead.is_outranked(conn, work.job, list(fetcher.schedule.resting()))

    def _step_aside(self, interruptions: Interruptions, cancel: CancelToken) -> bool:
        with interruptions.aside(cancel) as give_way:
            return self.aside.step(give_way, cancel)

    def _rest(self, fetcher: PageFetcher, interruptions: Interruptions, cancel: CancelToken) -> bool:
        """Wait until something may be begun; False when nothing waits, or not for the next quarter of an hour.

        For a move that jobs must wait for a worker stays: each one that came for them would leave at once.
        """
        comes_first = self.aside.comes_first()
        self.aside.put_jobs_off()
        with self.database.connection() as conn:
            due = jobs.next_due(conn)
        dues = [
            seconds for seconds in (None if comes_first else due, self.aside.due()) if seconds is not None
        ]
        stays = comes_first and due is not None and due <= jobs.PATIENCE_SECONDS
        if not dues or (min(dues) > jobs.PATIENCE_SECONDS and not stays):
            return False
        until = [*fetcher.schedule.resting().values(), *filter(None, dues)]
        interruptions.rest(max(SHORTEST_REST_SECONDS, min(until, default=0.0)), cancel)
        return True
