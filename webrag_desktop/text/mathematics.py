"""Where formulas are in a text, LaTeX and MathML, and what of it is their source; takes linear time.

``$…$``, ``$$…$$``, ``\\(…\\)``, ``\\[…\\]``, fences of ``math`` and ``<math>`` elements. Prices, escaped dollar
signs and code are none.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from webrag_desktop.text.landmarks import Landmark, landmarks
from webrag_desktop.text.markdown_grammar import QUOTE_MARKS, without_escapes

FormulaKind = Literal["latex", "mathml"]
LONGEST_FORMULA = 8000  # code points; what is longer stays text
_LONGEST_INLINE = 1500
_TOKEN = re.compile(
    r"(?P<escaped_open>\\\\(?:\(|\\\[))|(?P<open>\\[(\[])|(?P<skip>\\.)"
    r"|(?P<code>`+)|(?P<dollars>\$\$?)|(?P<element><math(?=[\s>]))",
    re.DOTALL,
)
_CLOSERS = {"\\\\(": "\\\\)", "\\\\\\[": "\\\\\\]", "\\(": "\\)", "\\[": "\\]"}
_BLANK_LINE = re.compile(r"\n[ \t>]*\n")
_QUOTE_MARKS = re.compile(rf"\n{QUOTE_MARKS}")
_COMMAND = re.compile(r"\\[A-Za-z]|[\^_]")
_WORD = re.compile(r"[^\W\d_]{3,}")
_NAMED = frozenset(
    "sin cos tan cot sec csc sinh cosh tanh log exp max min sup inf lim det dim ker mod arg gcd".split()
)
_RAW_COMMAND = re.compile(r"(?<!\\)(?:\\\\)*\\[A-Za-z]")
_SIGN_OF_ESCAPING = re.compile(r"\\\\[A-Za-z({\[|]|\\[_*]")
_MATH_ELEMENT = re.compile(r"<math(?=[\s>])")
_MATH_END = "</math>"
_ANNOTATION = re.compile(r"<annotation\b[^<>]*+>[^<>]*+</annotation>")
_TAG = re.compile(r"<[^<>]*+>")
_OUTER_NUMBER = re.compile(r"\(([\w.]{1,12})\)\s*\\\[(.*)\\\]", re.DOTALL)


class Formula(NamedTuple):
    """``[start, end)`` of a text in code points, its signs included, and what is between these.

    ``display`` tells that it is set on lines of its own.
    """

    start: int
    end: int
    source: str
    kind: FormulaKind = "latex"
    display: bool = False


def formulas(text: str, marks: Iterable[Landmark] | None = None) -> list[Formula]:
    """The formulas of a markdown or plain text, in order; none overlap, and none holds a blank line.

    ``marks`` are its :func:`landmarks`, where they are known already.
    """
    if "$" not in text and "\\" not in text and "<math" not in text and "math" not in text:
        return []
    return list(_Reader(text, landmarks(text) if marks is None else marks).formulas())


def mathml_by_reading(markup: str) -> dict[str, str]:
    """The MathML elements of sanitised HTML that hold no LaTeX, by their characters without white space.

    Where a page gives MathML alone, its markdown holds no more than these characters.
    """
    found: dict[str, str] = {}
    position = 0
    while begins := _MATH_ELEMENT.search(markup, position):
        stop = markup.find(_MATH_END, begins.end())
        if stop < 0:
            break
        position = stop + len(_MATH_END)
        element = markup[begins.start() : position]
        if (
            "alttext" not in element
            and not _ANNOTATION.search(element)
            and len(element) <= LONGEST_FORMULA * 4
        ):
            found.setdefault(_squeezed(html.unescape(_TAG.sub("", element))), element)
    return found


def structured(formula: Formula, known: Mapping[str, str]) -> Formula:
    """The formula as MathML where its source is no LaTeX but what ``known``, by :func:`mathml_by_reading`, reads as."""
    element = None if "\\" in formula.source else known.get(_squeezed(formula.source))
    return formula if element is None else formula._replace(source=element, kind="mathml")


def _squeezed(text: str) -> str:
    return "".join(text.split())


class _Reader:
    def __init__(self, text: str, marks: Iterable[Landmark]) -> None:
        self._text = text
        self._ticks: dict[int, list[int]] | None = None
        self._never: dict[str, int] = {}  # from where on a closing sign is not found any more
        self._fences: list[tuple[int, int]] = []
        self._tables: list[tuple[int, int]] = []
        self._math_fences: list[Formula] = []
        self._look_at_lines(marks)

    def _look_at_lines(self, marks: Iterable[Landmark]) -> None:
        lines = self._text.split("\n")
        starts, position = [], 0
        for line in lines:
            starts.append(position)
            position += len(line) + 1
        starts.append(len(self._text))
        for mark in marks:
            start, end = starts[mark.first], starts[mark.after]
            if mark.kind == "table":
                self._tables.append((start, end))
            elif mark.kind == "fence":
                self._fences.append((start, end))
                first, last = starts[mark.first + 1], starts[mark.after - mark.closed]
                info = lines[mark.first].partition(mark.ticks)[2].split()
                source = self._text[first:last].strip()
                if info[:1] == ["math"] and mark.closed and 0 < len(source) <= LONGEST_FORMULA:
                    self._math_fences.append(Formula(start, end, _clean(source), display=True))

    def formulas(self) -> Iterator[Formula]:
        fences = iter([*self._fences, (len(self._text), len(self._text))])
        in_fences = {formula.start: formula for formula in self._math_fences}
        position = 0
        for start, end in fences:
            yield from self._between(position, start)
            if start in in_fences:
                yield in_fences[start]
            position = end

    def _between(self, position: int, end: int) -> Iterator[Formula]:
        self._never.clear()
        while token := _TOKEN.search(self._text, position, end):
            found = self._formula(token, end)
            if found is not None:
                yield found
                position = found.end
            else:
                position = self._after(token)

    def _after(self, token: re.Match[str]) -> int:
        """Where to go on behind what begins no formula."""
        if token.lastgroup == "code":
            return self._code_end(token)
        return token.end()

    def _code_end(self, token: re.Match[str]) -> int:
        if self._ticks is None:
            self._ticks = {}
            for found in re.finditer("`+", self._text):
                self._ticks.setdefault(len(found[0]), []).append(found.start())
        places = self._ticks.get(len(token[0]), [])
        index = bisect_right(places, token.start())
        if index == len(places) or _BLANK_LINE.search(self._text, token.end(), places[index]):
            return token.end()
        return places[index] + len(token[0])

    def _formula(self, token: re.Match[str], end: int) -> Formula | None:
        match token.lastgroup:
            case "dollars" if len(token[0]) == 2:
                return self._delimited(token, "$$", end, display=True)
            case "dollars":
                return self._inline(token.start(), end)
            case "escaped_open":
                return self._delimited(
                    token, _CLOSERS[token[0]], end, display=token[0].endswith("["), escaped=True
                )
            case "open":
                found = self._delimited(token, _CLOSERS[token[0]], end, display=token[0].endswith("["))
                # In markdown these are brackets of prose: "\[1\]".
                return found if found is not None and _COMMAND.search(found.source) else None
            case "element":
                return self._element(token.start(), end)
            case _:
                return None

    def _found(self, sign: str, start: int, end: int) -> int:
        """Where the next closing sign is; -1 without one."""
        if start >= self._never.get(sign, end):
            return -1
        at = self._text.find(sign, start, end)
        if at < 0:
            self._never[sign] = start
        return at

    def _delimited(
        self, token: re.Match[str], closer: str, end: int, *, display: bool, escaped: bool = False
    ) -> Formula | None:
        start = token.end()
        at = self._found(closer, start, end)
        if closer == "$$" and at >= 0 and self._text[at - 1] == "\\" and self._text[at - 2] != "\\":
            at = self._found(closer, at + 1, end)
        if not 0 < at - start <= LONGEST_FORMULA:
            return None
        inner = self._text[start:at]
        if not inner.strip() or _BLANK_LINE.search(inner):
            return None
        source = without_escapes(inner) if escaped else self._source(inner, token.start())
        return Formula(token.start(), at + len(closer), _clean(source), display=display)

    def _inline(self, start: int, end: int) -> Formula | None:
        first = start + 1
        if first >= end or self._text[first].isspace():
            return None
        at = self._text.find("$", first, min(end, first + _LONGEST_INLINE))
        while at > first and self._is_escaped(at, first):
            at = self._text.find("$", at + 1, min(end, first + _LONGEST_INLINE))
        if at <= first or self._text[at - 1].isspace():
            return None
        inner = self._text[first:at]
        before, after = self._text[start - 1 : start], self._text[at + 1 : at + 2]
        if _BLANK_LINE.search(inner) or not _is_plausible(inner, before, after):
            return None
        return Formula(start, at + 1, _clean(self._source(inner, start)))

    def _is_escaped(self, at: int, first: int) -> bool:
        slashes = 0
        while at - slashes > first and self._text[at - slashes - 1] == "\\":
            slashes += 1
        return slashes % 2 == 1

    def _source(self, inner: str, start: int) -> str:
        """LaTeX as it was written, without the marks of quotes around it and what markdown escapes."""
        if "\n" in inner:
            inner = _QUOTE_MARKS.sub("\n", inner)
        index = bisect_right(self._tables, (start, len(self._text))) - 1
        if index >= 0 and start < self._tables[index][1]:
            inner = inner.replace("\\|", "|")
        if _SIGN_OF_ESCAPING.search(inner) and not _RAW_COMMAND.search(inner):
            return without_escapes(inner)  # prose of a page whose scripts set it
        return inner

    def _element(self, start: int, end: int) -> Formula | None:
        at = self._found(_MATH_END, start, end)
        if at < 0 or at - start > LONGEST_FORMULA * 4:
            return None
        source = self._text[start : at + len(_MATH_END)]
        display = re.match(r"<math[^<>]*\bdisplay=[\"']?block", source) is not None
        return Formula(start, at + len(_MATH_END), source, "mathml", display=display)


def _is_plausible(inner: str, before: str, after: str) -> bool:
    """Whether what is between two dollar signs is a formula rather than prose between two prices or names."""
    if _COMMAND.search(inner):
        return not after.isdigit()
    is_joined = (before.isascii() and before.isalnum()) or (after.isascii() and after.isalnum())
    words = [word for word in _WORD.findall(inner) if word.casefold() not in _NAMED]
    if is_joined:
        return not after.isdigit() and not words and not inner[0].isdigit()
    return len(words) < 2 and not (words and inner[0].isdigit())


def _clean(source: str) -> str:
    """LaTeX without the signs that some pages leave around it; a number before them is the formula's own."""
    source = source.strip()
    if numbered := _OUTER_NUMBER.fullmatch(source):
        return f"{numbered[2].strip()} \\qquad ({numbered[1]})"
    return source
