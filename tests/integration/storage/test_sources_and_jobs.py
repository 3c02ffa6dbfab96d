"""Intake is durable, the queue hands out each job once, and one runner works per database."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from webrag_desktop.errors import DatabaseError, InputError
from webrag_desktop.models import Capture
from webrag_desktop.storage import captures, events, jobs, sources
from webrag_desktop.storage.database import Database

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
        source_id = sources.add_source(conn, "url", PAGE, PAGE)
        assert sources.claim_address(conn, source_id, PAGE + "/", PAGE + "/", "redirect") == source_id
        other = sources.add_source(conn, "url", "https://example.org/b", "https://example.org/b")
        assert sources.claim_address(conn, other, PAGE, PAGE, "canonical") == source_id
        assert sources.owner_of(conn, PAGE + "/") == source_id
        assert sources.owner_of(conn, "https://example.org/c") is None


def test_an_address_longer_than_an_index_key_is_accepted(database: Database) -> None:
    long_address = "https://example.org/?q=" + "x" * 20_000
    with database.connection() as conn:
        source_id = sources.add_source(conn, "url", long_address, long_address)
        assert sources.owner_of(conn, long_address) == source_id


def test_merging_moves_addresses_and_removes_the_duplicate(database: Database) -> None:
    with database.connection() as conn:
        kept = sources.add_source(conn, "url", "https://a.org/", "https://a.org/")
        duplicate = sources.add_source(conn, "url", "https://b.org/", "https://b.org/")
        jobs.enqueue(conn, duplicate)
        sources.merge_source(conn, duplicate, kept)
        assert sources.owner_of(conn, "https://b.org/") == kept
        assert [row.id for row in sources.list_sources(conn)] == [kept]
        assert jobs.counts(conn) == jobs.QueueCounts(0, 0)


def test_a_source_is_found_by_the_beginning_of_its_id(database: Database) -> None:
    with database.connection() as conn:
        source_id = sources.add_source(conn, "url", PAGE, PAGE)
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
        source_id = sources.add_source(conn, "url", PAGE, PAGE)
        stored = captures.save_capture(conn, source_id, capture(body))
    with database.connection() as conn:
        found = captures.latest_capture(conn, source_id)
        assert found is not None
        assert found.capture.body == body
        assert found.raw_hash == stored.raw_hash == captures.latest_raw_hash(conn, source_id)
        assert found.capture.header("x-odd") == "ab"
        later = datetime.now(UTC) + timedelta(hours=1)
        assert captures.latest_capture(conn, source_id, since=later) is None


def test_jobs_come_by_priority_then_age_each_once(database: Database) -> None:
    with database.connection() as conn:
        ids = [sources.add_source(conn, "url", f"https://a.org/{n}", f"https://a.org/{n}") for n in range(3)]
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
            jobs.enqueue(conn, sources.add_source(conn, "url", f"https://a.org/{n}", f"https://a.org/{n}"))
    with database.connection() as first, database.connection() as second:
        one, two = jobs.claim(first), jobs.claim(second)
        assert one is not None
        assert two is not None
        assert one.id != two.id
        assert jobs.claim(second) is None


def test_what_a_stopped_runner_left_is_given_back(database: Database) -> None:
    with database.connection() as conn:
        jobs.enqueue(conn, sources.add_source(conn, "url", PAGE, PAGE))
        jobs.claim(conn)
        assert jobs.counts(conn) == jobs.QueueCounts(waiting=0, running=1)
        assert jobs.release_claims(conn) == 1
        again = jobs.claim(conn)
        assert again is not None
        assert again.attempts == 2
        jobs.release_claims(conn, forgive=True)
        forgiven = jobs.claim(conn)
        assert forgiven is not None
        assert forgiven.attempts == 2


def test_only_one_runner_and_its_end_frees_the_place(database: Database) -> None:
    first, second = database.dedicated_connection(), database.dedicated_connection()
    with database.connection() as conn:
        assert not jobs.runner_exists(conn)
        assert jobs.become_runner(first)
        assert jobs.runner_exists(conn)
        assert not jobs.become_runner(second)
    first.close()
    assert jobs.become_runner(second)
    second.close()


def test_states_are_checked_by_the_database(database: Database) -> None:
    with database.connection() as conn:
        source_id = sources.add_source(conn, "url", PAGE, PAGE)
    with pytest.raises(DatabaseError, match="failure_has_a_reason"), database.connection() as conn:
        sources.set_state(conn, source_id, "failed")


def test_changes_are_announced_to_listeners_when_they_commit(database: Database) -> None:
    listener = database.dedicated_connection()
    events.listen(listener)
    with database.connection() as conn:
        source_id = sources.add_source(conn, "url", PAGE, PAGE)
    heard = list(events.received(listener, 5.0))
    assert heard == [events.SourceChanged(source_id, "queued")]
    with database.connection() as conn:
        sources.set_state(conn, source_id, "embedding", done=3, total=9)
    assert list(events.received(listener, 5.0)) == [events.SourceChanged(source_id, "embedding", 3, 9)]
    listener.close()


def test_a_lost_server_becomes_an_error_for_the_user() -> None:
    nowhere = Database({"host": "127.0.0.1", "port": 1, "dbname": "x", "user": "x", "password": "hunter2"})
    with pytest.raises(DatabaseError, match="does not answer") as caught:
        nowhere.dedicated_connection()
    assert "hunter2" not in str(caught.value) + caught.value.hint
    assert isinstance(caught.value.__cause__, psycopg.OperationalError)
    nowhere.close()
