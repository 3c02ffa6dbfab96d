"""Searches a quotation in all texts that a library shows: candidates by its rarest words, then word by word."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webrag_desktop.citations.matching import faithful_places, find_quote
from webrag_desktop.citations.reading import WordIndex
from webrag_desktop.models.quotes import QuotePlace
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.posting_arrays import postings_of
from webrag_desktop.retrieval.quotes.passages import Passage, Places, Quotation, passages_of
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.quotes import (
    ChunkRun,
    PlacedChild,
    RareWords,
    TextAround,
    placed_children,
    rare_words,
    shown_versions,
    texts_around,
)
from webrag_desktop.text.canonical.lookalikes import read_alike

# Of each language. Any of them may be the one that is misquoted, or that markup tears apart in the text.
MOST_WORDS = 16
FEW_POSTINGS = 40_000  # after so many, commoner words hardly narrow the search

_AT_LEAST_SO_MANY = 50  # children

Held = npt.NDArray[np.uint32]  # of each child the words that it holds, a bit for each
_BYTE = np.arange(256)


@dataclass(frozen=True, slots=True)
class Votes:
    """Children of one language that contain words of a quotation: by ordinal, which words, and their weight.

    ``worth`` holds the weight of each word; together that is 1, less the weight of words that no child contains, and
    more where words occur in several forms. ``reached`` is the weight of a child and those after it, as many as the
    quotation may extend over.
    """

    ordinals: npt.NDArray[np.int64]
    held: Held
    reached: npt.NDArray[np.float64]
    worth: tuple[float, ...]

    def best(self, wanted: int, least: float, most: int) -> dict[int, int]:
        """The children of the best runs, and which words each contains.

        ``wanted`` runs at least ``least`` good, and all that are as good as the last of them, the first ``most``
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
        """The weight of these words, at most 1."""
        return min(1.0, sum(worth for bit, worth in enumerate(self.worth) if held >> bit & 1))


def count_votes(words: RareWords, width: int) -> Votes | None:
    """The children with words of a quotation that may extend over ``width`` children; None if there are none.

    Children that follow each other in a document mostly have ordinals that do.
    """
    found = [postings_of(segments)["ordinal"].astype(np.int64) for segments in words.postings.values()]
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
    reached = _worth(_reaching(held, width)[holders], worth)
    return Votes(holders + low, held[holders], reached, worth)


def _weight(children: int, holding: int) -> float:
    """The weight of a word that ``holding`` children contain: above 0 even in a small library where all do."""
    return math.log1p((children + _AT_LEAST_SO_MANY) / (holding + 0.5))


def _reaching(held: Held, width: int) -> Held:
    """The words that each child and those after it contain, ``width`` children in all."""
    reaching, covered = held.copy(), 1
    while covered < width:
        step = min(covered, width - covered)
        if step >= len(held):
            break
        reaching[:-step] |= reaching[step:].copy()
        covered += step
    return reaching


def _worth(held: Held, worth: Sequence[float]) -> npt.NDArray[np.float64]:
    """The weight of the words of each; from tables of eight words each."""
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


MOST_IN_A_TEXT = 1_000  # places that are counted in one text
MOST_EXAMINED = 600  # runs that are compared
FEWEST_WORDS = 3  # a quotation of fewer may occur where markup or a line's end splits one of them

_VOTED = 64  # runs in each language whose places are loaded, and all as good as the last of them
_MOST_VOTED = 4_000
_LEAST = 0.12  # of the weight of all words; runs with less are not compared
_LIKELY = 0.5  # runs with this share are compared,
_BESIDE_THE_BEST = 0.6  # unless that is less than this part of what the best holds
_SURELY = (
    0.85  # where something near it has this share, the quotation itself is in no run of a much smaller share
)
_UNLIKELY = 4  # as many more are compared where no likely run contains it
_NEARLY = 6  # passages in which something near is searched

_MARKUP = re.compile(r"\]\([^)\s]*\)|[*_`\[\]]")  # between words or within them, at a glance

_PORTIONS = (4, 12)
_LATER_PORTIONS = 48
_USUAL_CHILD = 700  # characters
_SHORT_CHILD = 150


@dataclass(slots=True)
class Findings:
    """Where a quotation occurs. ``complete`` says that no likely place was left out."""

    places: list[QuotePlace] = field(default_factory=list)
    complete: bool = True


