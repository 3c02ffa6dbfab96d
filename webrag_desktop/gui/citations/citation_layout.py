"""Where everything of a citation's row stands. Laid out once for a width, then kept."""

from dataclasses import dataclass
from uuid import UUID

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QGuiApplication

from webrag_desktop.gui.citations.citations_model import state_word
from webrag_desktop.gui.data.view_data import CitationRow, CitationState
from webrag_desktop.gui.kit.rows.laid_text import LaidText
from webrag_desktop.gui.kit.rows.row_buttons import (
    PlacedButton,
    RowButton,
    button_height,
    place_at_right,
    place_buttons,
)
from webrag_desktop.gui.kit.theme.direction import isolated
from webrag_desktop.gui.kit.theme.fonts import QUOTE_LINE, font, grown
from webrag_desktop.gui.kit.theme.painting import number_chip, pill_width, text_width
from webrag_desktop.gui.kit.theme.tokens import SMALLEST_TARGET, Role
from webrag_desktop.gui.research.citation_text import in_quotes
from webrag_desktop.gui.research.passage_layout import line_height

NUMBER_LEFT, RIGHT_INSET = 18, 18
_TEXT_LEFT, _NUMBER, _NUMBER_GAP, _TO_PILL = 46, 18, 10, 12
_TOP, _BOTTOM, _GAP, _OPEN_GAP, _TO_BUTTONS = 9, 11, 4, 6, 10
_LEAST_HEIGHT, _LINES_AT_REST, _LEAST_REFERENCE = 82, 2, 150


@dataclass(frozen=True, slots=True)
class StateLook:
    """How a state looks: icon, ink and ground; its word is :func:`state_word`."""

    icon: str
    ink: Role
    ground: Role


STATE_LOOKS = {
    CitationState.EXACT: StateLook("circle-check", "ok", "ok_soft"),
    CitationState.MOVED: StateLook("move-right", "warn", "warn_soft"),
    CitationState.LOST: StateLook("link-2-off", "bad", "bad_soft"),
}


@dataclass(frozen=True, slots=True)
class CitationLayout:
    """Positions count from the row's top left corner. ``pill`` is where the state's pill begins."""

    height: int
    quote: LaidText
    quote_at: QPointF
    pill: float
    reference: QRectF
    explanation: LaidText | None
    explanation_at: QPointF
    buttons: tuple[PlacedButton, ...]

    @property
    def text_left(self) -> float:
        """Where quote and reference begin."""
        return self.quote_at.x()


class CitationLayouts:
    """Keeps the layouts of one width; another width, font or theme forgets them."""

    def __init__(self) -> None:
        self._kept: dict[tuple[UUID, bool], tuple[CitationRow, CitationLayout]] = {}
        self._width = -1

    def forget(self) -> None:
        """Drop everything: font or theme changed."""
        self._kept.clear()

    def layout(self, citation: CitationRow, width: int, *, is_open: bool) -> CitationLayout:
        """The layout of a row of ``width``; the open one has the whole quote and its buttons."""
        if width != self._width:
            self._width = width
            self.forget()
        key = (citation.id, is_open)
        kept = self._kept.get(key)
        if kept is None or kept[0] != citation:
            kept = self._kept[key] = (citation, _laid_out(citation, width, is_open))
        return kept[1]


def _text_left(number: int) -> float:
    """Where a row's text begins: after the chip with its number, which is wider for a long one."""
    chip = number_chip(number, number_size())
    return max(_TEXT_LEFT, NUMBER_LEFT + chip.width() + _NUMBER_GAP)


def number_size() -> int:
    """The side of the chip with the number."""
    return grown(_NUMBER)


def _laid_out(citation: CitationRow, width: int, is_open: bool) -> CitationLayout:
    left, right = _text_left(citation.number), width - RIGHT_INSET
    pill = right - pill_width(state_word(citation.state), STATE_LOOKS[citation.state].icon)
    quote = LaidText(
        in_quotes(citation.quote),
        font("lead", family="serif"),
        pill - _TO_PILL - left,
        line_ratio=QUOTE_LINE,
        most_lines=None if is_open else _LINES_AT_REST,
    )
    y = _TOP + quote.height + (_OPEN_GAP if is_open else _GAP)
    reference = QRectF(left, y, right - left, line_height(font("small")))
    buttons: tuple[PlacedButton, ...] = ()
    if is_open:
        buttons, reference = _placed_buttons(reference)
    told_at = QPointF(left, max([reference.bottom(), *(placed.rect.bottom() + _GAP for placed in buttons)]))
    explanation, more = _explanation(citation, told_at, right - left, is_open)
    bottom = told_at.y() + (explanation.height if explanation else 0)
    bottom = max([bottom, *(placed.rect.bottom() - _GAP for placed in more)])
    return CitationLayout(
        height=max(grown(_LEAST_HEIGHT), round(bottom + _BOTTOM)),
        quote=quote,
        quote_at=QPointF(left, _TOP),
        pill=pill,
        reference=reference,
        explanation=explanation,
        explanation_at=told_at,
        buttons=(*buttons, *more),
    )


def _placed_buttons(line: QRectF) -> tuple[tuple[PlacedButton, ...], QRectF]:
    """The buttons at the end of the reference's line, or below it where it would be too short then."""
    wanted = (
        RowButton("copy", _tr("Quote"), "copy", hint=_tr("Copy quote (Ctrl+C)")),
        RowButton("reference", _tr("Reference"), "notebook-pen", hint=_tr("Copy reference"), has_menu=True),
    )
    top = line.center().y() - button_height() / 2
    placed = place_at_right(wanted, line.right(), top)
    room = placed[0].rect.left() - _TO_BUTTONS - line.left()
    if room >= _LEAST_REFERENCE:
        return placed, QRectF(line.left(), line.top(), room, line.height())
    return place_buttons(wanted, line.left(), line.bottom() + _GAP, line.width()), line


def _explanation(
    citation: CitationRow, at: QPointF, width: float, is_open: bool
) -> tuple[LaidText | None, tuple[PlacedButton, ...]]:
    """What happened to the quote, and for a lost one the way to the copy that has it."""
    if not citation.explanation:
        return None, ()
    used = font("small")
    # Words of the interface begin where it does, whatever their language: a button may follow them.
    along = QGuiApplication.layoutDirection()
    laid = LaidText(citation.explanation, used, width, most_lines=None if is_open else 2, along=along)
    if citation.state != CitationState.LOST or citation.version_id is None:
        return laid, ()
    button = RowButton("open", _tr("Show your copy"), look="link")
    needed, height = button.width(with_keys=False), max(SMALLEST_TARGET, laid.line_height)
    after = at.x() + text_width(citation.explanation, used) + 10
    if laid.lines == 1 and after + needed <= at.x() + width:
        rect = QRectF(after, at.y() + (laid.height - height) / 2, needed, height)
    else:
        rect = QRectF(at.x() - 2, at.y() + laid.height, min(needed, width), height)
    return laid, (PlacedButton(button, rect, with_keys=False),)


def shown_reference(citation: CitationRow) -> str:
    """The reference for the eye: each name keeps its own direction, and the order stays title, section, page."""
    section = f" — {isolated(citation.section)}" if citation.section else ""
    page = _tr(", p. {0}").format(citation.page) if citation.page else ""
    return f"{isolated(citation.title)}{section}{page}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("CitationRow", text)
