"""Text from elsewhere: the direction it runs in, and tooltips that show it as plain text."""

from dataclasses import dataclass
from html import escape
from unicodedata import bidirectional

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtGui import Qt as TextQt


def runs_right_to_left(text: str, *, otherwise: bool | None = None) -> bool:
    """Whether a paragraph runs from right to left: its first letter outside of isolates decides (Unicode's rule P2).

    Without a letter it runs as the interface does, or as said ``otherwise``.
    """
    depth = 0
    for char in text:
        direction = bidirectional(char)
        if direction in {"LRI", "RLI", "FSI"}:
            depth += 1
        elif direction == "PDI":
            depth = max(depth - 1, 0)
        elif depth == 0 and direction in {"L", "R", "AL"}:
            return direction != "L"
    return QGuiApplication.isRightToLeft() if otherwise is None else otherwise


def direction_of(text: str) -> Qt.LayoutDirection:
    """The same for Qt."""
    return Qt.LayoutDirection.RightToLeft if runs_right_to_left(text) else Qt.LayoutDirection.LeftToRight


def isolated(text: str) -> str:
    """Text from elsewhere among other words, so that its direction turns nothing around it."""
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"


def is_mirrored(painter: QPainter) -> bool:
    """Whether the widget that is painted on is read from right to left; without a widget, the interface."""
    around = painter.layoutDirection()
    if around == Qt.LayoutDirection.LayoutDirectionAuto:
        return QGuiApplication.isRightToLeft()
    return around == Qt.LayoutDirection.RightToLeft


@dataclass(frozen=True, slots=True)
class Mirror:
    """Turns what is laid out from left to right within ``bounds`` round where reading goes the other way."""

    bounds: QRectF
    is_on: bool

    def rect(self, rect: QRectF) -> QRectF:
        """Where the rectangle is painted."""
        left = self.left(rect.left(), rect.width())
        return QRectF(left, rect.top(), rect.width(), rect.height())

    def left(self, x: float, width: float) -> float:
        """The left edge of something that begins at ``x``."""
        return self.bounds.left() + self.bounds.right() - x - width if self.is_on else x


def plain_tooltip(text: str) -> str:
    """What to set as a tooltip so that ``text`` is seen as it is.

    Qt reads a tooltip that looks like HTML as HTML, with its pictures: a page's title could then load files.
    """
    if not TextQt.mightBeRichText(text):
        return text
    return f'<span style="white-space: pre-wrap">{escape(text)}</span>'
