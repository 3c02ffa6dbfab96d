"""A result as it is read where there is room for a part of it only: what matters most first, down to the rest."""

from collections.abc import Iterable
from typing import NamedTuple

from webrag_desktop.retrieval.contracts.results import RetrievedChunk, ranked
from webrag_desktop.text.spans import without

# Measured on prose, code and documentation (docs/decisions/0040-reading-order.md): how much of what a sentence is worth
# to a reader is the best of its passage, so that one strong passage is read before single sentences of many; what a gap
# between sentences of a passage is worth beside its best, and up to how many characters it is more than a rest.
PASSAGE_WEIGHT = 0.4
GAP_SHARE = 0.5
LONGEST_GAP = 600


class Extent(NamedTuple):
    """``[char_start, char_end)`` of the markdown of a passage's version, and what it is worth to a reader, 0 to 1."""

    worth: float
    char_start: int
    char_end: int
    chunk: RetrievedChunk


def extents(chunk: RetrievedChunk) -> list[Extent]:
    """All of a passage: the sentences that are evidence, in their order there, then the gaps between them and around.

    A sentence is worth more in a passage whose best sentence is, or which a model judged to be good. Short gaps are
    read with what they are between, long ones behind all sentences of passages as good.
    """
    best = max((span.score for span in chunk.matched_spans), default=0.0)
    passage = best if chunk.relevance_score is None else chunk.rank_score
    sentences = [(span.score, span.char_start, span.char_end) for span in chunk.matched_spans]
    gaps = without([(chunk.char_start, chunk.char_end)], [(start, end) for _, start, end in sentences])
    rest = [(GAP_SHARE * best if end - start <= LONGEST_GAP else 0.0, start, end) for start, end in gaps]
    return [
        Extent(PASSAGE_WEIGHT * passage + (1 - PASSAGE_WEIGHT) * score, start, end, chunk)
        for score, start, end in (*sentences, *rest)
    ]


def reading_order(chunks: Iterable[RetrievedChunk]) -> list[Extent]:
    """Everything that the passages of a result hold, what is worth most first.

    Single sentences that answer lead, wherever they are. A passage that answers as a whole, a section or a unit of
    code, is read as a whole: where its best sentence is strong, its others and what is between them come before those
    of weaker passages. Of what is worth as much, the better passage comes first, then what is ahead in it.
    """
    places = ((place, one) for place, chunk in enumerate(ranked(chunks)) for one in extents(chunk))
    ordered = sorted(places, key=lambda found: (-found[1].worth, found[0], found[1].char_start))
    return [one for _, one in ordered]
