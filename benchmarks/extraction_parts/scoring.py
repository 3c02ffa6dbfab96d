"""How much of a gold text was found and how much was added: by four-word shingles, and by single words."""

import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"\w+")
SHINGLE = 4  # words, as in the public article extraction benchmark


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


def harmonic_mean(first: float, second: float) -> float:
    """0 where either is 0."""
    return 2 * first * second / (first + second) if first and second else 0.0


def _shingles(text: str, size: int) -> Counter[tuple[str, ...]]:
    found = words(text)
    starts = range(max(1, len(found) - size + 1)) if found else range(0)
    return Counter(tuple(found[start : start + size]) for start in starts)
