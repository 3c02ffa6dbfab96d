"""The places where a quotation stands, as a list, and how grades look and are called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QModelIndex, QObject, Qt

from webrag_desktop.gui.data.quotes import FoundPlace, QuoteGrade
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.quantities import long_time
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.gui.research.citation_text import in_quotes


@dataclass(frozen=True, slots=True)
class GradeLook:
    """How a grade looks: icon, ink and ground; its word is :func:`grade_word`. Only what is verified is green."""

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
        """Say which stretches are cited, and under which numbers."""
        self._cited = cited
        if self._places:
            self.dataChanged.emit(self.index(0), self.index(len(self._places) - 1))

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """How many places there are."""
        return 0 if parent.isValid() else len(self._places)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The accessible text is whole sentences."""
        return self._told(self._places[index.row()], role) if index.isValid() else None

    def _told(self, place: FoundPlace, role: int) -> Any:
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
        where = ", ".join(filter(None, (place.title, where_words(place), when_words(place))))
        told = [f"{where}.", f"{grade_word(place.grade)}: {in_quotes(place.text)}."]
        told += difference_sentences(place)
        if number := self._cited.get(place.span):
            told.append(self.tr("Cited as {0}.").format(number))
        return " ".join(told)


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
    page = _tr("p. {0}").format(place.page) if place.page is not None else ""
    return ", ".join(filter(None, (place.section, page)))


def when_words(place: FoundPlace) -> str:
    """When the text was fetched; of one that is not shown any more also that."""
    day = long_time(place.fetched_at) if place.fetched_at is not None else ""
    if place.shown:
        return day
    version = _tr("earlier text, version {0}").format(place.version_number)
    return ", ".join(filter(None, (version, day)))


def difference_sentences(place: FoundPlace) -> list[str]:
    """What a quotation and the source say otherwise, in words."""
    told: list[str] = []
    pieces = [(piece.kind, piece.text.strip()) for piece in place.pieces]
    for at, (kind, text) in enumerate(pieces):
        before = pieces[at - 1] if at else ("same", "")
        after = pieces[at + 1] if at + 1 < len(pieces) else ("same", "")
        if kind == "removed" and after[0] == "added":
            told.append(
                _tr("The quotation says {0}, the source {1}.").format(in_quotes(text), in_quotes(after[1]))
            )
        elif kind == "removed":
            told.append(_tr("Only the quotation says {0}.").format(in_quotes(text)))
        elif kind == "added" and before[0] != "removed":
            told.append(_tr("Only the source says {0}.").format(in_quotes(text)))
    return told


def _tr(text: str) -> str:
    return QCoreApplication.translate("QuotePlaces", text)
