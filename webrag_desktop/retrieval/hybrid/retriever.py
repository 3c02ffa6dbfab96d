"""``search``: preferences in, documents and evidence out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk, RetrievalBundle
from webrag_desktop.retrieval.contracts.filters import restriction
from webrag_desktop.retrieval.contracts.preferences import CachePrefs, ChunkingPrefs, RetrievalPrefs
from webrag_desktop.retrieval.hybrid.admission import within, without_excluded
from webrag_desktop.retrieval.hybrid.filtering import read_filters
from webrag_desktop.retrieval.hybrid.finding import Finding, Found
from webrag_desktop.retrieval.hybrid.options import options_for, pooled_fusion
from webrag_desktop.retrieval.hybrid.pooling import Pool, capped, cut_late, folded, told_once
from webrag_desktop.retrieval.hybrid.sources import candidate_items
from webrag_desktop.retrieval.hybrid.stats import Stopwatch, stats_of
from webrag_desktop.retrieval.hybrid.wording import AskedTerms
from webrag_desktop.retrieval.late_chunking.models import LateChunk, LateEvidence
from webrag_desktop.retrieval.options import RetrievalOptions
from webrag_desktop.retrieval.query_text import QueryText, read_query
from webrag_desktop.retrieval.question_vector import QuestionVector, embed_question
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.items import TextKey

_NOTHING_TO_COMPARE = (
    "Without a vector of the question nothing can be cut late, so evidence is as it was indexed."
)
_NOTHING_TO_CUT_WITH = "There is nothing here to cut texts late with, so evidence is as it was indexed."


class Retriever(Protocol):
    """Finds documents and evidence for one set of preferences."""

    def search(self, prefs: RetrievalPrefs, *, cancel: CancelToken | None = None) -> RetrievalBundle:
        """What answers best. Equal state and preferences give an equal bundle, timings aside.

        Raises:
            InputError: the question or the preferences cannot be used.
            Cancelled: ``cancel`` was set, in this thread or another.
        """


class LateChunker(Protocol):
    """Cuts candidates when they are asked about, as
    :class:`~webrag_desktop.retrieval.late_chunking.chunking.LateChunking` does.
    """

    def evidence(
        self,
        conn: Connection,
        texts: Sequence[TextKey],
        question: Sequence[float] | None,
        chunking: ChunkingPrefs,
        cache: CachePrefs,
        *,
        cancel: CancelToken | None = None,
    ) -> LateEvidence:
        """The chunks of these texts with their cosines."""


@dataclass(frozen=True, slots=True)
class HybridRetriever:
    """Searches by meaning and by words; ``options`` hold what preferences do not say.

    ``conn`` must be idle. Without an ``embedder``, or where it fails or is of another model than the library's, the
    words alone answer; without ``late``, or a vector of the question, evidence is as it was indexed. Each is said in
    ``stats.params["degraded"]``.
    """

    conn: Connection
    embedder: Embedder | None
    options: RetrievalOptions = field(default_factory=RetrievalOptions)
    tokenizer: Tokenizer | None = None
    late: LateChunker | None = None

    def search(self, prefs: RetrievalPrefs, *, cancel: CancelToken | None = None) -> RetrievalBundle:
        """See :class:`Retriever`; one snapshot of the library is read, and the texts that it showed are cut after it.

        Raises:
            InputError: the question is empty, too long or breaks the strict syntax, a filter cannot be, there is no
                such chunker or text search configuration, or ``conn`` is not idle.
            Cancelled: ``cancel`` was set.
            DatabaseError: the database refused, failed or went away.
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
            embedded = self._embedded(asked, prefs, token)
        with watch.timing("search"):
            finding = Finding(self.conn, asked, embedded, options, filters, token)
            found = finding.documents(prefs.top_k_items, to_cut=prefs.chunking.strategy != "precomputed")
        with watch.timing("evidence"):
            late = self._cut_late(found, prefs, token)
            evidence = self._evidence(found, late, asked, prefs, token)
        token.raise_if_cancelled()
        with watch.timing("sources"):
            candidates = candidate_items(found, asked.words, prefs.snippet)
        token.raise_if_cancelled()
        reasons = [found.candidates.question.degraded, asked.shortened, late.degraded]
        stats = stats_of(prefs, found, evidence, late.stats, reasons, watch)
        return RetrievalBundle(candidates=candidates, evidence=evidence, stats=stats)

    def _embedded(self, asked: QueryText, prefs: RetrievalPrefs, token: CancelToken) -> QuestionVector:
        if not prefs.vector.embed_query:
            return QuestionVector()
        return embed_question(asked.meaning, self.embedder, self.tokenizer, token)

    def _cut_late(self, found: Found, prefs: RetrievalPrefs, token: CancelToken) -> LateEvidence:
        """What is cut late; nothing where that is not wanted, or not possible."""
        if prefs.chunking.strategy == "precomputed":
            return LateEvidence([])
        question = found.candidates.question.values or None
        cut = LateEvidence([], degraded=_NOTHING_TO_CUT_WITH)
        if self.late is not None:
            items = [one.item for one in found.documents]
            texts = [TextKey(item.id, item.version_id, item.content_hash) for item in items]
            cut = self.late.evidence(self.conn, texts, question, prefs.chunking, prefs.cache, cancel=token)
        if not found.documents:
            return replace(cut, degraded=None)
        return replace(cut, degraded=_NOTHING_TO_COMPARE) if self.late and question is None else cut

    def _evidence(
        self, found: Found, late: LateEvidence, asked: QueryText, prefs: RetrievalPrefs, token: CancelToken
    ) -> list[EvidenceChunk]:
        """The best chunks by the strategy; as they were indexed where nothing could be compared with a question."""
        pool = Pool(found.documents, found.items.passages, self.options)
        strategy = (
            prefs.chunking.strategy if self.late and found.candidates.question.values else "precomputed"
        )
        chunks: Iterable[EvidenceChunk] = pool.stored()
        if strategy == "late":
            chunks = _of_others(chunks, late.chunks)
        if strategy != "precomputed":
            cut = within(map(cut_late, late.chunks), found.allowed)
            terms = AskedTerms.of(found.candidates, asked.words)
            chunks = pool.scored_anew([*chunks, *cut], terms, found.candidates.floor, pooled_fusion(prefs))
            if asked.words.excluded:
                chunks = without_excluded(self.conn, chunks, found.documents, asked.words, token)
        most = min(prefs.top_k_chunks, prefs.per_item_chunk_cap * len(found.documents))
        return capped(told_once(folded(chunks)), most, prefs.per_item_chunk_cap)


def _of_others(stored: Iterable[EvidenceChunk], late: Sequence[LateChunk]) -> list[EvidenceChunk]:
    """Stored chunks of the documents that were not cut in time, which would be without evidence."""
    cut = {str(chunk.item_id) for chunk in late}
    return [chunk for chunk in stored if chunk.item_id not in cut]
