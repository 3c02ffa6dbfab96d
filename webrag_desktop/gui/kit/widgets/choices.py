"""Chips, which a cross removes, and rows with a check box."""

from math import ceil

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QComboBox, QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour, is_system
from webrag_desktop.gui.kit.theme.direction import Mirror, plain_tooltip
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.painting import (
    LEFT,
    RIGHT,
    paint_box,
    paint_focus,
    paint_icon,
    paint_line,
    text_width,
)
from webrag_desktop.gui.kit.theme.tokens import (
    CHIP_HEIGHT,
    CONTROL_HEIGHT,
    RADIUS_CHIP,
    RADIUS_CONTROL,
    SPACE_M,
    SPACE_S,
)

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


_ARROW = 14


class ChoiceBox(QComboBox):
    """A box of choices drawn as a text field, with a chevron at its end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Offer nothing yet."""
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def setEditable(self, editable: bool) -> None:
        """Let other words be typed; the field inside draws no box of its own."""
        super().setEditable(editable)
        edit = self.lineEdit()
        if edit is not None:
            edit.setProperty("bare", True)
            edit.setTextMargins(_GAP, 0, 0, 0)
            edit.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The ring is around the box while the field inside has the keyboard."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:
        """As high as a text field."""
        return QSize(max(super().sizeHint().width(), grown(_MOST) // 2), grown(CONTROL_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """Long choices are cut where there is no room."""
        return QSize(grown(_MOST) // 3, grown(CONTROL_HEIGHT))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll what it is on; a choice is made on purpose."""
        event.ignore()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the box, the chevron and, where nothing can be typed, the choice."""
        painter, rect = QPainter(self), QRectF(self.rect())
        active = self.isEnabled()
        typed = self.lineEdit()
        focused = self.hasFocus() or (typed is not None and typed.hasFocus())
        edge = colour("control" if active else "line")
        paint_box(painter, rect, RADIUS_CONTROL, colour("surface" if active else "sunken"), edge)
        if focused:
            paint_focus(painter, rect, RADIUS_CONTROL)
        side, mirror = grown(_ARROW), Mirror(rect, self.isRightToLeft())
        at = mirror.left(rect.width() - _INSET - side, side)
        paint_icon(
            painter, "chevron-down", at, (rect.height() - side) / 2, side, "text2" if active else "text3"
        )
        if not self.isEditable():
            words = mirror.rect(QRectF(_INSET, 0, rect.width() - 3 * _INSET - side, rect.height()))
            paint_line(painter, words, self.currentText(), font("body"), "text" if active else "text3", LEFT)


_HEIGHT, _BOX, _ICON, _TICK, _PAD = 34, 16, 16, 12, 8


class CheckRow(QCheckBox):
    """A check box as wide as its pane; clicking anywhere on it chooses."""

    def __init__(self, icon: str, name: str, detail: str, parent: QWidget | None = None) -> None:
        """``detail`` is read out with the name."""
        super().__init__(parent)
        self._icon, self._name, self._detail = icon, name, detail
        self.setAccessibleName(", ".join(filter(None, (name, detail))))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        """One line of the present font."""
        least = QFontMetricsF(font("body", MEDIUM)).height() + 2 * _PAD
        return QSize(grown(320), max(grown(_HEIGHT), round(least)))

    def minimumSizeHint(self) -> QSize:
        """As low as one line; names are cut where there is no room."""
        return QSize(0, self.sizeHint().height())

    def nextCheckState(self) -> None:
        """A row that holds for some of several is chosen for all of them first."""
        chosen = self.checkState() == Qt.CheckState.Checked
        self.setCheckState(Qt.CheckState.Unchecked if chosen else Qt.CheckState.Checked)

    def hitButton(self, pos: QPoint) -> bool:
        """The whole line takes clicks."""
        return self.rect().contains(pos)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be clicked."""
        super().enterEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line."""
        painter, rect = QPainter(self), QRectF(self.rect())
        mirror = Mirror(rect, self.isRightToLeft())
        if self.underMouse():
            paint_box(painter, rect, RADIUS_CONTROL, colour("hover"))
        side, drawing = grown(_BOX), grown(_ICON)
        box = QRectF(mirror.left(_PAD, side), (rect.height() - side) / 2, side, side)
        _paint_check(painter, box, self.checkState())
        at = _PAD + side + SPACE_M
        top = (rect.height() - drawing) / 2
        paint_icon(painter, self._icon, mirror.left(at, drawing), top, drawing, "text2")
        at += drawing + SPACE_S
        small = font("body", figures=True)
        room = rect.width() - at - _PAD
        far = min(text_width(self._detail, small) + 2, room)
        name = QRectF(at, 0, max(0.0, room - far - SPACE_S), rect.height())
        paint_line(painter, mirror.rect(name), self._name, font("body", MEDIUM), align=LEFT)
        detail = QRectF(rect.width() - _PAD - far, 0, far, rect.height())
        paint_line(painter, mirror.rect(detail), self._detail, small, "text2", RIGHT)
        if self.hasFocus():
            paint_focus(painter, rect)


def _paint_check(painter: QPainter, box: QRectF, state: Qt.CheckState, *, active: bool = True) -> None:
    if state == Qt.CheckState.Unchecked:
        paint_box(painter, box, RADIUS_CHIP, colour("raised"), colour("control" if active else "line"))
        return
    paint_box(painter, box, RADIUS_CHIP, colour("accent" if active else "control"))
    side = grown(_TICK)
    if state == Qt.CheckState.PartiallyChecked:
        bar = QRectF(box.center().x() - side / 3, box.center().y() - 1, 2 * side / 3, 2)
        paint_box(painter, bar, 1, colour("on_accent"))
        return
    inset = (box.width() - side) / 2
    paint_icon(painter, "check", box.x() + inset, box.y() + inset, side, "on_accent")


class CheckBox(QCheckBox):
    """A check box with a word, drawn as the rows are."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        """Say what is on or off."""
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As high as a text field, so that labels beside it are in line."""
        width = 2 * _PAD + grown(_BOX) + SPACE_S + text_width(self.text(), font("body"))
        return QSize(ceil(width) + 1, grown(CONTROL_HEIGHT))

    def hitButton(self, pos: QPoint) -> bool:
        """The word takes clicks, too."""
        return self.rect().contains(pos)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw box and word."""
        painter, rect, active = QPainter(self), QRectF(self.rect()), self.isEnabled()
        mirror, side = Mirror(rect, self.isRightToLeft()), grown(_BOX)
        box = QRectF(mirror.left(_GAP, side), (rect.height() - side) / 2, side, side)
        _paint_check(painter, box, self.checkState(), active=active)
        at = _GAP + side + SPACE_S
        words = mirror.rect(QRectF(at, 0, rect.width() - at, rect.height()))
        paint_line(painter, words, self.text(), font("body"), "text" if active else "text3", LEFT)
        if self.hasFocus():
            paint_focus(painter, rect)
