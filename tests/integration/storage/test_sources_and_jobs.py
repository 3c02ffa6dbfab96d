"""Intake is durable, the queue hands out each job once, and one runner works per database."""

from datetime import UTC, datetime
from threading import Barrier, Thread

import psycopg
import pytest

from tests.support.new_source import new_source
from webrag_desktop.errors import (
    DatabaseConflictError,
    DatabaseError,
    DatabaseResourceError,
    DatabaseUnreachableError,
    InputError,
    ReadOnlyLibraryError,
    ResourceError,
)
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.queue import QueueCounts, SourceChanged
from webrag_desktop.storage import events
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database, database_errors
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs, queue_control

PAGE = "https://example.org/page"


def capture(body: bytes = b"<p>Hello</p>") -> Capture:
    return Capture(
        url=PAGE,
        final_url=PAGE,
        status_code=200,
        headers=(("Content-Type", "text/html"), ("X-Odd", "a\0b")),
        body=body,
        fetched_at=datetime(2026, 1, 2, tzinfo=UTC),
    )


def test_a_source_answers_to_its_addresses(database: Database) -> None:
    with database.connection() as conn:
        source_id = new_source(conn, "url", PAGE, PAGE)
        assert sources.claim_address(conn, source_id, PAGE + "/", PAGE + "/", "redirect") == source_id
        other = new_source(conn, "url", "https://example.org/b", "https://example.org/b")
        assert sources.claim_address(conn, other, PAGE, PAGE, "canonical") == source_id
        assert sources.owner_of(conn, PAGE + "/") == source_id
        assert sources.owner_of(conn, "https://example.org/c") is None


def test_an_address_longer_than_an_index_key_is_accepted(database: Database) -> None:
    long_address = "https://example.org/?q=" + "x" * 20_000
    with database.connection() as conn:
        source_id = new_source(conn, "url", long_address, long_address)
        assert sources.owner_of(conn, long_address) == source_id


def test_merging_moves_addresses_and_removes_the_duplicate(database: Database) -> None:
    with database.connection() as conn:
        kept = new_source(conn, "url", "https://a.org/", "https://a.org/")
        duplicate = new_source(conn, "url", "https://b.org/", "https://b.org/")
        jobs.enqueue(conn, duplicate)
        sources.merge_source(conn, duplicate, kept)
        assert sources.owner_of(conn, "https://b.org/") == kept
        assert [row.id for row in sources.list_sources(conn)] == [kept]
        assert jobs.counts(conn) == QueueCounts(0, 0)


def test_a_source_is_found_by_the_beginning_of_its_id(database: Database) -> None:
    with database.connection() as conn:
        source_id = new_source(conn, "url", PAGE, PAGE)
        found = sources.find_by_id_prefix(conn, str(source_id)[:8].upper())
        assert found is not None
        assert found.id == source_id
        assert sources.find_by_id_prefix(conn, str(source_id)[:3]) is None


def test_an_ambiguous_id_is_refused(database: Database) -> None:
    with database.connection() as conn:
        for last in "12":
            conn.execute(
                "INSERT INTO sources (id, kind) VALUES (%s, 'url')",
                [f"aaaa0000-0000-4000-8000-00000000000{last}"],
            )
            conn.execute(
                """
                INSERT INTO source_addresses (source_id, kind, url, url_key, key_hash)
                VALUES (%s, 'given', %s, %s, sha256(%s))
                """,
                [f"aaaa0000-0000-4000-8000-00000000000{last}", last, last, last.encode()],
            )
        with pytest.raises(InputError, match="Several documents"):
            sources.find_by_id_prefix(conn, "aaaa")


def test_a_capture_comes_back_as_it_was(database: Database) -> None:
    body = bytes(range(256)) * 50
    with database.connection() as conn:
        source_id = new_source(conn, "url", PAGE, PAGE)
        stored = captures.save_capture(conn, source_id, capture(body))
    with database.connection() as conn:
        found = captures.load_capture(conn, stored.id)
        assert found is not None
        assert found.capture.body == body
        assert found.raw_hash == stored.raw_hash
        assert found.capture.header("x-odd") == "ab"


