"""Which proposed children count as evidence and how strongly, and the parents that they make up."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from heapq import nlargest
from itertools import compress, product
from operator import attrgetter
from typing import Literal

from webrag_desktop.retrieval.bm25 import SIMILAR_WEIGHT
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.passages import NO_SECTION, Passage, Section
from webrag_desktop.retrieval.contracts.results import (
    ARMS,
    Arm,
    ArmScores,
    arms_of,
)
from webrag_desktop.retrieval.fusion import fuse, matched, ranks
from webrag_desktop.retrieval.phrases import led
from webrag_desktop.storage.searching.candidates import CandidateRow
from webrag_desktop.text.sentences import only_headings

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
    columns = zip(by_words, by_meaning, ranks(by_words), ranks(by_meaning), strict=True)
    return list(map(ArmScores._make, columns))


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


_sort_key = attrgetter("sort_key")


def aggregate(children: Iterable[Passage], options: RetrievalOptions) -> list[Passage]:
    """Parents by falling rank, each once and as strong as its best child.

    The best child determines the score of its parent, since a mean would lower a section for its other topics.
    """
    families: dict[int, list[Passage]] = defaultdict(list)  # ids are slow keys
    for child in children:
        families[child.section.id.int].append(child)
    weights = cache(lambda depth: depth_weight(depth, options))
    return sorted((_parent(family, weights) for family in families.values()), key=_sort_key)


def _parent(family: list[Passage], weight_at: Callable[[int], float]) -> Passage:
    best, found_by, scores = family[0], family[0].found_by, family[0].scores
    if len(family) > 1:  # most are alone
        family.sort(key=_sort_key)
        best = family[0]
        found_by = arms_of(child.found_by for child in family)
        scores = ArmScores.best([child.scores for child in family])
    cosine, section = scores.score_vec, best.section
    # By position: every search makes more than a hundred, and names take twice as long.
    return Passage(
        "",
        best.rank_score,
        None,
        section.id,
        section.char_start,
        0,
        section.tokens,
        scores,
        found_by,
        best.source_url,
        best.language,
        best.depth,
        NO_SECTION,
        best.rank_score if cosine is None else max(cosine, 0.0) * weight_at(best.depth),
        tuple(family),
    )
