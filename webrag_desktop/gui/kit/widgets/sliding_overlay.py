"""A pane that slides over the leading edge of its parent where there is no room beside it."""

from PySide6.QtCore import QEasingCurve, QEvent, QObject, QPoint, QPropertyAnimation, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.painting import duration
from webrag_desktop.gui.kit.theme.tokens import PANE_MOTION, Role
from webrag_desktop.gui.kit.widgets.panes import column
from webrag_desktop.gui.kit.widgets.popups import FocusMemory

_EDGE = 1


class _Outside(QWidget):
    """Lies over the rest of the parent and takes the click that closes."""

    pressed = Signal()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.pressed.emit()


class SlidingOverlay(QFrame):
    """Closes on Esc, on a click outside, and when the keyboard leaves; the keyboard goes back where it was."""

    closed = Signal()

    def __init__(self, parent: QWidget, width: int, role: Role = "sidebar") -> None:
        """Begin closed and empty, over ``parent``."""
        super().__init__(parent)
        self._role, self._wide = role, width
        self._content: QWidget | None = None
        self._outside = _Outside(parent)
        self._outside.pressed.connect(self.close_pane)
        self._column = column(self, (0, 0, _EDGE, 0))
        self._motion = QPropertyAnimation(self, b"pos", self)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._focus = FocusMemory(self)
        self._focus.left.connect(self.close_pane)
        parent.installEventFilter(self)
        self.hide()
        self._outside.hide()

    def set_content(self, content: QWidget) -> None:
        """Take a widget in; it is this pane's until :meth:`take_content`."""
        self._content = content
        self._column.addWidget(content)
        content.show()

    def take_content(self) -> QWidget | None:
        """Give the widget back, to be shown elsewhere."""
        content, self._content = self._content, None
        if content is not None:
            self._column.removeWidget(content)
            content.setParent(None)
        return content

    @property
    def is_open(self) -> bool:
        """Whether the pane is there for the user."""
        return not self.isHidden()

    def open(self) -> None:
        """Slide in and take the keyboard."""
        if self.is_open:
            return
        self._focus.remember()
        self._place()
        self._outside.show()
        self._outside.raise_()
        self.show()
        self.raise_()
        self._slide()
        self._take_keyboard()

    def _slide(self) -> None:
        end = self.pos()
        side = 1 if self._mirrored() else -1
        self._motion.stop()
        self._motion.setDuration(duration(PANE_MOTION))
        self._motion.setStartValue(end + QPoint(side * self.width(), 0))
        self._motion.setEndValue(end)
        self._motion.start()

    def _take_keyboard(self) -> None:
        """Focus what Tab reaches first."""
        part = self.nextInFocusChain()
        while part is not None and part is not self:
            if self.isAncestorOf(part) and _takes_keyboard(part):
                part.setFocus(Qt.FocusReason.PopupFocusReason)
                return
            part = part.nextInFocusChain()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def close_pane(self) -> None:
        """Go away; the keyboard goes back, unless it is elsewhere already."""
        if not self.is_open:
            return
        self._motion.stop()
        self._outside.hide()
        self._focus.give_back()
        self.hide()
        self.closed.emit()

    def _mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is None:
            return
        self._motion.stop()
        width = min(self._wide, parent.width())
        self.setGeometry(parent.width() - width if self._mirrored() else 0, 0, width, parent.height())
        self._outside.setGeometry(parent.rect())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_pane()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the parent's size."""
        if watched is self.parent() and event.type() == QEvent.Type.Resize and self.is_open:
            self._place()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground and the edge."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour(self._role))
        left = 0 if self._mirrored() else self.width() - _EDGE
        painter.fillRect(left, 0, _EDGE, self.height(), colour("line_strong"))


def _takes_keyboard(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isVisible() and widget.isEnabled()
