"""Brings the two arms' scores onto one scale and mixes them.

Both scores are known for every candidate of the union, so a convex sum of per-query min-max values needs no
ranks; on three sets it was never below reciprocal rank fusion. The other ways are there for comparison, and for
embedders whose scale is unknown.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Blend = Literal["linear", "rrf"]
Normalization = Literal["minmax", "zscore", "sigmoid", "none"]
BLENDS: tuple[Blend, ...] = get_args(Blend)
NORMALIZATIONS: tuple[Normalization, ...] = get_args(Normalization)


@dataclass(frozen=True, slots=True)
class FusionOptions:
    """How two scores become one: by the scores (``linear``, ``normalize`` says how) or by the ranks (``rrf``, ``k``).

    Only the ratio of the weights matters. ``zscore`` measures in standard deviations from the mean, ``sigmoid``
    bends that into (0, 1), ``none`` takes the scores as they are.
    """

    blend: Blend = "linear"
    normalize: Normalization = "minmax"
    text_weight: float = 0.5
    vector_weight: float = 0.5
    k: int = 60


DEFAULT_FUSION = FusionOptions()


def fuse(
    similarities: Sequence[float | None],
    text_scores: Sequence[float],
    options: FusionOptions = DEFAULT_FUSION,
) -> list[float]:
    """One score in [0, 1] per candidate. An arm without a score for any candidate has no weight.

    A similarity is None where there is no vector, a text score 0 where no word matches. Where the way of mixing
    has no scale of its own, the best candidate has 1 and the worst 0, so that a weight put on it afterwards
    counts beside every way alike.
    """
    arms: list[tuple[float, Sequence[float | None]]] = []
    if any(similarity is not None for similarity in similarities):
        arms.append((options.vector_weight, similarities))
    if any(score > 0 for score in text_scores):
        arms.append((options.text_weight, matched(text_scores) if options.blend == "rrf" else text_scores))
    if not arms:
        return [0.0] * len(similarities)
    whole = sum(weight for weight, _ in arms)
    if whole <= 0:  # the arm with the weight has no scores
        arms, whole = [(1.0, values) for _, values in arms], float(len(arms))
    parts = [[weight / whole * value for value in _scaled(values, options)] for weight, values in arms]
    sums = [sum(values) for values in zip(*parts, strict=True)]
    if options.blend == "linear" and options.normalize in ("minmax", "sigmoid"):
        return [min(1.0, value) for value in sums]
    return min_max(sums)


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


def ranks(values: Sequence[float | None]) -> list[int | None]:
    """The place of each value, the greatest first; equal ones share the better place, missing ones have none."""
    places: dict[float, int] = {}
    for place, value in enumerate(sorted((v for v in values if v is not None), reverse=True), start=1):
        places.setdefault(value, place)
    return [None if value is None else places[value] for value in values]


def matched(text_scores: Sequence[float]) -> list[float | None]:
    """Text scores, None where no word matches."""
    return [score if score > 0 else None for score in text_scores]


def _scaled(values: Sequence[float | None], options: FusionOptions) -> list[float]:
    if options.blend == "rrf":
        return [0.0 if place is None else 1 / (options.k + place) for place in ranks(values)]
    return _NORMALIZED[options.normalize](values)


def _standardised(values: Sequence[float | None]) -> list[float]:
    """Standard deviations from the mean; measured on [0, 1], where no square is too small to be a number."""
    scaled = min_max(values)
    mean = math.fsum(scaled) / len(scaled)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in scaled) / len(scaled))
    return [(value - mean) / deviation if deviation > 0 else 0.0 for value in scaled]


def _bent(values: Sequence[float | None]) -> list[float]:
    return [1 / (1 + math.exp(-value)) for value in _standardised(values)]


def _as_they_are(values: Sequence[float | None]) -> list[float]:
    """What is missing counts like the worst, and never as better than nothing."""
    lowest = min((value for value in values if value is not None), default=0.0)
    return [min(lowest, 0.0) if value is None else value for value in values]


_NORMALIZED: dict[Normalization, Callable[[Sequence[float | None]], list[float]]] = {
    "minmax": min_max,
    "zscore": _standardised,
    "sigmoid": _bent,
    "none": _as_they_are,
}
