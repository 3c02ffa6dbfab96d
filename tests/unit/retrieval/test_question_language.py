"""Where nothing is found, the question's language may be why."""

import pytest

from webrag_desktop.embedding.catalog import GRANITE_FUSED
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.retrieval.contracts.results import CorpusStats, RetrievalResult, TimingInfo
from webrag_desktop.retrieval.search import NOT_ENGLISH, with_language_noted

GERMAN = "Wie lange hält sich eine Pinguinkolonie?"


def model(name: str) -> EmbeddingModel:
    return EmbeddingModel(backend="embedded", model=name, dimensions=384, tokenizer="t", max_tokens=256)


def found_nothing(documents: int = 3, degraded: str | None = None) -> RetrievalResult:
    stats = CorpusStats(
        total_documents=documents, total_parent_chunks=9, total_tokens=90, documents_matched=[]
    )
    timing = TimingInfo(embed_ms=1.0, search_ms=1.0, total_ms=2.0)
    return RetrievalResult(
        mode="chunk", chunks=[], query_embedding=[], corpus_stats=stats, timing=timing, degraded=degraded
    )


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2-fused-390469aea161", "all-minilm", GRANITE_FUSED.model])
def test_a_question_in_another_language_than_the_models_is_reported(name: str) -> None:
    assert with_language_noted(found_nothing(), GERMAN, model(name)).degraded == NOT_ENGLISH
    also = with_language_noted(found_nothing(degraded="It is slow."), GERMAN, model(name))
    assert also.degraded == f"It is slow. {NOT_ENGLISH}"


@pytest.mark.parametrize(
    "question", ["what is a decorator", "max_depth", "gauge calibration generator", "kubernetes pod eviction"]
)
def test_what_is_english_or_unclear_is_not(question: str) -> None:
    result = found_nothing()
    assert with_language_noted(result, question, model("all-MiniLM-L6-v2")) is result


def test_nothing_is_said_of_models_that_may_know_it_or_of_an_empty_library() -> None:
    result, empty = found_nothing(), found_nothing(documents=0)
    assert with_language_noted(result, GERMAN, model("nomic-embed-text")) is result
    assert with_language_noted(result, GERMAN, None) is result
    assert with_language_noted(empty, GERMAN, model("all-minilm")) is empty
