"""The cache of chunks that were cut late: what takes its rows away, how large it gets, and who must not wait for it."""

import logging
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import pytest

from tests.conftest import Address
from tests.support.backup_home import Home
from tests.support.late_cutting import LateLibrary
from tests.support.small_library import QUESTION, RIVERS, change, page
from webrag_desktop.errors import DatabaseConflictError
from webrag_desktop.indexing.chunkers import RULES
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.maintenance.checkup import run_checks
from webrag_desktop.maintenance.options import BinOptions
from webrag_desktop.maintenance.upkeep import Housekeeping, forget_expired_chunks
from webrag_desktop.progress import CancelToken, NoIdleTask
from webrag_desktop.retrieval.contracts.preferences import CachePrefs
from webrag_desktop.retrieval.late_chunking import chunking
from webrag_desktop.storage.checks import repair
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library.sources import remove_source
from webrag_desktop.storage.searching import chunk_cache
from webrag_desktop.storage.searching.chunk_cache import CachedChunks


@pytest.fixture
def library(small: Database, make_indexer: Callable[[Database], Indexer]) -> LateLibrary:
    """A library of two documents, both in the cache."""
    library = LateLibrary(small, make_indexer(small), QUESTION)
    library.ask()
    return library


def documents(library: LateLibrary) -> dict[str, UUID]:
    with library.database.connection() as conn:
        return {row[0]: row[1] for row in conn.execute("SELECT source_url, id FROM documents")}


def cached(library: LateLibrary) -> set[UUID]:
    return {row[0] for row in library.rows("document_id")}


def row(library: LateLibrary, document_id: UUID, *, size: int = 100, chunker: str = "c") -> CachedChunks:
    item = next(item for item in library.items() if item.document_id == document_id)
    seal = sha256(f"{document_id} {chunker}".encode()).digest()
    return CachedChunks(document_id, item.content_hash, chunker, "s" * size, b"", seal)


def test_another_text_takes_a_document_s_rows_away(library: LateLibrary) -> None:
    ids = documents(library)
    change(library.database, library.indexer, ids[RIVERS], page("Rivers", "Rivers carry gold."))
    assert cached(library) == set(ids.values()) - {ids[RIVERS]}
    assert any("gold" in chunk.text for chunk in library.ask().passages)


def test_reading_the_same_text_again_takes_a_document_s_rows_away(library: LateLibrary) -> None:
    ids = documents(library)
    library.run(
        f"UPDATE document_versions SET extractor_version = 0 WHERE document_id = '{ids[RIVERS]}';"
        f"UPDATE documents SET title = title WHERE id = '{ids[RIVERS]}'"
    )
    assert cached(library) == set(ids.values())  # what chunks are made of is as it was
    body = page("Rivers", "Rivers carry mud to the sea.", "Otters sleep on their backs.")
    change(library.database, library.indexer, ids[RIVERS], body)
    assert cached(library) == set(ids.values()) - {ids[RIVERS]}


def test_a_document_that_goes_takes_its_rows_with_it(library: LateLibrary) -> None:
    ids = documents(library)
    with library.database.connection() as conn:
        remove_source(conn, ids[RIVERS])
    assert cached(library) == set(ids.values()) - {ids[RIVERS]}


def test_a_space_that_goes_takes_its_rows_with_it(library: LateLibrary) -> None:
    library.run("UPDATE corpus SET active_space = NULL; DELETE FROM embedding_spaces")
    assert cached(library) == set()


def test_rows_of_another_space_are_not_found(library: LateLibrary) -> None:
    wanted = [(item.document_id, item.content_hash) for item in library.items()]
    (chunker,) = {row[0] for row in library.rows("chunker")}
    space = library.indexer.space.id
    with library.database.connection() as conn:
        assert len(chunk_cache.load(conn, space, chunker, wanted, None)) == 2
        assert chunk_cache.load(conn, space + 1, chunker, wanted, None) == []
        assert chunk_cache.load(conn, space, chunker, [(id_, "other") for id_, _hash in wanted], None) == []


