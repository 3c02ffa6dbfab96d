"""The pages shown instead of results: an introduction, and a skeleton while searching."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from webrag_desktop.gui.kit.shortcuts import key_cap, key_of
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import RESULT_GROUP, SPACE_L, SPACE_S, SPACE_XL
from webrag_desktop.gui.kit.widgets.labels import KeyCap, Label
from webrag_desktop.gui.kit.widgets.messages import EmptyState
from webrag_desktop.gui.kit.widgets.panes import column, row
from webrag_desktop.gui.research.passage_layout import RIGHT_INSET, text_left

_SHARES = ((0.5, 0.9, 0.96, 0.62), (0.34, 0.94, 0.5), (0.42, 0.88, 0.97, 0.7))  # of the width, per passage
_BAR, _STEP = 8, 20


class IdlePage(QWidget):
    """How to ask, and the keys that go with the answer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        state = EmptyState(
            "search",
            self.tr("Ask your documents"),
            self.tr(
                "Type a question or a few words above, then press Enter. For example: “why did the first cable "
                "fail”. You get the passages that answer it, each with its source."
            ),
        )
        keys = QGridLayout()
        keys.setHorizontalSpacing(SPACE_L)
        keys.setVerticalSpacing(SPACE_S)
        keys.setColumnStretch(1, 1)
        for at, (caps, meaning) in enumerate(self._keys()):
            line = row(spacing=SPACE_S - 4)
            for cap in caps:
                line.addWidget(KeyCap(cap))
            keys.addLayout(line, at, 0, Qt.AlignmentFlag.AlignLeft)
            keys.addWidget(Label(meaning, "small", "text2"), at, 1)
        layout = column(self)
        layout.addWidget(state)
        indented = row(margins=(SPACE_XL + 28, 0, SPACE_XL, 0))
        indented.addLayout(keys)
        layout.addLayout(indented)
        layout.addStretch(1)

    def _keys(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        return (
            ((key_cap(key_of("window", "search")),), self.tr("go to the question")),
            ((key_cap("Up"), key_cap("Down")), self.tr("from passage to passage; the reader follows")),
            ((key_cap(key_of("results", "cite")),), self.tr("cite the marked sentence")),
            ((key_cap(key_of("results", "open")),), self.tr("open the passage in its document")),
        )


class Skeleton(QWidget):
    """The skeleton of results to come, without animation."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Searching"))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw bars where places and lines of text will be."""
        painter = QPainter(self)
        bar, step, y = grown(_BAR), grown(_STEP), float(grown(24))
        left = text_left()
        room = self.width() - left - RIGHT_INSET
        while y < self.height():
            self._bar(painter, QRectF(16, y, grown(18), grown(18)))
            self._bar(painter, QRectF(left, y, room * 0.55, bar))
            self._bar(painter, QRectF(left, y + step - 4, room * 0.25, bar))
            y += grown(RESULT_GROUP)
            for shares in _SHARES:
                for share in shares:
                    self._bar(painter, QRectF(left, y, room * share, bar))
                    y += step
                y += step

    def _bar(self, painter: QPainter, bar: QRectF) -> None:
        mirror = Mirror(QRectF(self.rect()), self.isRightToLeft())
        paint_box(painter, mirror.rect(bar), min(bar.height(), 8) / 2, colour("line"))
