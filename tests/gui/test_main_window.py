"""The whole window on operations that only note what they are asked for: navigation, intents, data, theme, the end."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from tests.support.documents import REPORT, figures
from tests.support.drags import drop, uri_list
from tests.support.reader import cited
from tests.support.shown import COILS, QUESTION, SEARCH_FAILURE, VOLTAGE, citations, many_groups, results
from tests.support.shown_answers import COMPLETE
from tests.support.whole_window import Shown
from webrag_desktop.gui.data.upkeep import StackPart, StackReport
from webrag_desktop.gui.data.view_data import Failure, Listing, SpanReference
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import font, grown, measure
from webrag_desktop.gui.kit.theme.tokens import (
    PANE_HEADER_HEIGHT,
    PANE_INSET,
    WIDE_CITATIONS,
    WIDE_EMPTY,
    WIDE_RESULTS,
)
from webrag_desktop.gui.maintenance.stack_dialog import PartCard
from webrag_desktop.gui.shell.error_dialog import ErrorDialog, headline_of
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH
from webrag_desktop.progress import Step

CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
PLAIN = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


# -- Views --------------------------------------------------------------------------------------------------------


def test_it_begins_in_the_library_with_the_keyboard_in_the_query_box(shown: Shown) -> None:
    assert shown.window.view == LIBRARY
    assert shown.window.query.has_keyboard
    assert shown.places() == (False, False)
    assert shown.window.library.opening.isVisible()


def test_views_are_switched_by_mouse_and_by_key_and_the_switch_follows(shown: Shown) -> None:
    for key, view in ((Qt.Key.Key_2, RESEARCH), (Qt.Key.Key_1, LIBRARY)):
        shown.press(key, CONTROL)
        assert shown.window.view == shown.window.views.current() == view
    shown.window.views.chosen.emit(RESEARCH)
    assert shown.window.view == RESEARCH
    assert shown.window.research.isVisible()
    assert not shown.window.library.isVisible()


def test_one_query_box_serves_both_views(shown: Shown) -> None:
    shown.fill()
    box = shown.window.query
    shown.ask()
    assert shown.window.view == RESEARCH
    assert shown.do.calls_of("searching.search") == [(QUESTION,)]
    shown.press(Qt.Key.Key_1, CONTROL)
    assert shown.window.query is box
    assert box.isVisible()
    assert box.text() == QUESTION  # what was asked stays
    shown.ask("and from here?")
    assert shown.window.view == RESEARCH
    assert shown.do.calls_of("searching.search")[1:] == [("and from here?",)]


def test_nothing_is_asked_for_an_empty_box(shown: Shown) -> None:
    shown.window.query.set_text("  ")
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("searching.search") == []
    assert shown.window.view == LIBRARY


def test_the_keyboard_goes_from_the_question_into_its_answer(shown: Shown) -> None:
    shown.ask()
    assert shown.window.research.results.list.hasFocus()


def test_an_answer_leaves_whoever_is_typing_the_next_question_alone(shown: Shown) -> None:
    shown.ask()
    shown.window.query.focus()
    shown.window.query.set_text("the next quest")
    shown.answer(results())
    assert shown.window.query.has_keyboard


# -- Back and forward -----------------------------------------------------------------------------------------------


def test_back_and_forward_by_key_and_by_button(shown: Shown) -> None:
    shown.fill()
    shown.press(Qt.Key.Key_2, CONTROL)
    assert shown.places() == (True, False)
    shown.press(Qt.Key.Key_Left, ALT)
    assert shown.window.view == LIBRARY
    assert shown.places() == (False, True)
    shown.window.forward_button.click()
    assert shown.window.view == RESEARCH
    shown.window.back_button.click()
    assert shown.window.view == LIBRARY
    shown.press(Qt.Key.Key_Right, ALT)
    assert shown.window.view == RESEARCH


def test_a_document_opened_from_the_library_fills_the_view_and_back_leads_to_the_library(
    shown: Shown,
) -> None:
    shown.fill()
    shown.window.library.open_requested.emit(REPORT.id)
    assert shown.do.calls_of("reading.open_document") == [(REPORT.id,)]
    assert shown.window.view == RESEARCH
    assert shown.window.research.is_full
    shown.press(Qt.Key.Key_Left, ALT)
    assert shown.window.view == LIBRARY
    shown.press(Qt.Key.Key_Right, ALT)
    assert shown.window.research.is_full


def test_a_listing_chosen_in_the_sidebar_leads_to_the_library(shown: Shown) -> None:
    shown.press(Qt.Key.Key_2, CONTROL)
    wanted = Listing("attention")
    shown.window.sidebar.listing_chosen.emit(wanted)
    assert shown.window.view == LIBRARY
    assert shown.do.calls_of("documents.list_documents") == [(wanted,)]
    assert shown.places() == (True, False)


# -- Intents and data -----------------------------------------------------------------------------------------------


def test_opening_is_reported_until_there_is_a_list(shown: Shown) -> None:
    shown.do.part("session").opening.emit(Step("Starting the database", 1, 2))
    assert shown.window.library.opening.isVisible()
    shown.fill()
    assert not shown.window.library.opening.isVisible()
    shown.do.part("session").opening.emit(Step("Starting the database", 1, 2))
    assert not shown.window.library.opening.isVisible()  # what is shown stays


def test_a_library_that_is_open_is_asked_for_what_it_holds(shown: Shown) -> None:
    shown.do.part("session").opened.emit()
    assert shown.do.calls_of("documents.list_documents") == [(Listing(),)]
    assert shown.do.calls_of("documents.refresh_figures") == [()]


def test_a_library_that_opens_again_is_asked_for_what_was_wanted_last(shown: Shown) -> None:
    shown.do.part("session").opened.emit()
    shown.window.library.filter.setText("sea")
    shown.do.part("session").opened.emit()
    assert shown.do.calls_of("documents.list_documents")[-1] == (Listing(containing="sea"),)


def test_documents_that_are_to_be_chosen_are_looked_for_in_all(shown: Shown) -> None:
    shown.connections.library.show_listing(Listing("site", "a.example"))
    shown.connections.library.choose((REPORT.id,))
    shown.window.library.list.columns.sort_asked.emit("title", False)
    assert shown.do.calls_of("documents.list_documents")[-1] == (Listing(sort="title", descending=False),)


def test_figures_reach_every_part_that_shows_them(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[tuple[str, object]] = []
    for name in ("library", "sidebar", "status"):
        part = getattr(shown.window, name)
        monkeypatch.setattr(part, "show_figures", lambda given, name=name: reported.append((name, given)))
    news = figures()
    shown.do.part("documents").figures.emit(news)
    assert reported == [("library", news), ("sidebar", news), ("status", news)]


def test_commands_for_documents_follow_the_selection(shown: Shown) -> None:
    shown.fill()
    table = shown.window.library.list
    table.clearSelection()
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert shown.do.calls_of("documents.remove") == []
    table.choose(0)
    assert shown.do.calls_of("documents.fetch_details")[-1] == (REPORT.id,)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert [set(ids) for (ids,) in shown.do.calls_of("documents.remove")] == [{REPORT.id}]  # type: ignore[call-overload]


def test_what_is_dropped_is_added_and_shown_coming(shown: Shown) -> None:
    shown.press(Qt.Key.Key_2, CONTROL)
    assert drop(shown.window, uri_list("https://example.org/a"))
    assert shown.do.calls_of("documents.add") == [(("https://example.org/a",),)]
    assert shown.window.view == LIBRARY


def test_with_a_question_open_what_is_dropped_takes_nobody_away(shown: Shown) -> None:
    shown.ask()
    assert drop(shown.window, uri_list("https://example.org/a"))
    assert shown.window.view == RESEARCH


def test_passages_are_read_and_cited_on_demand_and_the_selection_is_one(shown: Shown, qtbot: QtBot) -> None:
    shown.ask()
    found = shown.window.research.results
    shown.press(Qt.Key.Key_Home)
    while found.list.passage() != COILS:
        before = found.list.passage()
        shown.press(Qt.Key.Key_Down)
        assert found.list.passage() != before
    qtbot.waitUntil(lambda: (COILS.span,) in shown.do.calls_of("reading.open_span"))
    shown.press(Qt.Key.Key_C)
    assert shown.do.calls_of("citing.toggle") == [(COILS,)]
    rows = citations()
    shown.do.part("citing").citations.emit(rows)
    shown.press(Qt.Key.Key_1)  # the first citation, which is of another passage
    selected = found.list.passage()
    assert selected is not None
    assert selected.span == VOLTAGE.span
    first = rows[0]
    assert first.document_id is not None
    assert first.version_id is not None
    span = SpanReference(first.document_id, first.version_id, first.char_start, first.char_end)
    qtbot.waitUntil(lambda: shown.do.calls_of("reading.open_span")[-1] == (span,))


def test_a_search_that_failed_can_be_asked_again(shown: Shown) -> None:
    shown.ask()
    shown.do.part("searching").failed.emit(SEARCH_FAILURE)
    shown.window.research.results.failure_acted.emit()
    assert shown.do.calls_of("searching.again") == [()]


def test_escape_stops_a_search_that_runs(shown: Shown) -> None:
    shown.window.query.set_text(QUESTION)
    shown.press(Qt.Key.Key_Return)
    shown.do.part("searching").started.emit(QUESTION)
    shown.press(Qt.Key.Key_Escape)
    assert shown.do.calls_of("searching.cancel") == [()]


def test_a_library_that_does_not_open_offers_to_try_again(shown: Shown) -> None:
    shown.do.part("session").open_failed.emit(Failure("The database did not start.", "Free some disk space."))
    shown.window.library.failure_acted.emit()
    assert shown.do.calls_of("session.reopen") == [()]


@pytest.mark.parametrize("part", ["documents", "citing"])
def test_failures_are_reported_in_the_one_dialog(shown: Shown, part: str, qtbot: QtBot) -> None:
    shown.do.part(part).failed.emit(SEARCH_FAILURE)
    shown.do.failed.emit(SEARCH_FAILURE)
    (reported,) = shown.window.findChildren(ErrorDialog)
    assert reported.accessibleName() == headline_of(SEARCH_FAILURE.message)[0]
    assert SEARCH_FAILURE.hint in reported.accessibleDescription()
    assert "And 1 more error." in reported.accessibleDescription()
    reported.close()
    qtbot.waitUntil(lambda: not shown.window.findChildren(ErrorDialog))


def test_undo_takes_back_the_latest_and_its_notice_goes(shown: Shown, qtbot: QtBot) -> None:
    undone: list[str] = []
    shown.fill()
    shown.window.library.list.setFocus()  # in the query box the key undoes what was typed
    shown.do.part("documents").noticed.emit(shown.do.undo.push("Removed", lambda: undone.append("removal")))
    (toast,) = shown.window.toasts._toasts
    shown.press(Qt.Key.Key_Z, CONTROL)
    assert undone == ["removal"]
    qtbot.waitUntil(lambda: toast not in shown.window.toasts._toasts)
    shown.press(Qt.Key.Key_Z, CONTROL)  # says that there is nothing
    assert undone == ["removal"]
    assert len(shown.window.toasts._toasts) == 1


def test_of_two_notices_the_one_that_the_key_takes_back_shows_it(shown: Shown) -> None:
    undo, noticed = shown.do.undo, shown.do.part("documents").noticed
    noticed.emit(undo.push("First", lambda: None))
    noticed.emit(undo.push("Second", lambda: None))
    first, second = (toast.action_button for toast in shown.window.toasts._toasts)
    assert first is not None
    assert second is not None
    assert [first.text(), second.text()] == ["Undo", "Undo   Ctrl+Z"]
    assert [first.accessibleName(), second.accessibleName()] == ["Undo", "Undo (Ctrl+Z)"]
    second.click()
    assert first.text() == "Undo   Ctrl+Z"


def test_the_status_strip_opens_what_runs_and_acts(shown: Shown, qtbot: QtBot) -> None:
    report = StackReport((StackPart("Database", "stopped", "failing", action="Start again"),), "/data")
    shown.do.part("stack").report.emit(report)
    shown.window.status.action_requested.emit("Database")
    assert shown.do.calls_of("stack.act") == [("Database",)]
    shown.window.status.opened.emit()
    assert shown.do.calls_of("stack.look_again") == [()]
    dialog = shown.connections.stack._dialog.shown
    assert dialog is not None
    assert dialog.isVisible()
    dialog.close()
    qtbot.waitUntil(lambda: shown.connections.stack._dialog.shown is None)


def test_what_is_not_set_up_leads_to_the_settings_from_strip_and_dialog(shown: Shown, qtbot: QtBot) -> None:
    chat = StackPart(
        "Chat", "not set up", "off", None, "There is none.", "Install one.", "Set up", set_up=True
    )
    shown.do.part("stack").report.emit(StackReport((chat,), "/data"))
    (action,) = [one for one in shown.window.status.findChildren(QPushButton) if one.text() == "Set up"]
    action.click()
    assert shown.do.calls_of("settings.fetch") == [()]
    shown.window.status.opened.emit()
    dialog = shown.connections.stack._dialog.shown
    assert dialog is not None
    (card,) = dialog.findChildren(PartCard)
    assert "Install one." in card.accessibleDescription()
    card.action.click()
    assert shown.do.calls_of("settings.fetch") == [(), ()]
    assert shown.do.calls_of("stack.act") == []
    dialog.close()
    qtbot.waitUntil(lambda: shown.connections.stack._dialog.shown is None)


# -- Panes and looks ------------------------------------------------------------------------------------------------


def test_f6_walks_every_pane_and_back(shown: Shown) -> None:
    shown.fill()
    broken = StackPart("Database", "stopped", "failing", action="Start again")
    shown.do.part("stack").report.emit(StackReport((broken,), "/data"))

    def pane() -> object:
        inside = QApplication.focusWidget()
        assert inside is not None
        return next(one for one in shown.window.panes() if one is inside or one.isAncestorOf(inside))

    there = [pane()]
    while len(there) < 2 or there[-1] is not there[0]:
        shown.press(Qt.Key.Key_F6)
        there.append(pane())
        assert len(there) <= 8
    assert set(there) == set(shown.window.panes())
    back = [pane()]
    for _ in there[1:]:
        shown.press(Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
        back.append(pane())
    assert back == there[::-1]


def test_f9_hides_the_sidebar_and_a_narrow_window_lets_it_slide(shown: Shown, qtbot: QtBot) -> None:
    window = shown.window
    shown.press(Qt.Key.Key_F9)
    assert not window.sidebar.isVisible()
    shown.press(Qt.Key.Key_F9)
    assert window.sidebar.isVisible()
    window.resize(1100, 800)
    qtbot.waitUntil(lambda: not window.sidebar.isVisible())
    window.sidebar_button.click()
    qtbot.waitUntil(lambda: window.overlay.is_open)
    shown.press(Qt.Key.Key_Escape)
    assert not window.overlay.is_open
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: window.sidebar.isVisible() and window.sidebar.width() == 228)


@pytest.mark.parametrize("view", [LIBRARY, RESEARCH])
def test_the_sidebar_is_as_wide_again_after_the_window_was_narrow(
    shown: Shown, qtbot: QtBot, view: int
) -> None:
    window = shown.window
    window.show_view(view)
    window.body.setSizes([300, 1140])
    for narrow in (960, 1100, 960):  # in the narrowest, the panes had to give way before the sidebar slid
        window.resize(narrow, 800)
        qtbot.waitUntil(lambda: not window.sidebar.isVisible())
        window.sidebar_button.click()
        qtbot.waitUntil(window.sidebar.isVisible)
        window.resize(1440, 900)
        qtbot.waitUntil(lambda: window.body.sizes()[0] == window.sidebar.width() == 300)


def test_a_window_that_is_narrow_for_a_moment_leaves_no_other_window_behind(
    shown: Shown, qtbot: QtBot
) -> None:
    shown.window.show_view(RESEARCH)
    for width in (960, 1440, 960, 1440):  # all in one turn
        shown.window.resize(width, 800)
    QApplication.processEvents()
    assert [one for one in QApplication.topLevelWidgets() if one.isVisible()] == [shown.window]


def test_the_theme_changes_in_the_running_window(shown: Shown, themed: Callable[[bool], None]) -> None:
    shown.fill()
    grounds = []
    for dark in (False, True, False):
        themed(dark)
        picture = shown.window.grab().toImage()
        grounds.append(colour("surface").name())
        middle = shown.window.library.list.viewport()
        at = middle.mapTo(shown.window, middle.rect().bottomRight()) / 1
        assert picture.pixelColor(at.x() - 4, at.y() - 4).name() == grounds[-1]
    assert grounds[0] == grounds[2] != grounds[1]


# -- The end --------------------------------------------------------------------------------------------------------


def test_closing_asks_the_application_and_leaves_the_end_to_it(shown: Shown) -> None:
    asked = QSignalSpy(shown.window.close_asked)
    shown.window.close()
    assert asked.count() == 1
    assert shown.window.isVisible()  # the application hides it, and ends in its order
    shown.press(Qt.Key.Key_Q, CONTROL)
    assert asked.count() == 2


def test_without_citations_the_reader_has_the_height(shown: Shown, qtbot: QtBot) -> None:
    research = shown.window.research
    shown.ask()
    shown.do.part("citing").citations.emit(())
    assert research.citations.height() <= grown(PANE_HEADER_HEIGHT) + 1
    for height in (600, 1100, 900):
        shown.window.resize(1440, height)
        assert research.citations.height() <= grown(PANE_HEADER_HEIGHT) + 1
    shown.do.part("citing").citations.emit((cited(1, VOLTAGE.span),))
    assert research.citations.height() > 2 * grown(PANE_HEADER_HEIGHT)
    column = research._column
    column.setSizes([300, column.height() - 300])
    column.splitterMoved.emit(300, 1)  # as the user drags it
    chosen = research.citations.height()
    shown.do.part("citing").citations.emit(())
    assert research.citations.height() <= grown(PANE_HEADER_HEIGHT) + 1
    assert research.saved_layout()["research-column-moved"]
    shown.do.part("citing").citations.emit((cited(1, VOLTAGE.span),))
    assert abs(research.citations.height() - chosen) <= 1


# -- Widths -------------------------------------------------------------------------------------------------------


def columns(shown: Shown) -> tuple[int, int, int]:
    research = shown.window.research
    return (
        research.results.width(),
        research.citations.width(),
        research.reader.width(),
    )


def test_a_wide_window_has_the_citations_beside_the_reader(shown: Shown, qtbot: QtBot) -> None:
    shown.fill()
    shown.ask()
    shown.answer(results())
    research = shown.window.research
    shown.window.resize(2400, 1200)
    qtbot.waitUntil(lambda: columns(shown)[:2] == (WIDE_RESULTS, WIDE_EMPTY))
    research.citations.show_citations(citations())
    research.fit_citations()
    assert columns(shown)[:2] == (WIDE_RESULTS, WIDE_CITATIONS)
    assert columns(shown)[2] > 800
    assert research.citations.height() == research.reader.height()
    laid = research.results.list.delegate.layout(research.results.list.currentIndex())
    assert measure(font("body"), 60) <= laid.text.width <= measure(font("body"), 90)
    shown.window.resize(1440, 900)
    qtbot.waitUntil(lambda: research.citations.width() == research.reader.width())
    assert research.reader.geometry().top() > research.citations.geometry().top()


def test_sizes_that_the_user_chose_come_back_in_either_arrangement(shown: Shown, qtbot: QtBot) -> None:
    shown.window.resize(2400, 1200)
    shown.connections.show_view(RESEARCH)
    research = shown.window.research
    qtbot.waitUntil(lambda: columns(shown)[1] == WIDE_EMPTY)
    research._column.setSizes([600, columns(shown)[1] + columns(shown)[2] - 600])
    research._column.splitterMoved.emit(600, 1)
    wide = columns(shown)
    for width in (1440, 2400):
        shown.window.resize(width, 1200)
    qtbot.waitUntil(lambda: columns(shown) == wide)
    saved = research.saved_layout()
    research._column.setSizes([500, wide[1] + wide[2] - 500])
    research.restore_layout(saved)
    assert columns(shown) == wide


def test_a_notice_covers_no_button_of_a_row(shown: Shown, qtbot: QtBot) -> None:
    shown.fill()
    shown.ask()
    shown.answer(results(many_groups(3, 3)))
    view, toasts = shown.window.research.results.list, shown.window.toasts
    shown.window.resize(960, 600)
    lowest = 0
    for _ in range(8):
        QTest.keyClick(view, Qt.Key.Key_Down)
        toasts.show_notice("Quote copied.")
        buttons = list(toasts.in_use())
        assert buttons
        assert not any(rect.intersects(toasts.geometry()) for rect in buttons)
        lowest = max(lowest, *(rect.bottom() for rect in buttons))
    assert lowest > shown.window.height() - 120  # where a notice would lie
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert not any(rect.intersects(toasts.geometry()) for rect in toasts.in_use())


def test_lines_of_an_answer_stay_short_enough_to_read(shown: Shown, qtbot: QtBot) -> None:
    shown.connections.show_view(RESEARCH)
    shown.window.resize(2400, 1200)
    research = shown.window.research
    research.show_answer(COMPLETE)
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        research.setLayoutDirection(direction)
        for width in (1300, 1600, 600):
            research._panes.setSizes([width, 2172 - width])
            QApplication.sendPostedEvents()
            text = research.answer.text
            assert text.width() <= measure(font("lead"), 91)
            assert text.width() >= min(measure(font("lead"), 60), width - 40)
            left = text.mapTo(research.answer, text.rect().topLeft()).x()
            beside = research.answer.width() - left - text.width()
            leading = left if direction == Qt.LayoutDirection.LeftToRight else beside
            assert leading == PANE_INSET
