"""Rows that change their height while they are looked at: what the user looks at stays where it is."""

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QAbstractItemView


def lay_out_around(view: QAbstractItemView, index: QModelIndex, top: int, first: QModelIndex) -> None:
    """Lay the rows out again so that ``index`` begins at ``top`` as before, then show all of it."""
    view.doItemsLayout()
    bar = view.verticalScrollBar()
    bar.setValue(bar.value() + view.visualRect(index).top() - top)
    reveal(view, index, first)


def reveal(view: QAbstractItemView, index: QModelIndex, first: QModelIndex) -> None:
    """Scroll as little as shows the whole row, its beginning before its end, and ``first`` too if there is room."""
    if not index.isValid():
        return
    row, height = view.visualRect(index), view.viewport().height()
    heading = view.visualRect(first).top()
    top = heading if row.bottom() - heading < height else row.top()
    bar = view.verticalScrollBar()
    if top < 0 or row.bottom() - top >= height:
        bar.setValue(bar.value() + top)
    elif row.bottom() >= height:
        bar.setValue(bar.value() + row.bottom() - height + 1)
