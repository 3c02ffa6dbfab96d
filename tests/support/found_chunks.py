"""Chunks of a result made by hand; only what a test is about needs saying."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import uuid4

from webrag_desktop.retrieval.contracts.results import MatchedSpan, RetrievedChunk, ranked
from webrag_desktop.text.units.evidence_units import EvidenceKind


def found_chunk(
    text: str, *, start: int = 0, rank: float = 1.0, spans: list[MatchedSpan] | None = None
) -> RetrievedChunk:
    """A chunk that holds ``text`` and begins at ``start``."""
    return RetrievedChunk(
        chunk_id=uuid4(),
        document_id=uuid4(),
        parent_id=None,
        source_url="https://example.org/a",
        title="A",
        selected_text=text,
        surface="markdown",
        section_heading=None,
        chunk_index=0,
        char_start=start,
        char_end=start + len(text),
        token_start=0,
        token_end=1,
        score=0.5,
        raw_similarity=0.5,
        depth=0,
        has_table=False,
        has_code=False,
        has_math=False,
        has_definition_list=False,
        has_admonition=False,
        has_steps=False,
        fetched_at=datetime(2026, 3, 18, tzinfo=UTC),
        version_id=uuid4(),
        chunk_text=text,
        selected_tokens=1,
        rank_score=rank,
        matched_spans=spans or [],
    )


def matched_span(start: int, text: str, score: float = 1.0, kind: EvidenceKind = "prose") -> MatchedSpan:
    """A sentence that matches, or another unit."""
    return MatchedSpan(char_start=start, char_end=start + len(text), text=text, score=score, kind=kind)


def spans_of(text: str, *sentences: str, start: int = 0) -> list[MatchedSpan]:
    """The sentences where they stand in ``text``, the best first."""
    return [
        matched_span(start + text.index(sentence), sentence, 1 - place / 100)
        for place, sentence in enumerate(sentences)
    ]


def best_chunks(chunks: Sequence[RetrievedChunk], limit: int | None) -> list[RetrievedChunk]:
    """The ``limit`` chunks of highest rank, all for None, in the order they came in."""
    if limit is None or len(chunks) <= limit:
        return list(chunks)
    kept = {chunk.chunk_id for chunk in ranked(chunks)[:limit]}
    return [chunk for chunk in chunks if chunk.chunk_id in kept]
