"""``answer_context``: decides whether the library or a selected text answers, before the library is opened."""

import re
from collections.abc import Callable
from typing import get_args
from urllib.parse import quote

from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.contracts.answers import (
    AnswerContext,
    AnswerMode,
    ChunkMetadata,
    Citation,
    Query,
    ScoredChunk,
    content_hash_of,
)
from webrag_desktop.text import links as addresses

_PAGE = re.compile(r"(?:https?|file)://", re.IGNORECASE)

DOCS_FOLDER = "website/docs/"
SUFFIX = ".md"
INDEX = "index"

# What RFC 3986 allows in a path. A path is no address: its "%", "?" and "#" are characters of a name.
_PATH_SAFE = "/:@!$&'()*+,;="


def build_url(doc_path: str, section_heading: str | None = None, *, base_url: str) -> str:
    """Where the page of a Markdown file is below ``base_url``, at a section if one is given.

    ``doc_path`` counts from the folder of the documents, whose own path (``website/docs/``) may come first. The page
    has the name of its file without ``.md``; that of ``index.md`` is its folder. The section is found by the slug of
    its heading, see :func:`~webrag_desktop.text.links.slugify`.
    """
    path = doc_path.removeprefix(DOCS_FOLDER).removesuffix(SUFFIX).lstrip("/")
    folder, slash, name = path.rpartition("/")
    if name == INDEX:
        path = folder + slash
    url = f"{base_url.rstrip('/')}/{quote(path, safe=_PATH_SAFE)}"
    return addresses.build_url(url, section_heading)


def build_citation(metadata: ChunkMetadata, *, base_url: str | None = None) -> Citation:
    """The citation of a passage.

    A page is reached at its own address, by the real anchor of the place, else by the slug of its heading; a path of a
    Markdown file at the page that is made of it below ``base_url``. A path without that has no address.

    Raises:
        InputError: the address of the page, or ``base_url``, is malformed.
    """
    return Citation(
        title=metadata.title,
        section=metadata.section,
        url=_url(metadata, base_url),
        doc_path=metadata.doc_path,
        page=metadata.page,
        document_id=metadata.document_id,
        version_id=metadata.version_id,
        char_start=metadata.char_start,
        char_end=metadata.char_end,
    )


def _url(metadata: ChunkMetadata, base_url: str | None) -> str | None:
    path = metadata.doc_path
    if not path:
        return None
    is_page = _PAGE.match(path)
    try:
        if is_page:
            return addresses.build_url(path, metadata.section, anchor=metadata.anchor)
        return None if base_url is None else build_url(path, metadata.section, base_url=base_url)
    except ValueError as error:
        wrong = path if is_page else base_url
        raise InputError(f"“{wrong}” is no address.", "Check how it is written, or leave it out.") from error


SELECTION_ID = "selection"


def retrieve_from_selection(query: Query, *, base_url: str | None = None) -> AnswerContext:
    """The selected text as one passage, with a citation of its source as far as the query names it.

    ``base_url`` is the address of the pages made of Markdown files, for a source that is the path of one.

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


Search = Callable[[Query], AnswerContext]


def answer_context(query: Query, search: Search, *, base_url: str | None = None) -> AnswerContext:
    """The evidence for a question: what ``search`` finds in the library, or the selected text alone.

    In the mode ``selected_text_only`` nothing is searched: ``search`` is not called, so it may be what opens the
    library. ``base_url`` is for a source that is the path of a Markdown file.

    Raises:
        InputError: the question is empty, or no text is selected where only that is to answer; also an unknown mode
            and a ``top_k`` below 1.
    """
    check_query(query)
    if query.mode == "selected_text_only":
        return retrieve_from_selection(query, base_url=base_url)
    return search(query)


def check_query(query: Query) -> None:
    """Refuse an invalid query.

    Raises:
        InputError: the question is empty, the mode unknown, or ``top_k`` no number of passages.
    """
    if not isinstance(query.question, str) or not query.question.strip():
        raise InputError("There is no question to answer.", "Type some words.")
    modes = get_args(AnswerMode)
    if query.mode not in modes:
        raise InputError(f"There is no mode {query.mode!r}.", f"Use one of these modes: {', '.join(modes)}.")
    if type(query.top_k) is not int or query.top_k < 1:
        raise InputError(
            f"{query.top_k!r} is no number of passages.", "Set top_k to a whole number of at least 1."
        )
