"""A chat model is asked in both orders: what it turns round counts little, and one that guesses is given up."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Thread
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.reranking import Asked, PassingTime, candidates, judgement, reply_of
from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.reranking.consistency import (
    ENOUGH_QUESTIONS,
    LEAST_AGREEMENT,
    MOST_WEIGHT,
    Comparisons,
    ConsistentReranker,
    Reliability,
    UnsteadyModelError,
    comparisons,
)
from webrag_desktop.retrieval.reranking.llm import LlmReranker
from webrag_desktop.retrieval.reranking.ordering import reranked
from webrag_desktop.servers.chat import ChatMessage, ChatReply, JsonSchema
from webrag_desktop.servers.retries import RetryPolicy

TEXTS = tuple(f"Passage {letter}." for letter in "abcdefgh")


@dataclass
class ScoringChat:
    """Scores each passage by its place among the shown, from 0, and its text; remembers what it was asked."""

    score: Callable[[int, str], float]
    name: str = "judge"
    asked: list[Asked] = field(default_factory=list)

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        return None

    def reply(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seconds: float,
        cancel: CancelToken | None = None,
    ) -> ChatReply:
        self.asked.append(json.loads(messages[-1].content))
        passages = self.asked[-1]["passages"]
        return ChatReply(
            reply_of(*(judgement(self.score(at, one["text"])) for at, one in enumerate(passages)))
        )


def of_text(_place: int, text: str) -> float:
    """What a steady model says: later letters are better."""
    return 10.0 * (ord(text[-2]) - ord("a"))


def of_place(place: int, _text: str) -> float:
    """What a model says that likes what stands first."""
    return 90.0 - 10 * place


def judge(score: Callable[[int, str], float]) -> tuple[ConsistentReranker, ScoringChat]:
    time, chat = PassingTime(), ScoringChat(score)
    policy = RetryPolicy(60.0, clock=time.clock, wait=time.rest)
    return ConsistentReranker(LlmReranker(chat, RerankConfig("judge"), policy)), chat


def fused(*scores: float) -> list[RerankCandidate]:
    """Candidates with these scores of the search, best first."""
    return [replace(one, fused=score) for one, score in zip(candidates(*TEXTS), scores, strict=False)]


def test_passages_are_judged_in_both_orders_and_scores_are_the_means() -> None:
    reranker, chat = judge(lambda place, text: 50.0 + of_text(place, text) - (5 if place else 0))
    results = reranker.rerank("q", candidates(*TEXTS[:3]))
    shown = [[one["text"] for one in asked["passages"]] for asked in chat.asked]
    assert shown == [list(TEXTS[:3]), list(TEXTS[2::-1])]
    assert [(one.chunk_id.int, one.relevance_score) for one in results] == [(3, 67.5), (2, 55), (1, 47.5)]
    assert {one.weight for one in results} == {MOST_WEIGHT}


def test_a_steady_model_puts_near_ones_in_its_order() -> None:
    reranker, _ = judge(of_text)
    found = reranked("q", fused(1.0, 0.99, 0.98), reranker, 50)
    assert [one.int for one in found.order] == [3, 2, 1]
    assert (found.report.judged, found.report.fallback) == (3, None)


def test_what_the_search_put_far_ahead_no_model_overturns() -> None:
    reranker, _ = judge(lambda _place, text: 0.0 if text == TEXTS[0] else 100.0)
    found = reranked("q", fused(1.0, 0.3, 0.2), reranker, 50)
    assert found.report.fallback is None
    assert found.order[0].int == 2  # all of the weight that a judgement can have
    weak = [one.model_copy(update={"weight": 0.2}) for one in found.results.values()]
    assert reranked("q", fused(1.0, 0.3, 0.2), Said(weak), 50).order[0].int == 1


def test_a_model_that_likes_a_place_changes_nothing_and_the_report_says_why() -> None:
    reranker, _ = judge(of_place)
    found = reranked("q", fused(1.0, 0.9, 0.8), reranker, 50)
    assert [one.int for one in found.order] == [1, 2, 3]
    assert found.results == {}
    assert found.report.fallback == (
        "The chat model judge contradicts itself: it turned round 3 of 3 comparisons when the passages came in reverse."
    )
    assert "RETRIEVAL_RERANK_MODEL" in (found.report.hint or "")


def test_a_model_that_tells_nothing_apart_changes_nothing() -> None:
    reranker, _ = judge(lambda _place, _text: 70.0)
    found = reranked("q", fused(1.0, 0.9), reranker, 50)
    assert "told no two passages apart" in (found.report.fallback or "")


def test_a_model_that_contradicts_itself_again_and_again_is_not_asked_any_more() -> None:
    reranker, chat = judge(of_place)
    reports = [reranked("q", fused(1.0, 0.9, 0.8), reranker, 50).report for _ in range(ENOUGH_QUESTIONS + 2)]
    assert len(chat.asked) == 2 * ENOUGH_QUESTIONS
    assert reports[-1].fallback == (
        "The chat model judge is not asked to judge any more, since it turned round 12 of 12 comparisons when the "
        "passages came in reverse over 4 questions."
    )


def test_a_model_that_was_steady_is_not_given_up_for_one_question() -> None:
    said: dict[str, Callable[[int, str], float]] = {"score": of_text}

    def score(place: int, text: str) -> float:
        return said["score"](place, text)

    reranker, chat = judge(score)
    for _ in range(ENOUGH_QUESTIONS):
        assert reranked("q", fused(1.0, 0.9, 0.8), reranker, 50).report.fallback is None
    said["score"] = of_place
    assert "contradicts itself" in (reranked("q", fused(1.0, 0.9, 0.8), reranker, 50).report.fallback or "")
    said["score"] = of_text
    found = reranked("q", fused(1.0, 0.9, 0.8), reranker, 50)
    assert found.report.fallback is None
    assert 0 < found.results[UUID(int=1)].weight < MOST_WEIGHT  # what it once turned round still counts
    assert len(chat.asked) == 2 * (ENOUGH_QUESTIONS + 2)


def test_one_passage_has_no_order_and_is_judged_once() -> None:
    reranker, chat = judge(of_text)
    assert len(reranker.rerank("q", candidates("Alone."))) == 1
    assert reranker.rerank("q", []) == []
    assert len(chat.asked) == 1


def test_what_both_orders_say_counts_for_answering_and_either_may_quote() -> None:
    @dataclass
    class Quoting(ScoringChat):
        def reply(
            self,
            messages: Sequence[ChatMessage],
            *,
            schema: JsonSchema | None = None,
            seconds: float,
            cancel: CancelToken | None = None,
        ) -> ChatReply:
            self.asked.append(json.loads(messages[-1].content))
            again = len(self.asked) == 2
            by_text = {
                "Ebb.": judgement(90, "Ebb." if again else "", answers=True),
                "Flow.": judgement(10, "", answers=again),
            }
            return ChatReply(reply_of(*(by_text[one["text"]] for one in self.asked[-1]["passages"])))

    reranker = ConsistentReranker(LlmReranker(Quoting(of_text), RerankConfig("judge")))
    ebb, flow = reranker.rerank("q", candidates("Ebb.", "Flow."))
    assert (ebb.answerability, ebb.key_evidence) == (True, "Ebb.")
    assert (flow.answerability, flow.key_evidence) == (False, "")


def test_all_the_time_there_is_goes_for_both_orders_together() -> None:
    time = PassingTime()

    @dataclass
    class Slow(ScoringChat):
        given: list[float] = field(default_factory=list)

        def reply(
            self,
            messages: Sequence[ChatMessage],
            *,
            schema: JsonSchema | None = None,
            seconds: float,
            cancel: CancelToken | None = None,
        ) -> ChatReply:
            self.given.append(seconds)
            time.now += 45
            return super().reply(messages, schema=schema, seconds=seconds, cancel=cancel)

    chat = Slow(of_text)
    policy = RetryPolicy(60.0, clock=time.clock, wait=time.rest)
    ConsistentReranker(LlmReranker(chat, RerankConfig("judge"), policy)).rerank("q", candidates(*TEXTS[:2]))
    assert chat.given == [60, 15]


@dataclass
class Said:
    """A reranker that says what it is told to."""

    results: Sequence[RerankResult]
    model: str | None = "judge"

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        return list(self.results)


PRIORS = st.lists(st.floats(0, 1), min_size=2, max_size=8).map(lambda scores: sorted(scores, reverse=True))


@given(PRIORS, st.floats(0, 0.99), st.randoms(use_true_random=False))
def test_whatever_is_judged_the_search_decides_where_it_is_sure(
    scores: list[float], weight: float, chance: random.Random
) -> None:
    said = [
        RerankResult(
            chunk_id=UUID(int=number),
            relevance_score=chance.uniform(0, 100),
            answerability=False,
            key_evidence="",
            weight=weight,
        )
        for number in range(1, len(scores) + 1)
    ]
    found = reranked("q", fused(*scores), Said(said), 50)
    place = {one.int: at for at, one in enumerate(found.order)}
    bound = weight / (1 - weight)
    for better in range(len(scores)):
        for worse in range(better + 1, len(scores)):
            if scores[better] - scores[worse] > bound + 1e-6:
                assert place[better + 1] < place[worse + 1]
    ranked = [found.rank_score(one, scores[one.int - 1]) for one in found.order]
    assert ranked == sorted(ranked, reverse=True)
    assert all(0 <= one <= 1 for one in ranked)


@given(st.integers(0, 2**32))
def test_a_model_that_guesses_is_given_up_and_moves_little_until_then(seed: int) -> None:
    chance = random.Random(seed)
    reranker, chat = judge(lambda _place, _text: float(chance.randrange(0, 101, 5)))
    prior = [1 - at / 10 for at in range(len(TEXTS))]
    reports = []
    for number in range(40):
        found = reranked(f"q{number}", fused(*prior), reranker, 50)
        reports.append(found.report)
        for one in found.results.values():
            assert one.weight <= MOST_WEIGHT
    assert "not asked to judge any more" in (reports[-1].fallback or "")
    assert len(chat.asked) < 2 * len(reports)


def test_comparisons_count_only_pairs_that_both_tell_apart() -> None:
    def said(*scores: float) -> list[RerankResult]:
        return [
            RerankResult(chunk_id=UUID(int=at), relevance_score=one, answerability=False, key_evidence="")
            for at, one in enumerate(scores)
        ]

    assert comparisons(said(3, 2, 1), said(3, 1, 1)) == (2, 0)
    assert comparisons(said(3, 2, 1), said(1, 2, 3)) == (0, 3)
    assert comparisons(said(5, 5), said(1, 2)) == (0, 0)
    assert Comparisons(2, 2).agreement == 0.5
    assert Comparisons().agreement == 0


def test_no_question_is_lost_between_threads() -> None:
    reliability = Reliability("judge")
    threads = [Thread(target=lambda: [reliability.weight(7, 3) for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with pytest.raises(UnsteadyModelError, match="of 10 comparisons"):
        reliability.weight(0, 10)
    reliability.require()
    assert LEAST_AGREEMENT < 5600 / 8010
    assert issubclass(UnsteadyModelError, ChatError)
