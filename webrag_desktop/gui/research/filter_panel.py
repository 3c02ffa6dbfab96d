"""The card in which filters are chosen: fields at the leading side, the values of one of them beside."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QHideEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QWidget

from webrag_desktop.gui.data.filters import (
    FIELDS,
    LIST_FIELDS,
    NO_FILTERS,
    NO_PERIOD,
    PERIOD_FIELDS,
    Choice,
    ChosenFilters,
    Field,
    FilterChoices,
    ListField,
    Period,
    PeriodField,
    is_period,
)
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_M, SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import Panel, column, row
from webrag_desktop.gui.kit.widgets.popups import PopupCard
from webrag_desktop.gui.library.dialogs.check_list import CheckList, Line
from webrag_desktop.gui.library.entry_tree import EntryTree
from webrag_desktop.gui.library.sidebar_model import Entry, EntryKind, EntryRole
from webrag_desktop.gui.research import filter_strip as words


class PeriodPage(QWidget):
    """Two fields; an invalid period is reported and not used."""

    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """``name`` is what has these dates."""
        super().__init__(parent)
        self._shown = NO_PERIOD
        self.setAccessibleName(name)
        self.first, self.last = QLineEdit(), QLineEdit()
        self._wrong = Label("", "small", "bad", wrap=True)
        hint = self.tr("A year, a month or a day: 2019, 2019-05 or 2019-05-31. Both are included.")
        lines = column(self, spacing=SPACE_XS)
        for caption, field in ((self.tr("From"), self.first), (self.tr("To"), self.last)):
            label = Label(caption, "small", "text2", MEDIUM)
            label.setBuddy(field)
            field.setAccessibleName(f"{name}: {caption}")
            field.setAccessibleDescription(hint)
            field.setPlaceholderText(self.tr("any time"))
            field.editingFinished.connect(self._take)
            lines.addWidget(label)
            lines.addWidget(field)
            lines.addSpacing(SPACE_S)
        lines.addWidget(self._wrong)
        lines.addWidget(Label(hint, "small", "text3", wrap=True))
        lines.addStretch(1)
        self._wrong.hide()

    @property
    def period(self) -> Period:
        """What was written last that is a period."""
        return self._shown

    def show_period(self, period: Period) -> None:
        """Show dates."""
        self._shown = period
        self.first.setText(period.first)
        self.last.setText(period.last)
        self._wrong.hide()

    def focus_first(self) -> None:
        """Put the keyboard where writing begins."""
        self.first.setFocus()

    @property
    def is_right(self) -> bool:
        """Whether the present input is a period."""
        return is_period(self._written())

    def focus_wrong(self) -> None:
        """Put the keyboard where what is no period is mended, and say why it is none."""
        self._take()
        field = self.last if is_period(Period(first=self.first.text().strip())) else self.first
        field.setFocus()
        field.selectAll()

    def _written(self) -> Period:
        return Period(self.first.text().strip(), self.last.text().strip())

    def _take(self) -> None:
        written = self._written()
        right = is_period(written)
        self._wrong.setText("" if right else self._reason(written))
        self._wrong.setVisible(not right)
        if right and written != self._shown:
            self._shown = written
            self.changed.emit()

    def _reason(self, written: Period) -> str:
        for text in (written.first, written.last):
            if not is_period(Period(first=text)):
                return self.tr("“{0}” is no date.").format(text)
        return self.tr("This ends before it begins.")

    def hideEvent(self, event: QHideEvent) -> None:
        """What was written counts, also where the card is closed on it."""
        super().hideEvent(event)
        self._take()


_SIZE, _FIELDS_WIDTH = (472, 380), 164
_SPOKEN = Qt.ItemDataRole.AccessibleTextRole


class FilterPanel(PopupCard):
    """What is chosen holds at once; Esc, a click elsewhere or Done close the card, Done not on a wrong date."""

    changed = Signal(object)  # ChosenFilters

    def __init__(self, parent: QWidget) -> None:
        """Begin without filters, and without knowing what there is."""
        super().__init__(parent)
        self.setAccessibleName(self.tr("Filters"))
        self._chosen, self._choices = NO_FILTERS, FilterChoices()
        self._fresh: set[Field] = set()  # fields whose page shows what is known
        self._model = QStandardItemModel(self)
        self.fields = EntryTree(self._model, self)
        self.fields.setProperty("surface", "raised")
        self.fields.setAccessibleName(self.tr("What to filter by"))
        self.setFocusProxy(self.fields)
        self.lists: dict[ListField, CheckList] = {}
        self.periods: dict[PeriodField, PeriodPage] = {}
        self._pages = QStackedWidget()
        self.clear_button = push_button(self.tr("Clear all"), "link")
        self.done_button = push_button(self.tr("Done"))
        self._make_pages()
        self._lay_out()
        self._connect()
        self._refresh()
        self.fields.setCurrentIndex(self._model.index(0, 0))

    def _make_pages(self) -> None:
        for field in LIST_FIELDS:
            adds = words.FIELD_ICONS[field] if field == "sections" else ""
            page = CheckList(
                words.field_word(field), words.find_words(field), words.nothing_words(field), adds
            )
            page.changed.connect(lambda field=field, page=page: self._choose(field, page.chosen))
            self.lists[field] = page
            self._pages.addWidget(page)
        for dates in PERIOD_FIELDS:
            period = PeriodPage(words.field_word(dates))
            period.changed.connect(lambda field=dates, page=period: self._choose(field, page.period))
            self.periods[dates] = period
            self._pages.addWidget(period)
        for field_ in FIELDS:
            self._model.appendRow(QStandardItem(words.field_word(field_)))

    def _lay_out(self) -> None:
        line = Panel("line")
        line.setFixedWidth(1)
        self.fields.setFixedWidth(grown(_FIELDS_WIDTH))
        across = row(spacing=0)
        across.addWidget(self.fields)
        across.addWidget(line)
        beside = column(margins=(SPACE_M, SPACE_XS, SPACE_S, 0))
        beside.addWidget(self._pages)
        across.addLayout(beside, 1)
        below = Panel("line")
        below.setFixedHeight(1)
        foot = row(margins=(SPACE_M, SPACE_S, SPACE_S, SPACE_XS), spacing=SPACE_S)
        foot.addWidget(self.clear_button)
        foot.addStretch(1)
        foot.addWidget(self.done_button)
        whole = column(self, (SPACE_XS, SPACE_S, SPACE_XS, SPACE_XS))
        whole.addLayout(across, 1)
        whole.addWidget(below)
        whole.addLayout(foot)

    def _connect(self) -> None:
        self.fields.selectionModel().currentChanged.connect(self._show_page)
        self.fields.used.connect(self._enter)
        self.clear_button.clicked.connect(lambda: self._take(NO_FILTERS))
        self.done_button.clicked.connect(self._finish)

    # -- From outside -------------------------------------------------------------------------------------------

    def open_below(self, control: QWidget, field: Field | None = None) -> None:
        """Open under a control; with ``field`` its values are there to choose from."""
        self.setFixedSize(grown(_SIZE[0]), grown(_SIZE[1]))
        self._refresh()
        self.show_below(control)
        if field is not None:
            self.fields.setCurrentIndex(self._model.index(FIELDS.index(field), 0))

    def show_choices(self, choices: FilterChoices) -> None:
        """Know what there is to choose from."""
        if choices != self._choices:
            self._choices = choices
            self._refresh()

    def show_filters(self, chosen: ChosenFilters) -> None:
        """Show what holds."""
        if chosen != self._chosen:
            self._chosen = chosen
            self._refresh()

    # -- What is shown ------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Build the visible page again, the others when they are shown."""
        self._fresh.clear()
        self._make_fresh(FIELDS[max(self.fields.currentIndex().row(), 0)])
        self._show_counts()

    def _show_page(self, index: QModelIndex) -> None:
        self._make_fresh(FIELDS[index.row()])
        self._pages.setCurrentIndex(index.row())

    def _make_fresh(self, field: Field) -> None:
        if field in self._fresh:
            return
        self._fresh.add(field)
        for dates, period in self.periods.items():
            if dates == field:
                period.show_period(self._chosen.period(dates))
        for one, page in self.lists.items():
            if one == field:
                self._show_values(one, page)

    def _show_values(self, field: ListField, page: CheckList) -> None:
        chosen, known = self._chosen.values(field), self._choices.of(field)
        values = {one.value for one in known}
        gone = [Choice(value) for value in chosen if value not in values]
        lines = [self._line(field, one) for one in (*gone, *known)]
        page.show_lines(lines, dict.fromkeys(chosen, Qt.CheckState.Checked))

    @staticmethod
    def _line(field: ListField, choice: Choice) -> Line:
        detail = number(choice.documents) if choice.documents is not None else ""
        name = words.value_word(field, choice.value)
        return Line(choice.value, name, words.value_icon(field, choice.value), detail)

    def _show_counts(self) -> None:
        for at, field in enumerate(FIELDS):
            name, count = words.field_word(field), self._count(field)
            entry = Entry(EntryKind.GROUP, name, words.FIELD_ICONS[field], count or None)
            item = self._model.item(at)
            item.setData(entry, EntryRole)
            item.setData(self.tr("{0}, {1} chosen").format(name, count) if count else name, _SPOKEN)
        self.clear_button.setVisible(bool(self._chosen))

    def _count(self, field: Field) -> int:
        chosen = self._chosen.of(field)
        return int(bool(chosen)) if isinstance(chosen, Period) else len(chosen)

    # -- What is chosen -----------------------------------------------------------------------------------------

    def _choose(self, field: Field, value: object) -> None:
        self._chosen = self._chosen.having(field, value)  # type: ignore[arg-type]
        self._show_counts()
        self.changed.emit(self._chosen)

    def _take(self, chosen: ChosenFilters) -> None:
        self.show_filters(chosen)
        self.fields.setFocus(Qt.FocusReason.PopupFocusReason)
        self.changed.emit(chosen)

    def _finish(self) -> None:
        """Close, unless a date is wrong: then go where it is mended."""
        for field, period in self.periods.items():
            if field in self._fresh and not period.is_right:
                self.fields.setCurrentIndex(self._model.index(FIELDS.index(field), 0))
                period.focus_wrong()
                return
        self.close()

    def _enter(self, _index: QModelIndex) -> None:
        """From a field to its values."""
        page = self._pages.currentWidget()
        if isinstance(page, CheckList | PeriodPage):
            page.focus_first()
