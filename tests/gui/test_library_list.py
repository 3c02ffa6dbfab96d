"""The document list driven by keys, menu, mouse and header."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QHelpEvent, QPaintEvent, QRegion
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.support.documents import QUEUED, REPORT, SCAN, SIGN_IN, STOPPED, document, filling, keys, ready
from webrag_desktop.gui.data.view_data import DocumentNews, Listing
from webrag_desktop.gui.kit.theme.colours import apply_scheme
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.library.document_columns import Column

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
MANY = ready(300)
IDS = [row.id for row in MANY]
NEWEST = Listing()


@pytest.fixture
def library(application: QApplication, qtbot: QtBot) -> ServedLibrary:
    return ServedLibrary(qtbot)


class Painted(QObject):
    """What was painted again of a widget."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        QApplication.processEvents()
        self.region = QRegion()
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.region |= event.region()
        return False


# -- Keys -------------------------------------------------------------------------------------------------------


def test_arrows_and_letters_walk_the_list(library: ServedLibrary) -> None:
    library.give(MANY[:20])
    library.view.focus_first()
    keys = (
        (Qt.Key.Key_Down, 1),
        (Qt.Key.Key_J, 2),
        (Qt.Key.Key_J, 3),
        (Qt.Key.Key_K, 2),
        (Qt.Key.Key_Up, 1),
        (Qt.Key.Key_End, 19),
        (Qt.Key.Key_J, 19),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_K, 0),
        (Qt.Key.Key_Right, 0),
    )
    for key, row in keys:
        library.key(key)
        assert library.table.chosen_id == IDS[row]
        assert library.table.currentIndex().column() == 0


@pytest.mark.parametrize(
    ("key", "count", "row"),
    [(Qt.Key.Key_Home, 20, 0), (Qt.Key.Key_Up, 20, 0), (Qt.Key.Key_PageUp, 20, 0), (Qt.Key.Key_End, 1, 0)],
)
def test_a_key_that_leads_to_where_the_ring_is_selects_it(
    library: ServedLibrary, key: Qt.Key, count: int, row: int
) -> None:
    library.give(MANY[:count])
    library.view.details_button.setFocus()
    while not library.table.hasFocus():
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert (library.table.currentIndex().row(), library.table.chosen_id) == (0, None)
    with library.qtbot.waitSignal(library.view.document_selected) as selected:
        library.key(key)
    assert selected.args == [IDS[row]]
    assert library.table.chosen_id == IDS[row]


def test_home_selects_the_first_alone_where_several_are_selected(library: ServedLibrary) -> None:
    library.give(MANY[:20])
    library.view.focus_first()
    library.key(Qt.Key.Key_Down)
    library.key(Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    assert library.selected() == set(IDS[:2])
    library.key(Qt.Key.Key_Home)
    assert library.selected() == {IDS[0]}


def test_shift_and_arrows_select_several(library: ServedLibrary) -> None:
    library.give(MANY[:20])
    library.view.focus_first()
    with library.qtbot.waitSignal(library.view.document_selected) as selected:
        library.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert selected.args == [None]
    assert library.selected() == set(IDS[:2])


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier])
def test_the_ring_goes_with_the_current_row_in_one_piece(
    library: ServedLibrary, modifier: Qt.KeyboardModifier
) -> None:
    library.give(MANY[:8])
    library.view.focus_first()
    for _ in range(3):
        library.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    painted = Painted(library.table.viewport())
    library.key(Qt.Key.Key_Up, modifier)
    assert library.table.currentIndex().row() == 2
    library.qtbot.waitUntil(lambda: not painted.region.isEmpty())
    for row in (2, 3):
        last = library.table.visualRect(library.table.documents.index(row, Column.ADDED))
        assert painted.region.contains(last)


def test_no_tooltip_comes_up_while_walking_by_keyboard(library: ServedLibrary) -> None:
    library.give(filling())
    library.point_at(0)
    viewport, point = library.table.viewport(), library.button_at(6)
    ask = QHelpEvent(QEvent.Type.ToolTip, point, viewport.mapToGlobal(point))
    library.key(Qt.Key.Key_Down)
    QTest.mouseMove(viewport, library.at(0))  # what Qt sends when rows move under a pointer that rests
    QApplication.sendEvent(viewport, ask)
    assert not QToolTip.isVisible()
    library.point_at(1)
    QApplication.sendEvent(viewport, ask)
    assert QToolTip.isVisible()
    library.key(Qt.Key.Key_Down)
    library.qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_typing_goes_to_a_title(library: ServedLibrary) -> None:
    rows = [document(name) for name in ("Alpha", "Beta", "Bijou", "Jupiter", "Kelvin", "Bivalve")]
    library.give(rows)
    library.view.focus_first()
    for key in (Qt.Key.Key_B, Qt.Key.Key_I, Qt.Key.Key_J):  # the J belongs to the title being typed
        library.key(key)
    assert library.table.chosen_id == rows[2].id


