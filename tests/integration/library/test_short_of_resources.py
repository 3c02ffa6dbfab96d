"""What this computer does to the program, or lacks, lets work wait; it is never held against a document."""

import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

import pytest

from tests.support.pages import PageServer
from tests.support.queue_work import accepted, assert_sound, drain_queue, read_here, row
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import (
    DatabaseConflictError,
    ExtractionError,
    ReaderEndedError,
    ResourceError,
    StackError,
    WebragError,
)
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.reading_process import child_process
from webrag_desktop.ingestion.reading_process.process import Reading, ReadingProcess
from webrag_desktop.ingestion.reading_process.protocol import Request, write_request
from webrag_desktop.jobs.feed import Watch
from webrag_desktop.jobs.postponement import (
    MOST_CONFLICTS,
    RETRY_SECONDS,
    awaited_after,
    seconds_before_retry,
)
from webrag_desktop.jobs.worker_process import WorkerCommand, WorkerProcess, WorkerSupervisor
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.intake import Kept
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database

DOCUMENTS, KILLS = 8, 24
Read = Callable[[Capture, CancelToken], Reading]


class Killer:
    """Ends the reading process whenever it was just given a document."""

    def __init__(self, reading: ReadingProcess) -> None:
        self.kills = 0
        self._reading = reading

    def write(self, stream: BinaryIO, request: Request) -> None:
        write_request(stream, request)
        if self.kills < KILLS and self._reading.pid is not None:
            os.kill(self._reading.pid, signal.SIGKILL)
            self.kills += 1


