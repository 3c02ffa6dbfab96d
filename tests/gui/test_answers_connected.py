"""Answers in the whole window: asked by key and button, read, cited, stopped, and found again in the history."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from tests.gui.result_lists import texts, trigger
from tests.support.reader import COILS as SENTENCE
from tests.support.reader import TEXT, span, titled
from tests.support.shown import COILS, QUESTION, VOLTAGE, citations, results
from tests.support.shown_answers import (
    CITED,
    COMPLETE,
    EXTRACT,
    KEPT,
    SEARCHING,
    SELECTED,
    WRITING,
    asked_questions,
)
from tests.support.whole_window import Shown
from tests.unit.gui.test_reader_document import shown as read
from tests.unit.gui.test_reader_document import version
from webrag_desktop.gui.data.answers import SelectedText
from webrag_desktop.gui.data.filters import ChosenFilters
from webrag_desktop.gui.data.view_data import SpanReference
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.research.answer.view import AnswerView
from webrag_desktop.gui.shell.connections.commands import KeysDialog
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ABOUT = SelectedText(replace(VOLTAGE.span, char_start=5, char_end=40), "these few words")


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


@pytest.fixture
def view(shown: Shown) -> AnswerView:
    return shown.window.research.answer


def answering(shown: Shown) -> Any:
    return shown.do.part("answering")


def answered(shown: Shown, question: str = QUESTION) -> None:
    """Type a question and have it answered by key; the answer comes, and its passages."""
    shown.window.query.focus()
    shown.window.query.set_text(question)
    shown.press(Qt.Key.Key_Return, CONTROL)
    shown.do.part("searching").started.emit(question)
    answering(shown).answer.emit(replace(SEARCHING, question=question))
    answering(shown).answer.emit(replace(COMPLETE, question=question))
    shown.answer(results(query=question))


# -- Asking -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_key", [True, False])
def test_a_question_is_answered_and_its_passages_looked_for(
    shown: Shown, view: AnswerView, by_key: bool
) -> None:
    query = shown.window.query
    query.focus()
    query.set_text(QUESTION)
    if by_key:
        shown.press(Qt.Key.Key_Return, CONTROL)
    else:
        query._answer.click()
    assert shown.do.calls_of("searching.search") == [(QUESTION,)]
    assert shown.do.calls_of("answering.ask_searched") == [(QUESTION,)]
    assert shown.window.view == RESEARCH
    answering(shown).answer.emit(WRITING)
    shown.answer(results())
    assert view.isVisible()
    assert shown.window.research.results.list.isVisible()
    assert query.has_keyboard  # an answer comes first; its passages do not take the keyboard


def test_enter_searches_and_ends_the_answer_that_is_there(shown: Shown, view: AnswerView) -> None:
    answered(shown)
    shown.window.query.focus()
    shown.press(Qt.Key.Key_Return)
    assert len(shown.do.calls_of("answering.withdraw")) == 1
    assert len(shown.do.calls_of("answering.ask_searched")) == 1
    answering(shown).withdrawn.emit()
    assert not view.isVisible()


def test_the_menu_has_the_question_answered_from_anywhere(shown: Shown) -> None:
    shown.ask()
    assert shown.window.research.results.list.hasFocus()
    shown.press(Qt.Key.Key_Return, CONTROL)
    assert shown.do.calls_of("answering.ask_searched") == [(QUESTION,)]
    shown.window.query.set_text("")
    shown.press(Qt.Key.Key_Return, CONTROL)
    assert shown.window.query.has_keyboard
    assert len(shown.do.calls_of("answering.ask_searched")) == 1


def test_filters_hold_for_answers_too(shown: Shown) -> None:
    chosen = ChosenFilters(tags=("telegraphy",))
    shown.connections.filtering.take(chosen)
    assert shown.do.calls_of("answering.restrict") == [(chosen,)]


def test_escape_stops_the_answer_then_goes_back_to_the_passages(shown: Shown) -> None:
    answered(shown)
    answering(shown).answer.emit(WRITING)
    shown.press(Qt.Key.Key_Escape)
    assert len(shown.do.calls_of("answering.stop")) == 1
    assert shown.do.calls_of("searching.cancel") == []
    answering(shown).answer.emit(replace(WRITING, stage="stopped"))
    shown.press(Qt.Key.Key_Escape)
    assert len(shown.do.calls_of("answering.stop")) == 1
    assert shown.window.research.results.list.hasFocus()


def test_the_buttons_of_the_answer_ask_for_what_they_say(shown: Shown, view: AnswerView) -> None:
    answered(shown)
    answering(shown).answer.emit(WRITING)
    view.header.stop.click()
    answering(shown).answer.emit(COMPLETE)
    trigger(view.header.menu(), "Ask again")
    trigger(view.header.menu(), "Close the answer")
    trigger(view.header.menu(), "Cite all")
    assert [name for name, *_ in shown.do.asked if str(name).startswith("answering.")][1:] == [
        "answering.stop",
        "answering.again",
        "answering.withdraw",
    ]
    assert shown.do.calls_of("citing.cite_all") == [(tuple(one.span for one in CITED),)]
    answering(shown).answer.emit(replace(COMPLETE, pictures=2))
    trigger(view.header.menu(), "Ask again with 2 pictures")
    assert shown.do.calls_of("answering.again") == [(), (True,)]


def test_an_extract_leads_to_the_settings_of_answers(shown: Shown, view: AnswerView) -> None:
    answered(shown)
    answering(shown).answer.emit(EXTRACT)
    view.set_up.click()
    assert shown.do.calls_of("settings.fetch") == [()]
    assert shown.connections.settings._wanted == ("answers", "CHAT_MODEL")


def test_the_status_is_reported_when_the_model_writes_and_when_it_no_longer_does(shown: Shown) -> None:
    answered(shown)
    for answer in (SEARCHING, WRITING, replace(WRITING, draft="More"), COMPLETE, EXTRACT, WRITING):
        answering(shown).answer.emit(answer)
    answering(shown).withdrawn.emit()
    assert shown.do.calls_of("stack.show_writing") == [(True,), (False,), (True,), (False,)]


# -- One selection ------------------------------------------------------------------------------------------------


def test_a_number_moves_the_reader_and_selects_what_is_the_same_sentence(
    shown: Shown, view: AnswerView
) -> None:
    answered(shown)
    shown.do.part("citing").citations.emit(citations())
    QApplication.processEvents()
    text = view.text
    number = next(at for at, one in enumerate(text._marks) if one.mark.number == 2)
    point: QPoint = text.mark_rect(number).center().toPoint()
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
    assert shown.do.calls_of("reading.open_span")[-1] == (COILS.span,)
    research = shown.window.research
    current = research.citations.list.citation()
    assert current is not None
    assert current.number == 2
    assert research.results.list.passage() == COILS
    assert text._chosen == 2
    assert not research.is_full
    research.citations.select_number(1)  # and the other way
    assert text._chosen == 1


def test_enter_opens_the_sentence_in_full_and_c_cites_it_or_takes_that_back(
    shown: Shown, view: AnswerView
) -> None:
    answered(shown)
    view.text.setFocus(Qt.FocusReason.TabFocusReason)
    shown.press(Qt.Key.Key_C)
    assert shown.do.calls_of("citing.toggle") == [(VOLTAGE.span,)]
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("reading.open_span")[-1] == (VOLTAGE.span,)
    assert shown.window.research.is_full


def test_digits_mean_the_numbers_of_the_answer_while_that_has_the_keyboard(
    shown: Shown, view: AnswerView
) -> None:
    answered(shown)
    shown.do.part("citing").citations.emit(citations()[2:])  # another sentence is citation 2 there
    view.text.setFocus(Qt.FocusReason.TabFocusReason)
    shown.press(Qt.Key.Key_2)
    assert shown.do.calls_of("reading.open_span")[-1] == (COILS.span,)
    assert view.text._chosen == 2


def test_f6_goes_through_the_answer(shown: Shown, view: AnswerView) -> None:
    answered(shown)
    shown.window.query.focus()
    visited = []
    for _ in range(7):
        shown.press(Qt.Key.Key_F6)
        visited.append(QApplication.focusWidget())
    research = shown.window.research
    assert visited.index(view.text) < visited.index(research.results.list)
    assert view.text.current_mark is not None


def test_what_was_copied_is_reported(shown: Shown, view: AnswerView) -> None:
    answered(shown)
    view.header.copy.click()
    assert "Answer copied with its citations." in [
        toast.accessibleName() for toast in shown.window.toasts._toasts
    ]


# -- Selected text ------------------------------------------------------------------------------------------------


def test_a_question_about_what_is_selected_in_the_reader(shown: Shown, view: AnswerView) -> None:
    document = titled(read(version(TEXT)))
    shown.connections.research.show_span(span(document, SENTENCE))
    shown.do.part("reading").document.emit(document)
    reader = shown.window.research.reader
    shown.qtbot.waitUntil(lambda: reader._text.is_complete)
    place = reader._text.active_places()[0]
    reader._text.setTextCursor(reader._text._cursor(*place))
    trigger(reader.context_menu(None), "Ask about this")
    query = shown.window.query
    assert query.has_keyboard
    assert query.about.isVisible()
    query.set_text("why five-foot?")
    shown.press(Qt.Key.Key_Return)  # there is nothing to search
    asked = shown.do.calls_of("answering.ask")
    assert len(asked) == 1
    question, about = asked[0]
    assert question == "why five-foot?"
    assert isinstance(about, SelectedText)
    assert about.span.version_id == document.version_id
    assert document.markdown[about.span.char_start : about.span.char_end].startswith("Whitehouse answered")
    assert shown.do.calls_of("searching.search") == []
    answering(shown).answer.emit(SELECTED)
    assert view.isVisible()


def test_nothing_selected_cannot_be_asked_about(shown: Shown) -> None:
    document = titled(read(version(TEXT)))
    shown.do.part("reading").document.emit(document)
    menu = shown.window.research.reader.context_menu(None)
    assert not next(action for action in menu.actions() if action.text() == "Ask about this").isEnabled()
    menu.deleteLater()


def test_a_question_about_a_passage_of_the_results(shown: Shown) -> None:
    whole = SpanReference(VOLTAGE.span.document_id, VOLTAGE.span.version_id, 900, 1300)
    found = results()
    passage = replace(VOLTAGE, whole=whole)
    first = replace(found.groups[0], passages=(passage, COILS))
    shown.ask()
    shown.answer(replace(found, groups=(first, *found.groups[1:])))
    shown.window.research.results.select_passage(passage.chunk_id)
    menu = shown.window.research.results.list.menu()
    assert menu is not None
    trigger(menu, "Ask about this passage")
    shown.window.query.set_text("why?")
    shown.press(Qt.Key.Key_Return, CONTROL)
    assert shown.do.calls_of("answering.ask") == [("why?", SelectedText(whole, VOLTAGE.text))]
    shown.window.research.results.select_passage(COILS.chunk_id)
    menu = shown.window.research.results.list.menu()
    assert menu is not None
    assert "Ask about this passage" not in texts(menu)  # where it begins and ends is not known


@pytest.mark.parametrize("way", ["backspace", "delete", "cross"])
def test_the_whole_library_is_asked_again_once_the_chip_is_gone(shown: Shown, way: str) -> None:
    shown.window.research.reader.ask_requested.emit(ABOUT)
    query = shown.window.query
    if way == "backspace":
        shown.press(Qt.Key.Key_Backspace)
    elif way == "delete":
        query.about.setFocus()
        shown.press(Qt.Key.Key_Delete)
    else:
        cross = query.about.cross().center().toPoint()
        QTest.mouseClick(query.about, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, cross)
    assert not query.about.isVisible()
    assert query.has_keyboard
    query.set_text(QUESTION)
    shown.press(Qt.Key.Key_Return, CONTROL)
    assert shown.do.calls_of("answering.ask_searched") == [(QUESTION,)]


def test_a_click_on_the_chip_shows_what_the_question_is_about(shown: Shown) -> None:
    shown.window.research.reader.ask_requested.emit(ABOUT)
    shown.window.query.about.click()
    assert shown.do.calls_of("reading.open_span")[-1] == (ABOUT.span,)
    assert shown.window.view == RESEARCH


# -- Earlier questions --------------------------------------------------------------------------------------------


def open_history(shown: Shown) -> Any:
    shown.press(Qt.Key.Key_H, CONTROL)
    assert len(shown.do.calls_of("answering.fetch_history")) == 1
    answering(shown).history.emit(asked_questions())
    card = shown.connections.answering.history
    shown.qtbot.waitUntil(card.isVisible)
    return card


def test_an_earlier_question_shows_its_answer_without_being_asked_again(
    shown: Shown, view: AnswerView
) -> None:
    card = open_history(shown)
    assert shown.window.view == LIBRARY
    QTest.keyClick(card.list, Qt.Key.Key_Down)
    QTest.keyClick(card.list, Qt.Key.Key_Return)
    assert not card.isVisible()
    assert shown.do.calls_of("answering.show_kept") == [(asked_questions()[1].id,)]
    answering(shown).answer.emit(KEPT)
    assert shown.do.calls_of("answering.ask") == shown.do.calls_of("answering.ask_searched") == []
    assert shown.do.calls_of("searching.search") == [(QUESTION,)]  # its passages, as they are now
    assert shown.window.query.text() == QUESTION
    assert shown.window.view == RESEARCH
    assert view.isVisible()


@pytest.mark.parametrize("by_button", [True, False])
def test_an_earlier_question_is_removed_and_the_card_stays(shown: Shown, by_button: bool) -> None:
    card = open_history(shown)
    questions = asked_questions()
    rows = card.list
    if by_button:
        place = rows.delegate.button_rect(rows.currentIndex(), "remove")
        QTest.mouseClick(
            rows.viewport(),
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
            place.center().toPoint(),
        )
    else:
        QTest.keyClick(rows, Qt.Key.Key_Delete)
    assert shown.do.calls_of("answering.remove_kept") == [(questions[0].id,)]
    assert shown.do.calls_of("answering.show_kept") == []
    answering(shown).history.emit(questions[1:])
    assert card.isVisible()
    assert rows.currentIndex().row() == 0
    card.close()


def test_a_click_on_an_earlier_question_shows_it(shown: Shown) -> None:
    card = open_history(shown)
    place = card.list.visualRect(card.list.questions.index(2)).center()
    QTest.mouseClick(card.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert shown.do.calls_of("answering.show_kept") == [(asked_questions()[2].id,)]


def test_without_earlier_questions_the_card_says_so(shown: Shown) -> None:
    button: QToolButton = shown.window.query.history_button
    button.click()
    answering(shown).history.emit(())
    card = shown.connections.answering.history
    assert card.isVisible()
    assert not card.list.isVisible()
    card.close()


# -- Keys ---------------------------------------------------------------------------------------------------------


def test_the_list_of_keys_tells_how_answers_are_asked_for_and_read(shown: Shown) -> None:
    shown.press(Qt.Key.Key_F1)
    dialog = shown.window.findChild(KeysDialog)
    assert isinstance(dialog, KeysDialog)
    names = [label.accessibleName() for label in dialog.findChildren(Label)]
    assert any(name.startswith("Answer the question: Ctrl+Return") for name in names)
    assert any(name.startswith("Cite the sentence") for name in names)
    dialog.close()
