"""Labels, icons and key caps in the sizes and inks of the theme."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, REGULAR, Family, Step, font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import CENTER, paint_box, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CHIP, Role

_LEAST_CHARACTERS = "MMM…"


class Label(QLabel):
    """Plain text, never markup. Its colour is a role that the style sheet knows."""

    def __init__(
        self,
        text: str = "",
        step: Step = "body",
        role: Role = "text",
        weight: QFont.Weight = REGULAR,
        *,
        figures: bool = False,
        wrap: bool = False,
        family: Family = "ui",
    ) -> None:
        """Show ``text``; ``figures`` gives digits of one width, ``wrap`` breaks lines."""
        super().__init__()
        self._step, self._role, self._weight, self._figures, self._family = (
            step,
            role,
            weight,
            figures,
            family,
        )
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self.setProperty("ink", role)
        self.setFont(font(step, weight, family, figures=figures))
        self.setText(text)

    def set_role(self, role: Role) -> None:
        """Change the ink."""
        if role == self._role:
            return
        self._role = role
        self.setProperty("ink", role)
        self.style().unpolish(self)
        self.style().polish(self)
        self.update()


class ElidedLabel(Label):
    """One line that ends in an ellipsis where there is no room; the tooltip then has the whole text."""

    def __init__(
        self,
        text: str = "",
        step: Step = "body",
        role: Role = "text",
        weight: QFont.Weight = REGULAR,
        *,
        figures: bool = False,
        family: Family = "ui",
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        """Show as much of ``text`` as there is room for."""
        super().__init__(text, step, role, weight, figures=figures, family=family)
        self._elide = elide
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        """Show another text; line breaks become spaces."""
        super().setText(" ".join(text.split()))
        self._hint()

    def is_elided(self) -> bool:
        """Whether some of the text is hidden."""
        return text_width(self.text(), self.font()) > self.contentsRect().width() + 0.5

    def _hint(self) -> None:
        self.setToolTip(plain_tooltip(self.text()) if self.is_elided() else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Offer the whole text once some is hidden."""
        super().resizeEvent(event)
        self._hint()

    def sizeHint(self) -> QSize:
        """As wide as the text."""
        return QSize(int(text_width(self.text(), self.font())) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Wide enough for a few characters."""
        least = min(text_width(_LEAST_CHARACTERS, self.font()), text_width(self.text(), self.font()) + 2)
        return QSize(int(least), super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw one line, cut where it has to be."""
        painter = QPainter(self)
        rect = self.contentsRect().toRectF()
        paint_line(painter, rect, self.text(), self.font(), self._role, self.alignment(), self._elide)


def label(
    text: str,
    step: Step = "body",
    role: Role = "text",
    weight: QFont.Weight = REGULAR,
    *,
    figures: bool = False,
    wrap: bool = False,
) -> Label:
    """A label of plain text; see :class:`Label`."""
    return Label(text, step, role, weight, figures=figures, wrap=wrap)


class IconLabel(QWidget):
    """An icon in the ink of a role, in the middle of its widget."""

    def __init__(self, name: str, role: Role, side: int = 16) -> None:
        """``side`` is the icon's size at the default font size."""
        super().__init__()
        self._name, self._role, self._side = name, role, side
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_icon(self, name: str, role: Role) -> None:
        """Show another icon."""
        self._name, self._role = name, role
        self.update()

    def sizeHint(self) -> QSize:
        """The icon with the widget's margins."""
        margins, side = self.contentsMargins(), grown(self._side)
        return QSize(margins.left() + side + margins.right(), margins.top() + side + margins.bottom())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the icon."""
        side, room = grown(self._side), QRectF(self.contentsRect())
        paint_icon(QPainter(self), self._name, room.left(), room.center().y() - side / 2, side, self._role)


_INSET, _LEAST_HEIGHT = 6, 18


def key_cap_size(keys: str) -> QSize:
    """The size of a painted key cap."""
    used = font("micro", MEDIUM)
    height = max(_LEAST_HEIGHT, round(QFontMetricsF(used).height()) + 4)
    return QSize(max(round(text_width(keys, used)) + 2 * _INSET, height), height)


def paint_key_cap(painter: QPainter, rect: QRectF, keys: str) -> None:
    """Draw a key cap that fills ``rect``."""
    paint_box(painter, rect, RADIUS_CHIP, colour("sunken"), colour("line_strong"))
    paint_line(painter, rect, keys, font("micro", MEDIUM), "text3", CENTER)


class KeyCap(QWidget):
    """One key, or several held together, as "Ctrl L". A hint for the eye: it has no name of its own."""

    def __init__(self, keys: str) -> None:
        """Show ``keys``."""
        super().__init__()
        self._keys = keys
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As large as the keys need."""
        return key_cap_size(self._keys)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the cap."""
        paint_key_cap(QPainter(self), QRectF(self.rect()), self._keys)
