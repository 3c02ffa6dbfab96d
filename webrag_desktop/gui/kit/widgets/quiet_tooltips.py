"""Tooltips of rows are for the pointer: none comes up while the keyboard moves rows under a pointer that rests."""

from PySide6.QtCore import QEvent, QObject, QPointF
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QToolTip


class QuietTooltips(QObject):
    """Watches a view: from a key on no tooltip is shown there, until the pointer itself moves."""

    def __init__(self, view: QAbstractItemView) -> None:
        """Watch ``view``, which owns this."""
        super().__init__(view)
        self._view = view
        self._pointer: QPointF | None = None
        self.is_quiet = False
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow keys and pointer; take what asks for a tooltip out of the way."""
        kind = event.type()
        if kind == QEvent.Type.KeyPress and watched is self._view:
            self.is_quiet = True
            QToolTip.hideText()
        elif kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            # Rows that come under a pointer that rests are told by such an event, too.
            self.is_quiet = self.is_quiet and event.globalPosition() == self._pointer
            self._pointer = event.globalPosition()
        elif kind == QEvent.Type.ToolTip:
            return self.is_quiet
        return False
