"""The words of a page with their places, in the order the file draws them."""

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.pdf.characters import (
    SOFT_HYPHEN,
    BaselineRun,
    FontStyle,
    clean_characters,
    font_style,
    in_logical_order,
    is_set_close,
    with_marks,
)

_APART = 0.2  # font sizes between two words; text set as tightly as it may be has 0.22
_SPARE = 0.08  # font sizes beyond the widths of its characters, from which a word is examined
_LETTERSPACED = 0.1  # font sizes between the characters of a line, from which gaps mean nothing
_AROUND = 40  # characters on either side by which letterspaced lines are recognised
_BLANKS = 200  # of a page that are examined
_DRAWN = 0.1  # of them: fewer are drawn in files that place all words, where the library errs in none
_box_of = pdfium.FPDFText_GetLooseCharBox


class _Gap(NamedTuple):
    """The blank before a character of the page."""

    before: int
    width: float


class GapReader:
    """Finds words that the library ran together on one page.

    The library adds a blank where a distance is large, but not where the spacing of characters makes it, by which
    some programs part the end of one word from the beginning of the next. ``in_use`` is false for pages that draw all
    blanks, and for those that draw none.
    """

    def __init__(self, text_handle: Any, text: str) -> None:
        self._handle = text_handle
        self._text = text
        self._box = pdfium.FS_RECTF()
        self._box_ref = ctypes.byref(self._box)
        self._widths: dict[tuple[int, float], dict[str, float]] = {}
        self.in_use = self._places_words()

    def parts(self, start: int, end: int, font: tuple[int, float]) -> list[tuple[int, int]]:
        """The words that characters ``[start, end)``, upright and without a blank between them, make.

        ``font`` names the font of the first one and its size in points.
        """
        if self._is_dense(start, end, font):
            return [(start, end)]  # nearly always
        least = _APART * font[1]
        wide = [gap.before for gap in self._gaps(start, end) if gap.width >= least and self._parts_words(gap)]
        if not wide or self._is_letterspaced(start, end, font[1]):
            return [(start, end)]
        return list(pairwise([start, *wide, end]))

    def _places_words(self) -> bool:
        """Whether some blanks of the page are drawn and some are distances."""
        blanks = [index for index, character in enumerate(self._text) if character == " "][:_BLANKS]
        added = len([index for index in blanks if pdfium.FPDFText_IsGenerated(self._handle, index) == 1])
        return 0 < added < (1 - _DRAWN) * len(blanks)

    def _is_dense(self, start: int, end: int, font: tuple[int, float]) -> bool:
        """Whether characters need all the width they have; how wide they are is remembered by their font."""
        widths: dict[str, float] = self._widths.setdefault(font, {})
        characters = self._text[start:end]
        if not widths.keys() >= set(characters):
            if not self._is_one_run(start, end):
                return False
            for index in range(start, end):
                left, right = self._ends(index)
                widths[self._text[index]] = right - left
        needed = sum(map(widths.__getitem__, characters))
        spare = self._ends(end - 1)[1] - self._ends(start)[0] - needed
        return spare < _SPARE * font[1]

    def _is_one_run(self, start: int, end: int) -> bool:
        objects = [pdfium.FPDFText_GetTextObject(self._handle, index) for index in range(start, end)]
        return all(objects) and len({ctypes.addressof(handle.contents) for handle in objects}) == 1

    def _gaps(self, start: int, end: int) -> Iterator[_Gap]:
        """The gaps between characters side by side."""
        last: float | None = None
        for index in range(start, end):
            if self._text[index].isspace():
                last = None
                continue
            left, right = self._ends(index)
            if last is not None:
                yield _Gap(index, left - last)
            last = right

    def _parts_words(self, gap: _Gap) -> bool:
        return not is_set_close(self._text[gap.before - 1 : gap.before + 1])

    def _is_letterspaced(self, start: int, end: int, size: float) -> bool:
        before, after = max(0, start - _AROUND), min(len(self._text), end + _AROUND)
        first = max(self._text.rfind("\n", before, start) + 1, before)
        last = self._text.find("\r", end, after)
        gaps = [gap.width for gap in self._gaps(first, after if last < 0 else last)]
        return median(gaps) > _LETTERSPACED * size

    def _ends(self, index: int) -> tuple[float, float]:
        """Where a character begins and ends."""
        if not _box_of(self._handle, index, self._box_ref):
            return 0.0, 0.0
        return self._box.left, self._box.right


