"""The drawing of the Map: one widget that paints what is in sight of a scene, zooms, scrolls and takes clicks."""

from dataclasses import dataclass
from math import ceil
from typing import Protocol

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import plain_tooltip

LEAST_ZOOM, MOST_ZOOM, STEP = 0.04, 2.0, 1.25
READABLE = 0.75  # the least zoom at which a new scene is shown
_WHEEL = 120  # the delta of one notch of a wheel
_AROUND = 24  # pixels that should be visible below the beginning
_CLICK = 4  # pixels that the pointer may move in a click
_ONE_NOTCH = 60  # pixels that the arrow of a scroll bar moves
_ROUNDING = 0.01  # pixels: what fits needs no bar for the error of a division


@dataclass(frozen=True, slots=True)
class ViewState:
    """How a scene is shown: ``zoom`` is 1 at full size; ``chosen`` and ``hovered`` are keys of its items."""

    zoom: float
    chosen: str | None
    hovered: str | None


class Scene(Protocol):
    """What can be drawn: places are in pixels at full size."""

    is_centred: bool  # whether it is centred where there is room, else aligned to the start

    @property
    def bounds(self) -> QRectF:
        """How far it reaches, its margins with it."""

    @property
    def beginning(self) -> QRectF:
        """What is visible first."""

    def paint_ground(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """Draw what neither pointer nor selection changes; it is cached while the map does not move."""

    def paint(self, painter: QPainter, exposed: QRectF, view: ViewState) -> None:
        """Draw what else is in ``exposed``, above the ground."""

    def key_at(self, point: QPointF) -> str | None:
        """The key of the item at a point."""

    def rect_of(self, key: str) -> QRectF | None:
        """The rectangle of an item; None where there is none."""

    def words_of(self, key: str) -> str:
        """What its tooltip says."""


@dataclass(frozen=True, slots=True)
class _Ground:
    """The ground of a scene as it was drawn: for what, where the scene began, and the picture."""

    drawn_for: tuple[object, ...]
    origin: QPointF
    picture: QPixmap


class MapCanvas(QAbstractScrollArea):
    """Clicks choose, dragging moves, Ctrl and the wheel zoom. The lists beside it serve the keyboard."""

    chosen = Signal(str)  # the key of what was clicked
    opened = Signal(str)  # the key of what was clicked twice

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        self._zoom = 1.0
        self._chosen: str | None = None
        self._hovered: str | None = None
        self._pressed: QPointF | None = None
        self._held = QPoint()  # where the bars stood
        self._dragging = self._fits = self._is_untouched = False
        self._ground: _Ground | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("surface", "window")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setMouseTracking(True)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.setSingleStep(_ONE_NOTCH)

    # -- What is shown ------------------------------------------------------------------------------------------

    def show_scene(self, scene: Scene | None, *, reset: bool) -> None:
        """Show a scene; with ``reset`` from its beginning, else at the present zoom and place."""
        self._scene = scene
        if reset:
            self._zoom, self._chosen, self._hovered = 1.0, None, None
            self._fits, self._is_untouched = False, True
        self._set_ranges()
        if reset and scene is not None:
            self._begin(scene)
        elif self._fits:
            self.fit()
        self.viewport().update()

    @property
    def scene(self) -> Scene | None:
        """What is shown."""
        return self._scene

    @property
    def zoom(self) -> float:
        """How large it is shown, 1 for full size."""
        return self._zoom

    def choose(self, key: str | None) -> None:
        """Mark something and bring it into sight, without a signal."""
        if key == self._chosen:
            return
        self._chosen = key
        self.reveal(key)
        self.viewport().update()

    def reveal(self, key: str | None) -> None:
        """Scroll as little as brings something into sight."""
        rect = self._scene.rect_of(key) if self._scene is not None and key is not None else None
        if rect is None:
            return
        seen = self._to_view(rect)
        for bar, begin, end, room in (
            (self.horizontalScrollBar(), seen.left(), seen.right(), self.viewport().width()),
            (self.verticalScrollBar(), seen.top(), seen.bottom(), self.viewport().height()),
        ):
            if begin < 0:
                bar.setValue(bar.value() + round(begin) - _CLICK)
            elif end > room:
                bar.setValue(bar.value() + ceil(end - room) + _CLICK)

    def _begin(self, scene: Scene) -> None:
        """As much of it as can be read, from its top, or with the place where it begins in the middle of the height."""
        bounds, room = scene.bounds, self.viewport().size()
        if not bounds.isEmpty():
            fitting = min(room.width() / bounds.width(), room.height() / bounds.height())
            self._set_zoom(min(1.0, max(fitting, READABLE)))
            self._is_untouched = True
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.maximum() if self.isRightToLeft() else 0)
        down.setValue(0)
        seen = self._to_view(scene.beginning)
        if seen.bottom() + _AROUND > room.height():
            down.setValue(round(seen.center().y()) - room.height() // 2)

    # -- Zoom -----------------------------------------------------------------------------------------------------

    def zoom_in(self) -> None:
        """A step larger."""
        self._zoom_about(self._zoom * STEP, QPointF(self.viewport().rect().center()))

    def zoom_out(self) -> None:
        """A step smaller."""
        self._zoom_about(self._zoom / STEP, QPointF(self.viewport().rect().center()))

    def fit(self) -> None:
        """Show all of it, never larger than full size."""
        if self._scene is None:
            return
        bounds, room = self._scene.bounds, self.viewport().size()
        if bounds.isEmpty():
            return
        self._set_zoom(min(1.0, room.width() / bounds.width(), room.height() / bounds.height()))
        self._fits = True

    def _zoom_about(self, zoom: float, point: QPointF) -> None:
        """What is at ``point`` of the viewport stays there."""
        there = self.to_scene(point)
        self._set_zoom(zoom)
        now = self._to_view(QRectF(there, there)).topLeft()
        for bar, by in (
            (self.horizontalScrollBar(), now.x() - point.x()),
            (self.verticalScrollBar(), now.y() - point.y()),
        ):
            bar.setValue(bar.value() + round(by))

    def _set_zoom(self, zoom: float) -> None:
        self._zoom = max(LEAST_ZOOM, min(MOST_ZOOM, zoom))
        self._fits = self._is_untouched = False
        self._set_ranges()
        self.viewport().update()

    # -- Places ---------------------------------------------------------------------------------------------------

    def _set_ranges(self) -> None:
        bounds = self._scene.bounds if self._scene is not None else QRectF()
        for bar, length, room in (
            (self.horizontalScrollBar(), bounds.width(), self.viewport().width()),
            (self.verticalScrollBar(), bounds.height(), self.viewport().height()),
        ):
            bar.setPageStep(room)
            bar.setRange(0, max(0, ceil(length * self._zoom - _ROUNDING) - room))

    def _origin(self) -> QPointF:
        """Where the scene's bounds begin in the viewport; a smaller scene is aligned to the start."""
        bounds = self._scene.bounds if self._scene is not None else QRectF()
        across = max(0.0, self.viewport().width() - bounds.width() * self._zoom)
        down = max(0.0, self.viewport().height() - bounds.height() * self._zoom)
        is_centred = self._scene is not None and self._scene.is_centred
        left = across / 2 if is_centred else across if self.isRightToLeft() else 0.0
        top = down / 2 if is_centred else 0.0
        return QPointF(left - self.horizontalScrollBar().value(), top - self.verticalScrollBar().value())

    def to_scene(self, point: QPointF) -> QPointF:
        """A point of the viewport in the scene."""
        bounds = self._scene.bounds if self._scene is not None else QRectF()
        return (point - self._origin()) / self._zoom + bounds.topLeft()

    def _to_view(self, rect: QRectF) -> QRectF:
        bounds = self._scene.bounds if self._scene is not None else QRectF()
        begin = (rect.topLeft() - bounds.topLeft()) * self._zoom + self._origin()
        return QRectF(begin, rect.size() * self._zoom)

    def place_of(self, key: str) -> QPoint | None:
        """The middle of something in the viewport."""
        rect = self._scene.rect_of(key) if self._scene is not None else None
        return None if rect is None else self._to_view(rect).center().toPoint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep what fits fitting."""
        super().resizeEvent(event)
        self._set_ranges()
        if self._fits:
            self.fit()
        elif self._is_untouched and self._scene is not None:
            self._begin(self._scene)
            self.reveal(self._chosen)

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        """Paint everything: what is visible takes a few milliseconds."""
        self.viewport().update()

    # -- Painting -------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is in sight."""
        painter = QPainter(self.viewport())
        if self._scene is None:
            painter.fillRect(event.rect(), colour("window"))
            return
        painter.drawPixmap(0, 0, self._drawn_ground(self._scene))
        exposed = self._transform(painter, self._scene, event.rect())
        self._scene.paint(painter, exposed, ViewState(self._zoom, self._chosen, self._hovered))

    def _drawn_ground(self, scene: Scene) -> QPixmap:
        """The visible ground; after scrolling, only the part that became visible is drawn."""
        rect, ratio, origin = self.viewport().rect(), self.devicePixelRatioF(), self._origin()
        drawn_for = (scene, self._zoom, rect.size(), ratio, self.palette().cacheKey())
        moved = QPoint() if self._ground is None else (origin - self._ground.origin).toPoint()
        if self._ground is None or self._ground.drawn_for != drawn_for:
            exposed, before = QRegion(rect), None
        else:
            exposed, before = QRegion(rect) - QRegion(rect.translated(moved)), self._ground.picture
        if before is None or not exposed.isEmpty():
            drawn = self._new_picture(before, moved, ratio)
            for part in list(exposed):  # type: ignore[call-overload]
                self._draw_ground(scene, drawn, part)
            self._ground = _Ground(drawn_for, origin, drawn)
        assert self._ground is not None
        return self._ground.picture

    def _new_picture(self, before: QPixmap | None, moved: QPoint, ratio: float) -> QPixmap:
        drawn = QPixmap((self.viewport().size().toSizeF() * ratio).toSize())
        drawn.setDevicePixelRatio(ratio)
        drawn.fill(colour("window"))
        if before is not None:
            painter = QPainter(drawn)
            painter.drawPixmap(moved, before)
            painter.end()
        return drawn

    def _draw_ground(self, scene: Scene, picture: QPixmap, part: QRect) -> None:
        painter = QPainter(picture)
        painter.setClipRect(part)
        scene.paint_ground(painter, self._transform(painter, scene, part), self._zoom)
        painter.end()

    def _transform(self, painter: QPainter, scene: Scene, rect: QRect) -> QRectF:
        """Turn the painter to the scene; returns what of it is in a part of the viewport."""
        painter.translate(self._origin())
        painter.scale(self._zoom, self._zoom)
        painter.translate(-scene.bounds.topLeft())
        return QRectF(self.to_scene(QPointF(rect.topLeft())), rect.size().toSizeF() / self._zoom)

    # -- Mouse ----------------------------------------------------------------------------------------------------

    def key_at(self, point: QPointF) -> str | None:
        """The key of the item at a point of the viewport."""
        return self._scene.key_at(self.to_scene(point)) if self._scene is not None else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click or the beginning of a drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragging = event.position(), False
            self._is_untouched = False
            self._held = QPoint(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the map while the button is held, else show what can be clicked."""
        if self._pressed is None:
            self._hover(self.key_at(event.position()))
            return
        moved = (event.position() - self._pressed).toPoint()
        if self._dragging or moved.manhattanLength() > _CLICK:
            self._dragging = True
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.horizontalScrollBar().setValue(self._held.x() - moved.x())
            self.verticalScrollBar().setValue(self._held.y() - moved.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A press that ended where it began chooses."""
        pressed, self._pressed = self._pressed, None
        if pressed is None or event.button() != Qt.MouseButton.LeftButton:
            return
        key = self.key_at(event.position())
        if not self._dragging and key is not None and key == self.key_at(pressed):
            self.chosen.emit(key)
        self._dragging = False
        self._show_cursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The first click has chosen; the second opens it."""
        key = self.key_at(event.position())
        if key is not None and event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit(key)

    def _hover(self, key: str | None) -> None:
        if key != self._hovered:
            self._hovered = key
            self._show_cursor()
            self.viewport().update()

    def _show_cursor(self) -> None:
        if self._hovered is not None:
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.viewport().unsetCursor()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the pointer with Ctrl, else scroll."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            notches = event.angleDelta().y() / _WHEEL
            self._zoom_about(self._zoom * STEP**notches, event.position())
            event.accept()
        else:
            self._is_untouched = False
            super().wheelEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show a tooltip of the item under the pointer; forget it when the pointer leaves."""
        if event.type() == QEvent.Type.Leave and self._pressed is None:
            self._hover(None)
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            key = self.key_at(QPointF(event.pos()))
            words = self._scene.words_of(key) if self._scene is not None and key is not None else ""
            QToolTip.showText(event.globalPos(), plain_tooltip(words) if words else "", self.viewport())
            return True
        return super().viewportEvent(event)
