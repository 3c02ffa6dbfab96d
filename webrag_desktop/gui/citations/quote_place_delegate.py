"""Draws the places where a quotation stands: title and date, section and page, the words, and buttons."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListView

from webrag_desktop.gui.citations.card_delegate import CardDelegate
from webrag_desktop.gui.citations.quote_places_model import (
    GRADE_LOOKS,
    PlaceRole,
    grade_word,
    when_words,
    where_words,
)
from webrag_desktop.gui.data.quotes import FoundPlace, QuoteGrade
from webrag_desktop.gui.kit.rows.laid_text import LaidText, Mark
from webrag_desktop.gui.kit.rows.row_buttons import PlacedButton, RowButton, place_buttons
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, QUOTE_LINE, font
from webrag_desktop.gui.kit.theme.painting import (
    RIGHT,
    paint_line,
    paint_pill,
    pill_width,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.gui.research.passage_layout import line_height

INSET = 24
_TOP, _BOTTOM, _GAP, _TO_BUTTONS, _TO_DATE = 10, 12, 3, 9, 12
_PILL_ROOM = 6  # of a line with a pill, beyond that of its words
_AT_REST, _OPEN = 3, 14  # lines of the words


@dataclass(frozen=True, slots=True)
class PlaceLayout:
    """Positions count from the row's top left corner."""

    height: int
    title: QRectF
    date: QRectF
    where: QRectF
    grade: QRectF  # empty where all places have the same
    words: LaidText
    words_at: QPointF
    buttons: tuple[PlacedButton, ...]
    text_left: float = INSET


class QuotePlaceDelegate(CardDelegate):
    """The rows of a list of places."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view, INSET)
        self._layouts: dict[tuple[int, bool, int | None], PlaceLayout] = {}
        self._width = -1

    def forget(self) -> None:
        """Drop what was laid out: what is listed, font or theme changed."""
        self._layouts.clear()

    def layout(self, index: AnyIndex) -> PlaceLayout:
        """Where everything of a row stands."""
        width = self._list.viewport().width()
        if width != self._width:
            self._width = width
            self.forget()
        number: int | None = index.data(PlaceRole.NUMBER)
        key = (index.row(), self.is_open(index), number)
        if key not in self._layouts:
            place: FoundPlace = index.data(PlaceRole.PLACE)
            self._layouts[key] = _laid_out(
                place, width, is_open=key[1], number=number, grade=index.data(PlaceRole.GRADE)
            )
        return self._layouts[key]

    def paint_row(self, painter: QPainter, corner: QPointF, index: AnyIndex, *, selected: bool) -> None:
        """Draw a place."""
        place: FoundPlace = index.data(PlaceRole.PLACE)
        laid, mirror = self.layout(index), self.mirror
        quiet: Role = "text2" if selected else "text3"
        paint_line(painter, mirror.rect(laid.title.translated(corner)), place.title, font("body", MEDIUM))
        when: Role = quiet if place.shown else "warn"
        used = font("small", figures=True)
        paint_line(painter, mirror.rect(laid.date.translated(corner)), when_words(place), used, when, RIGHT)
        if where := where_words(place):
            paint_line(painter, mirror.rect(laid.where.translated(corner)), where, used, quiet)
        grade: QuoteGrade | None = index.data(PlaceRole.GRADE)
        if grade is not None:
            look, rect = GRADE_LOOKS[grade], mirror.rect(laid.grade.translated(corner))
            middle = rect.center().y()
            paint_pill(painter, rect.left(), middle, grade_word(grade), look.ink, look.ground, look.icon)
        at = laid.words_at + corner
        laid.words.paint(painter, mirror.left(at.x(), laid.words.width), at.y())


def _laid_out(
    place: FoundPlace, width: int, *, is_open: bool, number: int | None, grade: QuoteGrade | None
) -> PlaceLayout:
    room = width - 2 * INSET
    first = line_height(font("body", MEDIUM))
    date = min(text_width(when_words(place), font("small", figures=True)) + 2, room * 0.6)
    y = _TOP + first
    pill = pill_width(grade_word(grade), GRADE_LOOKS[grade].icon) if grade is not None else 0.0
    height = line_height(font("small"))
    graded = QRectF(INSET + room - pill, y, pill, height + _PILL_ROOM if pill else 0)
    least = room - pill - _TO_DATE if pill else room
    where = QRectF(INSET, y, least, max(height if where_words(place) else 0, graded.height()))
    words = LaidText(
        "".join(piece.text for piece in place.pieces),
        font("lead", family="serif"),
        room,
        line_ratio=QUOTE_LINE,
        most_lines=_OPEN if is_open else _AT_REST,
        marks=_marks(place),
    )
    at = QPointF(INSET, where.bottom() + _GAP)
    bottom = at.y() + words.height
    buttons: tuple[PlacedButton, ...] = ()
    if is_open:
        buttons = place_buttons(_wanted(place, number), INSET, bottom + _TO_BUTTONS, room)
        bottom = max(placed.rect.bottom() for placed in buttons)
    return PlaceLayout(
        height=round(bottom + _BOTTOM),
        title=QRectF(INSET, _TOP, room - date - _TO_DATE, first),
        date=QRectF(INSET + room - date, _TOP, date, first),
        where=where,
        grade=graded,
        words=words,
        words_at=at,
        buttons=buttons,
    )


def _marks(place: FoundPlace) -> list[Mark]:
    """Where the words stand that differ, blanks around them left out."""
    marks: list[Mark] = []
    start = 0
    for piece in place.pieces:
        end = start + len(piece.text)
        if piece.kind != "same":
            inner = piece.text.strip()
            begins = start + len(piece.text) - len(piece.text.lstrip())
            marks.append(Mark(begins, begins + len(inner), piece.kind))
        start = end
    return marks


def _wanted(place: FoundPlace, number: int | None) -> tuple[RowButton, ...]:
    read = RowButton("open", _tr("Open"), "book-open", "↵", _tr("Read it in its place (Enter)"))
    copy = RowButton("copy", _tr("Copy"), "copy", "Ctrl C", _tr("Copy what the source says (Ctrl+C)"))
    if not place.is_verified:
        return read, copy
    if number is None:
        return read, RowButton("cite", _tr("Cite"), "text-quote", "C", _tr("Cite (C)")), copy
    cited = _tr("Cited as {0}").format(number)
    return (
        read,
        RowButton("cite", cited, "text-quote", "C", _tr("Take the citation back (C)"), "filled"),
        copy,
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("QuotePlaceRow", text)
