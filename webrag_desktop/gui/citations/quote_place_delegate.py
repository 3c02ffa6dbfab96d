"""The places where a quotation was found, as rows: the list model, layout and drawing, and the grades."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QModelIndex, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QListView

from webrag_desktop.gui.data.texts import FoundPlace, QuoteGrade
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.quantities import long_time
from webrag_desktop.gui.kit.rows.laid_text import LaidText, Mark
from webrag_desktop.gui.kit.rows.row_delegate import (
    AnyIndex,
    CardDelegate,
    PlacedButton,
    RowButton,
    place_buttons,
)
from webrag_desktop.gui.kit.shortcuts import key_cap, key_of, with_key
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
from webrag_desktop.text.citation_formats import in_quotes, reference


@dataclass(frozen=True, slots=True)
class GradeLook:
    """The appearance of a grade: icon, ink and ground; its word is :func:`grade_word`. Only verified ones are green."""

    icon: str
    ink: Role
    ground: Role


GRADE_LOOKS: Mapping[QuoteGrade, GradeLook] = {
    "exact": GradeLook("circle-check", "ok", "ok_soft"),
    "exact_as_rendered": GradeLook("circle-check", "ok", "ok_soft"),
    "near": GradeLook("triangle-alert", "warn", "warn_soft"),
    "none": GradeLook("circle-alert", "bad", "bad_soft"),
}


class PlaceRole(IntEnum):
    """What a row holds beyond its text."""

    PLACE = Qt.ItemDataRole.UserRole + 1  # FoundPlace
    NUMBER = Qt.ItemDataRole.UserRole + 2  # int: under which it is cited; None where it is not
    GRADE = Qt.ItemDataRole.UserRole + 3  # QuoteGrade, where the places have more than one; else None


class QuotePlacesModel(QAbstractListModel):
    """The places in their order, and which of them are cited."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Hold nothing yet."""
        super().__init__(parent)
        self._places: tuple[FoundPlace, ...] = ()
        self._is_mixed = False
        self._cited: Mapping[SpanReference, int] = {}

    @property
    def places(self) -> tuple[FoundPlace, ...]:
        """What is listed."""
        return self._places

    def show(self, places: Sequence[FoundPlace]) -> None:
        """List other places."""
        self.beginResetModel()
        self._places = tuple(places)
        self._is_mixed = len({place.grade for place in places}) > 1
        self.endResetModel()

    def set_cited(self, cited: Mapping[SpanReference, int]) -> None:
        """Set which spans are cited, and under which numbers."""
        self._cited = cited
        if self._places:
            self.dataChanged.emit(self.index(0), self.index(len(self._places) - 1))

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """How many places there are."""
        return 0 if parent.isValid() else len(self._places)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The accessible text is whole sentences."""
        return self._value(self._places[index.row()], role) if index.isValid() else None

    def _value(self, place: FoundPlace, role: int) -> Any:
        match role:
            case PlaceRole.PLACE:
                return place
            case PlaceRole.NUMBER:
                return self._cited.get(place.span)
            case PlaceRole.GRADE:
                return place.grade if self._is_mixed else None
            case Qt.ItemDataRole.DisplayRole:
                return place.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._sentences(place)
        return None

    def _sentences(self, place: FoundPlace) -> str:
        named = reference(place.title, place.section, page=place.page, page_words=_tr("p. {0}"))
        where = ", ".join(filter(None, (named, when_words(place))))
        sentences = [f"{where}.", f"{grade_word(place.grade)}: {in_quotes(place.text)}."]
        sentences += difference_sentences(place)
        if number := self._cited.get(place.span):
            sentences.append(self.tr("Cited as {0}.").format(number))
        return " ".join(sentences)


def grade_word(grade: QuoteGrade) -> str:
    """A grade in a word or two."""
    words = {
        "exact": QCoreApplication.translate("QuoteGrade", "Exact"),
        "exact_as_rendered": QCoreApplication.translate("QuoteGrade", "Exact as rendered"),
        "near": QCoreApplication.translate("QuoteGrade", "Near"),
        "none": QCoreApplication.translate("QuoteGrade", "Not found"),
    }
    return words[grade]


def where_words(place: FoundPlace) -> str:
    """Section and page; empty where neither is known."""
    return reference(place.section, page=place.page, page_words=_tr("p. {0}"))


def when_words(place: FoundPlace) -> str:
    """When the text was fetched; of one that is not shown any more also that."""
    day = long_time(place.fetched_at) if place.fetched_at is not None else ""
    if place.shown:
        return day
    version = _tr("earlier text, version {0}").format(place.version_number)
    return ", ".join(filter(None, (version, day)))


def difference_sentences(place: FoundPlace) -> list[str]:
    """What a quotation and the source say otherwise, in words."""
    sentences: list[str] = []
    pieces = [(piece.kind, piece.text.strip()) for piece in place.pieces]
    for at, (kind, text) in enumerate(pieces):
        before = pieces[at - 1] if at else ("same", "")
        after = pieces[at + 1] if at + 1 < len(pieces) else ("same", "")
        if kind == "removed" and after[0] == "added":
            sentences.append(
                _tr("The quotation says {0}, the source {1}.").format(in_quotes(text), in_quotes(after[1]))
            )
        elif kind == "removed":
            sentences.append(_tr("Only the quotation says {0}.").format(in_quotes(text)))
        elif kind == "added" and before[0] != "removed":
            sentences.append(_tr("Only the source says {0}.").format(in_quotes(text)))
    return sentences


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
        """The layout of a row."""
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
    """The ranges of the words that differ, without blanks around them."""
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
    key = key_cap(key_of("quotes", "open"))
    read = RowButton("open", _tr("Open"), "book-open", key, f"{_tr('Read it in its place')} ({key})")
    copy = RowButton(
        "copy",
        _tr("Copy"),
        "copy",
        key_cap(key_of("quotes", "copy")),
        with_key(_tr("Copy what the source says"), "quotes", "copy"),
    )
    if not place.is_verified:
        return read, copy
    if number is None:
        return (
            read,
            RowButton(
                "cite",
                _tr("Cite"),
                "text-quote",
                key_of("quotes", "cite"),
                with_key(_tr("Cite"), "quotes", "cite"),
            ),
            copy,
        )
    cited = _tr("Cited as {0}").format(number)
    return (
        read,
        RowButton(
            "cite",
            cited,
            "text-quote",
            key_of("quotes", "cite"),
            with_key(_tr("Remove the citation"), "quotes", "cite"),
            "filled",
        ),
        copy,
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("QuotePlaces", text)
