"""Documents cut when a question is asked: what is found, what is embedded, and what the cache may change of it."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest

from tests.support.late_cutting import NO_CACHE, LateLibrary
from tests.support.small_library import QUESTION
from webrag_desktop.errors import Cancelled, EmbeddingError, InputError
from webrag_desktop.indexing.chunkers import RULES
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.preferences import CachePrefs, ChunkingPrefs
from webrag_desktop.retrieval.late_chunking import chunking
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.searching.items import ItemText, TextKey, load_item_text
from webrag_desktop.storage.snapshot import snapshot
from webrag_desktop.storage.spaces import space_tables


@pytest.fixture
def library(small: Database, make_indexer: Callable[[Database], Indexer]) -> LateLibrary:
    return LateLibrary(small, make_indexer(small), QUESTION)


@pytest.mark.parametrize("chunker_id", RULES)
def test_evidence_is_the_text_at_its_place_with_its_cosine(library: LateLibrary, chunker_id: str) -> None:
    texts = {item.document_id: item.markdown for item in library.items()}
    found = library.ask(chunker_id)
    assert found.degraded is None
    assert {chunk.document_id for chunk in found.passages} == texts.keys()
    for chunk in found.passages:
        assert chunk.text == texts[chunk.document][chunk.char_start : chunk.char_end]
        assert chunk.tokens == library.indexer.tokenizer.count(chunk.text) <= 24
        assert chunk.heading_path[0] in ("Rivers", "Tide pools")
        assert chunk.chunk_id is None
    scores = [chunk.rank_score for chunk in found.passages]
    assert scores == sorted(scores, reverse=True)
    assert "Rivers carry mud to the sea." in found.passages[0].text
    assert found.passages[0].rank_score > 0.6


def test_anchors_and_headings_are_those_of_the_blocks(library: LateLibrary) -> None:
    otters = next(chunk for chunk in library.ask().passages if "Otters sleep" in chunk.text)
    assert otters.heading_path == ("Rivers", "Part 1")
    blocks = next(item for item in library.items() if item.document_id == otters.document_id).blocks
    known = [block.anchor for block in blocks if block.char_start <= otters.char_start and block.anchor]
    assert otters.anchor == (known[-1] if known else None)


def test_the_library_s_own_chunker_embeds_nothing_and_scores_as_it_was_indexed(library: LateLibrary) -> None:
    found = library.ask("headings", max_chunk_tokens=None)
    assert library.embedded() == 0
    assert found.stats.vectors_known == len(found.passages)
    with library.database.connection() as conn:
        space = library.indexer.space
        rows = conn.execute(
            f"""
            SELECT c.document_id, c.char_start, 1 - (e.embedding <=> %s::vector)
              FROM {space.table} e JOIN chunks c ON c.id = e.chunk_id
            """.encode(),
            [space_tables.encode(space, library.question)],
        )
        stored = {(document, start): score for document, start, score in rows}
    assert {
        (c.document_id, c.char_start): pytest.approx(c.rank_score, abs=1e-6) for c in found.passages
    } == stored


def test_without_headers_the_bare_text_is_embedded(library: LateLibrary) -> None:
    bare = library.ask(include_headers=False)
    assert set(library.embedder.texts) == {chunk.text for chunk in bare.passages}
    library.ask()
    assert any(text.startswith("Rivers › Part 0\n") for text in library.embedder.texts)


def test_a_second_question_embeds_nothing_and_finds_the_same(library: LateLibrary) -> None:
    cold = library.ask()
    assert library.embedded() == cold.stats.vectors_computed > 0
    warm = library.ask()
    assert library.embedded() == 0
    assert warm.stats.documents_cached == warm.stats.documents == 2
    assert warm.stats.vectors_cached == len(warm.passages)
    assert warm.passages == cold.passages


@pytest.mark.parametrize("chunker_id", RULES)
def test_deleting_the_cache_changes_no_result(library: LateLibrary, chunker_id: str) -> None:
    cold, warm = library.ask(chunker_id), library.ask(chunker_id)
    library.run("DELETE FROM chunk_cache")
    assert library.ask(chunker_id).passages == warm.passages == cold.passages
    assert library.ask(chunker_id, NO_CACHE).passages == cold.passages


def test_each_chunker_and_size_has_rows_of_its_own(library: LateLibrary) -> None:
    ways = (("recursive", 24), ("recursive", 30), ("fixed_tokens", 24))
    for chunker_id, most in ways:
        library.ask(chunker_id, max_chunk_tokens=most)
    assert library.rows("count(DISTINCT chunker), count(*)") == [(3, 6)]
    again = [library.ask(chunker_id, max_chunk_tokens=most) for chunker_id, most in ways]
    assert [found.stats.documents_cached for found in again] == [2, 2, 2]


def test_the_cache_is_left_alone_where_that_is_asked_for(library: LateLibrary) -> None:
    library.ask(cache=CachePrefs(write_chunk_cache=False))
    assert library.rows() == [(0,)]
    library.ask()
    library.embedded()
    library.ask(cache=CachePrefs(use_chunk_cache=False))
    assert library.embedded() > 0


DAMAGE = {
    "vectors": "UPDATE chunk_cache SET vectors = substr(vectors, 1, octet_length(vectors) - 4) || '\\x00000000'",
    "vectors short": "UPDATE chunk_cache SET vectors = substr(vectors, 1, 7)",
    "spans": "UPDATE chunk_cache SET spans = replace(spans, '[0,', '[1,')",
    "no spans": "UPDATE chunk_cache SET spans = 'x'",
    "seal": "UPDATE chunk_cache SET seal = sha256(seal)",
    "another document's": """
        UPDATE chunk_cache c SET spans = o.spans, vectors = o.vectors, seal = o.seal
          FROM chunk_cache o WHERE o.document_id <> c.document_id
    """,
    "another chunker's": "UPDATE chunk_cache SET chunker = replace(chunker, '/24-', '/30-')",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_or_foreign_row_is_made_again(library: LateLibrary, damage: str) -> None:
    library.ask()
    library.run(DAMAGE[damage])
    library.embedded()
    most = 30 if damage == "another chunker's" else 24
    found = library.ask(max_chunk_tokens=most)
    assert found.stats.documents_cached == 0
    assert found.passages == library.ask(cache=NO_CACHE, max_chunk_tokens=most).passages
    library.embedded()
    assert library.ask(max_chunk_tokens=most).passages == found.passages
    assert library.embedded() == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE document_versions SET blocks = '[]'",
        "UPDATE document_versions SET title = 'Otherwise called'",
        "UPDATE document_versions SET markdown = markdown || ' More.'",
    ],
)
def test_a_row_of_other_metadata_is_not_believed_even_if_it_stayed(library: LateLibrary, change: str) -> None:
    library.ask()
    library.run(f"ALTER TABLE document_versions DISABLE TRIGGER USER; {change}")
    assert library.rows() == [(2,)]
    assert library.ask().stats.documents_cached == 0


def test_a_row_is_used_until_it_is_too_old(library: LateLibrary) -> None:
    library.ask(cache=CachePrefs(ttl_seconds=100))
    assert library.ask(cache=CachePrefs(ttl_seconds=100)).stats.documents_cached == 2
    library.run("UPDATE chunk_cache SET written_at = now() - interval '90 seconds'")
    assert library.ask(cache=CachePrefs(ttl_seconds=60, write_chunk_cache=False)).stats.documents_cached == 0
    assert library.ask(cache=CachePrefs()).stats.documents_cached == 2
    library.run("UPDATE chunk_cache SET expires_at = now() - interval '1 second'")
    assert library.ask(cache=CachePrefs()).stats.documents_cached == 0


def test_when_the_time_is_up_whole_documents_answer_and_the_next_question_gets_further(
    library: LateLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = library.ask(cache=NO_CACHE)
    first, second = library.items()
    monkeypatch.setattr(chunking, "BATCH", 1)

    def a_batch_takes_long() -> None:
        library.clock.now += 10

    library.embedder.before = a_batch_takes_long
    found = library.ask(include_headers=False, max_seconds=10)
    assert found.passages == []
    assert found.degraded == (
        "Cutting and embedding took longer than 10 seconds. 2 of 2 documents are missing from what was cut late. "
        "What was embedded is kept, so the same question gets further."
    )
    asked = 1
    while (found := library.ask(include_headers=False, max_seconds=10)).degraded is not None:
        asked += 1
        assert {chunk.document_id for chunk in found.passages} <= {first.document_id}
        assert asked < 50
    assert asked > 3
    assert {chunk.document_id for chunk in found.passages} == {
        first.document_id,
        second.document_id,
    }
    library.embedder.before = lambda: None
    assert found.passages == library.ask(cache=NO_CACHE, include_headers=False).passages
    assert len(found.passages) == len(whole.passages)


def test_every_question_gets_on_behind_documents_that_are_cached(
    library: LateLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunking, "BATCH", 1)
    library.ask()
    _first, second = library.items()
    library.run(f"DELETE FROM chunk_cache WHERE document_id = '{second.document_id!s}'")
    library.embedded()
    assert library.ask(max_seconds=0).degraded is not None  # it is up before anything is cut
    assert library.embedded() == 1


def test_a_slow_model_changes_no_answer(library: LateLibrary) -> None:
    whole = library.ask(cache=NO_CACHE)
    library.embedder.before = lambda: setattr(library.clock, "now", library.clock.now + 1e9)
    for cache in (NO_CACHE, CachePrefs(), CachePrefs()):
        slow = library.ask(cache=cache)
        assert (slow.passages, slow.degraded) == (whole.passages, None)


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("fewer", [0, 1, 10_000_000])
def test_only_so_many_characters_are_cut_whether_they_are_cached_or_not(
    library: LateLibrary, cached: bool, fewer: int
) -> None:
    cache = CachePrefs() if cached else NO_CACHE
    whole = library.ask(cache=cache)
    room = max(1, sum(len(item.markdown) for item in library.items()) - fewer)
    left, fitting = room, set()
    for item in library.items():
        if len(item.markdown) <= left:
            fitting.add(item.document_id)
            left -= len(item.markdown)
    found = library.ask(cache=cache, max_chars=room)
    assert found.passages == [chunk for chunk in whole.passages if chunk.document_id in fitting]
    missing = 2 - len(fitting)
    beyond = f"Texts beyond {room:,} characters were not cut."
    notice = f"{beyond} {missing} of 2 documents are missing from what was cut late."
    assert found.degraded == (notice if missing else None)


def test_a_text_beyond_the_characters_makes_way_for_others(library: LateLibrary) -> None:
    (first, second), whole = library.items(), library.ask()
    large, small = sorted((first, second), key=lambda item: -len(item.markdown))
    keys = sorted(library.shown(), key=lambda key: key.document_id != large.document_id)
    prefs = ChunkingPrefs(chunker_id="recursive", max_chunk_tokens=24, max_chars=len(large.markdown) - 1)
    with library.database.connection() as conn:
        found = library.late.evidence(conn, keys, library.question, prefs, CachePrefs())
    assert found.passages == [chunk for chunk in whole.passages if chunk.document_id == small.document_id]


def test_nothing_is_said_to_be_kept_that_was_not(
    library: LateLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunking, "BATCH", 1)
    library.embedder.before = lambda: setattr(library.clock, "now", library.clock.now + 100)
    library.run("DROP TABLE chunk_cache")
    for cache in (CachePrefs(), NO_CACHE):
        degraded = library.ask(cache=cache, max_seconds=10).degraded
        assert degraded is not None
        assert degraded.endswith("2 of 2 documents are missing from what was cut late.")


def test_documents_that_are_cached_whole_count_after_the_time_is_up(
    library: LateLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunking, "BATCH", 1)
    library.ask()
    first, second = library.items()
    library.run(f"DELETE FROM chunk_cache WHERE document_id = '{first.document_id!s}'")
    library.embedder.before = lambda: setattr(library.clock, "now", library.clock.now + 100)
    found = library.ask(cache=CachePrefs(write_chunk_cache=False), max_seconds=10)
    assert {chunk.document_id for chunk in found.passages} == {second.document_id}
    assert found.degraded is not None
    assert found.degraded.endswith("1 of 2 documents are missing from what was cut late.")


def test_no_text_is_read_that_there_is_no_time_for(
    library: LateLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[TextKey] = []

    def noted(conn: Connection, key: TextKey) -> ItemText | None:
        assert len(read) == len(library.embedder.texts)  # one after the other
        read.append(key)
        return load_item_text(conn, key)

    monkeypatch.setattr(chunking, "BATCH", 1)
    monkeypatch.setattr(chunking, "load_item_text", noted)
    library.embedder.before = lambda: setattr(library.clock, "now", library.clock.now + 100)
    assert library.ask(max_seconds=10).stats.documents_left_out == 2
    assert read == library.shown()[:1]


def test_a_text_that_changed_since_it_was_found_is_not_cut(library: LateLibrary) -> None:
    first, second = library.shown()
    keys = [first._replace(content_hash="another"), second]
    with library.database.connection() as conn:
        found = library.late.evidence(conn, keys, library.question, ChunkingPrefs(), CachePrefs())
    assert {chunk.document_id for chunk in found.passages} == {second.document_id}
    assert found.degraded is not None
    changed, missing = found.degraded.split(". ")
    assert changed == "A text changed or was removed while the question was answered"
    assert missing == "1 of 2 documents are missing from what was cut late."


def test_a_model_that_fails_leaves_what_is_cached(library: LateLibrary) -> None:
    library.ask()
    first, second = library.items()
    library.run(f"DELETE FROM chunk_cache WHERE document_id = '{first.document_id!s}'")

    def fails() -> None:
        raise EmbeddingError("The server went away.")

    library.embedder.before = fails
    found = library.ask()
    assert {chunk.document_id for chunk in found.passages} == {second.document_id}
    assert found.degraded is not None
    assert found.degraded.startswith(
        "The embedding model failed. The server went away. 1 of 2 documents are missing"
    )


def test_cancelling_keeps_what_was_embedded(library: LateLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunking, "BATCH", 1)
    cancel = CancelToken()

    def cancel_at_the_third() -> None:
        if len(library.embedder.texts) == 2:
            cancel.cancel()

    library.embedder.before = cancel_at_the_third
    with pytest.raises(Cancelled):
        library.ask(cancel=cancel)
    assert library.embedded() <= 3
    library.embedder.before = lambda: None
    assert library.ask().stats.vectors_cached == 2


def test_no_second_connection_is_waited_for_that_others_may_hold(library: LateLibrary) -> None:
    def none_is_left() -> AbstractContextManager[Connection]:
        raise AssertionError("a second connection was asked for")

    library.late = replace(library.late, writing=none_is_left)
    library.ask()
    assert library.rows() == [(2,)]


def test_within_a_snapshot_that_only_reads_the_cache_is_written_beside_it(library: LateLibrary) -> None:
    keys, prefs = library.shown(), ChunkingPrefs(chunker_id="recursive", max_chunk_tokens=24)
    with library.database.connection() as conn, snapshot(conn):
        found = library.late.evidence(conn, keys, library.question, prefs, CachePrefs())
        assert conn.execute("SELECT count(*) FROM chunk_cache").fetchone() == (0,)
    assert len(found.passages) > 2
    assert library.rows() == [(2,)]


def test_a_cache_that_is_gone_changes_nothing_and_is_logged(
    library: LateLibrary, caplog: pytest.LogCaptureFixture
) -> None:
    whole = library.ask()
    library.run("DROP TABLE chunk_cache")
    with caplog.at_level(logging.WARNING):
        assert library.ask().passages == whole.passages
    assert "could not be looked up" in caplog.text
    assert "were not kept" in caplog.text


def test_a_space_that_was_dropped_meanwhile_is_done_without(library: LateLibrary) -> None:
    whole = library.ask(cache=NO_CACHE)
    library.run(f"DROP TABLE {library.indexer.space.table} CASCADE")
    assert library.ask(cache=NO_CACHE).passages == whole.passages


def test_without_a_vector_of_the_question_nothing_is_cut(library: LateLibrary) -> None:
    with library.database.connection() as conn:
        found = library.late.evidence(conn, library.shown(), None, ChunkingPrefs(), CachePrefs())
    assert found.passages == []
    assert "Without a vector of the question" in str(found.degraded)


def test_an_unknown_chunker_is_refused(library: LateLibrary) -> None:
    with pytest.raises(InputError, match="There is no chunker 'semantic'"):
        library.ask("semantic")


@pytest.mark.parametrize("table", ["chunk_cache", "document_versions", "vectors"])
def test_a_wish_to_stop_ends_a_statement_that_waits_for_somebody_else(
    library: LateLibrary, table: str
) -> None:
    cancel = CancelToken()
    keys, prefs = library.shown(), ChunkingPrefs(max_chunk_tokens=24)
    held = library.indexer.space.table if table == "vectors" else table

    def ask() -> None:
        with library.database.connection() as conn:
            library.late.evidence(conn, keys, library.question, prefs, CachePrefs(), cancel=cancel)

    with ThreadPoolExecutor(1) as asking, library.database.connection() as other:
        other.execute(f"LOCK TABLE {held} IN ACCESS EXCLUSIVE MODE".encode())
        asked = asking.submit(ask)
        while other.execute("SELECT bool_and(granted) FROM pg_locks").fetchone() == (True,):
            assert not asked.done()
        cancel.cancel()
        with pytest.raises(Cancelled):
            asked.result(30)
