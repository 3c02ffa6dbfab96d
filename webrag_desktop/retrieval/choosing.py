"""Which passages are returned, of any search: one way to select, by the limits that a search has.

:func:`retrieve <webrag_desktop.retrieval.search.retrieve>` selects by judgement, near-duplicates and a budget of tokens
(:class:`Chooser`), a :class:`~webrag_desktop.retrieval.hybrid.retriever.Retriever` by overlaps, copies and numbers.
"""

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.judgements import Reranker, RerankReport, RerankResult
from webrag_desktop.retrieval.contracts.passages import (
    Passage,
    as_folded,
    as_left_out,
    as_rerank_candidate,
    passage_of,
    unmatched,
)
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.contracts.results import (
    Folded,
    LeftOut,
    LeftOutFor,
    MatchedSpan,
    RetrievalResult,
)
from webrag_desktop.retrieval.dedup import DEFAULT_THRESHOLD, LEAST_SCREENED, foldings, resembling
from webrag_desktop.retrieval.reranking.ordering import reranked
from webrag_desktop.storage.searching.search import DocumentSize, ParentRow
from webrag_desktop.text.spans import Span

_NAMED = 3  # documents that a notice names
# Two passages are the same evidence where they share more than this of the shorter one.
SHARED = 0.5


class Limit(NamedTuple):
    """What limits a selection: ``holds`` is asked of every passage that earlier limits let through, best first.

    ``reason`` is why a passage that it does not let through is left out.
    """

    reason: LeftOutFor
    holds: Callable[[Passage], bool]


def select(passages: Iterable[Passage], *limits: Limit) -> Iterator[tuple[Passage, LeftOutFor | None]]:
    """The passages, given best first, each with why it is left out; None where it is selected."""
    for passage in passages:
        yield passage, next((limit.reason for limit in limits if not limit.holds(passage)), None)


def selected(passages: Iterable[Passage], *limits: Limit) -> Iterator[Passage]:
    """Those of the passages, given best first, that no limit leaves out."""
    return (passage for passage, reason in select(passages, *limits) if reason is None)


def budget_of(tokens: int) -> Limit:
    """The leading passages that fit together; the first comes even where it alone exceeds the budget.

    It ends at the first that does not fit, so a weaker but smaller one never takes a stronger one's place.
    """
    left, first = tokens, True

    def holds(passage: Passage) -> bool:
        nonlocal left, first
        if left < 0:
            return False
        left -= passage.tokens
        fits, first = left >= 0 or first, False
        return fits

    return Limit("context_budget", holds)


def first_of_all(most: int) -> Limit:
    """The first ``most`` passages."""
    numbers = iter(range(most))
    return Limit("return_top_n", lambda _passage: next(numbers, None) is not None)


def first_of_each(most: int) -> Limit:
    """The first ``most`` passages of each document."""
    counts: Counter[UUID] = Counter()

    def holds(passage: Passage) -> bool:
        counts[passage.document] += 1
        return counts[passage.document] <= most

    return Limit("return_top_n", holds)


def no_overlap() -> Limit:
    """Passages that share little with any better one of their document."""
    kept: dict[UUID, list[Span]] = defaultdict(list)  # in text order

    def holds(passage: Passage) -> bool:
        span, others = passage.span, kept[passage.document]
        place = bisect(others, span)
        # Those that share little end in the order in which they begin, so that no other shares more than these two.
        if any(mostly_same(span, other) for other in others[max(0, place - 1) : place + 1]):
            return False
        others.insert(place, span)
        return True

    return Limit("near_duplicate", holds)


