from datetime import UTC, datetime

from tests.support.retrieval_rows import id_of
from webrag_desktop.retrieval.contracts.results import (
    CorpusStats,
    RetrievalResult,
    RetrievedChunk,
    SoughtTerms,
    TimingInfo,
)


def chunk(url: str = "https://a/", index: int = 0, rank: float = 0.5, score: float = 0.5) -> RetrievedChunk:
    return RetrievedChunk(
        chunk_id=id_of((url, index)),
        document_id=id_of(url),
        parent_id=None,
        source_url=url,
        title=None,
        selected_text="Text.",
        surface="markdown",
        section_heading=None,
        chunk_index=index,
        char_start=0,
        char_end=5,
        token_start=0,
        token_end=2,
        score=score,
        raw_similarity=score,
        depth=0,
        has_table=False,
        has_code=False,
        has_math=False,
        has_definition_list=False,
        has_admonition=False,
        has_steps=False,
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        version_id=id_of("version"),
        chunk_text="Text.",
        selected_tokens=2,
        rank_score=rank,
    )


def result(*chunks: RetrievedChunk) -> RetrievalResult:
    return RetrievalResult(
        mode="chunk",
        chunks=list(chunks),
        query_embedding=[],
        corpus_stats=CorpusStats(
            total_documents=0, total_parent_chunks=0, total_tokens=0, documents_matched=[]
        ),
        timing=TimingInfo(embed_ms=0, search_ms=0, total_ms=0),
    )


def test_an_empty_result_says_so() -> None:
    empty = result()
    assert empty.is_empty
    assert empty.top_score == 0.0
    assert empty.source_urls == []


def test_a_result_names_its_best_score_and_its_addresses_once_in_order() -> None:
    found = result(chunk("https://b/", score=0.2), chunk("https://a/", score=0.9), chunk("https://b/", 1))
    assert not found.is_empty
    assert found.top_score == 0.9
    assert found.source_urls == ["https://b/", "https://a/"]


def test_a_result_survives_json() -> None:
    found = result(chunk())
    assert RetrievalResult.model_validate_json(found.model_dump_json()) == found


def test_the_words_of_the_question_are_found_where_they_stand_in_the_document() -> None:
    text, sought = "Boosting max_depths.", SoughtTerms(("boost",), ("max_depth",))
    found = chunk().model_copy(update={"chunk_text": text, "char_start": 50, "sought_terms": sought})
    assert found.term_spans() == [(50, 58, "boost"), (59, 68, "max_depth")]
    assert chunk().term_spans() == []
    assert "sought_terms" not in found.model_dump()
