"""Where links and files are dropped: the page of an empty library, and the overlay of the whole window."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent, QPen, QWindow
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMainWindow, QSizePolicy, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_icon
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
from webrag_desktop.gui.kit.widgets.panes import Panel, add_centred, column, row
from webrag_desktop.models.formats import LISTED, LISTED_IN_WORDS

if TYPE_CHECKING:  # reading what is dropped waits until something is
    from webrag_desktop.gui.adding.dropped import Dropped

_OWN_TYPES = "application/x-webrag-"  # what rows of this program are dragged as begins so
_SHEETS_WIDTH, _SHEETS_HEIGHT = 200, 92
_SHEET = QRectF(-30, -36, 60, 72)
_SHEET_ICON, _SHEET_LINE = 22, 4


class Sheets(QWidget):
    """A drawing; it says nothing that is not in words beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As large as the drawing."""
        return QSize(_SHEETS_WIDTH, _SHEETS_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw two sheets leaning away, and one before them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.width() / 2
        for shift, drop, turn, drawing in (
            (-62, 10, -9, "link"),
            (62, 10, 9, "file-text"),
            (0, 0, 0, "globe"),
        ):
            painter.save()
            painter.translate(middle + shift, 38 + drop)
            painter.rotate(turn)
            self._paint_sheet(painter, drawing, marked=shift == 0)
            painter.restore()

    @staticmethod
    def _paint_sheet(painter: QPainter, drawing: str, *, marked: bool) -> None:
        paint_box(painter, _SHEET, RADIUS_ROW, colour("raised"), colour("line_strong"))
        paint_icon(painter, drawing, -_SHEET_ICON / 2, -24, _SHEET_ICON, "accent_text")
        for at, width in enumerate((40, 40, 26)):
            line = QRectF(-20, 8 + at * 2 * _SHEET_LINE, width, _SHEET_LINE)
            ink = colour("evidence_on") if marked and at == 1 else colour("line_strong", 0.6)
            paint_box(painter, line, _SHEET_LINE / 2, ink)


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
            self.tr("{0}, whole folders.\nThey are read and kept on this computer.").format(
                ", ".join(LISTED)
            ),
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
        add_centred(self, self.zone, (SPACE_L, SPACE_L, SPACE_L, SPACE_L))


class DropOverlay(QWidget):
    """Covers the window while something hangs over it: the accent ground, a dashed edge, one sentence."""

    def __init__(self, window: QWidget, area: QWidget | None = None) -> None:
        """Lie hidden over ``area`` of ``window``, all of it if none is named, and follow its size."""
        super().__init__(window)
        self._area = area or window
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._taken = False
        self._sheets = Sheets()
        self._sentence = Label("", "hero", "text", SEMIBOLD, wrap=True)
        self._more = Label("", "lead", "text2", wrap=True)
        lines = column(self, (SPACE_XXL, SPACE_XXL, SPACE_XXL, SPACE_XXL))
        lines.addStretch(2)
        lines.addWidget(self._sheets, 0, Qt.AlignmentFlag.AlignHCenter)
        lines.addSpacing(SPACE_M)
        for words in (self._sentence, self._more):
            words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            lines.addWidget(words)
            lines.addSpacing(SPACE_XS)
        lines.addStretch(3)
        self._area.installEventFilter(self)
        self.hide()

    def show_dropped(self, dropped: "Dropped") -> None:
        """Say what will happen, and of what cannot be taken why."""
        self._taken = dropped.is_wanted
        kept = self.tr("A copy is kept on this computer, so the source can change safely.")
        readable = self.tr("{0} can be added.").format(LISTED_IN_WORDS)
        if dropped.folders and not dropped.given:
            kept = self.tr("You choose what of it is added.")
        more = dropped.refused[:1] or (kept,) if self._taken else (readable,)
        self._sentence.setText(dropped.sentence())
        self._more.setText(more[0])
        self._sheets.setVisible(self._taken)
        self.setAccessibleName(dropped.sentence())
        self.setAccessibleDescription(more[0])
        self._cover()
        self.show()
        self.raise_()
        self.update()

    def _cover(self) -> None:
        origin = self.mapFromGlobal(self._area.mapToGlobal(QPoint(0, 0))) + self.pos()
        self.setGeometry(QRect(origin, self._area.size()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of what it covers."""
        if watched is self._area and event.type() in {QEvent.Type.Resize, QEvent.Type.Move}:
            self._cover()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint ground and edge."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), colour("accent_soft" if self._taken else "window"))
        pen = QPen(colour("focus" if self._taken else "control"), 2)
        pen.setDashPattern(_DASHES)
        painter.setPen(pen)
        edge = QRectF(self.rect()).adjusted(SPACE_XL, SPACE_XL, -SPACE_XL, -SPACE_XL)
        painter.drawRoundedRect(edge, RADIUS_DROP, RADIUS_DROP)


