"""A list whose current row stands open: it shows everything, so rows differ in height."""

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFocusEvent, QMouseEvent
from PySide6.QtWidgets import QListView, QWidget

from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex, RowDelegate, drops_layouts
from webrag_desktop.gui.kit.rows.row_views import set_up_rows
from webrag_desktop.gui.kit.rows.scrolling import lay_out_around


class OpeningList(QListView):
    """Subclasses say how rows are drawn, and what is in them. ``quiet`` keeps ``chosen`` from being told."""

    chosen = Signal(QModelIndex)  # the current row is another one and stands open, or was clicked again
    double_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressing = self.quiet = False
        set_up_rows(self)
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
        self.tell(current)

    def tell(self, index: QModelIndex) -> None:
        """Say that a row was chosen, unless it was the program that chose it."""
        if index.isValid() and not self.quiet:
            self.chosen.emit(index)

    # -- Keyboard and mouse ---------------------------------------------------------------------------------------

    def keyboardSearch(self, search: str) -> None:
        """Letters are commands here."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Taking the keyboard selects, but tells nobody."""
        self.quiet = True
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.model().index(0, 0))
        self.quiet = False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the row; a click on the selected one tells again."""
        index = self.indexAt(event.position().toPoint())
        again = index == self.row_delegate.opened and self._is_plain(event, index)
        self._pressing = True
        super().mousePressEvent(event)
        self._pressing = False
        self._settle()
        if again:
            self.tell(index)

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
