"""The answer view: driven by mouse and keyboard, streamed, copied, read out."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QImage, QTextCursor
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from tests.gui.result_lists import texts, trigger
from tests.support.shown import COILS
from tests.support.shown_answers import (
    CITED,
    CLAIMS,
    COMPLETE,
    DOUBTFUL,
    EXTRACT,
    FAILED,
    KEPT,
    LONG,
    MISSING,
    PASSED_OVER,
    REFUSED,
    SCRIPTS,
    SEARCHING,
    SELECTED,
    STOPPED,
    WRITING,
    cited,
    claim,
)
from webrag_desktop.gui.data.answers import Claim, ClaimPart, ClaimWarning, ShownAnswer
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.research.answer.copying import answer_text
from webrag_desktop.gui.research.answer.marks import Mark
from webrag_desktop.gui.research.answer.text import AnswerText
from webrag_desktop.gui.research.answer.view import AnswerView
from webrag_desktop.gui.shell.research_view import ResearchView

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def research(qtbot: QtBot, application: QApplication) -> ResearchView:
    made = ResearchView()
    qtbot.addWidget(made)
    made.resize(1212, 792)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


@pytest.fixture
def view(research: ResearchView) -> AnswerView:
    return research.answer


@pytest.fixture
def text(view: AnswerView) -> AnswerText:
    return view.text


def words(view: AnswerView) -> list[str]:
    """All sentences in sight around the text."""
    labels = view.findChildren(Label)
    return [label.text() for label in labels if label.isVisible() and label.text()]


def marks(text: AnswerText) -> list[Mark]:
    return [placed.mark for placed in text._marks]


def at(text: AnswerText, kind: str, number: int = 0) -> int:
    """Which mark that is."""
    return next(i for i, mark in enumerate(marks(text)) if mark.kind == kind and mark.number == number)


def colours_of(image: QImage) -> Counter[str]:
    """How many pixels have each colour."""
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return Counter(image.pixelColor(*place).name() for place in places)


def centre(text: AnswerText, index: int) -> QPoint:
    return text.mark_rect(index).center().toPoint()


def click(text: AnswerText, index: int) -> None:
    QTest.mouseClick(
        text.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, centre(text, index)
    )


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is announced to screen readers."""
    said: list[str] = []

    def note(event: object) -> None:
        if isinstance(event, QAccessibleAnnouncementEvent):
            said.append(event.message())

    monkeypatch.setattr(QAccessible, "updateAccessibility", note)
    return said


# -- States -------------------------------------------------------------------------------------------------------


def test_sentences_by_the_search_stand_apart_and_are_copied(research: ResearchView, text: AnswerText) -> None:
    research.show_answer(PASSED_OVER)
    lines = text.toPlainText().split("\n")
    heading = next(n for n, line in enumerate(lines) if line.startswith("The search ranks"))
    assert lines[heading + 1].startswith(PASSED_OVER.claims[1].text[:20])
    assert "The search ranks these sentences above those" in answer_text(PASSED_OVER)
    research.show_answer(replace(PASSED_OVER, kind="extract"))
    assert "The search ranks" not in text.toPlainText()


def test_it_stands_above_the_passages_and_never_in_their_place(
    research: ResearchView, view: AnswerView
) -> None:
    assert not view.isVisible()
    research.show_answer(WRITING)
    assert view.isVisible()
    assert research.results.isVisible()
    QApplication.processEvents()
    assert view.geometry().bottom() < research.results.geometry().top()
    assert "Passages" in [label.text() for label in research.results.findChildren(Label)]
    research.withdraw_answer()
    assert not view.isVisible()
    assert "Results" in [label.text() for label in research.results.findChildren(Label)]


