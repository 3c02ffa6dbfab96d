"""Brings the two arms' scores onto one scale and mixes them.

Both scores are known for every candidate of the union, so a convex sum of per-query min-max values needs no
ranks; on three sets it was never below reciprocal rank fusion.
"""

from collections.abc import Sequence


def min_max(values: Sequence[float | None]) -> list[float]:
    """Values on [0, 1], the best 1.0 and the worst 0.0; equal values are all 1.0, missing ones 0.0."""
    known = [value for value in values if value is not None]
    if not known:
        return [0.0] * len(values)
    low, high = min(known), max(known)
    width = high - low
    if width <= 0:
        return [0.0 if value is None else 1.0 for value in values]
    return [0.0 if value is None else (value - low) / width for value in values]


def fuse(
    similarities: Sequence[float | None], text_ranks: Sequence[float], vector_weight: float
) -> list[float]:
    """One score in [0, 1] per candidate. An arm that has nothing to say about any candidate has no weight.

    A similarity is None where there is no vector, a text rank 0 where no word matches.
    """
    by_meaning = min_max(similarities)
    matched = any(rank > 0 for rank in text_ranks)
    by_words = min_max(text_ranks) if matched else [0.0] * len(text_ranks)
    if all(similarity is None for similarity in similarities):
        return by_words
    if not matched:
        return by_meaning
    return [
        vector_weight * meaning + (1 - vector_weight) * words
        for meaning, words in zip(by_meaning, by_words, strict=True)
    ]
