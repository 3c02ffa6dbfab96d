"""What can be done in the list of results: with keys, buttons and menus."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QFont, QGuiApplication, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip
from pytestqt.qtbot import QtBot

from tests.gui.result_lists import (
    Control,
    Key,
    Left,
    NoModifier,
    button_center,
    click,
    double_click,
    hover,
    menu_of,
    reported,
    texts,
    trigger,
)
from tests.support.shown import (
    COILS,
    LONG,
    VOLTAGE,
    YARD,
    citations,
    many_groups,
    results,
    scripts_groups,
)
from webrag_desktop.gui.data.view_data import Passage
from webrag_desktop.gui.kit.rows.laid_text import LaidText
from webrag_desktop.gui.research import passage_excerpt, passage_layout
from webrag_desktop.gui.research.passage_parts import LaidParts
from webrag_desktop.gui.research.result_list import ResultList


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


def test_space_previews_a_passage_while_the_keyboard_stays(shown: ResultList) -> None:
    previewed, opened = reported(shown.preview_requested), reported(shown.open_requested)
    QTest.keyClick(shown, Key.Key_Space)
    assert (previewed(), opened()) == ([VOLTAGE], [])
    assert shown.hasFocus()


def test_keys_cite_open_and_copy(shown: ResultList) -> None:
    cited, opened, copied = (
        reported(shown.cite_toggled),
        reported(shown.open_requested),
        reported(shown.copied),
    )
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
        "cite": reported(shown.cite_toggled),
        "open": reported(shown.open_requested),
        "copy": reported(shown.copied),
        "browse": reported(shown.browser_requested),
    }
    for command, got in signals.items():
        QTest.mouseClick(shown.viewport(), Left, NoModifier, button_center(shown, command))
        assert got() == ["Quote copied." if command == "copy" else VOLTAGE]
    assert shown.passage() is VOLTAGE


def test_press_that_ends_elsewhere_does_nothing(shown: ResultList) -> None:
    cited, opened = reported(shown.cite_toggled), reported(shown.open_requested)
    QTest.mousePress(shown.viewport(), Left, NoModifier, button_center(shown, "cite"))
    QTest.mouseRelease(shown.viewport(), Left, NoModifier, button_center(shown, "open"))
    assert not cited()
    assert not opened()


def test_double_click_on_cite_cites_once(shown: ResultList) -> None:
    cited, opened = reported(shown.cite_toggled), reported(shown.open_requested)
    at = button_center(shown, "cite")
    double_click(shown, at)
    assert cited() == [VOLTAGE]
    assert not opened()


def test_double_click_opens_the_passage_that_was_clicked(shown: ResultList) -> None:
    opened = reported(shown.open_requested)
    rect = shown.visualRect(shown.results.find(COILS.chunk_id))
    at = rect.topLeft() + QPoint(200, rect.height() - 6)
    double_click(shown, at)
    assert opened() == [COILS]


def test_click_on_the_selected_passage_tells_again(shown: ResultList) -> None:
    selected = reported(shown.passage_selected)
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
    assert commands == ["cite", "open", "copy", "more"]  # the context of a long sentence is left out
    assert "Open in browser" not in texts(menu_of(shown))


def test_menu_has_every_button_with_its_key(shown: ResultList) -> None:
    menu = menu_of(shown)
    assert texts(menu) == [
        "Remove citation 1",
        "Open in the reader",
        "Copy quote",
        "Copy quote with reference",
        "Copy WebRAG link",
        "Open in browser",
        "Show reasons for every passage",
    ]
    keys = {action.text(): action.shortcut().toString() for action in menu.actions()}
    assert keys["Remove citation 1"] == "C"
    assert keys["Copy quote with reference"] == "Ctrl+Shift+C"
    browser, cited = reported(shown.browser_requested), reported(shown.cite_toggled)
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


def test_rows_measured_before_they_are_shown_are_not_measured_again(
    shown: ResultList, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = results(many_groups(4, 5))
    shown.show_results(answer)
    heights = [shown.visualRect(one).height() for one in shown.results.passage_indexes()]
    asked_again = results(many_groups(4, 5))
    for _row in shown.delegate.measure(asked_again):
        pass
    laid: list[bool] = []
    real = passage_excerpt.laid_passage

    def noting(
        passage: Passage, used: QFont, width: float, *, is_open: bool, lines: int | None
    ) -> LaidText | LaidParts:
        laid.append(is_open)
        return real(passage, used, width, is_open=is_open, lines=lines)

    monkeypatch.setattr(passage_layout, "laid_passage", noting)
    monkeypatch.setattr(passage_layout, "surely_fills_rest", lambda *_: pytest.fail("measured again"))
    shown.show_results(asked_again)
    assert laid == [True], "the open row alone"
    assert [shown.visualRect(one).height() for one in shown.results.passage_indexes()] == heights


def test_a_scroll_bar_that_comes_or_goes_does_not_change_the_rows(shown: ResultList, qtbot: QtBot) -> None:
    shown.show_results(results(many_groups(1, 1)))
    qtbot.waitUntil(lambda: not shown.verticalScrollBar().isVisible())
    width = shown.row_width
    shown.show_results(results(many_groups(4, 5)))
    qtbot.waitUntil(shown.verticalScrollBar().isVisible)
    assert shown.row_width == width == shown.viewport().width()
