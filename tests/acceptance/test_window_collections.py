"""Collections in the window of a real library: made, named, filled by dragging, listed, deleted and taken back."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from tests.support.drags import drag_away, drag_over, drop
from tests.support.gui_library import Address, settings_for
from tests.support.window_under_test import LONG, Opener, Seen, choose_row, wait_ready
from webrag_desktop.errors import NotFoundError
from webrag_desktop.gui.data.filters import NO_FILTERS
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.library.sidebar import Sidebar
from webrag_desktop.models.sources import CollectionRow

NOTES = {
    "tides.md": "# Tides\n\nLimpets clamp their shells to the rock.",
    "gauges.md": "# Gauges\n\nRead the gauge.",
}
_OFFERED = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
_LEFT, _NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.fixture
def seen(
    opened: Opener, clone: Callable[[str], Address], migrated_template: str, folder: Path, qtbot: QtBot
) -> Seen:
    window = opened(settings_for(clone(migrated_template), folder / "home"))
    qtbot.waitUntil(lambda: bool(window.figures), timeout=LONG)
    window.window.operations.documents.add(tuple(str(folder / name) for name in NOTES))
    wait_ready(qtbot, window, len(NOTES))
    return window


def sidebar_of(seen: Seen) -> Sidebar:
    return seen.window.view.sidebar


def shown(seen: Seen, name: str) -> QModelIndex:
    sidebar = sidebar_of(seen)
    row = next((one for one in sidebar.entries.collections if one.name == name), None)
    return sidebar.entries.index_of(("collection", row.id)) if row is not None else QModelIndex()


def make(seen: Seen, qtbot: QtBot, name: str) -> CollectionRow:
    """Press the button beside “Collections”, and type the name."""
    sidebar = sidebar_of(seen)
    sidebar.make_collection()
    qtbot.waitUntil(lambda: sidebar.list.viewport().findChild(QLineEdit) is not None, timeout=LONG)
    field = sidebar.list.viewport().findChild(QLineEdit)
    assert isinstance(field, QLineEdit)
    QTest.keyClicks(field, name)
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shown(seen, name).isValid(), timeout=LONG)
    return seen.library.labels.find_collection(name)


def drop_rows(seen: Seen, index: QModelIndex) -> None:
    """Drop the selected documents of the list on a line of the sidebar, as Qt delivers it."""
    tree, rows = sidebar_of(seen).list, seen.window.view.library.list
    mime = rows.model().mimeData(rows.selectedIndexes())
    place = tree.visualRect(index).center()
    QApplication.sendEvent(tree.viewport(), QDragEnterEvent(place, _OFFERED, mime, _LEFT, _NO_KEYS))
    move = QDragMoveEvent(place, _OFFERED, mime, _LEFT, _NO_KEYS)
    QApplication.sendEvent(tree.viewport(), move)
    assert move.isAccepted()
    QApplication.sendEvent(tree.viewport(), QDropEvent(place.toPointF(), _OFFERED, mime, _LEFT, _NO_KEYS))


def within(seen: Seen, collection: UUID) -> int:
    return len(seen.library.documents.listing("collection", collection=collection))


def in_window(seen: Seen, index: QModelIndex) -> QPoint:
    tree = sidebar_of(seen).list
    return tree.viewport().mapTo(seen.window.view, tree.visualRect(index).center())


def test_documents_are_filed_by_dragging_and_it_can_be_taken_back(seen: Seen, qtbot: QtBot) -> None:
    view = seen.window.view
    coast = make(seen, qtbot, "Coast")
    view.library.list.selectAll()
    drop_rows(seen, shown(seen, "Coast"))
    qtbot.waitUntil(lambda: within(seen, coast.id) == 2, timeout=LONG)
    qtbot.waitUntil(lambda: seen.figures[-1].inbox == 0, timeout=LONG)
    qtbot.waitUntil(lambda: "2 documents added to “Coast”." in reported(seen), timeout=LONG)
    QTest.keyClick(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: within(seen, coast.id) == 0, timeout=LONG)
    qtbot.waitUntil(lambda: seen.figures[-1].inbox == 2, timeout=LONG)


def reported(seen: Seen) -> str:
    return " ".join(toast.accessibleName() for toast in seen.window.view.toasts._toasts)


def test_a_collection_is_listed_with_those_within_it(seen: Seen, qtbot: QtBot) -> None:
    view = seen.window.view
    coast, north = make(seen, qtbot, "Coast"), make(seen, qtbot, "North")
    choose_row(qtbot, seen, 0)
    drop_rows(seen, shown(seen, "North"))
    qtbot.waitUntil(lambda: within(seen, north.id) == 1, timeout=LONG)
    sidebar_of(seen).list.collection_dropped.emit(north.id, coast.id)
    qtbot.waitUntil(lambda: shown(seen, "North").parent() == shown(seen, "Coast"), timeout=LONG)
    sidebar_of(seen).list.setCurrentIndex(shown(seen, "Coast"))
    qtbot.waitUntil(
        lambda: view.library.list.listing == Listing("collection", collection=coast.id), timeout=LONG
    )
    assert view.library.list.model().rowCount() == 1
    # It is deleted while it is listed: everything is listed then, and what was within it is at the top.
    sidebar_of(seen).list.setFocus()
    QTest.keyClick(sidebar_of(seen).list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: view.library.list.listing.group == "all", timeout=LONG)
    with pytest.raises(NotFoundError):
        seen.library.labels.find_collection("Coast")
    assert seen.library.labels.find_collection("North").parent_id is None
    assert view.library.list.model().rowCount() == len(NOTES)
    QTest.keyClick(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: shown(seen, "Coast").isValid(), timeout=LONG)
    assert shown(seen, "North").parent() == shown(seen, "Coast")


def test_a_file_dropped_on_a_collection_goes_there(seen: Seen, qtbot: QtBot, folder: Path) -> None:
    view = seen.window.view
    coast = make(seen, qtbot, "Coast")
    note = folder / "waves.md"
    note.write_text("# Waves\n\nThey come in sets.", "utf-8")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(note))])
    place = in_window(seen, shown(seen, "Coast"))
    assert drag_over(view, mime, place)
    overlay = view.drops._overlay
    assert overlay.accessibleName() == "Release to add 1 file to “Coast”."
    assert sidebar_of(seen).list.aimed_at == coast.id
    assert not overlay.geometry().contains(place), "the collection stays in sight"
    drag_away(view)
    assert sidebar_of(seen).list.aimed_at is None
    assert drop(view, mime, place)
    qtbot.waitUntil(lambda: within(seen, coast.id) == 1, timeout=LONG)
    (document,) = seen.library.documents.listing("collection", collection=coast.id)
    assert seen.library.labels.of(document).collections == ("Coast",)
    wait_ready(qtbot, seen, len(NOTES) + 1)


def test_a_name_that_is_taken_is_refused_in_words(seen: Seen, qtbot: QtBot) -> None:
    make(seen, qtbot, "Coast")
    north = make(seen, qtbot, "North")
    failures: list[str] = []
    seen.window.operations.collections.failed.connect(lambda failure: failures.append(failure.message))
    seen.window.operations.collections.rename(north.id, "coast")
    qtbot.waitUntil(lambda: failures == ["There is a collection “coast” already."], timeout=LONG)


def test_a_saved_search_is_opened_and_deleted_in_the_sidebar(seen: Seen, qtbot: QtBot) -> None:
    sidebar, view = sidebar_of(seen), seen.window.view
    seen.window.operations.kept.save("Shells", "limpets", NO_FILTERS)
    qtbot.waitUntil(lambda: "Shells" in lines(sidebar), timeout=LONG)
    index = sidebar.entries.index(lines(sidebar).index("Shells"))
    sidebar.list.setFocus()
    sidebar.list.setCurrentIndex(index)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(seen.results) and seen.results[-1].query == "limpets", timeout=LONG)
    assert view.query.text() == "limpets"
    sidebar.list.setCurrentIndex(sidebar.entries.index(lines(sidebar).index("Shells")))
    QTest.keyClick(sidebar.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: "Shells" not in lines(sidebar), timeout=LONG)


def lines(sidebar: Sidebar) -> list[str]:
    return [str(sidebar.entries.index(row).data()) for row in range(sidebar.entries.rowCount())]
