"""The reader as the user meets it: matches, citations, find, outline, zoom, keys and words."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QDate, QPoint, Qt
from PySide6.QtGui import QAction, QTextCursor
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from tests.support.corpus import captured
from tests.support.markdown_documents import DOCUMENTS, GeneratedDocument
from tests.unit.gui.test_reader_document import PAGES, page, shown, version
from webrag_desktop.gui.operations.reader_document import readable
from webrag_desktop.gui.view_data import (
    CitationRow,
    CitationState,
    Failure,
    LinkRequest,
    OutlineEntry,
    ReaderDocument,
    SpanReference,
)
from webrag_desktop.gui.views.outline import OutlineModel, Section, sections, without_title
from webrag_desktop.gui.views.reader import ReaderView
from webrag_desktop.ingestion.extract import extract

TEXT = """# The induction coils of Wildman Whitehouse, re-examined

Telegraph Quarterly, vol. 31, 2008

## 1 The hut at Knightstown

The hut stood on the shore, with its door to the sea.

## 2 Instruments on the table

A mirror galvanometer, a lamp, and a **relay** that nobody trusted.

## 3 The last week of August

The board in London knew very little of what was happening in the hut at Knightstown. Its telegrams ask for news of \
the instruments and are answered with news of the weather.

### Voltage

By the middle of the month the operators at Valentia could no longer raise a steady deflection. Whitehouse answered \
by applying his *five-foot* induction coils, driving close to two thousand volts into a core whose insulation had \
already been strained in laying. Within days the line was carrying only fragments, and the last intelligible words \
came through on the first of September.