def test_nothing_is_kept_of_a_text_that_has_gone(library: LateLibrary) -> None:
    ids = documents(library)
    kept = row(library, ids[RIVERS], chunker="new")
    library.run("UPDATE documents SET content_hash = 'other'")
    with library.database.connection() as conn:
        chunk_cache.save(conn, library.indexer.space.id, [kept], None)
    assert cached(library) == set()


def test_the_oldest_make_room(library: LateLibrary) -> None:
    library.run("DELETE FROM chunk_cache")
    id_, space = documents(library)[RIVERS], library.indexer.space.id
    for number in range(6):
        with library.database.connection() as conn:
            kept = row(library, id_, chunker=f"c{number}")
            chunk_cache.save(conn, space, [kept], None, most_bytes=350)
    assert sorted(library.rows("chunker")) == [("c3",), ("c4",), ("c5",)]
    assert library.rows("sum(size)::integer") == [(300,)]


def test_rows_of_one_question_stay_before_newer_ones_of_others_and_do_not_drive_each_other_out(
    library: LateLibrary,
) -> None:
    library.run("DELETE FROM chunk_cache")
    space, (first, second) = library.indexer.space.id, library.shown()
    ids = [second.document_id, first.document_id]  # the order of the question, not that of ids or of writing

    def saved(*rows: CachedChunks) -> bool:
        with library.database.connection() as conn:
            return chunk_cache.save(conn, space, rows, None, first=ids, most_bytes=250)

    best, next_best = row(library, ids[0]), row(library, ids[1], size=200)
    assert saved(best)
    for _question in range(2):
        assert not saved(next_best)
        assert library.rows("document_id, chunker") == [(ids[0], "c")]
    assert saved(row(library, ids[1], chunker="another"))
    assert saved(replace(next_best, spans="s" * 150))
    assert sorted(library.rows("document_id, size")) == sorted([(ids[0], 100), (ids[1], 150)])


def test_a_question_that_there_is_no_room_for_is_refused(
    library: LateLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunking, "BATCH", 1)
    kept, other = (key.document_id for key in library.shown())
    library.run(f"UPDATE chunk_cache SET size = {chunk_cache.MOST_BYTES - 10} WHERE document_id = '{kept}'")
    library.run(f"DELETE FROM chunk_cache WHERE document_id = '{other}'")
    library.embedder.before = lambda: setattr(library.clock, "now", library.clock.now + 100)
    degraded = library.ask(max_seconds=10).degraded
    assert degraded is not None
    assert degraded.endswith(
        "Not all that was embedded could be kept, so the same question may get no further."
    )
    assert cached(library) == {kept}


