"""Raised and lowered characters in plain text: ``2^(10n)``, ``x_i``, so that no number changes its value."""

import re

from turbohtml import Element

_SIMPLE = re.compile(r"^[-+−–]?\d+(?:[.,]\d+)?$|^[a-zA-Z]$")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "ers", "re", "ère", "ème", "nde"})
_MARKS = frozenset({"tm", "sm", "mc"})
_BRACKETED = re.compile(r"^\[[^\[\]]*\]$")  # a mark that leads to a note


def superscript_markdown(element: Element, content: str) -> str:
    """``^n`` or ``^(…)``; ordinals and marks of notes stay as they are, marks that lead to sources go."""
    if element.has_class("reference"):
        return ""  # the html keeps it
    raised = element.text.strip()
    if _SIMPLE.match(raised):
        return f"^({raised})" if _after(element).isalnum() else f"^{raised}"
    if raised.lower() in _ORDINALS | _MARKS or _BRACKETED.match(raised) or not _is_term(element, content):
        return content
    return f"^({content.strip()})"


def subscript_markdown(element: Element, content: str) -> str:
    """The bare characters where they cannot be misread, as in ``H2O``; ``_n`` or ``_(…)`` elsewhere."""
    lowered = element.text.strip()
    before, after = _before(element), _after(element)
    if not _is_term(element, content):
        return content
    if lowered.isdecimal() and not before.isdigit() and not after.isdigit():
        return content
    if _SIMPLE.match(lowered) and not after.isalnum():
        return f"_{lowered}"
    return f"_({content.strip()})"


def _is_term(element: Element, content: str) -> bool:
    """Whether the characters belong to the word before: no note, no link, no text set small."""
    before = _before(element)
    attached = before.isalnum() or before in {")", "]", "}", "|"}
    return attached and element.select_one("a[href]") is None and "\n" not in content and _has_word(content)


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _before(element: Element) -> str:
    """The character right before, empty where the element begins its surroundings."""
    sibling = element.previous_sibling
    return sibling.text[-1:] if sibling is not None else ""


def _after(element: Element) -> str:
    sibling = element.next_sibling
    return sibling.text[:1] if sibling is not None else ""
