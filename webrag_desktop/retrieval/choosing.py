"""Which found passages are returned: the most relevant first, none that repeats a better one, all that fit."""

from collections import defaultdict
from collections.abc import Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
import numpy.typing as npt

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.aggregate import Parent
from webrag_desktop.retrieval.budget import best_within
from webrag_desktop.retrieval.contracts.judgements import (
    RerankCandidate,
    Reranker,
    RerankReport,
    RerankResult,
)
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig
from webrag_desktop.retrieval.contracts.results import Folded, LeftOut, LeftOutFor
from webrag_desktop.retrieval.dedup import DEFAULT_THRESHOLD, Passage, foldings
from webrag_desktop.retrieval.reranking.ordering import reranked
from webrag_desktop.storage.searching.search import ParentRow

# Runs are put into so many bins by a hash of 16 bits; a passage of 4,000 characters fills about a fifth of them.
_BINS, _SPARE_BITS = 4096, 4
# The least Jaccard similarity of runs. Other passages of one language share up to .6, tables of one report up to .8,
# copies with a thirtieth of the words changed .93; only where few, very long words differ is a copy overlooked.
LEAST_RESEMBLANCE = 0.75
_SPACE = ord(" ")
_FIRST, _SECOND, _THIRD = np.uint16(961), np.uint16(31), np.uint16(7919)
# Letters and digits of ASCII without their case, and all bytes of other letters; what else there is parts words.
_WORDS_ALONE = bytes(
    byte if byte > 127 else ord(chr(byte).lower()) if chr(byte).isalnum() else _SPACE for byte in range(256)
)


# Which texts may be near-duplicates at all: a look at three letters at a time, before words are compared; finding the
# words of every passage would take as long as the rest of a search. The runs of three bytes within words, first and
# last letters marked, do not depend on the order of words; texts of nearly the same words have nearly the same.
def resembling(texts: Sequence[str], documents: Sequence[Hashable]) -> list[int]:
    """The places of the texts that resemble one of another document, in order."""
    if len(set(documents)) < 2:
        return []
    runs = _runs(texts)
    shared = runs @ runs.T
    sizes = runs.sum(axis=1)
    alike = shared >= LEAST_RESEMBLANCE * (sizes[:, None] + sizes[None, :] - shared)
    numbers = {document: number for number, document in enumerate(documents)}
    owners = np.array([numbers[document] for document in documents])
    alike &= owners[:, None] != owners[None, :]
    return [int(place) for place in np.flatnonzero(alike.any(axis=1))]


def _runs(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """A row for each text: which bins its runs fall into."""
    words = [b" %b  " % text.encode("utf-8", "surrogatepass").translate(_WORDS_ALONE) for text in texts]
    codes = np.frombuffer(b"".join(words), np.uint8)
    inside = np.flatnonzero(codes[1:-1] != _SPACE)  # else it would be a run of two words
    wide = codes.astype(np.uint16)
    hashed = (wide[:-2] * _FIRST + wide[1:-1] * _SECOND + wide[2:] * _THIRD) >> np.uint16(_SPARE_BITS)
    rows = np.repeat(np.arange(len(words), dtype=np.int32) * _BINS, [len(one) for one in words])
    runs = np.zeros(len(words) * _BINS, np.float32)
    runs[(rows[:-2] + hashed)[inside]] = 1
    return runs.reshape(len(words), _BINS)


# Read beyond what the budget holds, so that it is filled where near-duplicates fall away that nothing told before.
SPARE_PARENTS = 8
LEAST_SCREENED = 0.9  # below that, near-duplicates may resemble each other too little to be screened


@dataclass(frozen=True)
class Choice:
    """What is returned of a search: ``rows`` in the order given, and by id all that was found out about them.

    The ``matches`` carry the rank score that orders them in the end. ``judged`` are all judgements, best first;
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
        """The leading parents whose texts choosing takes: so many that the budget is filled once they are folded.

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
        """The choice among the ``ranked`` parents whose ``rows`` were read; this is where the reranker is asked.

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
    """The places of the parents whose best child says what that of no parent before says."""
    said: dict[str, int] = {}
    for place, parent in enumerate(ranked):
        said.setdefault(parent.children[0].row.chunk_text, place)
    return list(said.values())


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
    """What each parent stands for, by its id."""
    into: dict[UUID, list[Folded]] = defaultdict(list)
    rows = [texts[parent.id] for parent in parents]
    if threshold >= LEAST_SCREENED:
        suspects = resembling([row.chunk_text for row in rows], [row.document_id for row in rows])
        parents, rows = [parents[place] for place in suspects], [rows[place] for place in suspects]
    passages = [
        Passage(row.chunk_text, parent.rank_score, document=str(row.document_id))
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
    """Says in whole sentences why passages were not judged; None where they were, or nobody asked for it."""
    if report is None or report.fallback is None:
        return None
    return " ".join(filter(None, ("The passages could not be reranked.", report.fallback, report.hint)))
