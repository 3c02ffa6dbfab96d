"""Labels and icons in the sizes and inks of the theme."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.fonts import REGULAR, Family, Step, font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import paint_line, text_width
from webrag_desktop.gui.kit.theme.plain_tooltip import plain_tooltip
from webrag_desktop.gui.kit.theme.tokens import Role

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
