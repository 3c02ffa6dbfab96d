"""A line that can be chosen or not: a check box, an icon, a name, and what belongs to it at the far edge."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import LEFT, RIGHT, paint_box, paint_focus, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import RADIUS_CHIP, RADIUS_CONTROL, SPACE_M, SPACE_S

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
        self._paint_box(painter, QRectF(mirror.left(_PAD, side), (rect.height() - side) / 2, side, side))
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

    def _paint_box(self, painter: QPainter, box: QRectF) -> None:
        if self.checkState() == Qt.CheckState.Unchecked:
            paint_box(painter, box, RADIUS_CHIP, colour("raised"), colour("control"))
            return
        paint_box(painter, box, RADIUS_CHIP, colour("accent"))
        side = grown(_TICK)
        if self.checkState() == Qt.CheckState.PartiallyChecked:
            bar = QRectF(box.center().x() - side / 3, box.center().y() - 1, 2 * side / 3, 2)
            paint_box(painter, bar, 1, colour("on_accent"))
            return
        inset = (box.width() - side) / 2
        paint_icon(painter, "check", box.x() + inset, box.y() + inset, side, "on_accent")
