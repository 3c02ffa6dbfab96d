"""``python -m benchmarks.coverage --data FOLDER``: whether a library is said to cover a question that it answers.

Half of each public set is put into a library; its questions are asked, those that this half answers and those that only
the other half does. Half of the questions of either kind fit the weights and thresholds of
``webrag_desktop/expansion/coverage.py`` (printed, to be written there), and the other half is judged by those that
stand there. Texts near the topic of every question stay in the library where documents are halved in pieces. The exit
status is 1 where more than a tenth of the questions that the library does not answer are called covered, or more than a
tenth of those that it answers missing, all sets together.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from benchmarks.coverage_parts.fitting import Examples, fitted, signals_of, tuned
from benchmarks.coverage_parts.halves import WAYS, HalvedSet, Way
from benchmarks.measuring import EMBEDDED, table
from benchmarks.retrieval_quality_parts.evaluation_sets import EvaluationSet
from benchmarks.retrieval_quality_parts.products import HYBRID, WORDS_ONLY, Cut, Search, indexed
from benchmarks.retrieval_quality_parts.vectors import KeptVectors
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.expansion.contracts import Verdict
from webrag_desktop.expansion.coverage import (
    WITH_MEANING,
    WORDS_ALONE,
    Signals,
    Weights,
    judge_coverage,
)

QUESTIONS = 400  # of either kind and set; half fit, half are reported
MOST_WRONG = 0.1
RESAMPLED = 10_000
ARMS = {HYBRID: WITH_MEANING, WORDS_ONLY: WORDS_ALONE}


@dataclass(frozen=True, slots=True)
class Judged:
    """A question, whether the library answers it, and what is made of it; ``held_out`` ones fitted nothing."""

    data: str
    answered: bool
    held_out: bool
    signals: Signals | None
    verdict: Verdict


def judged(way: Way, folder: Path, embedder: Embedder, count: int) -> dict[str, list[Judged]]:
    """Every question of a set, by the arms of the search."""
    data = way.halved(folder, count)
    texts = EvaluationSet(data.name, data.documents, ())
    with indexed(texts, Cut(256, header=True), embedder) as library:
        asked = [*data.answered, *data.unanswered]
        found = {arms: library.results(asked, Search(arms, {})) for arms in ARMS}
    return {
        arms: [
            Judged(
                data.name, answered, held_out, signals_of(text, result), judge_coverage(text, result).verdict
            )
            for (text, answered, held_out), result in zip(_reported(data), results, strict=True)
        ]
        for arms, results in found.items()
    }


def _reported(data: HalvedSet) -> Iterable[tuple[str, bool, bool]]:
    for questions, answered in ((data.answered, True), (data.unanswered, False)):
        yield from ((question, answered, bool(number % 2)) for number, question in enumerate(questions))


# -- Rates -------------------------------------------------------------------------------------------------------

VERDICTS: tuple[Verdict, ...] = ("covered", "unclear", "missing")


def rates(of: Sequence[Judged]) -> list[tuple[object, ...]]:
    """The share of each verdict, among the questions that the library answers and those that it does not."""
    sets = list(dict.fromkeys(one.data for one in of))
    rows: list[tuple[object, ...]] = []
    for name in (*sets, "all sets together"):
        for answered in (True, False):
            held = [one for one in of if one.answered is answered and name in (one.data, "all sets together")]
            shares = [_share([one.verdict == verdict for one in held]) for verdict in VERDICTS]
            rows.append((name, "there" if answered else "not there", len(held), *shares))
    return rows


def _share(hits: Sequence[bool]) -> str:
    """A share in %, with its 95 % interval by Wilson."""
    count, hit, z = len(hits), sum(hits), 1.96
    middle = (hit + z * z / 2) / (count + z * z)
    half = z * (hit * (count - hit) / count + z * z / 4) ** 0.5 / (count + z * z)
    return f"{100 * hit / count:.1f} ({100 * (middle - half):.1f} to {100 * (middle + half):.1f})"


def wrong(of: Sequence[Judged], answered: bool, verdict: Verdict) -> float:
    """The share of a wrong verdict among all sets together."""
    held = [one.verdict == verdict for one in of if one.answered is answered]
    return sum(held) / len(held)


def areas(of: Sequence[Judged], weights: Weights) -> list[tuple[object, ...]]:
    """How well the score, and each signal alone, tells the questions apart: the area under the ROC curve."""
    rows: list[tuple[object, ...]] = []
    for name in dict.fromkeys(one.data for one in of):
        here = [one for one in of if one.data == name]
        truth = np.array([one.answered for one in here])
        by = [[weights.score(one.signals) if one.signals else 0.0 for one in here]]
        by += [
            [(getattr(one.signals, signal) or 0.0) if one.signals else 0.0 for one in here]
            for signal in Signals._fields
        ]
        rows.append((name, *(f"{_area(truth, np.array(values)):.3f}" for values in by)))
    return rows


def _area(truth: NDArray[np.bool_], values: NDArray[np.float64]) -> float:
    pairs = values[truth][:, None] - values[~truth][None, :]
    return float(((pairs > 0) + 0.5 * (pairs == 0)).mean())


def _examples(of: Sequence[Judged]) -> Examples:
    return Examples.of([(one.data, one.answered, one.signals) for one in of if not one.held_out])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the public evaluation sets")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of either kind and set")
    parser.add_argument(
        "--sets", nargs="+", choices=[way.key for way in WAYS], default=[way.key for way in WAYS]
    )
    parser.add_argument("--cache", type=Path, default=user_cache_path("webrag-benchmarks", appauthor=False))
    return parser.parse_args()


def main() -> int:
    """Print the tables, and tell by the exit status whether few enough questions are judged wrongly."""
    arguments = _arguments()
    embedder = KeptVectors(open_embedder(resolve(EMBEDDED), EMBEDDED), arguments.cache)
    found: dict[str, list[Judged]] = {arms: [] for arms in ARMS}
    for way in (way for way in WAYS if way.key in arguments.sets):
        for arms, rows in judged(way, arguments.data, embedder, arguments.questions).items():
            found[arms] += rows
        print(f"{way.name}: asked", file=sys.stderr, flush=True)
    embedder.close()
    too_many = False
    for arms, rows in found.items():
        held_out = [one for one in rows if one.held_out]
        head = ("set", "answer", "questions", *(f"{verdict}, %" for verdict in VERDICTS))
        print(table(f"{arms}: verdicts on held-out questions (95 % intervals)", head, rates(held_out)))
        head = ("set", "score", *Signals._fields)
        print(
            table(f"{arms}: area under the ROC curve, held-out questions", head, areas(held_out, ARMS[arms]))
        )
        examples = _examples(rows)
        print(f"{arms}, fitted on the other half: {tuned(fitted(examples, arms == HYBRID), examples)}\n")
        too_many |= max(wrong(held_out, False, "covered"), wrong(held_out, True, "missing")) > MOST_WRONG
    return int(too_many)


if __name__ == "__main__":
    sys.exit(main())
