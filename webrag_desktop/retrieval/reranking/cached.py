"""Remembers judgements: the same question about the same passages is asked once."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, Reranker, RerankResult

MOST_REMEMBERED = 128


class CachedReranker:
    """A reranker that keeps the judgements last used, in memory; failures are not kept.

    Model, question, and ids, texts, places and names of the candidates in their order make the key, so that whatever
    a model is shown decides.
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
        """What the reranker said before of just this, or says now."""
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
            (str(one.chunk_id), one.text, one.focus_start, one.focus_end, one.title, one.heading_path)
            for one in candidates
        ]
        return hashlib.sha256(json.dumps([self.model, query, shown]).encode()).hexdigest()
