"""What a ranking is worth: characters found within so many characters, at five chunks, and documents by rank."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.embedding_parts.scifact import difference_interval, ndcg
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet, Piece, Question, total_length

BUDGETS = (2000, 4000, 8000)  # characters
FIVE = 5
DEEP = 100  # documents
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One question's answer: ``pieces`` in the order in which they would be read.

    ``chunks`` are the units that "at five" counts, ``documents`` the documents best first.
    """

    pieces: tuple[Piece, ...]
    chunks: tuple[Piece, ...]
    documents: tuple[str, ...]

    @classmethod
    def of_chunks(cls, chunks: Sequence[Piece]) -> "Ranking":
        """Of a system whose chunks are all it returns."""
        found = tuple(chunks)
        return cls(found, found, tuple(dict.fromkeys(piece.document for piece in found)))


def scores(data: EvaluationSet, rankings: Sequence[Ranking]) -> dict[str, Scores]:
    """Every metric that the set allows, one value per judged question, in percent."""
    pairs = list(zip(data.questions, rankings, strict=True))
    judged = [(question, ranking) for question, ranking in pairs if question.answers]
    found = {
        f"R@{budget}c": _percent(
            recall(within(ranking.pieces, budget), question.answers) for question, ranking in judged
        )
        for budget in BUDGETS
    }
    if data.task == "documents":
        return _document_scores(pairs) | (found if judged else {})
    at_five = np.array(
        [chunk_scores(ranking.chunks[:FIVE], question.answers) for question, ranking in judged]
    )
    names = ("recall@5", "precision@5", "IoU@5")
    return found | {name: 100 * at_five[:, column] for column, name in enumerate(names)}


def _document_scores(pairs: Sequence[tuple[Question, Ranking]]) -> dict[str, Scores]:
    return {
        "nDCG@10": _percent(ndcg(ranking.documents, question.relevant) for question, ranking in pairs),
        f"Recall@{DEEP}": _percent(
            len(question.relevant & set(ranking.documents[:DEEP])) / len(question.relevant)
            for question, ranking in pairs
        ),
    }


def _percent(values: Iterable[float]) -> Scores:
    return 100 * np.fromiter(values, dtype=np.float64)


def within(pieces: Sequence[Piece], budget: int) -> list[Piece]:
    """The first ``budget`` characters; the last piece is cut where they end."""
    kept: list[Piece] = []
    for piece in pieces:
        if budget <= 0:
            break
        taken = min(piece.end - piece.start, budget)
        kept.append(piece._replace(end=piece.start + taken))
        budget -= taken
    return kept


def recall(pieces: Sequence[Piece], answers: Sequence[Piece]) -> float:
    """The share of the answers' characters that the pieces hold."""
    return _covered(pieces, answers) / _distinct(answers)


def chunk_scores(pieces: Sequence[Piece], answers: Sequence[Piece]) -> tuple[float, float, float]:
    """Recall, precision and intersection over union in characters; overlap between pieces counts against them."""
    covered, wanted, returned = _covered(pieces, answers), _distinct(answers), total_length(pieces)
    return covered / wanted, covered / returned if returned else 0.0, covered / (returned + wanted - covered)


def _covered(pieces: Sequence[Piece], answers: Sequence[Piece]) -> int:
    wanted = merged(answers)
    return sum(
        max(0, min(end, answer_end) - max(start, answer_start))
        for document, spans in merged(pieces).items()
        for start, end in spans
        for answer_start, answer_end in wanted.get(document, ())
    )


def _distinct(pieces: Sequence[Piece]) -> int:
    return sum(end - start for spans in merged(pieces).values() for start, end in spans)


def merged(pieces: Sequence[Piece]) -> Mapping[str, list[tuple[int, int]]]:
    """By document, the spans that the pieces cover, in order and without overlap."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for document, start, end in sorted(pieces):
        spans = found[document]
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return found


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of one system above another on the same questions, with its 95 % interval."""

    mean: float
    low: float
    high: float

    @classmethod
    def between(cls, one: Scores, other: Scores) -> "Difference":
        """By paired bootstrap: questions are drawn again, both systems measured on the same draw."""
        return cls(float((one - other).mean()), *difference_interval(one, other))

    @property
    def verdict(self) -> str:
        """What may be said of it."""
        return "better" if self.low > 0 else "worse" if self.high < 0 else "within noise"
