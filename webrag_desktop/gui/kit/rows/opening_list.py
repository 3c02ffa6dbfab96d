"""Lists with commands on keys, and among them those whose current row is open and shows everything."""

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QListView, QMenu, QWidget

from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex, RowDelegate, drops_layouts
from webrag_desktop.gui.kit.rows.row_views import set_up_rows
from webrag_desktop.gui.kit.rows.scrolling import lay_out_around
from webrag_desktop.gui.kit.shortcuts import is_kept, run_key
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.gui.kit.widgets.popup_menus import open_for_row


class KeyedList(QListView):
    """A list with commands on keys and in the menu of its current row; subclasses define ``keys``, :meth:`run`."""

    keys: ClassVar[Mapping[str, str]] = {}  # portable key sequences and the commands they run

    def __init__(self, parent: QWidget | None = None, surface: Role = "surface") -> None:
        super().__init__(parent)
        set_up_rows(self, surface)

    def run(self, command: str) -> None:
        """Run the command of a key, a menu entry or a button on the current row. Subclasses define it."""
        raise NotImplementedError

    def menu(self) -> QMenu | None:
        """The menu of the current row; None where it has none."""
        return None

    def step(self, by: int) -> None:
        """Go to the row that is so many further, if there is one."""
        index = self.model().index(self.currentIndex().row() + by, 0)
        if index.isValid():
            self.setCurrentIndex(index)

    def event(self, event: QEvent) -> bool:
        """Keep the list's keys from the window's shortcuts while the list has the keyboard."""
        return is_kept(event, self.keys) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run a command or move; leave other letters to the window."""
        if not run_key(event, self.keys, self.run):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu of the current row."""
        menu = self.menu()
        if menu is not None:
            open_for_row(menu, self, event)

    def keyboardSearch(self, search: str) -> None:
        """Letters are commands here."""


class OpeningList(KeyedList):
    """The current row is open, so rows differ in height. Subclasses define how rows are drawn and what is in them.

    While ``quiet`` is set, ``chosen`` is not emitted.
    """

    chosen = Signal(QModelIndex)  # the current row is another one and stands open, or was clicked again
    double_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressing = self.quiet = False
        self.setResizeMode(QListView.ResizeMode.Adjust)

    @property
    def row_delegate(self) -> RowDelegate:
        """What draws the rows. Subclasses say."""
        raise NotImplementedError

    def show_rows(self, model: QAbstractListModel, delegate: RowDelegate) -> None:
        """Show what is in a model, as the delegate draws it."""
        self.setModel(model)
        self.setItemDelegate(delegate)

    # -- The current row ------------------------------------------------------------------------------------------

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        """Open the current row, but not before the mouse event that chose it is done with positions."""
        super().currentChanged(current, previous)
        if not self._pressing:
            self._settle()

    def _settle(self) -> None:
        current = self.currentIndex()
        if current == self.row_delegate.opened:
            return
        top = self.visualRect(current).top()
        self.row_delegate.opened = QPersistentModelIndex(current)
        lay_out_around(self, current, top, current)
        self.emit_chosen(current)

    def emit_chosen(self, index: QModelIndex) -> None:
        """Emit that a row was chosen, unless the program chose it."""
        if index.isValid() and not self.quiet:
            self.chosen.emit(index)

    # -- Keyboard and mouse ---------------------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Taking the keyboard focus selects, without a signal."""
        self.quiet = True
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.model().index(0, 0))
        self.quiet = False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the row; a click on the selected one emits again."""
        index = self.indexAt(event.position().toPoint())
        again = index == self.row_delegate.opened and self._is_plain(event, index)
        self._pressing = True
        super().mousePressEvent(event)
        self._pressing = False
        self._settle()
        if again:
            self.emit_chosen(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The first click has selected the row; the second asks for more."""
        if self._is_plain(event, self.indexAt(event.position().toPoint())):
            self.double_clicked.emit()

    def _is_plain(self, event: QMouseEvent, index: QModelIndex) -> bool:
        """Whether the left button was pressed on a row, beside its buttons."""
        on_row = index.isValid() and event.button() == Qt.MouseButton.LeftButton
        return on_row and self.row_delegate.button_at(index, event.position()) is None

    def viewportEvent(self, event: QEvent) -> bool:
        """Forget the hovered button when the pointer leaves."""
        if event.type() == QEvent.Type.Leave:
            self.row_delegate.leave()
        return super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Lay out again in another theme or font."""
        super().changeEvent(event)
        if drops_layouts(event):
            self.row_delegate.forget()
            self.scheduleDelayedItemsLayout()
