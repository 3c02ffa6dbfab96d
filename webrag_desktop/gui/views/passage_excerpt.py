"""Which part of a passage a row shows. The sentence that answers is never cut; what stands around it is."""

from PySide6.QtGui import QFont

from webrag_desktop.gui.theme.laid_text import LaidText, Mark, MarkKind
from webrag_desktop.gui.view_data import Passage, TextMark

LINES_AT_REST, LINES_OPEN = 3, 12
_MOST_LINES = 60  # of one sentence: text that has no sentences at all ends somewhere
_LEAD = 160  # code points before the sentence that an open row keeps where not all has room
_CUT = "… "


def laid_excerpt(passage: Passage, used: QFont, width: float, *, is_open: bool) -> LaidText:
    """Lay out a passage for a row at rest, or for the open one, whose sentence is the active mark.

    What stands before the sentence goes first, what stands after it next; a sentence that is longer than the row
    makes the row longer.
    """
    lines = LINES_OPEN if is_open else LINES_AT_REST
    sentence = best_sentence(passage)
    end = sentence.end if sentence else 0
    begin = sentence.start if sentence else 0
    starts = [0, _word_start(passage.text, begin - _LEAD), begin] if is_open else [0, begin]
    for start in dict.fromkeys(starts):
        laid, cut = _laid_from(passage, start, used, width, lines, is_open, sentence)
        if laid.visible >= end - start + cut:
            return laid
    return _laid_from(passage, begin, used, width, _MOST_LINES, is_open, sentence, end)[0]


def best_sentence(passage: Passage) -> TextMark | None:
    """The mark of the sentence that a citation would quote; None where nothing is marked."""
    evidence = [mark for mark in passage.marks if mark.kind == "evidence" and mark.start < mark.end]
    quote = passage.quote.split()
    for mark in evidence:
        if passage.text[mark.start : mark.end].split() == quote:
            return mark
    return evidence[0] if evidence else None


def _laid_from(
    passage: Passage,
    start: int,
    used: QFont,
    width: float,
    lines: int,
    is_open: bool,
    sentence: TextMark | None,
    end: int | None = None,
) -> tuple[LaidText, int]:
    """Lay out ``text[start:end]``; also tells how long the ellipsis before it is."""
    before = _CUT if passage.text[:start].strip() else ""
    after = _CUT[0] if end is not None and passage.text[end:].strip() else ""
    stop = len(passage.text) if end is None else end
    text = before + passage.text[start:stop] + after
    shift = len(before) - start
    marks = [
        Mark(max(mark.start, start) + shift, min(mark.end, stop) + shift, _kind(mark, sentence, is_open))
        for mark in passage.marks
        if mark.end > start and mark.start < stop
    ]
    return LaidText(text, used, width, most_lines=lines, marks=marks), len(before)


def _kind(mark: TextMark, sentence: TextMark | None, is_open: bool) -> MarkKind:
    if mark.kind == "term":
        return "term"
    return "active" if is_open and mark == sentence else "evidence"


def _word_start(text: str, at: int) -> int:
    """The start of the first word at or after a position; 0 where that lies before the text."""
    if at <= 0:
        return 0
    space = text.find(" ", at, at + _LEAD // 2)
    return space + 1 if space >= 0 else at
