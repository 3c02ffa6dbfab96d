"""What was accepted is worked off: fetched, read, indexed, joined, failed with a reason, resumed after a crash."""

from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread

import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import OPTIONS, accepted, article, assert_sound, drain_queue, row
from webrag_desktop.errors import (
    ConfigurationError,
    DatabaseError,
    DatabaseUnreachableError,
    InputError,
    NotFoundError,
)
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.orchestration.intake import Accepted, read_intake
from webrag_desktop.orchestration.library import Kept, Library, Refused
from webrag_desktop.orchestration.runner import MOST_ATTEMPTS
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import jobs
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spool import Spool


def test_an_added_page_becomes_ready(
    database: Database, library: Library, pages: PageServer, work: Callable[..., int]
) -> None:
    result = accepted(library.add([pages.url("/rhine")])[0])
    assert result.verdict == "added"
    assert row(library, result.source_id).state == "queued"
    assert_sound(database)
    assert work() == 1
    ready = row(library, result.source_id)
    assert (ready.state, ready.title, ready.source_url) == ("ready", "Rhine", pages.url("/rhine"))
    text = library.text(result.source_id)
    assert text is not None
    assert "cold water" in text.markdown
    assert [chunk.embedded for chunk in library.chunks(result.source_id) if chunk.chunk_level == "child"] == [
        True
    ]
    assert_sound(database)


def test_adding_again_does_nothing_and_fetches_nothing(
    library: Library, pages: PageServer, work: Callable[..., int]
) -> None:
    first = accepted(library.add([pages.url("/rhine")])[0])
    work()
    again = accepted(library.add([pages.url("/rhine?utm_source=mail#top")])[0])
    assert (again.source_id, again.verdict) == (first.source_id, "present")
    assert work() == 0
    assert len(pages.requests) == 1


def test_a_failure_keeps_its_reason_and_adding_again_retries(
    database: Database, library: Library, pages: PageServer, work: Callable[..., int]
) -> None:
    result = accepted(library.add([pages.url("/oder")])[0])
    work()
    failed = row(library, result.source_id)
    assert failed.state == "failed"
    assert "404" in (failed.state_reason or "")
    assert_sound(database)
    pages.pages["/oder"] = article("Oder")
    assert accepted(library.add([pages.url("/oder")])[0]).verdict == "retried"
    work()
    assert row(library, result.source_id).state == "ready"
    assert_sound(database)


@pytest.mark.parametrize("second", ["/redirect", "/canonical"])
def test_two_addresses_of_one_page_become_one_document(
    database: Database, library: Library, pages: PageServer, work: Callable[..., int], second: str
) -> None:
    link = f'<link rel="canonical" href="{pages.url("/rhine")}">'
    pages.pages |= {"/redirect": Page.redirect("/rhine"), "/canonical": article("Rhine", head=link)}
    first = accepted(library.add([pages.url("/rhine")])[0])
    work()
    joined = accepted(library.add([pages.url(second)])[0])
    work()
    assert library.source(joined.source_id) is None
    assert library.find(pages.url(second)).id == first.source_id
    assert accepted(library.add([pages.url(second)])[0]).verdict == "present"
    assert len(library.sources()) == 1
    assert_sound(database)


def test_a_file_is_captured_at_once_and_survives_its_deletion(
    database: Database, library: Library, tmp_path: Path, work: Callable[..., int]
) -> None:
    note = tmp_path / "Größe ☕.md"
    note.write_text("# Größe\n\nÜber die Größe von Tassen ☕ und 茶.\n", encoding="utf-8")
    result = accepted(library.add([str(note)])[0])
    note.unlink()
    work()
    assert row(library, result.source_id).state == "ready"
    text = library.text(result.source_id)
    assert text is not None
    assert "Tassen ☕ und 茶" in text.markdown
    assert library.find(str(note)).id == result.source_id
    assert_sound(database)


