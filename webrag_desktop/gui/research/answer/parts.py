"""Small parts of the answer view: a sentence in the ink of a state, and the shapes of a text to come."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import MINI_HEIGHT, SPACE_XS, Role
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.layouts import row
from webrag_desktop.gui.research.answer.words import Verdict

_SIDE = 16
_BAR, _LINE, _SHAPES = 8, 20, (0.92, 0.97, 0.58)  # heights; shares of the width


class Sign(QWidget):
    """An icon beside words."""

    def __init__(self, icon: str, role: Role) -> None:
        """Draw ``icon`` in the ink of ``role``."""
        super().__init__()
        self._icon, self._role = icon, role
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_icon(self, icon: str, role: Role) -> None:
        """Draw another one."""
        self._icon, self._role = icon, role
        self.update()

    def sizeHint(self) -> QSize:
        """As large as icons beside small words are."""
        return QSize(grown(_SIDE), grown(_SIDE))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the icon."""
        side = grown(_SIDE)
        top = QRectF(self.rect()).center().y() - side / 2
        paint_icon(QPainter(self), self._icon, 0, top, side, self._role)


class VerdictLine(QWidget):
    """An icon and a sentence in the ink of a state."""

    def __init__(self) -> None:
        """Say nothing yet."""
        super().__init__()
        self._sign = Sign("badge-check", "ok")
        self._words = Label("", "small", "ok", MEDIUM)
        self.setMinimumHeight(grown(MINI_HEIGHT))
        line = row(self, spacing=SPACE_XS + 1)
        line.addWidget(self._sign)
        line.addWidget(self._words)

    def tell(self, verdict: Verdict) -> None:
        """Say another sentence."""
        self._sign.show_icon(verdict.icon, verdict.role)
        self._words.set_role(verdict.role)
        self._words.setText(verdict.sentence)
        self.setAccessibleName(verdict.sentence)


class Shapes(QWidget):
    """Where the text will be, while nothing is written yet."""

    def sizeHint(self) -> QSize:
        """A few lines."""
        return QSize(100, len(_SHAPES) * grown(_LINE))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a bar for each line."""
        painter, mirror = QPainter(self), Mirror(QRectF(self.rect()), self.isRightToLeft())
        for at, share in enumerate(_SHAPES):
            bar = QRectF(0, at * grown(_LINE) + 6, self.width() * share, _BAR)
            paint_box(painter, mirror.rect(bar), _BAR / 2, colour("line"))
