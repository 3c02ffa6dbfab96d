"""How the user arranges the list of documents: filter, groups and columns; and what is new above the rows in sight."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QActionGroup, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QTableView, QWidget

from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.kit.quantities import number
from webrag_desktop.gui.kit.shortcuts import with_key
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.kit.theme.tokens import SPACE_S
from webrag_desktop.gui.kit.widgets.buttons import name_within
from webrag_desktop.gui.library.document_columns import Column, column_name
from webrag_desktop.gui.library.document_header import DocumentHeader
from webrag_desktop.gui.library.documents_model import DocumentsModel
from webrag_desktop.models.sources import Grouping

_FIELD_WIDTH, _FIELD_LEAST = 220, 110


class FilterField(QLineEdit):
    """Narrows the list as one types. Down and Enter lead into the list, Esc shows all again."""

    left_downwards = Signal()
    entered = Signal()  # by the keyboard or the mouse

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(_tr("Filter"))
        self.setAccessibleName(_tr("Filter by title, site or tag"))
        self.setToolTip(plain_tooltip(with_key(_tr("Filter by title, site or tag"), "library", "filter")))
        self.setClearButtonEnabled(True)
        name_within(self, _tr("Show all again"))
        self.addAction(icon("search", "text3"), QLineEdit.ActionPosition.LeadingPosition)
        name_within(self, _tr("Filter"))
        self.setMinimumWidth(grown(_FIELD_LEAST))
        self.setMaximumWidth(grown(_FIELD_WIDTH))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say that somebody is about to type."""
        super().focusInEvent(event)
        self.entered.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the field, or empty it."""
        if event.key() in {Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.left_downwards.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Esc empties the field before it leads anywhere else."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self.text()
        ):
            event.accept()
            return True
        return super().event(event)


def arrangement_menu(
    view: QTableView, columns: DocumentHeader, listing: Listing, choose: Callable[[Listing], None]
) -> QMenu:
    """By what the documents of a list are grouped, and which columns it has; ``choose`` is given another grouping."""
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addSection(_tr("Group by"))
    names: dict[Grouping | None, str] = {
        None: _tr("No groups"),
        "site": _tr("Site"),
        "kind": _tr("Type"),
        "state": _tr("State"),
        "added": _tr("Date added"),
        "collection": _tr("Collection"),
    }
    groupings = QActionGroup(menu)
    for grouping, name in names.items():
        action = menu.addAction(name)
        action.setCheckable(True)
        action.setChecked(listing.grouping == grouping)
        groupings.addAction(action)
        other = replace(listing, grouping=grouping)
        action.triggered.connect(lambda _=False, other=other: choose(other))
    menu.addSection(_tr("Columns"))
    for column in Column:
        if column == Column.TITLE:
            continue
        action = menu.addAction(column_name(column))
        action.setCheckable(True)
        action.setChecked(column in columns.shown)
        action.triggered.connect(lambda on, column=column: columns.show_column(column, on))
    menu.addSeparator()
    menu.addAction(_tr("Columns as at first")).triggered.connect(lambda: columns.restore(b""))
    return menu


class NewAbove(QPushButton):
    """Says over the top of the list how many new documents are above what is in sight; a click scrolls there."""

    def __init__(self, view: QTableView, model: DocumentsModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self._unseen: set[int] = set()
        self.setProperty("kind", "primary")
        self.setIcon(icon("arrow-up", "on_accent"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoDefault(False)
        self.clicked.connect(self._show)
        view.verticalScrollBar().valueChanged.connect(self._count)
        self.hide()

    def known(self) -> AbstractSet[int]:
        """What is above the rows in sight, and the first of them."""
        return frozenset(self._model.keys_at(range(max(self._view.rowAt(0), 0) + 1)))

    def note(self, before: AbstractSet[int] | None) -> None:
        """Mention what is new above; ``before`` was known there, None where another list is shown."""
        if before is None:
            self._unseen.clear()
        else:
            above = self._model.keys_at(range(max(self._view.rowAt(0), 0)))
            self._unseen |= {key for key in above if key >= 0 and key not in before}
        self._count()

    def _count(self) -> None:
        top = max(self._view.rowAt(0), 0)
        self._unseen = {
            key for key in self._unseen if (at := self._model.row_of(key)) is not None and at < top
        }
        count = len(self._unseen)
        if count:
            text = _tr("1 new above") if count == 1 else _tr("{0} new above").format(number(count))
            self.setText(text)
            self.setAccessibleName(text)
        self.setVisible(count > 0)
        self.place()

    def _show(self) -> None:
        """Scroll to the highest of what is new; nothing else moves."""
        places = [at for key in self._unseen if (at := self._model.row_of(key)) is not None]
        if places:
            first = self._model.index(min(places), 0)
            self._view.scrollTo(first, QTableView.ScrollHint.PositionAtTop)
        self._count()

    def place(self) -> None:
        """Lie over the middle of the first row in sight."""
        self.adjustSize()
        area = self._view.viewport().geometry()
        self.move(area.left() + (area.width() - self.width()) // 2, area.top() + SPACE_S)
        self.raise_()


# -- The keys of groups -------------------------------------------------------------------------------------------

TOGGLES: Final = frozenset((Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter))
_MIRRORED: Final = {Qt.Key.Key_Left: Qt.Key.Key_Right, Qt.Key.Key_Right: Qt.Key.Key_Left}


class GroupStep(NamedTuple):
    """What a key does: open or close the group that a row heads, or go to that row."""

    row: int
    is_open: bool | None


def group_step(view: QTableView, model: DocumentsModel, event: QKeyEvent) -> GroupStep | None:
    """Left closes a group and Right opens it, Space and Enter turn it; from a document Left goes to its head."""
    at, key = view.currentIndex().row(), Qt.Key(event.key())
    modified = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    if at < 0 or not model.is_grouped or modified:
        return None
    if view.isRightToLeft():
        key = _MIRRORED.get(key, key)
    head = model.group_at(at)
    if head is not None and key in TOGGLES:
        return GroupStep(at, not head.is_open)
    if head is not None and key in _MIRRORED:
        return GroupStep(at, key == Qt.Key.Key_Right)
    above = model.head_of(at) if head is None and key == Qt.Key.Key_Left else None
    return GroupStep(above, None) if above is not None else None


def _tr(text: str) -> str:
    return QCoreApplication.translate("Arranging", text)
