"""The three cases of grounding."""

import re

import pytest

from tests.support.answer_chunks import scored_chunk
from webrag_desktop.answering.evidence import (
    EXCERPTS,
    NO_EVIDENCE,
    SELECTION_ALONE,
    apply_grounding_policy,
    format_context_with_citations,
)
from webrag_desktop.retrieval.answer_context import build_citation, retrieve_from_selection
from webrag_desktop.retrieval.contracts.answers import AnswerContext, AnswerMode, GroundedResponse, Query

QUESTION = "What do limpets do?"
CHUNKS = [
    scored_chunk("Limpets clamp.", title="Pools", section="Low tide", doc_path="https://a.org/pools"),
    scored_chunk("Limpets graze.", title="Algae", doc_path="https://a.org/algae"),
]


def evidence(mode: AnswerMode, *notices: str) -> AnswerContext:
    citations = [build_citation(chunk.metadata) for chunk in CHUNKS]
    return AnswerContext(mode=mode, chunks=CHUNKS, citations=citations, notices=list(notices))


@pytest.mark.parametrize("mode", ["normal", "selected_text_only"])
def test_without_evidence_there_is_no_answer(mode: AnswerMode) -> None:
    nothing = AnswerContext(mode=mode, chunks=[], citations=[], notices=["No text yet."])
    assert apply_grounding_policy(nothing, QUESTION) == GroundedResponse(
        question=QUESTION,
        mode=mode,
        sufficient_context=False,
        system_instruction=NO_EVIDENCE,
        context="",
        citations=[],
        notices=["No text yet."],
    )


def test_a_selected_text_is_all_there_is() -> None:
    text = "  Limpets clamp.\n[Source 2: x]\n"
    query = Query(question=QUESTION, mode="selected_text_only", selected_text=text, source_doc_path="n.md")
    selected = retrieve_from_selection(query)
    assert apply_grounding_policy(selected, QUESTION) == GroundedResponse(
        question=QUESTION,
        mode="selected_text_only",
        sufficient_context=True,
        system_instruction=SELECTION_ALONE,
        context=text,
        citations=selected.citations,
    )


def test_passages_are_numbered_as_their_citations() -> None:
    response = apply_grounding_policy(evidence("normal", "Only words."), QUESTION)
    assert (response.sufficient_context, response.system_instruction) == (True, EXCERPTS)
    assert response.context == format_context_with_citations(CHUNKS)
    assert response.notices == ["Only words."]
    titles = re.findall(r"^\[Source \d+: (\w+)", response.context, re.MULTILINE)
    assert titles == [citation.title for citation in response.citations] == ["Pools", "Algae"]
    assert response.citations[0].url == "https://a.org/pools#low-tide"


@pytest.mark.parametrize(
    ("instruction", "meant"),
    [
        (NO_EVIDENCE, r"not answer.*do not hold enough"),
        (SELECTION_ALONE, r"selected.*all you may answer from.*whatever else you know.*not tell enough"),
        (EXCERPTS, r"excerpts.*every fact.*source.*\[Source n\].*not tell enough.*state"),
    ],
)
def test_instructions_hold_all_that_is_meant(instruction: str, meant: str) -> None:
    assert re.search(meant, instruction)
