"""The list of results walked with real keys and a real mouse, and its rows that open."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from tests.gui.result_lists import Control, Key, NoModifier, click, menu_of, reported, texts, trigger
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
)
from webrag_desktop.gui.research.result_list import ResultList
from webrag_desktop.gui.research.results_model import ResultRole


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


# -- Walking ------------------------------------------------------------------------------------------------------


def test_results_arrive_with_the_first_passage_selected_and_reported(
    qtbot: QtBot, application: QApplication
) -> None:
    view = ResultList()
    qtbot.addWidget(view)
    selected = reported(view.passage_selected)
    view.show_results(results())
    assert selected() == [VOLTAGE]
    view.show_results(results([]))
    assert view.passage() is None
    assert view.menu() is None


def test_down_and_up_walk_passages_over_documents_and_tell_each(shown: ResultList) -> None:
    selected = reported(shown.passage_selected)
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
    selected = reported(shown.passage_selected)
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
    selected = reported(shown.passage_selected)
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
    toggled = reported(shown.reasons_toggled)
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
        assert len(buttons) == 4 + (width < 520)  # there not all of the passage has room
        assert all(placed.rect.right() < row.width() for placed in buttons)
        assert all(placed.rect.bottom() < row.height() for placed in buttons)
        assert all(placed.rect.height() >= 24 for placed in buttons)