def test_a_changed_file_becomes_a_new_version_and_an_equal_one_does_nothing(
    database: Database, library: Library, tmp_path: Path, work: Callable[..., int]
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The old text about rivers.", encoding="utf-8")
    first = accepted(library.add([str(note)])[0])
    work()
    assert accepted(library.add([str(note)])[0]).verdict == "present"
    note.write_text("The new text about mountains.", encoding="utf-8")
    assert accepted(library.add([str(note)])[0]).verdict == "changed"
    work()
    text = library.text(first.source_id)
    assert text is not None
    assert "mountains" in text.markdown
    with database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM document_versions").fetchone() == (2,)
    assert_sound(database)


def test_what_cannot_be_taken_in_is_refused_alone(
    library: Library, pages: PageServer, tmp_path: Path
) -> None:
    given = ["javascript:alert(1)", str(tmp_path / "missing.md"), pages.url("/elbe")]
    results = library.add(given)
    assert [type(result) for result in results] == [Refused, Refused, Accepted]
    assert isinstance(results[0], Refused)
    assert isinstance(results[0].error, InputError)
    assert len(library.sources()) == 1


def test_after_a_crash_the_work_is_taken_up_again_without_fetching_twice(
    database: Database, library: Library, pages: PageServer, work: Callable[..., int]
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


def test_a_document_that_takes_the_program_down_again_and_again_is_left_alone(
    database: Database, library: Library, pages: PageServer, work: Callable[..., int]
) -> None:
    result = accepted(library.add([pages.url("/rhine")])[0])
    with database.connection() as conn:
        conn.execute("UPDATE jobs SET attempts = %s", [MOST_ATTEMPTS])
    work()
    failed = row(library, result.source_id)
    assert failed.state == "failed"
    assert "stopped 3 times" in (failed.state_reason or "")
    assert accepted(library.add([pages.url("/rhine")])[0]).verdict == "retried"
    work()
    assert row(library, result.source_id).state == "ready"


def test_a_cancelled_document_stays_queued_and_costs_no_attempt(
    database: Database, library: Library, pages: PageServer, work: Callable[..., int]
) -> None:
    token = CancelToken()

    def cancel_and_answer(handler: object) -> None:
        token.cancel()
        handler.send_page(article("Rhine"))  # type: ignore[attr-defined]

    pages.pages["/rhine"] = cancel_and_answer
    result = accepted(library.add([pages.url("/rhine"), pages.url("/elbe")])[0])
    work(token)
    assert {source.state for source in library.sources()} == {"queued"}
    with database.connection() as conn:
        assert jobs.counts(conn) == jobs.QueueCounts(waiting=2, running=0)
        assert conn.execute("SELECT max(attempts) FROM jobs").fetchone() == (0,)
    pages.pages["/rhine"] = article("Rhine")
    assert work() == 2
    assert row(library, result.source_id).state == "ready"
    assert_sound(database)


def test_removing_leaves_nothing_behind(
    database: Database, library: Library, pages: PageServer, work: Callable[..., int]
) -> None:
    result = accepted(library.add([pages.url("/rhine")])[0])
    work()
    assert library.remove(result.source_id)
    assert not library.remove(result.source_id)
    with database.connection() as conn:
        for table in (
            "sources",
            "captures",
            "document_versions",
            "documents",
            "chunks",
            "corpus_chunks",
            "jobs",
        ):
            assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    assert_sound(database)


def test_a_document_is_found_by_id_prefix_address_or_path(library: Library, pages: PageServer) -> None:
    result = accepted(library.add([pages.url("/rhine")])[0])
    for reference in (str(result.source_id), str(result.source_id)[:8], pages.url("/rhine#part")):
        assert library.find(reference).id == result.source_id
    for reference in ("0000", "https://nowhere.example/", "not an address at all"):
        with pytest.raises(NotFoundError):
            library.find(reference)


def test_what_is_given_while_the_database_is_down_is_kept_and_added_later(
    library: Library, tmp_path: Path, work: Callable[..., int]
) -> None:
    note = tmp_path / "note.md"
    note.write_text("Kept although the database was down.", encoding="utf-8")
    down = Database({"host": "127.0.0.1", "port": 1, "user": "x", "dbname": "x"}, timeout_seconds=0.5)
    spool = Spool(tmp_path / "intake")
    (kept,) = Library(down, spool, OPTIONS).add([str(note)])
    down.close()
    assert isinstance(kept, Kept)
    assert isinstance(kept.error, DatabaseError)
    note.unlink()
    assert [path.suffix for path, _ in spool.waiting()] == [".json"]
    assert len(library.unfinished()) == 1
    assert list(spool.waiting()) == []
    work()
    (ready,) = library.sources()
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


def test_a_damaged_intake_entry_is_set_aside_and_the_rest_goes_on(
    library: Library, tmp_path: Path, pages: PageServer
) -> None:
    spool = Spool(tmp_path / "intake")
    spool.put(read_intake(pages.url("/rhine"), OPTIONS))
    (first, _), *_ = spool.waiting()
    first.write_bytes(first.read_bytes()[:20])
    spool.put(read_intake(pages.url("/elbe"), OPTIONS))
    assert len(library.unfinished()) == 1
    assert [path.suffix for path in (tmp_path / "intake").iterdir()] == [".damaged"]


def test_many_adding_the_same_page_at_once_make_one_document(
    database: Database, library: Library, pages: PageServer, work: Callable[..., int]
) -> None:
    results: list[object] = []
    together = Barrier(6)

    def add() -> None:
        together.wait()
        results.extend(library.add([pages.url("/rhine")]))

    threads = [Thread(target=add) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(accepted(result).verdict for result in results) == ["added"] + 5 * ["present"]  # type: ignore[arg-type]
    work()
    assert [source.state for source in library.sources()] == ["ready"]
    assert_sound(database)


def test_a_file_that_changes_while_it_is_read_is_read_again(
    database: Database, library: Library, tmp_path: Path, work_meanwhile: Callable[..., int]
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The old text about rivers.", encoding="utf-8")
    source_id = accepted(library.add([str(note)])[0]).source_id

    def change() -> None:
        note.write_text("The new text about mountains.", encoding="utf-8")
        assert accepted(library.add([str(note)])[0]).verdict == "changed"

    work_meanwhile(change)
    text = library.text(source_id)
    assert text is not None
    assert "mountains" in text.markdown
    assert row(library, source_id).state == "ready"
    assert accepted(library.add([str(note)])[0]).verdict == "present"
    assert_sound(database)


def test_a_document_removed_while_it_is_read_stays_removed(
    database: Database, library: Library, pages: PageServer, work_meanwhile: Callable[..., int]
) -> None:
    source_id = accepted(library.add([pages.url("/rhine"), pages.url("/elbe")])[0]).source_id
    work_meanwhile(lambda: library.remove(source_id))
    assert [source.title for source in library.sources()] == ["Elbe"]
    with database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM vector_cache").fetchone() == (0,)
    assert_sound(database)


def test_losing_the_database_in_mid_work_fails_no_document(
    database: Database,
    library: Library,
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

    with pytest.raises(DatabaseUnreachableError):  # the lock is lost even where the pool connects anew
        work_meanwhile(cut_every_connection)
    assert row(library, source_id).state != "failed"
    work()
    assert row(library, source_id).state == "ready"
    assert_sound(database)


def test_settings_that_contradict_the_library_leave_the_queue_untouched(
    database: Database, library: Library, pages: PageServer
) -> None:
    accepted(library.add([pages.url("/rhine")])[0])

    def refuse() -> Indexer:
        raise ConfigurationError("The settings name another model.", "Change them back.")

    with pytest.raises(ConfigurationError):
        drain_queue(database, refuse)
    assert [source.state for source in library.sources()] == ["queued"]
    with database.connection() as conn:
        assert jobs.counts(conn) == jobs.QueueCounts(waiting=1, running=0)
    assert_sound(database)


def test_a_fault_of_our_own_fails_one_document_and_no_other(
    database: Database, library: Library, pages: PageServer, work_meanwhile: Callable[..., int]
) -> None:
    library.add([pages.url("/rhine"), pages.url("/elbe")])

    def stumble() -> None:
        raise RuntimeError("a bug")

    assert work_meanwhile(stumble) == 2
    states = {source.url: source.state for source in library.sources()}
    assert states == {pages.url("/rhine"): "failed", pages.url("/elbe"): "ready"}
    assert_sound(database)


def test_an_alias_brings_a_failed_page_to_life(
    library: Library, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/oder"] = Page(b"busy", status=500)
    first = accepted(library.add([pages.url("/oder")])[0])
    work()
    assert row(library, first.source_id).state == "failed"
    pages.pages |= {"/oder": article("Oder"), "/alias": Page.redirect("/oder")}
    library.add([pages.url("/alias")])
    work()
    assert row(library, first.source_id).state == "ready"
    assert library.find(pages.url("/alias")).id == first.source_id


def test_what_failed_for_a_passing_reason_is_tried_again_on_demand(
    library: Library, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/busy"] = Page(b"busy", status=503)
    library.add([pages.url("/busy"), pages.url("/missing")])
    work()
    pages.pages["/busy"] = article("Busy")
    assert library.retry_failed() == 1
    work()
    assert {source.title: source.state for source in library.sources()} == {"Busy": "ready", None: "failed"}


def test_a_file_that_waited_while_the_database_was_down_does_not_undo_a_newer_one(
    library: Library, tmp_path: Path, work: Callable[..., int]
) -> None:
    note = tmp_path / "note.md"
    note.write_text("The old text about rivers.", encoding="utf-8")
    waiting = read_intake(str(note), OPTIONS)
    note.write_text("The new text about mountains.", encoding="utf-8")
    source_id = accepted(library.add([str(note)])[0]).source_id
    library.spool.put(waiting)
    library.unfinished()
    work()
    text = library.text(source_id)
    assert text is not None
    assert "mountains" in text.markdown


def test_new_facts_about_an_unchanged_text_are_kept(
    library: Library, pages: PageServer, tmp_path: Path, work: Callable[..., int]
) -> None:
    file = tmp_path / "page.html"
    file.write_text(article("Rhine", head='<meta name="description" content="Old words">'), encoding="utf-8")
    source_id = accepted(library.add([str(file)])[0]).source_id
    work()
    file.write_text(article("Rhine", head='<meta name="description" content="New words">'), encoding="utf-8")
    assert accepted(library.add([str(file)])[0]).verdict == "changed"
    work()
    assert row(library, source_id).description == "New words"
