"""One bar cut into the shares of a whole."""

from collections.abc import Sequence

from PySide6.QtCore import QElapsedTimer, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_trough
from webrag_desktop.gui.kit.theme.tokens import PROGRESS_INTERVAL, Role

Share = tuple[Role, int]
_HEIGHT, _GAP, _LEAST = 6, 2, 6


class SegmentBar(QWidget):
    """Moves at most four times a second. What it shows belongs in words too, beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Begin empty."""
        super().__init__(parent)
        self._shares: tuple[Share, ...] = ()
        self._shown: tuple[Share, ...] = ()
        self._since = QElapsedTimer()
        self._next = QTimer(self)
        self._next.setSingleShot(True)
        self._next.timeout.connect(self._take)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Flat, and as wide as there is room."""
        return QSize(120, _HEIGHT)

    def show_shares(self, shares: Sequence[Share]) -> None:
        """Show (role, count) from the leading edge on; a count of 0 takes no room."""
        self._shares = tuple(share for share in shares if share[1] > 0)
        wait = PROGRESS_INTERVAL - self._since.elapsed() if self._since.isValid() else 0
        if wait <= 0:
            self._take()
        elif not self._next.isActive():
            self._next.start(int(wait))

    def _take(self) -> None:
        self._since.restart()
        if self._shown != self._shares:
            self._shown = self._shares
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the segments; a small one stays wide enough to be seen."""
        painter = QPainter(self)
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            painter.translate(self.width(), 0)
            painter.scale(-1, 1)
        if not self._shown:
            paint_trough(painter, QRectF(self.rect()))
        for role, left, width in segments(self._shown, self.width()):
            paint_box(painter, QRectF(left, 0, width, self.height()), _HEIGHT / 2, colour(role))


def segments(shares: Sequence[Share], width: float) -> list[tuple[Role, float, float]]:
    """(role, left, width) of each share in a bar of ``width``; none is narrower than the bar is high."""
    total = sum(count for _, count in shares)
    room = width - _GAP * (len(shares) - 1)
    widths = [max(_LEAST, room * count / total) for _, count in shares]
    excess = sum(widths) - room
    spare = sum(each - _LEAST for each in widths)
    if excess > 0 and spare > 0:  # the wide ones make room for the small ones
        widths = [each - excess * (each - _LEAST) / spare for each in widths]
    made, left = [], 0.0
    for (role, _), each in zip(shares, widths, strict=True):
        made.append((role, left, each))
        left += each + _GAP
    return made
