"""Whether a chat model's comparisons hold when the passages come in reverse, and how much they count then.

Small models name what stands first or last, whatever it says. Asked twice, in both orders, such a model turns its own
comparisons round; what it says counts the less the more of them it turns, and beyond a limit it is not asked any more.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from threading import Lock
from typing import NamedTuple

from webrag_desktop.errors import ChatError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.reranking.llm import LlmReranker, Question

LEAST_AGREEMENT = 0.65  # the share of comparisons that must hold; a model that guesses reaches about half
MOST_WEIGHT = 0.5  # of a model all of whose comparisons hold, the search having the rest
ENOUGH_QUESTIONS = 4  # before a model is given up
_HINT = "Search without reranking, or let a more able model judge (RETRIEVAL_RERANK_MODEL)."


class UnsteadyModelError(ChatError):
    """The model contradicts itself when the passages come in another order."""


class Comparisons(NamedTuple):
    """How many comparisons held when they were asked in reverse, and how many were turned round."""

    same: int = 0
    turned: int = 0

    @property
    def agreement(self) -> float:
        """The share that held, 0 where the model told no two passages apart."""
        return self.same / (self.same + self.turned) if self.same + self.turned else 0.0

    def and_more(self, other: "Comparisons") -> "Comparisons":
        """Both together."""
        return Comparisons(self.same + other.same, self.turned + other.turned)


class Reliability:
    """What was learned of one model since the program started; may be used from several threads."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._lock = Lock()
        self._questions = 0
        self._all = Comparisons()

    def require(self) -> None:
        """Raise UnsteadyModelError where the model was asked often enough and contradicted itself too often."""
        with self._lock:
            questions, so_far = self._questions, self._all
        if questions >= ENOUGH_QUESTIONS and so_far.agreement < LEAST_AGREEMENT:
            raise UnsteadyModelError(
                f"The chat model {self._model} is not asked to judge any more, since {_contradictions(so_far)} over "
                f"{questions} questions.",
                _HINT,
            )

    def weight(self, same: int, turned: int) -> float:
        """How much the judgement of one question counts, from these comparisons and all before; above 0.

        Raises:
            UnsteadyModelError: too few comparisons held for it to count.
        """
        now = Comparisons(same, turned)
        with self._lock:
            self._questions += 1
            self._all = self._all.and_more(now)
            agreement = min(now.agreement, self._all.agreement)
        if agreement < LEAST_AGREEMENT:
            raise UnsteadyModelError(
                f"The chat model {self._model} contradicts itself: {_contradictions(now)}.", _HINT
            )
        return MOST_WEIGHT * (2 * agreement - 1)


def _contradictions(compared: Comparisons) -> str:
    if not sum(compared):
        return "it told no two passages apart that it told apart when they came in reverse"
    return f"it turned round {compared.turned:,} of {sum(compared):,} comparisons when the passages came in reverse"


def comparisons(one: Sequence[RerankResult], other: Sequence[RerankResult]) -> Comparisons:
    """Compares two judgements of the same passages, given in the same order, by every pair that both tell apart."""
    same = turned = 0
    for first, second in combinations(range(len(one)), 2):
        apart = one[first].relevance_score - one[second].relevance_score
        again = other[first].relevance_score - other[second].relevance_score
        same += apart * again > 0
        turned += apart * again < 0
    return Comparisons(same, turned)


Comparing = Callable[
    [LlmReranker, Question, Sequence[RerankCandidate]], tuple[list[RerankResult], Comparisons]
]
"""Asks a model about the passages of a question in two orders: a judgement of each, and which comparisons held."""


def both_orders(
    judge: LlmReranker, question: Question, judged: Sequence[RerankCandidate]
) -> tuple[list[RerankResult], Comparisons]:
    """All passages judged as they come and in reverse; scores are the means, a passage answers where both say so."""
    results = judge.judge(question, judged)
    if len(judged) < 2:  # nothing to put in order
        return results, Comparisons()
    again = judge.judge(question, judged[::-1])[::-1]
    return list(map(_mean, results, again)), comparisons(results, again)


class ConsistentReranker:
    """A :class:`~webrag_desktop.retrieval.contracts.judgements.Reranker` that asks a chat model in two orders.

    How much its scores count beside the search is :meth:`Reliability.weight`.
    """

    def __init__(
        self, judge: LlmReranker, compare: Comparing = both_orders, reliability: Reliability | None = None
    ) -> None:
        """``compare`` says which passages are judged together; ``judge`` asks in a form that it can read."""
        self._judge = judge
        self._compare = compare
        self._reliability = reliability or Reliability(judge.model)

    @property
    def model(self) -> str:
        """The chat model's name."""
        return self._judge.model

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        """Judgements of the leading candidates, as many as the config allows, by falling relevance.

        Raises:
            ChatError: the model cannot be reached, is late, gave an unusable judgement, or contradicts itself.
            Cancelled: ``cancel`` was set.
        """
        self._reliability.require()
        question, judged = self._judge.question(query, cancel), self._judge.leading(candidates)
        results, compared = self._compare(self._judge, question, judged)
        if len(judged) > 1:
            weight = self._reliability.weight(*compared)
            results = [one.model_copy(update={"weight": weight}) for one in results]
        return sorted(results, key=lambda result: -result.relevance_score)


def _mean(one: RerankResult, again: RerankResult) -> RerankResult:
    quoting = one if one.key_evidence or not again.key_evidence else again
    return RerankResult(
        chunk_id=one.chunk_id,
        relevance_score=(one.relevance_score + again.relevance_score) / 2,
        answerability=one.answerability and again.answerability,
        key_evidence=quoting.key_evidence,
        evidence_dropped=quoting.evidence_dropped,
    )
