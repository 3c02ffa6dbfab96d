"""Finds the inline markup of one paragraph that a reader does not see, what represents it, and what it styles."""

import html
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from webrag_desktop.text.markdown_grammar import PUNCTUATION, TITLE, without_escapes
from webrag_desktop.text.skeletons import unescaped
from webrag_desktop.text.spans import Span

Style = Literal["bold", "italic", "code", "link", "strike"]

_TOKEN = re.compile(
    rf"(?P<escape>\\{PUNCTUATION})"
    r"""
    | (?P<hard_break>\\(?=\n))
    | (?P<code>`+)
    | (?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)
    | (?P<address><(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>)
    | (?P<unseen><!--|<![A-Za-z]|<\?)
    | (?P<tag></?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>)
    | (?P<open>!?\[)
    | (?P<close>\])
    | (?P<mark>\*+|_+|~~)
    """,
    re.VERBOSE,
)
_MAY_BEGIN = re.compile(r"[\\`&<\[\]*_~]|!\[")  # every token does; much quicker to search for
_TICKS = re.compile("`+")
_BLANKS = re.compile(r"[ \t]*\n?[ \t]*")
_POINTED = re.compile(r"<(?:\\.|[^<>\\\n])*>")
_TARGET_STOP = re.compile(r"[\\()\s]")
_TITLE = re.compile(TITLE, re.DOTALL)
_LABEL = re.compile(r"\[([^\[\]]{0,999})\]")
_DEEPEST_PARENTHESES = 32  # CommonMark asks for at least this many; a bound keeps the scan linear


class Replacement(NamedTuple):
    """``[start, end)`` of the markdown reads as ``text``; empty text drops it."""

    start: int
    end: int
    text: str = ""


class InlineStyle(NamedTuple):
    """``[start, end)`` of the markdown is styled; ``target`` is a link's address, as it is followed."""

    start: int
    end: int
    style: Style
    target: str | None = None


class InlineMarkup(NamedTuple):
    """What to drop or replace in a paragraph and what is styled in it, in no particular order."""

    edits: list[Replacement]
    styles: list[InlineStyle]


class _Opener(NamedTuple):
    start: int
    end: int
    delimiters: int

    @property
    def is_image(self) -> bool:
        return self.end - self.start == 2


@dataclass(slots=True)
class _Delimiter:
    char: str
    start: int
    end: int
    opens: bool
    closes: bool
    length: int


def inline_edits(
    markdown: str, ranges: Sequence[Span], labels: Container[str] = frozenset()
) -> list[Replacement]:
    """What to drop or replace in one paragraph, given as its line contents, in no particular order.

    ``labels`` are the link labels that the document defines, lower-case.
    """
    return _Paragraph(markdown, ranges, labels).edits()


def inline_markup(markdown: str, ranges: Sequence[Span], targets: Mapping[str, str]) -> InlineMarkup:
    """The edits of :func:`inline_edits` and the styles; ``targets`` are the addresses of the defined labels."""
    paragraph = _Paragraph(markdown, ranges, targets, targets)
    return InlineMarkup(paragraph.edits(), paragraph.styles)


def link_target(written: str) -> str:
    """The address that a link's target, as it is written, represents."""
    if written.startswith("<") and written.endswith(">"):
        written = written[1:-1]
    return unescaped(without_escapes(written))


def normal_label(label: str) -> str:
    """A link label as it is compared: ignoring case and white space."""
    return " ".join(label.casefold().split())


