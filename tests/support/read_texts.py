"""Stored texts and how they read, without a library."""

from webrag_desktop.citations.reading import ReadText
from webrag_desktop.text.plain_text import project


def read_text(markdown: str) -> ReadText:
    """The text as it is stored, projected here."""
    plain = project(markdown)
    return ReadText(markdown, plain.text, plain.to_markdown_span, plain.to_plain_span)