Aim = Callable[[QPoint | None], tuple[UUID, str] | None]
"""Marks the collection at a place of the screen, none where that is None; returns its id and its name."""


class DropTarget(QObject):
    """Watches a window's drags. A drag that began in this program is left to its own target."""

    dropped = Signal(object)  # Dropped, at first sight: no file was touched yet

    def __init__(self, window: QMainWindow, area: QWidget | None = None) -> None:
        """Take drops on ``window`` and on whatever is in it; only ``area`` of it is covered meanwhile."""
        super().__init__(window)
        self._window = window
        self._native: QWindow | None = None
        self._overlay = DropOverlay(window, area)
        self._dropped: Dropped | None = None
        self._aim: Aim = lambda _place: None
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def set_aim(self, aim: Aim) -> None:
        """Have what is dropped on a collection go there."""
        self._aim = aim

    def shield(self, part: QWidget | None = None) -> None:
        """Keep text fields and lists that are there now from taking drags that are sent to them directly.

        Drags from the window system come to the window first, where this takes them before any child gets them.
        A ``part`` that was added later is shielded by itself.
        """
        for child in (part or self._window).findChildren(QWidget):
            if child.acceptDrops():
                child.installEventFilter(self)

    def _watch_native_window(self) -> None:
        native = self._window.windowHandle()
        if native is not None and native is not self._native:
            self._native = native
            native.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take foreign drags, wherever on the window they are."""
        kind = event.type()
        if watched is self._window and kind in {QEvent.Type.Show, QEvent.Type.WinIdChange}:
            self._watch_native_window()
        if isinstance(event, QDragEnterEvent):  # before moves, of which it is a kind
            return self._entered(event, watched)
        if isinstance(event, QDragMoveEvent):
            return self._moved(event, watched)
        if isinstance(event, QDropEvent):
            return self._let_go(event, watched)
        if kind == QEvent.Type.DragLeave and self._overlay.isVisible():
            self._overlay.hide()
            self._aim(None)
            return True
        return super().eventFilter(watched, event)

    def _entered(self, event: QDragEnterEvent, watched: QObject) -> bool:
        if _is_own(event):
            return False
        self._dropped = self._seen(event, watched)
        self._overlay.show_dropped(self._dropped)
        self._answer(event)
        return True

    def _moved(self, event: QDragMoveEvent, watched: QObject) -> bool:
        if _is_own(event) or self._dropped is None:
            return False
        aimed = self._aimed(self._dropped, event, watched)
        if aimed != self._dropped:
            self._dropped = aimed
            self._overlay.show_dropped(aimed)
        self._answer(event)
        return True

    def _seen(self, event: QDropEvent, watched: QObject) -> "Dropped":
        from webrag_desktop.gui.adding.dropped import at_first_sight

        return self._aimed(at_first_sight(event.mimeData()), event, watched)

    def _aimed(self, dropped: "Dropped", event: QDropEvent, watched: QObject) -> "Dropped":
        """The same, with the collection that it hangs over."""
        place = event.position().toPoint()
        if isinstance(watched, QWindow | QWidget):
            place = watched.mapToGlobal(place)
        found = self._aim(place if dropped.is_wanted else None)
        return replace(dropped, into=found[1] if found is not None else "")

    def _answer(self, event: QDropEvent) -> None:
        if self._dropped is not None and self._dropped.is_wanted:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
        else:
            event.ignore()

    def _let_go(self, event: QDropEvent, watched: QObject) -> bool:
        if _is_own(event):
            return False
        dropped = self._seen(event, watched)
        self._aim(None)
        self._overlay.hide()
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.dropped.emit(dropped)
        return True


def _is_own(event: QDropEvent) -> bool:
    """Whether rows of this program are dragged: what they are dropped on knows them."""
    own = any(name.startswith(_OWN_TYPES) for name in event.mimeData().formats())
    return own or event.source() is not None
