"""A passage's score as delegates draw it: the number, and a short bar under it."""

from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QFontMetricsF, QPainter

from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font
from webrag_desktop.gui.kit.theme.painting import RIGHT, paint_bar, paint_line, text_width

_WIDTH, _BAR, _GAP = 36, 3, 2


def score_size() -> QSizeF:
    """How much room a score takes."""
    used = font("body", SEMIBOLD, figures=True)
    return QSizeF(max(_WIDTH, text_width("0.00", used)), QFontMetricsF(used).height() + _GAP + _BAR)


def paint_score(painter: QPainter, left: float, top: float, score: float, *, active: bool) -> None:
    """Draw ``score`` (in [0, 1]) with its top left corner at ``(left, top)``; stronger when ``active``."""
    size = score_size()
    rect = QRectF(left, top, size.width(), size.height())
    number = rect.adjusted(0, 0, 0, -_GAP - _BAR)
    used = font("body", SEMIBOLD, figures=True)
    paint_line(painter, number, f"{score:.2f}", used, "text" if active else "text2", RIGHT)
    bar = QRectF(rect.left(), rect.bottom() - _BAR, rect.width(), _BAR)
    paint_bar(painter, bar, score, "accent" if active else "control", "line_strong" if active else "line")
