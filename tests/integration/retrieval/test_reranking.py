"""Searching a library with a reranker: where it sits, what it is shown, and what the result says of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import pytest
from psycopg.pq import TransactionStatus

from tests.support.synthetic_library import AngleEmbedder, Passage, Section, SyntheticLibrary
from webrag_desktop.errors import Cancelled, ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankReport, RerankResult
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.contracts.results import RetrievalResult, RetrievedChunk
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.database import Database

Ask = Callable[..., RetrievalResult]
TEXTS = ("The ebb comes first.", "Then comes the flow.", "Rocks lie at the shore.")


@dataclass
class Judge:
    """Gives each passage the score of the text it begins with, 0 to others; without scores it fails."""

    scores: dict[str, float] | None
    model: str = "judge"
    asked: list[Sequence[RerankCandidate]] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        self.asked.append(candidates)
        self.meanwhile()
        if cancel is not None:
            cancel.raise_if_cancelled()
        if self.scores is None:
            raise ChatError("The chat server is late.", "Start it.")
        return [self._result(one, self.scores) for one in candidates]

    def _result(self, one: RerankCandidate, scores: dict[str, float]) -> RerankResult:
        score = next((score for text, score in scores.items() if one.text.startswith(text)), 0.0)
        return RerankResult(
            chunk_id=one.chunk_id,
            relevance_score=score,
            answerability=score == 100,
            key_evidence=one.text[:3],
        )


@pytest.fixture
def shore(library: SyntheticLibrary) -> SyntheticLibrary:
    """Three passages of three documents, best first by meaning."""
    for n, text in enumerate(TEXTS):
        passages = [Passage("Aside.", 0.1), Passage(text, 0.9 - n / 10)] if n else [Passage(text, 0.9)]
        library.add(f"https://{n}/", [Section(passages, f"Part {n}")], title=f"Title {n}")
    return library


def ranked(result: RetrievalResult) -> list[RetrievedChunk]:
    return sorted(result.chunks, key=lambda chunk: -chunk.rank_score)


def urls(result: RetrievalResult) -> list[str]:
    return [chunk.source_url for chunk in ranked(result)]


def test_without_a_reranker_nothing_is_said_of_it(ask: Ask, shore: SyntheticLibrary) -> None:
    result = ask()
    assert urls(result) == ["https://0/", "https://1/", "https://2/"]
    assert result.rerank is None
    assert result.rerank_results == []
    for chunk in result.chunks:
        assert (chunk.relevance_score, chunk.answerability, chunk.key_evidence) == (None, None, None)


def test_the_judgement_orders_and_is_reported(ask: Ask, shore: SyntheticLibrary) -> None:
    result = ask(reranker=Judge({TEXTS[0]: 40, "Aside.\n\nRocks": 100, "Aside.\n\nThen": 70}))
    assert urls(result) == result.source_urls == ["https://2/", "https://1/", "https://0/"]
    assert result.rerank == RerankReport(model="judge", judged=3)
    assert result.degraded is None
    best = ranked(result)[0]
    assert (best.relevance_score, best.answerability, best.key_evidence) == (100, True, "Asi")
    assert best.rank_score == pytest.approx(1.0, abs=1e-4)
    assert best.raw_similarity == pytest.approx(0.7)
    assert [one.relevance_score for one in result.rerank_results] == [100, 70, 40]
    assert [one.chunk_id for one in result.rerank_results] == [chunk.chunk_id for chunk in ranked(result)]


def test_a_reranker_that_fails_leaves_the_result_as_it_was_and_says_why(
    ask: Ask, shore: SyntheticLibrary
) -> None:
    result, without = ask(reranker=Judge(None)), ask()
    assert result.chunks == without.chunks
    assert result.rerank is not None
    assert result.rerank.fallback == "The chat server is late."
    assert result.degraded == "The passages could not be reranked. The chat server is late. Start it."


def test_a_passage_is_shown_whole_with_its_best_child_marked(ask: Ask, shore: SyntheticLibrary) -> None:
    judge = Judge({})
    result = ask(reranker=judge)
    (candidates,) = judge.asked
    assert [one.title for one in candidates] == ["Title 0", "Title 1", "Title 2"]
    chunks = {chunk.chunk_id: chunk for chunk in result.chunks}
    for one, text in zip(candidates, TEXTS, strict=True):
        assert one.text == chunks[one.chunk_id].chunk_text
        assert one.text[one.focus_start : one.focus_end].strip() == text
        assert one.heading_path == tuple(chunks[one.chunk_id].heading_path)


def test_the_model_is_asked_outside_of_any_transaction(database: Database, shore: SyntheticLibrary) -> None:
    with database.connection() as conn:
        judge = Judge({})
        status: list[object] = []
        judge.meanwhile = lambda: status.append(conn.info.transaction_status)
        retrieve(conn, "question", embedder=AngleEmbedder(), mode="chunk", reranker=judge)
        assert status == [TransactionStatus.IDLE]


def test_a_wish_to_stop_reaches_the_reranker_and_the_connection_stays(
    database: Database, shore: SyntheticLibrary
) -> None:
    cancel = CancelToken()
    judge = Judge({}, meanwhile=cancel.cancel)
    with database.connection() as conn:
        with pytest.raises(Cancelled):
            retrieve(conn, "question", embedder=AngleEmbedder(), mode="chunk", reranker=judge, cancel=cancel)
        assert not conn.closed


def test_as_many_are_judged_and_returned_as_the_config_says(ask: Ask, shore: SyntheticLibrary) -> None:
    judge = Judge({"Aside.\n\nThen": 100})
    config = RerankConfig(max_candidates_to_rerank=2, return_top_n=1)
    result = ask(reranker=judge, rerank=config)
    assert urls(result) == ["https://1/"]
    assert len(judge.asked[0]) == 2
    assert [(one.source_url, one.reason) for one in result.left_out] == [
        ("https://0/", "return_top_n"),
        ("https://2/", "return_top_n"),
    ]
    assert [one.relevance_score for one in result.rerank_results] == [100, 0]
    assert len(ask(reranker=Judge(None), rerank=config).chunks) == 3


def test_what_the_budget_does_not_hold_is_judged_all_the_same(ask: Ask, shore: SyntheticLibrary) -> None:
    options = RetrievalOptions(context_budget=7, full_context_threshold=0)
    assert urls(ask(options=options)) == ["https://0/"]
    assert urls(ask(options=options, reranker=Judge({"Aside.\n\nRocks": 100}))) == ["https://2/"]


def test_whole_documents_are_not_judged(ask: Ask, shore: SyntheticLibrary) -> None:
    judge = Judge({})
    result = ask(mode="full_context", reranker=judge)
    assert (judge.asked, result.rerank) == ([], None)
    assert ask("question", source_urls=["https://nowhere/"], reranker=judge).rerank is None


def test_the_same_twice_is_folded_and_its_place_filled(ask: Ask, library: SyntheticLibrary) -> None:
    for n, text in enumerate((TEXTS[0], TEXTS[0], TEXTS[1])):
        library.add(f"https://{n}/", [Section([Passage(text, 0.9 - n / 10)])])
    options = RetrievalOptions(context_budget=10, full_context_threshold=0)
    assert urls(ask(options=options)) == ["https://0/", "https://1/"]
    result = ask(options=options, fold=True)
    assert urls(result) == ["https://0/", "https://2/"]
    (folded,) = ranked(result)[0].folded
    assert (folded.source_url, folded.similarity) == ("https://1/", 1.0)
    assert ranked(result)[1].folded == []


def test_of_the_same_twice_the_one_stays_that_was_judged_better(ask: Ask, library: SyntheticLibrary) -> None:
    nearly = " ".join(f"word{n}" for n in range(100))
    library.add("https://a/", [Section([Passage(nearly, 0.9)])])
    library.add("https://b/", [Section([Passage(f"Now {nearly}", 0.8)])])
    assert urls(ask(fold=True)) == ["https://a/"]
    assert urls(ask(fold=True, reranker=Judge({"Now": 100, "word": 70}))) == ["https://b/"]


def test_whole_documents_are_not_folded(ask: Ask, library: SyntheticLibrary) -> None:
    for n in range(2):
        library.add(f"https://{n}/", [Section([Passage(TEXTS[0], 0.9)])])
    assert len(ask(mode="full_context", fold=True).chunks) == 2


def test_ids_of_what_is_folded_are_those_of_its_chunk(ask: Ask, library: SyntheticLibrary) -> None:
    for n in range(2):
        library.add(f"https://{n}/", [Section([Passage(TEXTS[0], 0.9 - n / 10)])])
    found = {str(chunk.chunk_id): str(chunk.document_id) for chunk in ask().chunks}
    (folded,) = ask(fold=True).chunks[0].folded
    assert UUID(folded.chunk_id)
    assert found[folded.chunk_id] == folded.document_id
