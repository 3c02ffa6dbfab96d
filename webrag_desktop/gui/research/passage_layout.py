"""The layout of a passage's row. Laid out once for a width, then kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF

from webrag_desktop.gui.data.view_data import Passage, ResultGroup
from webrag_desktop.gui.kit.mathematics.drawings import Drawable, Drawings
from webrag_desktop.gui.kit.rows.laid_text import LaidText
from webrag_desktop.gui.kit.rows.row_delegate import PlacedButton, RowButton, button_height, place_buttons
from webrag_desktop.gui.kit.shortcuts import key_cap, key_of, with_key
from webrag_desktop.gui.kit.theme.fonts import BODY_LINE, MEDIUM, font, grown, measure
from webrag_desktop.gui.kit.theme.painting import text_width
from webrag_desktop.gui.kit.widgets.bars import score_size
from webrag_desktop.gui.research.passage_excerpt import (
    LINES_AT_REST,
    is_excerpt,
    laid_passage,
    surely_fills_rest,
)
from webrag_desktop.gui.research.passage_parts import ALL_LINES, LaidParts
from webrag_desktop.gui.research.results_model import Reason, reasons, strength_words
from webrag_desktop.text.links import is_web

MEASURE = 84  # characters of a line, where there is room for more
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
    text: LaidText | LaidParts
    text_at: QPointF
    reasons: tuple[PlacedReason, ...]
    buttons: tuple[PlacedButton, ...]


_Key = tuple[UUID, int | None, bool, bool, bool]


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
        is_whole: bool = False,
    ) -> PassageLayout:
        """The layout of a row of ``width``; the open one has its buttons, and where it ``is_whole`` all of its text."""
        self._use_width(width)
        key = (passage.chunk_id, number if is_open else None, is_open, with_reasons, is_whole)
        if key not in self._kept:
            buttons = passage_buttons(group, number) if is_open else ()
            settled = Drawings.of_window().is_settled
            self._kept[key] = _laid_out(passage, width, is_open, with_reasons, is_whole, buttons)
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


def more_button(*, is_whole: bool) -> RowButton:
    """The button that shows all of a long passage, or less of it again."""
    words = _tr("Show less") if is_whole else _tr("Show all")
    hint = with_key(
        _tr("Show less of the passage") if is_whole else _tr("Show the whole passage"), "results", "more"
    )
    return RowButton(
        "more",
        words,
        "chevrons-up-down" if is_whole else "chevron-down",
        key_cap(key_of("results", "more")),
        hint,
    )


def strength_size() -> QSizeF:
    """How much room the word takes that says how strong a passage is, with its bar."""
    return score_size(tuple(strength_words().values()))


def _score_left(width: float) -> float:
    """Where the score of a row of that width begins: at its end, yet beside text of a width that is read well."""
    score = strength_size().width()
    return min(width - RIGHT_INSET - score, text_left() + measure(font("body"), MEASURE) + _TO_SCORE)


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
    passage: Passage,
    width: int,
    is_open: bool,
    with_reasons: bool,
    is_whole: bool,
    buttons: Sequence[RowButton],
) -> PassageLayout:
    place_height = line_height(font("small"))
    score, left = strength_size(), text_left()
    score_at = QRectF(QPointF(_score_left(width), _TOP + 2), score)
    right = score_at.left() - _TO_SCORE
    lines = ALL_LINES if is_open and is_whole else None
    text = laid_passage(passage, font("body"), right - left, is_open=is_open, lines=lines)
    if buttons and (is_whole or is_excerpt(text, passage)):
        buttons = (*buttons, more_button(is_whole=is_whole))
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
