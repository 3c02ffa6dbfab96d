"""Which children may hold a quotation: those that hold most of what its rarest words are worth, or neighbours do."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from webrag_desktop.retrieval.lexeme_scores import postings_of
from webrag_desktop.storage.searching.quotes import RareWords

# Of each language. Any of them may be the one that is misquoted, or that markup tears apart in the text.
MOST_WORDS = 16
FEW_POSTINGS = 40_000  # once so many are read, commoner words tell little more

_AT_LEAST_SO_MANY = 50  # children

Held = npt.NDArray[np.uint32]  # of each child the words that it holds, a bit for each
_BYTE = np.arange(256)


@dataclass(frozen=True, slots=True)
class Votes:
    """Children of one language that hold words of a quotation: by ordinal, which ones, and what these are worth.

    ``worth`` holds what each word is worth; together that is 1, less what words are worth that nobody holds, and more
    where words are held in several forms. ``reached`` is what a child and those after it hold, as many as the quotation
    may stretch over.
    """

    ordinals: npt.NDArray[np.int64]
    held: Held
    reached: npt.NDArray[np.float64]
    worth: tuple[float, ...]

    def best(self, wanted: int, least: float, most: int) -> dict[int, int]:
        """The children of the best stretches, and which words each holds.

        ``wanted`` stretches at least ``least`` good, and all that are as good as the last of them, the first ``most``
        in the library.
        """
        good = np.flatnonzero(self.reached >= least)
        if len(good) > wanted:
            limit = np.partition(self.reached[good], len(good) - wanted)[len(good) - wanted]
            good = good[self.reached[good] >= limit]
        if len(good) > most:
            order = np.argsort(-self.reached[good], kind="stable")[:most]
            good = good[np.sort(order)]
        return dict(zip(self.ordinals[good].tolist(), self.held[good].tolist(), strict=True))

    def worth_of(self, held: int) -> float:
        """What these words are worth, at most 1."""
        return min(1.0, sum(worth for bit, worth in enumerate(self.worth) if held >> bit & 1))


def count_votes(words: RareWords, stretch: int) -> Votes | None:
    """Who holds the words, where a quotation may stretch over so many children; None where nobody does.

    Children that follow each other in a document mostly have ordinals that do.
    """
    found = [postings_of(stretches)["ordinal"].astype(np.int64) for stretches in words.postings.values()]
    if not found:
        return None
    low = min(int(ordinals[0]) for ordinals in map(np.sort, found))
    size = max(int(ordinals.max()) for ordinals in found) - low + 1
    held: Held = np.zeros(size, np.uint32)
    for bit, ordinals in enumerate(found):
        held[ordinals - low] |= np.uint32(1 << bit)
    gone = np.asarray(words.removed, np.int64) - low
    held[gone[(gone >= 0) & (gone < size)]] = 0
    weights = [_weight(words.children, len(ordinals)) for ordinals in found]
    given = [
        weight for weight, term in zip(weights, words.postings, strict=True) if term not in words.other_forms
    ]
    everything = sum(given) + (words.asked - words.held) * _weight(words.children, 0)
    worth = tuple(weight / everything for weight in weights)
    holders = np.flatnonzero(held)
    reached = _worth(_reaching(held, stretch)[holders], worth)
    return Votes(holders + low, held[holders], reached, worth)


def _weight(children: int, holding: int) -> float:
    """How much a word tells that so many of the children hold: even in a small library one that all hold tells some."""
    return math.log1p((children + _AT_LEAST_SO_MANY) / (holding + 0.5))


def _reaching(held: Held, stretch: int) -> Held:
    """What each child and those after it hold, ``stretch`` children in all."""
    reaching, covered = held.copy(), 1
    while covered < stretch:
        step = min(covered, stretch - covered)
        if step >= len(held):
            break
        reaching[:-step] |= reaching[step:].copy()
        covered += step
    return reaching


def _worth(held: Held, worth: Sequence[float]) -> npt.NDArray[np.float64]:
    """What the words of each are worth; looked up for eight words at a time."""
    tables = (
        reduce(
            np.add,
            (np.where(_BYTE >> bit & 1, one, 0.0) for bit, one in enumerate(worth[first : first + 8])),
        )
        for first in range(0, len(worth), 8)
    )
    return sum(
        (table[held >> np.uint32(8 * number) & np.uint32(255)] for number, table in enumerate(tables)),
        np.zeros(len(held)),
    )
