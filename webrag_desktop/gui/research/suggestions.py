"""Suggestions under the query box: values of a filter that is typed, names of filters, and what was asked before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyleOptionViewItem, QWidget

from webrag_desktop.gui.data.filters import Choice, ChosenFilters, FilterChoices, ListField
from webrag_desktop.gui.data.questions import PastSearch
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.rows.lists import set_up_rows
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex, PlacedButton, RowDelegate
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import font, grown
from webrag_desktop.gui.kit.theme.painting import RIGHT, paint_box, paint_icon, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import RADIUS_ROW, SPACE_S, SPACE_XS, TREE_ROW
from webrag_desktop.gui.kit.widgets.panes import column
from webrag_desktop.gui.research.filter_strip import (
    FIELD_ICONS,
    chip_words,
    field_word,
    value_icon,
    value_word,
)
from webrag_desktop.text.folding import folded
from webrag_desktop.text.typed_filters import DATES, NAMES, FilterField, TypedFilter, typed_filters, written

MOST_SHOWN = 8
_FEWEST_LETTERS = 2  # of the name of a filter


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A line: ``completed`` is what is typed with it, ``search`` is asked at once; with neither it only tells."""

    words: str
    detail: str = ""
    icon: str = ""
    completed: str | None = None
    search: PastSearch | None = None

    @property
    def can_be_chosen(self) -> bool:
        """Whether it is more than a sentence."""
        return self.completed is not None or self.search is not None


def suggestions_for(typed: str, choices: FilterChoices, past: Sequence[PastSearch]) -> tuple[Suggestion, ...]:
    """What may complete the words before the cursor; ``past`` is newest first."""
    filters = typed_filters(typed)
    if filters and filters[-1].is_open:
        return tuple(_values(typed, filters[-1], choices))
    return (*_names(typed), *_past(typed, past))[:MOST_SHOWN]


def _values(typed: str, filter_: TypedFilter, choices: FilterChoices) -> Iterator[Suggestion]:
    if filter_.field in DATES:
        yield Suggestion(
            _tr("A year, a month or a day: 2019, 2019-05 or 2019-05-31"), icon=FIELD_ICONS["published"]
        )
        return
    field: ListField = filter_.field  # type: ignore[assignment]
    if field == "sections":
        return
    before, wanted = filter_.values[:-1], folded((filter_.values or ("",))[-1])
    matching = [
        one for one in choices.of(field) if wanted in folded(f"{one.value}\n{value_word(field, one.value)}")
    ]
    matching.sort(key=lambda one: not _begins(field, one, wanted))  # else by how many documents have it
    for one in matching[:MOST_SHOWN]:
        value = ",".join((*before, _typed_value(field, one.value)))
        yield Suggestion(
            value_word(field, one.value),
            number(one.documents) if one.documents is not None else "",
            value_icon(field, one.value),
            f"{typed[: filter_.start]}{written(filter_.name, value) if not before else f'{filter_.name}:{value}'} ",
        )
    if not matching:
        yield Suggestion(unknown_words(field, wanted), icon="info")


def _begins(field: ListField, choice: Choice, wanted: str) -> bool:
    return any(folded(text).startswith(wanted) for text in (choice.value, value_word(field, choice.value)))


def _typed_value(field: ListField, value: str) -> str:
    return value.removeprefix("has_").replace("_", "-") if field == "content_flags" else value


def _names(typed: str) -> Iterator[Suggestion]:
    """Names of filters that the last word begins."""
    word = typed.rpartition(" ")[2]
    for name, field in NAMES.items():
        if len(word) >= _FEWEST_LETTERS and name.startswith(word.casefold()):
            yield Suggestion(
                f"{name}:", name_word(field), FIELD_ICONS[_of(field)], f"{typed[: -len(word)]}{name}:"
            )


def _of(field: FilterField) -> ListField:
    return "published" if field in DATES else field  # type: ignore[return-value]


