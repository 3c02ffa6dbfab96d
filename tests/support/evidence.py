"""Evidence made by hand: one document a text, a passage and a source each, every sentence with an id."""

from datetime import UTC, datetime
from uuid import UUID, uuid5

from webrag_desktop.answering.evidence import (
    AnswerEvidence,
    PointedSentence,
    SentenceMark,
    apply_grounding_policy,
)
from webrag_desktop.retrieval.answer_context import build_citation
from webrag_desktop.retrieval.contracts.answers import AnswerContext, ChunkMetadata, ScoredChunk
from webrag_desktop.retrieval.contracts.results import RetrievedChunk
from webrag_desktop.text.plain_text import project
from webrag_desktop.text.sentences import split_sentences

_NAMESPACE = UUID("6f1a6a5e-0000-4000-8000-000000000000")


def evidence_of(question: str, *texts: str) -> AnswerEvidence:
    """The evidence that these texts are; ``Title: text`` gives a document its title."""
    titled = [text.partition(": ")[::2] for text in texts]
    chunks = tuple(_chunk(number, title, text) for number, (title, text) in enumerate(titled))
    sentences: list[PointedSentence] = []
    marks: list[tuple[SentenceMark, ...]] = []
    for source, chunk in enumerate(chunks, start=1):
        own = []
        for one in split_sentences(chunk.chunk_text):
            id_ = f"s{len(sentences) + 1}"
            markdown = chunk.chunk_text[one.start : one.end]
            reads = project(markdown).text
            place = (chunk.document_id, chunk.version_id, one.start, one.end)
            sentences.append(PointedSentence(id_, source, *place, markdown, reads, 1 / (len(sentences) + 1)))
            own.append(SentenceMark(one.start, id_))
        marks.append(tuple(own))
    scored = [_scored(chunk) for chunk in chunks]
    sources = AnswerContext(
        mode="normal", chunks=scored, citations=[build_citation(one.metadata) for one in scored]
    )
    return AnswerEvidence(
        basis="chunk",
        grounded=apply_grounding_policy(sources, question, marks),
        sentences=tuple(sentences),
        chunks=chunks,
        sources=sources,
        marks=tuple(marks),
    )


def _chunk(number: int, title: str, text: str) -> RetrievedChunk:
    flags = dict.fromkeys(
        ("has_table", "has_code", "has_math", "has_definition_list", "has_admonition", "has_steps"), False
    )
    return RetrievedChunk(
        chunk_id=uuid5(_NAMESPACE, f"chunk {number}"),
        document_id=uuid5(_NAMESPACE, f"document {number}"),
        version_id=uuid5(_NAMESPACE, f"version {number}"),
        parent_id=None,
        source_url=f"https://example.org/{number}",
        title=title,
        selected_text=text,
        surface="markdown",
        section_heading=None,
        chunk_index=0,
        char_start=0,
        char_end=len(text),
        token_start=0,
        token_end=len(text.split()),
        score=1.0,
        raw_similarity=1.0,
        depth=0,
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        chunk_text=text,
        selected_tokens=len(text.split()),
        rank_score=1.0,
        **flags,
    )


def _scored(chunk: RetrievedChunk) -> ScoredChunk:
    about = ChunkMetadata(
        doc_path=chunk.source_url,
        title=chunk.title,
        document_id=str(chunk.document_id),
        version_id=str(chunk.version_id),
    )
    return ScoredChunk(chunk_id=str(chunk.chunk_id), text=chunk.chunk_text, score=1.0, metadata=about)