def test_the_head_says_what_it_rests_on_and_how_far_it_is(research: ResearchView, view: AnswerView) -> None:
    research.show_answer(SEARCHING)
    assert "Searching, 0 s" in words(view)
    research.show_answer(WRITING)
    assert {"Answer", "based on 4 passages from 3 documents", "Writing, 0 s"} <= set(words(view))
    assert view.header.stop.isVisible()
    view.header._began -= 6
    view.header._show_progress()
    assert "Writing, 6 s" in words(view)
    research.show_answer(STOPPED)
    assert "Stopped" in words(view)
    assert not view.header.stop.isVisible()
    assert "The mirror galvanometer needed" in view.text.toPlainText()  # what was written stays
    research.show_answer(SELECTED)
    assert "based on the selected text alone" in words(view)
    research.show_answer(replace(COMPLETE, basis="full_context", documents=3))
    assert "based on all of 3 documents" in words(view)
    research.show_answer(replace(COMPLETE, filters_changed=True))
    reported = "based on 4 passages from 3 documents, within other filters than now"
    assert reported in words(view)
    research.show_answer(KEPT)
    assert "asked 3 October 2024" in words(view)


@pytest.mark.parametrize(("answer", "is_moving"), [(WRITING, True), (COMPLETE, False)])
def test_a_line_along_the_top_runs_while_more_is_coming(
    research: ResearchView, view: AnswerView, answer: ShownAnswer, is_moving: bool
) -> None:
    research.show_answer(answer)
    QApplication.processEvents()
    image = view.grab().toImage()
    line = {image.pixelColor(x, 0).name() for x in range(0, view.width(), 3)}
    assert (colour("accent_soft").name() in line or colour("accent").name() in line) == is_moving
    assert view._frames.isActive() in {is_moving, False}


def test_shapes_stand_in_for_the_text_after_a_moment(
    research: ResearchView, view: AnswerView, qtbot: QtBot
) -> None:
    research.show_answer(SEARCHING)
    assert not view._shapes.isVisible()
    qtbot.waitUntil(view._shapes.isVisible)
    research.show_answer(WRITING)
    assert not view._shapes.isVisible()
    assert view.text.isVisible()


def test_verdicts_tell_two_facts_apart(research: ResearchView, view: AnswerView) -> None:
    research.show_answer(COMPLETE)
    assert {
        "4 quotes match your copies word for word",
        "1 quote is not in your documents",
        "1 claim is doubtful",
        "1 claim has no passage behind it",
    } <= set(words(view))
    research.show_answer(replace(COMPLETE, claims=CLAIMS[:1]))
    assert "1 quote matches your copy word for word" in words(view)
    assert not any("doubtful" in one or "not in your" in one for one in words(view))


def test_a_refusal_points_to_the_passages(research: ResearchView, view: AnswerView) -> None:
    research.show_answer(REFUSED)
    assert "Nothing in your documents answers this. Nearest passages below." in words(view)
    assert not view.text.isVisible()


def test_a_failure_keeps_what_is_written_and_offers_another_try(
    research: ResearchView, view: AnswerView, qtbot: QtBot
) -> None:
    research.show_answer(FAILED)
    assert FAILED.problem in words(view)
    assert FAILED.hint in words(view)
    assert "The mirror galvanometer needed" in view.text.toPlainText()
    with qtbot.waitSignal(view.again_requested):
        view.again.click()
    research.show_answer(COMPLETE)
    assert not view.again.isVisible()


def test_an_extract_is_named_so_and_says_how_to_get_answers(
    research: ResearchView, view: AnswerView, qtbot: QtBot
) -> None:
    research.show_answer(EXTRACT)
    assert "Extract: sentences that answer, word for word" in words(view)
    assert "Search works. Answers need a chat model." in words(view)
    with qtbot.waitSignal(view.set_up_requested):
        view.set_up.click()
    assert view.text.document().blockCount() == 3  # a paragraph each
    research.show_answer(COMPLETE)
    assert not view.set_up.isVisible()


def test_references_are_folded_away_and_a_part_of_the_text_when_they_are_not(
    research: ResearchView, view: AnswerView
) -> None:
    research.show_answer(WRITING)
    assert not view.references.isVisible()  # they come at the end
    research.show_answer(COMPLETE)
    assert view.references.text() == "4 references"
    assert COMPLETE.references[0] not in view.text.toPlainText()
    view.references.click()
    assert all(line in view.text.toPlainText() for line in COMPLETE.references)
    view.references.click()
    assert COMPLETE.references[0] not in view.text.toPlainText()


