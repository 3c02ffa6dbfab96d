"""Which proposed children count as evidence and how strongly, and the best of their sentences."""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from heapq import nlargest
from itertools import compress, product
from operator import attrgetter, itemgetter
from typing import Literal, Self
from uuid import UUID

from webrag_desktop.citations.spans import heading_path_at
from webrag_desktop.models.documents import Place
from webrag_desktop.retrieval.bm25 import SIMILAR_WEIGHT
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.passages import Passage, Section
from webrag_desktop.retrieval.contracts.question_terms import (
    Occurrences,
    QuestionTerms,
    inverse_frequencies,
    share,
)
from webrag_desktop.retrieval.contracts.results import (
    ARMS,
    Arm,
    ArmScores,
    MatchedSpan,
    SoughtTerms,
    arms_of,
)
from webrag_desktop.retrieval.fusion import fuse, matched, ranks
from webrag_desktop.retrieval.phrases import led
from webrag_desktop.storage.searching.candidates import CandidateRow
from webrag_desktop.storage.searching.search import ChildParts
from webrag_desktop.text.sentences import only_headings, readable_sentences
from webrag_desktop.text.spans import Span

# Below the floor: the share of the idf of the question's words that a child must contain to be evidence on its own, and
# to join other evidence; how many of the best by words join it in any case. Measured on four sets, and with questions
# to the wrong set (docs/decisions/0016-retrieval-quality.md).
SURE_SHARE = 0.5
JOINING_SHARE = 0.3
BEST_BY_WORDS = 3
# Where the library holds all of the question's words: the share of their number that a child must contain to be
# evidence on its own, and the part of what is above the floor by which it is lowered where nothing reaches it. Where
# words are missing and no child contains the joining share, the floor of evidence on its own is raised as much.
SURE_COUNT = 0.6
FLOOR_MARGIN = 0.07

# What the library holds of a question's words; "of few" texts, if these would hardly hold all of them by chance.
Known = Literal["all", "all of few", "some", "unsure"]


def depth_weight(depth: int, options: RetrievalOptions) -> float:
    """The weight of a page that is ``depth`` links from the user's own: linear decay down to a floor."""
    return max(1.0 - depth * options.depth_decay_rate, options.depth_floor)


def judge(
    rows: Sequence[CandidateRow],
    floor: float,
    options: RetrievalOptions,
    *,
    only_read: bool = False,
    known: Known = "unsure",
) -> list[Passage]:
    """The rows that count, scored, in the order given.

    The floor applies to similarity. Below it a row counts if it contains half of the idf of the question's words. Where
    any row counts, so that the topic is in the library, a smaller share is enough, and the best by words count in any
    case unless some row contains all words: the model may not know the language well. A question on a topic that is
    not in the library has no candidates. What is ``known`` of its words tells such questions apart: where the library
    holds all of them, less is enough if nothing else is found; where it lacks some, and no row contains much of the
    others, more similarity is needed.

    All rows set the scale of the fusion, also those below the floor, so that a single remaining row is not at the ends
    of it. The words of chunks that are nothing but headings do not count: they are so short that any word of the
    question would rank them above the text that answers. Such a chunk that is not near by
    meaning is no evidence by some of the words either, except where nothing else is: neither arm supports it.

    Where the words were ``only_read`` as similar ones, they have half their weight in the fusion, and containing all of
    them is not sufficient once a row is near by meaning.

    A row that holds a quoted phrase counts wherever its meaning is, and comes before all that hold fewer phrases.
    """
    fusion = options.fusion
    if only_read:
        fusion = replace(fusion, text_weight=SIMILAR_WEIGHT * fusion.text_weight)
        if any(_near(row, floor) for row in rows):
            rows = [row._replace(all_words=False) for row in rows]
    are_headings = [only_headings(row.chunk_text) for row in rows]
    by_words = [
        0.0 if is_heading else row.text_rank for row, is_heading in zip(rows, are_headings, strict=True)
    ]
    if any(are_headings):
        texts = any(score > 0 for score in by_words)
        rows = [
            row._replace(by_words=False) if is_heading and not _is_supported(row, floor, texts) else row
            for row, is_heading in zip(rows, are_headings, strict=True)
        ]
    min_rank = -math.inf if options.min_rank is None else options.min_rank
    least_count = SURE_COUNT if known in ("all", "all of few") else math.inf
    floors = (
        joining
        for joining, sure in _floors(rows, floor, known)
        if any(_found_by(row, sure, SURE_SHARE, least_count, min_rank) for row in rows)
    )
    if (least_near := next(floors, None)) is None:
        return []
    least = math.inf if any(map(_has_all_words, rows)) else _least_of_best(rows, by_words)
    shares = [0.0 if score >= least else JOINING_SHARE for score in by_words]
    found_by = [
        _found_by(row, least_near, share, least_count, min_rank)
        for row, share in zip(rows, shares, strict=True)
    ]
    weights = {depth: depth_weight(depth, options) for depth in {row.depth for row in rows}}
    fused = fuse([row.similarity for row in rows], by_words, fusion)
    weighted = [score * weights[row.depth] for row, score in zip(rows, fused, strict=True)]
    ranked = led(weighted, [row.phrases for row in rows])
    return [
        _child(row, score, arms, scores)
        for row, score, arms, scores in zip(rows, ranked, found_by, _arm_scores(rows), strict=True)
        if arms
    ]


