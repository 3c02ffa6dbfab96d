"""A result that grows: what a search found, made into results as far as they are shown."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.assembly import with_evidence
from webrag_desktop.retrieval.choosing import Chooser, fallback_notice
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.passages import Passage, as_left_out, as_retrieved
from webrag_desktop.retrieval.contracts.results import (
    CorpusStats,
    Mode,
    RetrievalResult,
    RetrievedChunk,
    TimingInfo,
)
from webrag_desktop.retrieval.evidence import Evidence, Reading
from webrag_desktop.retrieval.pipeline import Candidates, Stopwatch, corrections
from webrag_desktop.retrieval.query_text import QuestionVector
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.search import ParentRow, Scope, Shown, ask_parents
from webrag_desktop.storage.snapshot import pipelined_snapshot

# Sentences of a passage that a reranker is shown, which reads no more than the best.
SENTENCES_JUDGED = 4


def group_by_document(passages: Iterable[Passage]) -> list[Passage]:
    """Documents by their best passage, the passages of each, which were read, in reading order."""
    groups: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        groups[passage.source_url].append(passage)
    best_first = sorted(groups.items(), key=lambda item: (-max(p.rank_score for p in item[1]), item[0]))
    return [passage for _, group in best_first for passage in sorted(group, key=_reading_order)]


def _reading_order(passage: Passage) -> tuple[int, UUID]:
    assert passage.stored is not None, "it was not read"
    return passage.stored.chunk_index, passage.id


def best_passages(passages: Sequence[Passage], limit: int | None) -> Sequence[Passage]:
    """The ``limit`` passages of highest rank, all for None, in the order given."""
    if limit is None or len(passages) <= limit:
        return passages
    kept = {one.id for one in sorted(passages, key=lambda one: -one.rank_score)[:limit]}
    return [one for one in passages if one.id in kept]


@dataclass(frozen=True, slots=True)
class Found:
    """What one search found in its snapshot, before any result is made of it.

    ``ranked`` are all parents that count, best first, ``wanted`` those of them that are needed to choose, and ``shown``
    what was read of these and of the children that ``reading`` chooses. Of whole documents ``shown`` is all there is.
    ``notice`` is a sentence for the user.
    """

    query: str
    mode: Mode
    candidates: Candidates
    options: RetrievalOptions
    chooser: Chooser
    ranked: Sequence[Passage]
    wanted: Sequence[Passage]
    reading: Reading
    evidence: Evidence
    shown: Shown
    watch: Stopwatch
    notice: str | None = None

    @property
    def unread(self) -> list[Passage]:
        """The parents whose texts are wanted, and were not read."""
        read = {row.id.int for row in self.shown.parents}
        return [parent for parent in self.wanted if parent.id.int not in read]

    def read(self, conn: Connection, cancel: CancelToken) -> "Found | None":
        """The same with all that is wanted; None where the library does not hold all of it any more.

        Raises:
            InputError: ``conn`` is not idle.
            Cancelled: ``cancel`` was set.
            DatabaseError: the database refused, failed or cannot be reached.
        """
        unread = self.unread
        if not unread:
            return self
        children = read_children(unread, self.reading)
        with pipelined_snapshot(conn, cancel):
            pending = ask_parents(conn, [parent.id for parent in unread], children)
        more = pending.received()
        if len(more.parents) < len(unread) or len(more.children) < len(children):
            return None
        parents = sorted([*self.shown.parents, *more.parents], key=_place_in_library)
        return replace(self, shown=Shown(parents, self.shown.children | more.children))

    def result(self, cancel: CancelToken, limit: int | None = None) -> RetrievalResult:
        """The result of what was read; with a ``limit`` no more than that many chunks are made, the best ones.

        Where all that is wanted was read, they and all else are as they are without a limit, but for ``left_out``,
        which holds the others too.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        evidence = self.evidence.with_parts(self.shown.children)
        whole = self.mode == "full_context"
        if whole:  # whole documents are neither judged nor folded
            chosen = self.chooser.whole(self.ranked, self.shown.parents)
        else:
            known = self.ranked if not self.unread else self.wanted[: len(self.shown.parents)]
            chosen = self.chooser.choose(
                self.query,
                known,
                self.shown.parents,
                cancel,
                lambda one: evidence.spans(one.children, SENTENCES_JUDGED),
            )
        ordered = chosen.passages if whole else group_by_document(chosen.passages)
        best = best_passages(ordered, limit)
        documents = {one.document for one in best}
        # A sentence scores less where a better passage of its document has it too, so these are looked at together.
        beside = [one for one in chosen.passages if one.document in documents]
        found = {one.id: one for one in with_evidence(beside, evidence, self.options.spans_per_parent)}
        chunks = [as_retrieved(found[one.id], whole=whole) for one in best]
        cancel.raise_if_cancelled()
        kept = {one.id for one in best}
        beyond = [as_left_out(one, "limit") for one in ordered if one.id not in kept]
        question = self.candidates.question.also(self.notice).also(fallback_notice(chosen.report))
        return result_of(
            self.mode,
            chunks,
            question,
            self.candidates.scope,
            self.watch,
            [one.source_url for one in ordered],
        ).model_copy(
            update={
                "corrections": corrections(self.candidates.lexicon.similar, self.candidates.rows),
                "rerank": chosen.report,
                "rerank_results": list(chosen.judged.values()),
                "left_out": sorted([*beyond, *chosen.left_out], key=lambda one: -one.rank_score)
                if beyond
                else list(chosen.left_out),
            }
        )


