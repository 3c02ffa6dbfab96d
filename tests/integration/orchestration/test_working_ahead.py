"""The file that comes next is read while one is embedded; nothing else changes by that."""

from collections.abc import Callable
from pathlib import Path
from threading import Event
from uuid import UUID

import pytest

from tests.support.queue_work import OPTIONS, accepted, assert_sound, read_here, row
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import Cancelled, ExtractionError
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.reading_process.process import Reading
from webrag_desktop.models import Capture, EmbeddingModel
from webrag_desktop.orchestration import reading_ahead
from webrag_desktop.orchestration.library import Library
from webrag_desktop.orchestration.runner import Runner
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Connection, Database
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
def given(library: Library, tmp_path: Path) -> list[UUID]:
    return [accepted(one).source_id for one in library.add([note(tmp_path, name) for name in NAMES])]


def states(library: Library, ids: list[UUID]) -> list[str]:
    return [row(library, id_).state for id_ in ids]


def test_the_next_file_is_read_while_one_is_embedded(
    database: Database, library: Library, given: list[UUID], reader: Reader, drain: Drain
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
    database: Database, library: Library, given: list[UUID], reader: Reader, drain: Drain
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
    database: Database, library: Library, given: list[UUID], reader: Reader, drain: Drain, tmp_path: Path
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


def test_nothing_is_read_beside_what_the_program_may_have_died_of(
    database: Database, given: list[UUID], reader: Reader, drain: Drain, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    following = captures.next_to_read

    def noted(conn: Connection, most_bytes: int) -> captures.StoredCapture | None:
        asked.append(reader.order[-1])
        return following(conn, most_bytes)

    monkeypatch.setattr(captures, "next_to_read", noted)
    with database.connection() as conn:
        conn.execute("UPDATE jobs SET attempts = 1 WHERE source_id = %s", [given[0]])
    assert drain(lambda _text: None) == 3
    assert "Rhine" not in asked
    assert "Elbe" in asked
    assert reader.order == list(NAMES)


def test_a_pause_ends_what_is_read_ahead_and_leaves_its_job_as_it_was(
    database: Database, library: Library, given: list[UUID], reader: Reader, drain: Drain
) -> None:
    def pause(_text: str) -> None:
        assert reader.begun["Elbe"].wait(PATIENCE)
        library.pause()

    drain(pause)
    assert states(library, given)[1:] == ["queued", "queued"]
    with database.connection() as conn:
        rows = conn.execute("SELECT started_at, attempts FROM jobs WHERE source_id = %s", [given[1]])
        assert rows.fetchall() == [(None, 0)]
    library.resume()
    drain(lambda _text: None)
    assert states(library, given) == ["ready"] * 3
    assert_sound(database)


def test_what_is_large_or_damaged_or_must_be_fetched_is_not_read_ahead(
    database: Database,
    library: Library,
    given: list[UUID],
    reader: Reader,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ahead() -> list[str]:
        reader.order.clear()
        with reading_ahead.reading_ahead(database, reader) as reading:
            reading.begin()
            reading.begin()  # one at a time
        return list(reader.order)

    assert ahead() == ["Rhine"]
    with database.connection() as conn:
        found = captures.next_to_read(conn, 1000)
        assert found is not None
        assert captures.next_to_read(conn, len(found.capture.body) - 1) is None
    with monkeypatch.context() as patched:
        patched.setattr(reading_ahead, "LARGEST_READ_AHEAD", 3)
        assert ahead() == []
    with database.connection() as conn:
        conn.execute("UPDATE captures SET body_zstd = 'damaged' WHERE id = %s", [found.id])
    assert ahead() == []
    with database.connection() as conn:
        conn.execute("UPDATE jobs SET capture_id = NULL WHERE source_id = %s", [given[0]])
    assert ahead() == []
    library.cancel([given[0]])
    assert ahead() == ["Elbe"]
    library.pause()
    assert ahead() == []