def test_the_newest_capture_is_the_one_that_came_last_whatever_the_clock_says(database: Database) -> None:
    with database.connection() as conn:
        source_id = new_source(conn, "url", PAGE, PAGE)
        assert captures.latest_capture(conn, source_id) is None
        captures.save_capture(conn, source_id, capture(b"first"))
        conn.execute("UPDATE captures SET captured_at = now() + interval '1 hour'")
        second = captures.save_capture(conn, source_id, capture(b"second"))
        latest = captures.latest_capture(conn, source_id)
    assert latest is not None
    assert (latest.id, latest.raw_hash) == (second.id, second.raw_hash)


def test_jobs_come_by_priority_then_age_each_once(database: Database) -> None:
    with database.connection() as conn:
        ids = [new_source(conn, "url", f"https://a.org/{n}", f"https://a.org/{n}") for n in range(3)]
        for source_id, priority in zip(ids, (0, 0, 5), strict=True):
            jobs.enqueue(conn, source_id, priority=priority)
        jobs.enqueue(conn, ids[0])  # open work is not doubled
    claimed = []
    with database.connection() as conn:
        while (job := jobs.claim(conn)) is not None:
            claimed.append(job)
    assert [job.source_id for job in claimed] == [ids[2], ids[0], ids[1]]
    assert all(job.attempts == 1 for job in claimed)


def test_two_connections_never_claim_the_same_job(database: Database) -> None:
    with database.connection() as conn:
        for n in range(2):
            jobs.enqueue(conn, new_source(conn, "url", f"https://a.org/{n}", f"https://a.org/{n}"))
    with database.connection() as first, database.connection() as second:
        one, two = jobs.claim(first), jobs.claim(second)
        assert one is not None
        assert two is not None
        assert one.id != two.id
        assert jobs.claim(second) is None


def test_what_a_dead_runner_left_is_given_back(database: Database) -> None:
    with database.connection() as conn:
        jobs.enqueue(conn, new_source(conn, "url", PAGE, PAGE))
        jobs.claim(conn)
        assert jobs.counts(conn) == QueueCounts(waiting=0, running=1)
        assert jobs.release_claims(conn) == 1
        again = jobs.claim(conn)
        assert again is not None
        assert again.attempts == 2
        jobs.put_back(conn, again, None, forgive=True)
        forgiven = jobs.claim(conn)
        assert forgiven is not None
        assert forgiven.attempts == 2


def test_a_claim_that_was_lost_changes_nothing_any_more(database: Database) -> None:
    with database.connection() as conn:
        source_id = new_source(conn, "url", PAGE, PAGE)
        jobs.enqueue(conn, source_id)
        lost = jobs.claim(conn)
        assert lost is not None
        assert sources.set_state(conn, source_id, "fetching", claim=lost.claim)
        jobs.release_claims(conn)
        assert not sources.set_state(conn, source_id, "extracting", claim=lost.claim)
        successor = jobs.claim(conn)
        assert successor is not None
        assert not sources.set_state(conn, source_id, "extracting", claim=lost.claim)
        assert sources.set_state(conn, source_id, "embedding", claim=successor.claim)


def test_waiting_work_takes_up_a_newer_capture_and_running_work_does_not(database: Database) -> None:
    with database.connection() as conn:
        source_id = new_source(conn, "file", PAGE, PAGE)
        first, second, third = (
            captures.save_capture(conn, source_id, capture(body)).id for body in (b"1", b"2", b"3")
        )
        jobs.enqueue(conn, source_id, first)
        jobs.enqueue(conn, source_id, second)
        job = jobs.claim(conn)
        assert job is not None
        assert job.capture_id == second
        jobs.enqueue(conn, source_id, third)
        assert jobs.counts(conn) == QueueCounts(waiting=0, running=1)
        assert conn.execute("SELECT capture_id FROM jobs").fetchone() == (second,)


def test_only_what_may_have_passed_is_tried_again(database: Database) -> None:
    with database.connection() as conn:
        ids = [new_source(conn, "url", f"https://a.org/{n}", f"https://a.org/{n}") for n in range(2)]
        for source_id, transient in zip(ids, (True, False), strict=True):
            jobs.enqueue(conn, source_id)
            job = jobs.claim(conn)
            assert job is not None
            sources.set_state(conn, source_id, "failed", reason="It did not answer.")
            jobs.fail(conn, job, "It did not answer.", "", transient=transient)
        assert jobs.transiently_failed(conn) == [ids[0]]


