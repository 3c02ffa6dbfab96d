"""The one passage that searching works with, from a candidate to a selected one, and its forms in the contracts.

Every search finds, ranks, folds and selects a :class:`Passage`. What callers are given is made of it here, under the
names and with the fields of each contract; a result that comes back (to be folded, cut or listed) becomes one again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

from webrag_desktop.citations.spans import heading_path_at
from webrag_desktop.models.base import unchecked
from webrag_desktop.models.documents import ContentFlags, Place
from webrag_desktop.retrieval.contracts.bundles import EvidenceChunk
from webrag_desktop.retrieval.contracts.judgements import RerankCandidate, RerankResult
from webrag_desktop.retrieval.contracts.results import (
    NO_SCORES,
    NOTHING_SOUGHT,
    Arm,
    ArmScores,
    Folded,
    LeftOut,
    LeftOutFor,
    MatchedSpan,
    RetrievedChunk,
    SoughtTerms,
    Surface,
)
from webrag_desktop.storage.searching.search import ParentRow
from webrag_desktop.text.spans import Span


class Section(NamedTuple):
    """The parent that a child is part of: its id, where it begins, and its tokens."""

    id: UUID
    char_start: int
    tokens: int


NO_SECTION = Section(UUID(int=0), 0, 0)


class Passage(NamedTuple):
    """A range of a document with its scores and its origin: ``text == markdown[char_start:char_end]``.

    ``rank_score`` orders passages, ``scores`` are those of each arm, ``found_by`` the arms that proposed it; ``score``
    is RetrievedChunk's. ``chunk_id`` is None where it was cut for one question and is stored nowhere. ``language`` is
    the one that its words are searched in, ``depth`` how many links its document is from the user's own.

    ``heading_path``, ``anchor`` and ``page`` are where it begins; as far as they were read, ``places`` say where each
    of its characters is, and ``section_path`` are the headings that identify its section.

    A child is part of a ``section``. A parent holds the ``children`` that found it, best first; its text and end are
    known once it was read, and then ``stored`` is the rest that results show. ``matched_spans`` are the sentences that
    are evidence, ``sought`` the words of the question in it, ``folded`` the near-duplicates that it stands for,
    ``judgement`` a reranker's.
    """

    text: str
    rank_score: float
    document_id: UUID | None = None
    chunk_id: UUID | None = None
    char_start: int = 0
    char_end: int = 0
    tokens: int = 0
    scores: ArmScores = NO_SCORES
    found_by: tuple[Arm, ...] = ()
    source_url: str = ""
    language: str = ""
    depth: int = 0
    section: Section = NO_SECTION
    score: float = 0.0
    children: "tuple[Passage, ...]" = ()
    heading_path: Sequence[str] = ()
    anchor: str | None = None
    page: int | None = None
    section_heading: str | None = None
    section_path: tuple[str, ...] = ()
    places: Sequence[Place] = ()
    stored: ParentRow | None = None
    matched_spans: Sequence[MatchedSpan] = ()
    sought: SoughtTerms = NOTHING_SOUGHT
    folded: Sequence[Folded] = ()
    judgement: RerankResult | None = None

    @property
    def id(self) -> UUID:
        """The id of a passage that is stored."""
        assert self.chunk_id is not None, "it was cut for one question"
        return self.chunk_id

    @property
    def document(self) -> UUID:
        """The id of its document, once that is known."""
        assert self.document_id is not None, "it was not read yet"
        return self.document_id

    @property
    def span(self) -> Span:
        """Its range of characters in the document's markdown."""
        return self.char_start, self.char_end

    @property
    def similarity(self) -> float | None:
        """The cosine of its text, of a parent the best of its children's; None where there is no vector."""
        return self.scores.score_vec

    @property
    def sort_key(self) -> tuple[float, str, int, UUID]:
        """Orders stored passages by rank, then by their place in the library."""
        return -self.rank_score, self.source_url, self.char_start, self.id

    def pages(self, start: int, end: int) -> tuple[int, int] | None:
        """The first and last page of its part in ``[start, end)``, None where there are no pages."""
        first = max(0, bisect_right(self.places, start, key=_begins) - 1)
        last = max(first + 1, bisect_left(self.places, end, key=_begins))
        pages = [place.page for place in self.places[first:last] if place.page is not None]
        if pages:
            return min(pages), max(pages)
        return None if self.page is None else (self.page, self.page)

    def headings_at(self, position: int) -> tuple[str, ...]:
        """The headings above its text from that position on."""
        return heading_path_at(self.heading_path, self.section_heading, self.places, position)

    def anchor_at(self, position: int) -> str | None:
        """The nearest place at or before the position that a link can jump to."""
        index = bisect_right(self.places, position, key=_begins) - 1
        return (self.places[index].anchor if index > 0 else None) or self.anchor

    def on_page_of(self, other: "Passage") -> bool:
        """Whether both are on one page, or in one section where there are no pages."""
        if self.page is not None and other.page is not None:
            return self.page == other.page
        return self.section_path == other.section_path

    def read(self, row: ParentRow) -> "Passage":
        """The same parent with what was read of it."""
        return self._replace(
            text=row.chunk_text,
            document_id=row.document_id,
            char_end=row.char_end,
            heading_path=row.heading_path,
            anchor=row.anchor,
            page=row.page,
            stored=row,
        )


def _begins(place: Place) -> int:
    return place.char_start


def unmatched(row: ParentRow) -> Passage:
    """A stored parent that the question did not find, as part of a whole document."""
    tokens = row.token_end - row.token_start
    place = {"char_start": row.char_start, "source_url": row.source_url, "depth": row.depth}
    return Passage("", 0.0, chunk_id=row.id, tokens=tokens, **place).read(row)  # type: ignore[arg-type]