def read_children(parents: Iterable[Passage], reading: Reading) -> list[UUID]:
    """The children of these parents that are read for evidence."""
    return [child.id for parent in parents for child in reading.of(parent.children)[0]]


def _place_in_library(row: ParentRow) -> tuple[int, str, int, UUID]:
    """The order in which parents are read from the library."""
    return row.depth, row.source_url, row.chunk_index, row.id


@dataclass(frozen=True, slots=True)
class GrowingResult:
    """The best passages of a search, and all of them once they are asked for.

    In ``first`` the best passages are as they are in the whole result, in the same order, but for what depends on the
    others: near-duplicates that were not read are not listed, nor what was left out, and a sentence that one of them
    has too may score more.
    """

    first: RetrievalResult
    found: Found | None = None

    def whole(self, conn: Connection, cancel: CancelToken | None = None) -> RetrievalResult | None:
        """The result that the search gives at once; None where the library has changed and is to be asked again.

        Raises:
            InputError: ``conn`` is not idle.
            Cancelled: ``cancel`` was set.
            DatabaseError: the database refused, failed or cannot be reached.
        """
        if self.found is None:
            return self.first
        cancel = cancel or CancelToken()
        found = replace(self.found, watch=self.found.watch.going_on(self.first.timing.total_ms))
        read = found.read(conn, cancel)
        return read.result(cancel) if read else None


def result_of(
    mode: Mode,
    chunks: list[RetrievedChunk],
    question: QuestionVector,
    scope: Scope,
    watch: Stopwatch,
    matched: Iterable[str] = (),
) -> RetrievalResult:
    """A result of these chunks; ``matched`` are the addresses that gave one, in order."""
    times = watch.read()
    return RetrievalResult(
        mode=mode,
        chunks=chunks,
        query_embedding=question.values,
        corpus_stats=CorpusStats(
            total_documents=scope.documents,
            total_parent_chunks=scope.parent_chunks,
            total_tokens=scope.tokens,
            documents_matched=list(dict.fromkeys(matched)),
        ),
        timing=TimingInfo(
            embed_ms=times["embed"], search_ms=times["total"] - times["embed"], total_ms=times["total"]
        ),
        degraded=question.degraded,
    )
