"""Which passages are returned: reranked, near-duplicates folded, as many as fit the budget of tokens."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.candidates import Parent
from webrag_desktop.retrieval.contracts.bundles import Passage
from webrag_desktop.retrieval.contracts.judgements import (
    RerankCandidate,
    RerankConfig,
    Reranker,
    RerankReport,
    RerankResult,
)
from webrag_desktop.retrieval.contracts.results import (
    Folded,
    LeftOut,
    LeftOutFor,
    RetrievalResult,
    RetrievedChunk,
)
from webrag_desktop.retrieval.dedup import DEFAULT_THRESHOLD, LEAST_SCREENED, foldings, resembling
from webrag_desktop.retrieval.reranking.ordering import reranked
from webrag_desktop.storage.searching.search import DocumentSize, ParentRow

_NAMED = 3  # documents that a notice names


def best_within(parents: Sequence[Parent], budget: int) -> list[Parent]:
    """The leading parents that fit together; the first comes even where it alone exceeds the budget.

    It ends at the first that does not fit, so a weaker but smaller one never takes a stronger one's place.
    """
    return list(parents[: _leading((parent.tokens for parent in parents), budget)])


def _leading(tokens: Iterable[int], budget: int) -> int:
    """How many of the first fit together, one in any case."""
    count, left = 0, budget
    for one in tokens:
        left -= one
        if left < 0 and count:
            break
        count += 1
        if left < 0:
            break
    return count


def result_within(result: RetrievalResult, budget: int) -> RetrievalResult:
    """What a search in the mode ``chunk`` found, as a search with a smaller budget would give it."""
    ranked = sorted(result.chunks, key=lambda chunk: (-chunk.rank_score, chunk.source_url, chunk.chunk_index))
    fitting = _leading((chunk.token_end - chunk.token_start for chunk in ranked), budget)
    beyond = {chunk.chunk_id: chunk for chunk in ranked[fitting:]}
    if not beyond:
        return result
    chunks = [chunk for chunk in result.chunks if chunk.chunk_id not in beyond]
    left_out = sorted([*map(_cut_off, beyond.values()), *result.left_out], key=lambda one: -one.rank_score)
    matched = list(dict.fromkeys(chunk.source_url for chunk in chunks))
    figures = result.corpus_stats.model_copy(update={"documents_matched": matched})
    return result.model_copy(update={"chunks": chunks, "left_out": left_out, "corpus_stats": figures})


def _cut_off(chunk: RetrievedChunk) -> LeftOut:
    return LeftOut(
        chunk.chunk_id,
        chunk.document_id,
        chunk.source_url,
        chunk.rank_score,
        chunk.score,
        chunk.raw_similarity,
        chunk.arm_scores,
        tuple(chunk.found_by),
        "context_budget",
    )


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


# Parents that are read beyond the budget, so that it is filled where near-duplicates turn out only when compared.
SPARE_PARENTS = 8


@dataclass(frozen=True)
class Choice:
    """What is returned of a search: ``rows`` in the order given, and by id all that was found out about them.

    The ``matches`` have the rank score that orders them in the end. ``judged`` are all judgements, best first;
    ``left_out`` is what is not returned, best first.
    """

    rows: list[ParentRow]
    matches: dict[UUID, Parent]
    folded: Mapping[UUID, list[Folded]] = field(default_factory=dict)
    judged: Mapping[UUID, RerankResult] = field(default_factory=dict)
    report: RerankReport | None = None
    left_out: Sequence[LeftOut] = ()


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

    def to_read(self, ranked: Sequence[Parent]) -> Sequence[Parent]:
        """The leading parents whose texts are needed to choose: enough to fill the budget after folding.

        Parents whose best children are equal will most likely be folded, so one of them counts for the budget. All of
        them are read, since what is folded is listed.
        """
        places: Sequence[int] = (
            range(len(ranked)) if self.near_duplicates is None else _first_of_equals(ranked)
        )
        fitting = len(best_within([ranked[place] for place in places], self.budget)) + SPARE_PARENTS
        judged = self.config.max_candidates_to_rerank if self.reranker else 0
        return ranked[: max(places[fitting] if fitting < len(places) else len(ranked), judged)]

    def choose(
        self, query: str, ranked: Sequence[Parent], rows: Sequence[ParentRow], cancel: CancelToken
    ) -> Choice:
        """The choice among the ``ranked`` parents whose ``rows`` were read; this calls the reranker.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        texts = {row.id: row for row in rows}
        ordered, judged, report = self._judged(query, ranked, texts, cancel)
        parents = [parent for parent in ordered if parent.id in texts]
        folded = _folded(parents, texts, self.near_duplicates) if self.near_duplicates else {}
        gone = {UUID(one.chunk_id) for several in folded.values() for one in several}
        most = self.config.return_top_n if judged else len(ordered)
        kept = best_within([parent for parent in parents if parent.id not in gone][:most], self.budget)
        matches = {parent.id: parent for parent in kept}
        left_out = _left_out(ordered, texts, matches, gone, most)
        return Choice([row for row in rows if row.id in matches], matches, folded, judged, report, left_out)

    def whole(self, ranked: Sequence[Parent], rows: Sequence[ParentRow]) -> Choice:
        """All parents of whole documents that were read; what was found in others is left out."""
        texts = {row.id: row for row in rows}
        left_out = _left_out(ranked, texts, texts, (), len(ranked))
        return Choice(list(rows), {parent.id: parent for parent in ranked}, left_out=left_out)

    def _judged(
        self,
        query: str,
        ranked: Sequence[Parent],
        texts: Mapping[UUID, ParentRow],
        cancel: CancelToken,
    ) -> tuple[Sequence[Parent], Mapping[UUID, RerankResult], RerankReport | None]:
        """The parents as the reranker orders them, its judgements, and what became of it; what was not read is last."""
        if self.reranker is None:
            return ranked, {}, None
        candidates = [_candidate(parent, texts[parent.id]) for parent in ranked if parent.id in texts]
        most = self.config.max_candidates_to_rerank
        found = reranked(query, candidates, self.reranker, most, cancel=cancel)
        by_id = {parent.id: parent for parent in ranked}
        unread = (parent.id for parent in ranked if parent.id not in texts)
        ordered = [
            by_id[one]._replace(rank_score=found.rank_score(one, by_id[one].rank_score))
            for one in (*found.order, *unread)
        ]
        judged = {one: found.results[one] for one in found.order if one in found.results}
        return ordered, judged, found.report