It is easy to make the coils carry the whole blame. The committee of 1861 very nearly did so, and most popular \
accounts have followed it. The log kept at the [station](https://x.example/station) does not support the simple \
version: three of the eleven recorded breaks in signalling come before the first use of high tension.

### Alternate hours

Thomson’s own instrument, which needed less than a thousandth of the current, was already working on the same table. \
For a week both were in use on alternate hours, and it is the mirror that received the Queen’s message, though the \
relay was given the credit.

## 4 The evidence of the recovered lengths

In 1994 a trawler brought up forty metres of the shore end. The copper is off centre by almost a third of the radius.
"""
COILS = (
    "Whitehouse answered by applying his *five-foot* induction coils, driving close to two thousand volts into a "
    "core whose insulation had already been strained in laying."
)
BREAKS = "three of the eleven recorded breaks in signalling come before the first use of high tension."
MIRROR = "A mirror galvanometer"


def titled(document: ReaderDocument) -> ReaderDocument:
    return replace(
        document,
        title="The induction coils of Wildman Whitehouse, re-examined",
        place="telegraphquarterly.net",
        address="https://telegraphquarterly.net/coils",
    )


@pytest.fixture
def document() -> ReaderDocument:
    return titled(shown(version(TEXT)))


@pytest.fixture
def view(application: QApplication, qtbot: QtBot) -> ReaderView:
    made = ReaderView()
    qtbot.addWidget(made)
    made.resize(568, 420)
    made.show()
    return made


def show(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    view.show_document(document)
    qtbot.waitUntil(lambda: view._text.is_complete, timeout=30_000)


def span(document: ReaderDocument, words: str) -> SpanReference:
    start = document.markdown.index(words)
    return SpanReference(document.document_id, document.version_id, start, start + len(words))


def cited(number: int, at: SpanReference, **changes: object) -> CitationRow:
    made = CitationRow(
        UUID(int=number), number, "", "", "", None, None, CitationState.EXACT, None,
        at.document_id, at.version_id, at.char_start, at.char_end, "", None,
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def settle(view: ReaderView, qtbot: QtBot) -> None:
    settling = view._text._settling
    qtbot.waitUntil(lambda: settling.state() == settling.State.Stopped)


# -- Highlighting ---------------------------------------------------------------------------------------------------


def test_the_highlight_reads_as_the_projection(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    view.show_span(span(document, COILS))
    assert view.highlighted_text() == readable(COILS).text
    assert view.highlighted_text() == COILS.replace("*", "")
    assert view.highlighted_span() == span(document, COILS)


@pytest.mark.parametrize("name", ["scripts_and_emoji.md", "crlf_letter.txt", "field_notes.md"])
def test_highlights_in_every_file_read_as_the_projection(view: ReaderView, qtbot: QtBot, name: str) -> None:
    kind = "text/plain" if name.endswith("txt") else "text/markdown"
    capture = captured(f"file:///{name}", (PAGES / name).read_bytes())
    extracted = extract(capture.model_copy(update={"headers": (("content-type", kind),)}))
    made = shown(version(extracted.markdown, blocks=extracted.blocks, url=f"file:///{name}"))
    check_highlights(view, qtbot, made, step=3)


@pytest.mark.parametrize("name", ["sklearn_ensemble.html", "encyclopaedia.html"])
def test_highlights_in_pages_read_as_the_projection(view: ReaderView, qtbot: QtBot, name: str) -> None:
    check_highlights(view, qtbot, shown(page(name)), step=401)


def check_highlights(view: ReaderView, qtbot: QtBot, made: ReaderDocument, *, step: int) -> None:
    show(view, qtbot, made)
    plain, length = readable(made.markdown), len(made.markdown)
    for start in range(0, length, step):
        for size in (1, 17, 160):
            end = min(start + size, length)
            view.show_span(SpanReference(made.document_id, made.version_id, start, end))
            assert view.highlighted_text().strip() == plain.reading(start, end).strip()


@given(DOCUMENTS, st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_generated_highlights_read_as_the_projection(
    view: ReaderView, qtbot: QtBot, generated: GeneratedDocument, data: st.DataObject
) -> None:
    view.clear()
    made = shown(version(generated.markdown))
    show(view, qtbot, made)
    plain = readable(made.markdown)
    for _ in range(5):
        start = data.draw(st.integers(0, len(made.markdown)))
        end = data.draw(st.integers(start, len(made.markdown)))
        view.show_span(SpanReference(made.document_id, made.version_id, start, end))
        assert view.highlighted_text().strip() == plain.reading(start, end).strip()


def test_a_span_asked_for_before_its_document_is_shown_with_it(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    view.show_span(span(document, BREAKS))
    assert view.highlighted_text() == ""
    assert view.highlighted_span() is None
    show(view, qtbot, document)
    assert view.highlighted_text() == BREAKS


def test_the_same_document_is_not_built_again(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    view.show_span(span(document, BREAKS))
    built = view._text.document()
    view.show_document(replace(document, current=False))
    assert view._text.document() is built
    assert view.highlighted_text() == BREAKS
    assert view._note.isVisible()


def test_a_span_is_scrolled_to_and_one_in_sight_stays(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    bar = view._text.verticalScrollBar()
    view.show_span(span(document, COILS))
    scrolled = bar.value()
    assert scrolled > 0
    view.show_span(span(document, "Within days"))
    assert bar.value() == scrolled


# -- Matches and citations ------------------------------------------------------------------------------------------


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
    qtbot.waitUntil(lambda: text.is_complete, timeout=30_000)
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
    assert [(one.number, one.filled) for one in view._text._lane(seen)] == [(1, False), (3, True)]
    view.show_span(span(document, BREAKS))
    assert [(one.number, one.filled) for one in view._text._lane(seen)] == [
        (None, True),
        (1, False),
        (3, False),
    ]


def select(view: ReaderView, words: str) -> None:
    text = view._text
    start = text.document().toPlainText().index(words)
    cursor = QTextCursor(text.document())
    cursor.setPosition(start)
    cursor.setPosition(start + len(words), QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)


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


# -- Header, note, states -------------------------------------------------------------------------------------------


def test_the_header_says_what_is_read(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    assert view._header._title.text() == document.title
    assert not view._header._place.isVisible()
    view.set_full(True)
    view.resize(1300, 700)
    assert view._header._place.text() == "telegraphquarterly.net"
    assert view._header._copied.text() == "copied 3 October 2026"
    view.set_matches([span(document, COILS)])
    view.show_span(span(document, COILS))
    assert view._header._count.text() == "1 of 1 match"


def test_an_older_copy_says_so(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    assert not view._note.isVisible()
    year = QDate.currentDate().year()
    old = replace(document, current=False, fetched_at=datetime(year, 9, 12, 12, tzinfo=UTC))
    view.show_document(old)
    assert view._note_text.text() == "This is your copy of 12 September. A newer one exists."
    view.show_document(replace(old, fetched_at=datetime(2019, 9, 12, 12, tzinfo=UTC)))
    assert view._note_text.text() == "This is your copy of 12 September 2019. A newer one exists."
    view.clear()
    assert not view._note.isVisible()


def test_states_say_what_to_do(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    assert view._state.accessibleDescription() == "Select a passage to read it here."
    assert view._stack.currentWidget() is view._state_page
    view.show_waiting("On its way")
    assert view._header._title.text() == "On its way"
    assert view._stack.currentWidget() is view._skeleton
    show(view, qtbot, document)
    view.show_span(span(document, COILS))
    assert view._stack.currentWidget() is view._text
    view.show_failure(Failure("The text could not be read.", "What is stored is safe."))
    assert view._state.accessibleName() == "The text could not be read."
    assert view.highlighted_text() == ""
    assert view._text.toPlainText() == ""
    view.clear()
    assert view._state.accessibleDescription() == "Select a passage to read it here."


def test_the_original_is_opened_at_what_is_read(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    with qtbot.waitSignal(view.browser_requested) as asked:
        QTest.mouseClick(view._header._browser, Qt.MouseButton.LeftButton)
    assert asked.args == [None]
    view.show_span(span(document, COILS))
    with qtbot.waitSignal(view.browser_requested) as asked:
        QTest.mouseClick(view._header._browser, Qt.MouseButton.LeftButton)
    assert asked.args == [span(document, COILS)]
    view.show_document(replace(document, address="/home/reader/notes.md"))
    assert not view._header._browser.isEnabled()


# -- Full, zoom, keys -----------------------------------------------------------------------------------------------


def test_enter_asks_for_the_full_reader_and_escape_for_the_pane(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    with qtbot.waitSignal(view.full_toggled) as asked:
        QTest.keyClick(view._text, Qt.Key.Key_Return)
    assert asked.args == [True]
    view.set_full(True)
    assert view._text.pixels == 17
    with qtbot.waitSignal(view.full_toggled) as asked:
        QTest.keyClick(view._text, Qt.Key.Key_Escape)
    assert asked.args == [False]
    with qtbot.waitSignal(view.full_toggled) as asked:
        QTest.mouseClick(view._header._toggle, Qt.MouseButton.LeftButton)
    assert asked.args == [False]
    view.set_full(False)
    assert view._text.pixels == 15


def test_escape_in_the_pane_is_left_to_the_window(
    qtbot: QtBot, application: QApplication, document: ReaderDocument
) -> None:
    class Window(QWidget):
        escaped = 0

        def keyPressEvent(self, event: object) -> None:
            self.escaped += 1

    window = Window()
    qtbot.addWidget(window)
    view = ReaderView(window)
    window.show()
    show(view, qtbot, document)
    QTest.keyClick(view._text, Qt.Key.Key_Escape)
    assert window.escaped == 1


def test_zoom_has_its_keys_and_bounds(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    view.show_span(span(document, COILS))
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(view._text, Qt.Key.Key_Plus, control)
    QTest.keyClick(view._text, Qt.Key.Key_Equal, control)
    assert view._text.pixels == 17
    QTest.keyClick(view._text, Qt.Key.Key_Minus, control)
    assert (view._text.pixels, view.zoom) == (16, 1)
    view.set_full(True)
    assert view._text.pixels == 18
    QTest.keyClick(view._text, Qt.Key.Key_0, control)
    assert view._text.pixels == 17
    for _ in range(40):
        QTest.mouseClick(view._header._smaller, Qt.MouseButton.LeftButton)
    assert view._text.pixels == 13
    qtbot.waitUntil(lambda: view._text.is_complete)
    assert view.highlighted_text() == readable(COILS).text


def test_every_tool_has_a_name_with_its_key(view: ReaderView) -> None:
    names = {tool.accessibleName() for tool in view.findChildren(QToolButton) if tool.accessibleName()}
    assert {
        "Outline (O)",
        "Previous match (Shift+F3)",
        "Next match (F3)",
        "Smaller text (Ctrl+-)",
        "Larger text (Ctrl++)",
        "Find in this text (Ctrl+F)",
        "Cite what is selected (C)",
        "Open the original in the browser",
        "Open in full (Enter)",
        "Close (Esc)",
    } <= names
    view.set_full(True)
    assert view._header._toggle.accessibleName() == "Close the full reader (Esc)"


def test_a_screen_reader_hears_title_and_match(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    view.set_matches([span(document, MIRROR), span(document, BREAKS)])
    view.show_span(span(document, BREAKS))
    assert view._text.accessibleName() == document.title
    assert view._text.accessibleDescription() == f"2 of 2 matches: {BREAKS}"


# -- Links ----------------------------------------------------------------------------------------------------------


def actions(view: ReaderView, link: str | None) -> dict[str, QAction]:
    menu = view.context_menu(link)
    return {action.text(): action for action in menu.actions() if action.text()}


def test_links_are_copied_or_opened_from_the_menu_only(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument, application: QApplication
) -> None:
    show(view, qtbot, document)
    assert "Open link in browser" not in actions(view, None)
    found = actions(view, "https://x.example/station")
    found["Copy link address"].trigger()
    assert application.clipboard().text() == "https://x.example/station"
    with qtbot.waitSignal(view.browser_requested) as asked:
        found["Open link in browser"].trigger()
    assert asked.args == [LinkRequest("https://x.example/station")]
    assert not actions(view, "javascript:alert(1)")["Open link in browser"].isEnabled()
    assert not actions(view, "notes.md")["Open link in browser"].isEnabled()


def test_the_menu_does_what_the_keys_do(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    found = actions(view, None)
    assert not found["Copy"].isEnabled()
    assert not found["Cite selection"].isEnabled()
    found["Select all"].trigger()
    assert view._text.selected() is not None
    select(view, "Thomson’s own instrument")
    with qtbot.waitSignal(view.cite_requested) as asked:
        actions(view, None)["Cite selection"].trigger()
    assert asked.args == [span(document, "Thomson’s own instrument")]
    actions(view, None)["Find in this text"].trigger()
    assert view._bar.isVisible()
    assert view._bar.query == "Thomson’s own instrument"


def test_the_menu_opens_at_the_text_cursor(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    view._text.menu_requested.emit(view.mapToGlobal(QPoint(20, 60)), "https://x.example/station")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert "Copy link address" in [action.text() for action in menu.actions()]
    menu.close()


# -- Find -----------------------------------------------------------------------------------------------------------


def type_query(view: ReaderView, qtbot: QtBot, query: str) -> None:
    QTest.keyClick(view._text, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    view._bar._field.clear()
    with qtbot.waitSignal(view._bar.query_changed, check_params_cb=lambda said: said == query):
        QTest.keyClicks(view._bar._field, query)


def test_finding_goes_through_all_places(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    type_query(view, qtbot, "the HUT")
    field = view._bar._field
    assert view._bar._count.text() == "1 of 3"
    hits = [document.trace.reading[hit.start : hit.end] for hit in view._text._hits]
    assert hits == ["The hut", "The hut", "the hut"]
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert view._bar._count.text() == "2 of 3"
    QTest.keyClick(field, Qt.Key.Key_F3)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert view._bar._count.text() == "1 of 3"
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert view._bar._count.text() == "3 of 3"
    QTest.keyClick(view._text, Qt.Key.Key_F3)
    assert view._bar._count.text() == "1 of 3"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not view._bar.isVisible()
    assert view._text._hits == ()
    assert view.highlighted_span() is None


def test_finding_is_literal_and_says_when_there_is_nothing(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    type_query(view, qtbot, "hut.*shore")
    assert view._bar._count.text() == "Not in this text"
    assert not view._bar._next.isEnabled()
    type_query(view, qtbot, "Instruments on the table a mirror")
    assert view._bar._count.text() == "Not in this text"


def test_finding_reaches_over_line_ends_and_cells(view: ReaderView, qtbot: QtBot) -> None:
    made = shown(version("one\ntwo\n\n| a | b |\n|---|---|\n| c | d |\n"))
    show(view, qtbot, made)
    for query in ("one two", "c d"):
        type_query(view, qtbot, query)
        assert view._bar._count.text() == "1 of 1"
        view._finding.close()


def test_finding_goes_on_in_the_next_document(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    type_query(view, qtbot, "hut")
    other = shown(version("no such thing, but a HUT").model_copy(update={"id": UUID(int=7)}))
    show(view, qtbot, other)
    assert view._bar._count.text() == "1 of 1"


# -- Outline --------------------------------------------------------------------------------------------------------


def test_sections_count_what_is_under_them() -> None:
    outline = [OutlineEntry(text, level, at) for text, level, at in
               [("a", 2, 0), ("b", 4, 10), ("c", 3, 20), ("d", 2, 30), ("e", 1, 40)]]  # fmt: skip
    assert sections(outline, [1, 12, 13, 25, 41]) == [
        Section("a", 0, 4),
        Section("b", 1, 2),
        Section("c", 1, 1),
        Section("d", 0, 0),
        Section("e", 0, 1),
    ]


def test_the_title_is_no_section() -> None:
    title, one, two = OutlineEntry("t", 1, 0), OutlineEntry("1", 2, 5), OutlineEntry("2", 2, 9)
    assert list(without_title([title, one, two])) == [one, two]
    assert list(without_title([title])) == [title]
    assert list(without_title([one, two])) == [one, two]


def test_the_outline_model_holds(qtbot: QtBot) -> None:
    model = OutlineModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_sections([Section("a", 0, 0), Section("b", 1, 2)])
    with qtbot.waitSignal(model.dataChanged):
        model.show_sections([Section("a", 0, 1), Section("b", 1, 2)])
    role = Qt.ItemDataRole.AccessibleTextRole
    assert [model.index(row).data(role) for row in range(2)] == ["a, 1 match", "b, 2 matches"]
    with qtbot.waitSignal(model.modelReset):
        model.show_sections([])


def test_the_outline_follows_and_leads(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    assert not view._outline.isVisible()
    view.set_full(True)
    view.resize(1200, 420)
    outline = view._outline.list
    assert view._outline.isVisible()
    view.set_matches([span(document, COILS), span(document, BREAKS)])
    texts = [outline.outline.section(row).text for row in range(outline.outline.rowCount())]
    assert texts[0] == "1 The hut at Knightstown"
    voltage = texts.index("Voltage")
    assert outline.outline.section(voltage).matches == 2
    view.show_span(span(document, COILS))
    assert outline.here == voltage
    bar = view._text.verticalScrollBar()
    bar.setValue(0)
    assert outline.here < voltage
    rect = outline.visualRect(outline.outline.index(voltage))
    QTest.mouseClick(outline.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert outline.here == voltage
    assert view._text.top_position() >= document.trace.reading.index("Voltage") - 200
    outline.setFocus()
    outline.setCurrentIndex(outline.outline.index(0))
    QTest.keyClick(outline, Qt.Key.Key_Return)
    assert outline.here == 0
    QTest.keyClick(view._text, Qt.Key.Key_O)
    assert not view._outline.isVisible()
    QTest.keyClick(view._text, Qt.Key.Key_O)
    assert view._outline.isVisible()


def test_a_text_without_headings_has_no_outline(view: ReaderView, qtbot: QtBot) -> None:
    view.set_full(True)
    show(view, qtbot, shown(version("no heading at all")))
    assert not view._outline.isVisible()
    assert not view._header._outline.isVisible()


# -- Pictures -------------------------------------------------------------------------------------------------------

Picture = Callable[[QWidget, str], Path]


@pytest.mark.parametrize("dark", [False, True])
def test_pictures_of_pane_and_full_reader(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument, themed: Callable[[bool], None],
    picture: Picture, dark: bool,
) -> None:  # fmt: skip
    themed(dark)
    suffix = "-dark" if dark else ""
    show(view, qtbot, document)
    view.set_matches([span(document, words) for words in (MIRROR, COILS, BREAKS)])
    view.set_citations([cited(1, span(document, COILS)), cited(2, span(document, BREAKS))])
    view.show_span(span(document, COILS))
    settle(view, qtbot)
    picture(view, f"reader-pane{suffix}")
    view.set_full(True)
    view.resize(1440, 820)
    qtbot.waitUntil(lambda: view._text.is_complete)
    picture(view, f"reader-full{suffix}")
    view.open_find()
    type_query(view, qtbot, "the hut")
    picture(view, f"reader-find{suffix}")


@pytest.mark.parametrize("dark", [False, True])
def test_pictures_of_code_tables_and_scripts(
    view: ReaderView, qtbot: QtBot, themed: Callable[[bool], None], picture: Picture, dark: bool
) -> None:
    themed(dark)
    suffix = "-dark" if dark else ""
    view.resize(700, 900)
    ensembles = replace(
        shown(page("sklearn_ensemble.html")), title="1.11. Ensembles", place="scikit-learn.org"
    )
    show(view, qtbot, ensembles)
    row = next(line for line in ensembles.markdown.split("\n") if line.startswith("| classifier 1"))
    view.show_span(span(ensembles, row))
    assert view.highlighted_text() == "classifier 1 w1 * 0.2 w1 * 0.5 w1 * 0.3"
    settle(view, qtbot)
    picture(view, f"reader-table{suffix}")
    view.clear()
    scripts = (PAGES / "scripts_and_emoji.md").read_text("utf-8")
    made = shown(version(scripts).model_copy(update={"id": UUID(int=8)}))
    show(view, qtbot, made)
    view.set_matches([span(made, "يسجل المقياس مستوى الماء"), span(made, "family 👨‍👩‍👧 are")])
    view.show_span(span(made, "校正は毎月行われます。"))
    settle(view, qtbot)
    picture(view, f"reader-scripts{suffix}")


def test_pictures_of_states(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument, picture: Picture
) -> None:
    picture(view, "reader-empty")
    view.show_waiting("The induction coils")
    qtbot.waitUntil(lambda: not view._skeleton._late.isActive())
    picture(view, "reader-waiting")
    view.show_failure(Failure("The text could not be read.", "What is stored is safe. Try again."))
    picture(view, "reader-failure")
    show(view, qtbot, replace(document, current=False))
    picture(view, "reader-older")
