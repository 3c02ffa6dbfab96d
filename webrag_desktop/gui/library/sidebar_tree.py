"""The lines of the sidebar: what can be dropped on them, and collections that can be dragged."""

from uuid import UUID

from PySide6.QtCore import (
    QMimeData,
    QModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QWidget,
)

from webrag_desktop.gui.library.dragging import (
    COLLECTION_TYPE,
    DOCUMENTS_TYPE,
    dragged_collection,
    dragged_documents,
)
from webrag_desktop.gui.library.entry_tree import EntryTree
from webrag_desktop.gui.library.sidebar_model import SidebarModel


class SidebarTree(EntryTree):
    """Lines that things can be dropped on, and collections that can be dragged."""

    menu_requested = Signal(QModelIndex, QContextMenuEvent)
    documents_dropped = Signal(object, object)  # tuple[UUID, ...], UUID of a collection
    collection_dropped = Signal(
        object, object
    )  # UUID, UUID of the collection that it goes into, None for the top

    def __init__(self, model: SidebarModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._lines = model
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDropIndicatorShown(False)
        self.setAccessibleName(self.tr("Library"))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the line that was pointed at, or with the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        self.menu_requested.emit(index, event)

    def collection_at(self, point: QPoint) -> UUID | None:
        """The collection at a point of the viewport."""
        index = self.indexAt(point)
        return self._lines.entry(index).collection if index.isValid() else None

    def aim(self, collection: UUID | None) -> None:
        """Show over which collection something hangs."""
        if collection != self.aimed_at:
            self.aimed_at = collection
            self.viewport().update()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take documents and collections of this window."""
        mime = event.mimeData()
        if mime.hasFormat(DOCUMENTS_TYPE) or mime.hasFormat(COLLECTION_TYPE):
            event.accept()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Show where it would go."""
        point = event.position().toPoint()
        takes, target = self._target(event.mimeData(), point)
        self.aim(target)
        if takes:
            event.setDropAction(_action(event.mimeData()))
            event.accept()
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """It hangs over nothing any more."""
        super().dragLeaveEvent(event)
        self.aim(None)

    def dropEvent(self, event: QDropEvent) -> None:
        """Put documents into a collection, or a collection into another one or to the top."""
        mime = event.mimeData()
        takes, target = self._target(mime, event.position().toPoint())
        self.aim(None)
        if not takes:
            event.ignore()
            return
        event.setDropAction(_action(mime))
        event.accept()
        if mime.hasFormat(DOCUMENTS_TYPE):
            self.documents_dropped.emit(dragged_documents(mime), target)
        else:
            self.collection_dropped.emit(dragged_collection(mime), target)

    def startDrag(self, actions: Qt.DropAction) -> None:
        """Drag a collection; the library says where it is then."""
        super().startDrag(actions)
        self.aim(None)

    def _target(self, mime: QMimeData, point: QPoint) -> tuple[bool, UUID | None]:
        """Whether a drop there would be taken, and the collection that it goes into."""
        index = self.indexAt(point)
        collection = self.collection_at(point)
        if mime.hasFormat(DOCUMENTS_TYPE):
            return collection is not None, collection
        moved = dragged_collection(mime)
        at_top = index.isValid() and self._lines.entry(index).key == ("section", "collections")
        takes = (
            moved is not None and (collection is not None or at_top) and self._lines.takes(moved, collection)
        )
        return takes, collection if takes else None


def _action(mime: QMimeData) -> Qt.DropAction:
    return Qt.DropAction.CopyAction if mime.hasFormat(DOCUMENTS_TYPE) else Qt.DropAction.MoveAction
