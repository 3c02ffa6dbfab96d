"""Menus of controls and rows: where they open, and commands that show their keys."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from webrag_desktop.gui.kit.theme.icons import icon


def open_below(menu: QMenu, control: QWidget, part: QRect | None = None, *, keep: bool = False) -> None:
    """Open a menu under a control, or under a part of it, aligned at the same edge.

    It is deleted when it closes, unless ``keep`` is set.
    """
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, not keep)
    above = control.rect() if part is None else part
    left = above.right() + 1 - menu.sizeHint().width() if control.isRightToLeft() else above.left()
    menu.popup(control.mapToGlobal(QPoint(left, above.bottom() + 1)))


def open_for_row(menu: QMenu, view: QAbstractItemView, event: QContextMenuEvent) -> None:
    """Open the menu of the current row: under the pointer, or for the Menu key in the middle of the row.

    It is deleted when it closes.
    """
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
    middle = view.visualRect(view.currentIndex()).center()
    menu.popup(view.viewport().mapToGlobal(middle) if by_key else event.globalPos())


def add_command(menu: QMenu, icon_name: str, text: str, keys: str, run: Callable[[], None]) -> None:
    """Add an entry that shows its key; the key press itself is handled by the list."""
    action = menu.addAction(text)
    if icon_name:
        action.setIcon(icon(icon_name))
    action.setShortcut(keys)
    action.setShortcutVisibleInContextMenu(True)
    action.triggered.connect(lambda _checked: run())
