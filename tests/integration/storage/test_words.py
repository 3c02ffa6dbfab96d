"""Postings are kept true by whatever writes chunks, and few by merging."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from uuid import UUID

import pytest

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.storage import upkeep
from webrag_desktop.storage.checks.declared import offenders_of
from webrag_desktop.storage.checks.deep_reads import children_with_other_postings
from webrag_desktop.storage.database import Connection, Database


@pytest.fixture
def library(database: Database) -> SyntheticLibrary:
    return SyntheticLibrary(database)


def add(library: SyntheticLibrary, count: int, prefix: str = "a", language: str = "en") -> list[UUID]:
    return [
        library.add(
            f"https://{prefix}/{n}",
            [Section([Passage(f"okapi number{n}"), Passage("sea")])],
            language=language,
        )
        for n in range(count)
    ]


def children_of_segments(conn: Connection) -> list[int]:
    return [row[0] for row in conn.execute("SELECT children FROM lexical_segments ORDER BY id")]


def removed(conn: Connection) -> int:
    row = conn.execute("SELECT coalesce(sum(cardinality(ordinals)), 0) FROM lexical_removals").fetchone()
    assert row is not None
    return int(row[0])


def assert_whole(conn: Connection) -> None:
    assert offenders_of(conn, "words-scored") == []
    assert children_with_other_postings(conn) == children_with_other_postings(conn, 1000) == []


def test_every_landing_is_a_segment_until_eight_are_alike(
    database: Database, library: SyntheticLibrary
) -> None:
    add(library, 7)
    with database.connection() as conn:
        assert children_of_segments(conn) == [2] * 7
    add(library, 1, "b")
    with database.connection() as conn:
        assert children_of_segments(conn) == [16]
        rows = conn.execute(
            "SELECT octet_length(postings) / 7 FROM lexical_postings WHERE term IN ('okapi', 'sea')"
        ).fetchall()
        assert rows == [(8,), (8,)]
        assert_whole(conn)


def test_languages_have_segments_of_their_own(database: Database, library: SyntheticLibrary) -> None:
    add(library, 5)
    add(library, 5, "b", "de")
    with database.connection() as conn:
        assert children_of_segments(conn) == [2] * 10


def test_many_small_segments_are_merged_by_the_way(database: Database, library: SyntheticLibrary) -> None:
    add(library, 130)
    with database.connection() as conn:
        assert len(children_of_segments(conn)) < 3 * 8
        assert sum(children_of_segments(conn)) == 260
        assert_whole(conn)


def test_what_is_gone_is_noted_and_scrubbed_later(database: Database, library: SyntheticLibrary) -> None:
    ids = add(library, 20)
    for id_ in ids[:3]:
        library.remove(id_)
    with database.connection() as conn:
        assert removed(conn) == 6
        assert sum(children_of_segments(conn)) == 40
        assert_whole(conn)
        while upkeep.tidy_postings(conn):
            pass
        assert removed(conn) == 0
        assert sum(children_of_segments(conn)) == 34
        assert_whole(conn)


def test_little_that_is_gone_is_left_where_it_is(database: Database, library: SyntheticLibrary) -> None:
    ids = add(library, 41)
    library.remove(ids[0])
    with database.connection() as conn:
        assert not upkeep.tidy_postings(conn)
        assert removed(conn) == 2


def test_an_emptied_library_keeps_no_postings(database: Database, library: SyntheticLibrary) -> None:
    for id_ in add(library, 9):
        library.remove(id_)
    with database.connection() as conn:
        while upkeep.tidy_postings(conn):
            pass
        for table in ("lexical_segments", "lexical_postings", "lexical_removals"):
            assert conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,)


def test_what_is_deleted_while_its_segment_is_scrubbed_stays_noted(
    database: Database, library: SyntheticLibrary
) -> None:
    """The other transaction's deletion is not seen, commits first or last, and is counted once."""
    ids = add(library, 9)
    library.remove(ids[0])
    with database.connection() as deleting, database.connection() as scrubbing:
        deleting.execute("DELETE FROM chunks WHERE document_id = %s", [ids[1]])
        assert upkeep.tidy_postings(scrubbing)
        scrubbing.commit()
        deleting.execute("DELETE FROM sources WHERE id = %s", [ids[1]])
    with database.connection() as conn:
        assert removed(conn) == 2
        assert sum(children_of_segments(conn)) == 16
        assert_whole(conn)


