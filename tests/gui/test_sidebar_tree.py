"""Collections in the sidebar: a tree that is folded, renamed, coloured and rearranged; and what is dropped on it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QAction, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.data.questions import SavedSearch
from webrag_desktop.gui.data.view_data import LibraryFigures, Listing, SiteCount, TagCount
from webrag_desktop.gui.library.documents_model import DocumentsModel
from webrag_desktop.gui.library.sidebar import Sidebar
from webrag_desktop.gui.library.sidebar_model import Entry, EntryKind
from webrag_desktop.models.sources import CollectionRow

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
ATLANTIC, CHAPTER, WHITEHOUSE, CHEMISTRY = (UUID(int=number) for number in range(1, 5))
TREE = (
    CollectionRow(ATLANTIC, "Atlantic cable 1858", 126, None, "teal"),
    CollectionRow(CHAPTER, "Chapter 3 sources", 41, ATLANTIC),
    CollectionRow(CHEMISTRY, "Insulation chemistry", 1),
    CollectionRow(WHITEHOUSE, "Whitehouse", 18, CHAPTER),
)
FIGURES = LibraryFigures(documents=200, collections=TREE)
SPOKEN = Qt.ItemDataRole.AccessibleTextRole


@pytest.fixture
def sidebar(application: QApplication, qtbot: QtBot) -> Sidebar:
    made = Sidebar()
    qtbot.addWidget(made)
    made.resize(228, 900)
    made.show_figures(FIGURES)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.setFocus()
    return made


def emitted(signal: Any) -> list[tuple[Any, ...]]:
    """What a signal says from now on."""
    heard: list[tuple[Any, ...]] = []
    signal.connect(lambda *what: heard.append(what))
    return heard


def at(sidebar: Sidebar, collection: UUID | None) -> QModelIndex:
    return sidebar.entries.index_of(("collection", collection))


def header(sidebar: Sidebar) -> QModelIndex:
    rows = (sidebar.entries.index(row) for row in range(sidebar.entries.rowCount()))
    return next(index for index in rows if sidebar.entries.entry(index).key == ("section", "collections"))


def choose(sidebar: Sidebar, collection: UUID) -> None:
    sidebar.list.setCurrentIndex(at(sidebar, collection))


def editor(sidebar: Sidebar) -> QLineEdit:
    field = sidebar.list.viewport().findChild(QLineEdit)
    assert isinstance(field, QLineEdit)
    return field


def documents_of(*ids: UUID) -> QMimeData:
    model = DocumentsModel()
    model.show_keys([one.int for one in ids])
    return model.mimeData([model.index(row, column) for row in range(len(ids)) for column in (0, 1)])


def drop(sidebar: Sidebar, mime: QMimeData, index: QModelIndex) -> bool:
    """Move over a line and let go; whether it was taken."""
    point = sidebar.list.visualRect(index).center()
    offered = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    move = QDragMoveEvent(point, offered, mime, buttons, keys)
    sidebar.list.dragMoveEvent(move)
    if move.isAccepted():
        sidebar.list.dropEvent(QDropEvent(QPointF(point), offered, mime, buttons, keys))
    return move.isAccepted()


def test_the_model_is_a_sound_tree(sidebar: Sidebar) -> None:
    tester = QAbstractItemModelTester(
        sidebar.entries, QAbstractItemModelTester.FailureReportingMode.Fatal, sidebar
    )
    sidebar.show_saved_searches((SavedSearch(uuid4(), "Coils", "coils", new=2),))
    assert at(sidebar, WHITEHOUSE).parent() == at(sidebar, CHAPTER)
    assert at(sidebar, CHAPTER).parent() == at(sidebar, ATLANTIC)
    sidebar.show_figures(LibraryFigures(documents=1, collections=TREE[2:3]))
    sidebar.show_figures(FIGURES)
    assert not at(sidebar, ATLANTIC).parent().isValid()
    tester.deleteLater()


def test_a_line_says_name_count_level_and_whether_it_is_expanded(sidebar: Sidebar) -> None:
    assert (
        at(sidebar, CHAPTER).data(SPOKEN) == "Chapter 3 sources, collection, 41 documents, level 2, expanded"
    )
    assert at(sidebar, CHEMISTRY).data(SPOKEN) == "Insulation chemistry, collection, 1 document, level 1"
    sidebar.list.collapse(at(sidebar, ATLANTIC))
    assert at(sidebar, ATLANTIC).data(SPOKEN) == (
        "Atlantic cable 1858, collection, 126 documents, level 1, collapsed"
    )
    tree = QAccessible.queryAccessibleInterface(sidebar.list)
    assert tree is not None
    assert tree.role() == QAccessible.Role.Tree


def test_arrows_fold_and_choose(sidebar: Sidebar) -> None:
    chosen = emitted(sidebar.listing_chosen)
    choose(sidebar, ATLANTIC)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Left)
    assert not sidebar.list.isExpanded(at(sidebar, ATLANTIC))
    QTest.keyClick(sidebar.list, Qt.Key.Key_Right)
    assert sidebar.list.isExpanded(at(sidebar, ATLANTIC))
    QTest.keyClick(sidebar.list, Qt.Key.Key_Down)
    assert [one[0] for one in chosen] == [
        Listing("collection", collection=ATLANTIC),
        Listing("collection", collection=CHAPTER),
    ]


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_a_click_on_the_mark_folds_and_chooses_nothing(
    sidebar: Sidebar, direction: Qt.LayoutDirection
) -> None:
    sidebar.setLayoutDirection(direction)
    chosen = emitted(sidebar.listing_chosen)
    rect = sidebar.list.line_rect(at(sidebar, ATLANTIC))
    mirrored = direction == Qt.LayoutDirection.RightToLeft
    mark = QPoint(rect.width() - 10 if mirrored else 10, rect.center().y())
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=mark)
    assert not sidebar.list.isExpanded(at(sidebar, ATLANTIC))
    assert len(chosen) == 0


def test_what_is_folded_in_stays_so_over_changes_and_restarts(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.list.collapse(at(sidebar, ATLANTIC))
    more = CollectionRow(uuid4(), "To read", 3)
    sidebar.show_figures(LibraryFigures(documents=200, collections=(*TREE, more)))
    assert not sidebar.list.isExpanded(at(sidebar, ATLANTIC))
    assert sidebar.list.isExpanded(at(sidebar, CHAPTER))
    other = Sidebar()
    qtbot.addWidget(other)
    other.restore_layout(sidebar.saved_layout() | {"window": b"?"})
    other.show_figures(FIGURES)
    assert not other.list.isExpanded(at(other, ATLANTIC))
    assert other.list.isExpanded(at(other, CHAPTER))
    other.restore_layout({"sidebar_closed": b"no uuid \xff"})


def test_f2_renames_in_place_and_counts_meanwhile_disturb_nobody(sidebar: Sidebar, qtbot: QtBot) -> None:
    renamed = emitted(sidebar.collection_renamed)
    choose(sidebar, CHAPTER)
    QTest.keyClick(sidebar.list, Qt.Key.Key_F2)
    field = editor(sidebar)
    assert field.accessibleName() == "New name of Chapter 3 sources"
    field.selectAll()
    QTest.keyClicks(field, "Chapter  4")
    sidebar.show_figures(LibraryFigures(documents=201, collections=TREE))
    assert editor(sidebar).text() == "Chapter  4"
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(renamed) == 1)
    assert renamed[0] == (CHAPTER, "Chapter 4")
    assert sidebar.entries.entry(sidebar.entries.index_of(("all", None))).count == 201


def test_a_name_left_as_it_is_or_given_up_changes_nothing(sidebar: Sidebar, qtbot: QtBot) -> None:
    renamed = emitted(sidebar.collection_renamed)
    choose(sidebar, CHAPTER)
    for key, text in ((Qt.Key.Key_Return, ""), (Qt.Key.Key_Escape, "x")):
        QTest.keyClick(sidebar.list, Qt.Key.Key_F2)
        field = editor(sidebar)
        QTest.keyClicks(field, text)
        with qtbot.waitSignal(field.destroyed):
            QTest.keyClick(field, key)
    assert len(renamed) == 0


def test_a_new_collection_is_named_once_it_is_there(sidebar: Sidebar, qtbot: QtBot) -> None:
    wanted, chosen = emitted(sidebar.collection_wanted), emitted(sidebar.listing_chosen)
    rect = sidebar.list.line_rect(header(sidebar))
    button = sidebar.list.delegate.button(rect.toRectF()).center().toPoint()
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=button)
    assert wanted[0] == ("New collection", None)
    made = CollectionRow(uuid4(), "New collection", 0)
    sidebar.name_next(made.id)
    sidebar.show_figures(LibraryFigures(documents=200, collections=(*TREE, made)))
    assert editor(sidebar).selectedText() == "New collection"
    QTest.keyClick(editor(sidebar), Qt.Key.Key_Return)
    assert chosen == [], "what is listed stays, so that it can be dragged there"
    sidebar.make_collection(ATLANTIC)
    assert wanted[1] == ("New collection 2", ATLANTIC)


def test_a_library_without_collections_offers_one(sidebar: Sidebar) -> None:
    sidebar.show_figures(LibraryFigures())
    wanted = emitted(sidebar.collection_wanted)
    sidebar.list.setCurrentIndex(sidebar.entries.index_of(("new", None)))
    QTest.keyClick(sidebar.list, Qt.Key.Key_Return)
    assert len(wanted) == 1


def entries_of(menu: QMenu) -> dict[str, QAction]:
    return {action.text(): action for action in menu.actions() if action.text()}


def test_the_menu_of_a_collection(sidebar: Sidebar) -> None:
    menu = sidebar.menu(at(sidebar, CHAPTER))
    assert menu is not None
    offered = entries_of(menu)
    assert list(offered) == [
        "New collection", "New subcollection", "Colour", "Move to the top", "Rename", "Delete",
    ]  # fmt: skip
    nested, coloured, deleted = map(
        emitted, (sidebar.collection_nested, sidebar.collection_coloured, sidebar.collection_deleted)
    )
    offered["Move to the top"].trigger()
    assert nested[0] == (CHAPTER, None)
    colours = offered["Colour"].menu()
    assert isinstance(colours, QMenu)
    entries_of(colours)["Violet"].trigger()
    assert coloured[0] == (CHAPTER, "violet")
    offered["Delete"].trigger()
    assert deleted[0][0] == CHAPTER
    at_top = sidebar.menu(at(sidebar, ATLANTIC))
    assert at_top is not None
    assert "Move to the top" not in entries_of(at_top)
    assert sidebar.menu(sidebar.entries.index_of(("all", None))) is None


def test_the_delete_key_deletes_collections_alone(sidebar: Sidebar) -> None:
    deleted = emitted(sidebar.collection_deleted)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert len(deleted) == 0
    choose(sidebar, CHEMISTRY)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert deleted[0][0] == CHEMISTRY


def test_a_collection_is_dropped_into_another_but_never_into_its_own(sidebar: Sidebar) -> None:
    nested = emitted(sidebar.collection_nested)
    atlantic = sidebar.entries.mimeData([at(sidebar, ATLANTIC)])
    for refused in (at(sidebar, ATLANTIC), at(sidebar, WHITEHOUSE), header(sidebar)):
        assert not drop(sidebar, atlantic, refused)
    assert drop(sidebar, atlantic, at(sidebar, CHEMISTRY))
    assert nested[0] == (ATLANTIC, CHEMISTRY)
    assert drop(sidebar, sidebar.entries.mimeData([at(sidebar, CHAPTER)]), header(sidebar))
    assert nested[1] == (CHAPTER, None)


def test_documents_are_dropped_on_collections_alone(sidebar: Sidebar) -> None:
    dropped = emitted(sidebar.documents_dropped)
    documents = (uuid4(), uuid4())
    assert not drop(sidebar, documents_of(*documents), sidebar.entries.index_of(("inbox", None)))
    assert drop(sidebar, documents_of(*documents), at(sidebar, CHAPTER))
    assert dropped[0] == (documents, CHAPTER)


def test_tags_fold_as_sites_do_and_are_listed(sidebar: Sidebar, qtbot: QtBot) -> None:
    tags = tuple(TagCount(f"tag {number}", 9 - number) for number in range(8))
    sidebar.show_figures(LibraryFigures(documents=9, tags=tags))
    assert sidebar.entries.index_of(("more", "tags")).data() == "5 more"
    assert not sidebar.entries.index_of(("tag", "tag 5")).isValid()
    with qtbot.waitSignal(sidebar.listing_chosen) as chosen:
        sidebar.list.setCurrentIndex(sidebar.entries.index_of(("tag", "tag 1")))
    assert chosen.args == [Listing("tag", tag="tag 1")]


def test_the_bin_is_the_last_line_and_lists_what_was_removed_last_first(
    sidebar: Sidebar, qtbot: QtBot
) -> None:
    sidebar.show_figures(LibraryFigures(documents=9, removed=2))
    last = sidebar.entries.index(sidebar.entries.rowCount() - 1)
    assert last.data(SPOKEN) == "Bin, 2 documents"
    sidebar.set_current(Listing(sort="title", descending=False))
    with qtbot.waitSignal(sidebar.listing_chosen) as chosen:
        sidebar.list.setCurrentIndex(last)
    assert chosen.args == [Listing("bin", sort="removed")]
    sidebar.set_current(Listing("bin", sort="removed"))
    with qtbot.waitSignal(sidebar.listing_chosen) as chosen:
        sidebar.list.setCurrentIndex(sidebar.entries.index_of(("inbox", None)))
    assert chosen.args == [Listing("inbox", sort="title", descending=False)]


def test_saved_searches_are_opened_renamed_and_deleted(sidebar: Sidebar, qtbot: QtBot) -> None:
    kept = SavedSearch(uuid4(), "Whitehouse coils", "whitehouse coils", new=1)
    assert all(_kind(sidebar, row) is not EntryKind.SEARCH for row in range(sidebar.entries.rowCount()))
    sidebar.show_saved_searches((kept,))
    index = sidebar.entries.index_of(("search", kept.id))
    assert index.data(SPOKEN) == "Whitehouse coils, saved search, 1 new result"
    opened, renamed, deleted = map(
        emitted, (sidebar.search_opened, sidebar.search_renamed, sidebar.search_deleted)
    )
    chosen = emitted(sidebar.listing_chosen)
    sidebar.list.setCurrentIndex(index)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Return)
    QTest.keyClick(sidebar.list, Qt.Key.Key_F2)
    QTest.keyClicks(editor(sidebar), "Coils")
    QTest.keyClick(editor(sidebar), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(renamed) == 1)
    QTest.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert opened[0][0] == renamed[0][0] == deleted[0][0] == kept.id
    assert renamed[0][1] == "Coils"
    assert len(chosen) == 0


def _kind(sidebar: Sidebar, row: int) -> EntryKind:
    entry: Entry = sidebar.entries.entry(sidebar.entries.index(row))
    return entry.kind


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pictures(
    sidebar: Sidebar,
    picture: Callable[[QWidget, str], Path],
    themed: Callable[[bool], None],
    dark: bool,
) -> None:
    themed(dark)
    to_read = CollectionRow(uuid4(), "To read", 212, None, "orange")
    sidebar.show_figures(
        LibraryFigures(
            documents=1284,
            failed=7,
            inbox=14,
            opened=9,
            removed=3,
            collections=(*TREE, to_read),
            sites=(
                SiteCount("archive.org", 312),
                SiteCount("cablehistory.org", 148),
                SiteCount("telegraphquarterly.net", 96),
                SiteCount("fieldphysics.org", 12),
            ),
            tags=(TagCount("telegraphy", 204), TagCount("primary-source", 131)),
        )
    )
    sidebar.show_saved_searches(
        (
            SavedSearch(uuid4(), "Whitehouse coils", "coils", new=3),
            SavedSearch(uuid4(), "Thomson’s letters", "thomson", new=0),
        )
    )
    choose(sidebar, ATLANTIC)
    picture(sidebar, f"sidebar{'-dark' if dark else ''}")
