"""Coverage judged from a result: which signals count, what is missing, and how it is reported."""

import math
from uuid import UUID

import pytest

from benchmarks.coverage_parts.fitting import signals_of
from tests.support.found_chunks import found_chunk, matched_span
from webrag_desktop.expansion.asking import coverage_messages, read_reply
from webrag_desktop.expansion.coverage import (
    WITH_MEANING,
    WORDS_ALONE,
    Signals,
    judge_coverage,
    judged_by_model,
    question_words,
)
from webrag_desktop.retrieval.contracts.results import (
    CorpusStats,
    Correction,
    RetrievalResult,
    RetrievedChunk,
    SoughtTerms,
    TimingInfo,
)
from webrag_desktop.servers.chat import UselessReplyError

QUESTION = "Which insulation did the Atlantic cable of 1858 have?"
SOUGHT = SoughtTerms(("insul", "atlant", "cabl", "1858"))
ALL_OF_IT = "The insulation of the Atlantic cable of 1858 was gutta-percha."


def chunk(text: str, number: int = 1, **reported: object) -> RetrievedChunk:
    reported = {
        "chunk_id": UUID(int=number),
        "source_url": f"https://a.test/{number}",
        "title": f"Page {number}",
        "sought_terms": SOUGHT,
        "rank_score": 1 / number,
        "score_vec": 0.6,
        "rank_vec": number,
        "rank_text": number,
    } | reported
    return found_chunk(text, spans=[matched_span(0, text, 0.9)]).model_copy(update=reported)


def result(*chunks: RetrievedChunk, **reported: object) -> RetrievalResult:
    urls = list(dict.fromkeys(one.source_url for one in chunks))
    return RetrievalResult(
        mode="chunk",
        chunks=list(chunks),
        query_embedding=[],
        corpus_stats=CorpusStats(
            total_documents=9, total_parent_chunks=9, total_tokens=9, documents_matched=urls
        ),
        timing=TimingInfo(embed_ms=0, search_ms=0, total_ms=0),
    ).model_copy(update=reported)


OTHERS = [chunk(f"Ship number {number} laid a cable.", number, score_vec=0.3) for number in range(2, 8)]
COVERED = result(chunk(ALL_OF_IT), *OTHERS)


def test_a_passage_with_all_of_it_covers() -> None:
    coverage = judge_coverage(QUESTION, COVERED)
    assert coverage.verdict == "covered"
    assert coverage.score > WITH_MEANING.covered
    assert coverage.share_of_words == pytest.approx(1.0)
    assert coverage.missing_words == ()
    assert coverage.documents_matched == 7
    assert coverage.by == "search"
    assert coverage.explanation == (
        "The library seems to answer this. The best passage, of “Page 1”, holds all words of the question. "
        "7 documents gave passages."
    )


def test_nothing_found_leaves_everything_missing() -> None:
    coverage = judge_coverage("Which insulation did the cable have?", result())
    assert (coverage.verdict, coverage.score, coverage.share_of_words) == ("missing", 0.0, 0.0)
    assert coverage.missing_words == ("insulation", "cable")
    assert coverage.explanation == "Nothing in the library matches the question."


def test_words_that_the_best_passages_lack_are_missing_as_they_were_written() -> None:
    passages = [chunk("A cable was laid in 1858.", 1, score_vec=0.35, rank_text=3), *OTHERS]
    further = chunk(ALL_OF_IT, 30).model_copy(update={"matched_spans": []})
    coverage = judge_coverage(QUESTION, result(*passages, further))
    assert coverage.missing_words == ("insulation", "atlantic")
    assert 0.0 < coverage.share_of_words < 0.6
    assert coverage.verdict != "covered"
    assert coverage.explanation.endswith(
        "The best passage, of “Page 1”, lacks “insulation”, “atlantic”, and so do the next best ones. "
        "8 documents gave passages."
    )


def test_what_only_the_next_best_passages_hold_is_reported() -> None:
    passages = [chunk("The cable of 1858"), chunk("An insulation", 2), *OTHERS[1:]]
    coverage = judge_coverage(QUESTION, result(*passages))
    assert coverage.missing_words == ("atlantic",)
    assert "lacks “insulation”, “atlantic”; the next best ones hold “insulation”." in coverage.explanation


def test_rare_words_are_worth_most() -> None:
    with_rare = judge_coverage(QUESTION, result(chunk("insulation of it"), *OTHERS)).share_of_words
    with_common = judge_coverage(QUESTION, result(chunk("cable of it"), *OTHERS)).share_of_words
    assert with_rare > with_common


@pytest.mark.parametrize("signal", ["passage", "sentence", "evidence", "near", "agree"])
def test_each_signal_that_counts_raises_the_score(signal: str) -> None:
    middling = Signals(0.5, 0.5, 0.5, 0.5, 0.5)
    better = middling._replace(**{signal: 1.0})
    assert WITH_MEANING.score(better) > WITH_MEANING.score(middling)
    if getattr(WORDS_ALONE, signal):
        assert WORDS_ALONE.score(better) > WORDS_ALONE.score(middling)


