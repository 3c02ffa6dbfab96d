"""What a model is told, so that its answer says nothing that the evidence does not say."""

from collections.abc import Sequence

from webrag_desktop.answering.source_markers import SentenceMark, format_context_with_citations, with_ids
from webrag_desktop.retrieval.contracts.answers import AnswerContext, GroundedResponse

NO_EVIDENCE = (
    "Nothing was found that bears on this question. Do not answer it: tell the user that the sources at hand "
    "do not hold enough to answer."
)
SELECTION_ALONE = (
    "The text below, which the user selected, is all you may answer from. Leave aside whatever else you know. "
    "Where it does not tell enough for an answer, tell the user that."
)
EXCERPTS = (
    "Let your answer rest on the excerpts below. Name for every fact the source that it comes from, in the form "
    "[Source n]. Where the excerpts do not tell enough for an answer, state that plainly."
)


def apply_grounding_policy(
    result: AnswerContext,
    question: str,
    marks: Sequence[Sequence[SentenceMark]] = (),
    *,
    by_document: bool = False,
) -> GroundedResponse:
    """What to tell a model that is to answer ``question`` from ``result`` alone.

    Without any evidence it is to refuse. A selected text is handed on as it is, and nothing beside it may be used.
    Passages of the library are numbered, and each fact is to name its source. ``marks`` are the ids of sentences in
    each text, where there are any; ``by_document`` names the document above its passages.
    """
    if not result.chunks:
        instruction, context = NO_EVIDENCE, ""
    elif result.mode == "selected_text_only":
        texts = [chunk.text for chunk in result.chunks]
        if marks:
            texts = [with_ids(text, own) for text, own in zip(texts, marks, strict=True)]
        instruction, context = SELECTION_ALONE, "\n\n".join(texts)
    else:
        context = format_context_with_citations(result.chunks, marks, by_document=by_document)
        instruction = EXCERPTS
    return GroundedResponse(
        question=question,
        mode=result.mode,
        sufficient_context=bool(result.chunks),
        system_instruction=instruction,
        context=context,
        citations=result.citations,
        notices=result.notices,
    )
