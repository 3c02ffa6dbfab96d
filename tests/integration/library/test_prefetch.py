"""What comes next is fetched, read and cut while one document is embedded; nothing else changes by that."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from uuid import UUID

import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import OPTIONS, accepted, article, assert_sound, read_here, row
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import Cancelled, ExtractionError
from webrag_desktop.indexing.batch import Prefetch
from webrag_desktop.indexing.pipeline import Indexer, Origin, Prepared
from webrag_desktop.indexing.text_vectors import AdaptiveBatches
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.reading_process.process import Reading
from webrag_desktop.jobs import one_job
from webrag_desktop.jobs import runner as runner_module
from webrag_desktop.jobs.prefetch import Ready
from webrag_desktop.jobs.runner import Runner
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.documents import Capture, NormalizedDocument
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs

PATIENCE = 60
NAMES = ("Rhine", "Elbe", "Oder")


class Reader:
    """Reads as the worker does and notes what it was asked for; may be told to do something instead."""

    def __init__(self) -> None:
        self.begun = {name: Event() for name in (*NAMES, "Neisse")}
        self.order: list[str] = []
        self.instead: dict[str, Callable[[CancelToken], Reading]] = {}

    def __call__(self, capture: Capture, cancel: CancelToken) -> Reading:
        name = Path(capture.url).stem
        self.order.append(name)
        self.begun[name].set()
        if name in self.instead:
            return self.instead[name](cancel)
        return read_here(capture, cancel)


class ActingEmbedder:
    """The real model; something is done before it embeds a document."""

    def __init__(self, real: Embedder, act: Callable[[str], object]) -> None:
        self._real, self._act = real, act

    @property
    def model(self) -> EmbeddingModel:
        return self._real.model

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> list[list[float]]:
        self._act(texts[0])
        return self._real.embed_texts(texts, cancel=cancel)

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        return self._real.embed_query(text, cancel=cancel)

    def close(self) -> None:
        """The real one is the fixture's."""


Drain = Callable[[Callable[[str], object]], int]


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def drain(
    database: Database, embedder: Embedder, make_indexer: Callable[..., Indexer], reader: Reader
) -> Drain:
    """Be the worker, with something done before each document is embedded."""

    def run(act: Callable[[str], object]) -> int:
        acting = ActingEmbedder(embedder, act)
        runner = Runner(database, lambda: make_indexer(database, acting), OPTIONS, reader)
        with database.dedicated() as lock:
            assert jobs.become_runner(lock)
            closed = runner.drain(lock, CancelToken())
            jobs.resign(lock)
        return closed

    return run


