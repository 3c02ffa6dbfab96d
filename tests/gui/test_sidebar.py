from collections.abc import Iterator

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.documents import figures
from webrag_desktop.gui.data.view_data import LibraryFigures, Listing, SiteCount
from webrag_desktop.gui.library.sidebar import Sidebar
from webrag_desktop.gui.library.sidebar_model import Entry, EntryKind, SidebarModel

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
FOLDED = [
    "Inbox",
    "All documents",
    "Recently opened",
    "In progress",
    "Needs attention",
    "Collections",
    "New collection",
    "Sites",
    "archive.org",
    "cablehistory.org",
    "telegraphquarterly.net",
    "34 more",
    "Bin",
]


@pytest.fixture
def sidebar(application: QApplication, qtbot: QtBot) -> Sidebar:
    made = Sidebar()
    qtbot.addWidget(made)
    made.resize(228, 900)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.setFocus()
    return made


def names(model: SidebarModel) -> list[str]:
    return [entry.name for _, entry in lines(model)]


def lines(model: SidebarModel, parent: QModelIndex = QModelIndex()) -> Iterator[tuple[QModelIndex, Entry]]:  # noqa: B008
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield index, model.entry(index)
        yield from lines(model, index)


def line(sidebar: Sidebar, name: str) -> QModelIndex:
    return next(index for index, entry in lines(sidebar.entries) if entry.name == name)


def marked(sidebar: Sidebar) -> list[str]:
    return [str(index.data()) for index in sidebar.list.selectedIndexes()]


def click(sidebar: Sidebar, name: str) -> None:
    index = line(sidebar, name)
    sidebar.list.scrollTo(index)
    centre = sidebar.list.visualRect(index).center()
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=centre)


def test_an_empty_library_has_one_entry(sidebar: Sidebar) -> None:
    assert names(sidebar.entries) == [
        "Inbox",
        "All documents",
        "Recently opened",
        "Collections",
        "New collection",
    ]
    assert marked(sidebar) == ["All documents"]


def test_groups_and_sites_with_their_counts(sidebar: Sidebar, qtbot: QtBot) -> None:
    tester = QAbstractItemModelTester(
        sidebar.entries, QAbstractItemModelTester.FailureReportingMode.Fatal, sidebar
    )
    sidebar.show_figures(figures())
    assert names(sidebar.entries) == FOLDED
    accessible = Qt.ItemDataRole.AccessibleTextRole
    assert line(sidebar, "All documents").data(accessible) == "All documents, 1,284 documents"
    assert line(sidebar, "In progress").data(accessible) == "In progress, 86 documents"
    assert line(sidebar, "Needs attention").data(accessible) == "Needs attention, 7 documents"
    sidebar.show_figures(figures(working=0, waiting=0, failed=0, stopped=0))
    assert names(sidebar.entries)[2:4] == ["Recently opened", "Collections"]
    tester.deleteLater()


def test_counts_change_without_a_new_layout(sidebar: Sidebar) -> None:
    sidebar.show_figures(figures())
    reset = QSignalSpy(sidebar.entries.modelReset)
    sidebar.show_figures(figures(ready=1192, working=3))
    assert reset.count() == 0
    assert sidebar.entries.entry(line(sidebar, "In progress")).count == 85


def test_the_mouse_chooses(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.show_figures(figures())
    with qtbot.waitSignal(sidebar.listing_chosen) as chosen:
        click(sidebar, "archive.org")
    assert chosen.args == [Listing("site", "archive.org")]
    spy = QSignalSpy(sidebar.listing_chosen)
    click(sidebar, "archive.org")
    assert spy.count() == 0, "it is listed already"
    click(sidebar, "Sites")
    assert spy.count() == 0
    assert marked(sidebar) == ["archive.org"]


def test_the_keyboard_chooses_and_steps_over_section_names(sidebar: Sidebar) -> None:
    sidebar.show_figures(figures())
    chosen = QSignalSpy(sidebar.listing_chosen)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_J, Qt.Key.Key_Down, Qt.Key.Key_J, Qt.Key.Key_Down, Qt.Key.Key_K):
        QTest.keyClick(sidebar.list, key)
    assert [chosen.at(at)[0] for at in range(chosen.count())] == [
        Listing("opened", sort="opened"),
        Listing("open"),
        Listing("attention"),
        Listing("site", "archive.org"),
    ]
    assert sidebar.list.currentIndex() == line(sidebar, "New collection")


def test_the_order_of_the_list_goes_along(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.show_figures(figures())
    sidebar.set_current(Listing(sort="title", descending=False))
    with qtbot.waitSignal(sidebar.listing_chosen) as chosen:
        click(sidebar, "In progress")
    assert chosen.args == [Listing("open", sort="title", descending=False)]


@pytest.mark.parametrize("key", [None, Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_more_sites_fold_out_and_in(sidebar: Sidebar, key: Qt.Key | None) -> None:
    sidebar.show_figures(figures())
    chosen = QSignalSpy(sidebar.listing_chosen)

    def turn(name: str) -> None:
        if key is None:
            click(sidebar, name)
            return
        sidebar.list.setCurrentIndex(line(sidebar, name))
        QTest.keyClick(sidebar.list, key)

    turn("34 more")
    assert len(names(sidebar.entries)) == len(FOLDED) + 34
    assert sidebar.list.currentIndex().data() == "Show fewer", "the keyboard stays on the line"
    assert marked(sidebar) == ["All documents"], "what is listed stays marked"
    turn("Show fewer")
    assert names(sidebar.entries) == FOLDED
    assert chosen.count() == 0


def test_a_line_never_stands_for_one_site_only(application: QApplication, qtbot: QtBot) -> None:
    model = SidebarModel()
    sites = tuple(SiteCount(f"s{number}.example", 9 - number) for number in range(4))
    model.show_figures(LibraryFigures(documents=30, sites=sites))
    assert all(entry.kind is not EntryKind.MORE for _, entry in lines(model))
    assert names(model)[-2] == "s3.example"


def test_what_is_listed_stays_in_the_sidebar(sidebar: Sidebar) -> None:
    sidebar.show_figures(figures())
    sidebar.set_current(Listing("open"))
    sidebar.show_figures(figures(working=0, waiting=0))
    assert marked(sidebar) == ["In progress"]
    sidebar.set_current(Listing("site", "site20.example"))
    assert "In progress" not in names(sidebar.entries)
    assert marked(sidebar) == ["site20.example"], "a site of the folded ones is shown while it is listed"
    assert "33 more" in names(sidebar.entries)


def test_nothing_is_marked_where_no_list_is_shown(sidebar: Sidebar, qtbot: QtBot) -> None:
    sidebar.show_figures(figures())
    sidebar.set_current(None)
    assert marked(sidebar) == []
    with qtbot.waitSignal(sidebar.listing_chosen) as chosen:
        click(sidebar, "All documents")
    assert chosen.args == [Listing()]