# -- Size ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1212, 792), (1120, 612), (960, 520)])
def test_it_takes_the_height_of_its_text_and_half_of_the_column_at_most(
    research: ResearchView, view: AnswerView, qtbot: QtBot, size: tuple[int, int]
) -> None:
    research.resize(*size)
    research.show_answer(replace(COMPLETE, claims=CLAIMS[:1]))
    bar = view.text.verticalScrollBar()
    qtbot.waitUntil(lambda: view.height() < research.height() / 2)
    qtbot.waitUntil(lambda: bar.maximum() == 0)
    width = view.text.document().textWidth()
    research.show_answer(replace(LONG, kept_as=None))
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    document = view.text.document()
    qtbot.waitUntil(lambda: bar.maximum() + view.text.viewport().height() >= document.size().height())
    assert view.height() <= research.height() / 2 + 2
    assert document.textWidth() == width  # lines break where they did
    assert document.textWidth() == view.text.viewport().width()  # no word lies under the scroll bar
    assert bar.value() == 0  # reading begins at the beginning


def test_what_comes_stays_in_sight_unless_the_reader_went_back(
    research: ResearchView, view: AnswerView, qtbot: QtBot
) -> None:
    writing = replace(LONG, stage="writing")
    research.show_answer(writing)
    bar = view.text.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    research.show_answer(replace(writing, draft="word " * 80))
    QApplication.processEvents()
    assert bar.value() == bar.maximum()
    bar.setValue(10)
    research.show_answer(replace(writing, draft="word " * 200))
    QApplication.processEvents()
    assert bar.value() == 10


# -- Words that stay ----------------------------------------------------------------------------------------------


