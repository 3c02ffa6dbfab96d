"""Painting and motion shared by delegates and small controls. Coordinates are logical pixels."""

import time
from functools import lru_cache

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QApplication, QStyle

from webrag_desktop.gui.kit.theme.colours import colour, is_system
from webrag_desktop.gui.kit.theme.direction import Mirror, direction_of, is_mirrored
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.icons import hairline, on_pixel, paint_icon
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CHIP, RADIUS_CONTROL, TRAVEL, Role

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTER = Qt.AlignmentFlag.AlignCenter
_PILL_INSET, _PILL_ICON, _PILL_GAP = 7, 13, 3
_CHIP_RADIUS, _NUMBER_INSET = 5, 5


def text_width(text: str, used: QFont) -> float:
    """How wide a line of text is."""
    return QFontMetricsF(used).horizontalAdvance(text)


def paint_line(
    painter: QPainter,
    rect: QRectF,
    text: str,
    used: QFont,
    role: Role = "text",
    align: Qt.AlignmentFlag = LEFT,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> float:
    """Draw one line, cut with an ellipsis where it is too long; returns the width it took.

    ``LEFT`` is the edge where reading begins in the widget painted on, whatever way the text itself runs.
    """
    metrics = QFontMetricsF(used)
    text = " ".join(text.split())
    width = metrics.horizontalAdvance(text)
    painter.setFont(used)
    painter.setPen(colour(role))
    around, mirrored = painter.layoutDirection(), is_mirrored(painter)
    painter.setLayoutDirection(direction_of(text))
    shown = text if width <= rect.width() else metrics.elidedText(text, elide, rect.width())
    painter.drawText(rect, _along(mirrored, align), shown)
    painter.setLayoutDirection(around)
    return min(width, rect.width())


@lru_cache(maxsize=16)  # flags are slow to combine, and a list asks for them hundreds of times
def _along(mirrored: bool, align: Qt.AlignmentFlag) -> Qt.AlignmentFlag:
    around = Qt.LayoutDirection.RightToLeft if mirrored else Qt.LayoutDirection.LeftToRight
    return QStyle.visualAlignment(around, align) | Qt.AlignmentFlag.AlignAbsolute


def paint_box(
    painter: QPainter,
    rect: QRectF,
    radius: float,
    fill: QColor | None = None,
    border: QColor | None = None,
    thickness: float = 1.0,
) -> None:
    """Draw a rounded rectangle, its border inside ``rect``."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if border is not None:
        half = thickness / 2
        rect = rect.adjusted(half, half, -half, -half)
    painter.setPen(QPen(border, thickness) if border is not None else Qt.PenStyle.NoPen)
    painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect, radius, radius)


def paint_focus(
    painter: QPainter, rect: QRectF, radius: float = RADIUS_CONTROL, role: Role = "focus"
) -> None:
    """Draw the keyboard's ring inside ``rect``."""
    paint_box(painter, rect, radius, None, colour(role), 2)


def paint_hairline(painter: QPainter, left: float, right: float, y: float, role: Role = "line") -> None:
    """Draw a horizontal hairline, sharp at any scale."""
    _, top = on_pixel(painter, left, y)
    painter.fillRect(QRectF(left, top, right - left, hairline(painter)), colour(role))


def paint_trough(painter: QPainter, rect: QRectF, ground: Role = "line") -> None:
    """Draw an empty bar."""
    edge = colour("line") if is_system() else None
    paint_box(painter, rect, rect.height() / 2, colour("surface" if is_system() else ground), edge)


def paint_bar(
    painter: QPainter, rect: QRectF, share: float, role: Role = "accent", ground: Role = "line"
) -> None:
    """Draw a bar filled to ``share`` in [0, 1]."""
    paint_trough(painter, rect, ground)
    if share > 0:
        filled = QRectF(rect)
        filled.setWidth(max(rect.height(), rect.width() * min(share, 1.0)))
        paint_box(painter, Mirror(rect, is_mirrored(painter)).rect(filled), rect.height() / 2, colour(role))


def paint_travel(
    painter: QPainter, rect: QRectF, phase: float | None, role: Role = "accent", ground: Role = "line"
) -> None:
    """Draw a bar of which a third travels; ``phase`` in [0, 1) says where it is. None: it is still and half-toned.

    :func:`webrag_desktop.gui.kit.theme.painting.travel_phase` gives the phase.
    """
    paint_trough(painter, rect, ground)
    if phase is None:
        paint_box(painter, rect, rect.height() / 2, colour(role, 0.5))
        return
    length = rect.width() / 3
    left = rect.left() - length + (rect.width() + length) * phase
    part = QRectF(left, rect.top(), length, rect.height()) & rect
    if not part.isEmpty():
        part = Mirror(rect, is_mirrored(painter)).rect(part)
        paint_box(painter, part, rect.height() / 2, colour(role))


def pill_width(text: str, icon: str | None = None) -> float:
    """How wide :func:`paint_pill` will be."""
    return text_width(text, font("small", MEDIUM)) + 2 * _PILL_INSET + (_pill_icon() if icon else 0)


def _pill_icon() -> int:
    return grown(_PILL_ICON) + _PILL_GAP


def paint_pill(
    painter: QPainter,
    x: float,
    middle: float,
    text: str,
    ink: Role,
    ground: Role,
    icon: str | None = None,
) -> float:
    """Draw a rounded label, vertically centred on ``middle``; returns its right edge."""
    used = font("small", MEDIUM)
    height = max(20.0, QFontMetricsF(used).height() + 4)
    rect = QRectF(x, middle - height / 2, pill_width(text, icon), height)
    paint_box(painter, rect, RADIUS_CHIP, colour(ground))
    left, mirror = x + _PILL_INSET, Mirror(rect, is_mirrored(painter))
    if icon:
        side = grown(_PILL_ICON)
        paint_icon(painter, icon, mirror.left(left - 1, side), middle - side / 2, side, ink)
        left += _pill_icon()
    paint_line(
        painter,
        mirror.rect(QRectF(left, rect.top(), rect.right() - _PILL_INSET - left, height)),
        text,
        used,
        ink,
        elide=Qt.TextElideMode.ElideNone,
    )
    return rect.right()


def number_chip(number: int, size: float = 18) -> QSizeF:
    """How large :func:`paint_number` will be: ``size`` square, or as large as the number needs."""
    used = font("micro", SEMIBOLD, figures=True)
    height = max(size, QFontMetricsF(used).height() + 2)
    return QSizeF(max(height, text_width(str(number), used) + 2 * _NUMBER_INSET), height)


def paint_number(
    painter: QPainter, x: float, y: float, number: int, *, filled: bool, size: float = 18
) -> float:
    """Draw the chip with a citation's number; returns its right edge."""
    chip = number_chip(number, size)
    rect = QRectF(x, y, chip.width(), chip.height())
    paint_box(painter, rect, _CHIP_RADIUS, colour("accent" if filled else "accent_soft"))
    painter.setFont(font("micro", SEMIBOLD, figures=True))
    painter.setPen(colour("on_accent" if filled else "accent_text"))
    painter.drawText(rect, CENTER, str(number))
    return rect.right()


def paint_count(
    painter: QPainter, mirror: Mirror, right: float, middle: float, count: str, edge: QColor | None = None
) -> float:
    """Draw a count on the evidence colour so that it ends at ``right``; returns its width."""
    used = font("micro", SEMIBOLD, figures=True)
    width, height = max(24.0, text_width(count, used) + 12), max(17.0, float(grown(17)))
    box = mirror.rect(QRectF(right - width, middle - height / 2, width, height))
    paint_box(painter, box, RADIUS_CHIP, colour("evidence"), edge)
    painter.setFont(used)
    painter.setPen(colour("evidence_ink"))
    painter.drawText(box, CENTER, count)
    return width


def moves() -> bool:
    """Whether the platform lets controls move; its theme decides."""
    return bool(QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animate))


def duration(milliseconds: int) -> int:
    """A duration from the tokens, or 0 where nothing may move."""
    return milliseconds if moves() else 0


def travel_phase() -> float | None:
    """Where a travelling bar is now, in [0, 1), the same for all of them; None where nothing may move."""
    return time.monotonic() * 1000 % TRAVEL / TRAVEL if moves() else None
