"""A bar for work whose end is not known."""

from PySide6.QtCore import QRectF, QSize, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.motion import moves, travel_phase
from webrag_desktop.gui.kit.theme.painting import paint_bar, paint_travel

_HEIGHT, _FRAME = 4, 33


class BusyBar(QWidget):
    """A third of it travels; where nothing may move it is still and half-toned. A known share fills it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Begin with an unknown share."""
        super().__init__(parent)
        self._share: float | None = None
        self._frames = QTimer(self)
        self._frames.setInterval(_FRAME)
        self._frames.timeout.connect(self.update)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Flat, and as wide as there is room."""
        return QSize(120, _HEIGHT)

    def show_share(self, share: float | None) -> None:
        """Show how much is done, in [0, 1]; None where that is not known."""
        self._share = share
        self._run()
        self.update()

    @property
    def is_moving(self) -> bool:
        """Whether it repaints itself."""
        return self._frames.isActive()

    def _run(self) -> None:
        if self.isVisible() and self._share is None and moves():
            self._frames.start()
        else:
            self._frames.stop()

    def showEvent(self, event: QShowEvent) -> None:
        """Start moving."""
        super().showEvent(event)
        self._run()

    def hideEvent(self, event: QHideEvent) -> None:
        """Cost nothing while hidden."""
        super().hideEvent(event)
        self._frames.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bar."""
        painter, rect = QPainter(self), QRectF(self.rect())
        if self._share is None:
            paint_travel(painter, rect, travel_phase())
        else:
            paint_bar(painter, rect, self._share)
