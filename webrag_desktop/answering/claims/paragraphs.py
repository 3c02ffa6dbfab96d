"""Where paragraphs of an answer begin: behind a blank line, in a claim or between two."""

from webrag_desktop.text.markdown_grammar import BLANK_LINES

PARAGRAPH = "\n\n"  # between two paragraphs of what is shown


def lead_of(text: str, before: str) -> str:
    """What a text begins with behind another: :data:`PARAGRAPH` where a blank line is between their words."""
    between = before[len(before.rstrip()) :] + text[: len(text) - len(text.lstrip())]
    return PARAGRAPH if BLANK_LINES.search(between) else ""
