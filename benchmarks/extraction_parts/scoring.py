"""How much of a gold text was found and how much was added: by four-word shingles, and by single words."""

import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_WORD = re.compile(r"\w+")
SHINGLE = 4  # words, as in the public article extraction benchmark
_DRAWS = 2_000
Interval = tuple[float, float]


@dataclass(frozen=True)
class Overlap:
    """Shares of all shingles of one page, so that a long page weighs no more than a short one."""

    hit: float
    extra: float
    missing: float

    @property
    def precision(self) -> float:
        """Share of what was extracted that belongs there; 1 where both texts are empty."""
        return self.hit / (self.hit + self.extra) if self.hit + self.extra else float(not self.missing)

    @property
    def recall(self) -> float:
        """Share of what belongs there that was extracted; 1 where both texts are empty."""
        return self.hit / (self.hit + self.missing) if self.hit + self.missing else float(not self.extra)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall of this page."""
        return harmonic_mean(self.precision, self.recall)


@dataclass(frozen=True)
class Score:
    """Means over pages. ``f1`` is the harmonic mean of the mean precision and the mean recall."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """What gold sets of articles are judged by."""
        return harmonic_mean(self.precision, self.recall)


def words(text: str) -> list[str]:
    """Runs of word characters, in their order."""
    return _WORD.findall(text)


def overlap(gold: str, found: str, size: int = SHINGLE) -> Overlap:
    """Compare two texts by shingles of ``size`` words, each counted as often as it occurs."""
    expected, given = _shingles(gold, size), _shingles(found, size)
    hit = (expected & given).total()
    extra, missing = given.total() - hit, expected.total() - hit
    whole = max(1, hit + extra + missing)
    return Overlap(hit / whole, extra / whole, missing / whole)


def score(overlaps: Sequence[Overlap]) -> Score:
    """Over pages: precision of those with any text, recall of those with any gold text."""
    precisions = [page.precision for page in overlaps if page.hit + page.extra]
    recalls = [page.recall for page in overlaps if page.hit + page.missing]
    return Score(statistics.fmean(precisions or [0.0]), statistics.fmean(recalls or [0.0]))


def f1_intervals(ours: Sequence[Overlap], theirs: Sequence[Overlap]) -> tuple[Interval, Interval]:
    """95 % intervals of their F1 and of how far ours is above it, by bootstrap over the pages both read."""
    drawn = np.random.default_rng(1).integers(len(theirs), size=(_DRAWS, len(theirs)))
    their_f1 = _f1_of_draws(theirs, drawn)
    return _middle(their_f1), _middle(_f1_of_draws(ours, drawn) - their_f1)


def _f1_of_draws(overlaps: Sequence[Overlap], drawn: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """What :func:`score` gives for each draw of pages."""
    precisions = np.array([page.precision if page.hit + page.extra else np.nan for page in overlaps])[drawn]
    recalls = np.array([page.recall if page.hit + page.missing else np.nan for page in overlaps])[drawn]
    precision, recall = (_means(shares) for shares in (precisions, recalls))
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)


def _means(shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    counted = np.count_nonzero(~np.isnan(shares), axis=1)
    means: npt.NDArray[np.float64] = np.nansum(shares, axis=1) / np.maximum(1, counted)
    return means


def _middle(values: npt.NDArray[np.float64]) -> Interval:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def harmonic_mean(first: float, second: float) -> float:
    """0 where either is 0."""
    return 2 * first * second / (first + second) if first and second else 0.0


def _shingles(text: str, size: int) -> Counter[tuple[str, ...]]:
    found = words(text)
    starts = range(max(1, len(found) - size + 1)) if found else range(0)
    return Counter(tuple(found[start : start + size]) for start in starts)