def test_streamed_words_are_added_and_those_that_stand_there_stay(
    research: ResearchView, view: AnswerView, text: AnswerText
) -> None:
    research.show_answer(replace(WRITING, draft="", claims=CLAIMS[:2]))
    cursor = text.textCursor()
    cursor.setPosition(4)
    cursor.setPosition(9, QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    draft = "The core was weak before it was laid"
    changes: list[tuple[int, int, int]] = []
    text.document().contentsChange.connect(lambda *change: changes.append(change))
    for end in (*range(5, len(draft), 5), len(draft)):
        before = text.document().characterCount() - 1
        changes.clear()
        research.show_answer(replace(WRITING, claims=CLAIMS[:2], draft=draft[:end]))
        assert min(change[0] for change in changes) >= before - 1  # only what lies behind is touched
    assert text.toPlainText().endswith(f" {draft}")
    assert text.textCursor().selectedText() == "cable"
    research.show_answer(replace(WRITING, claims=CLAIMS[:3], draft=""))
    assert text.textCursor().selectedText() == "cable"


def test_nothing_is_selected_by_what_is_written(research: ResearchView, text: AnswerText) -> None:
    for answer in (
        replace(WRITING, claims=(), draft="The"),
        replace(WRITING, claims=(), draft="The cable"),
        WRITING,
        COMPLETE,
        EXTRACT,
    ):
        research.show_answer(answer)
        assert not text.textCursor().hasSelection()
        assert text.textCursor().position() == 0


def test_a_selection_up_to_the_end_does_not_grow(research: ResearchView, text: AnswerText) -> None:
    research.show_answer(replace(WRITING, claims=CLAIMS[:1], draft=""))
    text.selectAll()
    before = text.selected_text()
    research.show_answer(replace(WRITING, claims=CLAIMS[:2], draft="And"))
    assert text.selected_text() == before


def test_a_checked_claim_changes_its_marks_and_no_word(research: ResearchView, text: AnswerText) -> None:
    research.show_answer(replace(WRITING, draft=""))
    before = text.toPlainText()
    changed = replace(CLAIMS[1], support="doubtful", warnings=(ClaimWarning("number", "1858"),))
    research.show_answer(replace(WRITING, draft="", claims=(CLAIMS[0], changed, *CLAIMS[2:])))
    after = text.toPlainText()
    assert after != before
    letters = [[char for char in one if char.isalnum()] for one in (after.replace("doubtful", ""), before)]
    assert letters[0] == letters[1]
    assert [mark.kind for mark in marks(text)].count("doubtful") == 1


def test_a_number_appears_with_its_claim_before_the_stop(research: ResearchView, text: AnswerText) -> None:
    research.show_answer(replace(WRITING, claims=CLAIMS[:1], draft=""))
    assert text._written.copied(0, 10_000).endswith("into it [1].")
    research.show_answer(replace(WRITING, claims=CLAIMS[:1], citations=(), draft="And then"))
    assert [mark.number for mark in marks(text)] == [1]


def test_a_quotation_in_the_prose_is_numbered_where_it_ends(research: ResearchView, text: AnswerText) -> None:
    parts = (
        ClaimPart("text", "He wrote "),
        ClaimPart("verified_quote", "“it is dead”", 2),
        ClaimPart("text", " and left."),
    )
    research.show_answer(replace(COMPLETE, claims=(Claim(1, parts, (2, 1)),)))
    assert text._written.copied(0, 1000) == "He wrote “it is dead” [2] and left [1]."


def test_a_mark_at_the_beginning_of_a_line_is_drawn_whole(research: ResearchView, text: AnswerText) -> None:
    missing = Claim(1, (ClaimPart("unverified", "kindness " * 40), ClaimPart("text", ".")))
    for letters in range(1, 40):  # until the mark is at the beginning of a line
        parts = (ClaimPart("text", "a" * letters + " "), *missing.parts)
        research.show_answer(replace(WRITING, claims=(replace(missing, parts=parts),), draft=""))
        index = at(text, "missing")
        place = text._marks[index]
        words = text._geometry()
        first = next(
            words.rects(place.start + 1, place.end)
        ).left()  # behind the room that is left before them
        if first < 20:
            break
    assert first < 20
    rect = text.mark_rect(index)
    assert rect.left() >= 0
    assert first - rect.left() >= 3
    assert rect.right() - next(words.rects(place.start, place.end - 1)).right() >= 3


def test_scripts_without_spaces_get_none_between_claims(research: ResearchView, text: AnswerText) -> None:
    research.show_answer(SCRIPTS)
    assert "沈黙した [3]。絶縁体" in text._written.copied(0, 1000)
    directions = [text.document().findBlockByNumber(at).textDirection() for at in range(3)]
    assert directions == [Qt.LayoutDirection.RightToLeft, *[Qt.LayoutDirection.LeftToRight] * 2]


def test_a_claim_cannot_turn_the_reading_direction(research: ResearchView, text: AnswerText) -> None:
    research.show_answer(replace(COMPLETE, claims=(claim(1, "see \u202egnp.exe now.", 1),)))
    assert "\u202e" not in text.toPlainText()


def test_markup_in_a_claim_is_shown_as_it_is(
    research: ResearchView, view: AnswerView, text: AnswerText
) -> None:
    hostile = '<img src="file:///etc/passwd"> <b>bold</b>'
    sentence = replace(cited(1, COILS, "<b>t</b>"), quote=hostile)
    research.show_answer(replace(COMPLETE, claims=(claim(1, hostile, 1),), citations=(sentence,)))
    assert hostile in text.toPlainText()
    assert text.document().toRawText().count("\ufffc") == 0
    view.copy_answer()
    assert "&lt;img" in QApplication.clipboard().mimeData().html()


# -- Marks --------------------------------------------------------------------------------------------------------


def test_a_click_on_a_number_shows_its_sentence_in_the_reader(
    research: ResearchView, view: AnswerView, text: AnswerText, qtbot: QtBot
) -> None:
    research.show_answer(COMPLETE)
    QApplication.processEvents()
    with qtbot.waitSignal(view.sentence_chosen) as chosen:
        click(text, at(text, "citation", 2))
    assert chosen.args == [CITED[1]]
    view.set_chosen_span(CITED[1].span)
    rect = text.mark_rect(at(text, "citation", 2)).toRect()
    filled = text.viewport().grab(rect).toImage()
    assert colours_of(filled)[colour("accent").name()] > 100
    for kind in ("missing", "doubtful", "unsupported"):
        with qtbot.assertNotEmitted(view.sentence_chosen):
            click(text, at(text, kind))


def test_a_sentence_stays_chosen_and_keeps_the_keyboard_when_numbers_change(
    research: ResearchView, view: AnswerView, text: AnswerText
) -> None:
    research.show_answer(replace(WRITING, claims=CLAIMS[:1], citations=CITED[:1], draft=""))
    view.set_chosen_span(CITED[2].span)  # nothing points at it yet
    assert text._chosen is None
    research.show_answer(FAILED)
    research.show_answer(SEARCHING)  # the same again, while the reader shows what it showed
    research.show_answer(replace(WRITING, draft=""))
    assert text._chosen == 3
    text._go_to(at(text, "citation", 3))
    fewer = (replace(CITED[0]), replace(CITED[2], number=2), replace(CITED[3], number=3))
    checked = (
        CLAIMS[0],
        replace(CLAIMS[1], citations=(), support="unsupported"),
        replace(CLAIMS[2], citations=(2,)),
        CLAIMS[3],
        replace(CLAIMS[4], citations=(3,)),
    )
    letters = [char for char in text.toPlainText() if char.isalpha()]
    research.show_answer(replace(COMPLETE, claims=checked, citations=fewer))
    assert text._chosen == 2
    assert text.current_mark is not None
    assert (text.current_mark.claim.number, text.current_mark.number) == (3, 2)
    assert [char for char in text.toPlainText().replace("no passage", "") if char.isalpha()] == letters


def test_a_sentence_that_is_in_no_library_leads_nowhere(
    research: ResearchView, view: AnswerView, text: AnswerText, qtbot: QtBot
) -> None:
    research.show_answer(replace(COMPLETE, citations=(replace(CITED[0], span=None),)))
    QApplication.processEvents()
    with qtbot.assertNotEmitted(view.sentence_chosen), qtbot.assertNotEmitted(view.cite_requested):
        click(text, 0)
        text.run("cite")
    assert "Cite all" not in texts(view.header.menu())


def test_the_pointer_that_rests_on_a_number_is_shown_the_quotation(
    research: ResearchView, view: AnswerView, text: AnswerText, qtbot: QtBot
) -> None:
    research.show_answer(COMPLETE)
    QApplication.processEvents()
    QTest.mouseMove(text.viewport(), QPoint(1, 1))
    QTest.mouseMove(text.viewport(), centre(text, at(text, "citation", 3)))
    qtbot.waitUntil(lambda: view._card is not None and view._card.isVisible())
    assert view._card is not None
    said = [label.text() for label in view._card.findChildren(Label) if label.isVisible()]
    assert said[0] == "3  Quoted exactly"
    assert CITED[2].quote in said[1]
    assert said[2] == f"{CITED[2].title} — {CITED[2].section}, p. 84"
    assert research.rect().contains(view._card.geometry())
    QTest.mouseMove(text.viewport(), QPoint(1, 1))
    qtbot.waitUntil(lambda: view._card is not None and not view._card.isVisible())


def card_words(view: AnswerView) -> str:
    assert view._card is not None
    return " ".join(label.text() for label in view._card.findChildren(Label) if label.isVisible())


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("missing", "They are in none of your documents."),
        ("doubtful", "do not have the number “5 September”"),
        ("doubtful", "do not have the name “Newfoundland”"),
        ("doubtful", "Quoted exactly, but the quotes may not support this"),
        ("unsupported", "No sentence of your documents supports this."),
    ],
)
def test_what_is_wrong_is_explained_on_focus(
    research: ResearchView, view: AnswerView, text: AnswerText, kind: str, said: str
) -> None:
    research.show_answer(COMPLETE)
    text._go_to(at(text, kind))
    assert said in card_words(view)


