"""Texts as they are read, each place traced to the markdown, and where the words of a quote occur in them.

Words are found letter for letter, or as the span that shares most of them.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING

from webrag_desktop.citations.differences import WORD_OR_SIGN
from webrag_desktop.text.canonical.canonical_form import (
    BROKEN_ANYWHERE,
    IDEOGRAPHIC,
    CanonicalForm,
    canonical_form,
)
from webrag_desktop.text.canonical.lookalikes import Trace
from webrag_desktop.text.canonical.shown_marks import Shown, shown_marks, without_notes

if TYPE_CHECKING:
    from webrag_desktop.text.plain_text import PlainText


_WORD_OR_SIGN = re.compile(WORD_OR_SIGN)
FEWEST_WORDS = 3  # fewer say too little to be found again by them
LEAST_SHARE = 0.6
MOST_HITS = 2000  # of one word; commoner ones lead nowhere
MOST_HITS_OF_ALL = 20_000  # of all words of a quote together
MOST_RUNS = 16  # that are compared word by word


@dataclass(frozen=True, slots=True)
class Near:
    """``[start, end)`` of a text, and the share of a quote's words that it holds."""

    start: int
    end: int
    share: float


class WordIndex:
    """Where each word of a text is, to look many quotes up in it."""

    def __init__(self, text: str) -> None:
        """Read ``text`` once; takes time in proportion to its length."""
        self._spans: list[tuple[int, int]] = []
        self._words: list[str] = []
        self._places: dict[str, list[int]] = defaultdict(list)
        for number, match in enumerate(_WORD_OR_SIGN.finditer(text)):
            word = match[0].casefold()
            self._spans.append(match.span())
            self._words.append(word)
            self._places[word].append(number)

    def nearest(self, quote: str) -> Near | None:
        """The span about as long as ``quote`` that shares most of its words, the first of several.

        None where none shares :data:`LEAST_SHARE` of them.
        """
        wanted, hits, dense = self._dense(quote)
        if not hits:
            return None
        best = nlargest(MOST_RUNS, range(len(hits)), key=lambda at: (dense[at], -at))
        share, first = max((self._share(hits[at], wanted), -hits[at]) for at in best)
        return self._span(-first, wanted, share) if share >= LEAST_SHARE else None

    def spans(self, quote: str) -> list[Near]:
        """Spans that share at least :data:`LEAST_SHARE` of the words, those with most first.

        Each begins at least as many words from the others as the quote has.
        """
        wanted, hits, dense = self._dense(quote)
        apart = wanted.total()
        found: list[Near] = []
        taken: list[int] = []
        for at in nlargest(MOST_RUNS * MOST_RUNS, range(len(hits)), key=lambda at: (dense[at], -at)):
            first = hits[at]
            if len(taken) < MOST_RUNS and all(abs(first - other) >= apart for other in taken):
                taken.append(first)
                share = self._share(first, wanted)
                if share >= LEAST_SHARE:
                    found.append(self._span(first, wanted, share))
        return sorted(found, key=lambda near: (-near.share, near.start))

    def _dense(self, quote: str) -> tuple[Counter[str], list[int], list[int]]:
        """The words of the quote, where they are, and how many of these places are in the span from each on."""
        wanted = Counter(match[0].casefold() for match in _WORD_OR_SIGN.finditer(quote))
        length = wanted.total()
        hits = self._hits(wanted) if length >= FEWEST_WORDS else []
        dense, end = [], 0
        for at, place in enumerate(hits):
            while end < len(hits) and hits[end] < place + _room(length):
                end += 1
            dense.append(end - at)
        return wanted, hits, dense

    def _hits(self, wanted: Counter[str]) -> list[int]:
        """Where the words are, of the rarest on, up to :data:`MOST_HITS_OF_ALL`."""
        found: list[int] = []
        for places in sorted((self._places[word] for word in wanted if word in self._places), key=len):
            if len(places) > MOST_HITS or len(found) + len(places) > MOST_HITS_OF_ALL:
                break
            found += places
        return sorted(found)

    def _share(self, first: int, wanted: Counter[str]) -> float:
        """The share of the wanted words in the span that begins with the word ``first``, every word once."""
        length = wanted.total()
        return (wanted & Counter(self._words[first : first + _room(length)])).total() / length

    def _span(self, first: int, wanted: Counter[str], share: float) -> Near:
        """The span from its first word that is wanted to its last."""
        last = min(first + _room(wanted.total()), len(self._words))
        while self._words[first] not in wanted:
            first += 1
        while self._words[last - 1] not in wanted:
            last -= 1
        return Near(self._spans[first][0], self._spans[last - 1][1], share)