def name_word(field: FilterField) -> str:
    """What a filter that can be typed restricts to."""
    ends = {
        "published_from": _tr("Published on this day or later"),
        "published_to": _tr("Published before this day"),
    }
    return ends.get(field) or field_word(_of(field))


def _past(typed: str, past: Sequence[PastSearch]) -> Iterator[Suggestion]:
    """Questions that begin with these words, then those with them elsewhere; all of them for no words."""
    wanted = " ".join(typed.split()).casefold()
    found = [one for one in past if wanted in one.question.casefold() and wanted != one.question.casefold()]
    found.sort(key=lambda one: not one.question.casefold().startswith(wanted))
    for one in found:
        yield Suggestion(one.question, filter_words(one.filters), "history", search=one)


def filter_words(filters: ChosenFilters) -> str:
    """Filters in one line."""
    return ", ".join(f"{field_word(one)}: {chip_words(filters, one)[0]}" for one in filters.fields)


def unknown_words(field: FilterField, value: str) -> str:
    """That the library has no such value."""
    words: dict[FilterField, str] = {
        "sites": _tr("No document is from the site “{0}”."),
        "collections": _tr("There is no collection “{0}”."),
        "tags": _tr("No document has the tag “{0}”."),
        "authors": _tr("No document is by “{0}”."),
        "doc_types": _tr("No document is of the type “{0}”."),
        "languages": _tr("No document is in the language “{0}”."),
        "content_flags": _tr("Passages cannot be filtered by “{0}”."),
        "published_from": _tr("“{0}” is no date that can begin the period."),
        "published_to": _tr("“{0}” is no date that can end the period."),
    }
    return words[field].format(value)


class SuggestionsModel(QAbstractListModel):
    """Holds what is suggested now."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.shown: tuple[Suggestion, ...] = ()

    def show(self, suggestions: tuple[Suggestion, ...]) -> None:
        """Hold others."""
        self.beginResetModel()
        self.shown = suggestions
        self.endResetModel()

    def rowCount(self, parent: AnyIndex | None = None) -> int:
        """How many there are."""
        return 0 if parent is not None and parent.isValid() else len(self.shown)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """A sentence cannot be chosen."""
        if not index.isValid() or not self.shown[index.row()].can_be_chosen:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A suggestion's words, and how it is read out."""
        one = self.shown[index.row()]
        if role == Qt.ItemDataRole.UserRole:
            return one
        if role == Qt.ItemDataRole.DisplayRole:
            return one.words
        return (
            ", ".join(filter(None, (one.words, one.detail)))
            if role == Qt.ItemDataRole.AccessibleTextRole
            else None
        )


_INSET, _ICON, _CARD, _MOST_DETAIL = 12, 16, 4, 0.5


