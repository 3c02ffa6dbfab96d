"""Icons: Lucide drawings recoloured when they are loaded, and whole device pixels, on which thin lines are sharp."""

from functools import lru_cache
from math import ceil

from PySide6.QtCore import QByteArray, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from webrag_desktop.gui.kit.theme.colours import name_of
from webrag_desktop.gui.kit.theme.direction import is_mirrored
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.resources import resource_path


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
