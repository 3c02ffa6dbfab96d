"""Which form of a chunk a reader or model is given: markdown, or HTML where markdown loses something."""

from operator import attrgetter

from webrag_desktop.models import ContentFlags
from webrag_desktop.retrieval.contracts.results import Surface
from webrag_desktop.storage.searching.search import ParentRow

_FLAGS = tuple(ContentFlags.model_fields)
_flags_of = attrgetter(*_FLAGS)


def content_flags(row: ParentRow) -> dict[str, bool]:
    """The flags of a stored chunk, by name."""
    return dict(zip(_FLAGS, _flags_of(row), strict=True))


def select_surface(row: ParentRow) -> tuple[str, Surface]:
    """HTML where it was kept and a table, code, math, definition list or admonition asks for it, else markdown."""
    if row.html_text is not None and ContentFlags(**content_flags(row)).prefers_html:
        return row.html_text, "html"
    return row.chunk_text, "markdown"


def count_selected(row: ParentRow, surface: Surface) -> int:
    """Tokens of the selected text, as they were counted when it was indexed."""
    if surface == "html" and row.html_tokens is not None:
        return row.html_tokens
    return row.token_end - row.token_start