def passage_of(chunk: RetrievedChunk) -> Passage:
    """The passage that a result holds."""
    return Passage(
        text=chunk.chunk_text,
        rank_score=chunk.rank_score,
        document_id=chunk.document_id,
        chunk_id=chunk.chunk_id,
        char_start=chunk.char_start,
        char_end=chunk.char_end,
        tokens=chunk.token_end - chunk.token_start,
        scores=chunk.arm_scores,
        found_by=tuple(chunk.found_by),
        source_url=chunk.source_url,
        depth=chunk.depth,
        score=chunk.score,
        heading_path=chunk.heading_path,
        anchor=chunk.anchor,
        page=chunk.page,
        section_heading=chunk.section_heading,
        matched_spans=chunk.matched_spans,
        sought=chunk.sought_terms,
        folded=chunk.folded,
    )


_FLAGS = tuple(ContentFlags.model_fields)
# What a result shows as it is stored, found by its name.
_STORED = [name for name in RetrievedChunk.model_fields if name in ParentRow.__annotations__]
_stored_values = itemgetter(*map(ParentRow._fields.index, _STORED))
_JUDGED = ("relevance_score", "answerability", "key_evidence")
_IN_ORDER: dict[str, Any] = dict.fromkeys(RetrievedChunk.model_fields)


def select_surface(row: ParentRow) -> tuple[str, Surface]:
    """HTML where it is stored and the chunk has a table, code, math, definition list or admonition; else markdown."""
    if row.html_text is not None and ContentFlags(**_content_flags(row)).prefers_html:
        return row.html_text, "html"
    return row.chunk_text, "markdown"


def count_selected(row: ParentRow, surface: Surface) -> int:
    """Tokens of the selected text, as they were counted when it was indexed."""
    if surface == "html" and row.html_tokens is not None:
        return row.html_tokens
    return row.token_end - row.token_start


def _content_flags(row: ParentRow) -> dict[str, bool]:
    return {flag: getattr(row, flag) for flag in _FLAGS}


def as_retrieved(passage: Passage, *, whole: bool) -> RetrievedChunk:
    """The passage, which was read, as :func:`~webrag_desktop.retrieval.search.retrieve` returns it.

    ``whole`` says that it is part of a whole document, whose parts all score the same.
    """
    row = passage.stored
    assert row is not None, "it was not read"
    text, surface = select_surface(row)
    whole = whole or not passage.children
    scores = passage.scores
    values = {
        **_IN_ORDER,
        **dict(zip(_STORED, _stored_values(row), strict=True)),
        "chunk_id": row.id,
        "parent_id": None,
        "selected_text": text,
        "surface": surface,
        "score": 1.0 if whole else passage.score,
        "raw_similarity": None if whole else passage.similarity,
        "selected_tokens": count_selected(row, surface),
        "rank_score": passage.rank_score,
        "matched_spans": list(passage.matched_spans),
        "found_by": list(passage.found_by),
        "score_text": scores.score_text,
        "score_vec": scores.score_vec,
        "rank_text": scores.rank_text,
        "rank_vec": scores.rank_vec,
        "folded": list(passage.folded),
        "sought_terms": passage.sought,
    }
    if passage.judgement is not None:
        values |= {name: getattr(passage.judgement, name) for name in _JUDGED}
    return unchecked(RetrievedChunk, values)


def as_evidence(passage: Passage) -> EvidenceChunk:
    """The passage as a :class:`~webrag_desktop.retrieval.hybrid.retriever.Retriever` returns it."""
    anchors: dict[str, Any] = {"anchor": passage.anchor, "page": passage.page}
    known = {name: value for name, value in anchors.items() if value is not None}
    return EvidenceChunk(
        item_id=str(passage.document),
        chunk_id=None if passage.chunk_id is None else str(passage.chunk_id),
        text=passage.text,
        start_idx=passage.char_start,
        end_idx=passage.char_end,
        token_count=passage.tokens,
        score=passage.rank_score,
        score_text=passage.scores.score_text,
        score_vec=passage.scores.score_vec,
        heading_path=list(passage.heading_path),
        anchors=known or None,
    )


def as_rerank_candidate(passage: Passage, sentences: Sequence[MatchedSpan] = ()) -> RerankCandidate:
    """A parent that was read, to be judged around its best child and by its best ``sentences``."""
    best, row = passage.children[0], passage.stored
    start = best.char_start - passage.char_start
    shift, end = passage.char_start, passage.char_start + len(passage.text)
    return RerankCandidate(
        chunk_id=passage.id,
        text=passage.text,
        focus_start=start,
        focus_end=start + len(best.text),
        title=row.title if row else None,
        heading_path=tuple(passage.heading_path),
        sentences=tuple(
            (one.char_start - shift, one.char_end - shift)
            for one in sentences
            if shift <= one.char_start < one.char_end <= end
        ),
        fused=passage.rank_score,
    )


def as_left_out(passage: Passage, reason: LeftOutFor) -> LeftOut:
    """The passage as one that the result does not hold."""
    # By position: every search makes some dozens, and names take twice as long.
    return LeftOut(
        passage.id,
        passage.document_id,
        passage.source_url,
        passage.rank_score,
        passage.score,
        passage.similarity,
        passage.scores,
        passage.found_by,
        reason,
    )


def as_folded(passage: Passage, similarity: float) -> Folded:
    """The passage as a near-duplicate of one that is shown."""
    return Folded(
        chunk_id=str(passage.id),
        document_id=str(passage.document),
        source_url=passage.source_url,
        similarity=similarity,
    )
