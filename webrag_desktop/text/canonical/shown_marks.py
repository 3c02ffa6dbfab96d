"""What marks of Markdown and HTML show that a plain text leaves out: raised figures, line breaks, struck words, notes.

Without them "10<sup>5</sup>" would read as 105, and "~~not~~ cold" as what it does not say any more. Raised and lowered
characters read as those of web pages are stored: ``10^5``, ``H2O``, ``x_i``.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from webrag_desktop.text.canonical.tracing import Edit, Trace, Traced, traced
from webrag_desktop.text.mathematics import formulas
from webrag_desktop.text.spans import Span

_MAY_SHOW = re.compile(r"<[/a-zA-Z]|~~|\]\(|\[\^")
_TAG = re.compile(
    r"(?P<struck>(?<!~)~~(?!~)|</?(?:del|s|strike)(?:\s[^<>]*)?>)|(?P<line_end><br(?:\s[^<>]*)?/?>)"
    r"|<(?P<set>sup|sub)(?:\s[^<>]*)?>(?P<content>[^<>\n]{0,200})(?:</su[pb]>)?",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"(?<!!)\[(?:\\?\[)?\^?\d{1,3}(?:\\?\])?\]\([^()\s#]{0,2000}#[^()\s]{0,200}\)|\[\^[^\[\]\s]{1,40}\](?!:)"
)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,2000}\]\([^()\n]{0,2000}\)")
_SIMPLE = re.compile(r"[-+\u2212\u2013]?\d+(?:[.,]\d+)?|[a-zA-Z]")
_AS_WRITTEN = re.compile(r"st|nd|rd|th|ers?|re|ère|ème|nde|[ts]m|mc|\[[^\[\]]*\]|\W*", re.IGNORECASE)
_STRUCK, _RAISED, _LOWERED = "~~", "^", "_"
_SIGNS_BEFORE = frozenset(
    ")]}|.,;:!?…。！？，、\"'”’»"
)  # which what is raised belongs to, or is a note behind


class Shown(NamedTuple):
    """A plain text with what its marks show, and the spans of it that are no part of sentences, in order."""

    text: Traced
    asides: tuple[Span, ...]


def shown_marks(markdown: str, plain: str, to_plain: Trace) -> Shown:
    """The plain text of a markdown with what marks show; takes time in proportion to its length.

    ``to_plain`` traces spans of the markdown. Marks of notes that are links, what stands for images, and the dollar
    signs around formulas are no part of sentences.
    """
    if not _MAY_SHOW.search(markdown):
        return Shown(Traced(plain), tuple(_signs_of_formulas(plain)))
    notes = [span for span in _read_as(_NOTE, markdown, to_plain) if _is_glued(plain, span[0])]
    added = [*_of_tags(markdown, plain, to_plain), *_of_notes(plain, notes)]
    text = traced(plain, sorted(added, key=lambda edit: edit.start))
    asides = sorted((*notes, *_read_as(_IMAGE, markdown, to_plain), *_signs_of_formulas(plain)))
    return Shown(text, tuple((text.end_of(start), text.end_of(end)) for start, end in asides))


def _read_as(pattern: re.Pattern[str], markdown: str, to_plain: Trace) -> Iterator[Span]:
    """What each match reads as, those aside that are code and read as they are written."""
    for found in pattern.finditer(markdown):
        start, end = to_plain(*found.span())
        if start < end < start + len(found[0]):
            yield start, end


def _signs_of_formulas(plain: str) -> Iterator[Span]:
    for one in formulas(plain) if "$" in plain else ():
        signs = 2 if plain.startswith("$$", one.start) else 1
        if plain[one.start] == plain[one.end - 1] == "$":
            yield one.start, one.start + signs
            yield one.end - signs, one.end


def _is_glued(plain: str, at: int) -> bool:
    before = plain[at - 1 : at]
    return before.isalnum() or before in _SIGNS_BEFORE if before else False


def _of_notes(plain: str, notes: Sequence[Span]) -> Iterator[Edit]:
    """The sign that parts the figure of a note from the word or number before it."""
    for start, _end in notes:
        if plain[start].isdigit():
            yield Edit(start, start, _RAISED)


def _of_tags(markdown: str, plain: str, to_plain: Trace) -> Iterator[Edit]:
    for found in _TAG.finditer(markdown):
        if found["set"]:
            yield from _set_apart(found, plain, to_plain)
            continue
        start, end = to_plain(*found.span())
        if start == end:
            yield Edit(start, start, "\n" if found["line_end"] else _STRUCK)


def _set_apart(found: re.Match[str], plain: str, to_plain: Trace) -> Iterator[Edit]:
    """The signs for what is raised or lowered, where it stands right behind something."""
    start, tag_end = to_plain(found.start(), found.start("content"))
    if start != tag_end or not _is_glued(plain, start):
        return
    end = max(start, to_plain(*found.span("content"))[1]) if found["content"] else start
    content, after = plain[start:end], plain[end : end + 1]
    if found["set"].lower() == "sup":
        before, after = _signs(_RAISED, content, after) if _is_raised(found, content) else ("", "")
    else:
        is_bare = content.isdecimal() and not (plain[start - 1].isdigit() or after.isdigit())
        before, after = _signs(_LOWERED, content, after) if not is_bare else ("", "")
    if before and plain[start : start + 1].strip():
        yield Edit(start, start, before)
        if after:
            yield Edit(end, end, after)


def _is_raised(found: re.Match[str], content: str) -> bool:
    """Whether what is raised would read otherwise on the line; a note that is a link has its own sign."""
    if _NOTE.match(found["content"]):
        return False
    return not found["content"] or _AS_WRITTEN.fullmatch(content.strip()) is None


def _signs(sign: str, content: str, after: str) -> tuple[str, str]:
    if not content or (_SIMPLE.fullmatch(content.strip()) and not after.isalnum()):
        return sign, ""
    return f"{sign}(", ")"


_FIRST = r"[\[^¹²³⁰⁴-⁹]"  # every mark begins so; it is quickest to look for that
_STOP = "[.,;:!?…。！？，、]"
_BEHIND_STOP = rf"(?:(?<=[^\W\d_]{{2}}{_STOP}{_FIRST})|(?<=[^\W\d_]{_STOP}[\"'”’»」』)]{_FIRST}))"
_MARK = re.compile(
    rf"(?={_FIRST})(?:\[{_BEHIND_STOP}\d{{1,3}}\]|\^{_BEHIND_STOP}\d{{1,3}}(?!\d)|[¹²³⁰⁴-⁹]{_BEHIND_STOP}[¹²³⁰⁴-⁹]{{0,2}})"
    r"(?:\[\d{1,3}\])*(?=[\s\"'”’»」』)]|[^\W\d_]|$)"
)


def without_notes(text: str, asides: Sequence[tuple[int, int]] = ()) -> Traced:
    """The text without the marks of notes, and without other spans, which are given in order."""
    edits: list[Edit] = []
    for start, end in sorted((*asides, *(found.span() for found in _MARK.finditer(text)))):
        if not edits or start >= edits[-1].end:
            edits.append(Edit(start, end))
    return traced(text, edits)