def test_enter_opens_what_can_be_read(library: ServedLibrary) -> None:
    library.give([REPORT, QUEUED])
    library.view.focus_first()
    opened = QSignalSpy(library.view.open_requested)
    library.key(Qt.Key.Key_Return)
    assert [opened.at(at)[0] for at in range(opened.count())] == [REPORT.id]
    library.key(Qt.Key.Key_Down)
    library.key(Qt.Key.Key_Return)
    assert opened.count() == 1, "there is nothing to read yet"


def test_delete_removes_without_a_question(library: ServedLibrary) -> None:
    library.give(MANY[:20])
    library.view.focus_first()
    library.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    with library.qtbot.waitSignal(library.view.remove_requested) as removed:
        library.key(Qt.Key.Key_Delete)
    assert set(removed.args[0]) == set(IDS[:2])


def test_r_retries_and_s_stops_where_that_applies(library: ServedLibrary) -> None:
    library.give([SIGN_IN, STOPPED, REPORT, MANY[0]])
    library.view.focus_first()
    library.table.selectAll()
    with library.qtbot.waitSignal(library.view.retry_requested) as retried:
        library.key(Qt.Key.Key_R)
    assert set(retried.args[0]) == {SIGN_IN.id, STOPPED.id}
    with library.qtbot.waitSignal(library.view.cancel_requested) as stopped:
        library.key(Qt.Key.Key_S)
    assert stopped.args[0] == (REPORT.id,)


def test_copy_puts_addresses_on_the_clipboard(library: ServedLibrary) -> None:
    library.give([REPORT, QUEUED])
    library.view.focus_first()
    library.table.selectAll()
    with library.qtbot.waitSignal(library.view.copied) as copied:
        library.key(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert copied.args == ["Addresses copied"]
    assert QGuiApplication.clipboard().text() == f"{REPORT.address}\n{QUEUED.address}"


def test_open_in_browser_is_for_web_addresses(library: ServedLibrary) -> None:
    library.give([REPORT, SCAN])
    library.view.focus_first()
    with library.qtbot.waitSignal(library.view.browser_requested) as asked:
        library.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked.args == [REPORT.address]
    library.key(Qt.Key.Key_Down)
    assert not library.table.actions_.browse.isEnabled()


# -- The menu ---------------------------------------------------------------------------------------------------


def open_menu(library: ServedLibrary) -> QMenu:
    point = library.table.viewport().mapToGlobal(QPoint(3, 3))
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(3, 3), point)
    QApplication.sendEvent(library.table.viewport(), asked)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def test_the_menu_has_every_action_with_its_key(library: ServedLibrary) -> None:
    library.give([SIGN_IN, MANY[0]])
    library.view.focus_first()
    menu = open_menu(library)
    offered = {action.text(): action for action in menu.actions() if action.text()}
    assert list(offered) == [
        "Open",
        "Open in browser",
        "The page as it looked",
        "Copy address",
        "Copy WebRAG link",
        "Retry",
        "Check for changes",
        "Read the kept copy again",
        "Stop",
        "Tags and collections…",
        "Title and authors…",
        "Remove",
    ]
    assert [text for text, action in offered.items() if action.isEnabled()] == [
        "Open in browser",
        "Copy address",
        "Copy WebRAG link",
        "Retry",
        "Check for changes",
        "Read the kept copy again",
        "Tags and collections…",
        "Title and authors…",
        "Remove",
    ]
    assert not any(action.shortcut().isEmpty() for action in offered.values())
    assert offered["Title and authors…"].shortcut().toString() == "F2"
    with library.qtbot.waitSignal(library.view.retry_requested) as retried:
        offered["Retry"].trigger()
    assert retried.args == [(SIGN_IN.id,)]
    menu.close()


def test_the_menu_shows_the_page_of_one_that_was_read(library: ServedLibrary) -> None:
    library.give([REPORT, SCAN])
    library.view.focus_first()
    menu = open_menu(library)
    offered = {action.text(): action for action in menu.actions()}
    with library.qtbot.waitSignal(library.view.page_look_requested) as asked:
        offered["The page as it looked"].trigger()
    assert asked.args == [REPORT.id]
    menu.close()
    library.key(Qt.Key.Key_Down)
    menu = open_menu(library)
    offered = {action.text(): action for action in menu.actions()}
    assert not offered["The page as it looked"].isEnabled(), "a file is no page"
    menu.close()


