"""Remembers where the keyboard was before it came to a passing thing, and brings it back there."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid


class FocusMemory(QObject):
    """Watches the keyboard enter and leave a widget and what is in it."""

    entered = Signal()
    left = Signal()

    def __init__(self, widget: QWidget) -> None:
        """Watch ``widget``, which owns this."""
        super().__init__(widget)
        self._widget = widget
        self._before: QWidget | None = None
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow)

    @property
    def inside(self) -> bool:
        """Whether the keyboard is in the widget."""
        return self._holds(QApplication.focusWidget())

    def remember(self) -> None:
        """Take where the keyboard is now for the place to go back to."""
        self._before = QApplication.focusWidget()

    def give_back(self) -> None:
        """Bring the keyboard back, if it is here and the place it came from still shows."""
        before, self._before = self._before, None
        if self.inside and before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _holds(self, other: QWidget | None) -> bool:
        if other is None or not isValid(self._widget):
            return False
        return other is self._widget or self._widget.isAncestorOf(other)

    def _follow(self, old: QWidget | None, new: QWidget | None) -> None:
        came, went = self._holds(new), self._holds(old)
        if came and not went:
            self._before = old if old is not None else self._before
            self.entered.emit()
        elif went and not came and new is not None:  # with None the window itself lost the keyboard
            self.left.emit()
