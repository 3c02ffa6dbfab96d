"""Queries and evidence under the names that answers use: the contract between retrieval and answering.

Ids are text here, since a text that the user selected need not be in the library. Nothing here opens the library.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from uuid import UUID

from pydantic import Field

from webrag_desktop.models.base import FrozenModel
from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.retrieval.contracts.results import Folded, RetrievedChunk
from webrag_desktop.text.links import site_of

AnswerMode = Literal["normal", "selected_text_only"]

DEFAULT_TOP_K = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFilters:
    """What of the library to ask: what meets all that is given, of several values of one field any.

    ``modules`` are sites or collections, ``chapters`` headings, ``content_types`` document types (``pdf``) or what a
    passage holds (``table``, ``code``), ``tags`` the user's. None and an empty list restrict nothing.
    """

    modules: Sequence[str] | None = None
    chapters: Sequence[str] | None = None
    content_types: Sequence[str] | None = None
    tags: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question, and what may answer it: the library (``normal``), or ``selected_text`` and nothing else.

    ``source_doc_path`` is the address, or the path, of what the text was selected in, ``source_section`` the heading
    above it. At most ``top_k`` passages come from the library. Its values are checked when it is answered.
    """

    question: str
    mode: AnswerMode = "normal"
    selected_text: str | None = None
    source_doc_path: str | None = None
    source_section: str | None = None
    filters: QueryFilters | None = None
    top_k: int = DEFAULT_TOP_K


class SelectedFrom(NamedTuple):
    """Where a selected text is: ``[char_start, char_end)`` of the markdown of a document version."""

    version_id: UUID
    char_start: int
    char_end: int


class ChunkMetadata(FrozenModel):
    """Where a passage comes from; unknown fields are None or empty.

    ``modules``, ``chapters``, ``content_types`` and ``tags`` are the names by which :class:`QueryFilters` finds it: its
    site and collections, the headings above it, its document's type and what it holds, its document's tags. By a
    heading within it a passage is found, too; that one is part of its text.
    ``doc_path`` is the address of its document, ``section`` its heading, ``anchor`` a place of the page that a link can
    jump to. ``[char_start, char_end)`` counts in the markdown of the document's version. ``content_hash`` is the
    sha256 of the passage's text.
    """

    doc_path: str | None = None
    title: str | None = None
    section: str | None = None
    modules: tuple[str, ...] = ()
    chapters: tuple[str, ...] = ()
    content_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    anchor: str | None = None
    page: int | None = None
    document_id: str | None = None
    version_id: str | None = None
    char_start: int | None = None
    char_end: int | None = None
    content_hash: str | None = None


class ScoredChunk(FrozenModel):
    """A passage that may answer, and how well, from 0 to 1; ``folded`` are near-duplicates folded into it."""

    chunk_id: str
    text: str
    score: float
    metadata: ChunkMetadata
    folded: list[Folded] = Field(default_factory=list)


class DocumentFacts(NamedTuple):
    """What an answer states of a document beside its text."""

    doc_type: str | None = None
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


NO_FACTS = DocumentFacts()


def scored_chunk(chunk: RetrievedChunk, facts: DocumentFacts = NO_FACTS) -> ScoredChunk:
    """A passage of the library under the names of answers.

    Its text is the markdown, in which offsets count and quotes are found again, also where HTML was selected.
    """
    best = chunk.matched_spans[0] if chunk.matched_spans else None
    flags = [flag.removeprefix("has_") for flag in ContentFlags.model_fields if getattr(chunk, flag)]
    metadata = ChunkMetadata(
        doc_path=chunk.source_url,
        title=chunk.title,
        section=chunk.section_heading,
        modules=(*_site(chunk.source_url), *facts.collections),
        chapters=(best.heading_path if best else ()) or tuple(chunk.heading_path),
        content_types=(*filter(None, [facts.doc_type]), *flags),
        tags=facts.tags,
        anchor=(best.anchor if best else None) or chunk.anchor,
        page=(best.page if best else None) or chunk.page,
        document_id=str(chunk.document_id),
        version_id=str(chunk.version_id),
        char_start=chunk.char_start,
        char_end=chunk.char_end,
        content_hash=content_hash_of(chunk.chunk_text),
    )
    return ScoredChunk(
        chunk_id=str(chunk.chunk_id),
        text=chunk.chunk_text,
        score=chunk.rank_score,
        metadata=metadata,
        folded=chunk.folded,
    )


def _site(address: str) -> tuple[str, ...]:
    site = site_of(address)
    return (site,) if site else ()


class Citation(FrozenModel):
    """Where a passage comes from, and the address that leads there; None where it is not known.

    ``[char_start, char_end)`` of the document's version is the passage, so that a quote from it can be checked.
    """

    title: str | None
    section: str | None
    url: str | None
    doc_path: str | None = None
    page: int | None = None
    document_id: str | None = None
    version_id: str | None = None
    char_start: int | None = None
    char_end: int | None = None


class AnswerContext(FrozenModel):
    """The evidence for one question, best first; ``citations`` has one for each of the ``chunks``, in their order.

    ``notices`` are sentences for the user: why there may be less than there could be, how misspelt words were read.
    """

    mode: AnswerMode
    chunks: list[ScoredChunk]
    citations: list[Citation]
    notices: list[str] = Field(default_factory=list)


class GroundedResponse(FrozenModel):
    """The instruction and context that limit a model to the evidence.

    ``system_instruction`` and ``context`` go to the model. Without ``sufficient_context`` there is no evidence, the
    context is empty, and the instruction is to say so. ``citations[n - 1]`` is where ``[Source n: …]`` of the
    context comes from.
    """

    question: str
    mode: AnswerMode
    sufficient_context: bool
    system_instruction: str
    context: str
    citations: list[Citation]
    notices: list[str] = Field(default_factory=list)


def content_hash_of(text: str) -> str:
    """The sha256 of a passage; halves of characters, which a selected text may hold, count as they are."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
