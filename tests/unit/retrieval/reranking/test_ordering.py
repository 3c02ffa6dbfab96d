"""Every passage keeps its place in the result, whatever a reranker says of it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.reranking import PassingTime, ScriptedChat, candidates, judgement, reply_of
from webrag_desktop.errors import Cancelled, ChatError, ConfigurationError, WebragError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.llm import LlmReranker
from webrag_desktop.retrieval.reranking.ordering import reranked
from webrag_desktop.servers.retries import RetryPolicy

TEXTS = ("Ebb.", "Flow.", "Moon.", "Rocks.")


@dataclass
class Judge:
    """A reranker that says what it is told to."""

    results: Sequence[RerankResult] | WebragError
    model: str | None = "judge"

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        if isinstance(self.results, WebragError):
            raise self.results
        return list(self.results)


def result(number: int, score: float, evidence: str = "") -> RerankResult:
    return RerankResult(
        chunk_id=UUID(int=number), relevance_score=score, answerability=False, key_evidence=evidence
    )


def ids(*numbers: int) -> tuple[UUID, ...]:
    return tuple(UUID(int=number) for number in numbers)


def test_the_relevant_come_first_and_equals_stay_as_they_were() -> None:
    found = reranked(
        "tide", candidates(*TEXTS), Judge([result(3, 70), result(4, 100), result(2, 70), result(1, 0)]), 9
    )
    assert found.order == ids(4, 2, 3, 1)
    assert (found.report.model, found.report.judged, found.report.fallback) == ("judge", 4, None)


def test_what_is_beyond_the_limit_follows_unjudged() -> None:
    found = reranked("tide", candidates(*TEXTS), Judge([result(1, 0), result(2, 40)]), 2)
    assert found.order == ids(2, 1, 3, 4)
    assert found.report.judged == 2
    scores = [
        found.rank_score(one, fused) for one, fused in zip(found.order, (0.6, 0.9, 0.5, 0.4), strict=True)
    ]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


@pytest.mark.parametrize(
    "results",
    [
        [],
        [result(1, 1)],
        [result(1, 1), result(2, 1), result(3, 1), result(3, 1)],
        [result(1, 1), result(2, 1), result(3, 1), result(9, 1)],
        [result(1, 1), result(2, 1), result(3, 1), result(4, 1), result(4, 1)],
    ],
)
def test_a_judgement_that_is_not_one_of_each_changes_nothing(results: list[RerankResult]) -> None:
    found = reranked("tide", candidates(*TEXTS), Judge(results), 9)
    assert (found.order, found.results, found.report.judged) == (ids(1, 2, 3, 4), {}, 0)
    assert found.report.fallback == "The reranker did not judge every passage exactly once."


@pytest.mark.parametrize(
    "error", [ChatError("It is late.", "Wait."), ConfigurationError("It is late.", "Wait.")]
)
def test_a_reranker_that_fails_changes_nothing_and_the_report_says_why(error: WebragError) -> None:
    found = reranked("tide", candidates(*TEXTS), Judge(error), 9)
    assert found.order == ids(1, 2, 3, 4)
    assert (found.report.fallback, found.report.hint) == ("It is late.", "Wait.")
    assert found.rank_score(UUID(int=1), 0.7) == 0.7


def test_a_wish_to_stop_is_no_failure() -> None:
    with pytest.raises(Cancelled):
        reranked("tide", candidates(*TEXTS), Judge(Cancelled("Stopped.")), 9)


def test_evidence_that_stands_in_no_text_is_taken_out_and_counted() -> None:
    said = [result(1, 9, "Ebb."), result(2, 8, "Storm."), result(3, 7), result(4, 6)]
    found = reranked("tide", candidates(*TEXTS), Judge(said), 9)
    assert [found.results[one].key_evidence for one in ids(1, 2, 3, 4)] == ["Ebb.", "", "", ""]
    assert found.report.evidence_dropped == 1


def test_nothing_to_judge_asks_nobody() -> None:
    found = reranked("tide", [], Judge(ChatError("Asked.")), 9)
    assert (found.order, found.report.fallback) == ((), None)


def test_rank_scores_lie_between_0_and_1_and_equals_go_by_the_fused_score() -> None:
    found = reranked(
        "tide", candidates(*TEXTS), Judge([result(n, s) for n, s in ((1, 100), (2, 100), (3, 0), (4, 0))]), 9
    )
    first, second, third, last = (
        found.rank_score(one, fused) for one, fused in zip(ids(1, 2, 3, 4), (1, 0.5, 0.1, 0.0), strict=True)
    )
    assert 1 >= first > second > third > last >= 0


def test_rank_scores_keep_the_order_of_judgements_that_lie_close_together() -> None:
    said = [result(n, s) for n, s in ((1, 0.0020), (2, 0.0021), (3, 0.0022), (4, 0.00205))]
    found = reranked("tide", candidates(*TEXTS), Judge(said), 9)
    fused = dict(zip(ids(1, 2, 3, 4), (1.0, 0.7, 0.2, 0.0), strict=True))
    scores = [found.rank_score(one, fused[one]) for one in found.order]
    assert found.order == ids(3, 2, 4, 1)
    assert scores == sorted(scores, reverse=True)


NUMBERS = st.one_of(
    st.integers(-2, 6),
    st.floats(),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
    st.integers(10**400, 10**401),
)
LIKELY = st.fixed_dictionaries(
    {
        "relevance_score": st.one_of(st.integers(0, 100), NUMBERS),
        "answerability": st.one_of(st.booleans(), NUMBERS),
        "key_evidence": st.one_of(st.sampled_from(["Ebb.", "Flow", "No", ""]), NUMBERS),
    }
)
JSON = st.recursive(
    NUMBERS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)
)
REPLIES = st.one_of(
    st.text(),
    st.builds(lambda said: reply_of(*said), st.lists(LIKELY, max_size=5)),
    st.builds(reply_of, JSON),
    st.dictionaries(st.sampled_from("12345"), LIKELY).map(lambda said: json.dumps({"results": said})),
    st.permutations([1, 2, 3, 4]).map(
        lambda scores: reply_of(*(judgement(10 * one, "Ebb.") for one in scores))
    ),
    st.sampled_from(["[" * 100_000, '{"results":' * 50_000, '{"results": null}', "null", "```json\n{}\n```"]),
)


@given(REPLIES, st.booleans(), st.integers(0, 2**31))
def test_whatever_a_model_says_every_passage_stands_there_once(said: str, strict: bool, cut: int) -> None:
    config = RerankConfig("judge", strict_json_output=strict)
    time = PassingTime()
    for reply in (said, said[: cut % (len(said) + 1)]):
        chat = ScriptedChat([reply])
        reranker = LlmReranker(chat, config, RetryPolicy(60.0, clock=time.clock, wait=time.rest))
        found = reranked("tide", candidates(*TEXTS), reranker, 50)
        assert sorted(found.order) == sorted(ids(1, 2, 3, 4))
        assert (found.report.fallback is None) == (found.report.judged == 4)
        assert bool(found.results) == (found.report.fallback is None)
        if found.report.fallback:
            assert found.order == ids(1, 2, 3, 4)
        for one in found.results.values():
            assert 0 <= one.relevance_score <= 100
            assert one.key_evidence in TEXTS[one.chunk_id.int - 1]
