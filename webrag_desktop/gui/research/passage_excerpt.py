"""Which part of a passage a row shows: the sentence that matches, and what has room before and after it."""

import re
from collections.abc import Iterator

from PySide6.QtGui import QFont, QFontMetricsF

from webrag_desktop.gui.data.view_data import Passage, TextMark
from webrag_desktop.gui.kit.rows.laid_text import LaidText, Mark, MarkKind
from webrag_desktop.gui.research.passage_parts import LaidParts, laid_parts, shows_less

LINES_AT_REST, LINES_OPEN = 3, 8
_MOST_LINES = 60  # of one sentence: text that has no sentences at all ends somewhere
_LEAD = 160  # code points before the sentence that an open row keeps where not all has room
_CUT = "… "
_NOTHING = "0.00"  # of a passage with this score no sentence is marked as evidence
# In widths of a line: a text that short has room in three lines, one that long needs them, wherever words break.
_SURELY_ROOM, _SURELY_FULL, _SURELY_WITHIN = 2.25, 2.3, 0.7
_WORD = re.compile(r"[^\s\u2e80-\uffff]+")  # East Asian text breaks anywhere
_LONGEST_MEASURED = 600  # code points of a sentence
_NARROW = (
    0.25  # of the font's size: text whose characters are narrower on average is rare, and laid out twice
)


def laid_excerpt(
    passage: Passage, used: QFont, width: float, *, is_open: bool, lines: int | None = None
) -> LaidText:
    """Lay out prose for a row at rest, or for the open one, whose sentence is the active mark.

    Text before the sentence is cut first, text after it next; a sentence that is longer than the row
    makes the row longer. ``lines`` are another number than such a row has.
    """
    return _Excerpt(passage, used, width, is_open, lines).laid()


def laid_passage(
    passage: Passage, used: QFont, width: float, *, is_open: bool, lines: int | None = None
) -> LaidText | LaidParts:
    """The same of any passage, code and tables as such."""
    excerpt = _Excerpt(passage, used, width, is_open, lines)
    return excerpt.laid_parts() if passage.parts else excerpt.laid()


def surely_fills_rest(passage: Passage, metrics: QFontMetricsF, width: float) -> bool:
    """Whether a closed row has exactly its three lines, decided without laying anything out.

    False where that is not sure: short passages, long sentences, sentences at a passage's end, formulas.
    """
    if passage.formulas or passage.parts:
        return False
    sentence = best_sentence(passage)
    begin, end = (sentence.start, sentence.end) if sentence else (0, 0)
    if end - begin > _LONGEST_MEASURED:
        return False
    stop = begin + int(2 * LINES_AT_REST * width / (metrics.averageCharWidth() or 1.0))
    longest = max(_WORD.findall(passage.text[begin:stop]), key=len, default="")
    return (
        metrics.horizontalAdvance(passage.text[begin:end]) < _SURELY_ROOM * width
        and metrics.horizontalAdvance(longest) < _SURELY_WITHIN * width  # one cut within may move a line up
        and metrics.horizontalAdvance(passage.text[begin:stop]) > _SURELY_FULL * width
    )


def best_sentence(passage: Passage) -> TextMark | None:
    """The mark of the sentence that a citation would quote; None where nothing is marked."""
    evidence = [mark for mark in passage.marks if mark.kind == "evidence" and mark.start < mark.end]
    quote = passage.quote.split()
    for mark in evidence:
        if passage.text[mark.start : mark.end].split() == quote:
            return mark
    return evidence[0] if evidence else None


class _Excerpt:
    def __init__(
        self, passage: Passage, used: QFont, width: float, is_open: bool, lines: int | None = None
    ) -> None:
        self._passage, self._font, self._width, self._is_open = passage, used, width, is_open
        self._sentence = best_sentence(passage)
        self._is_marked = passage.figure != _NOTHING
        self._begin = self._sentence.start if self._sentence else 0
        self._end = self._sentence.end if self._sentence else 0
        self._lines = lines or (LINES_OPEN if is_open else LINES_AT_REST)
        self._most = int(self._lines * width / (used.pixelSize() * _NARROW)) + 1
        self._most += sum(formula.end - formula.start for formula in passage.formulas)

    def laid_parts(self) -> LaidParts:
        def prose(piece: Passage, lines: int) -> LaidText:
            return laid_excerpt(piece, self._font, self._width, is_open=self._is_open, lines=lines)

        sentence = self._begin, self._end
        return laid_parts(self._passage, sentence, self._lines, self._width, prose, self._marks)

    def laid(self) -> LaidText:
        for start in dict.fromkeys(self._starts()):
            laid, cut = self._laid(start, min(len(self._passage.text), start + self._most))
            if laid.visible >= self._end - start + cut:
                return laid
        return self._lay_out(self._begin, self._end, _MOST_LINES)[0]

    def _starts(self) -> Iterator[int]:
        """Where the excerpt may begin, as early as has room; text far longer than the row is not even tried."""
        if self._end <= self._most:
            yield 0
        if self._is_open and self._begin > _LEAD:
            yield self._word_start(self._begin - _LEAD)
        yield self._begin

    def _laid(self, start: int, stop: int) -> tuple[LaidText, int]:
        more = stop < len(self._passage.text)
        laid, cut = self._lay_out(start, stop, self._lines, more=more)
        if more and not laid.cut:  # all of it has room: there is more to show
            laid, cut = self._lay_out(start, len(self._passage.text), self._lines)
        return laid, cut

    def _lay_out(self, start: int, stop: int, lines: int, *, more: bool = False) -> tuple[LaidText, int]:
        """Lay out ``text[start:stop]``; also returns the length of the ellipsis before it."""
        text = self._passage.text
        before = _CUT if text[:start].strip() else ""
        gap = "\u00a0" if text[stop : stop + 1].isspace() else ""  # "rule.…" would be read as four dots
        after = f"{gap}{_CUT.strip()}" if not more and text[stop:].strip() else ""
        shift = len(before) - start
        marks = [
            mark._replace(start=mark.start + len(before), end=mark.end + len(before))
            for mark in self._marks(start, stop)
        ]
        formulas = [
            formula._replace(start=formula.start + shift, end=formula.end + shift)
            for formula in self._passage.formulas
            if formula.start >= start and formula.end <= stop
        ]
        shown = before + text[start:stop] + after
        laid = LaidText(shown, self._font, self._width, most_lines=lines, marks=marks, formulas=formulas)
        return laid, len(before)

    def _marks(self, start: int, stop: int) -> list[Mark]:
        """The marks of ``text[start:stop]``, counted from there."""
        return [
            Mark(max(mark.start, start) - start, min(mark.end, stop) - start, self._kind(mark))
            for mark in self._passage.marks
            if mark.end > start and mark.start < stop and (mark.kind == "term" or self._is_marked)
        ]

    def _kind(self, mark: TextMark) -> MarkKind:
        if mark.kind == "term":
            return "term"
        return "active" if self._is_open and mark == self._sentence else "evidence"

    def _word_start(self, at: int) -> int:
        """The start of the first word after a position; the position itself in text without spaces."""
        for formula in self._passage.formulas:
            if formula.start < at < formula.end <= self._begin:
                at = formula.end
        space = self._passage.text.find(" ", at, self._begin)
        return space + 1 if space >= 0 else at


def is_excerpt(laid: LaidText | LaidParts, passage: Passage) -> bool:
    """Whether a row leaves out something of its passage."""
    return laid.cut if isinstance(laid, LaidParts) else shows_less(laid, passage.text)
