"""Whether what a search found covers its question, judged from the search alone.

Which of these predict it was measured: docs/decisions/0034-coverage.md.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from webrag_desktop.expansion.contracts import Coverage, JudgedBy, Verdict
from webrag_desktop.expansion.question_words import QuestionWords
from webrag_desktop.retrieval.contracts.question_terms import share
from webrag_desktop.retrieval.contracts.results import RetrievalResult, RetrievedChunk
from webrag_desktop.text.printable import title_line

PASSAGES_READ = 3  # the best ones: further down, every word occurs somewhere, in another context
SPANS_READ = 10


class Signals(NamedTuple):
    """What a result says about its question, each in [0, 1].

    How much of what the question's words are worth the best passage holds (``passage``), and one of the best sentences
    (``sentence``); the ``evidence``, which is that sentence's score; how ``near`` in meaning the nearest passage is,
    None where nothing was compared; how far both arms of the search ``agree`` that the best passage is the best.
    """

    passage: float
    sentence: float
    evidence: float
    near: float | None
    agree: float


class Weights(NamedTuple):
    """What each signal counts, in logits, and where the verdicts part."""

    base: float
    passage: float
    sentence: float
    evidence: float
    near: float
    agree: float
    covered: float
    missing: float

    def score(self, signals: Signals) -> float:
        """How likely the question is covered."""
        counted = zip(self[1:6], signals, strict=True)
        logit = self.base + math.fsum(weight * (value or 0.0) for weight, value in counted)
        return 1 / (1 + math.exp(-logit))

    def verdict(self, score: float) -> Verdict:
        """Which verdict such a score makes."""
        if score >= self.covered:
            return "covered"
        return "missing" if score < self.missing else "unclear"


# Fitted and tuned on one half of the questions of benchmarks/coverage.py, which reports the other.
WITH_MEANING: Final = Weights(-5.8, 1.1, 1.0, 3.2, 1.3, 2.6, covered=0.75, missing=0.3)
WORDS_ALONE: Final = Weights(-3.5, 4.4, 2.0, 0.0, 0.0, 0.0, covered=0.7, missing=0.25)


def question_words(question: str, result: RetrievalResult) -> QuestionWords:
    """The question's words, as the search looked for them."""
    return QuestionWords(question, [chunk.sought_terms for chunk in result.chunks], result.corrections)


def judge_coverage(
    question: str, result: RetrievalResult, nearness: Callable[[float], float] = float
) -> Coverage:
    """Judge whether the result holds what answers the question; nothing is asked of a model.

    ``nearness`` puts a cosine on the scale of all models (:meth:`.EmbeddingModel.nearness`).

    A result without passages leaves everything missing. A reranker's judgement, where the result has one, settles what
    the search leaves unclear: one passage that answers it covers it.
    """
    words = question_words(question, result)
    if not result.chunks:
        return Coverage(
            verdict="missing",
            score=0.0,
            share_of_words=0.0,
            missing_words=words.words,
            explanation="Nothing in the library matches the question.",
        )
    read = Reading(words, result)
    signals = read.signals(nearness)
    weights = WORDS_ALONE if signals.near is None else WITH_MEANING
    score = weights.score(signals)
    verdict, by = _settled(weights.verdict(score), result.chunks)
    return Coverage(
        verdict=verdict,
        score=score,
        share_of_words=read.share_of_words,
        missing_words=read.missing_words,
        documents_matched=len(result.corpus_stats.documents_matched),
        explanation=explained(verdict, read.reasons(signals, by)),
        by=by,
    )


def judged_by_model(coverage: Coverage, answers: bool, lacks: str = "") -> Coverage:
    """The coverage as a chat model says it: whether the passages answer the question, and what they lack."""
    judgement = "The chat model read the passages and says that they answer it."
    if not answers:
        lacking = title_line(lacks)[:LONGEST_LACKING]
        judgement = "The chat model read the passages and says that they do not answer it" + (
            f": they lack “{lacking}”." if lacking else "."
        )
    verdict: Verdict = "covered" if answers else "missing"
    _, _, reasons = coverage.explanation.partition(". ")
    update = {"verdict": verdict, "by": "model", "explanation": explained(verdict, [judgement, reasons])}
    return coverage.model_copy(update=update)