MOST_CHARACTERS = 2_000_000  # on one page
LINE_END_HYPHEN = "\ufffe"  # how the library writes a hyphen at the end of a line
_LINE = re.compile(rf"[^\r\n{LINE_END_HYPHEN}]+{LINE_END_HYPHEN}?")
_char_box = pdfium.FPDFText_GetLooseCharBox
_WORD = re.compile(rf"[^\s{LINE_END_HYPHEN}]+")
_LEVEL = 0.05  # font sizes by which characters of one baseline differ
_DIGIT = re.compile(r"\d")
_FARTHEST = 1e6  # points, on a page that does not say how large it is
_SMALLEST = 0.5  # points; text below that size cannot be read
_KEPT_SIDEWAYS = 200  # characters from which turned text is content and no mark in the margin
_INVISIBLE = 3  # text rendering mode, PDF 32000-1, table 106


class Word(NamedTuple):
    """A word; ``x0`` to ``x1`` and the baseline ``y`` in points, ``y`` growing downwards.

    ``line`` counts the lines as the library finds them, ``hyphenated`` means that a hyphen ended a line here.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    style: FontStyle
    line: int
    hyphenated: bool = False


class Frame(NamedTuple):
    """How points of a page are turned so that its text runs from left to right, top to bottom."""

    quarter_turns: int

    def place(self, x: float, y: float) -> tuple[float, float]:
        """A point of the page, upright, ``y`` growing downwards."""
        if self.quarter_turns == 0:
            return x, -y
        if self.quarter_turns == 1:
            return y, x
        if self.quarter_turns == 2:
            return -x, y
        return -y, -x


@dataclass(frozen=True)
class PageWords:
    """The upright words of a page, those of long turned text after them, and the page's frame."""

    words: list[Word]
    sideways: list[Word]
    frame: Frame


class _Run(NamedTuple):
    """What holds for all words of one text object; ``turns`` is None for skewed text."""

    size: float
    style: FontStyle
    origin: tuple[float, float]  # on the baseline
    turns: int | None
    visible: bool
    font: int = 0


class _Found(NamedTuple):
    """A word as characters ``[start, end)`` of the page's text."""

    start: int
    end: int
    line: int
    hyphenated: bool
    run: _Run


@contextmanager
def text_page(page: Any) -> Iterator[Any]:
    """The library's text of a page, closed afterwards."""
    handle = pdfium.FPDFText_LoadPage(page)
    try:
        yield handle
    finally:
        if handle:
            pdfium.FPDFText_ClosePage(handle)