def test_only_one_runner_and_its_end_frees_the_place(database: Database) -> None:
    with database.dedicated() as second, database.connection() as conn, database.dedicated() as first:
        assert not jobs.runner_exists(conn)
        assert jobs.become_runner(first)
        assert jobs.runner_exists(conn)
        assert not jobs.become_runner(second)
        jobs.resign(first)
        assert jobs.become_runner(second)


def test_an_address_has_one_owner_however_many_add_it_at_once(database: Database) -> None:
    added: list[object] = []
    together = Barrier(6)

    def add() -> None:
        together.wait()
        with database.connection() as conn:
            added.append(sources.add_source(conn, "url", PAGE, PAGE))

    threads = [Thread(target=add) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([source_id for source_id in added if source_id is not None]) == 1
    with database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM sources").fetchone() == (1,)


def test_states_are_checked_by_the_database(database: Database) -> None:
    with database.connection() as conn:
        source_id = new_source(conn, "url", PAGE, PAGE)
    with pytest.raises(DatabaseError, match="failure_has_a_reason"), database.connection() as conn:
        sources.set_state(conn, source_id, "failed")


def test_changes_are_announced_to_listeners_when_they_commit(database: Database) -> None:
    with events.listening(database) as (listener, _conn):
        with database.connection() as conn:
            source_id = new_source(conn, "url", PAGE, PAGE)
        assert listener.hear(5.0) == [SourceChanged(source_id, "queued")]
        with database.connection() as conn:
            sources.set_state(conn, source_id, "embedding", done=3, total=9)
        assert listener.hear(5.0) == [SourceChanged(source_id, "embedding", 3, 9)]
        with database.connection() as conn:
            sources.remove_source(conn, source_id)
        assert listener.hear(5.0) == [SourceChanged(source_id, "removed")]


def test_a_lost_server_becomes_an_error_for_the_user() -> None:
    nowhere = Database({"host": "127.0.0.1", "port": 1, "dbname": "x", "user": "x", "password": "hunter2"})
    with pytest.raises(DatabaseUnreachableError, match="does not answer") as caught, nowhere.dedicated():
        pass
    assert "hunter2" not in str(caught.value) + caught.value.hint
    assert isinstance(caught.value.__cause__, psycopg.OperationalError)
    nowhere.close()


@pytest.mark.parametrize(
    ("raised", "expected", "words"),
    [
        (psycopg.errors.DiskFull("x"), DatabaseResourceError, "disk is full"),
        (psycopg.errors.OutOfMemory("x"), DatabaseResourceError, "at present: x"),
        (psycopg.errors.IoError("x"), DatabaseResourceError, "at present: x"),
        (psycopg.errors.ReadOnlySqlTransaction("x"), ReadOnlyLibraryError, "can only be read"),
        (psycopg.errors.ProgramLimitExceeded("row is too big"), DatabaseError, "has more parts"),
        (psycopg.errors.DeadlockDetected("x"), DatabaseConflictError, "same documents"),
        (psycopg.errors.AdminShutdown("x"), DatabaseUnreachableError, "does not answer"),
        (
            psycopg.OperationalError("server closed the connection"),
            DatabaseUnreachableError,
            "does not answer",
        ),
        (
            psycopg.DataError("PostgreSQL text fields cannot contain NUL"),
            DatabaseError,
            "refused a statement",
        ),
    ],
)
def test_each_kind_of_trouble_has_its_own_words(
    raised: Exception, expected: type[DatabaseError], words: str
) -> None:
    with pytest.raises(DatabaseError, match=words) as caught, database_errors():
        raise raised
    assert type(caught.value) is expected


def test_a_library_that_can_only_be_read_is_held_against_no_document() -> None:
    assert issubclass(ReadOnlyLibraryError, ResourceError)


def test_a_state_that_waited_behind_a_cancel_is_not_written(database: Database) -> None:
    with database.connection() as conn:
        source_id = new_source(conn, "url", PAGE, PAGE)
        jobs.enqueue(conn, source_id)
        job = jobs.claim(conn)
    assert job is not None
    written: list[bool] = []

    def report() -> None:
        with database.connection() as worker:
            written.append(sources.set_state(worker, source_id, "fetching", claim=job.claim))

    reporting = Thread(target=report)
    with database.connection() as conn:
        queue_control.cancel(conn, [source_id])
        reporting.start()
        while not conn.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone():
            assert reporting.is_alive()
    reporting.join()
    assert written == [False]
    with database.connection() as conn:
        assert [row.state for row in sources.list_sources(conn)] == ["cancelled"]
