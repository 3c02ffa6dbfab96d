"""Work that is hindered: crashes, a database that is away, settings that contradict, faults of our own."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import OPTIONS, accepted, article, assert_sound, drain_queue, row
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.errors import (
    ConfigurationError,
    DatabaseError,
    DatabaseUnreachableError,
    IngestionError,
)
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.indexing.text_vectors import FIRST_BATCH
from webrag_desktop.jobs.feed import queue_due
from webrag_desktop.jobs.one_job import MOST_ATTEMPTS
from webrag_desktop.jobs.postponement import RETRY_SECONDS
from webrag_desktop.library.intake import read_intake
from webrag_desktop.library.parts import RefreshSchedule
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.intake import Kept
from webrag_desktop.models.queue import QueueCounts
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs


def test_after_a_crash_the_work_is_taken_up_again_without_fetching_twice(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    result = accepted(library.add([pages.url("/rhine")])[0])

    class Crash(BaseException):
        """Stands for kill -9: nothing tidies up after it."""

    def crash() -> Indexer:
        raise Crash

    with pytest.raises(Crash):
        drain_queue(database, crash)
    assert row(library, result.source_id).state == "extracting"
    assert_sound(database)
    assert work() == 1
    assert row(library, result.source_id).state == "ready"
    assert len(pages.requests) == 1
    assert_sound(database)


def test_a_document_at_which_the_program_ends_again_and_again_lets_others_go_first_and_is_tried_again(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(RETRY_SECONDS, "computer", (600.0,))
    first, second = (
        accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")])
    )
    with database.connection() as conn:
        conn.execute("UPDATE jobs SET attempts = %s WHERE source_id = %s", [MOST_ATTEMPTS, first])
    assert work() == 1
    waiting = row(library, first)
    assert (waiting.state, waiting.waits_for) == ("queued", None)
    assert "ended 3 times" in (waiting.state_reason or "")
    assert row(library, second).state == "ready"
    with database.connection() as conn:
        counted = conn.execute("SELECT attempts, setbacks FROM jobs WHERE source_id = %s", [first])
        assert counted.fetchone() == (0, 1)
    assert library.queue.retry_failed() == 1
    assert work() == 1
    assert row(library, first).state == "ready"


def test_a_long_document_that_gets_on_between_crashes_is_not_left_alone(
    database: Database,
    library: StoredLibrary,
    tmp_path: Path,
    embedder: Embedder,
    make_indexer: Callable[..., Indexer],
) -> None:
    class Crash(BaseException):
        """Stands for kill -9 of this process or the server."""

    class Dying:
        """A model that gives a batch of vectors, and then all ends."""

        def __init__(self) -> None:
            self.model = embedder.model
            self.left = 1

        def embed_texts(self, texts: list[str], *, cancel: CancelToken | None = None) -> object:
            if self.left == 0:
                raise Crash
            self.left -= 1
            return embedder.embed_texts(texts, cancel=cancel)

    sections = [f"## Part {n}\n\nThe river number {n} carries cold water." for n in range(7 * FIRST_BATCH)]
    note = tmp_path / "long.md"
    note.write_text("\n\n".join(sections), encoding="utf-8")
    source_id = accepted(library.add([str(note)])[0]).source_id
    for _ in range(MOST_ATTEMPTS + 2):
        with pytest.raises(Crash):
            drain_queue(database, lambda: make_indexer(database, Dying()))
    drain_queue(database, lambda: make_indexer(database, embedder))
    assert row(library, source_id).state == "ready"
    assert_sound(database)


@pytest.mark.parametrize("claim_left_behind", [True, False])
def test_what_took_the_program_down_is_fetched_once_more_when_asked_for_meanwhile(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Callable[..., int],
    claim_left_behind: bool,
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    with database.connection() as conn:
        conn.execute(
            "UPDATE jobs SET attempts = %s, started_at = CASE WHEN %s THEN now() END",
            [MOST_ATTEMPTS, claim_left_behind],
        )
    pages.pages["/rhine"] = article("Rhine", "The river carries granite.")
    assert library.documents.refresh([source_id]).queued == (source_id,)
    work()
    assert row(library, source_id).state == "ready"
    text = library.documents.text(source_id)
    assert text is not None
    assert "granite" in text.markdown
    assert len(pages.requests) == 1
    assert_sound(database)


@pytest.mark.parametrize("claim_left_behind", [True, False])
def test_a_changed_file_that_is_given_again_is_read_however_often_the_old_one_took_the_program_down(
    database: Database,
    library: StoredLibrary,
    tmp_path: Path,
    work: Callable[..., int],
    claim_left_behind: bool,
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The old text about rivers.", encoding="utf-8")
    source_id = accepted(library.add([str(note)])[0]).source_id
    with database.connection() as conn:
        conn.execute(
            "UPDATE jobs SET attempts = %s, started_at = CASE WHEN %s THEN now() END",
            [MOST_ATTEMPTS, claim_left_behind],
        )
    note.write_text("The new text about mountains.", encoding="utf-8")
    assert accepted(library.add([str(note)])[0]).verdict == "changed"
    work()
    text = library.documents.text(source_id)
    assert text is not None
    assert "mountains" in text.markdown
    with database.connection() as conn:
        ended = conn.execute("SELECT error FROM jobs WHERE source_id = %s", [source_id]).fetchall()
    assert ended == [(None,)]
    assert_sound(database)


def test_a_changed_file_given_while_the_old_one_fails_is_read_at_once(
    database: Database, library: StoredLibrary, tmp_path: Path, work_meanwhile: Callable[..., int]
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The old text about rivers.", encoding="utf-8")
    source_id = accepted(library.add([str(note)])[0]).source_id

    def change_and_fail() -> None:
        note.write_text("The new text about mountains.", encoding="utf-8")
        library.add([str(note)])
        raise IngestionError("The old text cannot be read.")

    work_meanwhile(change_and_fail)
    text = library.documents.text(source_id)
    assert text is not None
    assert "mountains" in text.markdown
    assert row(library, source_id).state == "ready"
    assert_sound(database)


def test_a_file_that_is_given_while_the_schedule_misses_it_is_read(
    database: Database,
    library: StoredLibrary,
    tmp_path: Path,
    work: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The old text about rivers.", encoding="utf-8")
    source_id = accepted(library.add([str(note)])[0]).source_id
    work()

    def missing(*_arguments: object) -> None:
        note.write_text("The new text about mountains.", encoding="utf-8")
        assert accepted(library.add([str(note)])[0]).verdict == "changed"
        raise IngestionError("The file is not there.", "Look for it.")

    RefreshSchedule(database).set(timedelta(days=1))
    with database.connection() as conn:
        conn.execute("UPDATE sources SET checked_at = now() - interval '2 days'")
    assert queue_due(database) == [source_id]
    monkeypatch.setattr("webrag_desktop.jobs.one_job.read_file", missing)
    work()
    text = library.documents.text(source_id)
    assert text is not None
    assert "mountains" in text.markdown
    assert row(library, source_id).state_reason is None


def test_an_old_capture_is_not_read_in_place_of_a_page_that_cannot_be_had(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    for attempts in (0, MOST_ATTEMPTS):
        pages.pages["/rhine"] = Page(status=410)
        assert library.documents.refresh([source_id]).queued == (source_id,)
        with database.connection() as conn:
            conn.execute("UPDATE jobs SET attempts = %s WHERE finished_at IS NULL", [attempts])
        assert work() == 1
        assert row(library, source_id).state == "failed"


def test_a_cancelled_document_stays_queued_and_costs_no_attempt(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    token = CancelToken()

    def cancel_and_answer(handler: object) -> None:
        token.cancel()
        handler.send_page(article("Rhine"))  # type: ignore[attr-defined]

    pages.pages["/rhine"] = cancel_and_answer
    result = accepted(library.add([pages.url("/rhine"), pages.url("/elbe")])[0])
    work(token)
    assert {source.state for source in library.documents.all()} == {"queued"}
    with database.connection() as conn:
        assert jobs.counts(conn) == QueueCounts(waiting=2, running=0)
        assert conn.execute("SELECT max(attempts) FROM jobs").fetchone() == (0,)
    pages.pages["/rhine"] = article("Rhine")
    assert work() == 2
    assert row(library, result.source_id).state == "ready"
    assert_sound(database)


def test_what_is_given_while_the_database_is_down_is_kept_and_added_later(
    library: StoredLibrary, tmp_path: Path, work: Callable[..., int]
) -> None:
    note = tmp_path / "note.md"
    note.write_text("Kept although the database was down.", encoding="utf-8")
    down = Database({"host": "127.0.0.1", "port": 1, "user": "x", "dbname": "x"}, timeout_seconds=0.5)
    spool = Spool(tmp_path / "intake")
    (kept,) = StoredLibrary(down, spool, OPTIONS).add([str(note)])
    down.close()
    assert isinstance(kept, Kept)
    assert isinstance(kept.error, DatabaseError)
    note.unlink()
    assert [path.suffix for path, _ in spool.waiting()] == [".json"]
    assert len(library.queue.unfinished()) == 1
    assert list(spool.waiting()) == []
    work()
    (ready,) = library.documents.all()
    assert ready.state == "ready"


def test_an_intake_entry_survives_the_round_trip_byte_for_byte(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(b"<p>caf\xe9 \xff\xfe</p>")
    intake = read_intake(str(page), OPTIONS)
    spool = Spool(tmp_path / "intake")
    spool.put(intake)
    ((_, back),) = spool.waiting()
    assert back == intake
    assert back.capture is not None
    assert back.capture.body == page.read_bytes()


def test_a_damaged_intake_entry_is_quarantined_and_the_rest_goes_on(
    library: StoredLibrary, tmp_path: Path, pages: PageServer
) -> None:
    spool = Spool(tmp_path / "intake")
    spool.put(read_intake(pages.url("/rhine"), OPTIONS))
    (first, _), *_ = spool.waiting()
    first.write_bytes(first.read_bytes()[:20])
    spool.put(read_intake(pages.url("/elbe"), OPTIONS))
    assert len(library.queue.unfinished()) == 1
    assert [path.suffix for path in (tmp_path / "intake").iterdir()] == [".damaged"]


def test_losing_the_database_in_mid_work_fails_no_document(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Callable[..., int],
    work_meanwhile: Callable[..., int],
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id

    def cut_every_connection() -> None:
        with database.connection() as conn:
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    with pytest.raises(DatabaseUnreachableError):  # the lock is lost even where the pool connects again
        work_meanwhile(cut_every_connection)
    assert row(library, source_id).state != "failed"
    work()
    assert row(library, source_id).state == "ready"
    assert_sound(database)


def test_settings_that_contradict_the_library_leave_the_queue_untouched(
    database: Database, library: StoredLibrary, pages: PageServer
) -> None:
    accepted(library.add([pages.url("/rhine")])[0])

    def refuse() -> Indexer:
        raise ConfigurationError("The settings name another model.", "Change them back.")

    with pytest.raises(ConfigurationError):
        drain_queue(database, refuse)
    assert [source.state for source in library.documents.all()] == ["queued"]
    with database.connection() as conn:
        assert jobs.counts(conn) == QueueCounts(waiting=1, running=0)
    assert_sound(database)


def test_a_fault_of_our_own_fails_one_document_and_no_other(
    database: Database, library: StoredLibrary, pages: PageServer, work_meanwhile: Callable[..., int]
) -> None:
    library.add([pages.url("/rhine"), pages.url("/elbe")])

    def stumble() -> None:
        raise RuntimeError("a bug")

    assert work_meanwhile(stumble) == 2
    states = {source.url: source.state for source in library.documents.all()}
    assert states == {pages.url("/rhine"): "failed", pages.url("/elbe"): "ready"}
    assert_sound(database)


def test_a_file_that_waited_while_the_database_was_down_does_not_undo_a_newer_one(
    library: StoredLibrary, tmp_path: Path, work: Callable[..., int]
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The old text about rivers.", encoding="utf-8")
    waiting = read_intake(str(note), OPTIONS)
    note.write_text("The new text about mountains.", encoding="utf-8")
    source_id = accepted(library.add([str(note)])[0]).source_id
    library.spool.put(waiting)
    library.queue.unfinished()
    work()
    text = library.documents.text(source_id)
    assert text is not None
    assert "mountains" in text.markdown
