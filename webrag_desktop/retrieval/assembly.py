"""Builds the chunks of a result from stored parents, their scores and their evidence."""

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.retrieval.candidates import Evidence, Parent
from webrag_desktop.retrieval.choosing import Choice
from webrag_desktop.retrieval.contracts.judgements import RerankResult
from webrag_desktop.retrieval.contracts.results import (
    NO_SCORES,
    NOTHING_SOUGHT,
    MatchedSpan,
    Mode,
    RetrievedChunk,
    Surface,
)
from webrag_desktop.storage.searching.search import ParentRow

# Factor for the score of a sentence that a better passage of its document contains too
# (docs/decisions/0017-evidence.md).
REPEATED_WEIGHT = 0.9

_COMPARED, _BEGINNING = 40, 12

_NOTE = re.compile(r"(?<=[.!?…,;])\\?\[\^?[^\s\[\]\\]{1,12}\\?\](?:\([^)\s]*\))?")
_LINK_TARGET = re.compile(r"(?<=\])(?:\([^)\s]*\)|\[[^\[\]]*\])")
_MARKUP, _PUNCTUATION = "\\*_`~|>", ".,;:!?…。！？、，()[]{}\"'“”‘’„«»"
_AS_READ = str.maketrans(dict.fromkeys(_MARKUP) | dict.fromkeys(_PUNCTUATION, " "))


def repeats_later(found: Sequence[tuple[Hashable, Sequence[MatchedSpan]]]) -> list[list[MatchedSpan]]:
    """The spans of each passage, best first; a sentence that a better passage of the document contains scores less.

    ``found`` names the document of each passage. Of repetitions within a passage only the one of the
    highest score is listed, since a passage is shown by a few sentences. In another passage a repetition stays
    evidence at its own offsets, with a lower score. Only markup, punctuation, spacing, case and note marks may differ:
    a number or a "not" makes another sentence.
    """
    numbers: dict[Hashable, int] = {}
    documents = [numbers.setdefault(document, len(numbers)) for document, _ in found]
    candidates = sorted(
        (-span.score, place, span.char_start, span, (documents[place], _beginning(span.text)))
        for place, (_, spans) in enumerate(found)
        for span in spans
    )
    alike = Counter(beginning for *_, beginning in candidates)
    unsure = {document for *_, (document, letters) in candidates if letters is None}
    seen: set[tuple[int, str]] = set()
    seen_here: set[tuple[int, str]] = set()
    kept: list[list[MatchedSpan]] = [[] for _ in found]
    for _, place, _, span, beginning in candidates:
        if alike[beginning] == 1 and beginning[0] not in unsure:  # no other sentence begins so
            kept[place].append(span)
            continue
        worded = wording(span.text)
        if (place, worded) in seen_here:
            continue
        seen_here.add((place, worded))
        key = (documents[place], worded)
        kept[place].append(_repeated(span) if key in seen else span)
        seen.add(key)
    return [sorted(spans, key=lambda span: (-span.score, span.char_start)) for spans in kept]


def _repeated(span: MatchedSpan) -> MatchedSpan:
    return span.model_copy(update={"score": REPEATED_WEIGHT * span.score})


def _beginning(text: str) -> str | None:
    """The first letters, which equal wordings share; None where they cannot be determined cheaply."""
    bare, bracket, _ = text.partition("[")
    letters = "".join(filter(str.isalnum, bare[:_COMPARED].casefold()))
    if len(letters) < _BEGINNING and (bracket or len(bare) > _COMPARED):
        return None
    return letters[:_BEGINNING]


def wording(text: str) -> str:
    """The words as they are read; the text itself where there are none."""
    bare = _LINK_TARGET.sub("", _NOTE.sub("", text)) if "]" in text else text
    return " ".join(bare.translate(_AS_READ).split()).casefold() or text


_FLAGS = tuple(ContentFlags.model_fields)
_flags_of = attrgetter(*_FLAGS)


def content_flags(row: ParentRow) -> dict[str, bool]:
    """The flags of a stored chunk, by name."""
    return dict(zip(_FLAGS, _flags_of(row), strict=True))


def select_surface(row: ParentRow) -> tuple[str, Surface]:
    """HTML where it is stored and the chunk has a table, code, math, definition list or admonition; else markdown."""
    if row.html_text is not None and ContentFlags(**content_flags(row)).prefers_html:
        return row.html_text, "html"
    return row.chunk_text, "markdown"


def count_selected(row: ParentRow, surface: Surface) -> int:
    """Tokens of the selected text, as they were counted when it was indexed."""
    if surface == "html" and row.html_tokens is not None:
        return row.html_tokens
    return row.token_end - row.token_start


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
    """The fields of a chunk for its judgement."""
    if result is None:
        return {}
    return result.model_dump(include={"relevance_score", "answerability", "key_evidence"})
