"""The contract of answers: names and defaults."""

import dataclasses

import pytest
from pydantic import BaseModel

from tests.support.answer_chunks import scored_chunk
from webrag_desktop.retrieval.contracts.answers import (
    AnswerContext,
    ChunkMetadata,
    Citation,
    GroundedResponse,
    Query,
    QueryFilters,
    ScoredChunk,
)
from webrag_desktop.retrieval.contracts.results import Folded


def test_a_question_asks_the_whole_library_by_default() -> None:
    assert dataclasses.asdict(Query(question="What?")) == {
        "question": "What?",
        "mode": "normal",
        "selected_text": None,
        "source_doc_path": None,
        "source_section": None,
        "filters": None,
        "top_k": 10,
    }
    assert dataclasses.asdict(QueryFilters()) == dict.fromkeys(
        ("modules", "chapters", "content_types", "tags")
    )


@pytest.mark.parametrize(
    ("model", "required", "optional"),
    [
        (ScoredChunk, "chunk_id text score metadata", "folded"),
        (
            ChunkMetadata,
            "",
            "doc_path title section modules chapters content_types tags anchor page document_id version_id "
            "char_start char_end content_hash",
        ),
        (Citation, "title section url", "doc_path page document_id version_id char_start char_end"),
        (AnswerContext, "mode chunks citations", "notices"),
        (
            GroundedResponse,
            "question mode sufficient_context system_instruction context citations",
            "notices",
        ),
        (Folded, "chunk_id document_id source_url similarity", ""),
    ],
)
def test_every_field_has_its_name(model: type[BaseModel], required: str, optional: str) -> None:
    fields = model.model_fields.items()
    assert [name for name, field in fields if field.is_required()] == required.split()
    assert [name for name, field in fields if not field.is_required()] == optional.split()


def test_ids_are_text() -> None:
    assert ScoredChunk.model_fields["chunk_id"].annotation is str
    assert ChunkMetadata.model_fields["document_id"].annotation == str | None


def test_evidence_survives_json() -> None:
    folded = Folded(chunk_id="b", document_id="d", source_url="https://a.org", similarity=0.96)
    chunk = scored_chunk("Text.", doc_path="https://a.org", tags=("sea",)).model_copy(
        update={"folded": [folded]}
    )
    context = AnswerContext(mode="normal", chunks=[chunk], citations=[])
    assert AnswerContext.model_validate_json(context.model_dump_json()) == context
