"""Splits markdown into sentences with exact offsets. In code and tables a line is the unit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from webrag_desktop.text.markdown_grammar import (
    BULLET,
    DELIMITER_CELLS,
    FENCE_MARK,
    HASHES,
    INDENTED_QUOTE,
    ITEM_NUMBER,
    SETEXT,
    definition_line,
)
from webrag_desktop.text.sentence_ends import has_words, sentence_ends
from webrag_desktop.text.spans import stripped
from webrag_desktop.text.units.source_code import is_source_code

Kind = Literal["prose", "heading", "code", "table", "mark"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text[start:end]``, without white space around it.

    A ``mark`` says nothing by itself: a list marker, a fence, a paragraph of nothing but numbers and signs.
    """

    start: int
    end: int
    kind: Kind


_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# Looser than the grammar of lines: spans of a text are split, too, which may begin within an item or a quote.
_FENCE = re.compile(rf"\s*(?:>\s*)*(?P<fence>{FENCE_MARK})(?P<info>.*)")
_CLOSING = re.compile(rf"^[ \t]*(?:{FENCE_MARK})[ \t]*$", re.MULTILINE)
_HEADING = re.compile(rf"\s*{HASHES}(?:\s|$)")
_HEADINGS = re.compile(rf"(?:\s*{HASHES}(?:[ \t][^\n]*)?(?:\n|$))+\s*")
_ITEM = re.compile(
    rf"\s*(?:(?:(?P<bullet>{BULLET})|(?P<number>{ITEM_NUMBER})[.)]|>|\[\^[^\]\s]+\]:)\s+(?:\[[ xX]\]\s+)?)+"
)
_TABLE_ROW = re.compile(r"\s*(?:>\s*)*\|")
_DELIMITER_ROW = re.compile(rf"{DELIMITER_CELLS}\|?\s*")
_LINK_DEFINITION = re.compile(definition_line(r"[^\]\n^][^\]\n]*", r"\s*"))  # none of a footnote
_TERM = re.compile(r"\s*(\*\*|__)(?:(?!\1)[^\n])+\1:?\s*")


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a span of markdown, in order; they do not overlap and leave out only white space.

    A text that is nothing but source code, without a fence, has lines of code; so has one that begins amid a fence, up
    to where that is closed.
    """
    closing = _CLOSING.search(text)
    code = len(text) if closing is None else closing.start()
    if not is_source_code(text if closing is None else text[:code]):
        return list(_Splitter(text).sentences())
    if closing is None:
        return list(_code_lines(text, code))
    mark = Sentence(*stripped(text, closing.start(), closing.end()), "mark")
    return [*_code_lines(text, code), mark, *_Splitter(text, closing.end()).sentences()]


def _code_lines(text: str, end: int) -> Iterator[Sentence]:
    for line in _LINE.finditer(text, 0, end):
        start, end = stripped(text, line.start(), line.end())
        if start < end:
            yield Sentence(start, end, "code")


def only_headings(text: str) -> bool:
    """Whether the text has headings and nothing under them."""
    return _HEADINGS.fullmatch(text) is not None


class _Splitter:
    """Reads lines; consecutive lines of prose gather into a paragraph before it is split.

    A paragraph of nothing but bold is the term of a definition: it leads the paragraph after it.
    """

    def __init__(self, text: str, start: int = 0) -> None:
        self._text = text
        self._start = start
        self._fence = ""
        self._paragraph: int | None = None
        self._listed = False
        self._last_line = 0
        self._term: int | None = None
        self._rows = False

    def sentences(self) -> Iterator[Sentence]:
        for line in _LINE.finditer(self._text, self._start):
            yield from self._line(line[0], line.start())
        yield from self._end_paragraph(len(self._text))
        yield from self._end_term(len(self._text))

    def _line(self, line: str, position: int) -> Iterator[Sentence]:
        kind = self._kind(line)
        if kind == "prose":
            yield from self._prose_line(line, position)
        elif not line.strip() and kind != "code":
            self._rows = False
            yield from self._end_paragraph(position)
        else:
            if kind == "mark":
                yield from self._before_mark(line, position)
            yield from self._end_paragraph(position)
            yield from self._end_term(position)
            yield from self._unit(position, position + len(line), kind)

    def _kind(self, line: str) -> Kind:
        fence = _FENCE.match(line)
        if self._fence:
            if fence and fence["fence"].startswith(self._fence) and not fence["info"].strip():
                self._fence = ""
                return "mark"
            return "code"
        if fence and "`" not in fence["info"]:
            self._fence = fence["fence"]
            return "mark"
        if not any(map(str.isalnum, line)) or (
            self._paragraph is None and _LINK_DEFINITION.fullmatch(line.rstrip())
        ):
            return "mark"
        if _HEADING.match(line):
            return "heading"
        return "table" if self._is_row(line) else "prose"

    def _is_row(self, line: str) -> bool:
        """Of a table: one that borders are around, that follows such a table's head, or that only holds figures."""
        if _TABLE_ROW.match(line):
            return True
        return "|" in line and (self._rows or not has_words(line))

    def _before_mark(self, line: str, position: int) -> Iterator[Sentence]:
        """What a line of marks makes of the line above it: an underlined heading, or the head of a table."""
        self._rows = _DELIMITER_ROW.fullmatch(line) is not None
        if self._paragraph is None:
            return
        if SETEXT.match(line) and self._last_line == self._paragraph:
            start, self._paragraph = self._paragraph, None
            yield from self._unit(start, position, "heading")
        elif self._rows and "|" in self._text[self._last_line : position]:
            yield from self._end_paragraph(self._last_line)
            yield from self._unit(self._last_line, position, "table")
            self._paragraph = None

    def _prose_line(self, line: str, position: int) -> Iterator[Sentence]:
        item = _ITEM.match(line)
        if item and self._begins_item(item, line):
            yield from self._end_paragraph(position)
            yield from self._end_term(position)
            yield from self._unit(position, position + item.end(), "mark")
            self._paragraph = position + item.end()
            self._listed = True
        elif self._paragraph is None:
            self._paragraph = position if self._term is None else self._term
            self._term, self._listed = None, False
        self._last_line = position

    def _begins_item(self, item: re.Match[str], line: str) -> bool:
        """Whether it does where a paragraph is open: not a further line of a quotation, nor a number within prose."""
        if self._paragraph is None:
            return True
        if INDENTED_QUOTE.match(line):
            return False
        return item["number"] in (None, "1") or self._listed

    def _end_paragraph(self, end: int) -> Iterator[Sentence]:
        if self._paragraph is None:
            return
        start, self._paragraph = self._paragraph, None
        if _TERM.fullmatch(self._text, start, end):
            self._term = start
            return
        paragraph = self._text[start:end]
        position, kind = start, _kind_of(paragraph)
        for stop in sentence_ends(paragraph):
            yield from self._unit(position, start + stop, kind)
            position = start + stop

    def _end_term(self, end: int) -> Iterator[Sentence]:
        if self._term is not None:
            start, self._term = self._term, None
            yield from self._unit(start, end, _kind_of(self._text[start:end]))

    def _unit(self, start: int, end: int, kind: Kind) -> Iterator[Sentence]:
        start, end = stripped(self._text, start, end)
        if start < end:
            yield Sentence(start, end, kind)


def _kind_of(paragraph: str) -> Kind:
    return "prose" if has_words(paragraph) else "mark"


# Raise it whenever the same text is split otherwise: windows of sentences that were cut by other rules are not used.
RULES = 2
