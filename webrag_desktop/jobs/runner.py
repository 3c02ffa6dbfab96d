"""The one runner of a library: takes jobs from the durable queue until none is left, or the queue is paused."""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Lock, Thread, Timer
from uuid import UUID

from webrag_desktop.errors import DatabaseError
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.fetching.options import FetchOptions, SubresourceOptions
from webrag_desktop.ingestion.reading_process.process import Reading
from webrag_desktop.jobs import run_pages
from webrag_desktop.jobs.fetching import PageFetcher
from webrag_desktop.jobs.one_job import Work
from webrag_desktop.jobs.postponement import CircuitBreaker
from webrag_desktop.jobs.prefetch import LARGEST_PREFETCH, prefetching_jobs
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.queue import News, SourceChanged
from webrag_desktop.progress import FINAL_STATES, CancelToken, IdleTask, NoIdleTask
from webrag_desktop.storage import events
from webrag_desktop.storage.captures import page_looks
from webrag_desktop.storage.database import Connection, Database, database_errors
from webrag_desktop.storage.events import Listener
from webrag_desktop.storage.queue import jobs, postponement, queue_control
from webrag_desktop.storage.queue.jobs import Job

log = logging.getLogger(__name__)
_CHANGING = FINAL_STATES | {"queued", "removed"}  # after which other jobs may be due
_TICK_SECONDS = 60.0
_LONGEST_WAIT_SECONDS = 60.0  # then the runner checks that it still holds its lock


class Interruptions:
    """Cancels the token of a job under way when what it does is not wanted any more.

    The interrupted job reads from the database why: nothing is decided here.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._present: list[tuple[UUID | None, CancelToken]] = []
        self._ended = CancelToken()
        self._changed = Event()

    def begin_to_wait(self) -> None:
        """What happens from now on ends the next :meth:`wait`; call it before checking for work."""
        self._changed.clear()

    def wait(self, seconds: float, cancel: CancelToken) -> None:
        """Wait so long, at most a minute, or until something is queued or steered, or ``cancel`` is set."""
        with cancel.calling(self._changed.set):
            if not cancel.cancelled:
                self._changed.wait(min(seconds, _LONGEST_WAIT_SECONDS))

    @contextmanager
    def job(self, conn: Connection, source_id: UUID, outer: CancelToken) -> Iterator[CancelToken]:
        """The token of a job that was just claimed; it is cancelled with ``outer`` too."""
        with self._registered(source_id) as token, outer.calling(token.cancel):
            # What was requested before this listened; a cancelled source is noticed when it reports its first state.
            if outer.cancelled or queue_control.is_paused(conn):
                token.cancel()
            yield token

    @contextmanager
    def idle(self, outer: CancelToken) -> Iterator[CancelToken]:
        """The token of work that gives way to any job; it is cancelled with ``outer`` too."""
        with self._registered(None) as token, outer.calling(token.cancel):
            # What happened since the runner checked for work.
            if outer.cancelled or self._changed.is_set():
                token.cancel()
            yield token

    @contextmanager
    def _registered(self, source_id: UUID | None) -> Iterator[CancelToken]:
        present = source_id, CancelToken()
        with self._lock:
            self._present.append(present)
        try:
            yield present[1]
        finally:
            with self._lock:
                self._present.remove(present)

    def _listen(self, listener: Listener, conn: Connection) -> None:
        try:
            with database_errors():
                while not self._ended.cancelled:
                    self._consider(listener.hear(_TICK_SECONDS), conn)
        except DatabaseError as error:  # the worker meets the same, and says so
            log.info("requests of the user cannot be received any more: %s", error)
            self._changed.set()

    def _consider(self, heard: list[News], conn: Connection) -> None:
        stopped = {
            news.source_id
            for news in heard
            if isinstance(news, SourceChanged) and (news.state in FINAL_STATES or news.state == "removed")
        }
        paused = any(not isinstance(news, SourceChanged) and news.topic == "queue" for news in heard)
        paused = paused and queue_control.is_paused(conn)
        changed = any(map(_changes_queue, heard))
        if changed:
            self._changed.set()
        with self._lock:
            present = list(self._present)
        for source_id, token in present:
            if paused or source_id in stopped or (source_id is None and changed):
                token.cancel()


def _changes_queue(news: News) -> bool:
    """Whether other jobs may be due now."""
    return news.state in _CHANGING if isinstance(news, SourceChanged) else news.topic == "queue"


@contextmanager
def listening_for_interruptions(database: Database) -> Iterator[Interruptions]:
    """Receive the user's requests while the block runs."""
    interruptions = Interruptions()
    with events.listening(database) as (listener, conn):
        thread = Thread(
            target=interruptions._listen, args=(listener, conn), name="interruptions", daemon=True
        )
        thread.start()
        try:
            yield interruptions
        finally:
            interruptions._ended.cancel()
            listener.wake()
            thread.join()


@contextmanager
def cancelling_after(seconds: float | None, token: CancelToken) -> Iterator[None]:
    """Cancel the token where the block runs longer than so many seconds; None: never."""
    if seconds is None:
        yield
        return
    timer = Timer(seconds, token.cancel)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


SHORTEST_WAIT_SECONDS = 0.05  # while what waits cannot be begun


