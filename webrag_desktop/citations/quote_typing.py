"""How the same words are typed where a writer's conventions differ from the source's: marks, dashes, accents."""

import re
from collections.abc import Iterator

from webrag_desktop.text.canonical.tracing import Edit, Traced, traced

_DOUBLE_MARK = re.compile('[“”„‟«»『』]|(?<!\\d)"')  # a straight one behind a figure says inches
_SINGLE = frozenset("'‘’‚‛‹›「」")
_SINGLE_OF = {"『": "「", "』": "」"}
_DOUBLE_OF = {"「": "『", "」": "』"}
# As typed where a keyboard lacks the sign, and in LaTeX: quotation marks, dashes, and accents for apostrophes.
_TYPED = re.compile(
    r"(?P<mark>``|(?<=\S)'')|(?P<long>(?<!-)---(?!-))|(?P<dash>(?<!-)--(?!-))|(?P<apostrophe>(?<=[^\W\d_])[´`′](?=[^\W\d_]))"
)
_DASH = re.compile("[\u2013\u2014]")


def as_typed_elsewhere(text: str) -> Iterator[Traced]:
    """The text in the other ways to type it, with its places; none of them is the text itself.

    Double quotation marks for single ones and the other way around, as a quotation within a quotation has them; dashes
    for hyphens that stand for them, and such hyphens for dashes.
    """
    marks = _other_marks(text)
    signs = [found for found in (_signs(text, "\u2013"), _signs(text, "\u2014"), _hyphens(text)) if found]
    for edits in (marks, *signs, *(_merged(marks, one) for one in signs if marks)):
        if edits:
            yield traced(text, edits)


def _merged(some: list[Edit], others: list[Edit]) -> list[Edit]:
    """Both in order; of those that overlap, the first."""
    merged: list[Edit] = []
    for edit in sorted([*others, *some]):
        if not merged or edit.start >= merged[-1].end:
            merged.append(edit)
    return merged


def _other_marks(text: str) -> list[Edit]:
    edits: list[Edit] = []
    doubles = [found.start() for found in _DOUBLE_MARK.finditer(text)]
    paired = frozenset(doubles if len(doubles) % 2 == 0 else ())
    open_at: list[int] = []  # which of the edits is of a single mark that is not closed
    for place, char in enumerate(text):
        before, after = text[place - 1] if place else " ", text[place + 1 : place + 2] or " "
        if place in paired:
            edits.append(Edit(place, place + 1, _SINGLE_OF.get(char, "'")))
        elif char in _SINGLE and (_closes(char, before, after) if open_at else _opens(char, before, after)):
            open_at = [] if open_at else [len(edits)]
            edits.append(Edit(place, place + 1, _DOUBLE_OF.get(char, '"')))
    for number in open_at:
        del edits[number]
    return edits


def _opens(char: str, before: str, after: str) -> bool:
    return char == "「" or not (before.isalnum() or after.isspace())


def _closes(char: str, before: str, after: str) -> bool:
    return char == "」" or not (before.isspace() or after.isalnum())


def _signs(text: str, dash: str) -> list[Edit]:
    """The signs that are typed in several characters, two hyphens as this dash."""
    read = {"mark": '"', "long": "\u2014", "dash": dash, "apostrophe": "'"}
    return [Edit(*found.span(), read[found.lastgroup or ""]) for found in _TYPED.finditer(text)]


def _hyphens(text: str) -> list[Edit]:
    return [Edit(*found.span(), "--") for found in _DASH.finditer(text)]
