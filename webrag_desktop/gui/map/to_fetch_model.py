"""The pages to fetch as a list with ticks."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from webrag_desktop.gui.data.map import PageToFetch
from webrag_desktop.gui.map import words

PageRole = Qt.ItemDataRole.UserRole  # PageToFetch
AnyIndex = QModelIndex | QPersistentModelIndex
_YES, _NO = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class ToFetchModel(QAbstractListModel):
    """What the user ticked or unticked stays so while the same page is offered; else what is proposed holds."""

    ticks_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        """Offer nothing yet."""
        super().__init__(parent)
        self._pages: tuple[PageToFetch, ...] = ()
        self._chosen: dict[str, bool] = {}  # by the user

    def show(self, pages: Sequence[PageToFetch]) -> bool:
        """Offer these; tells whether they are others than before."""
        if tuple(pages) == self._pages:
            return False
        self.beginResetModel()
        self._pages = tuple(pages)
        offered = {page.address for page in pages}
        self._chosen = {address: is_on for address, is_on in self._chosen.items() if address in offered}
        self.endResetModel()
        self.ticks_changed.emit()
        return True

    @property
    def pages(self) -> tuple[PageToFetch, ...]:
        """What is offered, in order."""
        return self._pages

    def is_ticked(self, page: PageToFetch) -> bool:
        """Whether it would be fetched."""
        return self._chosen.get(page.address, page.ticked)

    @property
    def ticked(self) -> tuple[str, ...]:
        """The addresses that would be fetched."""
        return tuple(page.address for page in self._pages if self.is_ticked(page))

    def tick(self, rows: Sequence[int], *, on: bool) -> None:
        """Tick pages, or take their ticks away."""
        if not rows:
            return
        self._chosen.update({self._pages[row].address: on for row in rows})
        changed = [Qt.ItemDataRole.CheckStateRole, Qt.ItemDataRole.AccessibleTextRole]
        self.dataChanged.emit(self.index(min(rows)), self.index(max(rows)), changed)
        self.ticks_changed.emit()

    def row_of(self, address: str) -> int | None:
        """Where a page stands."""
        return next((at for at, page in enumerate(self._pages) if page.address == address), None)

    # -- What Qt asks ---------------------------------------------------------------------------------------------

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """How many pages are offered."""
        return 0 if parent.isValid() else len(self._pages)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Every page can be selected and ticked."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A page, its tick, and how it is read out."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        page = self._pages[index.row()]
        if role == PageRole:
            return page
        if role == Qt.ItemDataRole.CheckStateRole:
            return _YES if self.is_ticked(page) else _NO
        return self._words(page, role)

    def _words(self, page: PageToFetch, role: int) -> str | None:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return page.title
            case Qt.ItemDataRole.ToolTipRole:
                return f"{page.title}\n{page.why}\n{page.address}"
            case Qt.ItemDataRole.AccessibleTextRole:
                return words.candidate_sentence(page, ticked=self.is_ticked(page))
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a tick, as a screen reader sets it."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.tick([index.row()], on=Qt.CheckState(value) == _YES)
        return True