def test_a_doubtful_claim_says_so_on_its_numbers_too(
    research: ResearchView, view: AnswerView, text: AnswerText
) -> None:
    research.show_answer(replace(COMPLETE, claims=(replace(DOUBTFUL, warnings=()),)))
    text._go_to(0)
    assert "1  Quoted exactly" in card_words(view)  # one fact
    assert "The claim is doubtful" in card_words(view)  # and the other


# -- Keyboard -----------------------------------------------------------------------------------------------------


def test_tab_goes_through_the_marks_and_on(
    research: ResearchView, view: AnswerView, text: AnswerText, qtbot: QtBot
) -> None:
    research.show_answer(replace(COMPLETE, claims=CLAIMS[:2]))
    view.header.more.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(view.header.more, Qt.Key.Key_Tab)
    assert text.hasFocus()
    seen = [text.current_mark]
    QTest.keyClick(text, Qt.Key.Key_Tab)
    seen.append(text.current_mark)
    assert [mark.number for mark in seen if mark is not None] == [1, 2]
    QTest.keyClick(text, Qt.Key.Key_Left)
    assert text.current_mark == seen[0]
    QTest.keyClick(text, Qt.Key.Key_Right)
    assert text.current_mark == seen[1]
    QTest.keyClick(text, Qt.Key.Key_Tab)
    assert not text.hasFocus()
    assert view.references.hasFocus()
    QTest.keyClick(view.references, Qt.Key.Key_Backtab, SHIFT)
    assert text.current_mark == seen[1]
    QTest.keyClick(text, Qt.Key.Key_Backtab, SHIFT)
    QTest.keyClick(text, Qt.Key.Key_Backtab, SHIFT)
    assert view.header.more.hasFocus()


