"""``answer_context``: who answers a question is settled before anything of the library is touched."""

from collections.abc import Callable
from typing import get_args

from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.answers.selection import retrieve_from_selection
from webrag_desktop.retrieval.contracts.answers import AnswerContext, AnswerMode, Query

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
    """Refuse what cannot be asked.

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
            f"{query.top_k!r} is no number of passages.", "Let top_k be a whole number of at least 1."
        )