class WordReader:
    """Reads the words of one page; fonts are remembered within it only, since their handles die with it."""

    def __init__(self, page: Any, text_handle: Any, *, scanned: bool) -> None:
        self._page = page
        self._text = text_handle
        self._scanned = scanned
        self._runs: dict[int, _Run] = {}
        self._fonts: dict[int, FontStyle] = {}
        self._box = pdfium.FS_RECTF()
        self._matrix = pdfium.FS_MATRIX()
        self._box_ref = ctypes.byref(self._box)

    def read(self) -> PageWords:
        """The words of the page.

        Invisible text counts where a picture covers the page (``scanned``) or where there is nothing else; text
        outside the page, too small to see or set askew among upright text is dropped.
        """
        text = page_text(self._text)
        found = list(self._found(text))
        if not self._scanned and any(word.run.visible for word in found):
            found = [word for word in found if word.run.visible]
        turned: Counter[int] = Counter()
        for word in found:
            if word.run.turns is not None:
                turned[word.run.turns] += word.end - word.start
        main = max(turned, key=lambda turns: (turned[turns], -turns), default=0)
        others = [turns for turns in sorted(turned) if turns != main and turned[turns] >= _KEPT_SIDEWAYS]
        upright, *sideways = ([*self._placed(text, found, turns)] for turns in (main, *others))
        return PageWords(upright, [word for words in sideways for word in words], Frame(main))

    def _found(self, text: str) -> Iterator[_Found]:
        gaps = GapReader(self._text, text)
        for number, line in enumerate(_LINE.finditer(text)):
            hyphen = line.end() - 1 if text[line.end() - 1] == LINE_END_HYPHEN else -1
            for match in _WORD.finditer(text, line.start(), line.end()):
                for start, end in self._parts(match, gaps):
                    yield _Found(start, end, number, end == hyphen, self._run(start))

    def _parts(self, match: re.Match[str], gaps: GapReader) -> list[tuple[int, int]]:
        """The words that characters without a blank between them make."""
        start, end = match.span()
        if not gaps.in_use or end - start < 2:
            return [(start, end)]
        run = self._run(start)
        if run.turns or run.turns is None or not run.visible:
            return [(start, end)]
        return gaps.parts(start, end, (run.font, run.size))

    def _placed(self, text: str, found: list[_Found], turns: int) -> Iterator[Word]:
        """The words turned that way, upright, without those outside the page."""
        frame = Frame(turns)
        left, right, top, bottom = self._limits(frame)
        for start, end, line, hyphenated, run in found:
            if run.turns != turns or run.size < _SMALLEST:
                continue
            content = text[start:end]
            if _DIGIT.search(content) or not (content.isascii() and content.isprintable()):
                content = self._content(text, start, end, run)
            place = self._place(start, end, frame)
            if place is None or not content:
                continue
            x0, x1 = place
            y = frame.place(*run.origin)[1]
            if left <= (x0 + x1) / 2 <= right and top <= y <= bottom:
                yield Word(content, x0, x1, y, run.size, run.style, line, hyphenated)

    def _content(self, text: str, start: int, end: int, run: _Run) -> str:
        """The characters of a word as they are to be read."""
        content = text[start:end]
        if not (content.isascii() and content.isprintable()):
            content = clean_characters(in_logical_order(content, lambda index: self._left(start + index)))
        if end - start < 2 or run.turns or not _DIGIT.search(content) or self._run(end - 1) is run:
            return content
        baseline_runs = self._baseline_runs(text, start, end)
        return with_marks(baseline_runs) if len(baseline_runs) > 1 else content

    def _baseline_runs(self, text: str, start: int, end: int) -> list[BaselineRun]:
        """The characters of a word by their baselines."""
        baseline_runs: list[BaselineRun] = []
        for index in range(start, end):
            run, character = self._run(index), clean_characters(text[index])
            last = baseline_runs[-1] if baseline_runs else None
            if last is not None and abs(last.y + run.origin[1]) < _LEVEL * last.size:
                baseline_runs[-1] = last._replace(text=last.text + character)
            else:
                baseline_runs.append(BaselineRun(character, run.size, -run.origin[1]))
        return baseline_runs

    def _left(self, index: int) -> float:
        return float(self._box.left) if _char_box(self._text, index, self._box_ref) else 0.0

    def _place(self, start: int, end: int, frame: Frame) -> tuple[float, float] | None:
        """Where a word begins and ends; None where the file does not say."""
        box = self._box
        if not _char_box(self._text, start, self._box_ref):
            return None
        if not frame.quarter_turns:
            left, right = box.left, box.right
            if end - start > 1 and _char_box(self._text, end - 1, self._box_ref):
                left, right = min(left, box.left), max(right, box.right)
            return (left, right) if math.isfinite(left + right) else None
        ends = [frame.place(box.left, box.bottom)[0], frame.place(box.right, box.top)[0]]
        if end - start > 1 and _char_box(self._text, end - 1, self._box_ref):
            ends += [frame.place(box.left, box.bottom)[0], frame.place(box.right, box.top)[0]]
        return (min(ends), max(ends)) if math.isfinite(sum(ends)) else None

    def _limits(self, frame: Frame) -> tuple[float, float, float, float]:
        box = pdfium.FS_RECTF()
        if not pdfium.FPDF_GetPageBoundingBox(self._page, box):
            return -_FARTHEST, _FARTHEST, -_FARTHEST, _FARTHEST
        (xa, ya), (xb, yb) = frame.place(box.left, box.bottom), frame.place(box.right, box.top)
        return min(xa, xb) - 1, max(xa, xb) + 1, min(ya, yb) - 1, max(ya, yb) + 1

    def _run(self, index: int) -> _Run:
        handle = pdfium.FPDFText_GetTextObject(self._text, index)
        key = ctypes.addressof(handle.contents) if handle else 0
        known = self._runs.get(key)
        if known is None:
            known = self._runs[key] = self._describe(handle if key else None, index)
        return known

    def _describe(self, handle: Any, index: int) -> _Run:
        matrix = self._matrix
        pdfium.FPDFText_GetMatrix(self._text, index, matrix)
        origin = (matrix.e, matrix.f)
        size = pdfium.FPDFText_GetFontSize(self._text, index) * math.hypot(matrix.c, matrix.d)
        if handle is None:
            return _Run(size, FontStyle(), origin, 0, visible=True)
        font = pdfium.FPDFTextObj_GetFont(handle)
        key = ctypes.addressof(font.contents) if font else 0
        if key not in self._fonts:
            self._fonts[key] = font_style(font) if key else FontStyle()
        visible = pdfium.FPDFTextObj_GetTextRenderMode(handle) != _INVISIBLE
        return _Run(self._size(size, index), self._fonts[key], origin, _quarter_turns(matrix), visible, key)

    def _size(self, size: float, index: int) -> float:
        """The size in points; where the font itself is scaled oddly, as bitmap fonts are, the height of its box."""
        if pdfium.FPDFText_GetLooseCharBox(self._text, index, self._box):
            height: float = max(abs(self._box.top - self._box.bottom), abs(self._box.right - self._box.left))
            if math.isfinite(height) and (size <= 1.5 < height or not math.isfinite(size)):
                return height
        return size if math.isfinite(size) else 0.0


