"""What a search took and what it was asked, for whoever wants to know why it answered as it did."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk, RetrievalStats
from webrag_desktop.retrieval.contracts.preferences import RetrievalPrefs
from webrag_desktop.retrieval.corrections import corrections
from webrag_desktop.retrieval.hybrid.finding import Found


class Stopwatch:
    """Milliseconds by step, and of the whole."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._steps: dict[str, float] = {}

    @contextmanager
    def timing(self, step: str) -> Iterator[None]:
        """Measure the block."""
        began = perf_counter()
        try:
            yield
        finally:
            self._steps[step] = _milliseconds(began)

    def read(self) -> dict[str, float]:
        """What was measured so far."""
        return {**self._steps, "total": _milliseconds(self._started)}


def stats_of(
    prefs: RetrievalPrefs,
    found: Found,
    evidence: Sequence[EvidenceChunk],
    late: Mapping[str, Any],
    reasons: Sequence[str | None],
    watch: Stopwatch,
) -> RetrievalStats:
    """All of it with ``debug``; else only why the search was less than it can be, where it was."""
    degraded = " ".join(filter(None, reasons))
    told: dict[str, Any] = {"degraded": degraded} if degraded else {}
    if not prefs.debug:
        return RetrievalStats(params=told)
    late = late if prefs.chunking.strategy != "precomputed" else {}
    return RetrievalStats(
        timing_ms=watch.read() | {f"late_{name[:-3]}": late[name] for name in late if name.endswith("_ms")},
        counts=_counts(found, evidence)
        | {f"late_{name}": late[name] for name in late if not name.endswith("_ms")},
        params=_params(prefs, found) | told,
    )


def _counts(found: Found, evidence: Sequence[EvidenceChunk]) -> dict[str, int]:
    candidates = found.candidates
    scope, rows = candidates.scope, candidates.rows
    return {
        "documents": scope.documents,
        "parent_chunks": scope.parent_chunks,
        "child_chunks": scope.child_chunks,
        "candidates_vector": sum(row.by_vector for row in rows),
        "candidates_text": sum(row.by_words for row in rows),
        "children": len(candidates.children),
        "items": len(found.documents),
        "evidence": len(evidence),
    }


def _params(prefs: RetrievalPrefs, found: Found) -> dict[str, Any]:
    candidates = found.candidates
    space = candidates.scope.space
    return {
        **prefs.model_dump(mode="json"),
        "similarity_floor": candidates.floor,
        "embedding_model": space.space.model.model if space else None,
        # The likeliest comes first and is to be the one that stays.
        "corrections": {one.word: one.read_as for one in reversed(corrections(candidates.lexicon.similar))},
    }


def _milliseconds(began: float) -> float:
    return (perf_counter() - began) * 1000
