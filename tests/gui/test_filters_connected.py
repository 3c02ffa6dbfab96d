"""Filters in the whole window: asked for beside the question, honoured, shown as chips, and cleared."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.support.filters import CHOICES, FOUR
from tests.support.shown import QUESTION, SEARCH_FAILURE, results
from tests.support.whole_window import Shown
from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters
from webrag_desktop.gui.research.filter_panel import FilterPanel
from webrag_desktop.gui.shell.error_dialog import ErrorDialog, headline_of
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
LEFT = Qt.MouseButton.LeftButton
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
SEA = ChosenFilters(tags=("sea",))


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


def panel(shown: Shown) -> FilterPanel:
    return shown.connections.filtering.panel


def restricted(shown: Shown) -> list[object]:
    return [filters for (filters,) in shown.do.calls_of("searching.restrict")]


def words(shown: Shown) -> list[str]:
    labels = shown.window.research.results.findChildren(QLabel)
    return [one.text() for one in labels if one.isVisible() and one.text()]


def test_the_button_beside_the_question_opens_the_card_and_asks_what_there_is(shown: Shown) -> None:
    button = shown.window.query.filter_button
    assert button.accessibleName() == "Filters (Ctrl+Shift+F)"
    QTest.mouseClick(button, LEFT)
    assert panel(shown).isVisible()
    assert not button.isChecked()
    assert shown.do.calls_of("filtering.fetch") == [()]
    shown.do.part("filtering").choices.emit(CHOICES)
    assert panel(shown).lists["sites"].rows()[0].accessibleName() == "archive.org, 312"


def test_the_key_opens_it_from_anywhere_and_escape_gives_the_keyboard_back(shown: Shown) -> None:
    shown.window.query.focus()
    before = QApplication.focusWidget()
    shown.press(Qt.Key.Key_F, CONTROL_SHIFT)
    shown.qtbot.waitUntil(panel(shown).isActiveWindow)
    QTest.keyClick(panel(shown), Qt.Key.Key_Escape)
    assert not panel(shown).isVisible()
    shown.qtbot.waitUntil(lambda: QApplication.focusWidget() is before)


def test_tab_reaches_the_button_from_the_question(shown: Shown) -> None:
    shown.window.query.focus()
    shown.press(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is shown.window.query.history_button
    shown.press(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is shown.window.query.filter_button


def test_a_filter_before_the_first_question_waits_for_it(shown: Shown) -> None:
    panel(shown).changed.emit(SEA)
    assert restricted(shown) == [SEA]
    assert shown.window.view == LIBRARY
    assert shown.do.calls_of("searching.again") == []
    button = shown.window.query.filter_button
    assert (button.text(), button.isChecked()) == ("1", True)
    assert button.accessibleName() == "Filters, 1 on (Ctrl+Shift+F)"
    shown.connections.show_view(RESEARCH)
    assert [chip.isVisible() for chip in shown.window.research.filters.chips.values()] == [True]
    shown.ask()
    assert shown.do.calls_of("searching.search") == [(QUESTION,)]


def test_a_filter_asks_the_question_again_and_shows_its_answer(shown: Shown) -> None:
    shown.ask()
    shown.connections.show_view(LIBRARY)
    panel(shown).changed.emit(SEA)
    assert shown.window.view == RESEARCH
    assert shown.do.calls_of("searching.again") == [()]
    shown.answer(replace(results(), filters=SEA))
    assert "The filters leave 182,400 tokens" in shown.window.research.mode.accessibleDescription()
    QTest.keyClick(shown.window.research.filters.chips["tags"], Qt.Key.Key_Delete)
    assert restricted(shown) == [SEA, NO_FILTERS]
    assert len(shown.do.calls_of("searching.again")) == 2
    assert shown.window.query.filter_button.text() == ""
    shown.answer(results())
    assert "Your library holds 182,400 tokens" in shown.window.research.mode.accessibleDescription()


def test_a_chip_opens_the_card_where_its_values_are(shown: Shown) -> None:
    panel(shown).changed.emit(FOUR)
    shown.connections.show_view(RESEARCH)
    QTest.keyClick(shown.window.research.filters.chips["doc_types"], Qt.Key.Key_Return)
    assert panel(shown).lists["doc_types"].isVisible()
    assert panel(shown).lists["doc_types"].chosen == ("pdf", "html")
    panel(shown).close()


def test_nothing_found_under_filters_says_so_and_offers_to_clear_them(shown: Shown) -> None:
    panel(shown).changed.emit(FOUR)
    shown.ask("galvanic creep")
    shown.answer(replace(results([], "galvanic creep"), filters=FOUR))
    assert {
        "No passage mentions “galvanic creep”.",
        "4 filters are on. Without filters there may be more.",
    } <= set(words(shown))
    pane = shown.window.research.results
    pane.focus_list()
    clear = QApplication.focusWidget()
    assert isinstance(clear, QPushButton)
    assert clear.text() == "Clear filters"
    QTest.keyClick(clear, Qt.Key.Key_Space)
    assert restricted(shown)[-1] == NO_FILTERS
    assert not shown.window.research.filters.chips
    assert len(shown.do.calls_of("searching.again")) == 1


def test_filters_that_nothing_meets_are_reported(shown: Shown) -> None:
    shown.ask()
    shown.answer(replace(results([]), filters=SEA, corpus_documents=0))
    assert {"Nothing in your library meets the filters.", "One filter is on."} <= set(words(shown))


def test_a_failure_under_filters_is_tried_again_not_cleared(shown: Shown) -> None:
    panel(shown).changed.emit(SEA)
    shown.ask()
    shown.answer(replace(results([]), filters=SEA))
    shown.do.part("searching").failed.emit(SEARCH_FAILURE)
    shown.window.research.results.focus_list()
    shown.press(Qt.Key.Key_Space)
    assert shown.do.calls_of("searching.again") == [()]
    assert restricted(shown) == [SEA]


def test_other_labels_ask_again_only_where_they_are_filtered_by_and_seen(shown: Shown) -> None:
    shown.ask()
    changed = shown.do.part("labelling").changed
    changed.emit()
    panel(shown).changed.emit(SEA)
    changed.emit()
    assert len(shown.do.calls_of("searching.again")) == 2
    shown.connections.show_view(LIBRARY)
    changed.emit()
    assert len(shown.do.calls_of("searching.again")) == 2
    assert shown.window.view == LIBRARY


def test_choices_that_cannot_be_read_are_reported(shown: Shown) -> None:
    shown.do.part("filtering").failed.emit(SEARCH_FAILURE)
    dialog = shown.window.findChild(ErrorDialog)
    assert dialog is not None
    assert dialog.accessibleName() == headline_of(SEARCH_FAILURE.message)[0]
    dialog.close()


def test_the_badge_says_what_answers_get(shown: Shown) -> None:
    shown.ask()
    shown.answer(results())
    badge = shown.window.research.mode
    assert badge.accessibleName() == "Chunk mode, 182k tokens / 30k threshold"
    assert "more than 30,000, so answers" in badge.accessibleDescription()
    for tokens, name in ((155, "155 / 30k"), (21_000, "21k / 30k"), (30_000, "30k / 30k")):
        shown.answer(replace(results(), corpus_tokens=tokens, corpus_documents=1))
        assert badge.accessibleName() == f"Whole mode, {name}"
    assert "30,000 tokens in 1 document." in badge.accessibleDescription()
    assert "get all of it" in badge.accessibleDescription()
    shown.answer(replace(results(), corpus_tokens=30_001))
    assert badge.accessibleName().startswith("Chunk mode")


def search_from_passages(shown: Shown) -> None:
    """With the keyboard in the passages a search begins that takes its time, so that shapes are shown."""
    shown.ask()
    listed = shown.window.research.results.list
    listed.setFocus()
    shown.do.part("searching").started.emit(QUESTION)
    shown.qtbot.waitUntil(listed.isHidden)


def test_the_keyboard_goes_back_to_the_question_where_passages_give_way_to_none(
    shown: Shown, qtbot: QtBot
) -> None:
    search_from_passages(shown)
    shown.do.part("searching").results.emit(replace(results(query=QUESTION), groups=(), filters=SEA))
    qtbot.waitUntil(lambda: shown.window.query.has_keyboard)


def test_the_keyboard_stays_where_it_was_taken_while_a_search_that_finds_nothing_ran(
    shown: Shown,
) -> None:
    search_from_passages(shown)
    shown.connections.show_view(LIBRARY)
    shown.window.library.focus_filter()
    shown.do.part("searching").results.emit(replace(results(query=QUESTION), groups=(), filters=SEA))
    QTest.qWait(20)
    assert shown.window.library.filter.hasFocus()


def test_the_keyboard_goes_to_the_question_where_what_was_found_is_removed(shown: Shown) -> None:
    shown.ask()
    shown.window.research.results.list.setFocus()
    shown.do.part("searching").results.emit(replace(results(query=QUESTION), groups=(), removed=2))
    shown.qtbot.waitUntil(lambda: shown.window.query.has_keyboard)