def test_the_ring_is_seen_where_the_keyboard_is(research: ResearchView, text: AnswerText) -> None:
    research.show_answer(COMPLETE)
    text.setFocus(Qt.FocusReason.TabFocusReason)
    around = text.mark_rect(0).adjusted(-3, -3, 3, 3).toAlignedRect()
    assert colours_of(text.viewport().grab(around).toImage())[colour("focus").name()] > 60
    text.clearFocus()
    assert colours_of(text.viewport().grab(around).toImage())[colour("focus").name()] < 10


def test_keys_use_the_mark_that_has_the_keyboard(
    research: ResearchView, view: AnswerView, text: AnswerText, qtbot: QtBot
) -> None:
    research.show_answer(COMPLETE)
    text.setFocus(Qt.FocusReason.TabFocusReason)
    for key, signal, reported in (
        (Qt.Key.Key_C, view.cite_requested, CITED[0].span),
        (Qt.Key.Key_Space, view.sentence_chosen, CITED[0]),
        (Qt.Key.Key_Return, view.sentence_opened, CITED[0]),
    ):
        with qtbot.waitSignal(signal) as asked:
            QTest.keyClick(text, key)
        assert asked.args == [reported]
    QTest.keyClick(text, Qt.Key.Key_C, CONTROL)
    assert QApplication.clipboard().text() == CITED[0].quote
    QTest.keyClick(text, Qt.Key.Key_C, CONTROL | SHIFT)
    assert QApplication.clipboard().text().startswith(f"“{CITED[0].quote}” (")


def test_a_digit_goes_to_the_number_in_the_answer_that_has_the_keyboard(
    research: ResearchView, text: AnswerText
) -> None:
    research.show_answer(COMPLETE)
    chosen = QSignalSpy(text.mark_chosen)
    text.setFocus(Qt.FocusReason.OtherFocusReason)
    for number in (3, 2):  # without a mark that has the keyboard, and from one
        QTest.keyClick(text, Qt.Key(Qt.Key.Key_0 + number))
        assert text.current_mark is not None
        assert (text.current_mark.kind, text.current_mark.number) == ("citation", number)
        assert chosen.at(chosen.count() - 1)[0].number == number
    before = text.current_mark
    QTest.keyClick(text, Qt.Key.Key_9)  # there is none
    assert text.current_mark == before
    assert chosen.count() == 2


def test_the_mark_keeps_the_keyboard_while_more_is_written(research: ResearchView, text: AnswerText) -> None:
    research.show_answer(WRITING)
    text._go_to(at(text, "citation", 3))
    research.show_answer(
        replace(WRITING, claims=(replace(CLAIMS[0], citations=(1, 2)), *CLAIMS[1:], DOUBTFUL))
    )
    assert text.current_mark is not None
    assert (text.current_mark.number, text.current_mark.claim.number) == (3, 3)


def test_escape_and_letters_are_left_to_the_window(
    research: ResearchView, text: AnswerText, qtbot: QtBot
) -> None:
    research.show_answer(COMPLETE)
    text.setFocus(Qt.FocusReason.TabFocusReason)
    before = text.toPlainText()
    spy = QSignalSpy(text.textChanged)
    for key in (Qt.Key.Key_X, Qt.Key.Key_Escape, Qt.Key.Key_5):
        QTest.keyClick(text, key)
    assert text.toPlainText() == before
    assert spy.count() == 0


# -- Copying ------------------------------------------------------------------------------------------------------


