"""How long things move: not at all where the platform asks for stillness."""

import time

from PySide6.QtWidgets import QApplication, QStyle

from webrag_desktop.gui.kit.theme.tokens import TRAVEL


def moves() -> bool:
    """Whether the platform lets controls move; its theme tells the style."""
    return bool(QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animate))


def duration(milliseconds: int) -> int:
    """A duration from the tokens, or 0 where nothing may move."""
    return milliseconds if moves() else 0


def travel_phase() -> float | None:
    """Where a travelling bar is now, in [0, 1), the same for all of them; None where nothing may move."""
    return time.monotonic() * 1000 % TRAVEL / TRAVEL if moves() else None