def joined(words: Sequence[Word]) -> str:
    """The words as text; a soft hyphen inside is dropped, a hyphen that ended a line is written out."""
    parts = [f"{word.text}-" if word.hyphenated else f"{word.text} " for word in words]
    text = "".join(parts).rstrip(" ")
    return text if text.isascii() else text.rstrip(SOFT_HYPHEN).replace(SOFT_HYPHEN, "")


def page_text(handle: Any) -> str:
    """The text of a page, one code point per character index of the library.

    Raises :class:`~webrag_desktop.errors.ExtractionError` above :data:`MOST_CHARACTERS`.
    """
    count = max(0, pdfium.FPDFText_CountChars(handle)) if handle else 0
    if count > MOST_CHARACTERS:
        raise ExtractionError(
            "A page of this PDF holds more text than can be read", "Add the part you need as a file."
        )
    buffer = (ctypes.c_ushort * (2 * count + 2))()
    size = pdfium.FPDFText_GetText(handle, 0, count, buffer)
    text = bytes(buffer)[: 2 * max(0, size - 1)].decode("utf-16-le", "surrogatepass")
    if len(text) == count:
        return text
    return "".join(_character(pdfium.FPDFText_GetUnicode(handle, index)) for index in range(count))


def _character(code: int) -> str:
    return chr(code) if 0 < code < 0x110000 else "\0"


def _quarter_turns(matrix: Any) -> int | None:
    """How often text is turned by 90° counter-clockwise; None where it is skewed."""
    angle = math.degrees(math.atan2(matrix.b, matrix.a))
    turns = round(angle / 90)
    return turns % 4 if abs(angle - 90 * turns) < 4 else None
