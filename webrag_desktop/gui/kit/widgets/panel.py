"""A plain ground in a role's colour, with hairlines where panes meet."""

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.painting import paint_hairline
from webrag_desktop.gui.kit.theme.tokens import Role


class Panel(QFrame):
    """Fills itself with ``role``; the hairlines lie inside, at its very edge."""

    def __init__(
        self,
        role: Role = "window",
        bottom_line: bool = False,
        top_line: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Make an empty panel."""
        super().__init__(parent)
        self._role, self._bottom_line, self._top_line = role, bottom_line, top_line

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill, then draw the hairlines."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour(self._role))
        if self._top_line:
            paint_hairline(painter, 0, self.width(), 0)
        if self._bottom_line:
            paint_hairline(painter, 0, self.width(), self.height() - 1)
