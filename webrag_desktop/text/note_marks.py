"""Marks that lead to notes behind the end of a sentence or clause, as in "deep.[1]"; elsewhere they may be words."""

import re

from webrag_desktop.text.tracing import Edit, Traced, traced

_ENDED = r"(?:(?<=[^\W\d_]{2}[.,;:!?…。！？，、])|(?<=[^\W\d_][.,;:!?…。！？，、][\"'”’»」』)]))"
_MARK = re.compile(_ENDED + r"(?:\[\d{1,3}\]|\^\d{1,3}(?!\d)|[¹²³⁰⁴-⁹]{1,3})+(?=[\s\"'”’»」』)]|[^\W\d_]|$)")


def without_notes(text: str) -> Traced:
    """The text without the marks of notes."""
    return traced(text, [Edit(*found.span()) for found in _MARK.finditer(text)])
