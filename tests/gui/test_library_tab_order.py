"""Tab reaches every control of the Library view, in the order in which it is seen, and back again."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.documents import SCAN, batch, details, keys, ready
from webrag_desktop.gui.data.upkeep import StackPart, StackReport
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.shell.connections.commands import Command, install_menu
from webrag_desktop.gui.shell.main_window import MAP, MainWindow

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def window(application: QApplication, qtbot: QtBot) -> MainWindow:
    made = MainWindow()
    qtbot.addWidget(made)
    rows = [SCAN, *ready(5)]
    made.library.rows_wanted.connect(lambda _ids: made.library.show_rows(rows))
    made.resize(1300, 800)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.library.show_listing(Listing(), keys([row.id for row in rows]))
    made.library.show_batch(batch())
    made.status.show_report(StackReport((StackPart("Search", "ready", "ok"),), "/library"))
    made.library.list.choose(0)
    qtbot.waitUntil(lambda: made.library.list.documents.document(SCAN.id) is not None)
    made.library.show_details(details(SCAN))
    return made


def walked(start: QWidget, key: Qt.Key) -> list[str]:
    """The names of what the key comes by until it is back at the start."""
    start.setFocus()
    first = at = QApplication.focusWidget()
    names: list[str] = []
    while at is not None and (at is not first or not names):
        names.append((at.accessibleName() or at.property("text")).split(",")[0])
        QTest.keyClick(at, key)
        at = QApplication.focusWidget()
        assert len(names) < 40
    return names


VISIBLE_ORDER = [
    "Search your library",
    "Earlier questions (Ctrl+H)",
    "Filters (Ctrl+Shift+F)",
    "Add",
    "Settings (Ctrl+",  # the name ends at a comma here
    "Menu (F10)",
    "Library",
    "Filter by title",
    "Groups and columns",
    "Details (Ctrl+I)",
    "Pause",
    "Cancel",
    "Documents",
    "Columns",
    "Retry",
    "Tags and collections…",
    "Title and authors…",
    "Search: ready",
    "Sidebar (F9)",
    "Back (Alt+Left)",
    "Forward (Alt+Right)",
    "Library (Ctrl+1)",
]


def test_tab_reaches_everything_in_the_order_it_is_seen(window: MainWindow) -> None:
    assert walked(window.query, Qt.Key.Key_Tab) == VISIBLE_ORDER


def test_shift_and_tab_go_the_same_way_back(window: MainWindow) -> None:
    assert walked(window.query, Qt.Key.Key_Backtab) == [VISIBLE_ORDER[0], *reversed(VISIBLE_ORDER[1:])]


def test_the_map_is_reached_where_it_is_seen(window: MainWindow) -> None:
    window.show_view(MAP)
    names = walked(window.query, Qt.Key.Key_Tab)
    assert names[:6] == VISIBLE_ORDER[:6]
    assert names[-5:-1] == VISIBLE_ORDER[-5:-1]
    assert len(names) > 11  # the Map's own
    assert walked(window.query, Qt.Key.Key_Backtab) == [names[0], *reversed(names[1:])]


def test_panes_pass_the_keyboard_on_to_their_lists(window: MainWindow) -> None:
    window.sidebar.setFocus()
    assert window.sidebar.list.hasFocus()
    window.library.setFocus()
    assert window.library.list.hasFocus()


def test_f10_reaches_the_menu_and_esc_goes_back(window: MainWindow, qtbot: QtBot) -> None:
    install_menu(window, window.menu_button, [Command("Go", "Search", (), "", lambda: None)])
    window.library.setFocus()
    QTest.keyClick(window.library.list, Qt.Key.Key_F10)
    menu = window.menu_button.menu()
    qtbot.waitUntil(menu.isVisible)
    assert menu.activeAction().text() == "Go"
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not menu.isVisible())
    assert window.library.list.hasFocus()
