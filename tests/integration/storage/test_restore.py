"""A restored library is the one that was saved; whatever ends it in the middle, there is that or the former one."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any
from uuid import uuid4

import pytest

from tests.conftest import Address
from tests.support.backup_home import Home
from tests.support.small_library import QUESTION
from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.errors import Cancelled, InputError, StackError
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.library.intake import accept_spooled
from webrag_desktop.maintenance.backup import SafetyCopies
from webrag_desktop.maintenance.checkup import run_checks
from webrag_desktop.maintenance.upkeep import delete_expired
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage import removal
from webrag_desktop.storage.backups import restore
from webrag_desktop.storage.backups.backup import Beside
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.migrate import init_schema
from webrag_desktop.storage.queue import jobs


def searched(home: Home, embedder: Embedder, tokenizer: Tokenizer) -> list[Any]:
    opened = Database(home.address)
    try:
        with opened.connection() as conn:
            options = RetrievalOptions(full_context_threshold=0)
            found = retrieve(
                conn, QUESTION, embedder=embedder, tokenizer=tokenizer, options=options, mode="chunk"
            )
        assert found.degraded is None
        return [chunk.model_dump() for chunk in found.chunks]
    finally:
        opened.close()


def test_every_table_search_and_citation_is_the_same(
    full: Home, empty: Home, saved: Path, embedder: Embedder, tokenizer: Tokenizer
) -> None:
    before = full.content()
    assert before["chunks"][0] > 5
    assert before["document_versions"][0] == 3
    assert before["citations"][0] == 1
    restored = empty.restore(saved)
    assert restored.former is None
    assert restored.migrated == ()
    assert empty.content() == before == full.content()
    assert searched(empty, embedder, tokenizer) == searched(full, embedder, tokenizer) != []
    opened = Database(empty.address)
    with opened.connection() as conn:
        assert [finding for finding in run_checks(conn) if not finding.ok] == []
    opened.close()


def test_the_index_for_nearest_neighbours_and_the_counters_work_on(empty: Home, saved: Path) -> None:
    empty.restore(saved)
    opened = Database(empty.address)
    with opened.connection() as conn:
        source_id = conn.execute("SELECT id FROM sources ORDER BY id LIMIT 1").fetchone()
        assert source_id is not None
        jobs.enqueue(conn, source_id[0])
        numbers = conn.execute("SELECT count(*), count(DISTINCT id), max(id) FROM jobs").fetchone()
        assert numbers == (2, 2, 2)
        assert conn.execute(
            "SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%USING hnsw%'"
        ).fetchone() == (1,)
        conn.execute("DELETE FROM sources")
    with opened.connection() as conn:
        assert conn.execute("SELECT documents, child_chunks FROM corpus").fetchone() == (0, 0)
    opened.close()


def test_what_an_old_backup_has_in_its_bin_rests_from_the_restoring_on(
    full: Home, empty: Home, tmp_path: Path
) -> None:
    opened = Database(full.address)
    with opened.connection() as conn:
        ids = [row[0] for row in conn.execute("SELECT id FROM sources ORDER BY added_at, id LIMIT 2")]
        removal.to_bin(conn, ids)
        for days, source_id in zip((400, 40), ids, strict=True):
            conn.execute(
                "UPDATE sources SET removed_at = removed_at - make_interval(days => %s) WHERE id = %s",
                [days, source_id],
            )
    opened.close()
    empty.restore(full.save(tmp_path / "old.webrag").path)
    opened = Database(empty.address)
    assert delete_expired(opened, 1, CancelToken()) == 0
    with opened.connection() as conn:
        assert removal.all_ids(conn) == ids[::-1]  # the last removed first, as before
    opened.close()


def test_a_database_without_a_library_takes_one(
    clone: Callable[[str], Address], full: Home, saved: Path, tmp_path: Path
) -> None:
    fresh = Home(clone("template0"), tmp_path / "fresh")
    fresh.run("CREATE TABLE somebody_elses (id integer)")
    fresh.restore(saved)
    assert fresh.content() == full.content()
    fresh.run("SELECT id FROM somebody_elses")


def test_a_library_is_replaced_only_if_that_is_asked_for_and_saved_before(
    full: Home, saved: Path, empty: Home
) -> None:
    before = full.content()
    full.run("UPDATE sources SET user_title = 'Changed'; DELETE FROM citations")
    changed = full.content()
    assert changed != before
    with pytest.raises(InputError, match="not empty"):
        full.restore(saved)
    assert full.content() == changed
    assert full.copies == []
    restored = full.restore(saved, replace=True)
    assert full.content() == before
    assert restored.former is not None
    assert full.copies == [restored.former.path]
    empty.restore(restored.former.path)
    assert empty.content() == changed


def test_only_the_newest_copies_are_kept(full: Home) -> None:
    made = [SafetyCopies(full.folder, full.connect).make("restore").path for _number in range(5)]
    other = SafetyCopies(full.folder, full.connect).make("migration-0004").path
    assert full.copies == sorted([other, *made[-3:]])


def test_a_library_with_only_citations_is_not_empty(full: Home, saved: Path) -> None:
    full.run("DELETE FROM sources; DELETE FROM collections")
    with pytest.raises(InputError, match="not empty"):
        full.restore(saved)


def test_what_waits_beside_the_database_comes_with_it(full: Home, empty: Home, tmp_path: Path) -> None:
    batch = full.spool.put_batch(["https://example.org/one", "https://example.org/two"])
    beside = Beside(full.spool.waiting_files(), {"CHUNK_CHILD_TOKENS": "128"})
    saved = full.save(tmp_path / "a.webrag", beside=beside)
    batch.release()
    restored = empty.restore(saved.path)
    assert restored.intake == 1
    assert restored.manifest.settings == {"CHUNK_CHILD_TOKENS": "128"}
    assert [found.given for found in empty.spool.batches()] == [batch.given]


def test_removals_that_wait_are_not_done_to_the_restored_library(full: Home, saved: Path) -> None:
    before = full.content()
    with full.connect() as conn:
        ids = [row[0] for row in conn.execute("SELECT id FROM sources")]
    full.spool.put_removal(ids)
    full.restore(saved, replace=True)
    opened = Database(full.address)
    accept_spooled(opened, full.spool, FetchOptions())
    opened.close()
    assert full.content() == before


def test_removals_wait_on_where_nothing_was_restored(full: Home, saved: Path) -> None:
    full.spool.put_removal([uuid4()])
    with pytest.raises(InputError, match="not empty"):
        full.restore(saved)
    assert len(list(full.spool.removals())) == 1


# -- Others at the same library ----------------------------------------------------------------------------------------


@pytest.fixture
def worker(full: Home) -> Iterator[None]:
    conn = full.connect()
    assert jobs.become_runner(conn)
    yield
    conn.close()


@pytest.mark.usefixtures("worker")
def test_nothing_is_restored_beside_a_worker(full: Home, saved: Path) -> None:
    with pytest.raises(StackError, match="in use by another"):
        full.restore(saved, replace=True)


def test_a_worker_that_is_leaving_is_waited_for(full: Home, saved: Path) -> None:
    worker = full.connect()
    assert jobs.become_runner(worker)
    leaving = Timer(1.5, worker.close)
    leaving.start()
    full.restore(saved, replace=True)
    leaving.join()


def test_nothing_is_restored_beside_a_window(full: Home, saved: Path) -> None:
    window = Database(full.address)
    window.warm_up()
    with pytest.raises(StackError, match="in use by another"):
        full.restore(saved, replace=True)
    window.close()
    full.restore(saved, replace=True)


def test_who_opens_the_library_meanwhile_waits_and_finds_it_restored(
    full: Home, empty: Home, saved: Path
) -> None:
    opened, finished = Event(), Event()
    found: list[tuple[Any, ...] | None] = []

    def open_it() -> None:
        conn = empty.connect()
        opened.set()
        init_schema(conn)
        found.append(conn.execute("SELECT count(*) FROM documents").fetchone())
        assert finished.is_set()
        conn.close()

    opener = Thread(target=open_it)

    def while_it_is_replaced(step: Step) -> None:
        if step.name == restore.REPLACING:
            opener.start()
            assert opened.wait(30)
            finished.set()

    empty.restore(saved, progress=while_it_is_replaced)
    opener.join(30)
    assert found == [(2,)]


def test_what_is_written_meanwhile_is_in_the_restored_library(full: Home, saved: Path) -> None:
    """A program that opened the library just before is seen by nobody until it connects again."""
    writing: list[Thread] = []

    def write() -> None:
        with full.connect() as conn:
            writer.append(conn.info.backend_pid)
            conn.execute("INSERT INTO collections (id, name) VALUES (gen_random_uuid(), 'Late')")

    def begin_to_write(step: Step) -> None:
        if step.name == restore.RESTORING and not writing:
            writing.append(Thread(target=write))
            writing[0].start()
            while not writer or not (waits(writer[0]) or not writing[0].is_alive()):
                pass

    def waits(pid: int) -> bool:
        with full.connect() as conn:
            return conn.execute("SELECT pg_blocking_pids(%s) <> '{}'", [pid]).fetchone() == (True,)

    writer: list[int] = []
    full.restore(saved, replace=True, progress=begin_to_write)
    writing[0].join(30)
    with full.connect() as conn:
        names = conn.execute("SELECT name FROM collections ORDER BY name").fetchall()
    assert names == [("Late",), ("Water",)]


# -- Ends in the middle ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "at", ["Checking the backup", "Restoring the library", "Building the indexes", "Replacing the library"]
)
def test_cancelling_leaves_the_library_as_it_was(full: Home, saved: Path, at: str) -> None:
    full.run("UPDATE sources SET user_title = 'Changed'")
    before = full.content()
    cancel = CancelToken()

    def stop(step: Step) -> None:
        if step.name == at:
            cancel.cancel()

    with pytest.raises(Cancelled):
        full.restore(saved, replace=True, progress=stop, cancel=cancel)
    assert full.content() == before
