"""Key caps: the key shown where its action is."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font
from webrag_desktop.gui.kit.theme.painting import CENTER, paint_box, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CHIP

_INSET, _LEAST_HEIGHT = 6, 18


def key_cap_size(keys: str) -> QSize:
    """The size of a painted key cap."""
    used = font("micro", MEDIUM)
    height = max(_LEAST_HEIGHT, round(QFontMetricsF(used).height()) + 4)
    return QSize(max(round(text_width(keys, used)) + 2 * _INSET, height), height)


def paint_key_cap(painter: QPainter, rect: QRectF, keys: str) -> None:
    """Draw a key cap that fills ``rect``."""
    paint_box(painter, rect, RADIUS_CHIP, colour("sunken"), colour("line_strong"))
    paint_line(painter, rect, keys, font("micro", MEDIUM), "text3", CENTER)


class KeyCap(QWidget):
    """One key, or several held together, as "Ctrl L". A hint for the eye: it has no name of its own."""

    def __init__(self, keys: str) -> None:
        """Show ``keys``."""
        super().__init__()
        self._keys = keys
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As large as the keys need."""
        return key_cap_size(self._keys)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the cap."""
        paint_key_cap(QPainter(self), QRectF(self.rect()), self._keys)
