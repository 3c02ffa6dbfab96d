"""The citations as a list, in their order. Dragging asks for another order; it never changes the list itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any
from uuid import UUID

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from webrag_desktop.gui.data.view_data import CitationRow, CitationState
from webrag_desktop.gui.research.citation_text import in_quotes

AnyIndex = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class CitationMove:
    """A citation and the number it is to have, counting from 1."""

    id: UUID
    position: int


class CitationRole(IntEnum):
    """What a row holds beyond its text."""

    CITATION = Qt.ItemDataRole.UserRole + 1  # CitationRow


class CitationsModel(QAbstractListModel):
    """Shows what it is given. A row dropped elsewhere emits ``move_requested``; the new order is shown after."""

    move_requested = Signal(object)  # CitationMove

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[CitationRow, ...] = ()

    @property
    def rows(self) -> tuple[CitationRow, ...]:
        """The citations in their order."""
        return self._rows

    def show(self, rows: Sequence[CitationRow]) -> None:
        """Replace the list; where only the contents of rows changed, the rows themselves stay."""
        rows = tuple(rows)
        if [row.id for row in rows] != [row.id for row in self._rows]:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        before, self._rows = self._rows, rows
        for at, (old, new) in enumerate(zip(before, rows, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(at), self.index(at))

    def find(self, citation_id: UUID) -> QModelIndex:
        """The row of a citation; an invalid index where there is none."""
        at = next((at for at, row in enumerate(self._rows) if row.id == citation_id), None)
        return QModelIndex() if at is None else self.index(at)

    def request_move(self, citation_id: UUID, before: int) -> bool:
        """Ask to put a citation before the row that is now at ``before``; False where that changes nothing."""
        at = self.find(citation_id).row()
        if at < 0 or before in {at, at + 1} or not 0 <= before <= len(self._rows):
            return False
        self.move_requested.emit(CitationMove(citation_id, before if before > at else before + 1))
        return True

    # -- QAbstractListModel ---------------------------------------------------------------------------------------

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """How many citations there are."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The accessible text is a whole sentence."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == CitationRole.CITATION:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.quote
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(row)
        return None

    def _sentence(self, row: CitationRow) -> str:
        opening = self.tr("Citation {0}, {1}: {2}").format(
            row.number, state_word(row.state).lower(), in_quotes(row.quote)
        )
        return " ".join(part for part in (opening, f"{row.reference}.", row.explanation) if part)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Rows can be dragged; only the list between them takes a drop."""
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        return (
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsDragEnabled
            | Qt.ItemFlag.ItemNeverHasChildren
        )

    def supportedDropActions(self) -> Qt.DropAction:
        """Rows are moved, never copied."""
        return Qt.DropAction.MoveAction

    def moveRows(self, _source: AnyIndex, row: int, count: int, _destination: AnyIndex, before: int) -> bool:
        """What a drop calls. Nothing moves here: the new order comes with the next :meth:`show`."""
        if count == 1 and 0 <= row < len(self._rows):
            self.request_move(self._rows[row].id, before)
        return False


def state_word(state: CitationState) -> str:
    """The state of a citation in one word."""
    words = {
        CitationState.EXACT: QCoreApplication.translate("CitationState", "Exact"),
        CitationState.MOVED: QCoreApplication.translate("CitationState", "Moved"),
        CitationState.LOST: QCoreApplication.translate("CitationState", "Lost"),
    }
    return words[state]
