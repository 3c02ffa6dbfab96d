"""What was deleted in bulk is vacuumed beside everybody's work, and stands in nobody's way until then."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from uuid import UUID

import pytest

from tests.support.queue_work import OPTIONS, read_here
from tests.support.synthetic_library import AngleEmbedder, Passage, Section, SyntheticLibrary
from webrag_desktop.errors import DatabaseUnreachableError
from webrag_desktop.jobs.runner import Runner
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.maintenance.options import BinOptions
from webrag_desktop.maintenance.upkeep import Housekeeping, vacuum, vacuum_in_background
from webrag_desktop.progress import CancelToken, NoIdleTask
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage import upkeep
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs

PATIENCE = 60
CRAWLING = (
    "SELECT set_config('vacuum_cost_delay', '100ms', false), set_config('vacuum_cost_limit', '1', false)"
)
UNTIL_IT_VACUUMS = """
    SET LOCAL statement_timeout = '60s';
    DO $$ BEGIN
        WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                                                         AND wait_event = 'VacuumDelay') LOOP
            PERFORM pg_sleep(0.01);
            PERFORM pg_stat_clear_snapshot();
        END LOOP;
    END $$;
"""


def passages(count: int, similarity: float) -> list[Section]:
    return [Section([Passage(f"Passage {n}.", similarity)]) for n in range(count)]


@pytest.fixture
def full(database: Database, monkeypatch: pytest.MonkeyPatch) -> SyntheticLibrary:
    """A library in which a hundred deleted rows are many."""
    monkeypatch.setattr(upkeep, "LEAST_DEAD_ROWS", 100)
    return SyntheticLibrary(database)


@pytest.fixture
def vacuums(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Thread | None]]:
    """The threads that removals start."""
    started: list[Thread | None] = []

    def noted(database: Database) -> None:
        started.append(vacuum_in_background(database))

    monkeypatch.setattr("webrag_desktop.maintenance.upkeep.vacuum_in_background", noted)
    yield started
    for thread in started:
        if thread is not None:
            thread.join(PATIENCE)


def vacuumed(database: Database) -> set[str]:
    with database.connection() as conn:
        return {
            name for (name,) in conn.execute("SELECT relname FROM pg_stat_user_tables WHERE vacuum_count > 0")
        }


def remove_unvacuumed(database: Database, source_id: UUID) -> None:
    with database.connection() as conn:
        assert sources.remove_source(conn, source_id)
        upkeep.count_at_once(conn)


def test_a_bulk_removal_is_vacuumed_in_the_background(
    library: StoredLibrary, full: SyntheticLibrary, vacuums: list[Thread | None]
) -> None:
    ids = [full.add(f"https://a/{n}", passages(80, 0.9)) for n in range(2)]
    assert library.documents.remove_all(ids) == 2
    (thread,) = vacuums
    assert thread is not None
    assert thread.daemon  # so that it keeps no program from ending
    thread.join(PATIENCE)
    assert {"chunks", full.space.table} <= vacuumed(library.database)
    with library.database.connection() as conn:
        dead = conn.execute("SELECT sum(n_dead_tup) FROM pg_stat_user_tables WHERE vacuum_count > 0")
        assert dead.fetchone() == (0,)


def test_removing_a_single_large_document_is_vacuumed_too_and_a_small_one_is_not(
    library: StoredLibrary, full: SyntheticLibrary, vacuums: list[Thread | None]
) -> None:
    small, large = (
        full.add("https://small/", passages(5, 0.9)),
        full.add("https://large/", passages(150, 0.8)),
    )
    assert library.documents.remove(small)
    assert vacuums == [None]
    assert library.documents.remove(large)
    assert vacuums[-1] is not None
    assert not library.documents.remove(large)
    assert len(vacuums) == 2


def test_adding_leaves_nothing_to_vacuum(database: Database, full: SyntheticLibrary) -> None:
    full.add("https://a/", passages(150, 0.9))
    with database.connection() as conn:
        upkeep.count_at_once(conn)
    with database.connection() as conn:  # the one that wrote
        assert upkeep.tables_due(conn) == []


def test_tables_of_others_in_the_same_database_are_left_to_them(
    database: Database, full: SyntheticLibrary
) -> None:
    with database.connection() as conn:
        conn.execute("CREATE TABLE somebody_elses AS SELECT generate_series(1, 5000) AS id")
    with database.connection() as conn:
        conn.execute("DELETE FROM somebody_elses")
        upkeep.count_at_once(conn)
    with database.connection() as conn:
        assert upkeep.tables_due(conn) == []


def test_searches_wait_neither_for_a_removal_nor_for_the_vacuuming_and_find_all(
    database: Database, full: SyntheticLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "_GENTLY", CRAWLING)
    nearest = full.add("https://nearest/", passages(300, 0.9))
    full.add("https://others/", passages(80, 0.6))

    def found() -> list[str]:
        with database.connection() as conn:
            conn.execute("SET lock_timeout = '1ms'")
            conn.commit()
            options = RetrievalOptions(top_k_children_limit=60)
            result = retrieve(conn, "question", embedder=AngleEmbedder(), mode="chunk", options=options)
            conn.execute("RESET lock_timeout")
        assert len(result.chunks) == 60
        return result.source_urls

    with database.connection() as conn:
        sources.remove_sources(conn, [nearest])
        assert found() == ["https://nearest/"]  # as it was
        upkeep.count_at_once(conn)
    assert found() == ["https://others/"]
    token = CancelToken()
    with ThreadPoolExecutor(1) as threads, database.connection() as watcher:
        vacuuming = threads.submit(vacuum, database, token)
        watcher.execute(UNTIL_IT_VACUUMS)
        assert found() == ["https://others/"]
        assert vacuum(database, CancelToken()) == []  # one at a time
        token.cancel()
        assert vacuuming.result(PATIENCE) == []
    assert vacuumed(database) == set()


def test_nothing_is_vacuumed_twice_in_a_row_nor_after_the_wish_to_stop(
    database: Database, full: SyntheticLibrary
) -> None:
    remove_unvacuumed(database, full.add("https://a/", passages(150, 0.9)))
    stopped = CancelToken()
    stopped.cancel()
    assert vacuum(database, stopped) == []
    assert full.space.table in vacuum(database, CancelToken())
    remove_unvacuumed(database, full.add("https://b/", passages(150, 0.9)))
    assert vacuum(database, CancelToken()) == []


def test_the_worker_vacuums_when_there_is_nothing_else_to_do(
    database: Database, full: SyntheticLibrary
) -> None:
    remove_unvacuumed(database, full.add("https://a/", passages(150, 0.9)))
    with database.dedicated() as lock:
        assert jobs.become_runner(lock)
        idle_task = Housekeeping(database, NoIdleTask(), BinOptions())
        runner = Runner(database, lambda: pytest.fail("nothing is indexed"), OPTIONS, read_here, idle_task)
        assert runner.drain(lock, CancelToken()) == 0
        jobs.resign(lock)
    assert full.space.table in vacuumed(database)


class Busy(NoIdleTask):
    """Has something to do, once."""

    def __init__(self) -> None:
        self.left = 1

    def step(self, give_way: CancelToken, cancel: CancelToken) -> bool:
        self.left -= 1
        return self.left >= 0

    def due(self) -> float | None:
        return 7.0

    def comes_first(self) -> bool:
        return True


def test_vacuuming_comes_after_everything_else(database: Database, full: SyntheticLibrary) -> None:
    remove_unvacuumed(database, full.add("https://a/", passages(150, 0.9)))
    idle_task, never = Housekeeping(database, Busy(), BinOptions()), CancelToken()
    assert (idle_task.due(), idle_task.comes_first()) == (7.0, True)
    assert idle_task.step(never, never)
    assert vacuumed(database) == set()
    assert not idle_task.step(never, never)
    assert vacuumed(database) != set()


def test_removals_are_cut_into_bounded_transactions(
    library: StoredLibrary, full: SyntheticLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has few documents and few chunks; a database that goes away takes back one of them, whole."""
    monkeypatch.setattr("webrag_desktop.maintenance.upkeep.REMOVED_AT_ONCE", 4)
    monkeypatch.setattr("webrag_desktop.maintenance.upkeep.CHUNKS_REMOVED_AT_ONCE", 40)
    sizes = [10, 5, 5, 5, 30, 1, 1]  # passages, with as many parents
    ids = [full.add(f"https://a/{n}", passages(size, 0.9)) for n, size in enumerate(sizes)]
    portions: list[int] = []
    remove = sources.remove_sources

    def failing(conn: object, portion: list[UUID]) -> list[UUID]:
        portions.append(len(portion))
        removed = remove(conn, portion)  # type: ignore[arg-type]
        if len(portions) == 3:
            raise DatabaseUnreachableError("It went away.", "Try again.")
        return removed

    monkeypatch.setattr(sources, "remove_sources", failing)
    with pytest.raises(DatabaseUnreachableError):
        library.documents.delete_all(ids)
    assert portions == [3, 1, 1]
    assert {row.id for row in library.documents.all()} == set(ids[4:])
    with library.database.connection() as conn:
        assert sources.chunk_counts(conn, ids) == dict(zip(ids, [0, 0, 0, 0, 60, 2, 2], strict=True))
    assert library.documents.delete_all(ids) == 3
    assert portions[3:] == [4, 1, 2]


def test_a_removal_is_done_though_nothing_can_be_vacuumed(
    library: StoredLibrary, full: SyntheticLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_conn: object) -> list[str]:
        raise DatabaseUnreachableError("It went away.", "Try again.")

    monkeypatch.setattr(upkeep, "tables_due", gone)
    assert library.documents.remove_all([full.add("https://a/", passages(3, 0.9))]) == 1
    assert vacuum(library.database, CancelToken()) == []
