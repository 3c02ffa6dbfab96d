"""The list of results driven with real keys and a real mouse: walking, opening, commands, buttons, menus."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, SignalInstance
from PySide6.QtGui import QContextMenuEvent, QFont, QGuiApplication, QHelpEvent, QKeyEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip
from pytestqt.qtbot import QtBot

from tests.support.shown import (
    COILS,
    ENGINEERS,
    FAILURE,
    LONG,
    VOLTAGE,
    YARD,
    citations,
    many_groups,
    results,
    scripts_groups,
)
from webrag_desktop.gui.models.results import ResultRole
from webrag_desktop.gui.view_data import Passage
from webrag_desktop.gui.views.result_list import ResultList

Key = Qt.Key
Left = Qt.MouseButton.LeftButton
NoModifier = Qt.KeyboardModifier.NoModifier
Control = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def shown(qtbot: QtBot, application: QApplication) -> Iterator[ResultList]:
    made = ResultList()
    qtbot.addWidget(made)
    made.resize(644, 800)
    made.show()
    made.show_results(results())
    made.set_citations(citations())
    made.setFocus()
    application.processEvents()
    yield made
    QToolTip.hideText()


def told(signal: SignalInstance) -> Callable[[], list[object]]:
    spy = QSignalSpy(signal)
    return lambda: [spy.at(at)[0] for at in range(spy.count())]


def click(view: ResultList, passage: Passage, x: int = 200, y: int = 12) -> None:
    rect = view.visualRect(view.results.find(passage.chunk_id))
    QTest.mouseClick(view.viewport(), Left, NoModifier, rect.topLeft() + QPoint(x, y))


def button_center(view: ResultList, command: str) -> QPoint:
    rect = view.delegate.button_rect(view.currentIndex(), command)
    assert rect is not None
    return rect.center().toPoint()


def double_click(view: ResultList, at: QPoint) -> None:
    QTest.mouseClick(view.viewport(), Left, NoModifier, at)
    QTest.mouseDClick(view.viewport(), Left, NoModifier, at)
    QTest.mouseRelease(view.viewport(), Left, NoModifier, at)


def hover(view: ResultList, at: QPoint) -> None:
    for point in (QPoint(1, 1), at):
        QTest.mouseMove(view.viewport(), point)
        QApplication.processEvents()


def menu_of(view: ResultList) -> QMenu:
    menu = view.menu()
    assert menu is not None
    return menu


def texts(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def trigger(menu: QMenu, text: str) -> None:
    next(action for action in menu.actions() if action.text() == text).trigger()


# -- Walking ------------------------------------------------------------------------------------------------------


def test_results_arrive_with_the_first_passage_selected_and_told(
    qtbot: QtBot, application: QApplication
) -> None:
    view = ResultList()
    qtbot.addWidget(view)
    selected = told(view.passage_selected)
    view.show_results(results())
    assert selected() == [VOLTAGE]
    view.show_results(results([]))
    assert view.passage() is None
    assert view.menu() is None


def test_down_and_up_walk_passages_over_documents_and_tell_each(shown: ResultList) -> None:
    selected = told(shown.passage_selected)
    for key in (Key.Key_Down, Key.Key_J, Key.Key_Down, Key.Key_J, Key.Key_Down, Key.Key_Up, Key.Key_K):
        QTest.keyClick(shown, key)
    assert selected() == [COILS, YARD, FAILURE, ENGINEERS, FAILURE, YARD]


def test_home_and_end_and_pages_land_on_passages(shown: ResultList) -> None:
    QTest.keyClick(shown, Key.Key_End)
    assert shown.passage() is ENGINEERS
    QTest.keyClick(shown, Key.Key_Home)
    assert shown.passage() is VOLTAGE
    QTest.keyClick(shown, Key.Key_PageDown)
    assert shown.passage() not in {None, VOLTAGE}
    QTest.keyClick(shown, Key.Key_PageUp)
    assert shown.passage() is VOLTAGE


def test_left_goes_to_the_document_then_closes_it_and_right_comes_back(shown: ResultList) -> None:
    selected = told(shown.passage_selected)
    QTest.keyClick(shown, Key.Key_Down)
    document = shown.currentIndex().parent()
    QTest.keyClick(shown, Key.Key_Left)
    assert shown.currentIndex() == document
    assert shown.isExpanded(document)
    QTest.keyClick(shown, Key.Key_Left)
    assert not shown.isExpanded(document)
    QTest.keyClick(shown, Key.Key_Right)
    assert shown.isExpanded(document)
    assert shown.currentIndex() == document
    QTest.keyClick(shown, Key.Key_Right)
    assert shown.passage() is VOLTAGE
    assert selected() == [COILS, VOLTAGE]


def test_closed_document_is_a_stop_and_enter_opens_it(shown: ResultList) -> None:
    report = shown.results.index(1, 0)
    shown.collapse(report)
    QTest.keyClick(shown, Key.Key_Down)
    QTest.keyClick(shown, Key.Key_Down)
    assert shown.currentIndex() == report
    QTest.keyClick(shown, Key.Key_Return)
    assert shown.isExpanded(report)
    QTest.keyClick(shown, Key.Key_Down)
    assert shown.passage() is YARD


def test_all_documents_close_and_open_from_the_menu(shown: ResultList) -> None:
    QTest.keyClick(shown, Key.Key_Left)
    trigger(menu_of(shown), "Close all documents")
    assert not any(shown.isExpanded(shown.results.index(row, 0)) for row in range(3))
    assert texts(menu_of(shown))[0] == "Open"
    trigger(menu_of(shown), "Open all documents")
    assert all(shown.isExpanded(shown.results.index(row, 0)) for row in range(3))


def test_selecting_a_passage_from_outside_opens_its_document_and_tells_nobody(shown: ResultList) -> None:
    selected = told(shown.passage_selected)
    shown.collapse(shown.results.index(1, 0))
    assert shown.select_passage(FAILURE.chunk_id)
    assert shown.passage() is FAILURE
    assert shown.isExpanded(shown.results.index(1, 0))
    assert not shown.select_passage(LONG.chunk_id)
    assert not selected()


def test_letters_that_mean_nothing_here_are_left_to_the_window(shown: ResultList) -> None:
    event = QKeyEvent(QEvent.Type.KeyPress, Key.Key_H, NoModifier, "h")
    shown.keyPressEvent(event)
    assert not event.isAccepted()
    assert shown.passage() is VOLTAGE


@pytest.mark.parametrize(
    ("key", "modifiers", "wanted"),
    [(Key.Key_C, NoModifier, True), (Key.Key_C, Control, True), (Key.Key_H, NoModifier, False)],
)
def test_keys_of_the_list_win_over_shortcuts_of_the_window(
    shown: ResultList, key: Qt.Key, modifiers: Qt.KeyboardModifier, wanted: bool
) -> None:
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers, "c")
    event.ignore()
    shown.event(event)
    assert event.isAccepted() == wanted


# -- Rows that open -----------------------------------------------------------------------------------------------


def heights(view: ResultList) -> dict[str, int]:
    return {
        index.data(ResultRole.PASSAGE).quote: view.visualRect(index).height()
        for index in view.results.passage_indexes()
    }


def test_selected_row_opens_and_the_one_before_closes(shown: ResultList) -> None:
    before = heights(shown)
    QTest.keyClick(shown, Key.Key_Down)
    after = heights(shown)
    assert after[COILS.quote] > before[COILS.quote]
    assert after[VOLTAGE.quote] < before[VOLTAGE.quote]
    assert shown.delegate.buttons(shown.results.find(COILS.chunk_id))
    assert not shown.delegate.buttons(shown.results.find(VOLTAGE.chunk_id))


def test_clicked_row_stays_under_the_pointer_while_the_one_above_closes(shown: ResultList) -> None:
    shown.show_results(results(many_groups(6, 4)))
    passages = [index.data(ResultRole.PASSAGE) for index in shown.results.passage_indexes()]
    shown.select_passage(passages[9].chunk_id)
    wanted = passages[11]
    place = shown.results.find(wanted.chunk_id)
    bar = shown.verticalScrollBar()
    bar.setValue(bar.value() + shown.visualRect(place).top() - 450)
    top = shown.visualRect(place).top()
    assert shown.visualRect(shown.currentIndex()).bottom() > 0
    click(shown, wanted)
    assert shown.passage() is wanted
    assert shown.visualRect(shown.currentIndex()).top() == top


def test_rows_are_whole_in_sight_while_walking(shown: ResultList) -> None:
    shown.resize(644, 460)
    shown.show_results(results(many_groups(4, 3)))
    for key in [Key.Key_Down] * 11 + [Key.Key_Up] * 11:
        QTest.keyClick(shown, key)
        row = shown.visualRect(shown.currentIndex())
        assert row.top() >= 0
        assert row.bottom() <= shown.viewport().height()
    assert shown.visualRect(shown.results.index(0, 0)).top() == 0  # the first passage brings its document


def test_rows_grow_when_the_list_gets_narrower(shown: ResultList, application: QApplication) -> None:
    wide = heights(shown)
    shown.resize(420, 800)
    application.processEvents()
    narrow = heights(shown)
    assert narrow[VOLTAGE.quote] > wide[VOLTAGE.quote]
    assert narrow[YARD.quote] > wide[YARD.quote]


def test_rows_grow_with_the_font(shown: ResultList, application: QApplication) -> None:
    before, base = heights(shown), application.font()
    larger = QFont(base)
    larger.setPixelSize(20)
    try:
        application.setFont(larger)
        application.processEvents()
        after = heights(shown)
    finally:
        application.setFont(base)
    assert all(after[quote] > before[quote] for quote in before)


def test_reasons_show_for_every_passage_when_asked(shown: ResultList) -> None:
    before = heights(shown)
    toggled = told(shown.reasons_toggled)
    trigger(menu_of(shown), "Show reasons for every passage")
    after = heights(shown)
    assert toggled() == [True]
    assert after[COILS.quote] > before[COILS.quote]
    assert after[VOLTAGE.quote] == before[VOLTAGE.quote]
    assert shown.delegate.layout(shown.results.find(YARD.chunk_id)).reasons
    trigger(menu_of(shown), "Show reasons for every passage")
    assert heights(shown) == before


def test_painted_buttons_stay_inside_the_row_at_any_width(
    shown: ResultList, application: QApplication
) -> None:
    for width in (320, 420, 520, 644, 900):
        shown.resize(width, 800)
        application.processEvents()
        buttons = shown.delegate.buttons(shown.currentIndex())
        row = shown.visualRect(shown.currentIndex())
        assert len(buttons) == 4
        assert all(placed.rect.right() < row.width() for placed in buttons)
        assert all(placed.rect.bottom() < row.height() for placed in buttons)
        assert all(placed.rect.height() >= 24 for placed in buttons)


# -- Commands -----------------------------------------------------------------------------------------------------


def test_keys_cite_open_and_copy(shown: ResultList) -> None:
    cited, opened, copied = told(shown.cite_toggled), told(shown.open_requested), told(shown.copied)
    QTest.keyClick(shown, Key.Key_C)
    QTest.keyClick(shown, Key.Key_Return)
    QTest.keyClick(shown, Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert (cited(), opened()) == ([VOLTAGE], [VOLTAGE, VOLTAGE])
    QTest.keyClick(shown, Key.Key_C, Control)
    assert QGuiApplication.clipboard().text() == VOLTAGE.quote
    QTest.keyClick(shown, Key.Key_C, Control | Qt.KeyboardModifier.ShiftModifier)
    assert QGuiApplication.clipboard().text() == (
        f"“{VOLTAGE.quote}” (The induction coils of Wildman Whitehouse, re-examined — Voltage, p. 11. "
        "https://telegraphquarterly.net/coils.pdf)"
    )
    assert copied() == ["Quote copied.", "Quote copied with its reference."]


def test_painted_buttons_do_what_they_say(shown: ResultList) -> None:
    signals = {
        "cite": told(shown.cite_toggled),
        "open": told(shown.open_requested),
        "copy": told(shown.copied),
        "browse": told(shown.browser_requested),
    }
    for command, got in signals.items():
        QTest.mouseClick(shown.viewport(), Left, NoModifier, button_center(shown, command))
        assert got() == ["Quote copied." if command == "copy" else VOLTAGE]
    assert shown.passage() is VOLTAGE


def test_press_that_ends_elsewhere_does_nothing(shown: ResultList) -> None:
    cited, opened = told(shown.cite_toggled), told(shown.open_requested)
    QTest.mousePress(shown.viewport(), Left, NoModifier, button_center(shown, "cite"))
    QTest.mouseRelease(shown.viewport(), Left, NoModifier, button_center(shown, "open"))
    assert not cited()
    assert not opened()


def test_double_click_on_cite_cites_once(shown: ResultList) -> None:
    cited, opened = told(shown.cite_toggled), told(shown.open_requested)
    at = button_center(shown, "cite")
    double_click(shown, at)
    assert cited() == [VOLTAGE]
    assert not opened()


def test_double_click_opens_the_passage_that_was_clicked(shown: ResultList) -> None:
    opened = told(shown.open_requested)
    rect = shown.visualRect(shown.results.find(COILS.chunk_id))
    at = rect.topLeft() + QPoint(200, rect.height() - 6)
    double_click(shown, at)
    assert opened() == [COILS]


def test_click_on_the_selected_passage_tells_again(shown: ResultList) -> None:
    selected = told(shown.passage_selected)
    click(shown, VOLTAGE)
    click(shown, YARD)
    assert selected() == [VOLTAGE, YARD]


def test_dragging_over_rows_selects_nothing(shown: ResultList) -> None:
    viewport = shown.viewport()
    start = shown.visualRect(shown.results.find(COILS.chunk_id)).center()
    QTest.mousePress(viewport, Left, NoModifier, start)
    QTest.mouseMove(viewport, start + QPoint(0, 200))
    QTest.mouseRelease(viewport, Left, NoModifier, start + QPoint(0, 200))
    assert shown.passage() is COILS


def test_disclosure_closes_a_document_with_the_mouse(shown: ResultList) -> None:
    report = shown.results.index(1, 0)
    at = shown.visualRect(report).topLeft() + QPoint(20, 20)
    QTest.mouseClick(shown.viewport(), Left, NoModifier, at)
    assert not shown.isExpanded(report)
    title = shown.visualRect(report).topLeft() + QPoint(200, 20)
    QTest.mouseClick(shown.viewport(), Left, NoModifier, title)
    assert not shown.isExpanded(report)
    double_click(shown, shown.visualRect(report).topLeft() + QPoint(200, 20))
    assert shown.isExpanded(report)


def test_hovered_button_is_drawn_so_and_has_a_hint(shown: ResultList, application: QApplication) -> None:
    viewport, delegate = shown.viewport(), shown.delegate
    cite, browse = delegate.buttons(shown.currentIndex())[0], button_center(shown, "browse")
    hover(shown, button_center(shown, "cite"))
    assert delegate.is_hovered(shown.currentIndex(), cite)
    application.sendEvent(viewport, QHelpEvent(QEvent.Type.ToolTip, browse, viewport.mapToGlobal(browse)))
    assert QToolTip.text() == "https://telegraphquarterly.net/coils.pdf"
    application.sendEvent(viewport, QEvent(QEvent.Type.Leave))
    assert not delegate.is_hovered(shown.currentIndex(), cite)


def test_hovering_a_passage_tells_why_it_was_found(shown: ResultList, qtbot: QtBot) -> None:
    hover(shown, shown.visualRect(shown.results.find(COILS.chunk_id)).center())
    qtbot.waitUntil(lambda: "Similarity: 0.79" in QToolTip.text())
    assert not shown.delegate.reasons_at(shown.currentIndex())  # the selected row says so itself


def test_button_of_a_cited_passage_says_its_number(shown: ResultList) -> None:
    def words() -> list[str]:
        return [placed.button.text for placed in shown.delegate.buttons(shown.currentIndex())]

    assert words() == ["Cited as 1", "Open", "Copy quote", "Open in browser"]
    shown.set_citations([replace(citations()[0], number=12)])
    assert words()[0] == "Cited as 12"
    shown.set_citations([])
    assert words()[0] == "Cite"


def test_file_has_no_browser_button(shown: ResultList) -> None:
    shown.show_results(results(scripts_groups()), LONG.chunk_id)
    assert shown.passage() is LONG
    commands = [placed.button.command for placed in shown.delegate.buttons(shown.currentIndex())]
    assert commands == ["cite", "open", "copy"]
    assert "Open in browser" not in texts(menu_of(shown))


def test_menu_has_every_button_with_its_key(shown: ResultList) -> None:
    menu = menu_of(shown)
    assert texts(menu) == [
        "Remove citation 1",
        "Open in reader",
        "Copy quote",
        "Copy quote with reference",
        "Open in browser",
        "Show reasons for every passage",
    ]
    keys = {action.text(): action.shortcut().toString() for action in menu.actions()}
    assert keys["Remove citation 1"] == "C"
    assert keys["Copy quote with reference"] == "Ctrl+Shift+C"
    browser, cited = told(shown.browser_requested), told(shown.cite_toggled)
    trigger(menu, "Open in browser")
    trigger(menu, "Remove citation 1")
    assert browser() == cited() == [VOLTAGE]


def test_menu_key_shows_the_menu_at_the_selected_row(shown: ResultList, application: QApplication) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0))
    application.sendEvent(shown.viewport(), event)
    menu = application.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert shown.visualRect(shown.currentIndex()).contains(shown.viewport().mapFromGlobal(menu.pos()))
    menu.close()


def test_every_row_reads_out_a_sentence(shown: ResultList) -> None:
    def sentences(parent: QModelIndex) -> Iterator[str]:
        for row in range(shown.results.rowCount(parent)):
            index = shown.results.index(row, 0, parent)
            yield str(index.data(Qt.ItemDataRole.AccessibleTextRole))
            yield from sentences(index)

    assert all(len(sentence) > 20 for sentence in sentences(QModelIndex()))
    assert shown.accessibleName() == "Results"