def _floors(rows: Sequence[CandidateRow], floor: float, known: Known) -> Iterator[tuple[float, float]]:
    """The floor of what joins other evidence and that of evidence on its own, then those to try where nothing counts.

    A floor of 0 asks for none.
    """
    margin = FLOOR_MARGIN * (1 - floor) if floor > 0 else 0.0
    telling = any(row.by_words and row.word_share >= JOINING_SHARE for row in rows)
    yield floor, floor + margin if known == "some" and not telling else floor
    if known in ("all", "all of few"):
        yield floor - margin, floor - margin
    if known == "all of few":  # the best by words, wherever they are
        yield floor - margin, -math.inf


def _child(row: CandidateRow, rank_score: float, found_by: tuple[Arm, ...], scores: ArmScores) -> Passage:
    return Passage(
        row.chunk_text,
        rank_score,
        None,
        row.id,
        row.char_start,
        row.char_end,
        0,
        scores,
        found_by,
        row.source_url,
        row.search_language,
        row.depth,
        Section(row.parent_id, row.parent_start, row.parent_tokens),
    )


def _is_supported(heading: CandidateRow, floor: float, others: bool) -> bool:
    """Whether something supports a chunk of nothing but headings; ``others`` tells whether texts hold words."""
    if heading.phrases:
        return True
    if heading.similarity is None:
        return _has_all_words(heading) or not others
    return _has_all_words(heading) or _near(heading, floor)


def _has_all_words(row: CandidateRow) -> bool:
    return row.by_words and (row.all_words or row.identifier)


def _least_of_best(rows: Sequence[CandidateRow], by_words: Sequence[float]) -> float:
    """The score of the last of the best texts by words; infinite where no words count."""
    by_text: dict[str, float] = {}
    for row, score in zip(rows, by_words, strict=True):
        if score > by_text.get(row.chunk_text, 0.0):  # copies are one of the best
            by_text[row.chunk_text] = score
    best = nlargest(BEST_BY_WORDS, by_text.values())
    return best[-1] if best else math.inf


def _arm_scores(rows: Sequence[CandidateRow]) -> list[ArmScores]:
    by_words, by_meaning = matched([row.text_rank for row in rows]), [row.similarity for row in rows]
    return [
        ArmScores(*of_one)
        for of_one in zip(by_words, by_meaning, ranks(by_words), ranks(by_meaning), strict=True)
    ]


def _near(row: CandidateRow, floor: float) -> bool:
    return row.similarity is not None and row.similarity >= floor


