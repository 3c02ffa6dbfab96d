"""What the reader shows while there is nothing to read: the shape of a text that is on its way."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.reader.page import NOTE_LANE, NUMBER_LANE

_LINES = (0.62, 0.0, 0.97, 1.0, 0.94, 0.55, 0.0, 0.99, 0.96, 0.7)  # shares of the width; 0 is a gap
_MEASURE, _LINE, _THICKNESS, _TOP = 560, 24, 9, 30


class ReaderSkeleton(QWidget):
    """Lines of a text to come."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the paper and the lines."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        width = min(grown(_MEASURE), self.width() - NUMBER_LANE - NOTE_LANE)
        left = max((self.width() - width) / 2, NUMBER_LANE)
        mirror = Mirror(QRectF(self.rect()), self.isRightToLeft())
        for index, share in enumerate(_LINES):
            top = grown(_TOP) + index * grown(_LINE)
            rect = mirror.rect(QRectF(left, top, width * share, grown(_THICKNESS)))
            if share:
                paint_box(painter, rect, rect.height() / 2, colour("line"))
