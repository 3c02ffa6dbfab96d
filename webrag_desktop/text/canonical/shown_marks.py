"""What marks of Markdown and HTML show that a plain text leaves out: raised figures, line breaks, struck words, notes.

Without them "10<sup>5</sup>" would read as 105, and "~~not~~ cold" as what it does not say any more. Raised and lowered
characters read as those of web pages are stored: ``10^5``, ``H2O``, ``x_i``. Pasted Markdown is read as plain text
unless that would remove words, numbers or signs.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from webrag_desktop.text.canonical.canonical_form import IDEOGRAPHIC
from webrag_desktop.text.canonical.lookalikes import Edit, Trace, Traced, traced
from webrag_desktop.text.markdown_grammar import HASHES, ITEM_MARK, ITEM_NUMBER
from webrag_desktop.text.mathematics import formulas
from webrag_desktop.text.plain_text import PlainText, project
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
    skipped: tuple[Span, ...]


def shown_marks(markdown: str, plain: str, to_plain: Trace) -> Shown:
    """The plain text of a markdown with what marks show; takes time in proportion to its length.

    ``to_plain`` traces spans of the markdown. Marks of notes that are links, what represents images, and the dollar
    signs around formulas are no part of sentences.
    """
    if not _MAY_SHOW.search(markdown):
        return Shown(Traced(plain), tuple(_signs_of_formulas(plain)))
    notes = [span for span in _read_as(_NOTE, markdown, to_plain) if _is_glued(plain, span[0])]
    added = [*_of_tags(markdown, plain, to_plain), *_of_notes(plain, notes)]
    text = traced(plain, sorted(added, key=lambda edit: edit.start))
    skipped = sorted((*notes, *_read_as(_IMAGE, markdown, to_plain), *_signs_of_formulas(plain)))
    return Shown(text, tuple((text.end_of(start), text.end_of(end)) for start, end in skipped))


def _read_as(pattern: re.Pattern[str], markdown: str, to_plain: Trace) -> Iterator[Span]:
    """What each match reads as, except those that are code and read as they are written."""
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
    """The signs for what is raised or lowered, where it is right behind something."""
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


_FIRST = r"[\[^¹²³⁰⁴-⁹]"  # every mark begins so; it is quickest to search for that
_STOP = "[.,;:!?…。！？，、]"
_BEHIND_STOP = rf"(?:(?<=[^\W\d_]{{2}}{_STOP}{_FIRST})|(?<=[^\W\d_]{_STOP}[\"'”’»」』)]{_FIRST}))"
_MARK = re.compile(
    rf"(?={_FIRST})(?:\[{_BEHIND_STOP}\d{{1,3}}\]|\^{_BEHIND_STOP}\d{{1,3}}(?!\d)|[¹²³⁰⁴-⁹]{_BEHIND_STOP}[¹²³⁰⁴-⁹]{{0,2}})"
    r"(?:\[\d{1,3}\])*(?=[\s\"'”’»」』)]|[^\W\d_]|$)"
)


def without_notes(text: str, skipped: Sequence[tuple[int, int]] = ()) -> Traced:
    """The text without the marks of notes, and without other spans, which are given in order."""
    edits: list[Edit] = []
    for start, end in sorted((*skipped, *(found.span() for found in _MARK.finditer(text)))):
        if not edits or start >= edits[-1].end:
            edits.append(Edit(start, end))
    return traced(text, edits)


_MAY_HOLD_MARKUP = re.compile(rf"[*_`~#>|\[\]<&\\]|^[ \t]*{ITEM_MARK}\s|^[ \t]*[-=]+[ \t]*$", re.MULTILINE)
_TAGS = (
    "a|abbr|b|bdi|bdo|blockquote|br|cite|code|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|h[1-6]|hr|i|img|ins|kbd|li"
    "|mark|ol|p|pre|q|rp|rt|ruby|s|samp|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul"
    "|var|wbr"
)
_NO_PARENTHESES = r"[^\s()<>]*"
# What nobody takes for words in parentheses.
_ADDRESS = (
    rf"(?:<[^<>\n]*>|(?:[/#]|(?={_NO_PARENTHESES}[A-Za-z]){_NO_PARENTHESES}(?:[/#:]|\.[A-Za-z]{{2}}))"
    rf"{_NO_PARENTHESES}(?:\({_NO_PARENTHESES}\){_NO_PARENTHESES})*|)"
)
_ATTRIBUTES = r"(?:\s+[\w:-]+=(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))*"
_OPENING_TAG = rf"</?(?:{_TAGS}){_ATTRIBUTES}\s*/?>"
_OPENED_OR_CLOSED = re.compile(rf"<(/?)(?!(?:br|hr|img|wbr)\b)({_TAGS}){_ATTRIBUTES}\s*>")
# What holds letters or digits and yet shows none: targets of links, tags, languages of code, numbers of list items.
_UNSEEN = re.compile(
    rf"(?:\]\({_ADDRESS}(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)|\]\[[^\[\]]*\]|{_OPENING_TAG}"
    rf"|(?m:^ {{0,3}}\[[^\[\]\n]+\]:[ \t]*{_ADDRESS}[ \t]*$)|(?m:^[ \t>]*(?:`{{3,}}|~{{3,}})[ \t]*[\w+#.-]*$)"
    rf"|(?m:^[ \t>]*{ITEM_NUMBER}[.)](?=\s))|[^\w]|_)*"
)
_MARKS = re.compile(rf"(?:[ \t]*(?:>|(?:{ITEM_MARK}|{HASHES})(?=\s)))+")
_COUNTS = re.compile(r"[\W_]{0,4}\d")  # a number, a sign or a currency in front of it
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHIC}]")


class LineMarks(NamedTuple):
    """Marks at the beginning of a line that could be taken for words: of an item's number, or in front of a number.

    ``place`` is where what they mark begins in the plain text.
    """

    place: int
    marks: str


class PastedMarkdown(NamedTuple):
    """How it reads, and the marks that must be in the quoted text, too."""

    plain: PlainText
    line_marks: tuple[LineMarks, ...]


def pasted_markdown(text: str) -> PastedMarkdown | None:
    """How ``text`` reads as Markdown; None where it holds no markup, or what may be none.

    Raises:
        IndexingError: it holds more markup than can be kept.
    """
    if not _MAY_HOLD_MARKUP.search(text):
        return None
    plain = project(text)
    gaps = list(_gaps(plain, len(text)))
    if plain.text == text or not (
        all(_shows_nothing(text, *gap) for gap in gaps) and _closes_tags(text, gaps)
    ):
        return None
    return PastedMarkdown(plain, tuple(_line_marks(text, plain)))


def marks_before(text: str, place: int) -> str:
    """The marks at the beginning of a line in front of what is at ``place``, bullets and numbers of one kind."""
    line = text.rfind("\n", 0, place) + 1
    found = _MARKS.match(text, line, place)
    return re.sub("[-+*]", "•", "".join(found[0].split())).replace(")", ".") if found else ""


def _gaps(plain: PlainText, length: int) -> Iterator[tuple[int, int]]:
    """The spans of the markdown that show nothing."""
    end = 0
    for _start, source, count in plain.runs:
        if count and source > end:
            yield end, source
        end = max(end, source + count)
    if end < length:
        yield end, length


def _shows_nothing(text: str, start: int, end: int) -> bool:
    """Whether what is there is markup beyond doubt, and joins no words or numbers in taking it off."""
    gap = text[start:end]
    if not _UNSEEN.fullmatch(gap):
        return False
    if not (start and end < len(text)) or "\n" in gap:
        return True
    sides = text[start - 1], text[end]
    return not all(side.isalnum() for side in sides) or any(map(_IDEOGRAPH.match, sides))


def _closes_tags(text: str, gaps: Sequence[tuple[int, int]]) -> bool:
    """Whether every tag has its counterpart; else it may be a name in angle brackets."""
    open_tags: Counter[str] = Counter()
    for gap in gaps:
        for closes, name in _OPENED_OR_CLOSED.findall(text, *gap):
            open_tags[name] += -1 if closes else 1
    return not any(open_tags.values())


def _line_marks(text: str, plain: PlainText) -> Iterator[LineMarks]:
    for start, end in _gaps(plain, len(text)):
        marks = marks_before(text, end) if end < len(text) else ""
        if marks and (any(map(str.isdigit, marks)) or _COUNTS.match(text, end)):
            yield LineMarks(plain.to_plain_span(start, end + 1)[0], marks)
