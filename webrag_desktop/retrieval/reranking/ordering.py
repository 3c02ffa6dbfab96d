"""The order in which reranking leaves passages, each exactly once; judgements are cached."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from uuid import UUID

from webrag_desktop.errors import ChatError, ConfigurationError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import (
    RerankCandidate,
    Reranker,
    RerankReport,
    RerankResult,
)

# Among equally relevant passages the fused score decides, with less weight where there is no judgement. It weighs less
# than any difference between two judgements: those of a cross-encoder for passages that do not answer differ by
# thousandths of a point.
_JUDGED_TIE, _UNJUDGED_TIE = 1e-9, 1e-10
_WHOLE = 100.0 + _JUDGED_TIE


@dataclass(frozen=True)
class Reranked:
    """Every candidate once, best first, by id; the judgements by id, and what became of it all."""

    order: tuple[UUID, ...]
    report: RerankReport
    results: dict[UUID, RerankResult] = field(default_factory=dict)

    def rank_score(self, chunk_id: UUID, fused: float) -> float:
        """The rank score of the passage, in [0, 1]; the ``fused`` score where it was not judged."""
        if not self.results:
            return fused
        if (judged := self.results.get(chunk_id)) is None:
            return _UNJUDGED_TIE * fused / _WHOLE
        return _combined(judged, fused)


def _combined(judged: RerankResult, fused: float) -> float:
    """The score of a judged passage, in [0, 1]: the judgement's by its weight, the rest the search's.

    Where the fused scores of two passages differ by more than ``weight / (1 - weight)``, no judgement turns them round.
    """
    scored = judged.weight * judged.relevance_score + (1 - judged.weight) * 100 * fused
    return (scored + _JUDGED_TIE * fused) / _WHOLE


def reranked(
    query: str,
    candidates: Sequence[RerankCandidate],
    reranker: Reranker,
    most: int,
    *,
    cancel: CancelToken | None = None,
) -> Reranked:
    """The candidates, given by falling fused score, in the order of their relevance and that score together.

    The leading ``most`` are judged; the others follow in the order given, as do equal ones among themselves.
    Where the reranker fails, or its judgement is unusable, all keep the order given and the report says why.

    Raises:
        Cancelled: ``cancel`` was set.
    """
    given = tuple(candidate.chunk_id for candidate in candidates)
    if not candidates:
        return Reranked(given, RerankReport(model=reranker.model))
    leading = candidates[:most]
    try:
        by_id = _believed(reranker.rerank(query, leading, cancel=cancel), leading)
    except (ChatError, ConfigurationError) as error:
        fallback = RerankReport(model=reranker.model, fallback=error.message, hint=error.hint or None)
        return Reranked(given, fallback)
    fused = {candidate.chunk_id: candidate.fused for candidate in leading}
    best_first = sorted(fused, key=lambda chunk_id: -_combined(by_id[chunk_id], fused[chunk_id]))
    report = RerankReport(
        model=reranker.model,
        judged=len(by_id),
        evidence_dropped=sum(result.evidence_dropped for result in by_id.values()),
    )
    return Reranked((*best_first, *given[most:]), report, by_id)


def _believed(
    results: Sequence[RerankResult], candidates: Sequence[RerankCandidate]
) -> dict[UUID, RerankResult]:
    """The results by id, once there is one for each candidate; evidence that no text contains is removed."""
    texts = {candidate.chunk_id: candidate.text for candidate in candidates}
    if sorted(result.chunk_id for result in results) != sorted(texts):
        raise ChatError(
            "The reranker did not judge every passage exactly once.",
            "Search without reranking, or try again.",
        )
    return {
        result.chunk_id: result
        if result.key_evidence in texts[result.chunk_id]
        else result.model_copy(update={"key_evidence": "", "evidence_dropped": True})
        for result in results
    }


MOST_REMEMBERED = 128


class CachedReranker:
    """A reranker that keeps the judgements last used, in memory; failures are not kept.

    Model, question, and ids, texts, places, sentences and names of the candidates in their order make the key: all
    that a model is given.
    """

    def __init__(self, reranker: Reranker, most: int = MOST_REMEMBERED) -> None:
        self._reranker = reranker
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[str, list[RerankResult]] = OrderedDict()

    @property
    def model(self) -> str | None:
        """Whose judgement it is."""
        return self._reranker.model

    def rerank(
        self, query: str, candidates: Sequence[RerankCandidate], *, cancel: CancelToken | None = None
    ) -> list[RerankResult]:
        """The cached judgement of these candidates, or a new one."""
        key = self._key(query, candidates)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return list(self._kept[key])
        results = self._reranker.rerank(query, candidates, cancel=cancel)  # unlocked: it takes long
        with self._lock:
            self._kept[key] = list(results)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return results

    def _key(self, query: str, candidates: Sequence[RerankCandidate]) -> str:
        shown = [
            (
                str(one.chunk_id),
                one.text,
                (one.focus_start, one.focus_end, one.sentences),
                (one.title, one.heading_path),
            )
            for one in candidates
        ]
        return hashlib.sha256(json.dumps([self.model, query, shown]).encode()).hexdigest()
