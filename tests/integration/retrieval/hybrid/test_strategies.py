"""Evidence as it was cut when indexed, cut now, or both, with the real model and a real database."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from tests.support.late_cutting import LateLibrary
from tests.support.synthetic_library import SPACE, AngleEmbedder
from webrag_desktop.errors import Cancelled, EmbeddingError, InputError
from webrag_desktop.indexing.chunkers import RULES
from webrag_desktop.indexing.open_spaces import OpenSpace, UnusableEmbedder
from webrag_desktop.library.hybrid import LibraryRetriever
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.choosing import mostly_same
from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk, RetrievalBundle
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.preferences import ChunkingPrefs, RetrievalPrefs
from webrag_desktop.retrieval.hybrid import retriever
from webrag_desktop.retrieval.hybrid.retriever import HybridRetriever
from webrag_desktop.retrieval.late_chunking import chunking
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.searching import items
from webrag_desktop.storage.searching.items import CheckedText, hold_excluded
from webrag_desktop.storage.searching.word_query import WordQuery

Search = Callable[..., RetrievalBundle]
QUESTION = "how do limpets clamp their shells to the rock"


@pytest.fixture
def search(pages: Database, late: LateLibrary) -> Search:
    """Ask the pages by a strategy, cut into chunks of 24 tokens by default."""

    def searched(
        question: str, *how: Any, cancel: CancelToken | None = None, **given: Any
    ) -> RetrievalBundle:
        with pages.connection() as conn:
            indexer = late.indexer
            retriever = HybridRetriever(conn, indexer.embedder, tokenizer=indexer.tokenizer, late=late.late)
            return retriever.search(prefs_of(question, *how, **given), cancel=cancel)

    return searched


def prefs_of(
    question: str, strategy: str, chunker: str = "recursive", most: int | None = 24, **given: Any
) -> RetrievalPrefs:
    chunking = {"strategy": strategy, "chunker_id": chunker, "max_chunk_tokens": most}
    return RetrievalPrefs.model_validate(
        {"query_text": question, "debug": True, "chunking": chunking, **given}
    )


def _span(chunk: EvidenceChunk) -> tuple[int, int]:
    return chunk.start_idx or 0, chunk.end_idx or 0


@pytest.fixture
def texts(pages: Database) -> Iterator[dict[str, str]]:
    """The markdown of each document by its id."""
    with pages.connection() as conn:
        rows = conn.execute("SELECT document_id, markdown FROM document_versions")
        yield {str(id_): markdown for id_, markdown in rows}


def assert_verbatim(evidence: Sequence[EvidenceChunk], texts: dict[str, str]) -> None:
    assert evidence
    assert all(one.text == texts[one.item_id][one.start_idx : one.end_idx] for one in evidence)
    scores = [one.score for one in evidence]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("chunker", RULES)
def test_what_is_cut_late_is_verbatim_and_knows_where_it_stands(
    search: Search, texts: dict[str, str], chunker: str
) -> None:
    bundle = search(QUESTION, "late", chunker=chunker)
    assert_verbatim(bundle.evidence, texts)
    assert "Limpets clamp their shells to the rock" in bundle.evidence[0].text
    assert bundle.evidence[0].heading_path
    assert bundle.evidence[0].heading_path[0] == "The shore"
    assert {"anchor": "low"} in [one.anchors for one in bundle.evidence]
    for one in bundle.evidence:
        assert one.chunk_id is None
        assert one.token_count is not None
        assert 0 < one.token_count <= 24
        assert one.score_vec is not None
    assert bundle.stats.counts["late_documents"] == len(bundle.candidates) == 2
    assert {"late_read", "late_cut", "late_embed"} <= bundle.stats.timing_ms.keys()
    assert bundle.stats.params["chunking"]["chunker_id"] == chunker
    assert "degraded" not in bundle.stats.params


def test_stored_and_late_chunks_compete_and_say_no_text_twice(search: Search, texts: dict[str, str]) -> None:
    stored = search(QUESTION, "precomputed").evidence
    both = search(QUESTION, "mixed", per_item_chunk_cap=100, top_k_chunks=100).evidence
    assert_verbatim(both, texts)
    assert all(one.chunk_id for one in stored)
    assert "Limpets clamp" in both[0].text
    assert any(one.chunk_id is None for one in both)
    for n, one in enumerate(both):
        for other in both[:n]:
            assert one.item_id != other.item_id or not mostly_same(_span(one), _span(other))


def test_what_both_cut_alike_is_there_once(search: Search) -> None:
    room = {"top_k_chunks": 100, "per_item_chunk_cap": 100}
    stored = search(QUESTION, "precomputed", **room).evidence
    both = search(QUESTION, "mixed", "headings", None, **room).evidence
    assert {one.text.strip() for one in both} >= {one.text.strip() for one in stored}
    assert len({one.text.strip() for one in both}) == len(both)


def test_a_name_is_found_by_its_words_in_what_is_cut_late(search: Search) -> None:
    best = search("max_drift", "late", chunker="fixed_tokens").evidence[0]
    assert best.score_text == 1.0
    assert "max_drift" in best.text


@pytest.mark.parametrize("strategy", ["late", "mixed"])
def test_equal_questions_get_equal_answers_with_and_without_the_cache(search: Search, strategy: str) -> None:
    flags = ((False, False), (True, True), (True, True), (False, True))
    answers = [
        search(QUESTION, strategy, debug=False, cache={"use_chunk_cache": use, "write_chunk_cache": write})
        for use, write in flags
    ]
    assert answers[0].evidence
    assert all(answer == answers[0] for answer in answers)


def test_filters_hold_for_what_is_cut_late(search: Search, texts: dict[str, str]) -> None:
    question, heard = "a storm, and ships that sound their horns", "Ships sound their horns"
    assert any(heard in one.text for one in search(question, "late").evidence)
    bundle = search(
        question, "late", filters={"sections": ["Storms"]}, top_k_chunks=100, per_item_chunk_cap=100
    )
    assert_verbatim(bundle.evidence, texts)
    assert "A storm drives the water up" in bundle.evidence[0].text
    assert not any(heard in one.text for one in bundle.evidence)


def test_words_that_must_not_occur_do_not_in_what_is_cut_late(search: Search) -> None:
    question, ring = "a gauge, and the place of a limpet", "Each has worn a ring into its place"
    room = {"top_k_chunks": 100, "per_item_chunk_cap": 100}
    assert any(ring in one.text for one in search(question, "late", **room).evidence)
    without = search(f"{question} -rings", "late", **room).evidence
    assert without
    assert not any(ring in one.text for one in without)


def test_no_more_chunks_are_looked_through_for_such_words_than_are_taken(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []

    def noted(conn: Connection, words: WordQuery, passages: Sequence[CheckedText]) -> list[bool]:
        looked_at.extend(passage.text for passage in passages)
        return hold_excluded(conn, words, passages)

    monkeypatch.setattr(retriever, "BATCH", 1)
    monkeypatch.setattr(items, "hold_excluded", noted)
    shore = {"filters": {"source_urls": ["https://sea.example/shore"]}, "per_item_chunk_cap": 2}
    bundle = search("a gauge, and the place of a limpet -rings", "late", **shore)
    assert len(bundle.evidence) == 2
    assert [one.text for one in bundle.evidence] == [text for text in looked_at if "a ring" not in text]
    assert len(looked_at) < bundle.stats.counts["late_chunks"]


def test_an_unknown_chunker_is_refused_with_those_there_are_whatever_is_found(search: Search) -> None:
    for question in (QUESTION, "zzzzqqqq"):
        with pytest.raises(InputError, match="no chunker 'guess'") as refused:
            search(question, "late", chunker="guess")
        assert all(chunker in refused.value.hint for chunker in RULES)


def test_documents_that_there_was_no_time_for_keep_the_evidence_they_have(
    search: Search, late: LateLibrary
) -> None:
    def later() -> None:
        late.clock.now += 60

    late.embedder.before = later
    limited = {"strategy": "late", "chunker_id": "recursive", "max_chunk_tokens": 24, "max_seconds": 10}
    bundle = search("limpets", "late", chunking=limited)
    assert bundle.stats.counts["late_documents_left_out"] == 1
    assert "1 of 2 documents are missing" in bundle.stats.params["degraded"]
    cut = {one.item_id: one.chunk_id is None for one in bundle.evidence}
    assert cut.keys() == {item.item_id for item in bundle.candidates}
    assert sorted(cut.values()) == [False, True]


@pytest.mark.parametrize("strategy", ["late", "mixed"])
def test_without_a_vector_evidence_is_as_it_was_indexed_and_it_is_said(
    pages: Database, late: LateLibrary, search: Search, strategy: str
) -> None:
    indexer = late.indexer
    unusable = UnusableEmbedder(indexer.embedder.model, EmbeddingError("The model is away.", "Wait."))
    space = OpenSpace(indexer.space, unusable, indexer.tokenizer)
    retriever = LibraryRetriever(pages, lambda: space, RetrievalOptions())
    bundle = retriever.search(prefs_of("limpets", strategy))
    assert bundle.evidence
    assert all(one.chunk_id for one in bundle.evidence)
    assert "The model is away." in bundle.stats.params["degraded"]
    assert "evidence is as it was indexed" in bundle.stats.params["degraded"]
    unread = search("limpets", strategy, vector={"embed_query": False}, debug=False)
    assert "evidence is as it was indexed" in unread.stats.params["degraded"]


def test_without_anything_to_cut_with_evidence_is_as_it_was_indexed(
    pages: Database, late: LateLibrary
) -> None:
    with pages.connection() as conn:
        retriever = HybridRetriever(conn, late.indexer.embedder, tokenizer=late.indexer.tokenizer)
        bundle = retriever.search(prefs_of("limpets", "late"))
    assert bundle.evidence
    assert "nothing here to cut texts late with" in bundle.stats.params["degraded"]


def test_a_library_lends_its_own_space_and_connections(pages: Database, late: LateLibrary) -> None:
    indexer = late.indexer
    space = OpenSpace(indexer.space, indexer.embedder, indexer.tokenizer)
    bundle = LibraryRetriever(pages, lambda: space, RetrievalOptions()).search(
        prefs_of(QUESTION, "late", "headings", None)
    )
    assert bundle.stats.counts["late_documents"] == 2
    assert bundle.evidence[0].chunk_id is None


def test_a_library_that_moved_meanwhile_is_asked_again(pages: Database, late: LateLibrary) -> None:
    indexer = late.indexer
    now = OpenSpace(indexer.space, indexer.embedder, indexer.tokenizer)
    before = OpenSpace(StoredSpace(99, "gone", SPACE), AngleEmbedder(), None)
    reported = iter([before, now, now])
    bundle = LibraryRetriever(pages, lambda: next(reported), RetrievalOptions()).search(
        prefs_of(QUESTION, "late")
    )
    assert bundle.candidates[0].score_vec
    assert "degraded" not in bundle.stats.params
    assert list(reported) == []


def test_a_library_that_never_had_a_space_is_empty(database: Database) -> None:
    retriever = LibraryRetriever(database, lambda: None, RetrievalOptions())
    for strategy in ("precomputed", "late"):
        assert not retriever.search(prefs_of("tides", strategy)).candidates


def test_a_search_that_is_cancelled_while_it_cuts_ends_there(
    search: Search, late: LateLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunking, "BATCH", 1)
    token = CancelToken()
    late.embedder.before = token.cancel
    with pytest.raises(Cancelled):
        search(QUESTION, "late", cancel=token)
    assert late.embedded() == 1


def test_preferences_of_the_index_ask_for_nothing_late(search: Search, late: LateLibrary) -> None:
    chunking = ChunkingPrefs()
    assert search(QUESTION, chunking.strategy).stats.counts.keys().isdisjoint({"late_documents"})
    assert late.embedded() == 0
