"""Whole pixels of the device, where thin lines have to lie to be sharp."""

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter


def on_pixel(painter: QPainter, x: float, y: float) -> tuple[float, float]:
    """The logical point nearest to ``(x, y)`` that lies on a whole pixel, unless the painter turns."""
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