LONGEST_LACKING = 200  # characters of what a model says

_SAID: Final[dict[Verdict, str]] = {
    "covered": "The library seems to answer this.",
    "unclear": "The library may answer this, or only a part of it.",
    "missing": "The library does not seem to answer this.",
}


def explained(verdict: Verdict, reasons: Sequence[str]) -> str:
    """A verdict and its reasons, in whole sentences."""
    return " ".join(filter(None, (_SAID[verdict], *reasons)))


def _settled(verdict: Verdict, chunks: Sequence[RetrievedChunk]) -> tuple[Verdict, JudgedBy]:
    answers = [chunk.answerability for chunk in chunks if chunk.answerability is not None]
    if verdict != "unclear" or not answers:
        return verdict, "search"
    return ("covered" if any(answers) else "missing"), "model"


class Reading:
    """What the passages of a result hold of the question's words."""

    def __init__(self, words: QuestionWords, result: RetrievalResult) -> None:
        self._words = words
        self._documents = len(result.corpus_stats.documents_matched)
        self._best_first = sorted(result.chunks, key=lambda chunk: (-chunk.rank_score, chunk.chunk_id))
        self._held = words.held_by([chunk.chunk_text for chunk in self._best_first])
        self._worth = words.worth(self._held)
        together = frozenset[str]().union(*self._held[:PASSAGES_READ])
        self.share_of_words = share(together, self._worth)
        self.missing_words = tuple(word for word in words.words if word not in together)

    def signals(self, nearness: Callable[[float], float] = float) -> Signals:
        """What is weighed."""
        best = self._best_first[0]
        spans = [span for chunk in self._best_first for span in chunk.matched_spans]
        spans.sort(key=lambda span: -span.score)
        sentences = self._words.held_by([span.text for span in spans[:SPANS_READ]])
        nearest = [chunk.score_vec for chunk in self._best_first if chunk.score_vec is not None]
        return Signals(
            passage=share(self._held[0], self._worth),
            sentence=max((share(held, self._worth) for held in sentences), default=0.0),
            evidence=spans[0].score if spans else 0.0,
            near=nearness(max(0.0, *nearest)) if nearest else None,
            agree=((best.rank_vec == 1) + (best.rank_text == 1)) / 2,
        )

    def reasons(self, signals: Signals, by: JudgedBy) -> list[str]:
        """Why, in whole sentences."""
        return [
            *([_JUDGED] if by == "model" else []),
            self._about_words(),
            *(["Only words were compared, not the meaning."] if signals.near is None else []),
            f"{_counted(self._documents, 'document')} gave passages.",
        ]

    def _about_words(self) -> str:
        best = self._best_first[0]
        name = f"“{title_line(best.title or best.source_url)[:_LONGEST_NAME]}”"
        lacking = [word for word in self._words.words if word not in self._held[0]]
        if not self._words.words:
            return f"The best passage, of {name}, was found by its meaning alone."
        if not lacking:
            return f"The best passage, of {name}, holds all words of the question."
        sentence = f"The best passage, of {name}, lacks {_named(lacking)}"
        elsewhere = [word for word in lacking if word not in self.missing_words]
        if not self.missing_words:
            return f"{sentence}, which the next best ones hold."
        return (
            f"{sentence}; the next best ones hold {_named(elsewhere)}."
            if elsewhere
            else f"{sentence}, and so do the next best ones."
        )


_JUDGED = "The model that judged the passages says whether one answers it."
_LONGEST_NAME = 80
_MOST_NAMED = 6


def _named(words: Sequence[str]) -> str:
    shown = [f"“{word}”" for word in words[:_MOST_NAMED]]
    more = len(words) - len(shown)
    return ", ".join(shown) + (f" and {more} more words" if more else "")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
