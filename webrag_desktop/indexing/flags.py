"""Detects rich content in markdown by its pattern; what only HTML shows is flagged by ingestion."""

from functools import cache

from webrag_desktop.ingestion.content_flags import has_admonition_line, has_html_table, has_steps
from webrag_desktop.models.documents import ContentFlags

NO_FLAGS: frozenset[str] = frozenset()

# A chunk that holds only part of a block still stands in its formula, definition list or admonition,
# but not necessarily near its table, code or steps: those are read from the chunk's own text.
INHERITED_BY_PARTS = frozenset({"has_math", "has_definition_list", "has_admonition"})


def text_flags(text: str) -> frozenset[str]:
    """Names of the flags that markdown outside fences and pipe tables shows."""
    found = set()
    if has_admonition_line(text):
        found.add("has_admonition")
    if has_steps(text):
        found.add("has_steps")
    if has_html_table(text):
        found.add("has_table")
    return frozenset(found)


def flag_names(flags: ContentFlags) -> frozenset[str]:
    """The flags that are set, by name."""
    return frozenset([name for name, is_set in vars(flags).items() if is_set]) or NO_FLAGS


@cache
def content_flags(names: frozenset[str]) -> ContentFlags:
    """The flags with these names set and all others clear."""
    return ContentFlags(**dict.fromkeys(names, True))
