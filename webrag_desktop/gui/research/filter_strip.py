"""Filters: what fields and values are called, and the chips in the line above the results."""

from typing import Final, cast

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters, Field, FilterCosts, ListField, Period
from webrag_desktop.gui.data.library import KIND_ICONS, kind_word
from webrag_desktop.gui.data.view_data import DocumentKind
from webrag_desktop.gui.kit.quantities import language_word, number, passages
from webrag_desktop.gui.kit.shortcuts import key_cap, key_of
from webrag_desktop.gui.kit.theme.tokens import SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.choices import Chip
from webrag_desktop.gui.kit.widgets.panes import FlowLayout


class FilterStrip(QWidget):
    """A chip for each field, a button that adds one, and a link that clears them; they wrap in narrow windows."""

    changed = Signal(object)  # ChosenFilters
    choosing_requested = Signal(object, object)  # the control to open under, and the Field or None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chosen = NO_FILTERS
        self.chips: dict[Field, Chip] = {}
        self.add_button = push_button(self.tr("Add filter"), "bare", "plus")
        self.add_button.clicked.connect(lambda: self.choosing_requested.emit(self.add_button, None))
        self.clear_button = push_button(self.tr("Clear"), "link")
        self.clear_button.setAccessibleName(self.tr("Clear all filters"))
        self.clear_button.clicked.connect(self._clear)
        self._flow = FlowLayout(self, SPACE_S, SPACE_XS)
        self._flow.addWidget(self.add_button)
        self._flow.addWidget(self.clear_button)
        self.setAccessibleName(self.tr("Filters"))
        self.clear_button.hide()

    @property
    def chosen(self) -> ChosenFilters:
        """What holds."""
        return self._chosen

    def show_filters(self, chosen: ChosenFilters) -> None:
        """Show what holds, in the order chosen; the keyboard stays near a chip that goes."""
        self._chosen = chosen
        for field in [one for one in self.chips if one not in chosen.fields]:
            self._drop(field)
        for at, field in enumerate(chosen.fields):
            if field not in self.chips:
                self._add(at, field)
            elif (item := self._flow.itemAt(at)) is not None and item.widget() is not self.chips[field]:
                self._flow.removeWidget(self.chips[field])
                self._flow.insert(at, self.chips[field])
            short, whole = chip_words(chosen, field)
            self.chips[field].show_words(
                field_word(field), short, whole, self.tr("A filter. Press Delete to remove it.")
            )
        self.clear_button.setVisible(len(chosen.fields) > 1)
        self.updateGeometry()

    def _add(self, at: int, field: Field) -> None:
        chip = Chip()
        chip.clicked.connect(lambda: self.choosing_requested.emit(chip, field))
        chip.removed.connect(lambda: self._take(self._chosen.without(field)))
        self.chips[field] = chip
        self._flow.insert(at, chip)
        chip.show()
        for one, other in zip(ordered := self._in_order(), ordered[1:], strict=False):
            QWidget.setTabOrder(one, other)

    def _in_order(self) -> list[QWidget]:
        chips = [self.chips[field] for field in self._chosen.fields if field in self.chips]
        return [*chips, self.add_button, self.clear_button]

    def _drop(self, field: Field) -> None:
        chip = self.chips.pop(field)
        if QApplication.focusWidget() is chip:
            beside = self._flow.indexOf(chip) + 1
            following = self._flow.itemAt(beside)
            after = following.widget() if following is not None else None
            (after or self.add_button).setFocus(Qt.FocusReason.TabFocusReason)
        self._flow.removeWidget(chip)
        chip.hide()
        chip.deleteLater()

    def _clear(self) -> None:
        self.add_button.setFocus(Qt.FocusReason.TabFocusReason)
        self._take(NO_FILTERS)

    def _take(self, chosen: ChosenFilters) -> None:
        self.show_filters(chosen)
        self.changed.emit(chosen)


FIELD_ICONS: Final[dict[Field, str]] = {
    "sites": "globe",
    "collections": "folder",
    "tags": "tag",
    "authors": "notebook-pen",
    "doc_types": "file",
    "languages": "message-square",
    "content_flags": "list-checks",
    "sections": "table-of-contents",
    "published": "calendar",
    "fetched": "download",
}


