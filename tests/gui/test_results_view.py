"""The results pane in every state: idle, searching, found, nothing found, degraded, failed."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from tests.support.shown import COILS, FAILURE, SEARCH_FAILURE, VOLTAGE, citations, group, results
from webrag_desktop.gui.data.view_data import Passage
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.research.results_pane import ResultsView

DEGRADED = "The embedding model does not answer. These passages were found by their words only."


@pytest.fixture
def view(qtbot: QtBot, application: QApplication) -> ResultsView:
    made = ResultsView()
    qtbot.addWidget(made)
    made.resize(644, 700)
    made.show()
    return made


def words(view: ResultsView) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel) if label.isVisible() and label.text()]


def button(view: ResultsView, text: str) -> QPushButton:
    return next(one for one in view.findChildren(QPushButton) if one.text() == text and one.isVisible())


def selected(view: ResultsView) -> Passage | None:
    return view.list.passage()


def test_idle_pane_explains_how_to_ask(view: ResultsView) -> None:
    assert not view.list.isVisible()
    assert "Ask your documents" in words(view)
    assert "cite the marked sentence" in words(view)


def test_results_say_how_many_and_how_fast(view: ResultsView) -> None:
    view.show_results(results())
    assert view.list.isVisible()
    assert "5 passages in 3 documents, 41 ms" in words(view)
    view.show_results(replace(results([group("Coils", [VOLTAGE])]), milliseconds=1234.0))
    assert "1 passage in 1 document, 1.2 s" in words(view)


def test_signals_of_the_list_are_those_of_the_pane(view: ResultsView) -> None:
    view.show_results(results())
    spies = [
        QSignalSpy(signal)
        for signal in (
            view.passage_selected,
            view.open_requested,
            view.cite_toggled,
            view.browser_requested,
            view.copied,
        )
    ]
    for command in ("down", "open", "cite", "browse", "copy"):
        view.list.run(command)
    assert [spy.at(0)[0] for spy in spies] == [COILS, COILS, COILS, COILS, "Quote copied."]


def test_searching_dims_what_is_shown_and_then_shows_shapes(view: ResultsView, qtbot: QtBot) -> None:
    view.show_results(results())
    view.show_searching("galvanic creep")
    assert view.list.isVisible()
    assert not view.list.delegate.is_dimmed  # a quick answer is not preceded by a flash
    qtbot.waitUntil(lambda: view.list.delegate.is_dimmed)
    assert "Searching for “galvanic creep”" in words(view)
    qtbot.waitUntil(lambda: not view.list.isVisible())
    view.show_results(results())
    assert view.list.isVisible()
    assert not view.list.delegate.is_dimmed


def test_fast_answer_never_shows_shapes(view: ResultsView, qtbot: QtBot) -> None:
    view.show_searching("cable")
    view.show_results(results())
    spy = QSignalSpy(view._waiting.timeout)
    qtbot.wait(0)
    assert not view._waiting.isActive()
    assert spy.count() == 0


def test_keyboard_comes_back_to_the_list_after_shapes(view: ResultsView, qtbot: QtBot) -> None:
    view.activateWindow()
    view.show_results(results())
    view.focus_list()
    qtbot.waitUntil(view.list.hasFocus)
    view.show_searching("cable")
    qtbot.waitUntil(lambda: not view.list.isVisible())
    view.show_results(results())
    assert view.list.hasFocus()


def test_same_question_again_keeps_the_selected_passage_without_telling(view: ResultsView) -> None:
    view.show_results(results())
    view.select_passage(FAILURE.chunk_id)
    spy = QSignalSpy(view.passage_selected)
    view.show_results(results())
    assert selected(view) is FAILURE
    assert spy.count() == 0
    view.show_results(results(query="another"))
    assert selected(view) is VOLTAGE
    assert spy.count() == 1


def test_what_was_found_and_removed_since_is_not_said_to_be_missing(view: ResultsView) -> None:
    view.show_results(replace(results([], "galvanic creep"), removed=1))
    assert "What was found is removed." in words(view)
    assert not any("No passage mentions" in sentence for sentence in words(view))


def test_nothing_found_says_what_helps(view: ResultsView) -> None:
    view.show_results(results([], "galvanic creep"))
    assert not view.list.isVisible()
    assert "No passage mentions “galvanic creep”." in words(view)
    assert "Other words may help, or fewer of them." in words(view)
    view.set_open_documents(3)
    assert any("3 documents are still being read" in sentence for sentence in words(view))
    view.set_open_documents(1)
    assert any("One document is still being read" in sentence for sentence in words(view))
    view.set_open_documents(0)
    assert not any("still being read" in sentence for sentence in words(view))


def test_nothing_found_in_an_empty_library_says_how_to_fill_it(view: ResultsView) -> None:
    view.show_results(replace(results([], "cable"), corpus_documents=0))
    assert "There is nothing to search yet." in words(view)


def test_degraded_search_says_so_until_the_next(view: ResultsView) -> None:
    view.show_results(results(degraded=DEGRADED))
    assert DEGRADED in words(view)
    assert view.list.isVisible()
    view.show_results(results())
    assert DEGRADED not in words(view)


def test_how_words_were_read_is_said_in_neutral_ink_and_beside_what_is_less(view: ResultsView) -> None:
    sentence = "No text holds “galciers”, so it was read as “glaciers”."
    view.show_results(replace(results(degraded=DEGRADED), spelling=sentence))
    assert {DEGRADED, sentence} <= set(words(view))
    ground = view.spelling.grab().toImage().pixelColor(2, 2)
    assert ground == colour("sunken")
    view.show_searching("glaciers")
    assert sentence not in words(view)


def test_failure_without_results_offers_to_try_again(view: ResultsView) -> None:
    view.show_searching("cable")
    view.show_failure(SEARCH_FAILURE, "Try again")
    assert SEARCH_FAILURE.message in words(view)
    assert SEARCH_FAILURE.hint in words(view)
    spy = QSignalSpy(view.failure_acted)
    view.focus_list()
    QTest.mouseClick(button(view, "Try again"), Qt.MouseButton.LeftButton)
    assert spy.count() == 1


def test_failure_keeps_what_was_found_before(view: ResultsView, qtbot: QtBot) -> None:
    view.show_results(results())
    view.show_searching("other")
    qtbot.waitUntil(lambda: not view.list.isVisible())
    view.show_failure(SEARCH_FAILURE, "Try again")
    assert view.list.isVisible()
    assert not view.list.delegate.is_dimmed
    assert SEARCH_FAILURE.message in words(view)
    assert "Still those for “Why did the 1858 Atlantic cable fail?”" in words(view)
    spy = QSignalSpy(view.failure_acted)
    QTest.mouseClick(button(view, "Try again"), Qt.MouseButton.LeftButton)
    assert spy.count() == 1
    view.show_results(results())
    assert SEARCH_FAILURE.message not in words(view)


def test_order_is_chosen_from_a_menu(view: ResultsView) -> None:
    weak, strong = replace(VOLTAGE, score=0.2), replace(COILS, score=0.9)
    view.show_results(results([group("Coils", [weak, strong])]))
    assert selected(view) is strong
    order = button(view, "Best first")
    assert order.accessibleName() == "Order of passages: Best first"
    menu = view.order_menu()
    assert [action.isChecked() for action in menu.actions()] == [True, False]
    menu.actions()[1].trigger()
    assert order.text() == "Reading order"
    assert view.list.visualRect(view.list.results.find(weak.chunk_id)).top() < (
        view.list.visualRect(view.list.results.find(strong.chunk_id)).top()
    )
    assert selected(view) is strong


def test_reasons_button_and_menu_are_one_thing(view: ResultsView) -> None:
    view.show_results(results())
    toggle = view.findChild(QToolButton)
    assert toggle is not None
    assert toggle.accessibleName() == "Show reasons for every passage"
    QTest.mouseClick(toggle, Qt.MouseButton.LeftButton)
    assert view.list.delegate.shows_reasons
    view.list.run("reasons")
    assert not toggle.isChecked()


def test_citations_reach_the_rows(view: ResultsView) -> None:
    view.show_results(results())
    view.set_citations(citations())
    index = view.list.results.find(VOLTAGE.chunk_id)
    assert "cited as 1" in str(index.data(Qt.ItemDataRole.AccessibleTextRole))


def test_idle_again_forgets_the_results(view: ResultsView) -> None:
    view.show_results(results())
    view.show_idle()
    assert not view.list.isVisible()
    assert view.list.results.rowCount() == 0


def test_a_search_that_is_cancelled_leaves_what_was_there(application: QApplication, qtbot: QtBot) -> None:
    view = ResultsView()
    qtbot.addWidget(view)
    view.resize(640, 700)
    view.show()
    view.show_results(results())
    detail = view._header._detail.text()
    view.show_searching("another question")
    qtbot.waitUntil(lambda: view._pages.currentWidget() is view._skeleton)
    view.show_cancelled()
    assert view._pages.currentWidget() is view.list
    assert not view.list.delegate.is_dimmed
    assert view._header._detail.text() == detail
    view.show_idle()
    view.show_searching("another question")
    view.show_cancelled()
    assert view._pages.currentWidget() is view._idle
