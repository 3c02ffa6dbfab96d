"""What is drawn in place of the reader's text and over it: the skeleton while it loads, the focus ring."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.direction import Mirror
from webrag_desktop.gui.kit.theme.fonts import grown
from webrag_desktop.gui.kit.theme.painting import paint_box, paint_focus
from webrag_desktop.gui.reader.page import NOTE_MARGIN, NUMBER_MARGIN

_LINES = (0.62, 0.0, 0.97, 1.0, 0.94, 0.55, 0.0, 0.99, 0.96, 0.7)  # shares of the width; 0 is a gap
_MEASURE, _LINE, _THICKNESS, _TOP = 560, 24, 9, 30


class ReaderSkeleton(QWidget):
    """Lines of a text to come."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the paper and the lines."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        width = min(grown(_MEASURE), self.width() - NUMBER_MARGIN - NOTE_MARGIN)
        left = max((self.width() - width) / 2, NUMBER_MARGIN)
        mirror = Mirror(QRectF(self.rect()), self.isRightToLeft())
        for index, share in enumerate(_LINES):
            top = grown(_TOP) + index * grown(_LINE)
            rect = mirror.rect(QRectF(left, top, width * share, grown(_THICKNESS)))
            if share:
                paint_box(painter, rect, rect.height() / 2, colour("line"))


_FOCUS_LINE, _RING_INSET = 2, 3
_BY_POINTER = frozenset((Qt.FocusReason.MouseFocusReason, Qt.FocusReason.PopupFocusReason))


class FocusRing(QWidget):
    """Shows while the keyboard is in ``target``, unless a click brought it there.

    In the full reader, where nearly nothing else could have the keyboard, it is but a line at the top.
    """

    def __init__(self, target: QWidget) -> None:
        super().__init__(target)
        self._target = target
        self._by_keyboard = True
        self._is_line = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        target.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the keyboard and the size of the target."""
        if event.type() == QEvent.Type.FocusIn and isinstance(event, QFocusEvent):
            self._cover()
            if event.reason() != Qt.FocusReason.ActiveWindowFocusReason:  # then it is as it was
                self._by_keyboard = event.reason() not in _BY_POINTER
            self.setVisible(self._by_keyboard)
        elif event.type() == QEvent.Type.FocusOut:
            self.hide()
        elif event.type() == QEvent.Type.Resize:
            self._cover()
        return super().eventFilter(watched, event)

    def set_line(self, is_line: bool) -> None:
        """Be a line at the top instead of a ring around."""
        self._is_line = is_line
        self.update()

    def _cover(self) -> None:
        self.setGeometry(self._target.rect())
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ring away from the hairlines around the target, which would double it, or the line."""
        painter = QPainter(self)
        if self._is_line:
            painter.fillRect(0, 0, self.width(), _FOCUS_LINE, colour("focus"))
        else:
            inside = QRectF(self.rect()).adjusted(_RING_INSET, _RING_INSET, -_RING_INSET, -_RING_INSET)
            paint_focus(painter, inside)
