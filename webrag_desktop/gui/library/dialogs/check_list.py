"""A list of values with check boxes and a search field, and the dialog of tags and collections made of two of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from webrag_desktop.gui.data.library import DocumentLabels, LabelChange, LabelNames, LabelUse
from webrag_desktop.gui.kit.quantities import documents, number
from webrag_desktop.gui.kit.shortcuts import install
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_S, SPACE_XL, SPACE_XS
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.choices import CheckRow
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.panes import Panel, button_row, column, row, scroll_area

MOST_SHOWN = 60
_FINDABLE = 9  # fewer are seen at one glance
_INSET = 8
_YES, _NO, _SOME = Qt.CheckState.Checked, Qt.CheckState.Unchecked, Qt.CheckState.PartiallyChecked


@dataclass(frozen=True, slots=True)
class Line:
    """A value as it is shown; ``detail`` is at the far edge."""

    value: str
    name: str
    icon: str
    detail: str = ""


class CheckList(QWidget):
    """Values that are chosen at first come first; lines do not move while the user chooses."""

    changed = Signal()  # by the user

    def __init__(
        self, name: str, hint: str, nothing: str, adds: str = "", parent: QWidget | None = None
    ) -> None:
        """Values that are typed and not there are added, with the icon ``adds``, if there is one."""
        super().__init__(parent)
        self._adds = adds
        self._lines: dict[str, Line] = {}
        self._states: dict[str, Qt.CheckState] = {}
        self.setAccessibleName(name)
        self.field = QLineEdit()
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self._nothing = Label(nothing, "body", "text3", wrap=True)
        self._nothing.setContentsMargins(_INSET, SPACE_S, _INSET, 0)
        self._more = Label("", "small", "text3", wrap=True)
        self._more.setContentsMargins(_INSET, SPACE_XS, _INSET, SPACE_XS)
        self._inner = Panel("raised")
        self._rows = column()
        inside = column(self._inner)
        inside.addLayout(self._rows)
        for label in (self._nothing, self._more):
            inside.addWidget(label)
        inside.addStretch(1)
        self._area = scroll_area(self._inner)
        lines = column(self, spacing=SPACE_S)
        lines.addWidget(self.field)
        lines.addWidget(self._area, 1)
        self.field.textChanged.connect(self._build)
        self.field.returnPressed.connect(self._enter)

    def show_lines(self, lines: Iterable[Line], states: Mapping[str, Qt.CheckState]) -> None:
        """Show these values; those that ``states`` leaves out are not chosen."""
        self._lines = {line.value: line for line in lines}
        self._states = {value: states.get(value, _NO) for value in self._lines}
        self.field.clear()
        self.field.setVisible(bool(self._adds) or len(self._lines) >= _FINDABLE)
        self._build()

    @property
    def states(self) -> dict[str, Qt.CheckState]:
        """What is chosen, and what is not."""
        return dict(self._states)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The values that are chosen."""
        return tuple(value for value, state in self._states.items() if state == _YES)

    def rows(self) -> list[CheckRow]:
        """The lines in sight, in order."""
        items = (self._rows.itemAt(at) for at in range(self._rows.count()))
        found = [item.widget() for item in items if item is not None]
        return [row for row in found if isinstance(row, CheckRow)]

    def focus_first(self) -> None:
        """Put the keyboard where choosing begins."""
        rows = self.rows()
        first: QWidget = self.field if not self.field.isHidden() or not rows else rows[0]
        first.setFocus(Qt.FocusReason.TabFocusReason)

    def _build(self) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        found = self._found()
        before: QWidget = self.field
        for line in found[:MOST_SHOWN]:
            row = self._row(line)
            self._rows.addWidget(row)
            row.show()  # at once: a layout does so a turn later, and until then it takes no keyboard
            self.setTabOrder(before, row)
            before = row
        self._nothing.setVisible(not found and not self.field.text())
        self._more.setText(self._more_words(len(found)))
        self._more.setVisible(bool(self._more.text()))
        self._area.verticalScrollBar().setValue(0)

    def _found(self) -> list[Line]:
        wanted = self.field.text().strip().casefold()
        found = [line for line in self._lines.values() if wanted in line.name.casefold()]
        return sorted(found, key=lambda line: self._states[line.value] == _NO)

    def _more_words(self, count: int) -> str:
        if count > MOST_SHOWN:
            return self.tr("{0} more. Type to find them.").format(number(count - MOST_SHOWN))
        if count or not self.field.text().strip():
            return ""
        return self.tr("Press Enter to add it.") if self._adds else self.tr("There is none of that name.")

    def _row(self, line: Line) -> CheckRow:
        made = CheckRow(line.icon, line.name, line.detail)
        made.setCheckState(self._states[line.value])
        made.checkStateChanged.connect(lambda state: self._choose(line.value, state))
        return made

    def _choose(self, value: str, state: Qt.CheckState) -> None:
        self._states[value] = state
        self.changed.emit()

    def _enter(self) -> None:
        """Choose what is found, or add what was typed."""
        text = " ".join(self.field.text().split())
        found = self._found()
        same = [line for line in found if line.name.casefold() == text.casefold()]
        if not text or not (same or found or self._adds):
            return
        if self._adds and not same:
            same = [Line(text, text, self._adds)]
            self._lines |= {text: same[0]}
        value = (same or found)[0].value
        self._states[value] = _YES
        self.field.clear()
        self._build()
        self.changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """From the line that finds down to what it found."""
        rows = self.rows()
        if event.key() == Qt.Key.Key_Down and self.field.hasFocus() and rows:
            rows[0].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            super().keyPressEvent(event)