class _Paragraph:
    def __init__(
        self,
        markdown: str,
        ranges: Sequence[Span],
        labels: Container[str],
        targets: Mapping[str, str] | None = None,
    ) -> None:
        self._markdown = markdown
        self._ranges = ranges
        self._labels = labels
        self._targets = targets or {}
        self._edits: list[Replacement] = []
        self.styles: list[InlineStyle] = []
        self._openers: list[_Opener] = []
        self._outside_links = 0  # openers below this index would nest a link in a link
        self._delimiters: list[_Delimiter] = []
        self._ticks: dict[int, list[int]] | None = None  # where runs of so many backticks begin
        self._resume = 0
        self._never_again: set[str] = set()  # closers that this line no longer has

    def edits(self) -> list[Replacement]:
        for start, end in self._ranges:
            self._never_again.clear()
            position = max(start, self._resume)
            while position < end and (mark := _MAY_BEGIN.search(self._markdown, position, end)):
                token = _TOKEN.match(self._markdown, mark.start(), end)
                if token is None:
                    position = mark.start() + 1
                    continue
                self._resume = token.end()
                self._read(token, start, end)
                position = self._resume
        self._emphasise(_emphasis(self._delimiters))
        return self._edits

    def _emphasise(self, pairs: Iterable["_Pair"]) -> None:
        for pair in pairs:
            self._drop(pair.start - pair.width, pair.start)
            self._drop(pair.end, pair.end + pair.width)
            self.styles.append(InlineStyle(pair.start, pair.end, pair.style))

    def _tick_runs(self) -> dict[int, list[int]]:
        runs: dict[int, list[int]] = {}
        for start, end in self._ranges:
            for found in _TICKS.finditer(self._markdown, start, end):
                runs.setdefault(len(found[0]), []).append(found.start())
        return runs

    def _read(self, token: re.Match[str], start: int, end: int) -> None:
        match token.lastgroup:
            case "escape" | "hard_break":
                self._drop(token.start(), token.start() + 1)
            case "code":
                self._code(token)
            case "entity":
                self._entity(token)
            case "address":
                self._drop(token.start(), token.start() + 1)
                self._drop(token.end() - 1, token.end())
                self._address(token)
            case "unseen":
                self._unseen(token, end)
            case "tag":
                self._drop(*token.span())
            case "open":
                self._openers.append(_Opener(*token.span(), len(self._delimiters)))
            case "close":
                self._close(token.start(), end)
            case _:
                self._delimiters.append(_delimiter(self._markdown, token, start, end))

    def _address(self, token: re.Match[str]) -> None:
        address = token[0][1:-1]
        target = address if ":" in address else f"mailto:{address}"
        self.styles.append(InlineStyle(token.start() + 1, token.end() - 1, "link", target))

    def _drop(self, start: int, end: int) -> None:
        self._edits.append(Replacement(start, end))

    def _code(self, token: re.Match[str]) -> None:
        length = len(token[0])
        if self._ticks is None:
            self._ticks = self._tick_runs()
        positions = self._ticks.get(length, [])
        index = bisect_left(positions, token.end())
        if index == len(positions):
            return
        first, last = token.end(), positions[index]
        self._drop(token.start(), first)
        self._drop(last, last + length)
        content = self._markdown[first:last]
        if content.startswith(" ") and content.endswith(" ") and content.strip(" "):
            self._drop(first, first + 1)
            self._drop(last - 1, last)
        self.styles.append(InlineStyle(first, last, "code"))
        self._resume = last + length

    def _entity(self, token: re.Match[str]) -> None:
        text = html.unescape(token[0])
        if text != token[0] and "\x00" not in text and text:
            self._edits.append(Replacement(*token.span(), text))

    def _unseen(self, token: re.Match[str], end: int) -> None:
        """A comment, declaration or processing instruction."""
        closer = {"<!--": "-->", "<?": "?>"}.get(token[0], ">")
        if closer in self._never_again:
            return
        close = self._markdown.find(closer, token.end(), end)
        if close < 0:
            self._never_again.add(closer)
            return
        self._resume = close + len(closer)
        self._drop(token.start(), self._resume)

    def _close(self, position: int, end: int) -> None:
        if not self._openers:
            return
        opener = self._openers.pop()
        nested = not opener.is_image and len(self._openers) < self._outside_links
        self._outside_links = min(self._outside_links, len(self._openers))
        found = None if nested else self._target(opener, position, end)
        if found is None:
            return
        after, target = found
        if not opener.is_image:
            self._outside_links = len(self._openers)
            self.styles.append(InlineStyle(opener.end, position, "link", target))
        self._drop(opener.start, opener.end)
        self._drop(position, after)
        self._emphasise(_emphasis(self._delimiters[opener.delimiters :]))
        del self._delimiters[opener.delimiters :]
        self._resume = after

    def _target(self, opener: _Opener, position: int, end: int) -> tuple[int, str | None] | None:
        """Where the target behind a closing bracket ends, and the address it names."""
        inline = _inline_target(self._markdown, position + 1, end)
        if inline is not None:
            after, first, last = inline
            return after, link_target(self._markdown[first:last])
        label = _LABEL.match(self._markdown, position + 1, end)
        if label and label[1]:
            return self._defined(label[1], label.end())
        if position - opener.end <= 999:
            return self._defined(
                self._markdown[opener.end : position], label.end() if label else position + 1
            )
        return None

    def _defined(self, label: str, after: int) -> tuple[int, str | None] | None:
        normal = normal_label(label)
        return (after, self._targets.get(normal)) if normal in self._labels else None