def test_signals_are_read_from_the_result() -> None:
    signals = signals_of(QUESTION, COVERED)
    assert signals is not None
    assert signals._asdict() == pytest.approx(
        {"passage": 1.0, "sentence": 1.0, "evidence": 0.9, "near": 0.6, "agree": 1.0}
    )
    assert signals_of(QUESTION, result()) is None


def test_without_meaning_the_words_judge_alone() -> None:
    alone = [one.model_copy(update={"score_vec": None, "rank_vec": None}) for one in COVERED.chunks]
    signals = signals_of(QUESTION, result(*alone))
    assert signals is not None
    assert signals.near is None
    coverage = judge_coverage(QUESTION, result(*alone))
    assert coverage.score == pytest.approx(WORDS_ALONE.score(signals))
    assert coverage.verdict == "covered"
    assert "Only words were compared, not the meaning." in coverage.explanation


def test_a_reranker_settles_what_is_unclear_and_nothing_else() -> None:
    unclear = next(
        found
        for near in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
        for held in (
            "A cable of 1858",
            "insulation",
            "insulation of a cable of 1858",
            "Atlantic cable of 1858",
        )
        for agree in (1, 2)
        if judge_coverage(
            QUESTION, found := result(chunk(held, score_vec=near, rank_text=agree), *OTHERS)
        ).verdict
        == "unclear"
    )
    for answers, verdict in ((True, "covered"), (False, "missing")):
        judged = [one.model_copy(update={"answerability": answers}) for one in unclear.chunks]
        coverage = judge_coverage(QUESTION, result(*judged))
        assert (coverage.verdict, coverage.by) == (verdict, "model")
        sure = [one.model_copy(update={"answerability": answers}) for one in COVERED.chunks]
        assert judge_coverage(QUESTION, result(*sure)).by == "search"
    assert "The model that judged the passages" in coverage.explanation


def test_misspelt_words_are_held_where_their_reading_is() -> None:
    asked = "Which insualtion did the cable have?"
    found = chunk("The insulation of a cable", sought_terms=SoughtTerms(("insul", "cabl")))
    corrected = result(found, corrections=[Correction(word="insualtion", read_as="insulation")])
    assert set(question_words(asked, corrected).words) == {"insualtion", "cable"}
    assert judge_coverage(asked, corrected).missing_words == ()


def test_full_context_is_judged_by_what_matched() -> None:
    unmatched = chunk("Otters sleep.", 8, rank_score=0.0, score_vec=None, sought_terms=SoughtTerms())
    whole = result(unmatched.model_copy(update={"matched_spans": []}), *COVERED.chunks, mode="full_context")
    assert judge_coverage(QUESTION, whole).verdict == "covered"


def test_what_many_words_lack_is_reported_briefly() -> None:
    asked = " ".join(f"word{number}x" for number in range(20))
    sought = SoughtTerms(tuple(asked.split()))
    coverage = judge_coverage(asked, result(chunk("nothing of it", sought_terms=sought)))
    assert len(coverage.missing_words) == 20
    assert "and 14 more words" in coverage.explanation


def test_scores_stay_finite() -> None:
    assert math.isfinite(WITH_MEANING.score(Signals(1, 1, 1, 1, 1)))
    assert WITH_MEANING.missing < WITH_MEANING.covered
    assert WORDS_ALONE.missing < WORDS_ALONE.covered


# -- What a chat model is asked ----------------------------------------------------------------------------------


def test_a_model_is_sent_the_best_passages_around_their_best_sentences() -> None:
    long = "Filling. " * 500 + ALL_OF_IT + " Filling." * 500
    best = chunk(long).model_copy(update={"matched_spans": [matched_span(long.index(ALL_OF_IT), ALL_OF_IT)]})
    _, asked = coverage_messages(QUESTION, result(*OTHERS, best))
    assert ALL_OF_IT in asked.content
    assert asked.content.count('"text"') == 5
    assert len(asked.content) < 3_000


@pytest.mark.parametrize(
    "text",
    [
        '{"lacks": "the year", "answers": false}',
        'Sure: ```json\n{"lacks": "the year", "answers": false}\n```',
        '{"x": {1}} {"answers": false, "lacks": "the year", "because": "…"}',
    ],
)
def test_a_reply_is_read_whatever_stands_around_it(text: str) -> None:
    assert read_reply(text, "judge") == (False, "the year")


@pytest.mark.parametrize("text", ["", "yes", '{"answers": "true"}', "{" * 100_000, '{"lacks": "x"}'])
def test_a_reply_without_a_judgement_is_none(text: str) -> None:
    with pytest.raises(UselessReplyError, match="judge was asked"):
        read_reply(text, "judge")


def test_a_models_judgement_is_reported_with_what_the_search_says() -> None:
    coverage = judge_coverage(QUESTION, COVERED)
    missing = judged_by_model(coverage, answers=False, lacks="the\nyear")
    assert (missing.verdict, missing.by, missing.score) == ("missing", "model", coverage.score)
    assert missing.explanation.startswith(
        "The library does not seem to answer this. The chat model read the passages and says that they do not answer "
        "it: they lack “the year”. The best passage"
    )
    covered = judged_by_model(coverage, answers=True)
    assert covered.verdict == "covered"
    assert covered.explanation.startswith("The library seems to answer this. The chat model read")