class WordSearch(NamedTuple):
    """The result of searching it by words.

    In the languages ``none_in`` none of its words is searched, in ``few_in`` at most a few.
    """

    findings: Findings
    none_in: list[str]
    few_in: list[str]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Children of a document that a quotation may extend over, and the weight of its words in them, up to 1."""

    children: Sequence[PlacedChild]
    worth: float

    def chunk_run(self, quotation: Quotation) -> ChunkRun:
        """What is to be read: the children and the text around them."""
        first, last = self.children[0], self.children[-1]
        more = 1 + quotation.reach // _SHORT_CHILD
        return ChunkRun(
            first.document_id,
            first.chunking_id,
            first.chunk_index - more,
            last.chunk_index + more,
            first.char_start - quotation.reach,
            last.char_end + quotation.reach,
        )


def look_up(conn: Connection, quotation: Quotation, cancel: CancelToken) -> WordSearch:
    """Where the quotation occurs in the texts that documents show, else where something near it does."""
    words = rare_words(conn, quotation.sought, MOST_WORDS, FEW_POSTINGS)
    clusters = _clusters(conn, quotation, words)
    likely = _likely(clusters)
    comparison = _Comparison(conn, quotation, cancel)
    comparison.among(clusters[: min(likely, MOST_EXAMINED)])
    if not comparison.verified and not (comparison.findings.places and clusters[0].worth >= _SURELY):
        comparison.among(clusters[likely : likely + _UNLIKELY], unlikely=True)
    comparison.findings.complete = likely <= MOST_EXAMINED
    return WordSearch(
        comparison.findings,
        [one.language for one in words if not one.asked],
        [one.language for one in words if one.asked < FEWEST_WORDS],
    )


class _Comparison:
    """Compares the quotation with what clusters are of."""

    def __init__(self, conn: Connection, quotation: Quotation, cancel: CancelToken) -> None:
        self.findings = Findings()
        self._conn, self._quotation, self._cancel = conn, quotation, cancel
        self._places = Places(conn)

    @property
    def verified(self) -> bool:
        """Whether it occurs in a passage compared so far."""
        return any(place.is_verified for place in self.findings.places)

    def among(self, clusters: Sequence[Cluster], *, unlikely: bool = False) -> None:
        """Add where it occurs there, else where something near it does; of what is ``unlikely``, a glance decides."""
        best: list[Passage] = []
        for portion in _portions(clusters):
            self._cancel.raise_if_cancelled()
            texts = texts_around(self._conn, [one.chunk_run(self._quotation) for one in portion])
            if unlikely:
                texts = self._resembling(texts)
            for passage in passages_of(texts, shown_versions(self._conn, {one.document_id for one in texts})):
                self._add(passage, nearly=False)
                best += [passage][len(best) // _NEARLY :]
        for passage in best if not self.verified else ():
            self._cancel.raise_if_cancelled()
            self._add(passage, nearly=True)

    def _add(self, passage: Passage, *, nearly: bool) -> None:
        self.findings.places += found_in(passage, self._quotation, self._places, nearly=nearly)

    def _resembling(self, texts: Sequence[TextAround]) -> list[TextAround]:
        """The children of documents in which some run seems to share enough words."""
        kept: list[TextAround] = []
        for _document, of_one in groupby(texts, key=attrgetter("document_id")):
            children = list(of_one)
            markdown = _MARKUP.sub("", "".join(child.chunk_text for child in children))
            words = WordIndex(read_alike(markdown).text)
            if self._quotation.is_short or words.nearest(self._quotation.alike) is not None:
                kept += children
        return kept


def found_in(
    passage: Passage, quotation: Quotation, places: Places, *, nearly: bool, near: int | None = None
) -> list[QuotePlace]:
    """Where the quotation occurs in a passage, with ``nearly`` else where something near it does.

    At most :data:`MOST_IN_A_TEXT`, the nearest to the code point ``near`` of its markdown.
    """
    matches = faithful_places(quotation.text, passage.text) or find_quote(
        quotation.text, passage.text, near=near, nearly=nearly, most=MOST_IN_A_TEXT
    )
    if near is not None:
        matches = sorted(matches, key=lambda match: abs(match.start - near))
    whole = [match for match in matches[:MOST_IN_A_TEXT] if not passage.is_cut(match.start, match.end)]
    return [places.of(passage, match) for match in whole]


def _clusters(conn: Connection, quotation: Quotation, words: Sequence[RareWords]) -> list[Cluster]:
    """What may hold the quotation, best first; of equally good ones, the first in the library."""
    width = 2 + (quotation.reach // 2) // _USUAL_CHILD
    votes = [found for one in words if (found := count_votes(one, width)) is not None]
    holders = {
        ordinal: (held, one)
        for one in votes
        for ordinal, held in one.best(_VOTED, _LEAST, _MOST_VOTED).items()
    }
    if not holders:
        return []
    children = placed_children(conn, list(holders))
    clusters = [_cluster(run, holders) for run in _together(children, quotation.reach)]
    return sorted(clusters, key=lambda one: (-one.worth, one.children[0].ordinal))


def _together(children: Sequence[PlacedChild], reach: int) -> Iterator[list[PlacedChild]]:
    """Children of a document that are within that many characters of each other."""
    run: list[PlacedChild] = []
    for child in children:
        if run and not (
            run[-1].document_id == child.document_id and child.char_start - run[-1].char_end <= reach
        ):
            yield run
            run = []
        run.append(child)
    if run:
        yield run


def _cluster(children: Sequence[PlacedChild], holders: dict[int, tuple[int, Votes]]) -> Cluster:
    held, votes = holders[children[0].ordinal]
    for child in children[1:]:
        held |= holders[child.ordinal][0]
    return Cluster(children, votes.worth_of(held))


def _likely(clusters: Sequence[Cluster]) -> int:
    """How many of the clusters, best first, are likely to hold it."""
    least = max(_LIKELY, _BESIDE_THE_BEST * clusters[0].worth) if clusters else 0.0
    return sum(one.worth >= least for one in clusters)


def _portions(clusters: Sequence[Cluster]) -> Iterator[Sequence[Cluster]]:
    """Portions that grow."""
    sizes, done = iter(_PORTIONS), 0
    while done < len(clusters):
        end = done + next(sizes, _LATER_PORTIONS)
        yield clusters[done:end]
        done = end
