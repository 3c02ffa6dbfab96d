"""Matches are walked through, citations have their numbers, and what is selected can be cited."""

from dataclasses import replace
from uuid import UUID

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.support.reader import BREAKS, COILS, MIRROR, cited, select, settle, show, span
from webrag_desktop.gui.data.view_data import ReaderDocument, SpanReference
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.text.plain_text import project


def test_what_was_read_at_the_foot_of_the_full_reader_stays_in_sight_in_the_pane(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    view.resize(1100, 800)
    view.set_full(True)
    show(view, qtbot, document)
    wanted = span(document, document.markdown[len(document.markdown) // 2 :].split("\n\n")[1][:40])
    view.show_span(wanted)
    settle(view, qtbot)
    text = view._text
    text.verticalScrollBar().setValue(text.verticalScrollBar().value() - 480)
    view.set_full(False)
    view.resize(560, 330)
    qtbot.waitUntil(lambda: text.is_complete and text._resized_from is None, timeout=30_000)
    qtbot.wait(0)
    place, end = text.active_places()[0]
    top, bottom = text._geometry().span(place, end) or (-1, -1)
    assert 0 <= top < bottom <= text.viewport().height()


def test_matches_are_walked_through_in_reading_order(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    in_order = [span(document, words) for words in (MIRROR, COILS, BREAKS)]
    other = replace(in_order[0], version_id=UUID(int=9))
    view.set_matches([in_order[2], other, in_order[0], in_order[1], in_order[0]])
    assert view._header._count.text() == "3 matches"
    view._text.setFocus()
    gone_to: list[SpanReference] = []
    view.match_chosen.connect(gone_to.append)
    for _ in range(4):
        QTest.keyClick(view._text, Qt.Key.Key_F3)
    assert gone_to == [*in_order, in_order[0]]
    QTest.keyClick(view._text, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert view.highlighted_span() == in_order[2]
    assert view._header._count.text() == "3 of 3"
    QTest.mouseClick(view._header._previous, Qt.MouseButton.LeftButton)
    assert view._header._count.text() == "2 of 3"
    QTest.mouseClick(view._header._next, Qt.MouseButton.LeftButton)
    assert view.highlighted_text() == BREAKS


def test_the_next_match_is_the_next_after_what_is_read(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    view.set_matches([span(document, MIRROR), span(document, BREAKS)])
    view.show_span(span(document, COILS))
    view.next_match()
    assert view.highlighted_text() == BREAKS
    view.show_span(span(document, COILS))
    view.previous_match()
    assert view.highlighted_text() == MIRROR


def test_citations_of_this_text_have_their_numbers(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    elsewhere = cited(2, span(document, BREAKS), version_id=UUID(int=9))
    view.set_citations([cited(3, span(document, COILS)), elsewhere, cited(1, span(document, MIRROR))])
    assert [one.number for one in view._text._numbers] == [1, 3]
    view.show_span(span(document, COILS))
    seen = (0, len(document.trace.reading))
    assert [(one.number, one.filled) for one in view._text._margin_marks(seen)] == [(1, False), (3, True)]
    view.show_span(span(document, BREAKS))
    assert [(one.number, one.filled) for one in view._text._margin_marks(seen)] == [
        (None, True),
        (1, False),
        (3, False),
    ]


def test_c_cites_exactly_what_is_selected(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    assert not view._header._cite.isEnabled()
    select(view, "his five-foot induction")
    assert view._header._cite.isEnabled()
    with qtbot.waitSignal(view.cite_requested) as asked:
        QTest.keyClick(view._text, Qt.Key.Key_C)
    assert asked.args == [span(document, "his *five-foot* induction")]


def test_c_cites_the_marked_span_once(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    asked: list[SpanReference] = []
    view.cite_requested.connect(asked.append)
    QTest.keyClick(view._text, Qt.Key.Key_C)
    assert asked == []
    view.show_span(span(document, COILS))
    QTest.keyClick(view._text, Qt.Key.Key_C)
    assert asked == [span(document, COILS)]
    view.set_citations([cited(1, span(document, COILS))])
    QTest.keyClick(view._text, Qt.Key.Key_C)
    assert len(asked) == 1


def test_a_removed_citation_is_not_marked_any_more(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    rows = [cited(1, span(document, COILS)), cited(2, span(document, BREAKS))]
    view.set_citations(rows)
    view.show_span(span(document, COILS))
    view.set_citations([rows[0]])
    assert view.highlighted_span() == span(document, COILS)
    with qtbot.waitSignal(view.unmarked):
        view.set_citations([])
    assert view.highlighted_span() is None
    assert view.highlighted_text() == ""
    assert not view._text.extraSelections()
    assert not view._text.accessibleDescription()


def test_what_was_cited_stays_marked_where_it_is_a_match(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    view.set_matches([span(document, COILS)])
    view.set_citations([cited(1, span(document, COILS))])
    view.show_span(span(document, COILS))
    view.set_citations([])
    assert view.highlighted_span() == span(document, COILS)


def test_marks_end_with_their_document(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    view.show_span(span(document, COILS))
    built = view._text.document()
    view.show_waiting("Another")
    assert not view._text.extraSelections()
    with qtbot.waitSignal(built.destroyed):
        pass
    show(view, qtbot, document)
    assert view.highlighted_text() == project(COILS).text
