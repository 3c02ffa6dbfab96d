"""What rows of the library are dragged as: documents and collections, by their ids."""

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

from PySide6.QtCore import QAbstractTableModel, QMimeData, QModelIndex, QPersistentModelIndex, Qt

DOCUMENTS_TYPE = "application/x-webrag-documents"  # ids, one a line
COLLECTION_TYPE = "application/x-webrag-collection"
DRAGGED_ROW: Final = (
    Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsDragEnabled
    | Qt.ItemFlag.ItemNeverHasChildren
)


def documents_as_mime(ids: Iterable[UUID]) -> QMimeData:
    """Documents that are dragged."""
    mime = QMimeData()
    mime.setData(DOCUMENTS_TYPE, "\n".join(map(str, ids)).encode())
    return mime


def dragged_documents(mime: QMimeData) -> tuple[UUID, ...]:
    """The documents that are dragged; none where something else is."""
    return _ids(mime, DOCUMENTS_TYPE)


def collection_as_mime(collection: UUID) -> QMimeData:
    """A collection that is dragged."""
    mime = QMimeData()
    mime.setData(COLLECTION_TYPE, str(collection).encode())
    return mime


def dragged_collection(mime: QMimeData) -> UUID | None:
    """The collection that is dragged; None where something else is."""
    return next(iter(_ids(mime, COLLECTION_TYPE)), None)


def _ids(mime: QMimeData, kind: str) -> tuple[UUID, ...]:
    try:
        return tuple(map(UUID, bytes(mime.data(kind).data()).decode("ascii", "replace").split()))
    except ValueError:  # another program's
        return ()


class DraggedDocuments(QAbstractTableModel):
    """A table of documents that can be dragged; what heads a group stays where it is. Subclasses say which is which."""

    def id_at(self, row: int) -> UUID:
        """The document of a row."""
        raise NotImplementedError

    def is_head(self, row: int) -> bool:
        """Whether a row heads a group."""
        raise NotImplementedError

    def mimeData(self, indexes: Sequence[QModelIndex | QPersistentModelIndex]) -> QMimeData:
        """The documents of these cells, each once and in order."""
        rows = sorted({index.row() for index in indexes if not self.is_head(index.row())})
        return documents_as_mime(map(self.id_at, rows))

    def supportedDragActions(self) -> Qt.DropAction:
        """Where they are dropped they are put, too; they stay where they are."""
        return Qt.DropAction.CopyAction