_SIZE = (560, 460)


class LabelDialog(QDialog):
    """A label that only some of the documents have shows a bar; it stays as it is unless it is clicked."""

    change_requested = Signal(object)  # LabelChange

    def __init__(self, labels: DocumentLabels, parent: QWidget | None = None) -> None:
        """Show what the documents have."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Tags and collections"))
        self._ids = labels.ids
        self.tags = CheckList(self.tr("Tags"), self.tr("Find or add a tag"), self.tr("No tag yet."), "tag")
        self.collections = CheckList(
            self.tr("Collections"),
            self.tr("Find or add a collection"),
            self.tr("No collection yet."),
            "folder",
        )
        self._before = [
            self._show(page, uses, icon)
            for page, uses, icon in (
                (self.tags, labels.tags, "tag"),
                (self.collections, labels.collections, "folder"),
            )
        ]
        self.cancel_button = push_button(self.tr("Cancel"))
        self.cancel_button.clicked.connect(self.reject)
        self.save_button = push_button(self.tr("Save"), "primary")
        self.save_button.clicked.connect(self._save)
        install(self, "dialog", "accept", self._save)
        for page in (self.tags, self.collections):
            page.changed.connect(self._show_change)
        self._lay_out(labels.title or documents(len(labels.ids)))
        self._show_change()
        self.tags.focus_first()

    def _show(self, page: CheckList, uses: Iterable[LabelUse], icon: str) -> dict[str, Qt.CheckState]:
        lines = [Line(use.name, use.name, icon, number(use.documents)) for use in uses]
        states = {use.name: self._state(use) for use in uses}
        page.show_lines(lines, states)
        return states

    def _state(self, use: LabelUse) -> Qt.CheckState:
        if not use.chosen:
            return _NO
        return _YES if use.chosen == len(self._ids) else _SOME

    def _lay_out(self, whose: str) -> None:
        ground = Panel("raised")
        lines = column(ground, (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L), SPACE_S)
        lines.addWidget(Label(self.tr("Tags and collections"), "title", "text", SEMIBOLD))
        lines.addWidget(ElidedLabel(whose, "body", "text2"))
        beside = row(spacing=SPACE_L)
        for name, page in ((self.tr("Tags"), self.tags), (self.tr("Collections"), self.collections)):
            part = column(spacing=SPACE_S)
            part.addWidget(Label(name, "small", "text3", SEMIBOLD))
            part.addWidget(page, 1)
            beside.addLayout(part, 1)
        lines.addSpacing(SPACE_S)
        lines.addLayout(beside, 1)
        lines.addLayout(button_row(self.cancel_button, self.save_button))
        column(self).addWidget(ground)
        self.resize(grown(_SIZE[0]), grown(_SIZE[1]))

    def _names(self, state: Qt.CheckState) -> LabelNames:
        """What is in that state now, and was not before."""
        tags, collections = (
            tuple(name for name, now in page.states.items() if now == state != before.get(name, _NO))
            for page, before in zip((self.tags, self.collections), self._before, strict=True)
        )
        return LabelNames(tags, collections)

    @property
    def change(self) -> LabelChange:
        """What is to be done."""
        return LabelChange(self._ids, self._names(_YES), self._names(_NO))

    def _show_change(self) -> None:
        self.save_button.setEnabled(bool(self.change))

    def _save(self) -> None:
        change = self.change
        self.accept()
        if change:
            self.change_requested.emit(change)
