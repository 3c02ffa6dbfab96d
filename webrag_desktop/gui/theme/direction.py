"""Which way a text runs, whatever way the interface runs around it."""

from unicodedata import bidirectional

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication


def runs_right_to_left(text: str) -> bool:
    """Whether a paragraph runs from right to left: its first letter decides, as in Unicode's rule P2.

    Without a letter it runs as the interface does.
    """
    for char in text:
        direction = bidirectional(char)
        if direction in {"L", "R", "AL"}:
            return direction != "L"
    return QGuiApplication.isRightToLeft()


def direction_of(text: str) -> Qt.LayoutDirection:
    """The same for Qt."""
    return Qt.LayoutDirection.RightToLeft if runs_right_to_left(text) else Qt.LayoutDirection.LeftToRight
