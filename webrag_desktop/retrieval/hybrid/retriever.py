"""``search``: preferences in, documents and evidence out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk, RetrievalBundle, RetrievalStats
from webrag_desktop.retrieval.contracts.filters import read_filters, restriction
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.preferences import RetrievalPrefs, options_for, pooled_fusion
from webrag_desktop.retrieval.hybrid.documents import Found, find_documents
from webrag_desktop.retrieval.hybrid.pooling import (
    Pool,
    capped,
    drop_duplicates,
    within,
    without_excluded,
    without_overlaps,
)
from webrag_desktop.retrieval.hybrid.sources import candidate_items, likeliest
from webrag_desktop.retrieval.late_chunking.chunking import LateChunking, LateEvidence
from webrag_desktop.retrieval.pipeline import Question, Stopwatch, corrections
from webrag_desktop.retrieval.query_text import QueryText, read_query
from webrag_desktop.retrieval.question_vector import QuestionVector, embed_question
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.items import TextKey

_NO_VECTOR = "Without a vector of the question nothing can be cut late, so evidence is as it was indexed."
_NO_CHUNKER = "There is nothing here to cut texts late with, so evidence is as it was indexed."


class Retriever(Protocol):
    """Finds documents and evidence for one set of preferences."""

    def search(self, prefs: RetrievalPrefs, *, cancel: CancelToken | None = None) -> RetrievalBundle:
        """The best documents and evidence. Equal state and preferences give an equal bundle, except for timings.

        Raises:
            InputError: the question or the preferences cannot be used.
            Cancelled: ``cancel`` was set, in this thread or another.
        """


@dataclass(frozen=True, slots=True)
class HybridRetriever:
    """Searches by meaning and by words; ``options`` hold what preferences do not say.

    ``conn`` must be idle. Without an ``embedder``, or where it fails or is of another model than the library's, only
    words are searched; without ``late``, or a vector of the question, evidence is as it was indexed.
    ``stats.params["degraded"]`` says which of these applied.
    """

    conn: Connection
    embedder: Embedder | None
    options: RetrievalOptions = field(default_factory=RetrievalOptions)
    tokenizer: Tokenizer | None = None
    late: LateChunking | None = None

    def search(self, prefs: RetrievalPrefs, *, cancel: CancelToken | None = None) -> RetrievalBundle:
        """See :class:`Retriever`; one snapshot of the library is read, and late chunking follows it.

        Raises:
            InputError: the question is empty, too long or breaks the strict syntax, a filter cannot be, there is no
                such chunker or text search configuration, or ``conn`` is not idle.
            Cancelled: ``cancel`` was set.
            DatabaseError: the database refused, failed or cannot be reached.
        """
        watch, token = Stopwatch(), cancel or CancelToken()
        token.raise_if_cancelled()
        options = options_for(prefs, self.options)
        filters = restriction(read_filters(prefs.filters))
        asked = read_query(
            prefs.query_text,
            options.tsquery_mode,
            options.text_search_config,
            corrections=options.corrections,
        )
        # Before the snapshot, as a slow server must not keep a transaction open.
        with watch.timing("embed"):
            embedded = (
                embed_question(asked.meaning, self.embedder, self.tokenizer, token)
                if prefs.vector.embed_query
                else QuestionVector()
            )
        with watch.timing("search"):
            question = Question(self.conn, asked, embedded, filters, token)
            cuts = prefs.chunking.strategy != "precomputed"
            found = find_documents(question, options, prefs.top_k_items, to_cut=cuts)
        with watch.timing("evidence"):
            late = self._cut_late(found, prefs, token) if cuts else LateEvidence([])
            evidence = self._evidence(found, late, asked, prefs, token)
        token.raise_if_cancelled()
        with watch.timing("sources"):
            candidates = candidate_items(found, prefs.snippet)
        token.raise_if_cancelled()
        reasons = [found.candidates.question.degraded, asked.shortened, late.degraded]
        stats = _stats(prefs, found, evidence, late, " ".join(filter(None, reasons)), watch)
        return RetrievalBundle(candidates=candidates, evidence=evidence, stats=stats)

    def _cut_late(self, found: Found, prefs: RetrievalPrefs, token: CancelToken) -> LateEvidence:
        """The texts of the documents found, cut and compared with the question as far as that is possible."""
        question = found.candidates.question.values or None
        cut = LateEvidence([], degraded=_NO_CHUNKER)
        if self.late is not None:
            items = [one.item for one in found.documents]
            texts = [TextKey(item.id, item.version_id, item.content_hash) for item in items]
            cut = self.late.evidence(self.conn, texts, question, prefs.chunking, prefs.cache, cancel=token)
        if not found.documents:
            return replace(cut, degraded=None)
        return replace(cut, degraded=_NO_VECTOR) if self.late and question is None else cut

    def _evidence(
        self, found: Found, late: LateEvidence, asked: QueryText, prefs: RetrievalPrefs, token: CancelToken
    ) -> list[EvidenceChunk]:
        """The best passages by the strategy; as they were indexed where nothing could be compared with a question."""
        pool = Pool(found.documents, found.items.passages, self.options)
        comparable = self.late is not None and found.candidates.question.values
        strategy = prefs.chunking.strategy if comparable else "precomputed"
        passages: Iterable[Passage] = pool.stored()
        if strategy == "late":
            cut = {one.document_id for one in late.passages}
            # The others were not cut in time, and would be without evidence.
            passages = [one for one in passages if one.document_id not in cut]
        if strategy != "precomputed":
            both = [*passages, *within(late.passages, found.allowed)]
            candidates = found.candidates
            passages = pool.rescored(both, candidates.terms, candidates.floor, pooled_fusion(prefs))
            if asked.words.excluded:
                passages = without_excluded(self.conn, passages, found.documents, asked.words, token)
        most = min(prefs.top_k_chunks, prefs.per_item_chunk_cap * len(found.documents))
        best = capped(drop_duplicates(without_overlaps(passages)), most, prefs.per_item_chunk_cap)
        return [one.as_evidence() for one in best]


def _stats(
    prefs: RetrievalPrefs,
    found: Found,
    evidence: Sequence[EvidenceChunk],
    late: LateEvidence,
    degraded: str,
    watch: Stopwatch,
) -> RetrievalStats:
    """All statistics with ``debug``; else only why the search was less than it can be, where it was."""
    reason: dict[str, Any] = {"degraded": degraded} if degraded else {}
    if not prefs.debug:
        return RetrievalStats(params=reason)
    times, counts = watch.read(), _counts(found, evidence)
    if prefs.chunking.strategy != "precomputed":
        figures: dict[str, Any] = dict(late.stats)
        times |= {f"late_{name[:-3]}": value for name, value in figures.items() if name.endswith("_ms")}
        counts |= {f"late_{name}": value for name, value in figures.items() if not name.endswith("_ms")}
    return RetrievalStats(timing_ms=times, counts=counts, params=_params(prefs, found) | reason)


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
        "corrections": likeliest(corrections(candidates.lexicon.similar)),
    }
