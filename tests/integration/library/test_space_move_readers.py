"""A move between spaces beside people who search, vacuum and save: none waits for the other for ever."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Barrier, Event, Thread

import psycopg
import pytest

from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import OTHER_BOTH, RIVERS, MovingLibrary, ask_for, assert_moved, shape, tables
from webrag_desktop.maintenance.space_move import POLL_SECONDS, SpaceMover
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.spaces import space_index

LOOK = "SELECT count(*) FROM documents d JOIN chunks c ON c.document_id = d.id"
PATIENCE = 120
CRAWLING = (
    "SELECT set_config('vacuum_cost_delay', '100ms', false), set_config('vacuum_cost_limit', '1', false)"
)


@pytest.fixture
def library(moving_library: MovingLibrary) -> MovingLibrary:
    return moving_library


def begin_to_read(conn: Connection) -> None:
    """Begin a transaction that looks at the library as a search does."""
    conn.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    conn.execute(LOOK)


@contextmanager
def searching_all_along(database: Database) -> Iterator[None]:
    """Two who search by turns, each beginning before the other ends, so that somebody always does."""
    over, begun = Event(), (Event(), Event())
    together = Barrier(3)

    def search(mine: Event, other: Event) -> None:
        with database.dedicated() as conn:
            begin_to_read(conn)
            together.wait()
            while not over.is_set():
                mine.set()
                other.wait(0.05)  # a search is short, also where the next one is held up
                other.clear()
                conn.execute("COMMIT")
                begin_to_read(conn)
            conn.execute("COMMIT")

    threads = [Thread(target=search, args=pair) for pair in (begun, begun[::-1])]
    for thread in threads:
        thread.start()
    together.wait()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_a_move_gets_through_while_somebody_searches_all_along(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted, enough = ask_for(library, models, OTHER_BOTH), CancelToken()
    wanted.moving.begin()
    worker = Thread(target=wanted.work, args=(enough,))
    with searching_all_along(library.database):
        worker.start()
        worker.join(PATIENCE)
        in_time = not worker.is_alive()
        enough.cancel()
    worker.join()
    assert in_time
    assert_moved(wanted)


def test_one_that_reads_since_before_is_waited_for_and_who_came_later_is_not(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_BOTH)
    wanted.moving.begin()
    wanted.step(len(RIVERS) + 2)
    assert shape(library) == shape(wanted)
    spaces = wanted.spaces
    mover = SpaceMover(library.database, spaces.indexer_of)
    with library.database.dedicated() as first, library.database.dedicated() as later:
        begin_to_read(first)
        assert not mover.step(CancelToken(), CancelToken())
        later.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        later.execute("SELECT count(*) FROM queue_control")
        assert not mover.step(CancelToken(), CancelToken())
        assert tables(library) == 2
        first.execute("COMMIT")
        assert mover.step(CancelToken(), CancelToken())
        assert tables(library) == 1
        later.execute("COMMIT")
    spaces.close()


def test_only_readers_of_the_library_keep_what_is_left_over(library: MovingLibrary) -> None:
    with library.database.dedicated() as stranger, library.database.connection() as conn:
        stranger.execute("SET application_name = 'somebody else'")
        begin_to_read(stranger)
        now = space_index.moment(conn)
        assert space_index.no_older_readers(conn, now)
        assert not space_index.nothing_blocks_a_build(conn, now)  # the server would wait for it
    with library.database.dedicated() as reader, library.database.connection() as conn:
        begin_to_read(reader)
        assert not space_index.no_older_readers(conn, space_index.moment(conn))


def test_vacuuming_is_not_waited_for(library: MovingLibrary) -> None:
    with library.database.dedicated() as vacuum, library.database.dedicated() as conn:
        vacuum.execute(CRAWLING)
        stopped = Thread(target=_vacuum, args=(vacuum,))
        stopped.start()
        try:
            while (
                stopped.is_alive()
                and not conn.execute(
                    "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'VacuumDelay'"
                ).fetchone()
            ):
                conn.execute("SELECT pg_sleep(0.01)")
            now = space_index.moment(conn)
            free = (
                space_index.no_older_readers(conn, now),
                space_index.nothing_blocks_a_build(conn, now),
            )
            assert stopped.is_alive()
        finally:
            vacuum.cancel_safe()
            stopped.join()
    assert free == (True, True)


def _vacuum(conn: Connection) -> None:
    with pytest.raises(psycopg.errors.QueryCanceled):
        conn.execute("VACUUM (INDEX_CLEANUP ON, PARALLEL 0) chunks")


def test_dropping_old_vectors_beside_a_long_reader_holds_up_no_search(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    """A backup reads for minutes; whoever searches meanwhile must not queue behind what waits for it."""
    wanted = ask_for(library, models, OTHER_BOTH)
    wanted.moving.begin()
    wanted.step(len(RIVERS) + 2)
    spaces = wanted.spaces
    mover = SpaceMover(library.database, spaces.indexer_of)
    with library.database.dedicated() as opener:
        begin_to_read(opener)
        assert not mover.step(CancelToken(), CancelToken())
        with library.database.dedicated() as backup:
            begin_to_read(backup)  # after the move began to tidy
            opener.execute("COMMIT")
            rests = []
            with _search_is_never_held_up(library.database):
                for _ in range(3):
                    assert not mover.step(CancelToken(), CancelToken())
                    rests.append(mover.due())
            assert rests == [POLL_SECONDS, 2 * POLL_SECONDS, 4 * POLL_SECONDS]
            assert tables(library) == 2
            backup.execute("COMMIT")
    while mover.step(CancelToken(), CancelToken()):
        pass
    spaces.close()
    assert_moved(wanted)


@contextmanager
def _search_is_never_held_up(database: Database) -> Iterator[None]:
    over, held_up = Event(), []

    def search() -> None:
        with database.dedicated() as conn:
            conn.execute("SET lock_timeout = '1s'")
            while not over.is_set():
                try:
                    conn.execute(LOOK)
                except psycopg.errors.LockNotAvailable as error:
                    held_up.append(error)

    thread = Thread(target=search)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    assert held_up == []
