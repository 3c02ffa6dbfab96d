"""``search``: preferences in, documents and evidence out.

Evidence are stored passages, passages cut late, or both on one scale.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from operator import itemgetter
from typing import Any, Protocol
from uuid import UUID

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.candidates import JOINING_SHARE, depth_weight
from webrag_desktop.retrieval.choosing import SHARED, first_of_each, no_copy, no_overlap, selected
from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk, RetrievalBundle, RetrievalStats
from webrag_desktop.retrieval.contracts.filters import read_filters, restriction
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.passages import Passage, as_evidence
from webrag_desktop.retrieval.contracts.preferences import RetrievalPrefs, options_for, pooled_fusion
from webrag_desktop.retrieval.fusion import FusionOptions, fuse
from webrag_desktop.retrieval.hybrid.documents import (
    Found,
    FoundDocument,
    candidate_items,
    find_documents,
    likeliest,
)
from webrag_desktop.retrieval.late_chunking.chunking import LateChunking, LateEvidence
from webrag_desktop.retrieval.phrases import QuotedPhrases, led
from webrag_desktop.retrieval.pipeline import Question, SearchTerms, Stopwatch, corrections, read_question
from webrag_desktop.retrieval.query_text import QueryText, QuestionVector, embed_question
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching import items
from webrag_desktop.storage.searching.items import TextKey
from webrag_desktop.storage.searching.word_query import WordQuery
from webrag_desktop.storage.snapshot import snapshot
from webrag_desktop.text.spans import Span

BATCH = 64  # passages that the server checks for excluded words at once


def rescored(
    passages: Sequence[Passage],
    documents: Sequence[FoundDocument],
    terms: SearchTerms,
    floor: float,
    fusion: FusionOptions,
    options: RetrievalOptions,
    quoted: Sequence[str] = (),
) -> list[Passage]:
    """Passages of documents scored on one scale, stored or cut late: by their cosines and by the words they contain.

    ``score_text`` is the share of the terms' idf then. All passages set the scale; those count that are stored,
    whose cosine reaches the ``floor``, that contain as many words as join other evidence in any search, or hold a
    ``quoted`` phrase, which come first.
    """
    by_id = {one.item.id: one for one in documents}
    of_passage = [by_id[one.document] for one in passages]
    languages = [one.passages[0].language for one in of_passage]
    shares = terms.coverage([(lang, one.text) for lang, one in zip(languages, passages, strict=True)])
    cosines = [one.similarity for one in passages]
    fused = fuse(cosines, shares, fusion)
    weighted = [
        score * depth_weight(document.item.depth, options)
        for document, score in zip(of_passage, fused, strict=True)
    ]
    phrases = QuotedPhrases(quoted)
    counts = [phrases.held(one.text) for one in passages] if quoted else [0] * len(passages)
    return [
        one._replace(rank_score=score, scores=one.scores._replace(score_text=held or None))
        for one, score, held, cosine, count in zip(
            passages, led(weighted, counts), shares, cosines, counts, strict=True
        )
        if one.chunk_id or count or held >= JOINING_SHARE or (cosine is not None and cosine >= floor)
    ]


def in_order(passages: Iterable[Passage], documents: Sequence[FoundDocument]) -> list[Passage]:
    """Passages by score; equal ones in the order of their documents, then in text order."""
    places = {one.item.id: place for place, one in enumerate(documents)}
    return sorted(
        passages,
        key=lambda one: (-one.rank_score, places[one.document], *one.span, str(one.chunk_id or "")),
    )


def within(passages: Iterable[Passage], allowed: Mapping[UUID, Sequence[Span]] | None) -> list[Passage]:
    """Those that are mostly within the allowed spans of their document; all of them where everything is allowed."""
    if allowed is None:
        return list(passages)
    return [one for one in passages if _lies_in(one.span, allowed.get(one.document, ()))]


def _lies_in(span: Span, allowed: Sequence[Span]) -> bool:
    """Whether most of it is covered by the spans, which are in order and do not overlap."""
    place, shared = bisect_right(allowed, span[0], key=itemgetter(1)), 0
    while place < len(allowed) and allowed[place][0] < span[1]:
        start, end = allowed[place]
        shared += min(span[1], end) - max(span[0], start)
        place += 1
    return shared > SHARED * (span[1] - span[0])


def without_excluded(
    conn: Connection,
    passages: Iterable[Passage],
    documents: Sequence[FoundDocument],
    words: WordQuery,
    cancel: CancelToken,
) -> Iterator[Passage]:
    """Those without any of the excluded words, as the full text reads them; ``conn`` must be idle.

    The server checks a batch at a time, and no more than the caller takes: whole documents would take it long.
    """
    found = {one.item.id: one for one in documents}
    rest = iter(passages)
    while batch := list(islice(rest, BATCH)):
        with snapshot(conn, cancel):
            checked = [_to_check(one, found[one.document]) for one in batch]
            held = items.hold_excluded(conn, words, checked)
        yield from (one for one, holds in zip(batch, held, strict=True) if not holds)


def _to_check(passage: Passage, document: FoundDocument) -> items.CheckedText:
    context = " ".join(filter(None, (document.item.title, *passage.heading_path)))
    return items.CheckedText(document.passages[0].language, context, passage.text)


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
        query_text = read_question(prefs.query_text, options)
        # Before the snapshot, as a slow server must not keep a transaction open.
        with watch.timing("embed"):
            embedded = (
                embed_question(query_text.meaning, self.embedder, self.tokenizer, token)
                if prefs.vector.embed_query
                else QuestionVector()
            )
        with watch.timing("search"):
            question = Question(self.conn, query_text, embedded, filters, token)
            cuts = prefs.chunking.strategy != "precomputed"
            found = find_documents(question, options, prefs.top_k_items, to_cut=cuts)
        with watch.timing("evidence"):
            late = self._cut_late(found, prefs, token) if cuts else LateEvidence([])
            evidence = self._evidence(found, late, query_text, prefs, token)
        token.raise_if_cancelled()
        with watch.timing("sources"):
            candidates = candidate_items(found, prefs.snippet)
        token.raise_if_cancelled()
        reasons = [found.candidates.question.degraded, query_text.shortened, late.degraded]
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
        return cut if found.documents else replace(cut, degraded=None)

    def _evidence(
        self,
        found: Found,
        late: LateEvidence,
        query_text: QueryText,
        prefs: RetrievalPrefs,
        token: CancelToken,
    ) -> list[EvidenceChunk]:
        """The best passages by the strategy; as they were indexed where nothing could be compared with a question."""
        comparable = self.late is not None and found.candidates.question.values
        strategy = prefs.chunking.strategy if comparable else "precomputed"
        documents = found.documents
        passages: Iterable[Passage] = [passage for one in documents for passage in one.passages]
        if strategy == "late":
            cut = {one.document for one in late.passages}
            # The others were not cut in time, and would be without evidence.
            passages = [one for one in passages if one.document not in cut]
        if strategy != "precomputed":
            both = [*passages, *within(late.passages, found.allowed)]
            terms, floor = found.candidates.terms, found.candidates.floor
            quoted = query_text.words.quoted
            passages = rescored(both, documents, terms, floor, pooled_fusion(prefs), self.options, quoted)
        passages = in_order(passages, documents)
        if strategy != "precomputed" and query_text.words.excluded:
            passages = without_excluded(self.conn, passages, documents, query_text.words, token)
        most = min(prefs.top_k_chunks, prefs.per_item_chunk_cap * len(documents))
        chosen = selected(passages, no_overlap(), no_copy(), first_of_each(prefs.per_item_chunk_cap))
        return [as_evidence(one) for one in islice(chosen, most)]  # no more are checked than are taken


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
        figures = asdict(late.stats)
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
        "corrections": likeliest(corrections(candidates.lexicon.similar, candidates.rows)),
    }