def test_the_list_stays_in_place_under_its_menu(library: ServedLibrary) -> None:
    library.give(MANY[:10])
    library.table.choose(2)
    library.view.details_button.setFocus()
    library.leave()
    menu = open_menu(library)
    library.view.show_listing(NEWEST, keys(IDS[9::-1]))
    assert library.shown() == IDS[:10]
    menu.close()
    library.qtbot.waitUntil(lambda: library.shown() == IDS[9::-1])


# -- The mouse --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [0, 1])
def test_the_button_in_the_row_retries(library: ServedLibrary, row: int) -> None:
    rows = [SIGN_IN, STOPPED]
    library.give(rows)
    retried = QSignalSpy(library.view.retry_requested)
    opened = QSignalSpy(library.view.open_requested)
    library.click(library.button_at(row))
    assert [retried.at(at)[0] for at in range(retried.count())] == [(rows[row].id,)]
    library.click(library.at(row, Column.STATE) - QPoint(90, 0))
    QTest.mouseDClick(library.table.viewport(), Qt.MouseButton.LeftButton, pos=library.button_at(row))
    assert retried.count() <= 2
    assert opened.count() == 0


def test_the_button_is_let_go_outside(library: ServedLibrary) -> None:
    library.give([SIGN_IN])
    retried = QSignalSpy(library.view.retry_requested)
    viewport, left = library.table.viewport(), Qt.MouseButton.LeftButton
    QTest.mousePress(viewport, left, pos=library.button_at(0))
    QTest.mouseRelease(viewport, left, pos=library.at(0))
    assert retried.count() == 0


def test_the_button_shows_that_the_pointer_is_on_it_and_what_it_does(library: ServedLibrary) -> None:
    library.give([SIGN_IN])
    library.point_at(0)
    before = library.table.viewport().grab().toImage()
    at = library.button_at(0)
    QTest.mouseMove(library.table.viewport(), at)
    library.qtbot.waitUntil(lambda: library.table.rows.pointer.button_of == SIGN_IN.id)
    assert library.table.viewport().grab().toImage() != before
    asked = QHelpEvent(QEvent.Type.ToolTip, at, library.table.viewport().mapToGlobal(at))
    QApplication.sendEvent(library.table.viewport(), asked)
    assert QToolTip.text() == "Try this document again (R)"
    QToolTip.hideText()


def test_scrolling_brings_another_row_under_a_resting_pointer(library: ServedLibrary) -> None:
    library.give(MANY)
    library.point_at(3)
    library.table.verticalScrollBar().setValue(10 * library.table.rows.row_height)
    assert library.table.rows.pointer.row == 13


def test_a_click_selects_the_row_and_a_double_click_opens_it(library: ServedLibrary) -> None:
    library.give([REPORT, MANY[0]])
    library.click(library.at(1, Column.ADDED))
    assert library.table.chosen_id == IDS[0]
    assert library.table.currentIndex().column() == 0
    with library.qtbot.waitSignal(library.view.open_requested) as opened:
        QTest.mouseDClick(library.table.viewport(), Qt.MouseButton.LeftButton, pos=library.at(1))
    assert opened.args == [IDS[0]]


def test_rows_are_mirrored_where_reading_goes_from_right_to_left(library: ServedLibrary) -> None:
    library.view.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    library.give(filling())
    state = library.table.visualRect(library.table.documents.index(6, Column.STATE))
    title = library.table.visualRect(library.table.documents.index(6, Column.TITLE))
    assert state.right() < title.left()
    assert library.button_at(6).x() < state.center().x()
    with library.qtbot.waitSignal(library.view.retry_requested):
        library.click(library.button_at(6))


# -- The header -------------------------------------------------------------------------------------------------


def test_a_click_on_a_column_sorts_by_it_and_another_turns_the_order(library: ServedLibrary) -> None:
    library.give(MANY[:20], Listing("site", "cablehistory.org"))
    header = library.table.columns
    x = header.sectionViewportPosition(Column.TITLE) + 40
    with library.qtbot.waitSignal(library.view.listing_wanted) as wanted:
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, 12))
    by_title = Listing("site", "cablehistory.org", "title", descending=False)
    assert wanted.args == [by_title]
    library.view.show_listing(by_title, keys(IDS[:20]))
    with library.qtbot.waitSignal(library.view.listing_wanted) as turned:
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, 12))
    assert turned.args == [replace(by_title, descending=True)]


