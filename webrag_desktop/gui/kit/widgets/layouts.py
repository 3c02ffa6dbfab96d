"""Box layouts with the spacing said where they are made."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

Margins = tuple[int, int, int, int]
NONE: Margins = (0, 0, 0, 0)


def column(parent: QWidget | None = None, margins: Margins = NONE, spacing: int = 0) -> QVBoxLayout:
    """A layout from top to bottom; margins are left, top, right, bottom."""
    made = QVBoxLayout(parent) if parent is not None else QVBoxLayout()
    made.setContentsMargins(*margins)
    made.setSpacing(spacing)
    return made


def row(parent: QWidget | None = None, margins: Margins = NONE, spacing: int = 0) -> QHBoxLayout:
    """A layout along the line of reading; margins are left, top, right, bottom."""
    made = QHBoxLayout(parent) if parent is not None else QHBoxLayout()
    made.setContentsMargins(*margins)
    made.setSpacing(spacing)
    return made
