"""Formulas as the window draws them, and what of a picture is ink."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.kit.mathematics.drawings import Drawings

PATIENCE = 60_000  # milliseconds, for a process to start on a busy computer


def wait_until_drawn(qtbot: QtBot) -> None:
    """Until all formulas that were asked for are drawn, or found not to be."""
    qtbot.waitUntil(lambda: not Drawings.of_window().is_busy, timeout=PATIENCE)


def ink_in(widget: QWidget, area: QRectF, ground: QColor, least: int = 60) -> int:
    """How many pixels of an area of a widget stand out from the ground."""
    return len(inked(widget.grab().toImage(), area, ground, least))


def inked(image: QImage, area: QRectF, ground: QColor, least: int = 60) -> list[tuple[int, int]]:
    """The pixels in an area, in logical pixels, that differ from the ground by ``least`` in their lightness."""
    ratio = image.devicePixelRatio()
    columns = range(int(area.left() * ratio), int(area.right() * ratio))
    rows = range(int(area.top() * ratio), int(area.bottom() * ratio))
    return [
        (x, y)
        for y in rows
        for x in columns
        if image.valid(x, y) and abs(image.pixelColor(x, y).lightness() - ground.lightness()) >= least
    ]
