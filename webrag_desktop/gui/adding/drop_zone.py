"""The empty library's page: where to drop things, and what happens to them."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from webrag_desktop.gui.adding.sheets import Sheets
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.icons import paint_icon
from webrag_desktop.gui.kit.theme.painting import paint_box
from webrag_desktop.gui.kit.theme.tokens import (
    RADIUS_DROP,
    RADIUS_ROW,
    SPACE_L,
    SPACE_M,
    SPACE_S,
    SPACE_XL,
    SPACE_XS,
    SPACE_XXL,
)
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.layouts import column, row
from webrag_desktop.gui.kit.widgets.panel import Panel
from webrag_desktop.models.formats import LISTED

_WIDTH, _STEP_WIDTH, _STEP_LEAST = 760, 168, 84
_DASHES = [5.0, 4.0]
_TILE, _TILE_ICON = 30, 16


class _Tile(QWidget):
    def __init__(self, drawing: str) -> None:
        super().__init__()
        self._drawing = drawing
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(_TILE, _TILE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, inset = QPainter(self), (_TILE - _TILE_ICON) / 2
        paint_box(painter, QRectF(self.rect()), RADIUS_ROW, colour("accent_soft"))
        paint_icon(painter, self._drawing, inset, inset, _TILE_ICON, "accent_text")


class DropZone(QFrame):
    """The dashed frame with the words and two buttons in it."""

    paste_requested = Signal()
    files_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.paste = push_button(self.tr("Paste a link"), "primary", "clipboard-paste")
        self.files = push_button(self.tr("Choose files…"), icon="file-up")
        self.paste.clicked.connect(self.paste_requested)
        self.files.clicked.connect(self.files_requested)
        self.setMaximumWidth(grown(_WIDTH))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setFocusProxy(self.paste)
        self._lay_out()

    def _lay_out(self) -> None:
        centre = Qt.AlignmentFlag.AlignHCenter
        title = Label(self.tr("Drop links or files here"), "hero", "text", SEMIBOLD, wrap=True)
        text = Label(
            self.tr("{0}, whole folders. They are read and kept on this computer.").format(", ".join(LISTED)),
            "lead",
            "text2",
            wrap=True,
        )
        whole = column(self, (SPACE_XL, SPACE_XXL + 4, SPACE_XL, SPACE_XXL))
        whole.addWidget(Sheets(), 0, centre)
        whole.addSpacing(SPACE_M)
        for label in (title, text):
            label.setAlignment(centre)
            whole.addWidget(label)
            whole.addSpacing(SPACE_XS)
        whole.addSpacing(SPACE_XL)
        buttons = row(spacing=SPACE_S)
        buttons.addStretch(1)
        buttons.addWidget(self.paste)
        buttons.addWidget(self.files)
        buttons.addStretch(1)
        whole.addLayout(buttons)
        whole.addSpacing(SPACE_XXL + SPACE_M)
        whole.addLayout(self._steps())
        self.setAccessibleName(title.text())
        self.setAccessibleDescription(text.text())

    def _steps(self) -> QHBoxLayout:
        steps = row(spacing=SPACE_XL)
        steps.addStretch(1)
        for drawing, name, text in (
            (
                "arrow-down-to-line",
                self.tr("Drop"),
                self.tr("A copy is kept, so the source can change safely."),
            ),
            ("search", self.tr("Ask"), self.tr("Search by meaning and by word, without a network.")),
            ("text-quote", self.tr("Cite"), self.tr("Every quote opens its source at the exact characters.")),
        ):
            sentences = column(spacing=1)
            sentences.addWidget(Label(name, "body", "text", SEMIBOLD))
            said = Label(text, "small", "text2", wrap=True)
            said.setMinimumWidth(grown(_STEP_LEAST))
            said.setMaximumWidth(grown(_STEP_WIDTH))
            sentences.addWidget(said)
            sentences.addStretch(1)
            step = row(spacing=SPACE_S + 2)
            step.addWidget(_Tile(drawing), 0, Qt.AlignmentFlag.AlignTop)
            step.addLayout(sentences, 1)
            steps.addLayout(step, 100)
        steps.addStretch(1)
        return steps

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the ground and its dashed edge."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(colour("control"), 1.4)
        pen.setDashPattern(_DASHES)
        painter.setPen(pen)
        painter.setBrush(colour("surface"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS_DROP, RADIUS_DROP)


class EmptyLibrary(Panel):
    """The drop zone in the middle of the page."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", parent=parent)
        self.zone = DropZone()
        self.setFocusProxy(self.zone)
        across = row()
        across.addStretch(1)
        across.addWidget(self.zone, 100)
        across.addStretch(1)
        whole = column(self, (SPACE_L, SPACE_L, SPACE_L, SPACE_L))
        whole.addStretch(2)
        whole.addLayout(across)
        whole.addStretch(3)
