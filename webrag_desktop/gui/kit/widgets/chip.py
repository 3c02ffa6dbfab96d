"""A chip: something that holds now, with a cross that ends it."""

from math import ceil

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour, is_system
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_focus, paint_line, text_width
from webrag_desktop.gui.kit.theme.plain_tooltip import plain_tooltip
from webrag_desktop.gui.kit.theme.tokens import CHIP_HEIGHT, RADIUS_CHIP

_INSET, _GAP, _CROSS, _MOST = 8, 4, 12, 280
_REMOVING = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class Chip(QAbstractButton):
    """Shows ``name: value``. A click on its words, Space or Enter use it; its cross or Delete remove it."""

    removed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        """Say nothing yet."""
        super().__init__(parent)
        self._name, self._value = "", ""
        self._pressed_cross = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def show_words(self, name: str, value: str, whole: str, description: str) -> None:
        """Show what holds; ``whole`` is the value uncut, for the tooltip and for who listens."""
        self._name, self._value = self.tr("{0}:").format(name), value
        self.setToolTip(plain_tooltip(f"{self._name} {whole}"))
        self.setAccessibleName(f"{self._name} {whole}")
        self.setAccessibleDescription(description)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as the words, up to a limit."""
        words = text_width(self._name, font("small")) + text_width(self._value, font("small", SEMIBOLD))
        width = 3 * _INSET + ceil(words) + 2 * _GAP + grown(_CROSS)
        return QSize(min(width, grown(_MOST)), grown(CHIP_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """The value is cut where there is no room."""
        return QSize(min(grown(_MOST) // 3, self.sizeHint().width()), grown(CHIP_HEIGHT))

    def _mirror(self) -> Mirror:
        return Mirror(QRectF(self.rect()), self.isRightToLeft())

    def cross(self) -> QRectF:
        """Where the cross takes clicks."""
        wide = grown(_CROSS) + _INSET + _GAP
        return self._mirror().rect(QRectF(self.width() - wide, 0, wide, self.height()))

    def hitButton(self, pos: QPoint) -> bool:
        """The cross is no part of the button proper."""
        return self.rect().contains(pos) and not self.cross().contains(pos.toPointF())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Notice where a click began."""
        self._pressed_cross = event.button() == Qt.MouseButton.LeftButton and self.cross().contains(
            event.position()
        )
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click that began and ended on the cross removes."""
        super().mouseReleaseEvent(event)
        if self._pressed_cross and self.cross().contains(event.position()):
            self.removed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete removes, Enter does as Space does."""
        if event.key() in _REMOVING:
            self.removed.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be used."""
        super().enterEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the words and the cross."""
        painter, rect, mirror = QPainter(self), QRectF(self.rect()), self._mirror()
        edge = colour("line_strong") if self.underMouse() or is_system() else None
        paint_box(painter, rect, RADIUS_CHIP, colour("accent_soft"), edge)
        plain, strong, side = font("small"), font("small", SEMIBOLD), grown(_CROSS)
        at, end = float(_INSET), rect.width() - _INSET - side - _GAP
        name = min(text_width(self._name, plain) + 1, end - at)
        paint_line(painter, mirror.rect(QRectF(at, 0, name, rect.height())), self._name, plain, "accent_text")
        at += name + _GAP
        value = mirror.rect(QRectF(at, 0, max(0.0, end - at), rect.height()))
        paint_line(painter, value, self._value, strong, "accent_text")
        cross = mirror.left(rect.width() - _INSET - side, side)
        paint_icon(painter, "x", cross, (rect.height() - side) / 2, side, "accent_text")
        if self.hasFocus():
            paint_focus(painter, rect, RADIUS_CHIP)
