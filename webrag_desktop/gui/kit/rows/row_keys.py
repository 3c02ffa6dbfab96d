"""Keys that a list answers to while it has the keyboard, whatever the window's menus use them for."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

_COMMANDING = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


def is_kept(event: QEvent, keys: Mapping[str, str]) -> bool:
    """Keep a list's key from the window's shortcuts; False where the event is another one."""
    kept = event.type() == QEvent.Type.ShortcutOverride and command_of(event, keys) is not None
    if kept:
        event.accept()
    return kept


def run_key(event: QKeyEvent, keys: Mapping[str, str], run: Callable[[str], None]) -> bool:
    """Run what a key stands for; leave other letters to the window. False where the view should have the key."""
    command = command_of(event, keys)
    if command is not None:
        run(command)
    elif _is_letter(event):
        event.ignore()
    else:
        return False
    return True


def command_of(event: QEvent, keys: Mapping[str, str]) -> str | None:
    """What the key of an event stands for in ``keys`` (portable key sequences); None where for nothing."""
    if not isinstance(event, QKeyEvent):
        return None
    combination = event.keyCombination()
    modifiers = combination.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
    pressed = QKeySequence((modifiers | combination.key()).toCombined())
    return keys.get(pressed.toString(QKeySequence.SequenceFormat.PortableText))


def _is_letter(event: QKeyEvent) -> bool:
    return bool(event.text()) and event.text().isprintable() and not event.modifiers() & _COMMANDING
