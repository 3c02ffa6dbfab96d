"""Pausing, stopping and retrying: what is wished is heard in mid-work, and nothing given is lost."""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from uuid import UUID, uuid4

import pytest

from tests.support.pages import Page, PageServer, RequestHandler
from tests.support.queue_work import OPTIONS, accepted, article, assert_sound, drain_queue, row
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.indexing.text_vectors import FIRST_BATCH
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.queue import SourceChanged, TopicChanged
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import events
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs, queue_control
from webrag_desktop.storage.queue.queue_control import CANCELLED_REASON

Work = Callable[..., int]
PATIENCE = 30.0


class ActingEmbedder:
    """The real model; ``act`` is called after each batch with how many texts were embedded so far."""

    def __init__(self, real: Embedder, act: Callable[[int], object]) -> None:
        self._real, self._act = real, act
        self.embedded = 0

    @property
    def model(self) -> EmbeddingModel:
        return self._real.model

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        vectors = self._real.embed_texts(texts, cancel=cancel)
        self.embedded += len(texts)
        self._act(self.embedded)
        return vectors

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        return self._real.embed_query(text, cancel=cancel)

    def close(self) -> None:
        """The real one is shared."""


@pytest.fixture
def long_note(tmp_path: Path) -> Path:
    """A file of more chunks than are embedded between two savings."""
    note = tmp_path / "long.md"
    write_long(note, "river")
    return note


def write_long(note: Path, word: str) -> None:
    sections = (f"## Part {n}\n\n" + f"The {word} of part {n} is long. " * 60 for n in range(FIRST_BATCH + 8))
    note.write_text("# Long\n\n" + "\n\n".join(sections), encoding="utf-8")


@pytest.fixture
def work_embedding(
    database: Database, embedder: Embedder, make_indexer: Callable[..., Indexer]
) -> Callable[[Callable[[int], object]], ActingEmbedder]:
    """Drain the queue while something is done between two batches; returns the embedder."""

    def drain(act: Callable[[int], object]) -> ActingEmbedder:
        acting = ActingEmbedder(embedder, act)
        drain_queue(database, lambda: make_indexer(database, acting))
        return acting

    return drain


def states(library: StoredLibrary) -> list[str]:
    return [source.state for source in library.documents.all()]


