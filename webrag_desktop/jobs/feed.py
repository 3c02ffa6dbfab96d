"""Following a library for a window, and sources for a command, with a worker kept running meanwhile."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from threading import Thread
from uuid import UUID

from webrag_desktop.errors import ConfigurationError, DatabaseConflictError, StackError, WebragError
from webrag_desktop.jobs.worker_process import Advance, WorkerSupervisor, work_waits
from webrag_desktop.models.queue import LibraryNews, News, SourceChanged, TopicChanged
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.progress import FINAL_STATES, CancelToken
from webrag_desktop.storage import events
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import queue_control, schedule

log = logging.getLogger(__name__)
REFRESH_CHECK_SECONDS = 60.0
MOST_AT_ONCE = 20  # that wait in the queue, so that what is due together is not fetched together


class ScheduledRefresh:
    """Queues what is due, little by little."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        """Check by ``clock``, which must be monotonic."""
        self._database = database
        self._clock = clock
        self._next_check = clock()

    def check(self) -> list[UUID]:
        """Queue what is due, if that was not done a moment ago; returns what was queued."""
        if self._clock() < self._next_check:
            return []
        self._next_check = self._clock() + REFRESH_CHECK_SECONDS
        try:
            return queue_due(self._database, MOST_AT_ONCE)
        except DatabaseConflictError:
            log.info("what is due is queued the next time")
            return []


def queue_due(database: Database, most: int | None = None) -> list[UUID]:
    """Queue all that is due, or as long as not more than ``most`` of it wait; returns what was queued."""
    with database.connection() as conn:
        return schedule.enqueue_due(conn, most)


def note_of(error: WebragError) -> tuple[str, str]:
    """What is reported of a document that stays ready although its scheduled refresh failed."""
    message = error.message.rstrip(".")
    return (
        f"Due for a refresh, but not refreshed: {message}",
        "The text is as it was. It is tried again automatically.",
    )


NEWS_SECONDS = 0.05  # between two calls: a window draws no faster
WORKING_TICK_SECONDS = 1.0  # how soon the death of a worker is noticed, which no event announces
IDLE_TICK_SECONDS = 30.0  # with nothing to do, only news needs to wake it


EXPIRY_SECONDS = 3600.0
FIRST_EXPIRY_SECONDS = 10.0  # a window that has just opened shows its documents first


@dataclass(slots=True)
class _Gathered:
    """News that is still to be delivered."""

    changed: dict[UUID, SourceChanged] = field(default_factory=dict)
    topics: set[str] = field(default_factory=set)
    failure: WebragError | None = None
    delivered_failure: WebragError | None = None

    def add(self, heard: Iterable[News]) -> None:
        for news in heard:
            if isinstance(news, SourceChanged):
                self.changed.pop(news.source_id, None)  # the latest change comes last
                self.changed[news.source_id] = news
            else:
                self.topics.add(news.topic)

    def __bool__(self) -> bool:
        return bool(self.changed or self.topics) or self.failure is not self.delivered_failure

    def take(self) -> LibraryNews:
        news = LibraryNews(
            tuple(self.changed.values()),
            "queue" in self.topics,
            "citations" in self.topics,
            self.failure,
            "space" in self.topics,
        )
        self.delivered_failure = self.failure
        self.changed.clear()
        self.topics.clear()
        return news


class _Expiry:
    """Deletes what has been in the bin for long while a window is open, in which no worker may ever be idle.

    That may take minutes, so it has a thread of its own, which ends when the window is no longer followed.
    """

    def __init__(self, expire: Callable[[CancelToken], object]) -> None:
        self._expire = expire
        self._cancel = CancelToken()
        self._thread: Thread | None = None
        self._next_at = time.monotonic() + FIRST_EXPIRY_SECONDS

    def check(self) -> None:
        now = time.monotonic()
        if now < self._next_at or (self._thread is not None and self._thread.is_alive()):
            return
        self._next_at = now + EXPIRY_SECONDS
        self._thread = Thread(target=self._expire, args=(self._cancel,), name="expiry", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._cancel.cancel()
        if self._thread is not None:
            self._thread.join()


class Feed:
    """Follows a whole library for one window."""

    def __init__(
        self, database: Database, supervisor: WorkerSupervisor, expire: Callable[[CancelToken], object]
    ) -> None:
        """Listen to ``database`` and keep a worker at its queue through ``supervisor``.

        ``expire``, called now and then in a thread of its own, deletes what has been in the bin for long, until its
        token is set.
        """
        self._database = database
        self._expire = expire
        self._supervisor = supervisor
        self._unsupervised = False
        self._advance = Advance()
        self._begun: set[UUID] = set()  # by some worker, as far as was heard
        self._refresh = ScheduledRefresh(database)

    def follow(self, on_news: Callable[[LibraryNews], None], cancel: CancelToken) -> None:
        """Call ``on_news`` with what happens, in this thread, at most 20 times a second, until ``cancel`` is set.

        The first news comes at once and says that everything is to be read again; no change is missed afterwards. When
        no worker can be kept running, that is delivered like other news; another one is tried once something is
        queued or steered.

        Raises:
            Cancelled: the token was set.
            DatabaseUnreachableError: the database went away.
        """
        self._supervisor.begin()
        gathered = _Gathered(topics={"queue", "citations", "space"})
        delivered_at = check_at = -NEWS_SECONDS
        with (
            events.listening(self._database) as (listener, conn),
            cancel.calling(listener.wake),
            closing(_Expiry(self._expire)) as expiry,
        ):
            heard: list[News] = []
            while True:
                cancel.raise_if_cancelled()
                now = time.monotonic()
                if self._worker_needed(heard) or now >= check_at:
                    self._refresh.check()
                    expiry.check()
                    gathered.failure = self._failure(conn, gathered.failure)
                    check_at = now + self._tick(conn)
                gathered.add(heard)
                if gathered and now >= delivered_at + NEWS_SECONDS:
                    delivered_at = time.monotonic()
                    on_news(gathered.take())
                until = min(check_at, delivered_at + NEWS_SECONDS) if gathered else check_at
                heard = listener.hear(max(0.0, until - time.monotonic()))

    def _worker_needed(self, heard: list[News]) -> bool:
        """Whether the worker may be needed now; notes progress in passing."""
        steered = any(news == TopicChanged("queue") for news in heard)
        changes = [news for news in heard if isinstance(news, SourceChanged)]
        queued = any(news.state == "queued" for news in changes)
        requested = [self._was_requested(news) for news in changes]
        moved = TopicChanged("space") in heard
        got_on = [self._advance.made(news.source_id, news.state, news.done) for news in changes]
        if steered or (self._unsupervised and any(requested)):
            self._supervisor.try_again()
        elif moved or any(got_on):
            self._supervisor.progressed()
        return steered or queued

    def _was_requested(self, news: SourceChanged) -> bool:
        """Whether something was queued, and not put back by a worker that could not do it either."""
        was_begun = news.source_id in self._begun
        if news.state in ("fetching", "extracting", "chunking", "embedding"):
            self._begun.add(news.source_id)
        else:
            self._begun.discard(news.source_id)
        return news.state == "queued" and not was_begun

    def _failure(self, conn: Connection, known: WebragError | None) -> WebragError | None:
        """Have the work done; why it cannot be, the error that is ``known`` already where it says the same."""
        try:
            self._supervisor.keep_working(conn)
        except (StackError, ConfigurationError) as error:
            self._unsupervised = True
            return known if known is not None and known.message == error.message else error
        self._unsupervised = False
        return None

    def _tick(self, conn: Connection) -> float:
        """After how long to check again."""
        if self._unsupervised:
            return IDLE_TICK_SECONDS
        return WORKING_TICK_SECONDS if work_waits(conn) else IDLE_TICK_SECONDS


TICK_SECONDS = 1.0


class Watch:
    """Waits for sources, with a worker started whenever there is work and no worker runs."""

    def __init__(self, database: Database, supervisor: WorkerSupervisor, cancel: CancelToken) -> None:
        """Follow through ``database``; stop early when ``cancel`` is set."""
        self._database = database
        self._supervisor = supervisor
        self._cancel = cancel

    def follow(self, source_ids: Iterable[UUID]) -> Iterator[SourceRow]:
        """Yield each source whenever it changed, until all are ready, failed, cancelled or gone.

        Ends early when nothing would happen any more, since the queue is paused, or for long, since all that is left
        was postponed: its site, or the embedding model, is away.

        Raises:
            ConfigurationError: the worker ended in it; no document can be embedded with these settings.
            StackError: the worker cannot be kept running.
            Cancelled: the token was set; the work stays queued.
        """
        self._supervisor.try_again()  # how another waiting ended says nothing of this one
        waiting = dict.fromkeys(source_ids)
        shown: dict[UUID, SourceRow] = {}
        advance = Advance()
        with (
            events.listening(self._database) as (listener, conn),
            self._cancel.calling(listener.wake),
        ):
            news: Iterable[UUID] = list(waiting)
            while waiting:
                self._cancel.raise_if_cancelled()
                for source in self._changed(conn, news, waiting, shown):
                    if advance.made(source.id, source.state, source.progress_done):
                        self._supervisor.progressed()
                    yield source
                if not waiting or queue_control.is_paused(conn):
                    return
                if not queue_control.may_begin_soon(conn, list(waiting)):
                    yield from self._changed(conn, list(waiting), waiting, shown)
                    return
                self._supervisor.keep_working(conn)
                heard = {
                    event.source_id
                    for event in listener.hear(TICK_SECONDS)
                    if isinstance(event, SourceChanged)
                }
                news = heard & waiting.keys() if heard else list(waiting)

    @staticmethod
    def _changed(
        conn: Connection, news: Iterable[UUID], waiting: dict[UUID, None], shown: dict[UUID, SourceRow]
    ) -> Iterator[SourceRow]:
        wanted = list(news)
        rows = sources.get_sources(conn, wanted)
        for source_id in wanted:
            source = rows.get(source_id)
            if source is None or source.state in FINAL_STATES:
                waiting.pop(source_id, None)
            if source is not None and source != shown.get(source_id):
                shown[source_id] = source
                yield source