def test_what_is_asked_for_before_a_list_comes_belongs_to_that_list(library: ServedLibrary) -> None:
    library.give(MANY[:20])
    wanted: list[Listing] = []
    library.view.listing_wanted.connect(wanted.append)
    library.table.columns.sort_asked.emit("title", False)
    library.view.filter.setText("sea")
    library.view.filter.setText("")
    assert wanted == [
        Listing(sort="title", descending=False),
        Listing(sort="title", descending=False, containing="sea"),
        Listing(sort="title", descending=False),
    ]


def test_the_keyboard_sorts_too(library: ServedLibrary) -> None:
    library.give(MANY[:20])
    header = library.table.columns
    header.setFocus()
    QTest.keyClick(header, Qt.Key.Key_Right)
    QTest.keyClick(header, Qt.Key.Key_Right)
    assert "At Passages" in header.accessibleName()
    with library.qtbot.waitSignal(library.view.listing_wanted) as wanted:
        QTest.keyClick(header, Qt.Key.Key_Space)
    assert wanted.args == [Listing(sort="passages", descending=True)]
    library.view.show_listing(wanted.args[0], keys(IDS[:20]))
    assert "sorted by Passages, descending" in header.accessibleName()


# -- Sizes ------------------------------------------------------------------------------------------------------


def test_rows_are_as_tall_as_their_text_needs(library: ServedLibrary, application: QApplication) -> None:
    library.give(MANY[:20])
    assert library.table.rowHeight(0) >= 48
    usual = application.font()
    large = application.font()
    large.setPixelSize(26)
    application.setFont(large)
    apply_scheme(application, Qt.ColorScheme.Light)
    try:
        library.qtbot.waitUntil(lambda: library.table.rowHeight(0) >= 96)
        lines = library.table.fontMetrics().height() + font("small").pixelSize()
        assert library.table.rowHeight(0) > lines
    finally:
        application.setFont(usual)
        apply_scheme(application, Qt.ColorScheme.Light)
    library.qtbot.waitUntil(lambda: library.table.rowHeight(0) < 60)


USUAL_COLUMNS = (Column.TITLE, Column.STATE, Column.PASSAGES, Column.ADDED)


@pytest.mark.parametrize(("width", "hidden"), [(1200, []), (600, [Column.PASSAGES]), (510, [2, 3])])
def test_a_narrow_list_drops_the_least_telling_columns(
    application: QApplication, qtbot: QtBot, width: int, hidden: list[int]
) -> None:
    library = ServedLibrary(qtbot, (width, 500))
    library.view.details_button.setChecked(False)
    library.give(filling())

    def is_narrow() -> bool:  # once the layout knows that the details are gone
        library.view.resize(width, 500)
        return library.view.width() == width

    library.qtbot.waitUntil(is_narrow)
    assert [column for column in USUAL_COLUMNS if library.table.isColumnHidden(column)] == hidden
    used = sum(library.table.columnWidth(column) for column in Column)
    assert used == library.table.viewport().width()


@pytest.mark.parametrize("width", [700, 1000])
def test_reasons_have_the_room_that_titles_leave_where_all_rows_failed(
    application: QApplication, qtbot: QtBot, width: int
) -> None:
    library = ServedLibrary(qtbot, (width, 500))
    library.view.details_button.setChecked(False)
    library.give([SCAN])

    def is_as_wide() -> bool:
        library.view.resize(width, 500)
        return library.view.width() == width

    library.qtbot.waitUntil(is_as_wide)
    usual = library.table.columnWidth(Column.STATE)
    library.give([SCAN], Listing(group="attention"))
    reasons = library.table.columnWidth(Column.STATE)
    assert reasons > usual + 100
    assert library.table.isColumnHidden(Column.PASSAGES)
    assert sum(library.table.columnWidth(column) for column in Column) == library.table.viewport().width()
    assert library.table.columnWidth(Column.TITLE) >= 200
    library.give([SCAN])
    assert library.table.columnWidth(Column.STATE) == usual


def test_a_bar_of_unknown_length_moves_only_while_it_is_seen(library: ServedLibrary) -> None:
    working = document("A page", state="fetching")
    library.give([working])
    library.qtbot.waitUntil(lambda: bool(library.table.rows.travelling))
    library.view.apply_news([DocumentNews(working.id, "ready")])
    library.rows[working.id] = replace(working, state="ready")
    library.qtbot.waitUntil(lambda: not library.table.rows.travelling)
