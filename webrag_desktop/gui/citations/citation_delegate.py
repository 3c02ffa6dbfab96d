"""The rows of the citations: the list model, the layout of a row, and how it is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any
from uuid import UUID

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPointF,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QListView

from webrag_desktop.gui.data.view_data import CitationRow, CitationState
from webrag_desktop.gui.kit.rows.laid_text import LaidText
from webrag_desktop.gui.kit.rows.row_delegate import (
    AnyIndex,
    CardDelegate,
    PlacedButton,
    RowButton,
    button_height,
    place_at_right,
    place_buttons,
)
from webrag_desktop.gui.kit.shortcuts import with_key
from webrag_desktop.gui.kit.theme.direction import Mirror, isolated
from webrag_desktop.gui.kit.theme.fonts import QUOTE_LINE, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    number_chip,
    paint_line,
    paint_number,
    paint_pill,
    pill_width,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import SMALLEST_TARGET, Role
from webrag_desktop.gui.research.passage_layout import line_height
from webrag_desktop.text.citation_formats import in_quotes, reference


@dataclass(frozen=True, slots=True)
class CitationMove:
    """A citation and the number it is to have, counting from 1."""

    id: UUID
    position: int


class CitationRole(IntEnum):
    """What a row holds beyond its text."""

    CITATION = Qt.ItemDataRole.UserRole + 1  # CitationRow


class CitationsModel(QAbstractListModel):
    """Shows what it is given. A row dropped elsewhere emits ``move_requested``; the new order is shown after."""

    move_requested = Signal(object)  # CitationMove

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[CitationRow, ...] = ()

    @property
    def rows(self) -> tuple[CitationRow, ...]:
        """The citations in their order."""
        return self._rows

    def show(self, rows: Sequence[CitationRow]) -> None:
        """Replace the list; where only the contents of rows changed, the rows themselves stay."""
        rows = tuple(rows)
        if [row.id for row in rows] != [row.id for row in self._rows]:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        before, self._rows = self._rows, rows
        for at, (old, new) in enumerate(zip(before, rows, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(at), self.index(at))

    def find(self, citation_id: UUID) -> QModelIndex:
        """The row of a citation; an invalid index where there is none."""
        at = next((at for at, row in enumerate(self._rows) if row.id == citation_id), None)
        return QModelIndex() if at is None else self.index(at)

    def request_move(self, citation_id: UUID, before: int) -> bool:
        """Ask to put a citation before the row that is now at ``before``; False where that changes nothing."""
        at = self.find(citation_id).row()
        if at < 0 or before in {at, at + 1} or not 0 <= before <= len(self._rows):
            return False
        self.move_requested.emit(CitationMove(citation_id, before if before > at else before + 1))
        return True

    # -- QAbstractListModel ---------------------------------------------------------------------------------------

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """How many citations there are."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The accessible text is a whole sentence."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == CitationRole.CITATION:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.quote
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(row)
        return None

    def _sentence(self, row: CitationRow) -> str:
        opening = self.tr("Citation {0}, {1}: {2}").format(
            row.number, state_word(row.state).lower(), in_quotes(row.quote)
        )
        return " ".join(part for part in (opening, f"{row.reference}.", row.explanation) if part)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Rows can be dragged; only the list between them takes a drop."""
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        return (
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsDragEnabled
            | Qt.ItemFlag.ItemNeverHasChildren
        )

    def supportedDropActions(self) -> Qt.DropAction:
        """Rows are moved, never copied."""
        return Qt.DropAction.MoveAction

    def moveRows(self, _source: AnyIndex, row: int, count: int, _destination: AnyIndex, before: int) -> bool:
        """What a drop calls. Nothing moves here: the new order comes with the next :meth:`show`."""
        if count == 1 and 0 <= row < len(self._rows):
            self.request_move(self._rows[row].id, before)
        return False


def state_word(state: CitationState) -> str:
    """The state of a citation in one word."""
    words = {
        CitationState.EXACT: QCoreApplication.translate("CitationState", "Exact"),
        CitationState.MOVED: QCoreApplication.translate("CitationState", "Moved"),
        CitationState.LOST: QCoreApplication.translate("CitationState", "Lost"),
    }
    return words[state]


NUMBER_LEFT, RIGHT_INSET = 18, 18
_TEXT_LEFT, _NUMBER, _NUMBER_GAP, _TO_PILL = 46, 18, 10, 12
_TOP, _BOTTOM, _GAP, _OPEN_GAP, _TO_BUTTONS = 9, 11, 4, 6, 10
_LEAST_HEIGHT, _LINES_AT_REST, _LEAST_REFERENCE = 82, 2, 150


@dataclass(frozen=True, slots=True)
class StateLook:
    """The appearance of a state: icon, ink and ground; its word is :func:`state_word`."""

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
    explanation_at = QPointF(
        left, max([reference.bottom(), *(placed.rect.bottom() + _GAP for placed in buttons)])
    )
    explanation, more = _explanation(citation, explanation_at, right - left, is_open)
    bottom = explanation_at.y() + (explanation.height if explanation else 0)
    bottom = max([bottom, *(placed.rect.bottom() - _GAP for placed in more)])
    return CitationLayout(
        height=max(grown(_LEAST_HEIGHT), round(bottom + _BOTTOM)),
        quote=quote,
        quote_at=QPointF(left, _TOP),
        pill=pill,
        reference=reference,
        explanation=explanation,
        explanation_at=explanation_at,
        buttons=(*buttons, *more),
    )


def _placed_buttons(line: QRectF) -> tuple[tuple[PlacedButton, ...], QRectF]:
    """The buttons at the end of the reference's line, or below it where it would be too short then."""
    wanted = (
        RowButton("copy", _tr("Quote"), "copy", hint=with_key(_tr("Copy quote"), "citations", "copy")),
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
    names = [isolated(name) for name in (citation.title, citation.section) if name]
    return reference(*names, page=citation.page, page_words=_tr("p. {0}"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("CitationRow", text)


class CitationDelegate(CardDelegate):
    """The rows of a list of citations; a lost one always has the button that leads to the copy that has it."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view, RIGHT_INSET)
        self._layouts = CitationLayouts()

    def forget(self) -> None:
        """Drop what was laid out: font or theme changed."""
        self._layouts.forget()

    def layout(self, index: AnyIndex) -> CitationLayout:
        """The layout of a row."""
        return self._layouts.layout(
            index.data(CitationRole.CITATION), self._list.viewport().width(), is_open=self.is_open(index)
        )

    def paint_row(self, painter: QPainter, corner: QPointF, index: AnyIndex, *, selected: bool) -> None:
        """Draw a citation."""
        mirror = self.mirror
        citation: CitationRow = index.data(CitationRole.CITATION)
        laid, look = self.layout(index), STATE_LOOKS[citation.state]
        at = laid.quote_at + corner
        middle = at.y() + laid.quote.line_height / 2
        self._paint_number(painter, middle, mirror, citation.number, selected)
        word = state_word(citation.state)
        pill = mirror.left(laid.pill, pill_width(word, look.icon))
        paint_pill(painter, pill, middle, word, look.ink, look.ground, look.icon)
        quote_ink: Role = "text2" if citation.state == CitationState.LOST else "text"
        laid.quote.paint(painter, mirror.left(at.x(), laid.quote.width), at.y(), quote_ink)
        reference = mirror.rect(laid.reference.translated(corner))
        quiet: Role = "text2" if selected else "text3"
        paint_line(painter, reference, shown_reference(citation), font("small", figures=True), quiet)
        if laid.explanation is not None:
            at = laid.explanation_at + corner
            # Of an exact quote it says where its source is, which is nothing to be glad of.
            ink = quiet if citation.state == CitationState.EXACT else look.ink
            laid.explanation.paint(painter, mirror.left(at.x(), laid.explanation.width), at.y(), ink)

    @staticmethod
    def _paint_number(painter: QPainter, middle: float, mirror: Mirror, number: int, selected: bool) -> None:
        side = number_size()
        left = mirror.left(NUMBER_LEFT, number_chip(number, side).width())
        paint_number(painter, left, middle - side / 2, number, filled=selected, size=side)