def test_a_selection_is_copied_with_numbers_in_brackets(research: ResearchView, text: AnswerText) -> None:
    research.show_answer(COMPLETE)
    text.setFocus(Qt.FocusReason.MouseFocusReason)
    QTest.keyClick(text, Qt.Key.Key_A, CONTROL)
    QTest.keyClick(text, Qt.Key.Key_C, CONTROL)
    copied = QApplication.clipboard().text()
    assert copied.startswith("The cable failed because a damaged core was overloaded:")
    assert "into it [1]. That burned" in copied
    assert (
        f"{MISSING} [not\u00a0found] [no\u00a0passage]." in copied or f"{MISSING} [not\u00a0found]." in copied
    )
    assert "given it up [1] [4] [doubtful]." in copied
    assert "the same winter [no\u00a0passage]." in copied
    assert "\n" in copied
    assert not set(copied) & set("\ufffc\u202f\u2068\u2069\u2002")


def test_a_blank_line_begins_a_paragraph_in_the_view_and_in_copies(
    research: ResearchView, view: AnswerView
) -> None:
    claims = (claim(1, "The core was weak.\n\nIt burned open.", 1), claim(2, "Nobody knew."))
    draft = "\n\nA second cable\nwas ordered.\n\nIt"
    research.show_answer(replace(WRITING, claims=claims, draft=draft))
    said = view.text.toPlainText().split("\n")
    assert [one.split()[0] for one in said] == ["The", "It", "A", "It"]
    assert "Nobody knew" in said[1]  # a claim without one goes on
    assert said[2] == "A second cable was ordered."
    whole = claim(3, f"\n\n{draft.strip()} held.".replace("cable\n", "cable "), support="unsupported")
    research.show_answer(replace(COMPLETE, claims=(*claims, whole)))
    assert view.text.toPlainText().split("\n")[:3] == said[:3]
    view.header.copy.click()
    copied = QApplication.clipboard().text().split("\n\n")
    assert [one.split()[0] for one in copied[:4]] == ["The", "It", "A", "It"]


def test_the_button_copies_the_answer_with_what_it_quotes(
    research: ResearchView, view: AnswerView, qtbot: QtBot
) -> None:
    quoted_already = replace(CITED[1], attribution_only=True)
    research.show_answer(replace(COMPLETE, citations=(CITED[0], quoted_already, *CITED[2:])))
    with qtbot.waitSignal(view.copied) as reported:
        view.header.copy.click()
    assert reported.args == ["Answer copied with its citations."]
    data = QApplication.clipboard().mimeData()
    lines = data.text().splitlines()
    assert f"[1] “{CITED[0].quote}” ({CITED[0].title} — Voltage, p. 11. {CITED[0].address})" in lines
    assert CITED[1].quote not in data.text()  # it is quoted in the answer already
    assert f"[2] {CITED[1].title} — What the coils did, p. 19. {CITED[1].address}" in lines
    assert list(COMPLETE.references) == lines[-4:]
    assert f'<a href="{CITED[0].link}">' in data.html()


def test_the_menu_asks_again_with_pictures_or_without(
    research: ResearchView, view: AnswerView, qtbot: QtBot
) -> None:
    def offered(answer: ShownAnswer) -> list[str]:
        research.show_answer(answer)
        return [text for text in texts(view.header.menu()) if "picture" in text]

    assert offered(COMPLETE) == []
    assert offered(replace(WRITING, pictures=2)) == []  # it can be asked again once it has ended
    assert offered(replace(COMPLETE, pictures=1)) == ["Ask again with 1 picture"]
    assert offered(replace(COMPLETE, pictures=2)) == ["Ask again with 2 pictures"]
    assert not any("picture" in word for word in words(view))
    with qtbot.waitSignal(view.header.pictures_requested) as asked:
        trigger(view.header.menu(), "Ask again with 2 pictures")
    assert asked.args == [True]
    assert offered(replace(COMPLETE, pictures=2, pictures_sent=2)) == ["Ask again without pictures"]
    assert any(word.endswith("documents, with 2 pictures") for word in words(view))
    with qtbot.waitSignal(view.header.pictures_requested) as asked:
        trigger(view.header.menu(), "Ask again without pictures")
    assert asked.args == [False]


