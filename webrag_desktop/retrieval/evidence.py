"""The best sentences of parents: how well each answers by its child, its words, and the heading above it."""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from operator import attrgetter, itemgetter
from typing import Self
from uuid import UUID

from webrag_desktop.citations.spans import heading_path_at
from webrag_desktop.models.base import unchecked
from webrag_desktop.models.documents import Place
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.question_terms import (
    Occurrences,
    QuestionTerms,
    inverse_frequencies,
    share,
)
from webrag_desktop.retrieval.contracts.results import MatchedSpan, SoughtTerms
from webrag_desktop.storage.searching.search import ChildParts
from webrag_desktop.text.units.evidence_units import Unit, readable_units

# Measured best (docs/decisions/0017-evidence.md): the weight of the score of the sentence's child, beside that of the
# question's words in the sentence; and of how many children the sentences are read.
CHILD_WEIGHT = 0.7
CHILDREN_READ = 20

# A sentence of a child before it is made a span: less its score, where it begins in the document, both, and the
# child's parts.
_Scored = tuple[float, int, Passage, Unit, ChildParts | None]
_BEST_FIRST = itemgetter(0, 1)
_NO_TERMS: frozenset[str] = frozenset()
_sort_key = attrgetter("sort_key")


class Reading:
    """Which children of a question are read for their sentences: the best of all, else the best of a parent."""

    def __init__(self, children: Sequence[Passage]) -> None:
        self._best = {child.id.int for child in sorted(children, key=_sort_key)[:CHILDREN_READ]}

    def of(self, children: Sequence[Passage]) -> tuple[Sequence[Passage], bool]:
        """Those of one parent's children (given best first), and whether all of their sentences count."""
        read = [child for child in children if child.id.int in self._best]
        return (read, True) if read else (children[:1], False)


