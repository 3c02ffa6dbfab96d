"""Builds the chunks of a result from stored parents and what was found out about them."""

from dataclasses import dataclass
from typing import Any

from webrag_desktop.retrieval.aggregate import Parent
from webrag_desktop.retrieval.choosing import Choice
from webrag_desktop.retrieval.contracts.results import (
    NO_SCORES,
    NOTHING_SOUGHT,
    MatchedSpan,
    Mode,
    RetrievedChunk,
)
from webrag_desktop.retrieval.evidence import Evidence
from webrag_desktop.retrieval.repetitions import repeats_later
from webrag_desktop.retrieval.reranking.models import RerankResult
from webrag_desktop.retrieval.surface import content_flags, count_selected, select_surface
from webrag_desktop.storage.searching.search import ParentRow


@dataclass(frozen=True, slots=True)
class Assembly:
    """Makes the chunks of a result from what was chosen for it."""

    mode: Mode
    choice: Choice
    evidence: Evidence
    spans_per_parent: int

    def chunks(self) -> list[RetrievedChunk]:
        """One chunk per stored parent, in the order of the choice."""
        rows = self.choice.rows
        matched = [self.choice.matches.get(row.id) for row in rows]
        found = [
            (row.document_id, self.evidence.spans(match.children, self.spans_per_parent) if match else [])
            for row, match in zip(rows, matched, strict=True)
        ]
        return [
            self._chunk(row, match, spans)
            for row, match, spans in zip(rows, matched, repeats_later(found), strict=True)
        ]

    def _chunk(self, row: ParentRow, match: Parent | None, spans: list[MatchedSpan]) -> RetrievedChunk:
        text, surface = select_surface(row)
        whole = self.mode == "full_context" or match is None
        return RetrievedChunk(
            chunk_id=row.id,
            document_id=row.document_id,
            parent_id=None,
            source_url=row.source_url,
            title=row.title,
            selected_text=text,
            surface=surface,
            section_heading=row.section_heading,
            chunk_index=row.chunk_index,
            char_start=row.char_start,
            char_end=row.char_end,
            token_start=row.token_start,
            token_end=row.token_end,
            score=1.0 if whole or match is None else match.score,
            raw_similarity=None if whole or match is None else match.raw_similarity,
            depth=row.depth,
            **content_flags(row),
            fetched_at=row.fetched_at,
            version_id=row.version_id,
            chunk_text=row.chunk_text,
            selected_tokens=count_selected(row, surface),
            rank_score=match.rank_score if match else 0.0,
            matched_spans=spans,
            heading_path=row.heading_path,
            anchor=row.anchor,
            page=row.page,
            found_by=list(match.found_by) if match else [],
            **(match.scores if match else NO_SCORES)._asdict(),
            folded=self.choice.folded.get(row.id, []),
            **_judgement(self.choice.judged.get(row.id)),
            sought_terms=self.evidence.sought(match.children[0]) if match else NOTHING_SOUGHT,
        )


def _judgement(result: RerankResult | None) -> dict[str, Any]:
    """What a chunk tells of how it was judged."""
    if result is None:
        return {}
    return result.model_dump(include={"relevance_score", "answerability", "key_evidence"})