def _room(length: int) -> int:
    """In how many words a quote of ``length`` words is searched for: some may have come in between."""
    return length + max(1, length // 4)


# How often one looks, so that texts made of nothing but the beginning of a quotation take no square time: texts that
# people write come nowhere near it.
_FEWEST_LOOKS, _LOOKS_PER_CHARACTER, _COMPARED_PER_CHARACTER = 10_000, 0.25, 500
# Of words whose ends can be seen in canonical forms, too, where some scripts have no spaces.
_REST_OF_WORD = re.compile(rf"[^\W{IDEOGRAPHIC}{BROKEN_ANYWHERE}\u0f00-\u0fff]+")


def occurrences(words: str, text: str, near: int | None = None) -> Iterator[int]:
    """Where ``words`` may begin in ``text``: in order, or the nearest to ``near`` first, overlapping ones too.

    Those inside of a word are left out in part, and hostile texts are not looked through to their end.
    """
    looks = min(_LOOKS_PER_CHARACTER * len(text), _COMPARED_PER_CHARACTER * len(text) / len(words))
    found = _in_order(words, text) if near is None else nearest_first(words, near, text)
    return islice(found, int(_FEWEST_LOOKS + looks))


def _in_order(words: str, text: str) -> Iterator[int]:
    is_word = _REST_OF_WORD.match(words)
    at = text.find(words)
    while at >= 0:
        if at and is_word and _REST_OF_WORD.match(text[at - 1]):
            rest = _REST_OF_WORD.match(text, at)
            at = text.find(words, rest.end() if rest else at + 1)
            continue
        yield at
        at = text.find(words, at + 1)


def nearest_first(words: str, place: int, text: str) -> Iterator[int]:
    """Where ``words`` begin in ``text``, the nearest to ``place`` first, of two as near the earlier."""
    at = min(max(place, 0), len(text))
    earlier = text.rfind(words, 0, at + len(words) - 1) if at else -1
    later = text.find(words, at)
    while earlier >= 0 or later >= 0:
        if later < 0 or (earlier >= 0 and place - earlier <= later - place):
            yield earlier
            earlier = text.rfind(words, 0, earlier + len(words) - 1) if earlier else -1
        else:
            yield later
            later = text.find(words, later + 1)


_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Spaced:
    """A text with one blank wherever it had white space, and none at its ends."""

    original: str

    @cached_property
    def _sources(self) -> list[int]:
        """Where each word is in the original."""
        return [word.start() for word in _WORD.finditer(self.original)]

    @cached_property
    def text(self) -> str:
        """The words with one blank between two."""
        return " ".join(self.original.split())

    @cached_property
    def _starts(self) -> list[int]:
        """Where each word is in :attr:`text`."""
        starts, at = [], 0
        for word in self.text.split(" "):
            starts.append(at)
            at += len(word) + 1
        return starts if self._sources else []

    def place_of(self, source: int) -> int:
        """Where in :attr:`text` the character ``source`` of the original is; of a blank, where it ends."""
        index = bisect_right(self._sources, source) - 1
        if index < 0:
            return 0
        end = self._starts[index + 1] if index + 1 < len(self._starts) else len(self.text)
        return min(self._starts[index] + source - self._sources[index], end)

    def span_in_original(self, start: int, end: int) -> tuple[int, int]:
        """The original ``[start, end)`` of a span of :attr:`text` that begins and ends with words."""
        return self._source_of(start), self._source_of(end - 1) + 1

    def _source_of(self, place: int) -> int:
        index = bisect_right(self._starts, place) - 1
        return self._sources[index] + place - self._starts[index]


@dataclass(frozen=True)
class ReadText:
    """A stored text and how it reads; ``to_markdown`` and ``to_plain`` trace spans from one to the other."""

    markdown: str
    plain: str
    to_markdown: Trace
    to_plain: Trace

    @classmethod
    def of(cls, markdown: str, plain: "PlainText") -> "ReadText":
        """A whole text with its projection."""
        return cls(markdown, plain.text, plain.to_markdown_span, plain.to_plain_span)

    @cached_property
    def spaced(self) -> Spaced:
        """The plain text, ignoring spacing."""
        return Spaced(self.plain)

    @cached_property
    def shown(self) -> Shown:
        """The plain text with what marks show, as "^" in front of raised figures."""
        return shown_marks(self.markdown, self.plain, self.to_plain)

    @cached_property
    def canonical(self) -> CanonicalForm:
        """The plain text with what marks show, as quotations are compared with it."""
        return canonical_form(self.shown.text)

    @cached_property
    def without_notes(self) -> CanonicalForm:
        """The same without marks of notes and other skipped spans; itself where there is none."""
        shorter = without_notes(self.shown.text.text, self.shown.skipped)
        whole = self.shown.text
        return self.canonical if shorter.text == whole.text else canonical_form(shorter, whole)

    @cached_property
    def markdown_canonical(self) -> CanonicalForm:
        """The markdown, its marks included, as quotations are compared with it."""
        return canonical_form(self.markdown)

    @cached_property
    def word_index(self) -> WordIndex:
        """Where each word of :attr:`canonical` is."""
        return WordIndex(self.canonical.text)

    @cached_property
    def word_index_without_notes(self) -> WordIndex:
        """Where each word of :attr:`without_notes` is."""
        is_same = self.without_notes is self.canonical
        return self.word_index if is_same else WordIndex(self.without_notes.text)

    def markdown_of(self, start: int, end: int) -> tuple[int, int]:
        """Where in the markdown a span of :attr:`spaced` is."""
        return self.to_markdown(*self.spaced.span_in_original(start, end))


@dataclass(frozen=True, slots=True)
class QuoteAsRead:
    """A quote as it reads: its words, what reads before and after it, and where it was, ignoring spacing."""

    words: str
    before: str
    after: str
    place: int


def as_read(text: ReadText, start: int, end: int, context: int) -> QuoteAsRead | None:
    """How the markdown ``[start, end)`` reads, with ``context`` characters around; None where only markup is."""
    first, last = text.to_plain(start, end)
    words = " ".join(text.plain[first:last].split())
    if not words:
        return None
    first += len(text.plain[first:last]) - len(text.plain[first:last].lstrip())
    place = text.spaced.place_of(first)
    end_place = place + len(words)
    whole = text.spaced.text
    return QuoteAsRead(
        words, whole[max(0, place - context) : place], whole[end_place : end_place + context], place
    )
