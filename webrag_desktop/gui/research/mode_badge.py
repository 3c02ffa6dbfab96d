"""The badge that tells how a question is answered: a fact, not a switch."""

from math import ceil

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, font, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_focus, paint_line, text_width
from webrag_desktop.gui.kit.theme.plain_tooltip import plain_tooltip
from webrag_desktop.gui.kit.theme.tokens import CHIP_HEIGHT
from webrag_desktop.gui.kit.widgets.popover import Popover

_ICON, _ICON_LEFT, _ICON_GAP, _GAP, _INSET, _RADIUS = 14, 7, 5, 9, 10, 5
_LEAST_WIDTH = 110


def _text_left() -> int:
    """Where the words begin: after the icon."""
    return _ICON_LEFT + grown(_ICON) + _ICON_GAP


class ModeBadge(QToolButton):
    """Shows a word and numbers, as "Chunk mode, 182k tokens / 30k threshold"; a click explains them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Say nothing yet."""
        super().__init__(parent)
        self._label, self._detail, self._explanation = "", "", ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._explain)
        self.show_mode("", "", "")

    def show_mode(self, label: str, detail: str, explanation: str) -> None:
        """Show a mode; the explanation is a sentence or two. Without a label the badge is not there."""
        self._label, self._detail, self._explanation = label, detail, explanation
        self.setToolTip(plain_tooltip(explanation))
        self.setAccessibleName(f"{label}, {detail}" if detail else label)
        self.setAccessibleDescription(explanation)
        self.setEnabled(bool(label))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if label else Qt.FocusPolicy.NoFocus)
        self.updateGeometry()
        self.update()

    def _explain(self) -> None:
        Popover(self._label, self._explanation, self).show_below(self)

    def sizeHint(self) -> QSize:
        """As wide as the words."""
        if not self._label:
            return QSize(0, grown(CHIP_HEIGHT))
        width = _text_left() + text_width(self._label, font("small", SEMIBOLD)) + _INSET
        if self._detail:
            width += _GAP + text_width(self._detail, font("small", figures=True)) + 1
        return QSize(ceil(width) + 2, grown(CHIP_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """Wide enough for the mode; the numbers are cut first."""
        return QSize(min(_LEAST_WIDTH, self.sizeHint().width()), grown(CHIP_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the badge."""
        if not self._label:
            return
        painter = QPainter(self)
        rect = QRectF(self.rect())
        ground = colour("hover" if self.underMouse() else "surface")
        paint_box(painter, rect, _RADIUS, ground, colour("line_strong"))
        if self.hasFocus():
            paint_focus(painter, rect, _RADIUS)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        icon_left = rect.width() - _ICON_LEFT - grown(_ICON) if mirrored else _ICON_LEFT
        paint_icon(
            painter, "layers", icon_left, (rect.height() - grown(_ICON)) / 2, grown(_ICON), "accent_text"
        )
        used = font("small", SEMIBOLD)
        taken = min(text_width(self._label, used) + 1, rect.width() - _text_left() - _INSET)
        words = QRectF(_text_left(), 0, taken, rect.height())
        numbers = QRectF(words.right() + _GAP, 0, rect.width() - words.right() - _GAP - _INSET, rect.height())
        if mirrored:
            words.moveRight(rect.width() - _text_left())
            numbers.moveRight(words.left() - _GAP)
        paint_line(painter, words, self._label, used)
        if numbers.width() > _INSET:
            paint_line(painter, numbers, self._detail, font("small", figures=True), "text3")
