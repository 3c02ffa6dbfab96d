"""Tags and collections of one document, or of several at once."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QWidget

from webrag_desktop.gui.data.labels import DocumentLabels, LabelChange, LabelNames, LabelUse
from webrag_desktop.gui.kit.quantities import documents, number
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_S, SPACE_XL
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.layouts import column, row
from webrag_desktop.gui.kit.widgets.panel import Panel
from webrag_desktop.gui.library.check_list import CheckList, Line

_SIZE = (560, 460)
_YES, _NO, _SOME = Qt.CheckState.Checked, Qt.CheckState.Unchecked, Qt.CheckState.PartiallyChecked


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
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, self._save)
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
        buttons = row(spacing=SPACE_S)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.save_button)
        lines.addLayout(buttons)
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
