"""The layout of a passage's row. Laid out once for a width, then kept."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF

from webrag_desktop.gui.data.view_data import Passage, ResultGroup, TextMark
from webrag_desktop.gui.kit.mathematics.drawings import Drawable, Drawings
from webrag_desktop.gui.kit.rows.laid_text import LaidText, Mark, MarkKind
from webrag_desktop.gui.kit.rows.row_delegate import PlacedButton, RowButton, button_height, place_buttons
from webrag_desktop.gui.kit.shortcuts import key_cap, key_of, with_key
from webrag_desktop.gui.kit.theme.fonts import BODY_LINE, MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.painting import text_width
from webrag_desktop.gui.kit.widgets.bars import score_size
from webrag_desktop.gui.research.results_model import Reason, reasons, strength_words
from webrag_desktop.text.links import is_web

LINES_AT_REST, LINES_OPEN = 3, 8
MEASURE = 84  # characters of a line, where there is room for more
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


def laid_excerpt(passage: Passage, used: QFont, width: float, *, is_open: bool) -> LaidText:
    """Lay out a passage for a row at rest, or for the open one, whose sentence is the active mark.

    Text before the sentence is cut first, text after it next; a sentence that is longer than the row
    makes the row longer.
    """
    return _Excerpt(passage, used, width, is_open).laid()


def surely_fills_rest(passage: Passage, metrics: QFontMetricsF, width: float) -> bool:
    """Whether a closed row has exactly its three lines, decided without laying anything out.

    False where that is not sure: short passages, long sentences, sentences at a passage's end, formulas.
    """
    if passage.formulas:
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
    def __init__(self, passage: Passage, used: QFont, width: float, is_open: bool) -> None:
        self._passage, self._font, self._width, self._is_open = passage, used, width, is_open
        self._sentence = best_sentence(passage)
        self._is_marked = passage.figure != _NOTHING
        self._begin = self._sentence.start if self._sentence else 0
        self._end = self._sentence.end if self._sentence else 0
        self._lines = LINES_OPEN if is_open else LINES_AT_REST
        self._most = int(self._lines * width / (used.pixelSize() * _NARROW)) + 1
        self._most += sum(formula.end - formula.start for formula in passage.formulas)

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
            Mark(max(mark.start, start) + shift, min(mark.end, stop) + shift, self._kind(mark))
            for mark in self._passage.marks
            if mark.end > start and mark.start < stop and (mark.kind == "term" or self._is_marked)
        ]
        formulas = [
            formula._replace(start=formula.start + shift, end=formula.end + shift)
            for formula in self._passage.formulas
            if formula.start >= start and formula.end <= stop
        ]
        shown = before + text[start:stop] + after
        laid = LaidText(shown, self._font, self._width, most_lines=lines, marks=marks, formulas=formulas)
        return laid, len(before)

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


RIGHT_INSET, NUMBER_LEFT, NUMBER_GAP, CARD_INSET = 20, 22, 9, 8
_TEXT_LEFT, _NUMBER = 50, 18
_TOP, _BOTTOM, _OPEN_BOTTOM, _TO_SCORE, _GAP = 9, 13, 16, 18, 8
_REASON_GAP, _VALUE_GAP = 18, 6


@dataclass(frozen=True, slots=True)
class PlacedReason:
    """A reason and the rectangles of its name, its value and the rest."""

    reason: Reason
    name: QRectF
    value: QRectF
    rest: QRectF


@dataclass(frozen=True, slots=True)
class PassageLayout:
    """Rectangles count from the row's top left corner."""

    height: int
    place: QRectF
    score: QRectF
    text: LaidText
    text_at: QPointF
    reasons: tuple[PlacedReason, ...]
    buttons: tuple[PlacedButton, ...]


_Key = tuple[UUID, int | None, bool, bool]


class PassageLayouts:
    """Keeps the layouts of one width; another width, font or theme forgets them."""

    def __init__(self) -> None:
        self._kept: dict[_Key, PassageLayout] = {}
        self._heights: dict[UUID, int | None] = {}
        self._undrawn: set[_Key] = set()  # with formulas that were not drawn yet when they were laid out
        self._width = -1

    def forget(self) -> None:
        """Drop everything: passages, font or theme changed."""
        self._kept.clear()
        self._heights.clear()
        self._undrawn.clear()

    def forget_undrawn(self) -> bool:
        """Drop what has formulas that may be drawn by now; whether there was any."""
        undrawn, self._undrawn = self._undrawn, set()
        for key in undrawn:
            self._kept.pop(key, None)
        return bool(undrawn)

    def _use_width(self, width: int) -> None:
        if width != self._width:
            self._width = width
            self.forget()

    def layout(
        self,
        group: ResultGroup,
        passage: Passage,
        number: int | None,
        width: int,
        *,
        is_open: bool,
        with_reasons: bool,
    ) -> PassageLayout:
        """The layout of a row of ``width``; the open one has its buttons."""
        self._use_width(width)
        key = (passage.chunk_id, number if is_open else None, is_open, with_reasons)
        if key not in self._kept:
            buttons = passage_buttons(group, number) if is_open else ()
            settled = Drawings.of_window().is_settled
            self._kept[key] = _laid_out(passage, width, is_open, with_reasons, buttons)
            if not all(settled(Drawable(*formula[2:])) for formula in passage.formulas):
                self._undrawn.add(key)
        return self._kept[key]

    def resting_height(self, passage: Passage, width: int) -> int | None:
        """The height of a row at rest where it is known without laying it out; None where it has to be.

        An answer has many rows, and most of them are out of sight.
        """
        self._use_width(width)
        if passage.chunk_id not in self._heights:
            self._heights[passage.chunk_id] = _resting_height(passage, width)
        return self._heights[passage.chunk_id]


