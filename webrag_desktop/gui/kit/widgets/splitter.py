"""Panes side by side with a hairline between them."""

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget


class _Handle(QSplitterHandle):
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        splitter = self.splitter()
        if isinstance(splitter, Splitter):
            splitter.reset()
            splitter.splitterMoved.emit(
                splitter.sizes()[0], 1
            )  # the user's doing, unlike a first arrangement
        event.accept()


class Splitter(QSplitter):
    """The handle is seen one pixel wide, and wider to the pointer. A double click on it restores the sizes."""

    def __init__(
        self, orientation: Qt.Orientation, sizes: Sequence[int], parent: QWidget | None = None
    ) -> None:
        """``sizes`` are those of the panes that will be added, in logical pixels."""
        super().__init__(orientation, parent)
        self._first_sizes = list(sizes)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)

    def addWidget(self, widget: QWidget) -> None:
        """Add a pane; with the last one the panes take their sizes."""
        super().addWidget(widget)
        if self.count() == len(self._first_sizes):
            self.reset()

    def reset(self) -> None:
        """Give the panes the sizes they began with."""
        self.setSizes(self._first_sizes)

    def saved(self) -> bytes:
        """The present sizes, for :meth:`restore`."""
        return bytes(self.saveState().data())

    def restore(self, state: bytes) -> bool:
        """Take sizes that :meth:`saved` gave; False if they are of another splitter."""
        done = self.restoreState(QByteArray(state))
        self.setHandleWidth(1)  # the state has one too
        self.setChildrenCollapsible(False)
        return done

    def createHandle(self) -> QSplitterHandle:
        """A handle that restores on double click."""
        return _Handle(self.orientation(), self)
