"""A model or database that is away lets work wait, not fail; when it is back, all goes on at once."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from tests.support.pages import PageServer
from tests.support.queue_work import accepted, article, assert_sound, drain_queue, row
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.server_errors import KeyRefusedError, ServerBusyError, ServerUnreachableError
from webrag_desktop.errors import DatabaseConflictError, EmbeddingError, FetchError, StackError, WebragError
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.jobs.feed import Watch
from webrag_desktop.jobs.postponement import (
    MOST_CONFLICTS,
    RETRY_SECONDS,
    CircuitBreaker,
    awaited_after,
    seconds_before_retry,
)
from webrag_desktop.jobs.worker_process import (
    AGAIN_SECONDS,
    STARTS_WITHOUT_PROGRESS,
    WorkerProcess,
    WorkerSupervisor,
)
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs, queue_control
from webrag_desktop.storage.queue.queue_control import WATCHED_REST_SECONDS

AWAY = ServerUnreachableError("Nothing answers at http://localhost:11434.", "Start it.")


class Failing:
    """The real model, as long as nothing is the matter with it."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.model = real.model
        self.fault: Exception | None = None
        self.asked = 0

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> object:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        return self._real.embed_texts(texts, cancel=cancel)


@pytest.fixture
def model(embedder: Embedder) -> Failing:
    return Failing(embedder)


@pytest.fixture
def work(database: Database, model: Failing, make_indexer: Callable[..., Indexer]) -> Callable[[], int]:
    """Drain the queue with that model, until there is nothing more for now."""
    cancel = CancelToken()
    indexer = make_indexer(database, model)

    def drain() -> int:
        return drain_queue(database, lambda: indexer, cancel)

    return drain


def set_due(database: Database, seconds: float) -> None:
    with database.connection() as conn:
        conn.execute(
            "UPDATE jobs SET not_before = clock_timestamp() + make_interval(secs => %s) WHERE not_before IS NOT NULL",
            [seconds],
        )


