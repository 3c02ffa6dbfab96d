"""Painting shared by delegates and small controls: icons, lines of text, boxes, pills, bars, motion. Logical pixels.

Icons are Lucide drawings, recoloured when they are loaded and put on whole device pixels, where thin lines are sharp.
"""

import time
from functools import lru_cache
from math import ceil

from PySide6.QtCore import QByteArray, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QIcon, QIconEngine, QPainter, QPen, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QStyle

from webrag_desktop.gui.kit.theme.colours import colour, is_system, name_of
from webrag_desktop.gui.kit.theme.direction import Mirror, direction_of, is_mirrored
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CHIP, RADIUS_CONTROL, TRAVEL, Role
from webrag_desktop.resources import resource_path


def on_pixel(painter: QPainter, x: float, y: float) -> tuple[float, float]:
    """The logical point nearest to ``(x, y)`` that is on a whole pixel, unless the painter turns."""
    transform = painter.deviceTransform()
    if transform.m11() == transform.m22() == 1.0 and not transform.isRotating():  # as on most screens
        dx, dy = transform.dx(), transform.dy()
        return round(x + dx) - dx, round(y + dy) - dy
    if transform.isRotating():
        return x, y
    there = transform.map(QPointF(x, y))
    back, invertible = transform.inverted()
    if not invertible:
        return x, y
    point = back.map(QPointF(round(there.x()), round(there.y())))
    return point.x(), point.y()


def hairline(painter: QPainter) -> float:
    """How thick, in logical pixels, a line of one logical pixel is when it takes whole pixels of the device."""
    scale = painter.deviceTransform().m22()
    return max(1, round(scale)) / scale if scale > 0 else 1.0


STROKE = 1.8
# Drawings that point along the reading, and are turned round where that goes from right to left.
_POINTING = frozenset(
    (
        "arrow-left",
        "arrow-right",
        "chevron-right",
        "corner-down-right",
        "move-right",
        "panel-left",
        "panel-right",
    )
)


@lru_cache(maxsize=512)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    drawing = resource_path("icons", f"{name}.svg").read_text("utf-8")
    drawing = drawing.replace("currentColor", colour).replace('stroke-width="2"', f'stroke-width="{STROKE}"')
    return QSvgRenderer(QByteArray(drawing.encode()))


def paint_icon(
    painter: QPainter, name: str, x: float, y: float, size: float = 16, role: Role = "text2"
) -> None:
    """Draw an icon as a vector at logical ``(x, y)``, moved to whole pixels of the device: sharp at any scale."""
    x, y = on_pixel(painter, x, y)
    drawing = _renderer(name, name_of(role))
    if name in _POINTING and is_mirrored(painter):
        painter.save()
        painter.translate(x + size, y)
        painter.scale(-1, 1)
        drawing.render(painter, QRectF(0, 0, size, size))
        painter.restore()
    else:
        drawing.render(painter, QRectF(x, y, size, size))


class _Engine(QIconEngine):
    """Looks the colour up when it paints; ``gap`` is room towards the text, since a styled button gives none."""

    def __init__(self, name: str, role: Role, gap: int) -> None:
        super().__init__()
        self._name, self._role, self._gap = name, role, gap

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        role: Role = "line_strong" if mode == QIcon.Mode.Disabled else self._role
        side = min(rect.width() - self._gap, rect.height())
        left = rect.x() + (self._gap if is_mirrored(painter) else 0)
        paint_icon(painter, self._name, left, rect.y() + (rect.height() - side) / 2, side, role)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        made = QPixmap(ceil(size.width() * scale), ceil(size.height() * scale))  # the size is logical
        made.setDevicePixelRatio(scale)
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return made

    def clone(self) -> QIconEngine:
        return _Engine(self._name, self._role, self._gap)


def icon(name: str, role: Role = "text2", gap: int = 0) -> QIcon:
    """An icon for buttons and menus that follows the theme."""
    return QIcon(_Engine(name, role, gap))


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


@lru_cache(maxsize=16)  # flags are slow to combine, and a list uses them hundreds of times
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
