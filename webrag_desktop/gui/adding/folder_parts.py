"""The parts of a folder's preview: a figure with its word, and a line about what is left out."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from webrag_desktop.gui.adding.folder_words import left_out_detail, left_out_headline, left_out_look
from webrag_desktop.gui.data.folders import LeftOut
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import MEDIUM, SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import paint_hairline
from webrag_desktop.gui.kit.theme.plain_tooltip import plain_tooltip
from webrag_desktop.gui.kit.theme.tokens import SPACE_S, SPACE_XS
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label
from webrag_desktop.gui.kit.widgets.layouts import column, row

_ICON, _PAD = 16, 8


class Figure(QWidget):
    """A number and what it counts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number = Label("", "head", "text", SEMIBOLD, figures=True)
        self._words = Label("", "body", "text2")
        across = row(self, spacing=SPACE_S)
        across.addWidget(self._number, 0, Qt.AlignmentFlag.AlignBaseline)
        across.addWidget(self._words, 0, Qt.AlignmentFlag.AlignBaseline)

    def show_figure(self, number: str, words: str) -> None:
        """Show another number."""
        self._number.setText(number)
        self._words.setText(words)
        self.setAccessibleName(f"{number} {words}")


class LeftOutLine(QFrame):
    """An icon, what is left out, and why; with a hairline below."""

    def __init__(self, group: LeftOut, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = left_out_look(group)
        headline, detail = left_out_headline(group), left_out_detail(group)
        inset = _PAD + grown(_ICON) + SPACE_S
        across = row(self)
        across.addSpacing(inset)
        lines = column(margins=(0, SPACE_XS + 2, 0, SPACE_XS + 2), spacing=1)
        across.addLayout(lines, 1)
        self._headline = ElidedLabel(headline, "body", "text", MEDIUM, figures=True)
        lines.addWidget(self._headline)
        if detail:
            lines.addWidget(ElidedLabel(detail, "small", "text2", figures=True))
        self.setAccessibleName(". ".join(filter(None, (headline, detail))))
        self.setToolTip(plain_tooltip("\n".join(group.examples)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw icon and hairline."""
        painter, rect = QPainter(self), QRectF(self.rect())
        mirror, side = Mirror(rect, self.isRightToLeft()), grown(_ICON)
        top = self._headline.geometry().center().y() + 0.5 - side / 2
        paint_icon(painter, self._look.icon, mirror.left(_PAD, side), top, side, self._look.role)
        line = mirror.rect(QRectF(_PAD + side + SPACE_S, 0, rect.width() - _PAD - side - SPACE_S, 1))
        paint_hairline(painter, line.left(), line.right(), rect.height() - 1)
