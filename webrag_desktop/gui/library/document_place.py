"""Keeps selection, current row and scroll position while the rows of the document list change."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QItemSelection, QItemSelectionModel
from PySide6.QtWidgets import QAbstractItemView, QTableView

from webrag_desktop.gui.library.document_columns import Column
from webrag_desktop.gui.library.document_delegate import DocumentDelegate
from webrag_desktop.gui.library.documents_model import DocumentsModel

SELECT = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
MOVE = QItemSelectionModel.SelectionFlag.NoUpdate


def selected_rows(view: QAbstractItemView) -> list[range]:
    """The ranges of rows that are selected, heads of groups among them left out."""
    chosen = view.selectionModel().selection().toList()
    ranges = [range(one.top(), one.bottom() + 1) for one in chosen if one.left() == 0]
    model = view.model()
    if not isinstance(model, DocumentsModel) or not model.is_grouped:
        return ranges
    return [run for rows in ranges for run in _runs(at for at in rows if model.group_at(at) is None)]


@dataclass(frozen=True, slots=True)
class _Place:
    """What was there, ``following`` from the current row on.

    ``anchors`` are (key, y) of the rows in sight, the one under the pointer first, then the current one: the first
    that stays is put back at its y.
    """

    selected: list[int]
    current: int | None
    following: list[int]
    anchors: list[tuple[int, int]]
    at_top: bool


class PlaceRestorer:
    """Restores by id what a change of the model has let go, and scrolls so that nothing jumps."""

    def __init__(self, view: QTableView, model: DocumentsModel, delegate: DocumentDelegate) -> None:
        """Serve one list."""
        self._view, self._model, self._delegate = view, model, delegate
        self._was_reset = False
        model.modelReset.connect(self._note_reset)

    def _note_reset(self) -> None:
        self._was_reset = True

    def refresh(self, change: Callable[[], None], *, follow_top: bool) -> None:
        """Change rows while the list is in use: what is visible stays where it is.

        With ``follow_top`` a list that is at its top and has no current row stays there, so that what is new is
        seen. If all selected rows are gone, the row in their place is selected.
        """
        place = self._change(change)
        if place.selected and not selected_rows(self._view):
            self._select_next(place)
        if place.at_top and follow_top and place.current is None:
            self._view.scrollToTop()
        else:
            self._scroll_back(place)

    def restart(self, change: Callable[[], None]) -> None:
        """Change what is listed: begin where the current row is, if it is listed still, else at the top."""
        place = self._change(change)
        view, current = self._view, self._view.currentIndex()
        if place.current is not None and current.row() == self._model.row_of(place.current):
            view.scrollTo(current, QAbstractItemView.ScrollHint.PositionAtCenter)
        else:
            view.selectionModel().clear()
            view.scrollToTop()

    def choose(self, keys: Iterable[int]) -> None:
        """Select documents, as far as they are listed; the first of them becomes the current row."""
        rows = sorted(at for key in keys if (at := self._model.row_of(key)) is not None)
        if rows:
            chosen = self._view.selectionModel()
            chosen.setCurrentIndex(self._model.index(rows[0], 0), MOVE)
            chosen.select(self._selection(rows), QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self._view.scrollTo(self._model.index(rows[0], 0))

    def _selection(self, at: Iterable[int]) -> QItemSelection:
        selection, last = QItemSelection(), len(Column) - 1
        for rows in _runs(at):
            selection.select(self._model.index(rows.start, 0), self._model.index(rows.stop - 1, last))
        return selection

    def _change(self, change: Callable[[], None]) -> _Place:
        place = self._place()
        self._was_reset = False
        change()
        if self._was_reset:
            self._select_again(place)
        self._view.executeDelayedItemsLayout()
        return place

    def _place(self) -> _Place:
        view, model, current = self._view, self._model, self._view.currentIndex().row()
        selected = [key for rows in selected_rows(view) for key in model.keys_at(rows)]
        following = model.keys_at(range(current, model.rowCount())) if current >= 0 else []
        key = following[0] if following else None
        return _Place(selected, key, following, self._anchors(), view.verticalScrollBar().value() == 0)

    def _anchors(self) -> list[tuple[int, int]]:
        height = self._delegate.row_height
        top = max(self._view.rowAt(0), 0)
        bottom = min(top + self._view.viewport().height() // height + 2, self._model.rowCount())
        rows = range(top, max(bottom, top))
        keys = self._model.keys_at(rows)
        anchors = [(key, self._view.rowViewportPosition(at)) for at, key in zip(rows, keys, strict=True)]
        watched = (self._delegate.pointer.row, self._view.currentIndex().row())
        return [anchors[at - top] for at in watched if at in rows] + anchors

    def _select_again(self, place: _Place) -> None:
        staying = (at for key in place.selected if (at := self._model.row_of(key)) is not None)
        selection = self._selection(staying)
        chosen = self._view.selectionModel()
        chosen.select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        current = self._model.row_of(place.current) if place.current is not None else None
        if current is not None:
            chosen.setCurrentIndex(self._model.index(current, 0), MOVE)

    def _select_next(self, place: _Place) -> None:
        staying = (at for key in place.following if (at := self._model.row_of(key)) is not None)
        row = next(staying, self._model.rowCount() - 1)
        if row >= 0:
            self._view.selectionModel().setCurrentIndex(self._model.index(row, 0), SELECT)

    def _scroll_back(self, place: _Place) -> None:
        for key, y in place.anchors:
            row = self._model.row_of(key)
            if row is not None:
                self._view.verticalScrollBar().setValue(row * self._delegate.row_height - y)
                return


def _runs(rows: Iterable[int]) -> list[range]:
    """Row numbers as ranges."""
    found: list[range] = []
    for _, run in groupby(enumerate(sorted(rows)), lambda pair: pair[1] - pair[0]):
        numbers = [at for _, at in run]
        found.append(range(numbers[0], numbers[-1] + 1))
    return found
