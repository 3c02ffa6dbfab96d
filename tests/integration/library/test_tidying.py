"""The worker keeps postings few and free of what is gone when it has nothing else to do, and lets go at once."""

from concurrent.futures import ThreadPoolExecutor

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.maintenance.options import BinOptions
from webrag_desktop.maintenance.upkeep import Housekeeping, tidy_words
from webrag_desktop.progress import CancelToken, NoIdleTask
from webrag_desktop.storage.database import Database

PATIENCE = 60
UNTIL_IT_WAITS = """
    SET LOCAL statement_timeout = '60s';
    DO $$ BEGIN
        WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                             AND wait_event_type = 'Lock') LOOP
            PERFORM pg_sleep(0.01);
            PERFORM pg_stat_clear_snapshot();
        END LOOP;
    END $$;
"""


def much_deleted(database: Database) -> None:
    library = SyntheticLibrary(database)
    ids = [library.add(f"https://a/{n}", [Section([Passage(f"okapi number{n}")])]) for n in range(20)]
    for id_ in ids[:5]:
        library.remove(id_)


def removed(database: Database) -> int:
    with database.connection() as conn:
        row = conn.execute("SELECT coalesce(sum(cardinality(ordinals)), 0) FROM lexical_removals").fetchone()
    assert row is not None
    return int(row[0])


def test_an_idle_worker_tidies(database: Database) -> None:
    much_deleted(database)
    assert removed(database) == 5
    never = CancelToken()
    assert not Housekeeping(database, NoIdleTask(), BinOptions()).step(never, never)
    assert removed(database) == 0
    assert tidy_words(database, never) == 0


def test_it_begins_nothing_where_a_job_waits(database: Database) -> None:
    much_deleted(database)
    waiting = CancelToken()
    waiting.cancel()
    assert tidy_words(database, waiting) == 0
    assert removed(database) == 5


def test_it_lets_go_in_the_middle_and_does_it_another_time(database: Database) -> None:
    much_deleted(database)
    token = CancelToken()
    with database.connection() as holding, ThreadPoolExecutor(1) as threads:
        holding.execute("LOCK TABLE lexical_segments IN ACCESS EXCLUSIVE MODE")
        tidying = threads.submit(tidy_words, database, token)
        with database.connection() as watcher:
            watcher.execute(UNTIL_IT_WAITS)
        token.cancel()
        assert tidying.result(PATIENCE) == 0
    assert removed(database) == 5
    assert tidy_words(database, CancelToken()) > 0
    assert removed(database) == 0
