"""bm25s over words that are already taken apart."""

from collections.abc import Sequence
from typing import Any

import bm25s  # type: ignore[import-not-found]


def word_scores(request: dict[str, Any]) -> list[list[float]]:
    """For each question of ``asked`` the score of every passage of ``words``; 0 where it asks for no word."""
    index = bm25s.BM25(k1=request["k1"], b=request["b"])
    index.index(request["words"], show_progress=False)
    return [_scored(index, terms, len(request["words"])) for terms in request["asked"]]


def _scored(index: Any, terms: Sequence[str], passages: int) -> list[float]:
    known = [term for term in terms if term in index.vocab_dict]
    scores: list[float] = index.get_scores(known).tolist() if known else [0.0] * passages
    return scores
