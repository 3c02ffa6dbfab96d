"""``search``: preferences in, documents and evidence out."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import date
from itertools import islice
from operator import itemgetter
from time import perf_counter
from typing import Any, Protocol
from uuid import UUID

from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.errors import InputError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk, RetrievalBundle, RetrievalStats
from webrag_desktop.retrieval.contracts.filters import SearchFilters, restriction
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.preferences import CachePrefs, ChunkingPrefs, RetrievalPrefs
from webrag_desktop.retrieval.corrections import corrections
from webrag_desktop.retrieval.hybrid.documents import FoundDocument
from webrag_desktop.retrieval.hybrid.finding import Finding, Found
from webrag_desktop.retrieval.hybrid.options import options_for, pooled_fusion
from webrag_desktop.retrieval.hybrid.pooling import SHARED, Pool, capped, cut_late, folded, span_of, told_once
from webrag_desktop.retrieval.hybrid.sources import candidate_items
from webrag_desktop.retrieval.hybrid.wording import AskedTerms
from webrag_desktop.retrieval.late_chunking.models import LateChunk, LateEvidence
from webrag_desktop.retrieval.query_text import QueryText, read_query
from webrag_desktop.retrieval.question_vector import QuestionVector, embed_question
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.candidates import WordQuery
from webrag_desktop.storage.searching.items import Passage, TextKey, hold_excluded
from webrag_desktop.storage.snapshot import snapshot
from webrag_desktop.text.dates import read_date
from webrag_desktop.text.spans import Span


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


FILTERS = tuple(field.name for field in fields(SearchFilters))
_DATES = frozenset(name for name in FILTERS if name.endswith(("_from", "_to")))
_DEPTHS = frozenset(("min_depth", "max_depth"))


def read_filters(given: Mapping[str, Any]) -> SearchFilters:
    """The filters; a field that is None restricts nothing, dates and ids may be texts.

    Raises:
        InputError: there is no such filter, or a value that nothing can meet.
    """
    if unknown := [name for name in given if name not in FILTERS]:
        raise InputError(f"There is no filter {unknown[0]!r}.", f"These are known: {', '.join(FILTERS)}.")
    return SearchFilters(**{name: _value(name, value) for name, value in given.items() if value is not None})


def _value(name: str, value: Any) -> Any:
    if name in _DATES:
        return _date(name, value)
    if name in _DEPTHS:
        return _depth(name, value)
    if isinstance(value, str):
        return value  # refused by the model itself
    if not isinstance(value, list | tuple | set | frozenset):
        raise InputError(f"The filter {name} is {value!r}.", "Give a list of values, if only of one.")
    listed = sorted(value) if isinstance(value, set | frozenset) else value
    return [_id(one) for one in listed] if name == "documents" else listed


def _depth(name: str, value: Any) -> Any:
    if type(value) is not int:
        raise InputError(f"The filter {name} is {value!r}, which is no whole number.", "Give one, such as 2.")
    return value


def _date(name: str, value: Any) -> date:
    if isinstance(value, date):
        return value
    try:
        return read_date(str(value), last=name.endswith("_to"))
    except ValueError as error:
        raise InputError(
            f"The filter {name} is {value!r}, which is no date.", "Write it like 2024, 2024-05 or 2024-05-31."
        ) from error


def _id(value: Any) -> Any:
    try:
        return UUID(value) if isinstance(value, str) else value
    except ValueError as error:
        raise InputError(
            f"A value of the filter documents, {value!r}, is no id of a document.",
            "`webrag list` shows them.",
        ) from error


BATCH = 64  # chunks that the server looks through at once


def within(
    chunks: Iterable[EvidenceChunk], allowed: Mapping[UUID, Sequence[Span]] | None
) -> list[EvidenceChunk]:
    """Those that lie mostly in what is allowed of their document; all of them where everything is."""
    if allowed is None:
        return list(chunks)
    return [chunk for chunk in chunks if _lies_in(span_of(chunk), allowed.get(UUID(chunk.item_id), ()))]


def without_excluded(
    conn: Connection,
    chunks: Iterable[EvidenceChunk],
    documents: Sequence[FoundDocument],
    words: WordQuery,
    cancel: CancelToken,
) -> Iterator[EvidenceChunk]:
    """Those that hold none of the excluded words, as the full text reads them; ``conn`` must be idle.

    The server looks through a few at a time, and no more when enough are taken: whole documents would take it long.
    """
    found = {str(one.item.id): one for one in documents}
    rest = iter(chunks)
    while batch := list(islice(rest, BATCH)):
        with snapshot(conn, cancel):
            held = hold_excluded(conn, words, [_passage(chunk, found[chunk.item_id]) for chunk in batch])
        yield from (chunk for chunk, holds in zip(batch, held, strict=True) if not holds)


def _lies_in(span: Span, allowed: Sequence[Span]) -> bool:
    """Whether most of it is allowed by spans that stand one behind another; only those that it meets are looked at."""
    place, shared = bisect_right(allowed, span[0], key=itemgetter(1)), 0
    while place < len(allowed) and allowed[place][0] < span[1]:
        start, end = allowed[place]
        shared += min(span[1], end) - max(span[0], start)
        place += 1
    return shared > SHARED * (span[1] - span[0])


def _passage(chunk: EvidenceChunk, document: FoundDocument) -> Passage:
    context = " ".join(filter(None, (document.item.title, *(chunk.heading_path or ()))))
    return Passage(document.children[0].row.search_language, context, chunk.text)


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
