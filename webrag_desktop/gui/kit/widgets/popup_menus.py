"""Where menus open: below what they belong to, or where they were asked for."""

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget


def open_below(menu: QMenu, control: QWidget, part: QRect | None = None) -> None:
    """Open a menu under a control, or under a part of it, so that both begin at the same edge."""
    above = control.rect() if part is None else part
    left = above.right() + 1 - menu.sizeHint().width() if control.isRightToLeft() else above.left()
    menu.popup(control.mapToGlobal(QPoint(left, above.bottom() + 1)))


def open_for_row(menu: QMenu, view: QAbstractItemView, event: QContextMenuEvent) -> None:
    """Open the menu of the current row: under the pointer, or for the Menu key in the middle of the row."""
    by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
    middle = view.visualRect(view.currentIndex()).center()
    menu.popup(view.viewport().mapToGlobal(middle) if by_key else event.globalPos())
