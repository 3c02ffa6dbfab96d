"""Weights and thresholds of coverage, from questions whose answer is known to be there or not."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from webrag_desktop.expansion.coverage import Reading, Signals, Weights, question_words
from webrag_desktop.retrieval.contracts.results import RetrievalResult

SHRINKAGE = 1.0  # of every weight but the base
STEPS = 60
MOST_COVERED_WRONGLY = 0.1  # of the questions that are not answered, all sets counting alike
MOST_MISSING_WRONGLY = 0.05  # of those that are

# What tells of the words alone; the score of a sentence then says nothing that these do not.
WORDS = frozenset({"passage", "sentence"})

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Examples:
    """Signals with whether the question is answered; each set counts as much, and either kind of question in it.

    Where nothing was found the verdict needs no weights: such questions are left out of ``signals``, not of ``counts``.
    """

    signals: Floats
    answered: Floats
    counts: Floats

    @classmethod
    def of(cls, rows: Sequence[tuple[str, bool, Signals | None]]) -> Self:
        """From a set's name, whether it is answered, and its signals."""
        alike = Counter((data, answered) for data, answered, _ in rows)
        sets = len({data for data, _ in alike})
        found = [
            (signals, answered, 1 / sets / alike[data, answered])
            for data, answered, signals in rows
            if signals
        ]
        signals = np.array([[value or 0.0 for value in one] for one, _, _ in found])
        return cls(
            signals, np.array([float(one) for _, one, _ in found]), np.array([one for *_, one in found])
        )


def fitted(examples: Examples, meaning: bool) -> Weights:
    """Logistic regression by Newton's method; without ``meaning`` what only it tells counts nothing."""
    used = [place for place, name in enumerate(Signals._fields) if meaning or name in WORDS]
    columns = np.column_stack([np.ones(len(examples.signals)), examples.signals[:, used]])
    counts = examples.counts / examples.counts.mean()
    ridge = np.diag([0.0] + [SHRINKAGE] * len(used))
    weights = np.zeros(columns.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-columns @ weights))
        gradient = columns.T @ (counts * (likely - examples.answered)) + ridge @ weights
        curvature = (columns.T * (counts * likely * (1 - likely))) @ columns + ridge
        weights -= np.linalg.solve(curvature, gradient)
    of_all = np.zeros(1 + len(Signals._fields))
    of_all[[0, *(place + 1 for place in used)]] = weights
    return Weights._make([*(round(float(one), 1) for one in of_all), 1.0, 0.0])


def signals_of(question: str, result: RetrievalResult) -> Signals | None:
    """The basis of a judgement; None where nothing was found."""
    return Reading(question_words(question, result), result).signals() if result.chunks else None


def tuned(weights: Weights, examples: Examples) -> Weights:
    """The same with the widest verdicts that are as seldom wrong as they may be."""
    scores = np.array([weights.score(Signals(*one)) for one in examples.signals])
    steps = np.arange(0.05, 1.0, 0.05)

    def share(kind: float, hit: NDArray[np.bool_]) -> float:
        return float(examples.counts[(examples.answered == kind) & hit].sum())

    covered = min((at for at in steps if share(0.0, scores >= at) <= MOST_COVERED_WRONGLY), default=1.0)
    missing = max((at for at in steps if share(1.0, scores < at) <= MOST_MISSING_WRONGLY), default=0.0)
    covered = round(float(covered), 2)
    return weights._replace(covered=covered, missing=min(round(float(missing), 2), covered))
