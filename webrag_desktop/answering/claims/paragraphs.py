"""Where paragraphs of an answer begin: behind a blank line, in a claim or between two."""

import re

PARAGRAPH = "\n\n"  # between two paragraphs of what is shown
BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*")


def lead_of(text: str, before: str) -> str:
    """What a text begins with behind another: :data:`PARAGRAPH` where a blank line is between their words."""
    between = before[len(before.rstrip()) :] + text[: len(text) - len(text.lstrip())]
    return PARAGRAPH if BLANK_LINE.search(between) else ""
