"""An icon that stands beside words; it says nothing that is not in them."""

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from webrag_desktop.gui.theme.fonts import grown
from webrag_desktop.gui.theme.icons import paint_icon
from webrag_desktop.gui.theme.tokens import Role


class IconMark(QWidget):
    """Paints one icon, in the middle of a box as high as a line of text beside it."""

    def __init__(self, name: str, role: Role = "text2", size: int = 16) -> None:
        """``size`` is that of the icon; the box grows with the font."""
        super().__init__()
        self._name, self._role, self._size = name, role, size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_icon(self, name: str, role: Role) -> None:
        """Show another icon."""
        self._name, self._role = name, role
        self.update()

    def sizeHint(self) -> QSize:
        """The icon's size, higher where the font is large."""
        return QSize(self._size, grown(self._size))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the application's font."""
        if event.type() == QEvent.Type.ApplicationFontChange:
            self.updateGeometry()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the icon."""
        rect = QRectF(self.rect())
        top = rect.center().y() - self._size / 2
        paint_icon(QPainter(self), self._name, rect.left(), top, self._size, self._role)
