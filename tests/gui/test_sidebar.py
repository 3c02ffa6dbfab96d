import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.documents import figures
from webrag_desktop.gui.data.view_data import LibraryFigures, Listing, SiteCount
from webrag_desktop.gui.library.sidebar import EntryKind, Sidebar, SidebarModel

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
FOLDED = [
    "All documents",
    "In progress",
    "Needs attention",
    "Sites",
    "archive.org",
    "cablehistory.org",
    "telegraphquarterly.net",
    "34 more",
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
    return [model.entry(row).name for row in range(model.rowCount())]


def marked(sidebar: Sidebar) -> list[str]:
    return [str(index.data()) for index in sidebar.list.selectedIndexes()]


def click(sidebar: Sidebar, name: str) -> None:
    row = names(sidebar.entries).index(name)
    index = sidebar.entries.index(row)
    sidebar.list.scrollTo(index)
    centre = sidebar.list.visualRect(index).center()
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=centre)


def test_an_empty_library_has_one_entry(sidebar: Sidebar) -> None:
    assert names(sidebar.entries) == ["All documents"]
    assert marked(sidebar) == ["All documents"]


def test_groups_and_sites_with_their_counts(sidebar: Sidebar, qtbot: QtBot) -> None:
    tester = QAbstractItemModelTester(
        sidebar.entries, QAbstractItemModelTester.FailureReportingMode.Fatal, sidebar
    )
    sidebar.show_figures(figures())
    assert names(sidebar.entries) == FOLDED
    accessible = Qt.ItemDataRole.AccessibleTextRole
    assert sidebar.entries.index(0).data(accessible) == "All documents, 1,284 documents"
    assert sidebar.entries.index(1).data(accessible) == "In progress, 86 documents"
    assert sidebar.entries.index(2).data(accessible) == "Needs attention, 7 documents"
    sidebar.show_figures(figures(working=0, waiting=0, failed=0, stopped=0))
    assert names(sidebar.entries)[:2] == ["All documents", "Sites"]
    tester.deleteLater()


def test_counts_change_without_a_new_layout(sidebar: Sidebar) -> None:
    sidebar.show_figures(figures())
    reset = QSignalSpy(sidebar.entries.modelReset)
    sidebar.show_figures(figures(ready=1192, working=3))
    assert reset.count() == 0
    assert sidebar.entries.entry(1).count == 85


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
    for key in (Qt.Key.Key_Down, Qt.Key.Key_J, Qt.Key.Key_Down, Qt.Key.Key_K):
        QTest.keyClick(sidebar.list, key)
    assert [chosen.at(at)[0] for at in range(chosen.count())] == [
        Listing("open"),
        Listing("attention"),
        Listing("site", "archive.org"),
        Listing("attention"),
    ]


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
        QTest.keyClick(sidebar.list, Qt.Key.Key_End)
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
    assert all(model.entry(row).kind is not EntryKind.MORE for row in range(model.rowCount()))
    assert names(model)[-1] == "s3.example"


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
