"""The chips that say what a search is restricted to, in the line above the results."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from webrag_desktop.gui.data.filters import FIELDS, NO_FILTERS, ChosenFilters, Field
from webrag_desktop.gui.kit.theme.tokens import SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.chip import Chip
from webrag_desktop.gui.kit.widgets.flow_layout import FlowLayout
from webrag_desktop.gui.research import filter_words as words


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

    def show_filters(self, chosen: ChosenFilters) -> None:
        """Show what holds; the keyboard stays near a chip that goes."""
        self._chosen = chosen
        for field in [one for one in self.chips if one not in chosen.fields]:
            self._drop(field)
        for at, field in enumerate(chosen.fields):
            if field not in self.chips:
                self._add(at, field)
            short, whole = words.chip_words(chosen, field)
            self.chips[field].show_words(
                words.field_word(field), short, whole, self.tr("A filter. Press Delete to remove it.")
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
        chips = [self.chips[field] for field in FIELDS if field in self.chips]
        return [*chips, self.add_button, self.clear_button]

    def _drop(self, field: Field) -> None:
        order = self._in_order()
        chip = self.chips[field]
        if QApplication.focusWidget() is chip:
            order[order.index(chip) + 1].setFocus(Qt.FocusReason.TabFocusReason)
        del self.chips[field]
        self._flow.removeWidget(chip)
        chip.hide()
        chip.deleteLater()

    def _clear(self) -> None:
        self.add_button.setFocus(Qt.FocusReason.TabFocusReason)
        self._take(NO_FILTERS)

    def _take(self, chosen: ChosenFilters) -> None:
        self.show_filters(chosen)
        self.changed.emit(chosen)