def test_two_that_tidy_do_not_wait_for_each_other(database: Database, library: SyntheticLibrary) -> None:
    for id_ in add(library, 10)[:5]:
        library.remove(id_)
    done = Event()
    with database.connection() as first, ThreadPoolExecutor(1) as pool:
        assert upkeep.tidy_postings(first)

        def other() -> bool:
            with database.connection() as second:
                found = upkeep.tidy_postings(second)
            done.set()
            return found

        later = pool.submit(other)
        assert done.wait(60)
        assert not later.result()


def test_what_is_deleted_while_all_is_put_down_again_is_noted_once(
    database: Database, library: SyntheticLibrary
) -> None:
    """Whoever puts down is held up in the middle: a deletion must not come between its statements."""
    ids = add(library, 3)
    library.remove(ids[0])
    with database.connection() as blocker, ThreadPoolExecutor(2) as pool:
        blocker.execute("SELECT FROM lexical_removals FOR UPDATE")

        def put_down() -> None:
            with database.connection() as conn:
                upkeep.write_postings_again(conn)

        putting = pool.submit(put_down)
        blocker.execute(WAIT_UNTIL_ONE_WAITS)
        removing = pool.submit(library.remove, ids[1])
        with suppress(TimeoutError):
            removing.result(timeout=1)  # may have to wait for the other
        blocker.commit()
        putting.result(timeout=60)
        removing.result(timeout=60)
    with database.connection() as conn:
        assert_whole(conn)


WAIT_UNTIL_ONE_WAITS = """
    SET LOCAL statement_timeout = '30s';
    DO $$ BEGIN
        WHILE NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted) LOOP
            PERFORM pg_sleep(0.01);
        END LOOP;
    END $$;
"""


def test_a_child_whose_words_change_is_called_again_and_others_are_not(
    database: Database, library: SyntheticLibrary
) -> None:
    add(library, 2)
    ordinals = "SELECT id, ordinal FROM chunks ORDER BY id"
    with database.connection() as conn:
        before = dict(conn.execute(ordinals).fetchall())
        conn.execute("UPDATE chunks SET page = 3")
        assert dict(conn.execute(ordinals).fetchall()) == before
        assert removed(conn) == 0
        changed = conn.execute(
            "UPDATE chunks SET search_vector = to_tsvector('simple', 'quagga') WHERE id = "
            "(SELECT id FROM chunks WHERE chunk_level = 'child' ORDER BY id LIMIT 1) RETURNING id"
        ).fetchall()
        after = dict(conn.execute(ordinals).fetchall())
        assert {id_ for id_, ordinal in after.items() if before[id_] != ordinal} == {changed[0][0]}
        assert_whole(conn)


def test_a_rolled_back_landing_leaves_nothing(database: Database, library: SyntheticLibrary) -> None:
    add(library, 1)
    with database.connection() as conn:
        conn.execute("DELETE FROM chunks")
        conn.execute("UPDATE chunks SET search_vector = ''")
        conn.rollback()
    with database.connection() as conn:
        assert removed(conn) == 0
        assert children_of_segments(conn) == [2]
        assert_whole(conn)


DAMAGES = {
    "a segment is lost": "DELETE FROM lexical_segments WHERE id = (SELECT min(id) FROM lexical_segments)",
    "a removal is lost": "DELETE FROM lexical_removals",
    "a child is removed that is there": "UPDATE lexical_removals SET ordinals = ARRAY(SELECT min(ordinal) "
    "FROM chunks WHERE chunk_level = 'child'), lengths = lengths[1:1]",
    "postings are lost": "DELETE FROM lexical_postings WHERE term = 'okapi'",
    "a length is wrong": "UPDATE lexical_postings SET postings = set_byte(postings, 5, 9) WHERE term = 'okapi'",
    "a word is made up": "INSERT INTO lexical_postings SELECT segment, 'quagga', postings FROM lexical_postings "
    "WHERE term = 'number5'",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_seen_and_putting_all_down_again_mends_it(
    database: Database, library: SyntheticLibrary, damage: str
) -> None:
    library.remove(add(library, 6)[0])
    with database.connection() as conn:
        assert_whole(conn)
        assert conn.execute(damage.encode()).rowcount > 0
        assert [*offenders_of(conn, "words-scored"), *children_with_other_postings(conn)]
        upkeep.write_postings_again(conn)
        assert_whole(conn)
        assert removed(conn) == 0
