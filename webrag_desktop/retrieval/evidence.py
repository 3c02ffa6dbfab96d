"""The sentences that are evidence: the largest measured gain in quality, without a model."""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from operator import attrgetter, itemgetter
from typing import Self
from uuid import UUID

from webrag_desktop.citations.spans import heading_path_at
from webrag_desktop.models.documents import Place
from webrag_desktop.retrieval.candidates import Child
from webrag_desktop.retrieval.contracts.question_terms import (
    Occurrences,
    QuestionTerms,
    inverse_frequencies,
    share,
)
from webrag_desktop.retrieval.contracts.results import MatchedSpan, SoughtTerms
from webrag_desktop.storage.searching.search import ChildParts
from webrag_desktop.text.sentence_cache import readable_sentences
from webrag_desktop.text.spans import Span

# Measured best (docs/decisions/0017-evidence.md): the weight of the score of the sentence's child, beside that of the
# question's words in the sentence; and of how many children the sentences are read.
CHILD_WEIGHT = 0.7
CHILDREN_READ = 20

# A sentence of a child before it is made a span: less its score, where it begins in the document, both, and the
# child's parts.
_Scored = tuple[float, int, Child, Span, ChildParts | None]
_BEST_FIRST = itemgetter(0, 1)
_sort_key = attrgetter("sort_key")


class Reading:
    """Which children of a question are read for their sentences: the best of all, else the best of a parent."""

    def __init__(self, children: Sequence[Child]) -> None:
        self._best = {child.row.id.int for child in sorted(children, key=_sort_key)[:CHILDREN_READ]}

    def of(self, children: Sequence[Child]) -> tuple[Sequence[Child], bool]:
        """Those of one parent's children (given best first), and whether all of their sentences count."""
        read = [child for child in children if child.row.id.int in self._best]
        return (read, True) if read else (children[:1], False)


class Evidence:
    """Finds the best sentences of parents. ``children`` are all that count for the question.

    ``stems`` are the question's words by text search language, ``literals`` its identifiers and bigrams. ``coverage``
    is the share of their idf that the library contains; without it, the share that the children contain.
    ``parts`` are those of the children that are read, as far as they are loaded; ``reading`` says which these are.
    """

    def __init__(
        self,
        children: Sequence[Child],
        stems: Mapping[str, Sequence[str]],
        literals: Sequence[str],
        coverage: float | None = None,
        parts: Mapping[UUID, ChildParts] | None = None,
        reading: Reading | None = None,
    ) -> None:
        self._terms = {language: QuestionTerms(words, literals) for language, words in stems.items()}
        self._literals = QuestionTerms((), literals)
        self._reading = reading or Reading(children)
        self._parts = parts or {}
        self._occurrences = self._occurrences_in(children)
        found = [[term for _, term in occurrences] for occurrences in self._occurrences.values()]
        self._worth = inverse_frequencies(found)
        self._everything = math.fsum(self._worth.values())
        if coverage is None:
            coverage = max((self._held([*words, *literals], found) for words in stems.values()), default=0.0)
        nearest = max((child.row.similarity or 0.0 for child in children), default=0.0)
        self._certainty = min(1.0, max(coverage, nearest))

    def _occurrences_in(self, children: Sequence[Child]) -> dict[int, Occurrences]:
        """Where terms occur in each child; children of one language are searched together."""
        by_language: dict[str, list[Child]] = defaultdict(list)
        for child in children:
            by_language[child.row.search_language].append(child)
        return {
            child.row.id.int: occurrences  # ids are slow keys
            for alike in by_language.values()
            for child, occurrences in zip(
                alike,
                self._terms_for(alike[0]).occurrences_in([child.row.chunk_text for child in alike]),
                strict=True,
            )
        }

    def _held(self, asked: Sequence[str], found: Sequence[Sequence[str]]) -> float:
        """The share of the idf of these words that the children contain."""
        return share(self._worth, inverse_frequencies(found, dict.fromkeys(asked)))

    def with_parts(self, parts: Mapping[UUID, ChildParts]) -> Self:
        """The same with these parts, which may be on their way while the rest is found."""
        known = copy(self)
        known._parts = parts
        return known

    def spans(self, children: Sequence[Child], limit: int) -> list[MatchedSpan]:
        """The best sentences of one parent's children (given best first), best first, at least one.

        Of the best children of the question all sentences count; where none of these is a child of the parent, the
        best sentence of its best child is returned. The score rises with that of the child and with the idf of the
        question's words in the sentence. All score lower where neither the library contains the question's words nor
        the meaning is near.
        """
        read, whole = self._reading.of(children)
        scored = [one for child in read for one in self._scored(child)]
        scored.sort(key=_BEST_FIRST)
        return [_span(*one) for one in scored[: limit if whole else 1]]

    def _terms_for(self, child: Child) -> QuestionTerms:
        return self._terms.get(child.row.search_language, self._literals)

    def sought(self, child: Child) -> SoughtTerms:
        """The question's words as they are searched in a child and its parent."""
        terms = self._terms_for(child)
        return SoughtTerms(terms.stems, terms.literals)

    def _scored(self, child: Child) -> Iterator[_Scored]:
        row = child.row
        occurrences, parts = self._occurrences[row.id.int], self._parts.get(row.id)
        offsets = [at for at, _ in occurrences]
        beyond = 0
        for start, end in readable_sentences(row.chunk_text, parts.sentences if parts else None):
            first = bisect_left(offsets, start, beyond)
            beyond = bisect_left(offsets, end, first)
            found = self._share({term for _, term in occurrences[first:beyond]}) if first < beyond else 0.0
            score = CHILD_WEIGHT * child.rank_score + (1 - CHILD_WEIGHT) * found
            yield -self._certainty * score, row.char_start + start, child, (start, end), parts

    def _share(self, terms: Iterable[str]) -> float:
        """The share of these terms of the idf of all terms that occur in the children."""
        return min(1.0, math.fsum(map(self._worth.__getitem__, terms)) / self._everything)


def _span(
    less: float, char_start: int, child: Child, sentence: Span, parts: ChildParts | None
) -> MatchedSpan:
    places = parts.places if parts else []
    index = bisect_right(places, char_start, key=_begins) - 1
    place = Place(*places[index]) if index >= 0 else Place(char_start, None, None)
    return MatchedSpan(
        char_start=char_start,
        char_end=child.row.char_start + sentence[1],
        text=child.row.chunk_text[sentence[0] : sentence[1]],
        score=-less,
        anchor=place.anchor,
        heading=place.heading,
        page=place.page,
        heading_path=heading_path_at(parts.heading_path, parts.section_heading, parts.places, char_start)
        if parts
        else (),
    )


def _begins(place: Place) -> int:
    return place[0]  # it is stored as a list
