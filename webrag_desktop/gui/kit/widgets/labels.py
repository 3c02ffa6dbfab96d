"""Labels, selectable text, icons of health and key caps in the sizes and inks of the theme."""

from math import ceil
from typing import Final, NamedTuple

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QSizePolicy, QTextEdit, QWidget

from webrag_desktop.gui.data.upkeep import Health
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import BODY_LINE, MEDIUM, REGULAR, Family, Step, font, grown
from webrag_desktop.gui.kit.theme.painting import CENTER, paint_box, paint_icon, paint_line, text_width
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


_USUAL_WIDTH, _LEAST_WIDTH = 120, 40


class SelectableText(QTextEdit):
    """Plain text, never markup. Unlike a label's, its long words and addresses break."""

    def __init__(
        self,
        name: str,
        step: Step = "body",
        role: Role = "text",
        weight: QFont.Weight = REGULAR,
        family: Family = "ui",
        line_ratio: float = BODY_LINE,
        parent: QWidget | None = None,
    ) -> None:
        """``name`` is what a screen reader calls it."""
        super().__init__(parent)
        self._look = (step, weight, family)
        self._ruler = QTextDocument(self)  # measures other widths without laying out what is shown
        self._role, self._ratio = role, line_ratio
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.viewport().setAutoFillBackground(False)
        for document in (self.document(), self._ruler):
            document.setDocumentMargin(0)
        self._ruler.setDefaultTextOption(self.document().defaultTextOption())
        self._colour()
        self._style()

    def set_text(self, text: str) -> None:
        """Show another text."""
        if text != self.toPlainText():
            self.setPlainText(text)
            self._style()

    def _style(self) -> None:
        used = font(*self._look)
        self.setFont(used)
        line = QTextBlockFormat()
        height = QTextBlockFormat.LineHeightTypes.FixedHeight
        line.setLineHeight(round(used.pixelSize() * self._ratio), height.value)
        # Not a clone each time: PySide never lets go of what QTextDocument.clone() returns.
        self._ruler.setPlainText(self.toPlainText())
        for document in (self.document(), self._ruler):
            document.setDefaultFont(used)
            cursor = QTextCursor(document)
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.mergeBlockFormat(line)
        self.updateGeometry()

    def _colour(self) -> None:
        shown = self.palette()
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText):
            shown.setColor(role, colour(self._role))
        if shown != self.palette():
            self.setPalette(shown)

    def hasHeightForWidth(self) -> bool:
        """Its layout needs its height at a width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """As tall as the text is at that width."""
        self._ruler.setTextWidth(max(width, 1))
        return ceil(self._ruler.size().height())

    def sizeHint(self) -> QSize:
        """As tall as the text is at the present width."""
        return QSize(_USUAL_WIDTH, self.heightForWidth(max(self.width(), _LEAST_WIDTH)))

    def minimumSizeHint(self) -> QSize:
        """One line, and no wider than it must be."""
        return QSize(_LEAST_WIDTH, self.fontMetrics().height())

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the application's font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:  # the sheet follows both
            self._colour()
            self._style()


class MonoField(QPlainTextEdit):
    """Read-only, but it can be selected with mouse and keyboard; Tab leaves it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """``name`` is what a screen reader calls it."""
        super().__init__(parent)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setProperty("details", True)
        self.setAccessibleName(name)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(4)
        self.setFont(font("micro", family="mono"))
        self._stays_at_end = False
        self.verticalScrollBar().rangeChanged.connect(self._keep_end)
        self.verticalScrollBar().actionTriggered.connect(self._let_go)

    def show_text(self, text: str, at_end: bool = False) -> None:
        """Show a text from its beginning, or its end: that stays in sight until the user scrolls."""
        self._stays_at_end = at_end
        self.setPlainText(text)
        self._keep_end()

    def _keep_end(self) -> None:
        bar = self.verticalScrollBar()
        if self._stays_at_end:
            bar.setValue(bar.maximum())

    def _let_go(self) -> None:
        self._stays_at_end = False

    def event(self, event: QEvent) -> bool:
        """Grow with the font."""
        if event.type() == QEvent.Type.ApplicationFontChange:
            self.setFont(font("micro", family="mono"))
        return super().event(event)


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