def mostly_same(one: Span, other: Span) -> bool:
    """Whether two spans of one text share most of the shorter one."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared > SHARED * min(one[1] - one[0], other[1] - other[0])


def no_copy() -> Limit:
    """Passages whose text no better one has: a page may have several addresses."""
    seen: set[str] = set()

    def holds(passage: Passage) -> bool:
        before = len(seen)
        seen.add(passage.text.strip())
        return len(seen) > before

    return Limit("near_duplicate", holds)


def result_within(result: RetrievalResult, budget: int) -> RetrievalResult:
    """What a search in the mode ``chunk`` found, as a search with a smaller budget would give it."""
    ranked = sorted(map(passage_of, result.chunks), key=lambda one: one.sort_key)
    beyond = [as_left_out(one, reason) for one, reason in select(ranked, budget_of(budget)) if reason]
    if not beyond:
        return result
    gone = {one.chunk_id for one in beyond}
    chunks = [chunk for chunk in result.chunks if chunk.chunk_id not in gone]
    left_out = sorted([*beyond, *result.left_out], key=lambda one: -one.rank_score)
    matched = list(dict.fromkeys(chunk.source_url for chunk in chunks))
    figures = result.corpus_stats.model_copy(update={"documents_matched": matched})
    return result.model_copy(update={"chunks": chunks, "left_out": left_out, "corpus_stats": figures})


def documents_within(sizes: Sequence[DocumentSize], budget: int) -> list[DocumentSize]:
    """The documents that fit together, given all of them in reading order; one that does not fit is skipped.

    The first stays: where it alone exceeds the budget, it is to be cut (:func:`parents_within`), and others may be
    given beside its first parent.
    """
    kept, left = [], budget
    for place, size in enumerate(sizes):
        first_beyond = place == 0 and size.tokens > budget
        if first_beyond or size.tokens <= left:
            kept.append(size)
            left -= (size.first_parent or 0) if first_beyond else size.tokens
    return kept


def parents_within(parents: Sequence[ParentRow], budget: int) -> list[ParentRow]:
    """The parents of documents that fit; the first one is cut behind its last that does, and keeps at least one."""
    if not parents:
        return []
    first = parents[0].document_id
    others = [parent for parent in parents if parent.document_id != first]
    left = budget - sum(map(_tokens, others))
    kept: list[ParentRow] = []
    for parent in parents[: len(parents) - len(others)]:
        left -= _tokens(parent)
        if left < 0 and kept:
            break
        kept.append(parent)
    return kept + others


def beyond_budget(sizes: Sequence[DocumentSize], kept: Sequence[DocumentSize], budget: int) -> str | None:
    """A notice of the documents that the budget leaves out or cuts; None where it holds all."""
    held = {size.id for size in kept}
    missing = [size.source_url for size in sizes if size.id not in held]
    notices = []
    if missing:
        others = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
        notices.append(
            f"The context budget of {budget:,} tokens holds {len(kept):,} of {len(sizes):,} documents; left out: "
            f"{', '.join(missing[:_NAMED])}{others}."
        )
    if kept and kept[0].tokens > budget:
        notices.append(
            f"{kept[0].source_url} has {kept[0].tokens:,} tokens, more than the context budget of {budget:,}: only its "
            "beginning is given."
        )
    return " ".join(notices) or None


def _tokens(parent: ParentRow) -> int:
    return parent.token_end - parent.token_start


Sentences = Callable[[Passage], Sequence[MatchedSpan]]

# Parents that are read beyond the budget, so that it is filled where near-duplicates turn out only when compared.
SPARE_PARENTS = 8
SPARE_OF_FIRST = 2  # the same beyond the first passages that are asked for


@dataclass(frozen=True)
class Choice:
    """What is returned of a search: ``passages`` in the order they were read.

    ``judged`` are all judgements, by falling relevance; ``left_out`` is what is not returned, best first.
    """

    passages: list[Passage]
    left_out: Sequence[LeftOut] = ()
    judged: Mapping[UUID, RerankResult] = field(default_factory=dict)
    report: RerankReport | None = None


@dataclass(frozen=True, slots=True)
class Chooser:
    """Chooses by a budget of tokens and, where there is a ``reranker``, by its judgement.

    The best ``max_candidates_to_rerank`` of the config are judged and the best ``return_top_n`` returned; where they
    could not be judged, all that fit the budget are. Of passages of several documents that are alike by more
    than ``near_duplicates`` the best is returned and lists the others; None folds nothing.
    """

    budget: int
    reranker: Reranker | None = None
    config: RerankConfig = field(default_factory=RerankConfig)
    near_duplicates: float | None = DEFAULT_THRESHOLD

    def to_read(self, ranked: Sequence[Passage]) -> Sequence[Passage]:
        """The leading parents whose texts are needed to choose: enough to fill the budget after folding.

        Parents whose best children are equal will most likely be folded, so one of them counts for the budget. All of
        them are read, since what is folded is listed.
        """
        places = self._places(ranked)
        fitting = takewhile(budget_of(self.budget).holds, map(ranked.__getitem__, places))  # as it ends there
        count = sum(1 for _ in fitting) + SPARE_PARENTS
        judged = self.config.max_candidates_to_rerank if self.reranker else 0
        return ranked[: max(places[count] if count < len(places) else len(ranked), judged)]

    def first_of(self, wanted: Sequence[Passage], first: int) -> Sequence[Passage]:
        """The leading parents that are enough for so many passages after folding; all where a reranker orders them."""
        places = self._places(wanted)
        count = first + SPARE_OF_FIRST
        return wanted[: places[count]] if self.reranker is None and count < len(places) else wanted

    def _places(self, ranked: Sequence[Passage]) -> Sequence[int]:
        """The positions of the parents that are likely to stay after folding."""
        return range(len(ranked)) if self.near_duplicates is None else _first_of_equals(ranked)

    def choose(
        self,
        query: str,
        ranked: Sequence[Passage],
        rows: Sequence[ParentRow],
        cancel: CancelToken,
        sentences: Sentences = lambda _passage: (),
    ) -> Choice:
        """The choice among the ``ranked`` parents whose ``rows`` were read; this calls the reranker.

        ``sentences`` are those of a parent in which the question was found, best first, which a reranker is shown.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        texts = {row.id.int: row for row in rows}  # ids are slow keys
        read = [parent.read(texts[parent.id.int]) for parent in ranked if parent.id.int in texts]
        unread = [parent for parent in ranked if parent.id.int not in texts]
        ordered, judged, report = self._judged(query, read, unread, cancel, sentences)
        folded = _folded(ordered[: len(read)], self.near_duplicates) if self.near_duplicates else {}
        kept, left_out = {}, []
        for one, reason in select(
            ordered, *self._limits(folded, most=self.config.return_top_n if judged else None)
        ):
            if reason is None:
                kept[one.id.int] = one
            else:
                left_out.append(as_left_out(one, reason))
        chosen = [kept[row.id.int] for row in rows if row.id.int in kept]
        if folded or judged:
            chosen = [
                one._replace(folded=folded.get(one.id, ()), judgement=judged.get(one.id)) for one in chosen
            ]
        return Choice(chosen, left_out, judged, report)

    def _limits(self, folded: Mapping[UUID, Sequence[Folded]], most: int | None) -> Iterator[Limit]:
        """What limits a choice, of which only ``most`` are returned; None for no such limit."""
        if folded:
            gone = {UUID(one.chunk_id) for several in folded.values() for one in several}
            yield Limit("near_duplicate", lambda one: one.id not in gone)
        if most is not None:
            yield first_of_all(most)
        yield Limit("context_budget", lambda one: one.stored is not None)
        yield budget_of(self.budget)

    def whole(self, ranked: Sequence[Passage], rows: Sequence[ParentRow]) -> Choice:
        """All parents of whole documents that were read; what was found in others is left out."""
        found, read = {parent.id: parent for parent in ranked}, {row.id for row in rows}
        passages = [found[row.id].read(row) if row.id in found else unmatched(row) for row in rows]
        return Choice(passages, [as_left_out(one, "context_budget") for one in ranked if one.id not in read])

    def _judged(
        self,
        query: str,
        read: Sequence[Passage],
        unread: Sequence[Passage],
        cancel: CancelToken,
        sentences: Sentences,
    ) -> tuple[Sequence[Passage], Mapping[UUID, RerankResult], RerankReport | None]:
        """The parents as the reranker orders them, its judgements, and what became of it; what was not read is last."""
        if self.reranker is None:
            return [*read, *unread], {}, None
        most = self.config.max_candidates_to_rerank
        candidates = [as_rerank_candidate(one, sentences(one)) for one in read[:most]]
        candidates += [as_rerank_candidate(one) for one in read[most:]]
        found = reranked(query, candidates, self.reranker, most, cancel=cancel)
        by_id = {parent.id: parent for parent in read}
        ordered = [
            one._replace(rank_score=found.rank_score(one.id, one.rank_score))
            for one in (*map(by_id.__getitem__, found.order), *unread)
        ]
        said = [found.results[one] for one in found.order if one in found.results]
        said.sort(key=lambda result: -result.relevance_score)
        return ordered, {result.chunk_id: result for result in said}, found.report


def _first_of_equals(ranked: Sequence[Passage]) -> list[int]:
    """The positions of the parents whose best child has a text that no better parent has."""
    seen: dict[str, int] = {}
    for place, parent in enumerate(ranked):
        seen.setdefault(parent.children[0].text, place)
    return list(seen.values())


def _folded(passages: Sequence[Passage], threshold: float) -> dict[UUID, list[Folded]]:
    """The passages folded into each, by its id."""
    if threshold >= LEAST_SCREENED:
        suspects = resembling([one.text for one in passages], [one.document for one in passages])
        passages = [passages[place] for place in suspects]
    into: dict[UUID, list[Folded]] = defaultdict(list)
    for one in foldings(passages, [passage.document for passage in passages], threshold):
        into[passages[one.kept].id].append(as_folded(passages[one.folded], one.similarity))
    return dict(into)


def fallback_notice(report: RerankReport | None) -> str | None:
    """A notice of why passages were not reranked; None where they were, or reranking was not requested."""
    if report is None or report.fallback is None:
        return None
    return " ".join(filter(None, ("The passages could not be reranked.", report.fallback, report.hint)))
