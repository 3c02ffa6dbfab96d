"""A window hears what happens as it happens, and work gets done while it is open."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Event, Thread
from uuid import uuid4

import pytest

from tests.support.pages import PageServer
from tests.support.queue_work import accepted
from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.errors import (
    Cancelled,
    ConfigurationError,
    DatabaseUnreachableError,
    StackError,
    WebragError,
)
from webrag_desktop.jobs.feed import NEWS_SECONDS, Feed
from webrag_desktop.jobs.worker_process import STARTS_WITHOUT_PROGRESS, WorkerProcess, WorkerSupervisor
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.queue import LibraryNews, SourceChanged
from webrag_desktop.progress import CancelToken, SourceState
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.events import announce_topic
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs

PATIENCE = 30.0
STOPPED = StackError("The background worker stopped (exit code 9).", "Its log is there.")
WRONG_SETTING = ConfigurationError("The tokenizer does not belong to the model.", "Set another one.")


class FakeWorker:
    """A worker that runs until it is told to end."""

    def __init__(self, failure: WebragError) -> None:
        self.running = True
        self._failure = failure

    def stop(self, _timeout_seconds: float) -> None:
        self.running = False

    def failure(self) -> WebragError:
        return self._failure


class Following:
    """A feed in a thread of its own, its news in a queue."""

    def __init__(self, database: Database) -> None:
        self.workers: SimpleQueue[FakeWorker] = SimpleQueue()
        self.cancel = CancelToken()
        self.error: WebragError | None = None
        self.reported: list[float] = []
        self.started: list[FakeWorker] = []
        self.failure: WebragError = STOPPED
        self.lame = False  # whether workers end as soon as they are started
        self.supervisor = WorkerSupervisor(self._start)
        self._news: SimpleQueue[LibraryNews] = SimpleQueue()
        self.expire: Callable[[CancelToken], object] = lambda _cancel: None
        self._feed = Feed(database, self.supervisor, self._expire)
        self._thread = Thread(target=self._follow)

    def _expire(self, cancel: CancelToken) -> None:
        self.expire(cancel)

    def _start(self) -> WorkerProcess:
        worker = FakeWorker(self.failure)
        worker.running = not self.lame
        self.workers.put(worker)
        return worker  # type: ignore[return-value]

    def _follow(self) -> None:
        try:
            self._feed.follow(self._hear, self.cancel)
        except WebragError as error:
            self.error = error

    def _hear(self, news: LibraryNews) -> None:
        self.reported.append(time.monotonic())
        self._news.put(news)

    def start(self) -> None:
        self._thread.start()
        assert self.hear() == LibraryNews(queue=True, citations=True, space=True)

    def hear(self) -> LibraryNews:
        return self._news.get(timeout=PATIENCE)

    def hear_of(self, wanted: Callable[[LibraryNews], bool]) -> list[LibraryNews]:
        """The news up to the first that is wanted."""
        heard = [self.hear()]
        while not wanted(heard[-1]):
            heard.append(self.hear())
        return heard

    def end(self) -> WebragError | None:
        """What it ended in."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return self.error


@contextmanager
def following(database: Database) -> Iterator[Following]:
    feed = Following(database)
    feed.start()
    try:
        yield feed
    finally:
        feed.cancel.cancel()
        feed.end()


@pytest.fixture
def feed(database: Database) -> Iterator[Following]:
    with following(database) as made:
        yield made