def _resting_height(passage: Passage, width: int) -> int | None:
    score, left = strength_size(), text_left()
    used = font("body")
    room = _score_left(width) - _TO_SCORE - left
    if not surely_fills_rest(passage, QFontMetricsF(used), room):
        return None
    text_bottom = _TOP + line_height(font("small")) + 2 + LINES_AT_REST * round(used.pixelSize() * BODY_LINE)
    return round(max(text_bottom, _TOP + score.height()) + _BOTTOM)


def passage_buttons(group: ResultGroup, number: int | None) -> tuple[RowButton, ...]:
    """The buttons of a passage, as its menu has them too."""
    cite_key, open_key, copy_key = (key_cap(key_of("results", one)) for one in ("cite", "open", "copy"))
    cite = (
        RowButton(
            "cite",
            _tr("Cite"),
            "text-quote",
            cite_key,
            with_key(_tr("Cite this sentence"), "results", "cite"),
        )
        if number is None
        else RowButton(
            "cite",
            _tr("Cited as {0}").format(number),
            "text-quote",
            cite_key,
            with_key(_tr("Remove citation {0}").format(number), "results", "cite"),
            look="filled",
        )
    )
    rest = [
        RowButton("open", _tr("Open"), "book-open", open_key, _tr("Open in the reader")),
        RowButton("copy", _tr("Copy quote"), "copy", copy_key, _tr("Copy the marked sentence")),
    ]
    if is_web(group.address):
        rest.append(RowButton("browse", _tr("Open in browser"), "external-link", hint=group.address))
    return (cite, *rest)


def strength_size() -> QSizeF:
    """How much room the word takes that says how strong a passage is, with its bar."""
    return score_size(tuple(strength_words().values()))


def _score_left(width: float) -> float:
    """Where the score of a row of that width begins: at its end, yet beside text of a width that is read well."""
    score = strength_size().width()
    measure = MEASURE * QFontMetricsF(font("body")).averageCharWidth()
    return min(width - RIGHT_INSET - score, text_left() + measure + _TO_SCORE)


def text_left() -> float:
    """Where the text of a row begins: right of the chip with its number."""
    return float(max(_TEXT_LEFT, NUMBER_LEFT + number_size() + NUMBER_GAP))


def number_size() -> int:
    """The side of the chip with a citation's number."""
    return grown(_NUMBER)


def line_height(used: QFont) -> int:
    """The height of a line of its own in that font: no glyph is clipped."""
    return max(grown(20), round(QFontMetricsF(used).height() + 0.5))


def _laid_out(
    passage: Passage, width: int, is_open: bool, with_reasons: bool, buttons: Sequence[RowButton]
) -> PassageLayout:
    place_height = line_height(font("small"))
    score, left = strength_size(), text_left()
    score_at = QRectF(QPointF(_score_left(width), _TOP + 2), score)
    right = score_at.left() - _TO_SCORE
    text = laid_excerpt(passage, font("body"), right - left, is_open=is_open)
    place = QRectF(left, _TOP, right - left, place_height)
    text_at = QPointF(left, place.bottom() + 2)
    bottom = max(text_at.y() + text.height, _TOP + score.height())
    room = score_at.right() - left
    placed: tuple[PlacedReason, ...] = ()
    if with_reasons:
        placed = _placed_reasons(reasons(passage), left, bottom + _GAP, room)
        bottom = placed[-1].name.bottom()
    placed_buttons = place_buttons(buttons, left, bottom + _GAP, room)
    if placed_buttons:
        bottom = placed_buttons[-1].rect.top() + button_height()
    height = round(bottom + (_OPEN_BOTTOM if is_open else _BOTTOM))
    return PassageLayout(height, place, score_at, text, text_at, placed, placed_buttons)


def _placed_reasons(
    wanted: Sequence[Reason], left: float, top: float, room: float
) -> tuple[PlacedReason, ...]:
    names, values = font("small", figures=True), font("small", MEDIUM, figures=True)
    height = line_height(values)
    placed: list[PlacedReason] = []
    x, y = left, top
    for reason in wanted:
        name, value = text_width(reason.name, names) + 1, text_width(reason.value, values) + 1
        rest = text_width(reason.rest, names) + 1 if reason.rest else 0.0
        fixed = name + _VALUE_GAP + (rest + _VALUE_GAP if rest else 0.0)
        if x > left and (reason.is_title or x + fixed + value > left + room):
            x, y = left, y + height
        value = max(0.0, min(value, room - fixed))
        at = x + name + _VALUE_GAP
        placed.append(
            PlacedReason(
                reason,
                QRectF(x, y, name, height),
                QRectF(at, y, value, height),
                QRectF(at + value + _VALUE_GAP, y, rest, height),
            )
        )
        x += fixed + value + _REASON_GAP
    return tuple(placed)


def _tr(text: str) -> str:
    return QCoreApplication.translate("PassageRow", text)
