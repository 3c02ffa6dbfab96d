"""What is painted under an answer's words: pills under marks, dashes under words found nowhere, and the caret."""

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from webrag_desktop.gui.kit.theme.colours import colour, is_system
from webrag_desktop.gui.kit.theme.direction import Mirror, runs_right_to_left
from webrag_desktop.gui.kit.theme.fonts import font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_focus
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CHIP, Role
from webrag_desktop.gui.research.answer.document import SIGN, TICK
from webrag_desktop.gui.research.answer.marks import Mark, flag_words

_REACH, _SHRINK = 3.0, 2.0  # how far a pill stands out of its words, and how much lower than its line it is
_CARET = 6.0
_ICONS = {"citation": "check", "doubtful": "triangle-alert", "unsupported": "shield-alert"}


def pill(words: QRectF, width: float) -> QRectF:
    """The rectangle that is drawn under the words of a mark, and takes clicks; it stays on a page of ``width``."""
    top, bottom = round(words.top() + _SHRINK), round(words.bottom() - _SHRINK)  # whole pixels are sharp
    left, right = max(words.left() - _REACH, 0.0), min(words.right() + _REACH, width)
    return QRectF(left, top, right - left, bottom - top)


def paint_mark(painter: QPainter, mark: Mark, rect: QRectF, *, chosen: bool, ringed: bool) -> None:
    """Draw the ground and the icon of a mark; its words come over it."""
    is_number = mark.kind == "citation"
    ground: Role = "accent_soft" if is_number else "warn_soft"
    ink: Role = "ok" if is_number else "warn"
    if chosen:
        ground, ink = "accent", "on_accent"
    paint_box(painter, rect, RADIUS_CHIP, colour(ground), colour("line_strong") if is_system() else None)
    name = _ICONS.get(mark.kind)
    if name is not None:
        side = grown(TICK if is_number else SIGN)
        # A number runs from left to right everywhere, words as they do.
        mirror = Mirror(rect, not is_number and runs_right_to_left(flag_words(mark.kind)))
        left = rect.right() - side - _REACH - 1 if is_number else rect.left() + _REACH
        paint_icon(painter, name, mirror.left(left, side), rect.center().y() - side / 2, side, ink)
    if ringed:
        paint_focus(painter, rect.adjusted(-2, -2, 2, 2), RADIUS_CHIP + 1)


def paint_missing(painter: QPainter, words: Iterable[QRectF]) -> None:
    """Draw the dashed line under words that were put in quotation marks and stand nowhere."""
    pen = QPen(colour("warn"), 1.5)
    pen.setDashPattern([3, 2.4])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    for rect in words:
        y = round(rect.bottom() - _SHRINK) + 0.5
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))


def paint_caret(painter: QPainter, end: QRectF, width: float, *, mirrored: bool) -> None:
    """Draw where more is coming, behind the last word; ``end`` is the place of a text cursor there."""
    height = font("lead").pixelSize() + 3
    left = end.left() - _CARET - 2 if mirrored else end.left() + 2
    left = max(0.0, min(left, width - _CARET))
    paint_box(painter, QRectF(left, end.center().y() - height / 2, _CARET, height), 1, colour("accent"))
