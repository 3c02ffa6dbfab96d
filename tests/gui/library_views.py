"""Library views for tests: shown, themed, and answered from a plain dictionary of rows."""

from collections.abc import Sequence
from uuid import UUID

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.documents import keys
from webrag_desktop.gui.data.view_data import DocumentRow, Listing
from webrag_desktop.gui.library.document_columns import Column
from webrag_desktop.gui.library.document_list import DocumentList
from webrag_desktop.gui.library.library_view import LibraryView


class ServedLibrary:
    """A library view, and what answers it."""

    def __init__(self, qtbot: QtBot, size: tuple[int, int] = (1200, 760)) -> None:
        self.rows: dict[UUID, DocumentRow] = {}
        self.view = LibraryView()
        qtbot.addWidget(self.view)
        self.qtbot = qtbot
        self.view.rows_wanted.connect(self._answer)
        self.view.resize(*size)
        self.view.show()
        self.view.activateWindow()
        qtbot.waitUntil(self.view.isActiveWindow)
        self.view.details_button.setFocus()
        self.leave()  # wherever the pointer was left by the test before

    def _answer(self, wanted: tuple[UUID, ...]) -> None:
        self.view.show_rows([self.rows[one] for one in wanted if one in self.rows])

    @property
    def table(self) -> DocumentList:
        return self.view.list

    def give(self, rows: Sequence[DocumentRow], listing: Listing = Listing()) -> None:  # noqa: B008 - frozen
        """List these, and wait until the rows in sight are here."""
        self.rows.update({row.id: row for row in rows})
        self.view.show_listing(listing, keys([row.id for row in rows]))
        self.wait_for_rows()

    def wait_for_rows(self) -> None:
        top, bottom = self.table.rowAt(0), self.table.rowAt(self.table.viewport().height() - 1)
        documents = self.table.documents
        last = bottom if bottom >= 0 else documents.rowCount() - 1
        self.table.viewport().repaint()
        self.qtbot.waitUntil(
            lambda: all(documents.document(documents.id_at(row)) for row in range(max(top, 0), last + 1))
        )

    def shown(self) -> list[UUID]:
        documents = self.table.documents
        return [documents.id_at(row) for row in range(documents.rowCount())]

    def at(self, row: int, column: Column = Column.TITLE) -> QPoint:
        """The middle of a cell, in the viewport."""
        return self.table.visualRect(self.table.documents.index(row, column)).center()

    def button_at(self, row: int) -> QPoint:
        """The middle of a row's Retry button."""
        index = self.table.documents.index(row, Column.STATE)
        document = self.table.documents.document(self.table.documents.id_at(row))
        assert document is not None
        rect = self.table.rows.button_rect(self.table.visualRect(index).toRectF(), document)
        assert rect is not None
        return rect.center().toPoint()

    def click(self, point: QPoint, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.mouseClick(self.table.viewport(), Qt.MouseButton.LeftButton, modifiers, point)

    def point_at(self, row: int) -> None:
        QTest.mouseMove(self.table.viewport(), self.at(row))
        self.qtbot.waitUntil(lambda: self.table.rows.pointer.row == row)

    def leave(self) -> None:
        """Take the pointer out of the list."""
        QApplication.sendEvent(self.table.viewport(), QEvent(QEvent.Type.Leave))

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.table, key, modifiers)

    def selected(self) -> set[UUID]:
        return set(self.table.chosen().all_ids())