def test_changes_are_reported_with_the_newest_of_each_source(
    database: Database, library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    assert feed.hear().changed == (SourceChanged(source_id, "queued"),)
    with database.connection() as conn:
        for done in range(50):
            sources.set_state(conn, source_id, "embedding", done=done, total=50)
    assert feed.hear().changed == (SourceChanged(source_id, "embedding", 49, 50),)


def test_what_expires_in_the_bin_keeps_no_news_back_and_ends_with_the_feed(
    database: Database, library: StoredLibrary, pages: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webrag_desktop.jobs.feed.FIRST_EXPIRY_SECONDS", 0.0)
    begun, stopped = Event(), Event()

    def expire(cancel: CancelToken) -> None:
        with cancel.calling(stopped.set):
            begun.set()
            stopped.wait(PATIENCE)

    feed = Following(database)
    feed.expire = expire
    feed.start()
    try:
        assert begun.wait(PATIENCE)
        source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
        feed.hear_of(lambda news: SourceChanged(source_id, "queued") in news.changed)
        assert not stopped.is_set()
    finally:
        feed.cancel.cancel()
        assert isinstance(feed.end(), Cancelled)
    assert stopped.is_set()


def test_a_flood_is_reported_in_gulps(
    database: Database, library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    for done in range(100):
        with database.connection() as conn:
            sources.set_state(conn, source_id, "embedding", done=done, total=100)
    feed.hear_of(lambda news: SourceChanged(source_id, "embedding", 99, 100) in news.changed)
    assert len(feed.reported) <= (feed.reported[-1] - feed.reported[0]) / NEWS_SECONDS + 2


def test_pausing_and_citing_elsewhere_are_reported(
    database: Database, library: StoredLibrary, feed: Following
) -> None:
    document = SyntheticLibrary(database).add("https://a.org/", [Section([Passage("one two three")])])
    feed.hear_of(lambda news: bool(news.changed))
    library.queue.pause()
    assert feed.hear() == LibraryNews(queue=True)
    library.queue.resume()
    assert feed.hear() == LibraryNews(queue=True)
    text = library.documents.text(document)
    assert text is not None
    library.citations.cite(text.id, 0, 3)
    assert feed.hear() == LibraryNews(citations=True)
    library.documents.remove(document)
    assert feed.hear() == LibraryNews((SourceChanged(document, "removed"),), citations=True)


def test_two_windows_hear_the_same(database: Database, library: StoredLibrary, pages: PageServer) -> None:
    with following(database) as one, following(database) as other:
        source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
        assert one.hear().changed == other.hear().changed == (SourceChanged(source_id, "queued"),)


def test_a_worker_is_started_when_there_is_work_and_only_then(
    library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    library.queue.pause()
    feed.hear()
    library.add([pages.url("/rhine")])
    feed.hear()
    assert feed.workers.empty()
    library.queue.resume()
    assert feed.workers.get(timeout=PATIENCE).running
    library.add([pages.url("/elbe")])
    feed.hear_of(lambda news: bool(news.changed))
    assert feed.workers.empty()  # that one runs


def test_work_that_waited_before_is_taken_up(
    database: Database, library: StoredLibrary, pages: PageServer
) -> None:
    library.add([pages.url("/rhine")])
    with following(database) as feed:
        assert feed.workers.get(timeout=PATIENCE).running


def test_the_worker_of_another_program_is_enough(
    database: Database, library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    with database.dedicated() as lock:
        assert jobs.become_runner(lock)
        library.add([pages.url("/rhine")])
        feed.hear()
        assert feed.workers.empty()
        jobs.resign(lock)
        assert feed.workers.get(timeout=PATIENCE).running  # its end is noticed, although nobody announces it


def test_a_worker_that_dies_is_replaced(library: StoredLibrary, pages: PageServer, feed: Following) -> None:
    library.add([pages.url("/rhine")])
    feed.workers.get(timeout=PATIENCE).running = False
    assert feed.workers.get(timeout=PATIENCE).running


def test_a_worker_that_gets_nothing_done_is_given_up_with_its_own_words(
    library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    feed.lame = True
    library.add([pages.url("/rhine")])
    reported = feed.hear_of(lambda news: news.failure is not None)[-1].failure
    assert isinstance(reported, StackError)
    assert "exit code 9" in reported.message
    assert feed.workers.qsize() == STARTS_WITHOUT_PROGRESS


def test_news_are_followed_without_a_worker_and_what_is_queued_then_has_another_tried(
    database: Database, library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    feed.lame = True
    library.add([pages.url("/rhine")])
    failure = feed.hear_of(lambda news: news.failure is not None)[-1].failure
    with database.connection() as conn:
        sources.set_states(conn, [known := uuid4()], "failed", reason="It did not answer.")
    assert feed.hear() == LibraryNews((SourceChanged(known, "failed"),), failure=failure)
    feed.lame = False
    library.add([pages.url("/elbe")])
    assert feed.hear_of(lambda news: news.failure is None)
    assert feed.workers.qsize() == STARTS_WITHOUT_PROGRESS + 1


def test_work_that_gets_done_forgives_earlier_deaths(
    database: Database, library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    for done in range(STARTS_WITHOUT_PROGRESS + 2):
        with database.connection() as conn:
            sources.set_state(conn, source_id, "embedding", done=done, total=20)
        feed.hear_of(lambda news: any(change.state == "embedding" for change in news.changed))
        feed.workers.get(timeout=PATIENCE).running = False
    assert feed.workers.get(timeout=PATIENCE).running


def test_work_that_is_begun_again_and_again_forgives_nothing(
    database: Database, library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    failure = None
    while failure is None:
        with database.connection() as conn:
            for state in ("fetching", "extracting"):
                sources.set_state(conn, source_id, state)
        failure = feed.hear().failure
        while not feed.workers.empty():
            feed.started.append(feed.workers.get())
            feed.started[-1].running = False
    assert len(feed.started) == STARTS_WITHOUT_PROGRESS


def test_a_worker_that_met_a_wrong_setting_is_started_once_and_reported_once(
    database: Database, library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    feed.lame, feed.failure = True, WRONG_SETTING
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    assert feed.hear_of(lambda news: news.failure is not None)[-1].failure is WRONG_SETTING
    with database.connection() as conn:
        sources.set_state(conn, source_id, "embedding", done=7, total=9)  # of that worker, reported late
    assert feed.hear() == LibraryNews((SourceChanged(source_id, "embedding", 7, 9),), failure=WRONG_SETTING)
    assert feed.workers.qsize() == 1
    feed.lame = False
    library.add([pages.url("/elbe")])  # the user asks for something: it may go well now
    feed.hear_of(lambda news: news.failure is None)
    assert feed.workers.qsize() == 2


def test_what_somebody_elses_worker_began_and_put_back_is_no_wish(
    database: Database, library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    """Else two windows with one wrong setting would take each other's attempts for wishes for ever."""
    feed.lame, feed.failure = True, WRONG_SETTING
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    feed.hear_of(lambda news: news.failure is not None)
    states: tuple[SourceState, ...] = ("fetching", "extracting", "queued")
    for state in states:
        with database.connection() as conn:
            sources.set_state(conn, source_id, state)
    with database.connection() as conn:
        announce_topic(conn, "citations")
    feed.hear_of(lambda news: news.citations)
    assert feed.workers.qsize() == 1


def test_pausing_again_and_again_is_no_failure(
    library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    library.add([pages.url("/rhine")])
    for _ in range(STARTS_WITHOUT_PROGRESS + 1):
        worker = feed.workers.get(timeout=PATIENCE)
        library.queue.pause()
        feed.hear_of(lambda news: news.queue)
        worker.running = False
        library.queue.resume()
    assert feed.workers.get(timeout=PATIENCE).running


def test_no_worker_is_started_after_stopping_it(
    database: Database, library: StoredLibrary, pages: PageServer, feed: Following
) -> None:
    library.add([pages.url("/rhine")])
    worker = feed.workers.get(timeout=PATIENCE)
    feed.supervisor.stop(1.0)
    assert not worker.running
    with database.connection() as conn:
        feed.supervisor.keep_working(conn)
        assert feed.workers.empty()
        feed.supervisor.begin()
        feed.supervisor.keep_working(conn)
    assert feed.workers.get(timeout=PATIENCE).running


def test_cancelling_ends_it_at_once(feed: Following) -> None:
    feed.cancel.cancel()
    assert isinstance(feed.end(), Cancelled)


def test_losing_the_database_is_an_error(database: Database, feed: Following) -> None:
    with database.connection() as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert isinstance(feed.end(), DatabaseUnreachableError)


def test_an_announcement_of_a_newer_program_is_passed_over(database: Database, feed: Following) -> None:
    with database.connection() as conn:
        conn.execute("SELECT pg_notify('webrag_library', 'something new')")
        sources.set_states(conn, [known := uuid4()], "failed", reason="It did not answer.")
    assert feed.hear() == LibraryNews((SourceChanged(known, "failed"),))
