"""Words told apart by the gaps between their characters, where a PDF places words instead of writing blanks."""

import ctypes
from collections.abc import Iterator
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from webrag_desktop.ingestion.pdf.characters import is_set_close

_APART = 0.2  # font sizes between two words; text set as tightly as it may be has 0.22
_SPARE = 0.08  # font sizes beyond the widths of its characters, from which a word is looked at
_LETTERSPACED = 0.1  # font sizes between the characters of a line, from which gaps tell nothing
_AROUND = 40  # characters on either side by which letterspaced lines are told
_BLANKS = 200  # of a page that are looked at
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
        """Whether characters need all the width they stand on; how wide they are is remembered by their font."""
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
        """The gaps between characters that stand side by side."""
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