@dataclass(frozen=True, slots=True)
class Runner:
    """Works jobs off, one at a time; the next is fetched, read and cut while one is embedded.

    ``indexer`` is called for every document (the first loads the model). ``read`` gives the document in a capture,
    see :meth:`ReadingProcess.read`. ``idle_task`` is done while no job can be begun; where it fetches,
    too, it shares the ``fetcher``, which knows which sites are paused.
    """

    database: Database
    indexer: Callable[[], Indexer]
    fetch_options: FetchOptions
    read: Callable[[Capture, CancelToken], Reading]
    idle_task: IdleTask = field(default_factory=NoIdleTask)
    network: Network = field(default_factory=Network)
    fetcher: PageFetcher | None = None
    subresource_options: SubresourceOptions = field(default_factory=SubresourceOptions)

    def drain(self, lock: Connection, cancel: CancelToken) -> int:
        """Work until the queue is empty or paused, or ``cancel`` is set; returns how many jobs were closed.

        It also ends when all that waits is postponed for long (:data:`jobs.PATIENCE_SECONDS`), but for a move of the
        library that jobs must wait for.

        ``lock`` is a dedicated connection that holds the runner lock (:func:`jobs.become_runner`). What an
        earlier runner left half done is taken up again.

        Raises:
            DatabaseUnreachableError: the database went away, or the lock with it; the job stays in the queue.
            ConfigurationError: no document can be embedded with these settings; all stay in the queue.
        """
        jobs.release_claims(lock)
        closed = 0
        fetcher = self.fetcher or PageFetcher(self.fetch_options, self.network)
        breaker = CircuitBreaker()
        with listening_for_interruptions(self.database) as interruptions:

            def claim(most_bytes: int | None = None) -> Work | None:
                with database_errors():
                    jobs.check_runner(lock)
                    job = None if cancel.cancelled else self._claim(fetcher, most_bytes)
                    if job is None:
                        return None
                    held = ExitStack()
                    token = held.enter_context(interruptions.job(lock, job.source_id, cancel))
                return Work(self, fetcher, breaker, prefetcher, job, token, held)

            with prefetching_jobs(partial(claim, LARGEST_PREFETCH)) as prefetcher:
                while not cancel.cancelled:
                    jobs.check_runner(lock)
                    interruptions.begin_to_wait()
                    work = prefetcher.take(partial(self._outranked, fetcher)) or claim()
                    if work is not None:
                        closed += work.run()
                    elif not (
                        self._do_idle_task(fetcher, interruptions, cancel)
                        or self._wait(fetcher, interruptions, cancel)
                    ):
                        break
        return closed + prefetcher.closed

    def _claim(self, fetcher: PageFetcher, ahead: int | None) -> Job | None:
        if self.idle_task.comes_first():
            return None
        with self.database.connection() as conn:
            return jobs.claim(conn, list(fetcher.schedule.resting()), ahead=ahead)

    def _outranked(self, fetcher: PageFetcher, work: Work) -> bool:
        """Whether a more urgent job came in since this one was begun ahead."""
        with self.database.connection() as conn:
            return queue_control.is_outranked(conn, work.job, list(fetcher.schedule.resting()))

    def _do_idle_task(self, fetcher: PageFetcher, interruptions: Interruptions, cancel: CancelToken) -> bool:
        with (
            interruptions.idle(cancel) as give_way,
            cancelling_after(self._seconds_to_job(fetcher), give_way),
        ):
            return self.idle_task.step(give_way, cancel)

    def _seconds_to_job(self, fetcher: PageFetcher) -> float | None:
        """In how many seconds a job may be begun that only waits for its time, or for its site to have rested."""
        if self.idle_task.comes_first():
            return None
        with self.database.connection() as conn:
            due = jobs.next_due(conn)
        resting = fetcher.schedule.resting().values()
        return None if due is None else min([*resting, *filter(None, [due])], default=None)

    def _wait(self, fetcher: PageFetcher, interruptions: Interruptions, cancel: CancelToken) -> bool:
        """Wait until something may be begun; False when nothing waits, or not for the next quarter of an hour.

        For a move that jobs must wait for a worker stays: each one that came for them would leave at once.
        """
        comes_first = self.idle_task.comes_first()
        self.idle_task.postpone_jobs()
        with self.database.connection() as conn:
            due = jobs.next_due(conn)
        dues = [
            seconds for seconds in (None if comes_first else due, self.idle_task.due()) if seconds is not None
        ]
        stays = comes_first and due is not None and due <= jobs.PATIENCE_SECONDS
        if not dues or (min(dues) > jobs.PATIENCE_SECONDS and not stays):
            return False
        until = [*fetcher.schedule.resting().values(), *filter(None, dues)]
        interruptions.wait(max(SHORTEST_WAIT_SECONDS, min(until, default=0.0)), cancel)
        return True


def work_off(
    database: Database, runner: Runner, begins: Callable[[], None], cancel: CancelToken
) -> int | None:
    """Let ``runner`` work until the queue is empty or paused; None when another process is the worker already.

    ``begins`` is called each time the queue is taken over. Returns how many jobs were closed.
    """
    closed = 0
    while True:
        done = _work_once(database, runner, begins, cancel)
        if done is None:
            return closed or None
        closed += done
        # Work added between the last look and the release would otherwise wait without a worker.
        if cancel.cancelled or not _work_waits(database, runner):
            return closed


def _work_once(
    database: Database, runner: Runner, begins: Callable[[], None], cancel: CancelToken
) -> int | None:
    with database.dedicated() as lock:
        if not jobs.become_runner(lock):
            return None
        begins()
        closed = runner.drain(lock, cancel)
        jobs.resign(lock)
        return closed


def _work_waits(database: Database, runner: Runner) -> bool:
    jobs_can_be_done = not runner.idle_task.comes_first()
    with database.connection() as conn:
        return postponement.work_waits(conn) or (
            jobs_can_be_done
            and (
                queue_control.work_waits(conn)
                or run_pages.capture_work_waits(conn)
                or page_looks.work_waits(conn)
            )
        )
