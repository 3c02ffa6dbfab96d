"""Which proposed children count as evidence, and how strongly each."""

from collections.abc import Sequence
from dataclasses import dataclass

from webrag_desktop.retrieval.fusion import fuse
from webrag_desktop.retrieval.models import Arm
from webrag_desktop.retrieval.options import RetrievalOptions
from webrag_desktop.storage.searching.candidates import CandidateRow


@dataclass(frozen=True, slots=True)
class Child:
    """A child chunk that counts as evidence; ``rank_score`` is the fused score times the depth weight."""

    row: CandidateRow
    rank_score: float
    found_by: tuple[Arm, ...]


def depth_weight(depth: int, options: RetrievalOptions) -> float:
    """What a page that many links away from the user's own counts: linear decay down to a floor."""
    return max(1.0 - depth * options.depth_decay_rate, options.depth_floor)


def judge(rows: Sequence[CandidateRow], floor: float, options: RetrievalOptions) -> list[Child]:
    """The rows that count, scored, in the order given.

    All rows set the scale of the fusion, also those that the floor then keeps out, so that a lone survivor
    is not stretched to the ends of it.
    """
    fused = fuse([row.similarity for row in rows], [row.text_rank for row in rows], options.vector_weight)
    return [
        Child(row, score * depth_weight(row.depth, options), found_by)
        for row, score in zip(rows, fused, strict=True)
        if (found_by := _found_by(row, floor))
    ]


def _found_by(row: CandidateRow, floor: float) -> tuple[Arm, ...]:
    """The arms that found a row, none when it does not count.

    Below the floor only the question's own words count: all of them, or an identifier as it was written. Any
    one word of it is no evidence where the meaning says otherwise; without a vector it is all there is.
    """
    near = row.similarity is not None and row.similarity >= floor
    by_vector = row.by_vector and near
    by_words = row.by_words and (row.all_words or row.identifier or near or row.similarity is None)
    arms: tuple[tuple[Arm, bool], ...] = (
        ("vector", by_vector),
        ("words", by_words),
        ("identifier", row.identifier),
    )
    return tuple(arm for arm, found in arms if found)