class SuggestionDelegate(RowDelegate):
    """Lines with an icon, words, and what they stand for at the far side."""

    def buttons(self, _index: AnyIndex) -> tuple[PlacedButton, ...]:
        """None."""
        return ()

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        """One line."""
        return QSize(100, grown(TREE_ROW) + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint a line."""
        one: Suggestion = index.data(Qt.ItemDataRole.UserRole)
        painter.save()
        row = QRectF(option.rect)
        chosen = index == self._view.currentIndex()
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver) and one.can_be_chosen
        self.paint_card(painter, row.adjusted(_CARD, 1, -_CARD, -1), selected=chosen, hovered=hovered)
        side, small = grown(_ICON), font("small", figures=True)
        if one.icon:
            paint_icon(
                painter, one.icon, self.mirror.left(_INSET, side), row.center().y() - side / 2, side, "text3"
            )
        left, right = _INSET + side + SPACE_S, row.width() - _INSET
        if one.detail:
            wide = min(text_width(one.detail, small) + 2, (right - left) * _MOST_DETAIL)
            detail = QRectF(right - wide, row.top(), wide, row.height())
            paint_line(
                painter, self.mirror.rect(detail), one.detail, small, "text2" if chosen else "text3", RIGHT
            )
            right -= wide + SPACE_S
        words = QRectF(left, row.top(), right - left, row.height())
        ink = "text" if one.can_be_chosen else "text2"
        paint_line(painter, self.mirror.rect(words), one.words, font("body"), ink)  # type: ignore[arg-type]
        painter.restore()


_CHOOSING: Final = frozenset((Qt.Key.Key_Return, Qt.Key.Key_Enter))


class SuggestionList(QFrame):
    """Opens under a field that keeps the keyboard: Down and Up walk, Enter and Tab take, Esc closes."""

    value_chosen = Signal(str)  # what is typed with it
    question_chosen = Signal(object)  # PastSearch

    def __init__(self, field: QWidget) -> None:
        """Suggest for ``field``, which passes its keys on."""
        super().__init__(field)
        self._field = field
        self._model = SuggestionsModel(self)
        self.list = QListView()
        self.list.setModel(self._model)
        self.list.setItemDelegate(SuggestionDelegate(self.list))
        set_up_rows(self.list, "raised")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName(self.tr("Suggestions"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(self._take)
        column(self, (1, SPACE_XS, 1, SPACE_XS)).addWidget(self.list)
        self.hide()

    @property
    def shown(self) -> tuple[Suggestion, ...]:
        """What is suggested; nothing while it is closed."""
        return self._model.shown if self.isVisible() else ()

    def show_suggestions(self, suggestions: tuple[Suggestion, ...]) -> None:
        """Suggest these, none of them chosen; close where there are none."""
        self._model.show(suggestions)
        if not suggestions:
            self.hide()
            return
        window = self._field.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        height = sum(self.list.sizeHintForRow(row) for row in range(len(suggestions))) + 2 * SPACE_XS
        place = self._field.mapTo(window, QPoint(0, self._field.height() + SPACE_XS))
        self.setGeometry(place.x(), place.y(), self._field.width(), height)
        was_open = self.isVisible()
        self.show()
        self.raise_()
        if not was_open:
            self._announce(self.tr("{0} suggestions. Down chooses.").format(len(suggestions)))

    def keeps(self, event: QEvent) -> bool:
        """Whether a key is to come here though it is a shortcut of the window."""
        is_key = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        return is_key and self.isVisible() and event.key() == Qt.Key.Key_Escape  # type: ignore[attr-defined]

    def take_key(self, event: QKeyEvent) -> bool:
        """Do what a key does here; False where it does nothing."""
        if not self.isVisible():
            return False
        current, key = self.list.currentIndex(), event.key()
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key == Qt.Key.Key_Escape:
            self.close()
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up) and plain:
            self._walk(1 if key == Qt.Key.Key_Down else -1)
        elif key in _CHOOSING and plain and current.isValid():
            self._take(current)
        elif key == Qt.Key.Key_Tab and plain and (current.isValid() or self._completes()):
            self._take(current if current.isValid() else self._model.index(0))
        else:
            return False
        return True

    def _completes(self) -> bool:
        """Whether the first line completes a filter, which Tab takes as in a shell."""
        first = self._model.shown[0]
        return first.completed is not None and first.completed.endswith(" ")

    def _walk(self, step: int) -> None:
        """To the next line that can be chosen; above the first is none."""
        at = self.list.currentIndex().row() + step
        while 0 <= at < len(self._model.shown) and not self._model.shown[at].can_be_chosen:
            at += step
        if at < len(self._model.shown):
            index = self._model.index(at) if at >= 0 else QModelIndex()
            self.list.setCurrentIndex(index)
            if index.isValid():
                self._announce(str(index.data(Qt.ItemDataRole.AccessibleTextRole)))

    def _take(self, index: QModelIndex) -> None:
        one: Suggestion = index.data(Qt.ItemDataRole.UserRole)
        if not one.can_be_chosen:
            return
        self.close()
        if one.search is not None:
            self.question_chosen.emit(one.search)
        else:
            self.value_chosen.emit(one.completed)

    def _announce(self, sentence: str) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        paint_box(QPainter(self), QRectF(self.rect()), RADIUS_ROW, colour("raised"), colour("line_strong"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Suggestions", text)