def field_word(field: Field) -> str:
    """What a field is called."""
    words: dict[Field, str] = {
        "sites": _tr("Site"),
        "collections": _tr("Collection"),
        "tags": _tr("Tag"),
        "authors": _tr("Author"),
        "doc_types": _tr("Type"),
        "languages": _tr("Language"),
        "content_flags": _tr("Contains"),
        "sections": _tr("Section"),
        "published": _tr("Published"),
        "fetched": _tr("Fetched"),
    }
    return words[field]


def find_words(field: ListField) -> str:
    """The placeholder of the search field above a field's values."""
    words: dict[ListField, str] = {
        "sites": _tr("Find a site"),
        "collections": _tr("Find a collection"),
        "tags": _tr("Find a tag"),
        "authors": _tr("Find an author"),
        "doc_types": _tr("Find a type"),
        "languages": _tr("Find a language"),
        "content_flags": _tr("Find"),
        "sections": _tr("A heading, then Enter"),
    }
    return words[field]


def nothing_words(field: ListField) -> str:
    """What it means that there is nothing to choose."""
    key = key_cap(key_of("documents", "label"))
    words: dict[ListField, str] = {
        "sites": _tr("No document is from a site yet."),
        "collections": _tr(
            "There is no collection yet. In the Library, select documents and press {0}."
        ).format(key),
        "tags": _tr("No document has a tag yet. In the Library, select documents and press {0}.").format(key),
        "authors": _tr("No document says who wrote it."),
        "doc_types": _tr("No document has been read yet."),
        "languages": _tr("No document states its language yet."),
        "content_flags": "",
        "sections": _tr("Passages under a heading of these words are searched."),
    }
    return words[field]


def value_word(field: Field, value: str) -> str:
    """A value as people call it."""
    if field == "doc_types":
        return kind_word(cast("DocumentKind", value))
    if field == "languages":
        return language_word(value)
    return _flag_word(value) if field == "content_flags" else value


def value_icon(field: ListField, value: str) -> str:
    """The icon of a value."""
    return KIND_ICONS[cast("DocumentKind", value)] if field == "doc_types" else FIELD_ICONS[field]


def _flag_word(flag: str) -> str:
    words = {
        "has_table": _tr("Tables"),
        "has_code": _tr("Code"),
        "has_math": _tr("Formulas"),
        "has_definition_list": _tr("Definitions"),
        "has_admonition": _tr("Notes and warnings"),
        "has_steps": _tr("Steps"),
    }
    return words[flag]


def chip_words(chosen: ChosenFilters, field: Field) -> tuple[str, str]:
    """What a chip says of a field: in short, as ``archive.org or 2 more``, and whole."""
    found = chosen.of(field)
    if isinstance(found, Period):
        said = _period_words(found)
        return said, said
    names = [value_word(field, value) for value in found]
    whole = names[0]
    for name in names[1:]:
        whole = _tr("{0} or {1}").format(whole, name)
    more = len(names) - 1
    return (_tr("{0} or {1} more").format(names[0], number(more)) if more > 1 else whole), whole


def _period_words(period: Period) -> str:
    if not period.last:
        return _tr("from {0}").format(period.first)
    if not period.first:
        return _tr("to {0}").format(period.last)
    return (
        period.first if period.first == period.last else _tr("{0} to {1}").format(period.first, period.last)
    )


def filters_on(count: int) -> str:
    """How many filters are on, as a sentence."""
    return _tr("One filter is on.") if count == 1 else _tr("{0} filters are on.").format(number(count))


def helping(costs: FilterCosts) -> tuple[tuple[Field, int], ...]:
    """The filters without which a question finds something, the one that costs most first."""
    return tuple(sorted((one for one in costs.without if one[1]), key=lambda one: -one[1]))


def cost_words(costs: FilterCosts) -> list[str]:
    """What each of these filters costs, as a sentence."""
    said = []
    for field, count in helping(costs):
        name = _tr("{0}: {1}").format(field_word(field), chip_words(costs.filters, field)[0])
        sentence = _tr("Without “{0}” there is {1}.") if count == 1 else _tr("Without “{0}” there are {1}.")
        said.append(sentence.format(name, passages(count)))
    return said


def _tr(text: str) -> str:
    return QCoreApplication.translate("Filters", text)
