"""Keys that a list answers to while it has the keyboard, whatever the window's menus use them for."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

_COMMANDING = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


def command_of(event: QEvent, keys: Mapping[str, str]) -> str | None:
    """What the key of an event stands for in ``keys`` (portable key sequences); None where for nothing."""
    if not isinstance(event, QKeyEvent):
        return None
    combination = event.keyCombination()
    modifiers = combination.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
    pressed = QKeySequence((modifiers | combination.key()).toCombined())
    return keys.get(pressed.toString(QKeySequence.SequenceFormat.PortableText))


def is_letter(event: QKeyEvent) -> bool:
    """Whether a key types a character; a list leaves those it does not know to the window."""
    return bool(event.text()) and event.text().isprintable() and not event.modifiers() & _COMMANDING
