"""Splits markdown into sentences with exact offsets; in code and tables a line is the unit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["prose", "heading", "code", "table", "mark"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text[start:end]``, without white space around it. A ``mark`` is markup only: a list marker, a fence."""

    start: int
    end: int
    kind: Kind


_FENCE = re.compile(r"\s*(?:>\s*)*(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_HEADING = re.compile(r"\s*#{1,6}(?:\s|$)")
_ITEM = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)]|>)\s+)+")
_TABLE_ROW = re.compile(r"\s*\|")
_TERM = re.compile(r"\s*(\*\*|__)[^*\n]+\1:?\s*")
_STOP = re.compile(r"[.!?…]+[\"'”’»)\]*_`]*\s+|[。！？｡]+[」』”’)）]*\s*")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘«*_`]+$")
# Words whose period does not end a sentence even where a capital follows.
_ABBREVIATIONS = frozenset(
    ["al", "cf", "dr", "e.g", "eq", "fig", "i.e", "mr", "mrs", "ms", "prof", "st", "vs"]
)


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a stretch of markdown, in order; they do not overlap and leave out only white space."""
    return list(_Splitter(text).sentences())


class _Splitter:
    """Reads lines; consecutive lines of prose gather into a paragraph before it is split.

    A paragraph of nothing but bold is the term of a definition: it leads the paragraph after it.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._fence = ""
        self._paragraph: int | None = None
        self._term: int | None = None

    def sentences(self) -> Iterator[Sentence]:
        position = 0
        for line in self._text.splitlines(keepends=True):
            end = position + len(line)
            kind = self._kind(line)
            if kind == "prose":
                yield from self._prose_line(line, position)
            elif line.strip():
                yield from self._end_paragraph(position)
                yield from self._end_term(position)
                yield from self._unit(position, end, kind)
            else:
                yield from self._end_paragraph(position)
            position = end
        yield from self._end_paragraph(position)
        yield from self._end_term(position)

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
        if not any(map(str.isalnum, line)):
            return "mark"
        if _HEADING.match(line):
            return "heading"
        return "table" if _TABLE_ROW.match(line) else "prose"

    def _prose_line(self, line: str, position: int) -> Iterator[Sentence]:
        item = _ITEM.match(line)
        if item and (self._paragraph is None or line.strip()[0] != ">"):
            yield from self._end_paragraph(position)
            yield from self._end_term(position)
            yield from self._unit(position, position + item.end(), "mark")
            self._paragraph = position + item.end()
        elif self._paragraph is None:
            self._paragraph = position if self._term is None else self._term
            self._term = None

    def _end_paragraph(self, end: int) -> Iterator[Sentence]:
        if self._paragraph is None:
            return
        start, self._paragraph = self._paragraph, None
        if _TERM.fullmatch(self._text, start, end):
            self._term = start
            return
        for stop in _STOP.finditer(self._text, start, end):
            if self._ends_sentence(stop, start, end):
                yield from self._unit(start, stop.end(), "prose")
                start = stop.end()
        yield from self._unit(start, end, "prose")

    def _end_term(self, end: int) -> Iterator[Sentence]:
        if self._term is not None:
            start, self._term = self._term, None
            yield from self._unit(start, end, "prose")

    def _ends_sentence(self, stop: re.Match[str], start: int, end: int) -> bool:
        if not stop[0][0].isascii() and stop[0][0] != "…":
            return True
        following = next((char for char in self._text[stop.end() : end] if char.isalnum()), "")
        if following.islower():
            return False
        if not stop[0].startswith(".") or stop[0].startswith(".."):
            return True
        word = _LAST_WORD.search(self._text, start, stop.start())
        return word is None or not (
            word[0].lower() in _ABBREVIATIONS or (len(word[0]) == 1 and word[0].isupper())
        )

    def _unit(self, start: int, end: int, kind: Kind) -> Iterator[Sentence]:
        stretch = self._text[start:end]
        start += len(stretch) - len(stretch.lstrip())
        end -= len(stretch) - len(stretch.rstrip())
        if start < end:
            yield Sentence(start, end, kind)
