"""A text that the user selected, as the only evidence there is. It is never searched for: no storage, no model."""

from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.answers.citations import build_citation
from webrag_desktop.retrieval.contracts.answers import (
    AnswerContext,
    ChunkMetadata,
    Query,
    ScoredChunk,
    content_hash_of,
)

SELECTION_ID = "selection"


def retrieve_from_selection(query: Query, *, base_url: str | None = None) -> AnswerContext:
    """The selected text as one passage, with a citation of where it was selected as far as the query says.

    ``base_url`` is where the pages of Markdown files lie, for a source that is the path of one.

    Raises:
        InputError: no text is selected.
    """
    text = query.selected_text
    if not isinstance(text, str) or not text.strip():
        raise InputError(
            "No text is selected, and only selected text is to answer.",
            "Select some text, or ask the whole library.",
        )
    metadata = ChunkMetadata(
        doc_path=query.source_doc_path, section=query.source_section, content_hash=content_hash_of(text)
    )
    return AnswerContext(
        mode="selected_text_only",
        chunks=[ScoredChunk(chunk_id=SELECTION_ID, text=text, score=1.0, metadata=metadata)],
        citations=[build_citation(metadata, base_url=base_url)],
    )
