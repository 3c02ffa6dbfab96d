"""The little stack of sheets: what goes into a library, with one sentence marked."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import RADIUS_ROW

_WIDTH, _HEIGHT = 200, 92
_SHEET = QRectF(-30, -36, 60, 72)
_ICON, _LINE = 22, 4


class Sheets(QWidget):
    """A drawing; it says nothing that is not in words beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As large as the drawing."""
        return QSize(_WIDTH, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw two sheets leaning away, and one before them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.width() / 2
        for shift, drop, turn, drawing in (
            (-62, 10, -9, "link"),
            (62, 10, 9, "file-text"),
            (0, 0, 0, "globe"),
        ):
            painter.save()
            painter.translate(middle + shift, 38 + drop)
            painter.rotate(turn)
            self._paint_sheet(painter, drawing, marked=shift == 0)
            painter.restore()

    @staticmethod
    def _paint_sheet(painter: QPainter, drawing: str, *, marked: bool) -> None:
        paint_box(painter, _SHEET, RADIUS_ROW, colour("raised"), colour("line_strong"))
        paint_icon(painter, drawing, -_ICON / 2, -24, _ICON, "accent_text")
        for at, width in enumerate((40, 40, 26)):
            line = QRectF(-20, 8 + at * 2 * _LINE, width, _LINE)
            ink = colour("evidence_on") if marked and at == 1 else colour("line_strong", 0.6)
            paint_box(painter, line, _LINE / 2, ink)