def test_nothing_begins_while_the_queue_is_paused(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    library.queue.pause()
    library.add([pages.url("/rhine")])
    assert library.queue.paused()
    assert work() == 0
    assert states(library) == ["queued"]
    assert_sound(database)
    assert library.queue.resume()
    assert not library.queue.resume()
    assert work() == 1
    assert states(library) == ["ready"]


def test_a_pause_outlives_the_program(database: Database, library: StoredLibrary) -> None:
    library.queue.pause()
    again = StoredLibrary(database, library.spool, OPTIONS)
    assert again.queue.paused()


def test_pausing_in_mid_embedding_puts_the_document_back_and_keeps_its_vectors(
    database: Database,
    library: StoredLibrary,
    long_note: Path,
    work_embedding: Callable[[Callable[[int], object]], ActingEmbedder],
) -> None:
    source_id = accepted(library.add([str(long_note)])[0]).source_id
    before = work_embedding(lambda _count: library.queue.pause())
    assert row(library, source_id).state == "queued"
    with database.connection() as conn:
        assert conn.execute("SELECT started_at, attempts FROM jobs").fetchone() == (None, 0)
    assert_sound(database)
    library.queue.resume()
    after = work_embedding(lambda _count: None)
    ready = row(library, source_id)
    assert ready.state == "ready"
    assert before.embedded + after.embedded == ready.child_chunks
    assert FIRST_BATCH <= before.embedded < ready.child_chunks
    assert_sound(database)


def in_mid_fetch(
    database: Database, pages: PageServer, library: StoredLibrary, wish: Callable[[UUID], object]
) -> UUID:
    """Let ``wish`` come while a page hangs; the queue must be left although the page never ends."""
    asked, over = Event(), Event()

    def hang(handler: RequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        asked.set()
        over.wait(PATIENCE)

    pages.pages["/slow"] = hang
    source_id = accepted(library.add([pages.url("/slow")])[0]).source_id

    def never() -> Indexer:
        raise AssertionError

    worker = Thread(target=drain_queue, args=(database, never))
    worker.start()
    assert asked.wait(PATIENCE)
    wish(source_id)
    worker.join(PATIENCE)
    left = not worker.is_alive()
    over.set()
    worker.join()
    assert left
    return source_id


def test_pausing_does_not_wait_for_a_slow_site(
    database: Database, library: StoredLibrary, pages: PageServer
) -> None:
    source_id = in_mid_fetch(database, pages, library, lambda _id: library.queue.pause())
    assert row(library, source_id).state == "queued"
    assert_sound(database)


def test_cancelling_does_not_wait_for_a_slow_site(
    database: Database, library: StoredLibrary, pages: PageServer
) -> None:
    source_id = in_mid_fetch(database, pages, library, lambda id_: library.queue.cancel([id_]))
    stopped = row(library, source_id)
    assert (stopped.state, stopped.state_reason) == ("cancelled", CANCELLED_REASON)
    assert_sound(database)


def test_removing_does_not_wait_for_a_slow_site(
    database: Database, library: StoredLibrary, pages: PageServer
) -> None:
    source_id = in_mid_fetch(database, pages, library, library.documents.remove)
    assert library.documents.get(source_id) is None
    assert_sound(database)


def test_cancelling_all_stops_what_is_open_and_nothing_else(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    done = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    waiting = [accepted(one).source_id for one in library.add([pages.url("/elbe"), pages.url("/oder")])]
    assert sorted(library.queue.cancel()) == sorted(waiting)
    assert library.queue.cancel() == []
    assert row(library, done).state == "ready"
    assert {row(library, id_).state for id_ in waiting} == {"cancelled"}
    assert work() == 0
    assert_sound(database)


def test_cancelling_some_leaves_the_rest_queued(
    library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    first, second = (
        accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")])
    )
    assert library.queue.cancel([first, uuid4()]) == [first]
    assert work() == 1
    assert [row(library, id_).state for id_ in (first, second)] == ["cancelled", "ready"]


def test_a_document_cancelled_before_it_is_cut_never_lands_and_the_worker_goes_on(
    database: Database, library: StoredLibrary, pages: PageServer, work_meanwhile: Callable[..., int]
) -> None:
    first, second = (
        accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")])
    )
    work_meanwhile(lambda: library.queue.cancel([first]))
    assert [row(library, id_).state for id_ in (first, second)] == ["cancelled", "ready"]
    assert library.documents.text(first) is None
    assert_sound(database)


def test_what_lands_asks_whether_it_is_still_wanted(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Work,
    make_indexer: Callable[..., Indexer],
) -> None:
    """No notification is needed: the claim itself is asked for in every transaction that writes."""
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    real = make_indexer(database)

    class Deaf:
        """Hears of no cancellation, and reports nothing, before it lands."""

        def index(self, *arguments: object, guard: object, **_options: object) -> object:
            library.queue.cancel([source_id])
            return real.index(*arguments, report=lambda *_step: None, guard=guard)  # type: ignore[arg-type]

    drain_queue(database, Deaf)  # type: ignore[arg-type]
    assert row(library, source_id).state == "cancelled"
    with database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM document_versions").fetchone() == (0,)
    assert_sound(database)


def test_cancelling_in_mid_embedding_keeps_the_worker_and_the_vectors_for_a_retry(
    database: Database,
    library: StoredLibrary,
    long_note: Path,
    pages: PageServer,
    work_embedding: Callable[[Callable[[int], object]], ActingEmbedder],
) -> None:
    long, short = (accepted(one).source_id for one in library.add([str(long_note), pages.url("/rhine")]))
    work_embedding(lambda count: library.queue.cancel([long]) if count == 2 * FIRST_BATCH else None)
    assert [row(library, id_).state for id_ in (long, short)] == ["cancelled", "ready"]
    assert_sound(database)
    assert library.queue.retry([long, short]) == 1
    after = work_embedding(lambda _count: None)
    ready = row(library, long)
    assert ready.state == "ready"
    assert after.embedded <= ready.child_chunks - FIRST_BATCH  # the batch under way was not kept
    assert_sound(database)


def test_a_document_that_was_ready_is_ready_again_with_its_old_text(
    database: Database,
    library: StoredLibrary,
    long_note: Path,
    work_embedding: Callable[[Callable[[int], object]], ActingEmbedder],
    work: Work,
) -> None:
    source_id = accepted(library.add([str(long_note)])[0]).source_id
    work()
    write_long(long_note, "mountain")
    library.add([str(long_note)])
    work_embedding(lambda _count: library.queue.cancel([source_id]))
    assert row(library, source_id).state == "ready"
    text = library.documents.text(source_id)
    assert text is not None
    assert "river" in text.markdown
    assert_sound(database)
    assert (
        accepted(library.add([str(long_note)])[0]).verdict == "changed"
    )  # what was stopped can be had after all
    work()
    text = library.documents.text(source_id)
    assert text is not None
    assert "mountain" in text.markdown
    assert accepted(library.add([str(long_note)])[0]).verdict == "present"
    assert_sound(database)


def test_adding_what_was_cancelled_reads_it_after_all(
    library: StoredLibrary, pages: PageServer, tmp_path: Path, work: Work
) -> None:
    note = tmp_path / "note.md"
    note.write_text("A note about rivers.", encoding="utf-8")
    given = [pages.url("/rhine"), str(note)]
    library.add(given)
    library.queue.cancel()
    assert [accepted(one).verdict for one in library.add(given)] == ["retried", "retried"]
    work()
    assert states(library) == ["ready", "ready"]


def test_an_alias_brings_a_cancelled_page_to_life(
    library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    first = accepted(library.add([pages.url("/rhine")])[0]).source_id
    library.queue.cancel()
    pages.pages["/alias"] = Page.redirect("/rhine")
    library.add([pages.url("/alias")])
    work()
    assert row(library, first).state == "ready"


def test_a_retry_reads_what_was_captured_unless_that_is_what_failed(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Work,
    work_meanwhile: Callable[..., int],
) -> None:
    pages.pages["/empty"] = "<html><body></body></html>"
    stopped = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work_meanwhile(lambda: library.queue.cancel([stopped]))
    empty = accepted(library.add([pages.url("/empty")])[0]).source_id
    work()
    assert row(library, empty).state == "failed"
    pages.requests.clear()
    pages.pages["/empty"] = article("Full")
    assert library.queue.retry([stopped, empty]) == 2
    assert_sound(database)
    work()
    assert states(library) == ["ready", "ready"]
    assert [request.path for request in pages.requests] == ["/empty"]


def test_retrying_what_is_not_at_a_stop_changes_nothing(
    library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    ready = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    queued = accepted(library.add([pages.url("/elbe")])[0]).source_id
    assert library.queue.retry([ready, queued, uuid4()]) == 0
    assert states(library) == ["ready", "queued"]


def test_many_are_removed_and_the_unknown_are_not_counted(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webrag_desktop.maintenance.upkeep.REMOVED_AT_ONCE", 1)
    given = [accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")])]
    work()
    assert library.documents.remove_all([*given, given[0], uuid4()]) == 2
    assert library.documents.all() == []
    assert_sound(database)


def test_every_wish_is_announced(database: Database, library: StoredLibrary, pages: PageServer) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    with events.listening(database) as (listener, _conn):
        library.queue.pause()
        assert listener.hear(PATIENCE) == [TopicChanged("queue")]
        library.queue.pause()  # says nothing: it was paused
        library.queue.cancel()
        assert listener.hear(PATIENCE) == [SourceChanged(source_id, "cancelled")]
        library.queue.retry([source_id])
        assert listener.hear(PATIENCE) == [SourceChanged(source_id, "queued")]
        library.queue.resume()
        assert listener.hear(PATIENCE) == [TopicChanged("queue")]
        library.documents.remove_all([source_id])
        assert listener.hear(PATIENCE) == [SourceChanged(source_id, "removed")]


def test_a_claim_is_lost_by_cancelling_and_the_job_is_closed(
    database: Database, library: StoredLibrary, pages: PageServer
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    with database.connection() as conn:
        job = jobs.claim(conn)
        assert job is not None
        assert jobs.holds(conn, job)
        assert jobs.is_open(conn, job)
    library.queue.cancel([source_id])
    with database.connection() as conn:
        assert not jobs.holds(conn, job)
        assert not jobs.is_open(conn, job)
        assert conn.execute("SELECT state FROM job_states").fetchone() == ("cancelled",)
        assert queue_control.last_was_cancelled(conn, source_id)


def test_the_token_of_the_worker_still_stops_it(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    library.add([pages.url("/rhine")])
    token = CancelToken()
    token.cancel()
    assert work(token) == 0
    assert states(library) == ["queued"]
    assert_sound(database)