def _found_by(
    row: CandidateRow, floor: float, least_share: float, least_count: float, min_rank: float
) -> tuple[Arm, ...]:
    """The arms that found a row, none when it does not count.

    Below the floor only the question's own words count: all of them, an identifier as it was written, or words that
    contain the ``least_share`` of the idf of all, or are the ``least_count`` of their number. One common word is no
    evidence below the floor; without a vector any word is, since nothing else can be compared. Words that score less
    than ``min_rank`` are none.
    """
    near = _near(row, floor) or row.phrases > 0
    by_vector = _near(row, floor) and row.by_vector
    if row.text_rank < min_rank:
        return _ARMS[by_vector, False, False]
    telling = (
        near
        or row.similarity is None
        or row.all_words
        or row.identifier
        or row.word_share >= least_share
        or row.word_count >= least_count
    )
    return _ARMS[by_vector, row.by_words and telling, row.identifier]


_ARMS: dict[tuple[bool, ...], tuple[Arm, ...]] = {
    found: tuple(compress(ARMS, found)) for found in product((False, True), repeat=len(ARMS))
}


def aggregate(children: Iterable[Passage], options: RetrievalOptions) -> list[Passage]:
    """Parents by falling rank, each once and as strong as its best child.

    The best child determines the score of its parent, since a mean would lower a section for its other topics.
    """
    families: dict[int, list[Passage]] = defaultdict(list)  # ids are slow keys
    for child in children:
        families[child.section.id.int].append(child)
    return sorted((_parent(family, options) for family in families.values()), key=_sort_key)


def _parent(family: list[Passage], options: RetrievalOptions) -> Passage:
    best, found_by, scores = family[0], family[0].found_by, family[0].scores
    if len(family) > 1:  # most are alone
        family.sort(key=_sort_key)
        best = family[0]
        found_by = arms_of(child.found_by for child in family)
        scores = ArmScores.best([child.scores for child in family])
    cosine = scores.score_vec
    return Passage(
        text="",
        rank_score=best.rank_score,
        chunk_id=best.section.id,
        char_start=best.section.char_start,
        tokens=best.section.tokens,
        scores=scores,
        found_by=found_by,
        source_url=best.source_url,
        language=best.language,
        depth=best.depth,
        score=best.rank_score if cosine is None else max(cosine, 0.0) * depth_weight(best.depth, options),
        children=tuple(family),
    )


# Measured best (docs/decisions/0017-evidence.md): the weight of the score of the sentence's child, beside that of the
# question's words in the sentence; and of how many children the sentences are read.
CHILD_WEIGHT = 0.7
CHILDREN_READ = 20

# A sentence of a child before it is made a span: less its score, where it begins in the document, both, and the
# child's parts.
_Scored = tuple[float, int, Passage, Span, ChildParts | None]
_BEST_FIRST = itemgetter(0, 1)
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
    """

    def __init__(
        self,
        children: Sequence[Passage],
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
        nearest = max((child.similarity or 0.0 for child in children), default=0.0)
        self._certainty = min(1.0, max(coverage, nearest))

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

    def _held(self, words: Sequence[str], found: Sequence[Sequence[str]]) -> float:
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
        question's words in the sentence. All score lower where neither the library contains the question's words nor
        the meaning is near.
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
        beyond = 0
        for start, end in readable_sentences(child.text, parts.sentences if parts else None):
            first = bisect_left(offsets, start, beyond)
            beyond = bisect_left(offsets, end, first)
            found = self._share({term for _, term in occurrences[first:beyond]}) if first < beyond else 0.0
            score = CHILD_WEIGHT * child.rank_score + (1 - CHILD_WEIGHT) * found
            yield -self._certainty * score, child.char_start + start, child, (start, end), parts

    def _share(self, terms: Iterable[str]) -> float:
        """The share of these terms of the idf of all terms that occur in the children."""
        return min(1.0, math.fsum(map(self._worth.__getitem__, terms)) / self._everything)


def _span(
    less: float, char_start: int, child: Passage, sentence: Span, parts: ChildParts | None
) -> MatchedSpan:
    places = parts.places if parts else []
    index = bisect_right(places, char_start, key=_begins) - 1
    place = Place(*places[index]) if index >= 0 else Place(char_start, None, None)
    return MatchedSpan(
        char_start=char_start,
        char_end=child.char_start + sentence[1],
        text=child.text[sentence[0] : sentence[1]],
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
