"""The keyboard's ring around the reader's text: over it, so that scrolling leaves no traces."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from webrag_desktop.gui.kit.theme.painting import paint_focus

_BY_POINTER = frozenset((Qt.FocusReason.MouseFocusReason, Qt.FocusReason.PopupFocusReason))


class FocusRing(QWidget):
    """Shows while the keyboard is in ``target``, unless a click brought it there."""

    def __init__(self, target: QWidget) -> None:
        super().__init__(target)
        self._target = target
        self._by_keyboard = True
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

    def _cover(self) -> None:
        self.setGeometry(self._target.rect())
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ring."""
        paint_focus(QPainter(self), QRectF(self.rect()), 0)
