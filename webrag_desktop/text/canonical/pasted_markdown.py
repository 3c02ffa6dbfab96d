"""What pasted Markdown reads as, unless that would take words, numbers or signs away from it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from webrag_desktop.text.canonical.canonical_form import IDEOGRAPHIC
from webrag_desktop.text.plain_text import PlainText, project

_MAY_HOLD_MARKUP = re.compile(
    r"[*_`~#>|\[\]<&\\]|^[ \t]*(?:[-+]|\d{1,9}[.)])\s|^[ \t]*[-=]+[ \t]*$", re.MULTILINE
)
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
_TAG = rf"</?(?:{_TAGS}){_ATTRIBUTES}\s*/?>"
_OPENED_OR_CLOSED = re.compile(rf"<(/?)(?!(?:br|hr|img|wbr)\b)({_TAGS}){_ATTRIBUTES}\s*>")
# What holds letters or digits and yet shows none: targets of links, tags, languages of code, numbers of list items.
_UNSEEN = re.compile(
    rf"(?:\]\({_ADDRESS}(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)|\]\[[^\[\]]*\]|{_TAG}"
    rf"|(?m:^ {{0,3}}\[[^\[\]\n]+\]:[ \t]*{_ADDRESS}[ \t]*$)|(?m:^[ \t>]*(?:`{{3,}}|~{{3,}})[ \t]*[\w+#.-]*$)"
    r"|(?m:^[ \t>]*\d{1,9}[.)](?=\s))|[^\w]|_)*"
)
_MARKS = re.compile(r"(?:[ \t]*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s)|#{1,6}(?=\s)))+")
_COUNTS = re.compile(r"[\W_]{0,4}\d")  # a number, a sign or a currency in front of it
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHIC}]")


class LineMarks(NamedTuple):
    """Marks at the beginning of a line that could be taken for words: of an item's number, or in front of a number.

    ``place`` is where what they mark begins in the plain text.
    """

    place: int
    marks: str


class PastedMarkdown(NamedTuple):
    """How it reads, and the marks that must stand in the quoted text, too."""

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
    """The marks at the beginning of a line in front of what stands at ``place``, bullets and numbers of one kind."""
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
    """Whether what lies there is markup beyond doubt, and joins no words or numbers in taking it off."""
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