def test_a_question_that_got_less_far_takes_nothing_away(
    library: LateLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = library.rows("document_id, vectors")
    monkeypatch.setattr(chunking, "BATCH", 1)
    library.embedder.before = lambda: setattr(library.clock, "now", library.clock.now + 100)
    degraded = library.ask(cache=CachePrefs(use_chunk_cache=False), max_seconds=10).degraded
    assert sorted(library.rows("document_id, vectors")) == sorted(whole)
    assert degraded is not None
    assert degraded.endswith("are missing from what was cut late.")  # nothing of a question that gets further
    assert library.ask().degraded is None


def test_at_most_64_mb_stay_the_newest_of_them(library: LateLibrary) -> None:
    older, newer = (key.document_id for key in library.shown())
    half = 32 * 1024 * 1024
    library.run(f"UPDATE chunk_cache SET size = {half}")
    library.run(
        f"UPDATE chunk_cache SET written_at = now() - interval '1 hour' WHERE document_id = '{older}'"
    )
    assert forget_expired_chunks(library.database) == 0
    library.run(f"UPDATE chunk_cache SET size = {half} + 1 WHERE document_id = '{newer}'")
    assert forget_expired_chunks(library.database) == 1
    assert cached(library) == {newer}


def test_rows_of_other_rules_are_not_used(library: LateLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    assert library.ask().stats.documents_cached == 2
    newer = replace(RULES["recursive"], algorithm=f"{RULES['recursive'].algorithm}-newer")
    monkeypatch.setitem(RULES, "recursive", newer)
    assert library.ask().stats.documents_cached == 0


def test_what_is_too_large_by_itself_drives_nothing_out(library: LateLibrary) -> None:
    id_, space = documents(library)[RIVERS], library.indexer.space.id
    library.run("DELETE FROM chunk_cache")
    small, large = row(library, id_, chunker="small"), row(library, id_, chunker="large", size=400)
    for kept in (small, large):
        with library.database.connection() as conn:
            chunk_cache.save(conn, space, [kept], None, most_bytes=350)
    assert library.rows("chunker") == [("small",)]


def test_rows_may_live_for_longer_than_the_server_can_reckon_with(library: LateLibrary) -> None:
    library.run("DELETE FROM chunk_cache")
    ages = CachePrefs(ttl_seconds=10**15)
    library.ask(cache=ages)
    assert library.ask(cache=ages).stats.documents_cached == 2


def test_what_has_expired_goes_when_there_is_nothing_else_to_do(library: LateLibrary) -> None:
    library.ask("fixed_tokens", CachePrefs(ttl_seconds=60))
    assert library.rows() == [(4,)]
    never = CancelToken()
    housekeeping = Housekeeping(library.database, NoIdleTask(), BinOptions())
    housekeeping.step(never, never)
    assert library.rows() == [(4,)]
    library.run("UPDATE chunk_cache SET expires_at = now() WHERE expires_at IS NOT NULL")
    housekeeping.step(never, never)
    assert library.rows("count(*), count(expires_at)") == [(2, 0)]


def test_a_cache_that_cannot_be_cleaned_up_stops_no_worker(
    library: LateLibrary, caplog: pytest.LogCaptureFixture
) -> None:
    library.run("DROP TABLE chunk_cache")
    with caplog.at_level(logging.INFO):
        assert forget_expired_chunks(library.database) == 0
    assert "expired chunks were not deleted" in caplog.text


def test_whoever_asks_waits_for_nobody_who_writes(
    library: LateLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk_cache, "LOCK_MILLISECONDS", 20)
    id_, space = documents(library)[RIVERS], library.indexer.space.id
    kept = row(library, id_)
    with library.database.connection() as writer:
        writer.execute("SELECT 1 FROM documents WHERE id = %s FOR UPDATE", [id_])
        with pytest.raises(DatabaseConflictError), library.database.connection() as conn:
            chunk_cache.save(conn, space, [kept], None)
        library.run("DELETE FROM chunk_cache")
        assert len(library.ask("headings").passages) > 2  # it cannot be kept, which is not reported
    assert library.rows() == [(0,)]


def test_a_row_of_another_text_is_found_and_dropped(library: LateLibrary) -> None:
    library.run("UPDATE chunk_cache SET content_hash = 'x'")
    assert broken(library) == {"no-orphans": 2}
    with library.database.connection() as conn:
        assert repair.drop_stale_cache(conn) == 2
    assert broken(library) == {}


def broken(library: LateLibrary) -> dict[str, int]:
    with library.database.connection() as conn:
        return {one.check: one.broken for one in run_checks(conn) if not one.ok}


def test_a_backup_leaves_the_cache_out_and_restores_an_empty_one(
    library: LateLibrary, small_address: Address, tmp_path: Path
) -> None:
    found = library.ask()
    home = Home(small_address, tmp_path)
    saved = tmp_path / "library.webrag"
    home.save(saved)
    library.database.close()
    before = home.content()
    assert before["chunk_cache"][0] == 2
    home.restore(saved, replace=True)
    after = home.content()
    assert after["chunk_cache"][0] == 0
    assert {name: rows for name, rows in after.items() if name != "chunk_cache"} == {
        name: rows for name, rows in before.items() if name != "chunk_cache"
    }
    opened = Database(small_address)
    restored = LateLibrary(opened, replace(library.indexer, database=opened), QUESTION)
    assert restored.ask().passages == found.passages
    opened.close()