def note(folder: Path, name: str) -> str:
    path = folder / f"{name}.md"
    path.write_text(f"# {name}\n\nThe {name} runs into the sea.\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def given(library: StoredLibrary, tmp_path: Path) -> list[UUID]:
    return [accepted(one).source_id for one in library.add([note(tmp_path, name) for name in NAMES])]


def states(library: StoredLibrary, ids: list[UUID]) -> list[str]:
    return [row(library, id_).state for id_ in ids]


def test_the_next_file_is_read_while_one_is_embedded(
    database: Database, library: StoredLibrary, given: list[UUID], reader: Reader, drain: Drain
) -> None:
    following = dict(zip(NAMES, (*NAMES[1:], None), strict=True))
    came: list[bool] = []

    def wait_for_the_next(text: str) -> None:
        (name,) = (name for name in NAMES if f"# {name}" in text or f"The {name}" in text)
        if (after := following[name]) is not None:
            came.append(reader.begun[after].wait(PATIENCE))

    assert drain(wait_for_the_next) == 3
    assert came == [True, True]
    assert reader.order == list(NAMES)  # each once, in the order of the queue
    assert states(library, given) == ["ready"] * 3
    assert_sound(database)


def test_a_file_that_cannot_be_read_fails_by_itself_and_in_its_turn(
    database: Database, library: StoredLibrary, given: list[UUID], reader: Reader, drain: Drain
) -> None:
    def broken(_cancel: CancelToken) -> Reading:
        raise ExtractionError("It is broken.", "Mend it.")

    reader.instead["Elbe"] = broken
    assert drain(lambda _text: None) == 3
    assert states(library, given) == ["ready", "failed", "ready"]
    assert row(library, given[1]).state_reason == "It is broken."
    assert reader.order == list(NAMES)
    assert_sound(database)


def test_what_is_more_urgent_is_read_first_and_ends_the_reading_ahead(
    database: Database,
    library: StoredLibrary,
    given: list[UUID],
    reader: Reader,
    drain: Drain,
    tmp_path: Path,
) -> None:
    urgent: list[UUID] = []
    stopped: list[bool] = []

    def until_stopped(cancel: CancelToken) -> Reading:
        del reader.instead["Elbe"]
        over = Event()
        with cancel.calling(over.set):
            stopped.append(cancel.cancelled or over.wait(PATIENCE))
        raise Cancelled("stopped")

    def come_in_between(_text: str) -> None:
        if not urgent:
            assert reader.begun["Elbe"].wait(PATIENCE)
            urgent.append(accepted(library.add([note(tmp_path, "Neisse")])[0]).source_id)
            with database.connection() as conn:
                jobs.hasten(conn, urgent, 1000)

    reader.instead["Elbe"] = until_stopped
    assert drain(come_in_between) == 4
    assert stopped == [True]
    assert reader.order == ["Rhine", "Elbe", "Neisse", "Elbe", "Oder"]
    assert states(library, [*given, *urgent]) == ["ready"] * 4
    assert_sound(database)


def test_nothing_is_done_beside_what_the_program_may_have_died_of(
    database: Database, given: list[UUID], reader: Reader, drain: Drain
) -> None:
    with database.connection() as conn:
        conn.execute("UPDATE jobs SET attempts = 1 WHERE source_id = ANY(%s)", [given[:2]])
    read_before_embedding: list[int] = []
    assert drain(lambda _text: read_before_embedding.append(len(reader.order))) == 3
    # Neither beside the first nor the second, and the second not beside the first.
    assert read_before_embedding == [1, 2, 3]
    assert reader.order == list(NAMES)


def test_a_pause_ends_what_is_read_ahead_and_leaves_its_job_as_it_was(
    database: Database, library: StoredLibrary, given: list[UUID], reader: Reader, drain: Drain
) -> None:
    def pause(_text: str) -> None:
        assert reader.begun["Elbe"].wait(PATIENCE)
        library.queue.pause()

    drain(pause)
    assert states(library, given)[1:] == ["queued", "queued"]
    with database.connection() as conn:
        rows = conn.execute("SELECT started_at, attempts FROM jobs WHERE source_id = %s", [given[1]])
        assert rows.fetchall() == [(None, 0)]
    library.queue.resume()
    drain(lambda _text: None)
    assert states(library, given) == ["ready"] * 3
    assert_sound(database)


def test_what_is_large_is_not_read_ahead(
    library: StoredLibrary, given: list[UUID], reader: Reader, drain: Drain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "LARGEST_PREFETCH", 3)
    read_before_embedding: list[int] = []
    assert drain(lambda _text: read_before_embedding.append(len(reader.order))) == 3
    assert read_before_embedding == [1, 2, 3]
    assert states(library, given) == ["ready"] * 3


def test_a_damaged_capture_fails_by_itself(
    database: Database, library: StoredLibrary, given: list[UUID], drain: Drain
) -> None:
    with database.connection() as conn:
        conn.execute("UPDATE captures SET body_zstd = 'damaged' WHERE source_id = %s", [given[1]])
    assert drain(lambda _text: None) == 3
    assert states(library, given) == ["ready", "failed", "ready"]
    assert_sound(database)


# -- Pages ----------------------------------------------------------------------------------------------------


@pytest.fixture
def sites(pages: PageServer) -> list[str]:
    """Three pages of the server that count as three sites, of which none is on this computer by its name."""
    pages.pages |= {f"/{name}": article(name) for name in NAMES}
    return [f"http://{name.lower()}.test:{pages.port}/{name}" for name in NAMES]


@pytest.fixture
def drain_sites(
    database: Database, embedder: Embedder, make_indexer: Callable[..., Indexer], reader: Reader
) -> Drain:
    """Be the worker in a network where every name leads to this computer."""
    network = Network(lambda _host, _port: ["127.0.0.1"])

    def run(act: Callable[[str], object]) -> int:
        acting = ActingEmbedder(embedder, act)
        runner = Runner(
            database, lambda: make_indexer(database, acting), replace(OPTIONS, host_delay_seconds=60), reader,
            network=network,
        )  # fmt: skip
        with database.dedicated() as lock:
            assert jobs.become_runner(lock)
            closed = runner.drain(lock, CancelToken())
            jobs.resign(lock)
        return closed

    return run


class Cutting:
    """Notes when the documents of pages are cut."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.order: list[str] = []
        self.done = {name: Event() for name in NAMES}
        real = Indexer.prepare

        def prepare(indexer: Indexer, document: NormalizedDocument, cancel: CancelToken) -> Prepared:
            prepared = real(indexer, document, cancel)
            name = Path(document.url).stem
            self.order.append(name)
            self.done[name].set()
            return prepared

        monkeypatch.setattr(Indexer, "prepare", prepare)


def added(library: StoredLibrary, given: list[str]) -> list[UUID]:
    return [accepted(one).source_id for one in library.add(given)]


def test_the_next_page_is_fetched_read_and_cut_while_one_is_embedded(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    sites: list[str],
    drain_sites: Drain,
    reader: Reader,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cutting, ids = Cutting(monkeypatch), added(library, sites)
    came: list[bool] = []
    claimed: list[list[str]] = []

    def wait_for_the_next(text: str) -> None:
        (number,) = (number for number, name in enumerate(NAMES) if name in text)
        if number + 1 < len(NAMES):
            came.append(cutting.done[NAMES[number + 1]].wait(PATIENCE))
        claimed.append(states(library, ids))

    assert drain_sites(wait_for_the_next) == 3
    assert came == [True, True]
    assert claimed == [
        ["embedding", "extracting", "queued"],
        ["ready", "embedding", "extracting"],
        ["ready", "ready", "embedding"],
    ]
    assert cutting.order == reader.order == list(NAMES)  # each once, in the order of the queue
    assert [request.path for request in pages.requests] == [f"/{name}" for name in NAMES]
    assert states(library, ids) == ["ready"] * 3
    assert_sound(database)


def test_a_site_that_rests_is_not_asked_ahead(
    library: StoredLibrary, pages: PageServer, sites: list[str], drain_sites: Drain, reader: Reader
) -> None:
    pages.pages["/Neisse"] = article("Neisse")
    beside = sites[0].replace("/Rhine", "/Neisse")
    first, _resting, other = added(library, [sites[0], beside, sites[1]])
    asked: list[list[str]] = []

    def pause_at_the_second(text: str) -> None:
        if "Rhine" in text:
            assert reader.begun["Elbe"].wait(PATIENCE)
        asked.append([request.path for request in pages.requests])
        if "Elbe" in text:
            library.queue.pause()

    drain_sites(pause_at_the_second)
    assert asked == [["/Rhine", "/Elbe"], ["/Rhine", "/Elbe"]]
    assert states(library, [first, other])[0] == "ready"


def test_what_was_fetched_ahead_is_kept_when_something_more_urgent_comes(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    sites: list[str],
    drain_sites: Drain,
    reader: Reader,
) -> None:
    pages.pages["/Neisse"] = article("Neisse")
    ids = added(library, sites[:2])
    embedded: list[str] = []

    def come_in_between(text: str) -> None:
        embedded.append(next(name for name in (*NAMES, "Neisse") if name in text))
        if len(embedded) == 1:
            assert reader.begun["Elbe"].wait(PATIENCE)
            ids.extend(added(library, [f"http://neisse.test:{pages.port}/Neisse"]))
            with database.connection() as conn:
                jobs.hasten(conn, ids[-1:], 1000)

    assert drain_sites(come_in_between) == 3
    assert embedded == ["Rhine", "Neisse", "Elbe"]
    assert sorted(request.path for request in pages.requests) == ["/Elbe", "/Neisse", "/Rhine"]
    assert states(library, ids) == ["ready"] * 3
    assert_sound(database)


def test_what_needs_no_embedding_ends_before_its_turn_and_makes_room_for_the_next(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    sites: list[str],
    drain_sites: Drain,
    reader: Reader,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second page is gone, so the third is fetched while the first is still being embedded."""
    monkeypatch.setattr(AdaptiveBatches, "cut", lambda _batches, keys: ([key] for key in keys))
    pages.pages["/Rhine"] = article("Rhine", "The river carries cold water to the sea. " * 60)
    pages.pages["/Elbe"] = Page("<p>no</p>", status=404)
    ids, first_over = added(library, sites), Event()
    begin = Prefetch.begin

    def noted(prefetch: Prefetch[None], make_ready: Callable[[], None]) -> None:
        begin(prefetch, make_ready)
        assert prefetch._following is not None
        prefetch._following.add_done_callback(lambda _over: first_over.set())

    monkeypatch.setattr(Prefetch, "begin", noted)
    seen: list[list[str]] = []

    def wait_for_what_is_ahead(_text: str) -> None:
        assert (first_over.wait if not seen else reader.begun["Oder"].wait)(PATIENCE)
        seen.append(states(library, ids))

    assert drain_sites(wait_for_what_is_ahead) == 3
    assert seen[0] == ["embedding", "fetching", "queued"]
    assert seen[1] == ["embedding", "failed", "extracting"]
    assert states(library, ids) == ["ready", "failed", "ready"]
    assert_sound(database)


def test_a_crash_blames_nothing_on_what_was_begun_ahead(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    sites: list[str],
    drain_sites: Drain,
    reader: Reader,
) -> None:
    ids = added(library, sites)

    class Crash(BaseException):
        """Nobody catches it, as nobody catches a power cut."""

    def crash(_text: str) -> None:
        assert reader.begun["Elbe"].wait(PATIENCE)
        with database.connection() as conn:
            seen.extend(conn.execute("SELECT attempts FROM jobs ORDER BY id").fetchall())
        raise Crash

    seen: list[tuple[int]] = []
    with pytest.raises(Crash):
        drain_sites(crash)
    assert seen == [(1,), (0,), (0,)]
    assert drain_sites(lambda _text: None) == 3
    assert states(library, ids) == ["ready"] * 3
    assert [request.path for request in pages.requests] == [f"/{name}" for name in NAMES]
    assert_sound(database)


@pytest.mark.parametrize("wish", ["cancel", "remove"])
def test_what_was_begun_ahead_may_be_stopped_or_removed(
    database: Database,
    library: StoredLibrary,
    sites: list[str],
    drain_sites: Drain,
    reader: Reader,
    wish: str,
) -> None:
    ids = added(library, sites)

    def act(text: str) -> None:
        if "Rhine" in text:
            assert reader.begun["Elbe"].wait(PATIENCE)
            if wish == "cancel":
                library.queue.cancel([ids[1]])
            else:
                library.documents.remove(ids[1])

    drain_sites(act)
    assert states(library, [ids[0], ids[2]]) == ["ready"] * 2
    gone = library.documents.get(ids[1])
    assert gone is None if wish == "remove" else gone is not None and gone.state == "cancelled"
    assert_sound(database)


def test_what_is_put_off_before_its_turn_was_not_attempted(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    sites: list[str],
    drain_sites: Drain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages.pages["/Elbe"] = Page("<p>later</p>", status=503, headers=(("Retry-After", "3600"),))
    ids = added(library, sites)
    begun = Event()
    begin = Prefetch.begin

    def noted(prefetch: Prefetch[None], make_ready: Callable[[], None]) -> None:
        begin(prefetch, make_ready)
        assert prefetch._following is not None
        prefetch._following.add_done_callback(lambda _over: begun.set())

    monkeypatch.setattr(Prefetch, "begin", noted)
    drain_sites(lambda _text: begun.wait(PATIENCE))
    with database.connection() as conn:
        assert conn.execute(
            "SELECT attempts, postponed FROM jobs WHERE source_id = %s", [ids[1]]
        ).fetchall() == [(0, 1)]


def test_that_no_thread_can_be_started_is_held_against_nothing(
    database: Database,
    library: StoredLibrary,
    given: list[UUID],
    drain: Drain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_left(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("concurrent.futures.thread.ThreadPoolExecutor._adjust_thread_count", none_left)
    drain(lambda _text: monkeypatch.undo())
    assert "failed" not in states(library, given), [row(library, one).state_reason for one in given]


def test_a_large_page_is_fetched_ahead_and_read_in_its_turn(
    library: StoredLibrary,
    pages: PageServer,
    sites: list[str],
    drain_sites: Drain,
    reader: Reader,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(one_job, "LARGEST_PREFETCH", 10)
    ids, over = added(library, sites[:2]), Event()
    begin = Prefetch.begin

    def noted(prefetch: Prefetch[None], make_ready: Callable[[], None]) -> None:
        begin(prefetch, make_ready)
        assert prefetch._following is not None
        prefetch._following.add_done_callback(lambda _over: over.set())

    monkeypatch.setattr(Prefetch, "begin", noted)
    read_before_embedding: list[int] = []

    def wait_for_what_is_ahead(_text: str) -> None:
        assert over.wait(PATIENCE)
        read_before_embedding.append(len(reader.order))

    assert drain_sites(wait_for_what_is_ahead) == 2
    assert read_before_embedding == [1, 2]
    assert [request.path for request in pages.requests] == ["/Rhine", "/Elbe"]
    assert states(library, ids) == ["ready"] * 2


def test_what_was_cut_for_one_space_is_not_written_into_another(
    database: Database, given: list[UUID], make_indexer: Callable[..., Indexer], embedder: Embedder
) -> None:
    """The library may move between the cutting and the turn."""
    indexer = make_indexer(database, embedder)
    with database.connection() as conn:
        latest = captures.latest_capture(conn, given[0])
        stored = captures.load_capture(conn, latest.id) if latest is not None else None
    assert stored is not None
    ready = Ready(stored, read_here(stored.capture, CancelToken()))
    ready.cut(indexer, given[0], Origin(stored.id, stored.raw_hash, 1), CancelToken())
    assert ready.cut_for(indexer) is not None
    assert ready.cut_for(replace(indexer, space=replace(indexer.space, id=indexer.space.id + 1))) is None