@pytest.fixture
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is put off is tried again at once."""
    for waits_for in ("computer", "database"):
        monkeypatch.setitem(RETRY_SECONDS, waits_for, (0.0,))


@pytest.fixture
def files(library: StoredLibrary, tmp_path: Path) -> list[UUID]:
    """Notes, taken in."""
    made = [tmp_path / f"{number}.md" for number in range(DOCUMENTS)]
    for note in made:
        note.write_text(f"The river number {note.stem} carries cold water.", encoding="utf-8")
    return [accepted(one).source_id for one in library.add([str(note) for note in made])]


@pytest.fixture
def work_with(database: Database, make_indexer: Callable[..., Indexer]) -> Callable[[Read], int]:
    """Drain the queue, reading by this."""
    indexer = make_indexer(database)
    return lambda read: drain_queue(database, lambda: indexer, read=read)


def states(library: StoredLibrary) -> set[str]:
    return {source.state for source in library.documents.all()}


# -- The reading process ---------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals")
@pytest.mark.usefixtures("no_rest")
def test_however_often_the_reading_process_is_killed_every_document_is_read(
    database: Database,
    library: StoredLibrary,
    files: list[UUID],
    work_with: Callable[[Read], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ReadingProcess() as reading:
        killer = Killer(reading)
        monkeypatch.setattr(child_process, "write_request", killer.write)
        assert work_with(reading.read) == DOCUMENTS
    assert killer.kills == KILLS
    assert states(library) == {"ready"}
    assert len(files) == DOCUMENTS
    assert_sound(database)


def failing(error: Exception) -> Read:
    def read(_capture: Capture, _cancel: CancelToken) -> Reading:
        raise error

    return read


def test_what_waits_says_why_and_when_and_comes_at_once_when_asked_for(
    library: StoredLibrary,
    files: list[UUID],
    work: Callable[[], int],
    work_with: Callable[[Read], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(RETRY_SECONDS, "computer", (600.0,))
    ended = ReaderEndedError("The program that reads documents was ended from outside.", "All is kept.")
    assert work_with(failing(ended)) == 0, "the worker does not stay for it"
    for waiting in library.documents.all():
        assert (waiting.state, waiting.state_reason) == ("queued", ended.message)
        assert waiting.state_hint == "All is kept. It is tried again automatically."
        assert (waiting.waits_for, waiting.may_come_sooner) == (None, True)
        assert waiting.waits_until is not None
        assert 500 < (waiting.waits_until - datetime.now(UTC)).total_seconds() <= 600

    def start() -> WorkerProcess:
        raise AssertionError("no worker is wanted any more")

    watch = Watch(library.database, WorkerSupervisor(start), CancelToken())
    assert {source.state for source in watch.follow(files)} == {"queued"}, "who waits for it is let go"
    assert library.queue.retry_failed() == DOCUMENTS
    assert work() == DOCUMENTS
    assert states(library) == {"ready"}


@pytest.mark.usefixtures("no_rest")
def test_what_the_computer_does_counts_for_no_other_fault(
    library: StoredLibrary, files: list[UUID], work_with: Callable[[Read], int]
) -> None:
    """A conflict in the database fails work that stays in it, not work that waited for something else before."""
    library.queue.cancel(files[1:])
    faults: list[WebragError] = [ReaderEndedError("Reading this did not get on.")] * (MOST_CONFLICTS + 1)
    faults += [DatabaseConflictError("Somebody else changes it.", "")] * MOST_CONFLICTS

    def in_turn(capture: Capture, cancel: CancelToken) -> Reading:
        if faults:
            raise faults.pop(0)
        return read_here(capture, cancel)

    assert work_with(in_turn) == 1
    assert row(library, files[0]).state == "ready"
    assert not faults


def test_nothing_that_the_computer_does_is_judged() -> None:
    assert awaited_after(ResourceError("No memory."), 1000) == "computer"
    assert awaited_after(ReaderEndedError("Killed."), 1000) == "computer"
    assert awaited_after(ExtractionError("It broke off."), 0) is None
    rests = [seconds_before_retry("computer", setbacks) for setbacks in range(8)]
    assert rests == [1, 30, 60, 120, 300, 900, 1800, 1800]


# -- The disk, memory, open files -------------------------------------------------------------------------------


class Lacking:
    """The real model on a computer that lacks something."""

    def __init__(self, real: Embedder, lack: Callable[[], object]) -> None:
        self._real, self._lack = real, lack
        self.model = real.model
        self.left = 3

    def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> object:
        if self.left:
            self.left -= 1
            self._lack()
        return self._real.embed_texts(texts, cancel=cancel)


def fill_the_disk() -> None:
    with Path("/dev/full").open("wb", buffering=0) as full:
        full.write(b"x")


def use_up_memory() -> None:
    bytearray(1 << 62)


def use_up_files() -> None:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@pytest.mark.parametrize("lack", [fill_the_disk, use_up_memory, use_up_files])
@pytest.mark.usefixtures("no_rest", "files")
def test_what_the_worker_itself_lacks_passes(
    database: Database,
    library: StoredLibrary,
    embedder: Embedder,
    make_indexer: Callable[..., Indexer],
    lack: Callable[[], object],
) -> None:
    lacking = Lacking(embedder, lack)
    assert drain_queue(database, lambda: make_indexer(database, lacking)) == DOCUMENTS
    assert lacking.left == 0
    assert states(library) == {"ready"}
    assert_sound(database)


@contextmanager
def full_table(database: Database, table: str) -> Iterator[None]:
    """The server says of each new row of this that its disk is full."""
    with database.connection() as conn:
        conn.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'could not extend file'; END $$"
        )
        conn.execute(f"CREATE TRIGGER full_disk BEFORE INSERT ON {table} EXECUTE FUNCTION full_disk()")
    yield
    with database.connection() as conn:
        conn.execute("DROP FUNCTION full_disk CASCADE")


def test_a_database_whose_disk_is_full_fails_no_document(
    database: Database,
    library: StoredLibrary,
    files: list[UUID],
    work: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(RETRY_SECONDS, "computer", (600.0,))
    with full_table(database, "chunks"):
        assert work() == 0
    assert {(one.state, one.waits_for) for one in library.documents.all()} == {("queued", None)}
    assert "The disk is full" in (row(library, files[0]).state_reason or "")
    assert_sound(database)
    assert library.queue.retry_failed() == DOCUMENTS
    assert work() == DOCUMENTS
    assert states(library) == {"ready"}


def test_what_is_given_while_the_disk_is_full_is_kept_and_taken_in_later(
    database: Database, library: StoredLibrary, tmp_path: Path, work: Callable[[], int]
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The river carries cold water.", encoding="utf-8")
    with full_table(database, "captures"):
        kept = library.add([str(note), "https://example.org/"])
        assert [type(one) for one in kept] == [Kept, Kept]
        assert "The disk is full" in kept[0].error.message  # type: ignore[union-attr]
        with pytest.raises(ResourceError, match="The disk is full"):
            library.take_in()
        assert library.spool.count() == 2
    assert {one.verdict for one in library.take_in()} == {"added"}
    assert library.spool.is_empty
    assert len(library.documents.all()) == 2


def test_what_waits_in_the_spool_is_not_quarantined_for_a_full_disk(
    database: Database, library: StoredLibrary, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The river carries cold water.", encoding="utf-8")
    from webrag_desktop.library.intake import read_intake

    library.spool.put(read_intake(str(note), library.fetch_options))
    with full_table(database, "captures"), pytest.raises(ResourceError):
        library.take_in()
    assert library.spool.count() == 1
    assert len(library.take_in()) == 1


def test_a_file_that_cannot_be_opened_for_want_of_open_files_is_kept(
    library: StoredLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The river carries cold water.", encoding="utf-8")
    real = os.open

    def refuse(path: str, *arguments: Any, **options: Any) -> int:
        if Path(path) == note:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return real(path, *arguments, **options)

    with monkeypatch.context() as lacking:
        lacking.setattr(os, "open", refuse)
        assert [type(one) for one in library.add([str(note)])] == [Kept]
    assert [one.verdict for one in library.take_in()] == ["added"]


def test_a_page_that_cannot_be_asked_for_is_asked_for_later(
    library: StoredLibrary, pages: PageServer, work: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RETRY_SECONDS, "computer", (600.0,))

    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    with monkeypatch.context() as lacking:
        lacking.setattr("socket.create_connection", refuse)
        assert work() == 0
    waiting = row(library, source_id)
    assert (waiting.state, waiting.waits_for) == ("queued", None)
    assert "too many files" in (waiting.state_reason or "")
    library.queue.retry_failed()
    assert work() == 1
    assert row(library, source_id).state == "ready"


def test_a_worker_that_cannot_be_started_is_reported_like_one_that_ended(tmp_path: Path) -> None:
    command = WorkerCommand(("/nowhere/python",), {}, tmp_path / "logs" / "worker.log")
    with pytest.raises(
        StackError, match=r"could not be started: No such file.*What you gave is kept"
    ) as reported:
        WorkerProcess(command)
    assert isinstance(reported.value, ResourceError)
