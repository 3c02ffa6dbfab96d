"""What the reader does with a key."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QToolButton

from webrag_desktop.gui.kit.rows.row_keys import command_of
from webrag_desktop.gui.kit.widgets.link_copying import COPY_LINK, COPY_LINK_KEYS
from webrag_desktop.gui.reader.commands import ReaderCommands

_KEYS = {COPY_LINK_KEYS: COPY_LINK}
_LARGER = frozenset((Qt.Key.Key_Plus, Qt.Key.Key_Equal))
_ENTER = frozenset((Qt.Key.Key_Return, Qt.Key.Key_Enter))


def act_on_key(view: ReaderCommands, event: QKeyEvent, open_full: Callable[[bool], None]) -> bool:
    """Act on a key that was pressed somewhere in the reader; whether it was one of the reader's."""
    if event.matches(QKeySequence.StandardKey.Find):
        view.open_find()
    elif command_of(event, _KEYS) == COPY_LINK:
        view.links.copy()
    elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return _zoom(view, event)
    elif event.key() == Qt.Key.Key_F3:
        shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        (view.previous_match if shifted else view.next_match)()
    elif event.key() == Qt.Key.Key_L:
        view.links.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
    elif event.key() == Qt.Key.Key_C:
        view.cite_selection()
    elif event.key() == Qt.Key.Key_O and view.is_full:
        view.toggle_outline()
    elif event.key() == Qt.Key.Key_Escape:
        return view.escape()
    elif event.key() in _ENTER:
        return _press_or_open(view, open_full)
    else:
        return False
    return True


def _zoom(view: ReaderCommands, event: QKeyEvent) -> bool:
    if event.matches(QKeySequence.StandardKey.ZoomIn) or event.key() in _LARGER:
        view.zoom_by(1)
    elif event.matches(QKeySequence.StandardKey.ZoomOut):
        view.zoom_by(-1)
    elif event.key() == Qt.Key.Key_0:
        view.set_zoom(0)
    else:
        return False
    return True


def _press_or_open(view: ReaderCommands, open_full: Callable[[bool], None]) -> bool:
    """Press the button that has the keyboard, follow the link that is selected, or else open the pane in full."""
    focused = QApplication.focusWidget()
    if isinstance(focused, QToolButton) and view.isAncestorOf(focused):
        focused.click()
    elif view.links.follow_selected():
        pass
    elif not view.is_full:
        open_full(True)
    else:
        return False
    return True
