"""Which passages of several documents are returned as evidence, whether stored or cut late."""

from bisect import bisect, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from uuid import UUID

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.candidates import JOINING_SHARE, Child, depth_weight
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.fusion import FusionOptions, fuse
from webrag_desktop.retrieval.hybrid.documents import FoundDocument
from webrag_desktop.retrieval.pipeline import SearchTerms
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching import items
from webrag_desktop.storage.searching.candidates import WordQuery
from webrag_desktop.storage.snapshot import snapshot
from webrag_desktop.text.spans import Span

# Two passages are the same evidence where they share more than this of the shorter one.
SHARED = 0.5
BATCH = 64  # passages that the server checks for excluded words at once


@dataclass(frozen=True, slots=True)
class Pool:
    """The passages of these ``documents``, given best first."""

    documents: Sequence[FoundDocument]
    rows: Mapping[UUID, items.PassageRow]
    options: RetrievalOptions

    def stored(self) -> list[Passage]:
        """The children that found the documents, with the scores that they were found by, best first."""
        found = [child for one in self.documents for child in one.children]
        return self._sorted(_stored(child, self.rows[child.row.id]) for child in found)

    def rescored(
        self, passages: Sequence[Passage], terms: SearchTerms, floor: float, fusion: FusionOptions
    ) -> list[Passage]:
        """Passages scored on one scale, stored or cut late, best first: by their cosines and by the words they contain.

        ``score_text`` is the share of the terms' idf then. All passages set the scale; those count that are stored,
        whose cosine reaches the ``floor``, or that contain as many words as join other evidence in any search.
        """
        documents = {str(one.item.id): one for one in self.documents}
        of_passage = [documents[one.document_id] for one in passages]
        languages = [one.children[0].row.search_language for one in of_passage]
        shares = terms.coverage([(lang, one.text) for lang, one in zip(languages, passages, strict=True)])
        cosines = [one.scores.score_vec for one in passages]
        fused = fuse(cosines, shares, fusion)
        return self._sorted(
            one._replace(
                score=score * depth_weight(document.item.depth, self.options),
                scores=one.scores._replace(score_text=held or None),
            )
            for one, document, score, held, cosine in zip(
                passages, of_passage, fused, shares, cosines, strict=True
            )
            if one.chunk_id or held >= JOINING_SHARE or (cosine is not None and cosine >= floor)
        )

    def _sorted(self, passages: Iterable[Passage]) -> list[Passage]:
        """By score; equal ones in the order of their documents, then in text order."""
        places = {str(one.item.id): place for place, one in enumerate(self.documents)}
        return sorted(
            passages,
            key=lambda one: (-one.score, places[one.document_id], *one.span, one.chunk_id or ""),
        )


def without_overlaps(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Of passages given best first, those that share little with any better one of their document."""
    kept: dict[str, list[Span]] = defaultdict(list)  # in text order
    for passage in passages:
        span, others = passage.span, kept[passage.document_id]
        place = bisect(others, span)
        # Those that share little end in the order in which they begin, so that no other shares more than these two.
        if not any(mostly_same(span, other) for other in others[max(0, place - 1) : place + 1]):
            others.insert(place, span)
            yield passage


def drop_duplicates(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Of passages given best first, those whose text no better one has: a page may have several addresses."""
    seen: set[str] = set()
    for passage in passages:
        if (text := passage.text.strip()) not in seen:
            seen.add(text)
            yield passage


def capped(passages: Iterable[Passage], most: int, most_per_document: int) -> list[Passage]:
    """The first ``most`` of passages given best first, at most ``most_per_document`` of each document."""
    counts: Counter[str] = Counter()

    def fits(passage: Passage) -> bool:
        counts[passage.document_id] += 1
        return counts[passage.document_id] <= most_per_document

    return list(islice(filter(fits, passages), most))


def mostly_same(one: Span, other: Span) -> bool:
    """Whether two spans of one text share most of the shorter one."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared > SHARED * min(one[1] - one[0], other[1] - other[0])


def within(passages: Iterable[Passage], allowed: Mapping[UUID, Sequence[Span]] | None) -> list[Passage]:
    """Those that are mostly within the allowed spans of their document; all of them where everything is allowed."""
    if allowed is None:
        return list(passages)
    return [one for one in passages if _lies_in(one.span, allowed.get(UUID(one.document_id), ()))]


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
    found = {str(one.item.id): one for one in documents}
    rest = iter(passages)
    while batch := list(islice(rest, BATCH)):
        with snapshot(conn, cancel):
            checked = [_to_check(one, found[one.document_id]) for one in batch]
            held = items.hold_excluded(conn, words, checked)
        yield from (one for one, holds in zip(batch, held, strict=True) if not holds)


def _to_check(passage: Passage, document: FoundDocument) -> items.Passage:
    context = " ".join(filter(None, (document.item.title, *passage.heading_path)))
    return items.Passage(document.children[0].row.search_language, context, passage.text)


def _stored(child: Child, passage: items.PassageRow) -> Passage:
    row = child.row
    return Passage(
        text=row.chunk_text,
        score=child.rank_score,
        document_id=str(passage.document_id),
        chunk_id=str(row.id),
        char_start=row.char_start,
        char_end=row.char_end,
        token_count=passage.tokens,
        scores=child.scores,
        heading_path=passage.heading_path,
        anchor=passage.anchor,
        page=passage.page,
    )
