"""Takes drops anywhere on the window, and says beforehand what letting go will do."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent, QPen, QWindow
from PySide6.QtWidgets import QMainWindow, QWidget

from webrag_desktop.gui.adding.dropped import Dropped, at_first_sight
from webrag_desktop.gui.adding.sheets import Sheets
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD
from webrag_desktop.gui.kit.theme.tokens import RADIUS_DROP, SPACE_M, SPACE_XL, SPACE_XS, SPACE_XXL
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.layouts import column
from webrag_desktop.models.formats import LISTED_IN_WORDS

_DASHES = [5.0, 4.0]


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

    def show_dropped(self, dropped: Dropped) -> None:
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


class DropTarget(QObject):
    """Watches a window's drags. A drag that began in this program is left to whoever it is for."""

    dropped = Signal(object)  # Dropped, at first sight: no file was touched yet

    def __init__(self, window: QMainWindow, area: QWidget | None = None) -> None:
        """Take drops on ``window`` and on whatever is in it; only ``area`` of it is covered meanwhile."""
        super().__init__(window)
        self._window = window
        self._native: QWindow | None = None
        self._overlay = DropOverlay(window, area)
        self._dropped = Dropped()
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def shield(self) -> None:
        """Keep text fields and lists that are there now from taking drags that are sent to them directly.

        Drags from the window system come to the window first, where this takes them before any child is asked.
        """
        for child in self._window.findChildren(QWidget):
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
            return self._entered(event)
        if isinstance(event, QDragMoveEvent):
            return self._moved(event)
        if isinstance(event, QDropEvent):
            return self._let_go(event)
        if kind == QEvent.Type.DragLeave and self._overlay.isVisible():
            self._overlay.hide()
            return True
        return super().eventFilter(watched, event)

    def _entered(self, event: QDragEnterEvent) -> bool:
        if event.source() is not None:
            return False
        self._dropped = at_first_sight(event.mimeData())
        self._overlay.show_dropped(self._dropped)
        self._answer(event)
        return True

    def _moved(self, event: QDragMoveEvent) -> bool:
        if event.source() is not None:
            return False
        self._answer(event)
        return True

    def _answer(self, event: QDropEvent) -> None:
        if self._dropped.is_wanted:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
        else:
            event.ignore()

    def _let_go(self, event: QDropEvent) -> bool:
        if event.source() is not None:
            return False
        self._overlay.hide()
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.dropped.emit(at_first_sight(event.mimeData()))
        return True
