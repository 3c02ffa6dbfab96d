"""Stored texts and how they read, without a library."""

from webrag_desktop.citations.reading import ReadText
from webrag_desktop.text.plain_text import project


def read_text(markdown: str) -> ReadText:
    """The text as it is stored, projected here."""
    return ReadText.of(markdown, project(markdown))
