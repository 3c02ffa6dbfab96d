"""Lists of painted rows: their setup, scrolling, tooltips and keys, and lists whose current row shows everything."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QMenu, QToolTip, QWidget

from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex, RowDelegate, drops_layouts
from webrag_desktop.gui.kit.shortcuts import is_kept, run_key
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.gui.kit.widgets.popups import open_for_row


class QuietTooltips(QObject):
    """Watches a view: from a key on no tooltip is shown there, until the pointer itself moves."""

    def __init__(self, view: QAbstractItemView) -> None:
        """Watch ``view``, which owns this."""
        super().__init__(view)
        self._view = view
        self._pointer: QPointF | None = None
        self.is_quiet = False
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow keys and pointer; ignore requests for a tooltip."""
        kind = event.type()
        if kind == QEvent.Type.KeyPress and watched is self._view:
            self.is_quiet = True
            QToolTip.hideText()
        elif kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            # Rows that come under a pointer that does not move cause such an event, too.
            self.is_quiet = self.is_quiet and event.globalPosition() == self._pointer
            self._pointer = event.globalPosition()
        elif kind == QEvent.Type.ToolTip:
            return self.is_quiet
        return False


def set_up_rows(view: QAbstractItemView, surface: Role = "surface") -> QuietTooltips:
    """Make a view of painted rows: no frame, scrolled by pixels, hovered, never edited, quiet while keys move."""
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setProperty("surface", surface)
    view.setMouseTracking(True)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    return QuietTooltips(view)


def visible_buttons(view: QAbstractItemView) -> Iterator[QRect]:
    """Where the buttons of the rows in sight are, in the viewport; none in a view without painted rows."""
    delegate, height = view.itemDelegate(), view.viewport().height()
    if not isinstance(delegate, RowDelegate):
        return
    y, middle = 0, view.viewport().width() // 2
    while y < height:
        index = view.indexAt(QPoint(middle, y))
        if not index.isValid():
            return
        for placed in delegate.buttons(index):
            rect = delegate.button_rect(index, placed.button.command)
            if rect is not None:
                yield rect.toAlignedRect()
        y = max(view.visualRect(index).bottom(), y) + 1


def lay_out_around(view: QAbstractItemView, index: QModelIndex, top: int, first: QModelIndex) -> None:
    """Lay the rows out again so that ``index`` begins at ``top`` as before, then show all of it."""
    view.doItemsLayout()
    bar = view.verticalScrollBar()
    bar.setValue(bar.value() + view.visualRect(index).top() - top)
    reveal(view, index, first)


def reveal(view: QAbstractItemView, index: QModelIndex, first: QModelIndex) -> None:
    """Scroll as little as shows the whole row, its beginning before its end, and ``first`` too if there is room."""
    if not index.isValid():
        return
    row, height = view.visualRect(index), view.viewport().height()
    heading = view.visualRect(first).top()
    top = heading if row.bottom() - heading < height else row.top()
    bar = view.verticalScrollBar()
    if top < 0 or row.bottom() - top >= height:
        bar.setValue(bar.value() + top)
    elif row.bottom() >= height:
        bar.setValue(bar.value() + row.bottom() - height + 1)


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

    chosen = Signal(QModelIndex)  # another row became the current one and is open, or it was clicked again
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
        """The first click has selected the row; the second opens it."""
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
