"""A convex sum of two arms."""

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
_OF_EACH = 100  # candidates


def fused(by_words: Scores, by_meaning: Scores) -> Scores:
    """Half and half, each arm brought to [0, 1] over the best of both; what neither has among them is left out."""
    candidates = np.zeros(len(by_words), dtype=bool)
    best_words = np.argsort(-by_words, kind="stable")[:_OF_EACH]
    candidates[best_words[by_words[best_words] > 0]] = True
    candidates[np.argsort(-by_meaning, kind="stable")[:_OF_EACH]] = True
    total = 0.5 * _scaled(by_words, candidates) + 0.5 * _scaled(by_meaning, candidates)
    return np.where(candidates, total, -np.inf)


def _scaled(values: Scores, candidates: npt.NDArray[np.bool_]) -> Scores:
    low, high = values[candidates].min(), values[candidates].max()
    return np.asarray((values - low) / (high - low)) if high > low else np.zeros_like(values)
