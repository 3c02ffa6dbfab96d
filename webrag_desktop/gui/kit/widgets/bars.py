"""Bars: the shares of a whole, a score, and progress whose end may be unknown."""

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, QSize, QSizeF, Qt, QTimer
from PySide6.QtGui import QFontMetricsF, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font
from webrag_desktop.gui.kit.theme.painting import (
    RIGHT,
    moves,
    paint_bar,
    paint_box,
    paint_line,
    paint_travel,
    paint_trough,
    text_width,
    travel_phase,
)
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


_SCORE_WIDTH, _SCORE_BAR, _SCORE_GAP = 36, 3, 2


def score_size(words: Sequence[str] = ("0.00",)) -> QSizeF:
    """How much room a score takes that is said in any of these words."""
    used = font("body", SEMIBOLD, figures=True)
    return QSizeF(
        max(_SCORE_WIDTH, *(ceil(text_width(word, used)) + 1 for word in words)),
        QFontMetricsF(used).height() + _SCORE_GAP + _SCORE_BAR,
    )


def paint_score(painter: QPainter, left: float, top: float, score: float, *, active: bool) -> None:
    """Draw ``score`` (in [0, 1]) with its top left corner at ``(left, top)``; stronger when ``active``."""
    paint_rating(painter, QRectF(QPointF(left, top), score_size()), f"{score:.2f}", score, active=active)


def paint_rating(painter: QPainter, rect: QRectF, word: str, share: float, *, active: bool) -> None:
    """Draw a word above a bar that is filled to ``share``, in a rectangle of :func:`score_size`."""
    above = rect.adjusted(0, 0, 0, -_SCORE_GAP - _SCORE_BAR)
    used = font("body", SEMIBOLD, figures=True)
    paint_line(painter, above, word, used, "text" if active else "text2", RIGHT)
    bar = QRectF(rect.left(), rect.bottom() - _SCORE_BAR, rect.width(), _SCORE_BAR)
    paint_bar(painter, bar, share, "accent" if active else "control", "line_strong" if active else "line")


_BUSY_HEIGHT, _FRAME = 4, 33


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
        return QSize(120, _BUSY_HEIGHT)

    def show_share(self, share: float | None) -> None:
        """Show how much is done, in [0, 1]; None where that is not known."""
        self._share = share
        self._run()
        self.update()

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