class Evidence:
    """Finds the best sentences of parents. ``children`` are all that count for the question.

    ``stems`` are the question's words by text search language, ``literals`` its identifiers and bigrams. ``coverage``
    is the share of their idf that the library contains; without it, the share that the children contain.
    ``parts`` are those of the children that are read, as far as they are loaded; ``reading`` says which these are.
    ``nearness`` puts a cosine on the scale of all models.
    """

    def __init__(
        self,
        children: Sequence[Passage],
        stems: Mapping[str, Sequence[str]],
        literals: Sequence[str],
        coverage: float | None = None,
        parts: Mapping[UUID, ChildParts] | None = None,
        reading: Reading | None = None,
        nearness: Callable[[float], float] = float,
    ) -> None:
        self._terms = {language: QuestionTerms(words, literals) for language, words in stems.items()}
        self._literals = QuestionTerms((), literals)
        self._reading = reading or Reading(children)
        self._parts = parts or {}
        self._occurrences = self._occurrences_in(children)
        found = [{term for _, term in occurrences} for occurrences in self._occurrences.values()]
        self._worth = inverse_frequencies(found)
        self._everything = math.fsum(self._worth.values())
        if coverage is None:
            coverage = max((self._held([*words, *literals], found) for words in stems.values()), default=0.0)
        nearest = max((child.similarity or 0.0 for child in children), default=0.0)
        self._certainty = min(1.0, max(coverage, nearness(nearest)))
        self._named: dict[tuple[str, str], frozenset[str]] = {}

    def _occurrences_in(self, children: Sequence[Passage]) -> dict[int, Occurrences]:
        """Where terms occur in each child; children of one language are searched together."""
        by_language: dict[str, list[Passage]] = defaultdict(list)
        for child in children:
            by_language[child.language].append(child)
        return {
            child.id.int: occurrences  # ids are slow keys
            for alike in by_language.values()
            for child, occurrences in zip(
                alike,
                self._terms_for(alike[0]).occurrences_in([child.text for child in alike]),
                strict=True,
            )
        }

    def _held(self, words: Sequence[str], found: Sequence[Iterable[str]]) -> float:
        """The share of the idf of these words that the children contain."""
        return share(self._worth, inverse_frequencies(found, dict.fromkeys(words)))

    def with_parts(self, parts: Mapping[UUID, ChildParts]) -> Self:
        """The same with these parts, which may be loaded while the rest is found."""
        known = copy(self)
        known._parts = parts
        return known

    def spans(self, children: Sequence[Passage], limit: int) -> list[MatchedSpan]:
        """The best sentences of one parent's children (given best first), best first, at least one.

        Of the best children of the question all sentences count; where none of these is a child of the parent, the
        best sentence of its best child is returned. The score rises with that of the child and with the idf of the
        question's words in the sentence and in the heading right above it, which says what its section is about
        (docs/decisions/0050-headings-above-sentences.md). All score lower where neither the library contains the
        question's words nor the meaning is near.
        """
        read, whole = self._reading.of(children)
        scored = [one for child in read for one in self._scored(child)]
        scored.sort(key=_BEST_FIRST)
        return [_span(*one) for one in scored[: limit if whole else 1]]

    def _terms_for(self, child: Passage) -> QuestionTerms:
        return self._terms.get(child.language, self._literals)

    def sought(self, child: Passage) -> SoughtTerms:
        """The question's words as they are searched in a child and its parent."""
        terms = self._terms_for(child)
        return SoughtTerms(terms.stems, terms.literals)

    def _scored(self, child: Passage) -> Iterator[_Scored]:
        occurrences, parts = self._occurrences[child.id.int], self._parts.get(child.id)
        offsets = [at for at, _ in occurrences]
        above, headings = self._headings_above(child, parts)
        beyond = passed = 0
        terms = [term for _, term in occurrences]
        shift, least = child.char_start, CHILD_WEIGHT * child.rank_score
        for unit in readable_units(child.text, parts.sentences if parts else None):
            start, end, _ = unit
            first = bisect_left(offsets, start, beyond)
            beyond = bisect_left(offsets, end, first)
            while passed < len(headings) and headings[passed][0] <= shift + start:
                above = headings[passed][1]
                passed += 1
            held = above.union(terms[first:beyond]) if first < beyond else above
            found = self._share(held) if held else 0.0
            yield -self._certainty * (least + (1 - CHILD_WEIGHT) * found), shift + start, child, unit, parts

    def _headings_above(
        self, child: Passage, parts: ChildParts | None
    ) -> tuple[frozenset[str], Sequence[tuple[int, frozenset[str]]]]:
        """The terms of the heading above a child's beginning, and of those below it with where each begins to count.

        The outermost heading is above all of a document, or most of it, and so tells none of its sentences from others.
        """
        if parts is None:
            return _NO_TERMS, ()
        outermost, *inner = parts.heading_path or (None,)
        above = self._terms_named(child, inner[-1]) if inner else _NO_TERMS
        headings = [
            (begins, _NO_TERMS if heading == outermost else self._terms_named(child, heading))
            for begins, _, heading, *_ in parts.places
            if heading is not None
        ]
        return above, headings

    def _terms_named(self, child: Passage, heading: str) -> frozenset[str]:
        """The question's words in a heading above text of a child, as far as any child holds them."""
        key = child.language, heading
        if (known := self._named.get(key)) is None:
            held = (term for _, term in self._terms_for(child).occurrences(heading))
            known = self._named[key] = frozenset(term for term in held if term in self._worth)
        return known

    def _share(self, terms: Iterable[str]) -> float:
        """The share of these terms of the idf of all terms that occur in the children."""
        return min(1.0, math.fsum(map(self._worth.__getitem__, terms)) / self._everything)


def _span(less: float, char_start: int, child: Passage, unit: Unit, parts: ChildParts | None) -> MatchedSpan:
    start, end, kind = unit
    anchor = heading = page = None
    headings: tuple[str, ...] = ()
    if parts:
        headings = heading_path_at(parts.heading_path, parts.section_heading, parts.places, char_start)
        index = bisect_right(parts.places, char_start, key=_begins) - 1
        if index >= 0:
            _, anchor, heading, page = Place(*parts.places[index])
    values = {
        "char_start": char_start,
        "char_end": child.char_start + end,
        "text": child.text[start:end],
        "score": -less,
        "anchor": anchor,
        "heading": heading,
        "page": page,
        "heading_path": headings,
        "kind": kind,
    }
    return unchecked(MatchedSpan, values)


def _begins(place: Place) -> int:
    return place[0]  # it is stored as a list