def _left_out(
    ordered: Sequence[Parent],
    texts: Mapping[UUID, ParentRow],
    matches: Container[UUID],
    gone: Container[UUID],
    most: int,
) -> list[LeftOut]:
    """The parents that are not among the ``matches``, each with the reason."""
    left_out, place = [], 0
    for parent in ordered:
        folded = parent.id in gone
        if parent.id not in matches:
            row = texts.get(parent.id)
            reason: LeftOutFor = (
                "near_duplicate" if folded else "context_budget" if place < most else "return_top_n"
            )
            # By position: every search makes some dozens, and names take twice as long.
            made = LeftOut(
                parent.id,
                row.document_id if row else None,
                parent.children[0].row.source_url,
                parent.rank_score,
                parent.score,
                parent.raw_similarity,
                parent.scores,
                parent.found_by,
                reason,
            )
            left_out.append(made)
        place += not folded
    return left_out


def _first_of_equals(ranked: Sequence[Parent]) -> list[int]:
    """The positions of the parents whose best child has a text that no better parent has."""
    seen: dict[str, int] = {}
    for place, parent in enumerate(ranked):
        seen.setdefault(parent.children[0].row.chunk_text, place)
    return list(seen.values())


def _candidate(parent: Parent, row: ParentRow) -> RerankCandidate:
    best = parent.children[0].row
    start = best.char_start - row.char_start
    return RerankCandidate(
        chunk_id=row.id,
        text=row.chunk_text,
        focus_start=start,
        focus_end=start + len(best.chunk_text),
        title=row.title,
        heading_path=tuple(row.heading_path),
    )


def _folded(
    parents: Sequence[Parent], texts: Mapping[UUID, ParentRow], threshold: float
) -> dict[UUID, list[Folded]]:
    """The passages folded into each parent, by its id."""
    into: dict[UUID, list[Folded]] = defaultdict(list)
    rows = [texts[parent.id] for parent in parents]
    if threshold >= LEAST_SCREENED:
        suspects = resembling([row.chunk_text for row in rows], [row.document_id for row in rows])
        parents, rows = [parents[place] for place in suspects], [rows[place] for place in suspects]
    passages = [
        Passage(row.chunk_text, parent.rank_score, str(row.document_id))
        for parent, row in zip(parents, rows, strict=True)
    ]
    for one in foldings(passages, threshold):
        row = rows[one.folded]
        into[parents[one.kept].id].append(
            Folded(
                chunk_id=str(row.id),
                document_id=str(row.document_id),
                source_url=row.source_url,
                similarity=one.similarity,
            )
        )
    return dict(into)


def fallback_notice(report: RerankReport | None) -> str | None:
    """A notice of why passages were not reranked; None where they were, or reranking was not requested."""
    if report is None or report.fallback is None:
        return None
    return " ".join(filter(None, ("The passages could not be reranked.", report.fallback, report.hint)))