def _inline_target(markdown: str, position: int, end: int) -> tuple[int, int, int] | None:
    """Where ``(target "title")`` at ``position`` ends, and where its target starts and ends; or None."""
    if not markdown.startswith("(", position, end):
        return None
    target_start = position = _skip_blanks(markdown, position + 1, end)
    if markdown.startswith("<", position, end):
        pointed = _POINTED.match(markdown, position, end)
        target_end = pointed.end() if pointed else None
    else:
        target_end = _bare_target_end(markdown, position, end)
    if target_end is None:
        return None
    position = _skip_blanks(markdown, target_end, end)
    if position > target_end and (title := _TITLE.match(markdown, position, end)):
        position = _skip_blanks(markdown, title.end(), end)
    return (position + 1, target_start, target_end) if markdown.startswith(")", position, end) else None


def _skip_blanks(markdown: str, position: int, end: int) -> int:
    blanks = _BLANKS.match(markdown, position, end)
    return blanks.end() if blanks else position


def _bare_target_end(markdown: str, position: int, end: int) -> int | None:
    depth = 0
    while stop := _TARGET_STOP.search(markdown, position, end):
        if stop[0] == "\\":
            position = stop.end() + 1
            continue
        if stop[0] == "(":
            depth += 1
        elif stop[0] == ")" and depth:
            depth -= 1
        else:
            return stop.start() if depth == 0 else None
        if depth > _DEEPEST_PARENTHESES:
            return None
        position = stop.end()
    return None


def _delimiter(markdown: str, token: re.Match[str], start: int, end: int) -> _Delimiter:
    before = markdown[token.start() - 1] if token.start() > start else " "
    after = markdown[token.end()] if token.end() < end else " "
    left = not after.isspace() and (not _is_punctuation(after) or before.isspace() or _is_punctuation(before))
    right = not before.isspace() and (
        not _is_punctuation(before) or after.isspace() or _is_punctuation(after)
    )
    char = token[0][0]
    opens, closes = left, right
    if char == "_":
        opens = left and (not right or _is_punctuation(before))
        closes = right and (not left or _is_punctuation(after))
    return _Delimiter(char, *token.span(), opens, closes, len(token[0]))


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


class _Pair(NamedTuple):
    """Two delimiters of ``width`` around ``[start, end)``."""

    start: int
    end: int
    width: int
    char: str

    @property
    def style(self) -> Style:
        if self.char == "~":
            return "strike"
        return "bold" if self.width == 2 else "italic"


def _emphasis(delimiters: Sequence[_Delimiter]) -> Iterator[_Pair]:
    """Pair opening and closing delimiters as CommonMark does; the unpaired stay as text."""
    stack: list[_Delimiter] = []
    searched: dict[tuple[str, bool, int], int] = {}  # no partner below this depth, so the whole stays linear
    for closer in delimiters:
        key = (closer.char, closer.opens, closer.length % 3)
        while closer.closes and closer.start < closer.end:
            depth = _partner(stack, closer, searched.get(key, 0))
            if depth is None:
                searched[key] = len(stack)
                break
            opener = stack[depth]
            width = 2 if min(closer.end - closer.start, opener.end - opener.start) >= 2 else 1
            yield _Pair(opener.end, closer.start, width, closer.char)
            opener.end -= width
            closer.start += width
            del stack[depth + (opener.start < opener.end) :]
            searched = {known: min(low, len(stack)) for known, low in searched.items()}
        if closer.opens and closer.start < closer.end:
            stack.append(closer)


def _partner(stack: Sequence[_Delimiter], closer: _Delimiter, lowest: int) -> int | None:
    for depth in range(len(stack) - 1, lowest - 1, -1):
        opener = stack[depth]
        if opener.char != closer.char:
            continue
        both_ways = opener.closes or closer.opens
        uneven = opener.length % 3 or closer.length % 3
        if not (both_ways and uneven and (opener.length + closer.length) % 3 == 0):
            return depth
    return None
