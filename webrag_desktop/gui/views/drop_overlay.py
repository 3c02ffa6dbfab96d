"""Takes drops anywhere on the window, and says beforehand what letting go will do."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QMainWindow, QWidget

from webrag_desktop.gui.dropped import Dropped, links_and_files
from webrag_desktop.gui.theme.colours import colour
from webrag_desktop.gui.theme.fonts import SEMIBOLD, font
from webrag_desktop.gui.theme.icons import paint_icon
from webrag_desktop.gui.theme.painting import CENTER, paint_line
from webrag_desktop.gui.theme.tokens import RADIUS_DROP, SPACE_L, SPACE_S, Role

_DASHES = [5.0, 4.0]
_ICON = 40


class DropOverlay(QWidget):
    """Covers the window while something hangs over it: the accent ground, a dashed edge, one sentence."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._dropped = Dropped()
        self.hide()

    def show_dropped(self, dropped: Dropped) -> None:
        """Say what will happen."""
        self._dropped = dropped
        self.setAccessibleName(dropped.sentence())
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.show()
        self.raise_()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint ground, edge and sentence."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        taken = bool(self._dropped.given)
        painter.fillRect(self.rect(), colour("accent_soft" if taken else "window", 0.94))
        edge = QRectF(self.rect()).adjusted(SPACE_L, SPACE_L, -SPACE_L, -SPACE_L)
        pen = QPen(colour("focus" if taken else "control"), 2)
        pen.setDashPattern(_DASHES)
        painter.setPen(pen)
        painter.drawRoundedRect(edge, RADIUS_DROP, RADIUS_DROP)
        self._paint_words(painter, edge, taken)

    def _paint_words(self, painter: QPainter, edge: QRectF, taken: bool) -> None:
        head, below = font("hero", SEMIBOLD), font("lead")
        height = QFontMetricsF(head).height()
        top = edge.center().y() - height
        name = "arrow-down-to-line" if taken else "ban"
        role: Role = "accent_text" if taken else "text3"
        paint_icon(painter, name, edge.center().x() - _ICON / 2, top - _ICON - SPACE_L, _ICON, role)
        line = QRectF(edge.left(), top, edge.width(), height)
        paint_line(painter, line, self._dropped.sentence(), head, "text", CENTER)
        if taken:
            line.translate(0, height + SPACE_S)
            words = self.tr("A copy is kept on this computer, so the source can change safely.")
            paint_line(painter, line, words, below, "text2", CENTER)


class DropTarget(QObject):
    """Watches a window's drags. A drag that began in the window itself is left to whoever it is for."""

    dropped = Signal(object)  # Dropped

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._overlay = DropOverlay(window)
        self._dropped = Dropped()
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def shield(self) -> None:
        """Keep text fields and lists from taking what is meant for the library; call it once all are made."""
        for child in self._window.findChildren(QWidget):
            if child.acceptDrops():
                child.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take foreign drags, wherever on the window they are."""
        if isinstance(event, QDragEnterEvent):
            return self._entered(event)
        if isinstance(event, QDragMoveEvent):
            return self._moved(event)
        if isinstance(event, QDropEvent):
            return self._let_go(event)
        if event.type() == QEvent.Type.DragLeave and self._overlay.isVisible():
            self._overlay.hide()
            return True
        return super().eventFilter(watched, event)

    def _entered(self, event: QDragEnterEvent) -> bool:
        if event.source() is not None:
            return False
        self._dropped = links_and_files(event.mimeData())
        self._overlay.show_dropped(self._dropped)
        self._answer(event)
        return True

    def _moved(self, event: QDragMoveEvent) -> bool:
        if event.source() is not None:
            return False
        self._answer(event)
        return True

    def _answer(self, event: QDropEvent) -> None:
        if self._dropped.given:
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
        self.dropped.emit(links_and_files(event.mimeData()))
        return True
