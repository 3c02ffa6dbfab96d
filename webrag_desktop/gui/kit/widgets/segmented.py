"""A switch between a few views: one button each, exactly one of them down."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QSizePolicy, QToolButton, QWidget

from webrag_desktop.gui.kit.theme.colours import colour, is_dark, is_system
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import LEFT, paint_box, paint_focus, paint_line, text_width
from webrag_desktop.gui.kit.theme.tokens import CONTROL_HEIGHT
from webrag_desktop.gui.kit.widgets.buttons import name_tool
from webrag_desktop.gui.kit.widgets.layouts import row

_EDGE, _INSET, _ICON, _ICON_GAP = 2, 14, 16, 6
_TROUGH_RADIUS, _SEGMENT_RADIUS = 7.0, 5.5


class _Segment(QToolButton):
    """One position of the switch."""

    def __init__(self, icon: str, label: str) -> None:
        super().__init__()
        self._icon = icon
        self.setText(label)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        width = text_width(self.text(), font("body", SEMIBOLD)) + 2 * _INSET
        return QSize(
            round(width + (grown(_ICON) + _ICON_GAP if self._icon else 0)), grown(CONTROL_HEIGHT) - 2 * _EDGE
        )

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        rect = QRectF(self.rect())
        if self.isChecked():
            chosen = colour("accent_soft" if is_system() else "raised")
            paint_box(painter, rect, _SEGMENT_RADIUS, chosen, colour("line_strong"))
        elif self.underMouse():
            paint_box(painter, rect, _SEGMENT_RADIUS, colour("hover"))
        if self.hasFocus():
            paint_focus(painter, rect, _SEGMENT_RADIUS)
        self._paint_content(painter, rect)

    def _paint_content(self, painter: QPainter, rect: QRectF) -> None:
        on = self.isChecked()
        used = font("body", SEMIBOLD if on else MEDIUM)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = grown(_ICON)
        taken = side + _ICON_GAP if self._icon else 0
        left = (rect.width() - taken - text_width(self.text(), used)) / 2
        if self._icon:
            at = rect.width() - left - side if mirrored else left
            paint_icon(
                painter, self._icon, at, (rect.height() - side) / 2, side, "accent_text" if on else "text2"
            )
        words = rect.adjusted(0, 0, -left - taken, 0) if mirrored else rect.adjusted(left + taken, 0, 0, 0)
        paint_line(
            painter, words, self.text(), used, "text" if on else "text2", LEFT, Qt.TextElideMode.ElideNone
        )


class Segmented(QFrame):
    """Made from (icon, label, shortcut) of each position. Arrow keys move; Tab stops once.

    The keys themselves belong to actions of the window.
    """

    chosen = Signal(int)

    def __init__(self, items: Sequence[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        """Begin with the first position."""
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        line = row(self, (_EDGE, _EDGE, _EDGE, _EDGE))
        for index, (icon, label, shortcut) in enumerate(items):
            segment = _Segment(icon, label)
            name_tool(segment, label, shortcut)
            self._group.addButton(segment, index)
            line.addWidget(segment)
        self.choose(0)
        self._group.idClicked.connect(self.chosen)

    def choose(self, index: int) -> None:
        """Move the switch without a signal."""
        self._group.button(index).setChecked(True)
        for at, segment in enumerate(
            self._group.buttons()
        ):  # Qt does so only once one of them had the keyboard
            segment.setFocusPolicy(Qt.FocusPolicy.TabFocus if at == index else Qt.FocusPolicy.NoFocus)

    def current(self) -> int:
        """Where the switch stands."""
        return self._group.checkedId()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the trough."""
        trough = colour("sidebar") if is_dark() or is_system() else colour("line", 0.75)
        edge = colour("line") if is_system() else None
        paint_box(QPainter(self), QRectF(self.rect()), _TROUGH_RADIUS, trough, edge)
