"""Clustered vectors of a low inner dimension, as texts have, and questions near some of them."""

import numpy as np
import numpy.typing as npt

DIMENSIONS = 768
_INNER = 48
_IN_A_CLUSTER = 200

Vectors = npt.NDArray[np.float32]


def clustered(count: int, seed: int = 3) -> Vectors:
    """That many unit vectors, about two hundred around each centre."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(1, count // _IN_A_CLUSTER), _INNER)).astype(np.float32)
    outward = np.random.default_rng(0).normal(size=(_INNER, DIMENSIONS)).astype(np.float32)
    inner = centres[random.integers(len(centres), size=count)]
    inner += 0.5 * random.normal(size=inner.shape).astype(np.float32)
    return _unit(inner @ outward)


def near(vectors: Vectors, places: npt.NDArray[np.int64], seed: int = 5) -> Vectors:
    """A question beside each of these vectors."""
    noise = np.random.default_rng(seed).normal(size=(len(places), DIMENSIONS)).astype(np.float32)
    return _unit(vectors[places] + 0.3 * _unit(noise))


def nearest(vectors: Vectors, question: Vectors, count: int) -> set[int]:
    """The exact neighbours, by place."""
    found = np.argpartition(-(vectors @ question), min(count, len(vectors) - 1))[:count]
    return {int(place) for place in found}


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit
