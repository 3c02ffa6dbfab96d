"""How a part of the stack does, as an icon and colours. The word beside it says the same."""

from typing import Final, NamedTuple

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from webrag_desktop.gui.data.upkeep import Health
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.tokens import Role


class HealthLook(NamedTuple):
    """The icon of a health, the colour of icon and word, and the ground of a card that shows it."""

    icon: str
    role: Role
    ground: Role


HEALTH_LOOKS: Final[dict[Health, HealthLook]] = {
    "ok": HealthLook("circle-check", "ok", "ok_soft"),
    "busy": HealthLook("circle-dot", "accent_text", "accent_soft"),
    "warning": HealthLook("triangle-alert", "warn", "warn_soft"),
    "failing": HealthLook("circle-alert", "bad", "bad_soft"),
    "off": HealthLook("circle-dashed", "text2", "sunken"),
}


class HealthIcon(QWidget):
    """An icon that stays as large as its line of text."""

    def __init__(self, size: int, health: Health = "off", parent: QWidget | None = None) -> None:
        """``size`` is meant for a 13 px font."""
        super().__init__(parent)
        self._size, self._health = size, health
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_health(self, health: Health) -> None:
        """Show another health."""
        self._health = health
        self.update()

    def sizeHint(self) -> QSize:
        """Square."""
        return QSize(grown(self._size), grown(self._size))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the icon."""
        rect, look = QRectF(self.rect()), HEALTH_LOOKS[self._health]
        paint_icon(QPainter(self), look.icon, rect.x(), rect.y(), rect.width(), look.role)