def test_the_menu_copies_markdown_and_cites_all(
    research: ResearchView, view: AnswerView, qtbot: QtBot
) -> None:
    research.show_answer(COMPLETE)
    trigger(view.header.menu(), "Copy as Markdown")
    copied = QApplication.clipboard().text()
    assert r"into it \[1\]. That" in copied
    assert f"]({CITED[0].link})" in copied
    with qtbot.waitSignal(view.cite_all_requested) as asked:
        trigger(view.header.menu(), "Cite all")
    assert asked.args == [tuple(one.span for one in CITED)]
    for text, signal in (("Ask again", view.again_requested), ("Close the answer", view.close_requested)):
        with qtbot.waitSignal(signal):
            trigger(view.header.menu(), text)


def test_the_menu_of_a_number(
    research: ResearchView, view: AnswerView, text: AnswerText, qtbot: QtBot
) -> None:
    research.show_answer(COMPLETE)
    menu = view.menu(marks(text)[0])
    with qtbot.waitSignal(view.cite_requested) as asked:
        trigger(menu, "Cite")
    assert asked.args == [CITED[0].span]
    trigger(view.menu(marks(text)[0]), "Copy quote")
    assert QApplication.clipboard().text() == CITED[0].quote
    assert "Cite" not in texts(view.menu(None))


# -- Read out -----------------------------------------------------------------------------------------------------


def test_each_finished_claim_is_read_out_once_with_its_marks(
    research: ResearchView, heard: list[str], qtbot: QtBot
) -> None:
    research.show_answer(SEARCHING)
    for draft in ("The cable", "The cable failed because a damaged"):
        research.show_answer(replace(WRITING, claims=(), draft=draft))
    assert heard == []  # not word by word
    for count in (1, 1, 2, 4):
        research.show_answer(replace(WRITING, claims=CLAIMS[:count], draft=""))
    assert len(heard) == 4
    assert heard[0].endswith("drove close to two thousand volts into it (citation 1, verified).")
    assert "(quote not found in your documents)" in heard[3]
    research.show_answer(replace(COMPLETE, claims=(*CLAIMS[:4], DOUBTFUL)))
    assert (
        "(citation 1, verified, citation 4, verified, doubtful: The quoted sentences do not have" in heard[4]
    )
    assert "1 quote is not in your documents" in heard[-1]


def test_the_whole_answer_can_be_read_out_with_its_marks(research: ResearchView, view: AnswerView) -> None:
    research.show_answer(COMPLETE)
    description = view.text.accessibleDescription()
    assert "citation 3, verified" in description
    assert "no passage supports this" in description


def test_a_mark_is_read_out_when_the_keyboard_comes_to_it(
    research: ResearchView, text: AnswerText, heard: list[str]
) -> None:
    research.show_answer(COMPLETE)
    heard.clear()
    text.setFocus(Qt.FocusReason.TabFocusReason)
    assert heard == [
        f"citation 1, verified: “{CITED[0].quote}” ({CITED[0].title} — Voltage, p. 11. {CITED[0].address})"
    ]


# -- Theme and font -----------------------------------------------------------------------------------------------


def test_another_theme_changes_the_inks_and_nothing_else(
    research: ResearchView, text: AnswerText, themed: Callable[[bool], None]
) -> None:
    research.show_answer(COMPLETE)
    before = text.toPlainText()
    themed(True)
    first = text._marks[0]
    cursor = QTextCursor(text.document())
    cursor.setPosition(first.start + 2)
    assert cursor.charFormat().foreground().color() == colour("accent_text")
    assert text.toPlainText() == before
    assert [mark.kind for mark in marks(text)].count("citation") == 6


def test_everything_can_be_pressed(research: ResearchView, view: AnswerView) -> None:
    research.show_answer(COMPLETE)
    for button in view.findChildren(QPushButton):
        if button.isVisible():
            assert min(button.width(), button.height()) >= 22
    assert view.header.copy.accessibleName() == "Copy the answer with its citations"


def test_its_parts_never_lie_over_each_other(
    research: ResearchView, view: AnswerView, application: QApplication
) -> None:
    """Not even for the turn in which the text grows."""
    for answer in (WRITING, COMPLETE, replace(COMPLETE, claims=CLAIMS[:1]), LONG, FAILED, EXTRACT):
        research.show_answer(answer)
        assert view.text.geometry().bottom() < view._foot.geometry().top()
        assert view._foot.geometry().bottom() < view.height()
        assert view.geometry().bottom() < research.results.geometry().top()
