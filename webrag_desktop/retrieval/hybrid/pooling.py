"""Which chunks of several documents are given as evidence, wherever they were cut."""

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from webrag_desktop.retrieval.candidates import JOINING_SHARE, Child, depth_weight
from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.fusion import FusionOptions, fuse
from webrag_desktop.retrieval.hybrid.documents import FoundDocument
from webrag_desktop.retrieval.hybrid.wording import AskedTerms
from webrag_desktop.retrieval.late_chunking.models import LateChunk
from webrag_desktop.storage.searching.items import PassageRow
from webrag_desktop.text.spans import Span

# Two chunks are the same evidence where they share more than this of the shorter one.
SHARED = 0.5


@dataclass(frozen=True, slots=True)
class Pool:
    """The chunks of these ``documents``, given best first."""

    documents: Sequence[FoundDocument]
    passages: Mapping[UUID, PassageRow]
    options: RetrievalOptions

    def stored(self) -> list[EvidenceChunk]:
        """The children that found the documents, with the scores that they were found by, best first."""
        found = [child for one in self.documents for child in one.children]
        return self._sorted(_stored(child, self.passages[child.row.id]) for child in found)

    def scored_anew(
        self, chunks: Sequence[EvidenceChunk], asked: AskedTerms, floor: float, fusion: FusionOptions
    ) -> list[EvidenceChunk]:
        """Chunks on one scale, wherever they were cut, best first: by their cosines, and by the words they hold.

        ``score_text`` is what a chunk holds of the question's words then. All set the scale, and those count that are
        stored, that meaning speaks for, or that hold as many words as join other evidence anywhere.
        """
        documents = {str(one.item.id): one for one in self.documents}
        languages = [documents[one.item_id].children[0].row.search_language for one in chunks]
        shares = asked.shares([(language, one.text) for language, one in zip(languages, chunks, strict=True)])
        scores = fuse([one.score_vec for one in chunks], shares, fusion)
        return self._sorted(
            one.model_copy(
                update={
                    "score": score * depth_weight(documents[one.item_id].item.depth, self.options),
                    "score_text": held or None,
                }
            )
            for one, score, held in zip(chunks, scores, shares, strict=True)
            if one.chunk_id or held >= JOINING_SHARE or (one.score_vec is not None and one.score_vec >= floor)
        )

    def _sorted(self, chunks: Iterable[EvidenceChunk]) -> list[EvidenceChunk]:
        """Equal ones stand as their documents do, then as in the text."""
        places = {str(one.item.id): place for place, one in enumerate(self.documents)}
        return sorted(
            chunks, key=lambda one: (-one.score, places[one.item_id], *span_of(one), one.chunk_id or "")
        )


def folded(chunks: Iterable[EvidenceChunk]) -> Iterator[EvidenceChunk]:
    """Of chunks given best first, those that share little with any better one of their document."""
    kept: dict[str, list[Span]] = defaultdict(list)  # as they stand in the text
    for chunk in chunks:
        span, others = span_of(chunk), kept[chunk.item_id]
        place = bisect(others, span)
        # Those that share little end in the order in which they begin, so that no other shares more than these two.
        if not any(mostly_same(span, other) for other in others[max(0, place - 1) : place + 1]):
            others.insert(place, span)
            yield chunk


def told_once(chunks: Iterable[EvidenceChunk]) -> Iterator[EvidenceChunk]:
    """Of chunks given best first, those whose text no better one has: a page may be there under several addresses."""
    told: set[str] = set()
    for chunk in chunks:
        if (text := chunk.text.strip()) not in told:
            told.add(text)
            yield chunk


def capped(chunks: Iterable[EvidenceChunk], most: int, most_of_one: int) -> list[EvidenceChunk]:
    """The first ``most`` of chunks given best first, at most ``most_of_one`` of each document."""
    of_one: Counter[str] = Counter()

    def fits(chunk: EvidenceChunk) -> bool:
        of_one[chunk.item_id] += 1
        return of_one[chunk.item_id] <= most_of_one

    return list(islice(filter(fits, chunks), most))


def mostly_same(one: Span, other: Span) -> bool:
    """Whether two stretches of one text share most of the shorter one."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared > SHARED * min(one[1] - one[0], other[1] - other[0])


def span_of(chunk: EvidenceChunk) -> Span:
    """Where it stands in its document's markdown."""
    return chunk.start_idx or 0, chunk.end_idx or 0


def _stored(child: Child, passage: PassageRow) -> EvidenceChunk:
    row = child.row
    return EvidenceChunk(
        item_id=str(passage.document_id),
        chunk_id=str(row.id),
        text=row.chunk_text,
        start_idx=row.char_start,
        end_idx=row.char_end,
        token_count=passage.tokens,
        score=child.rank_score,
        score_text=child.scores.score_text,
        score_vec=child.scores.score_vec,
        heading_path=passage.heading_path,
        anchors=_anchors(passage.anchor, passage.page),
    )


def cut_late(chunk: LateChunk) -> EvidenceChunk:
    """A chunk that nobody scored by its words yet."""
    return EvidenceChunk(
        item_id=str(chunk.item_id),
        chunk_id=chunk.chunk_id,
        text=chunk.text,
        start_idx=chunk.start_idx,
        end_idx=chunk.end_idx,
        token_count=chunk.token_count,
        score=chunk.score_vec,
        score_text=None,
        score_vec=chunk.score_vec,
        heading_path=chunk.heading_path,
        anchors=chunk.anchors,
    )


def _anchors(anchor: str | None, page: int | None) -> dict[str, Any] | None:
    known = {name: value for name, value in (("anchor", anchor), ("page", page)) if value is not None}
    return known or None