def rest_of(library: StoredLibrary, source_id: object) -> float:
    waits_until = row(library, source_id).waits_until  # type: ignore[arg-type]
    assert waits_until is not None
    return (waits_until - datetime.now(UTC)).total_seconds()


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker ends when all that is left waits for the model."""
    monkeypatch.setattr("webrag_desktop.storage.queue.jobs.MODEL_PATIENCE_SECONDS", 20.0)


@pytest.mark.usefixtures("no_patience")
def test_while_the_model_is_away_documents_wait_and_can_be_found_by_their_words(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[[], int], model: Failing
) -> None:
    model.fault = AWAY
    first, second = (
        accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")])
    )
    assert work() == 0
    for waiting in (row(library, first), row(library, second)):
        assert (waiting.state, waiting.waits_for, waiting.state_reason) == ("queued", "model", AWAY.message)
        assert (
            waiting.state_hint
            == "Start it. It is tried again automatically. Its words can be found meanwhile."
        )
        assert waiting.searchable
        assert 0 < rest_of(library, waiting.id) <= 30
    assert_sound(database)
    assert len(pages.requests) == 2
    with database.connection() as conn:
        assert conn.execute("SELECT max(attempts), max(setbacks) FROM jobs").fetchone() == (0, 1)


@pytest.mark.usefixtures("no_patience")
def test_one_attempt_tells_that_it_is_still_away_and_one_that_it_is_back(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[[], int], model: Failing
) -> None:
    model.fault = AWAY
    ids = [accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")])]
    work()
    set_due(database, -1)
    asked = model.asked
    work()
    assert model.asked == asked + 1, "the second document need not find out for itself"
    assert all(30 < rest_of(library, id_) <= 60 for id_ in ids)
    model.fault = None
    with database.connection() as conn:
        conn.execute("UPDATE jobs SET not_before = clock_timestamp() WHERE source_id = %s", [ids[0]])
    assert work() == 2, "the first to go well sets the other free"
    assert {source.state for source in library.documents.all()} == {"ready"}
    assert {(source.state_reason, source.waits_until) for source in library.documents.all()} == {(None, None)}
    assert len(pages.requests) == 2, "nothing is fetched again"
    assert_sound(database)


@pytest.mark.usefixtures("no_patience")
def test_of_many_only_the_first_finds_out_that_the_model_is_away(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Callable[[], int],
    model: Failing,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("webrag_desktop.models.queue.FEW", 1)
    model.fault = AWAY
    pages.pages["/oder"] = article("Oder")
    many = [pages.url(path) for path in ("/rhine", "/elbe", "/oder")]
    ids = [accepted(one).source_id for one in library.add(many)]
    work()
    assert model.asked == 1
    assert all(row(library, id_).searchable and row(library, id_).waits_for == "model" for id_ in ids)
    assert all(25 < rest_of(library, id_) <= 30 for id_ in ids)
    assert_sound(database)
    model.fault = None
    set_due(database, -1)
    assert work() == 3
    assert {source.state for source in library.documents.all()} == {"ready"}


def test_that_the_model_is_away_is_believed_until_it_is_asked_again() -> None:
    now = [0.0]
    breaker = CircuitBreaker(lambda: now[0])
    assert breaker.state() is None
    breaker.open(AWAY, 30)
    now[0] = 10
    assert breaker.state() == (AWAY, 20)
    now[0] = 30
    assert breaker.state() is None
    breaker.open(AWAY, 30)
    breaker.reset()
    assert breaker.state() is None


@pytest.mark.usefixtures("no_patience")
def test_a_refresh_of_what_waits_or_is_under_way_fetches_the_page_once_more(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[[], int], model: Failing
) -> None:
    model.fault = AWAY
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    pages.pages["/rhine"] = article("Rhine", "The river carries granite.")
    library.documents.refresh([source_id])
    model.fault = None
    library.queue.retry_failed()
    real = model.embed_texts

    def meanwhile(texts: list[str], **options: object) -> object:
        pages.pages["/rhine"] = article("Rhine", "The river carries basalt.")
        library.documents.refresh([source_id])
        model.embed_texts = real  # type: ignore[method-assign]
        return real(texts, **options)  # type: ignore[arg-type]

    model.embed_texts = meanwhile  # type: ignore[method-assign]
    work()
    assert row(library, source_id).state == "ready"
    text = library.documents.text(source_id)
    assert text is not None
    assert "basalt" in text.markdown
    assert len(pages.requests) == 3
    assert_sound(database)


@pytest.mark.usefixtures("no_patience")
def test_something_new_that_goes_well_sets_free_what_waits(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[[], int], model: Failing
) -> None:
    model.fault = AWAY
    library.add([pages.url("/rhine")])
    work()
    model.fault = None
    library.add([pages.url("/elbe")])
    assert work() == 2


@pytest.mark.usefixtures("no_patience")
def test_the_user_can_have_it_tried_at_once_and_can_stop_it(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[[], int], model: Failing
) -> None:
    model.fault = AWAY
    ids = [accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")])]
    work()
    assert library.queue.cancel([ids[1]]) == [ids[1]]
    assert row(library, ids[1]).state == "cancelled"
    model.fault = None
    assert library.queue.retry_failed() == 1
    assert row(library, ids[0]).waits_until is None
    assert work() == 1
    assert_sound(database)


@pytest.mark.usefixtures("no_patience")
def test_a_changed_text_waits_beside_the_old_one(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[[], int], model: Failing
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    before = library.documents.text(source_id)
    pages.pages["/rhine"] = article("Rhine", "The river carries granite.")
    model.fault = AWAY
    library.documents.refresh([source_id])
    work()
    assert row(library, source_id).waits_for == "model"
    assert library.documents.text(source_id) == before
    assert_sound(database)
    model.fault = None
    library.queue.retry_failed()
    work()
    after = library.documents.text(source_id)
    assert after is not None
    assert "granite" in after.markdown


def test_what_does_not_pass_by_itself_fails_at_once(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[[], int], model: Failing
) -> None:
    model.fault = KeyRefusedError("The key was refused.", "Check EMBEDDING_API_KEY.")
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    assert work() == 1
    failed = row(library, source_id)
    assert (failed.state, failed.state_reason) == ("failed", "The key was refused.")
    assert_sound(database)


def test_a_conflict_that_passes_costs_a_second_and_one_that_stays_fails(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[[], int], model: Failing
) -> None:
    model.fault = DatabaseConflictError("Another program was changing the same.", "Try again.")
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    with database.connection() as conn:
        conn.execute("UPDATE jobs SET setbacks = %s, waits_for = 'database'", [MOST_CONFLICTS])
    assert work() == 1
    assert row(library, source_id).state == "failed"
    assert library.queue.retry_failed() == 0, "it did not pass"
    library.queue.retry([source_id])
    calls = iter([model.fault, None])
    real = model.embed_texts

    def once(texts: list[str], **options: object) -> object:
        model.fault = next(calls, None)
        return real(texts, **options)  # type: ignore[arg-type]

    model.embed_texts = once  # type: ignore[method-assign]
    assert work() == 1, "the worker stays for it"
    assert row(library, source_id).state == "ready"
    assert_sound(database)


@pytest.mark.usefixtures("no_patience")
def test_who_waits_for_a_document_learns_why_and_is_let_go_in_time(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[[], int], model: Failing
) -> None:
    def start() -> WorkerProcess:
        raise AssertionError("no worker is wanted any more")

    model.fault = AWAY
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    set_due(database, WATCHED_REST_SECONDS + 5)
    watch = Watch(database, WorkerSupervisor(start), CancelToken())
    assert [source.waits_for for source in watch.follow([source_id])] == ["model"]
    with database.connection() as conn:
        assert not queue_control.work_waits(conn), "no worker stays for it"
        assert jobs.next_due(conn) is None
        set_due(database, WATCHED_REST_SECONDS - 5)
        assert queue_control.may_begin_soon(conn, [source_id])
        assert not queue_control.work_waits(conn)
        set_due(database, 15)
        assert queue_control.work_waits(conn)
        set_due(database, jobs.PATIENCE_SECONDS - 5)
        conn.execute("UPDATE jobs SET waits_for = 'site'")
        assert queue_control.may_begin_soon(conn, [source_id]), "a site has named its time"
        assert queue_control.work_waits(conn)


def test_workers_that_leave_and_are_wanted_later_are_no_failure(
    database: Database, library: StoredLibrary
) -> None:
    library.add(["https://example.org/"])
    now, started = [0.0], list[float]()

    class Left:
        running = False

        def failure(self) -> StackError:
            return StackError("It ended again and again.")

    def start() -> WorkerProcess:
        started.append(now[0])
        return Left()  # type: ignore[return-value]

    supervisor = WorkerSupervisor(start, lambda: now[0])
    with database.dedicated() as conn:
        for _ in range(STARTS_WITHOUT_PROGRESS + 2):
            supervisor.keep_working(conn)
            now[0] += AGAIN_SECONDS + 1
        assert len(started) == STARTS_WITHOUT_PROGRESS + 2
        for _ in range(STARTS_WITHOUT_PROGRESS):
            supervisor.keep_working(conn)
        with pytest.raises(StackError):
            supervisor.keep_working(conn)


@pytest.mark.parametrize(
    ("error", "setbacks", "waits_for"),
    [
        (AWAY, 0, "model"),
        (AWAY, 500, "model"),
        (EmbeddingError("Wrong dimensions."), 0, None),
        (DatabaseConflictError("Busy."), 0, "database"),
        (DatabaseConflictError("Busy."), MOST_CONFLICTS, None),
        (FetchError("Away.", transient=True), 0, None),
    ],
)
def test_only_what_comes_back_by_itself_is_waited_for(
    error: WebragError, setbacks: int, waits_for: str | None
) -> None:
    assert awaited_after(error, setbacks) == waits_for


def test_rests_become_longer_and_a_server_that_names_a_time_gets_it() -> None:
    rests = [seconds_before_retry("model", setbacks) for setbacks in range(8)]
    assert rests == [30, 60, 120, 300, 900, 1800, 1800, 1800]
    busy = ServerBusyError("Busy.", retry_after=200)
    assert seconds_before_retry("model", 0, busy.retry_after) == 200
    assert seconds_before_retry("model", 4, busy.retry_after) == 900
    assert seconds_before_retry("model", 0, 1e9) == RETRY_SECONDS["model"][-1]
