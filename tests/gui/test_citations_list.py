"""The citations pane driven with real keys and a real mouse: selecting, copying, moving, removing."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, SignalInstance
from PySide6.QtGui import QContextMenuEvent, QFont, QGuiApplication, QKeyEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from tests.support.shown import CJK, YARD, citation, citations, scripts_citations
from webrag_desktop.gui.citations.citation_delegate import NUMBER_LEFT, CitationMove
from webrag_desktop.gui.citations.citation_list import CitationsView
from webrag_desktop.gui.data.view_data import CitationRow, CitationState
from webrag_desktop.gui.kit.theme.painting import number_chip
from webrag_desktop.text.citation_formats import MARKDOWN, PLAIN_TEXT

Key = Qt.Key
Left = Qt.MouseButton.LeftButton
NoModifier = Qt.KeyboardModifier.NoModifier
Control, Alt = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
Shift = Qt.KeyboardModifier.ShiftModifier
ROWS = citations()


@pytest.fixture
def view(qtbot: QtBot, application: QApplication) -> CitationsView:
    made = CitationsView()
    qtbot.addWidget(made)
    made.resize(568, 520)
    made.show()
    made.show_citations(ROWS)
    made.focus_list()
    application.processEvents()
    return made


def reported(signal: SignalInstance) -> Callable[[], list[object]]:
    spy = QSignalSpy(signal)
    return lambda: [spy.at(at)[0] for at in range(spy.count())]


def middle(view: CitationsView, row: int) -> QPoint:
    return view.list.visualRect(view.list.citations.index(row)).center()


def button(view: CitationsView, row: int, command: str) -> QPoint:
    rect = view.list.delegate.button_rect(view.list.citations.index(row), command)
    assert rect is not None
    return rect.center().toPoint()


def texts(menu: QMenu | None) -> list[str]:
    assert menu is not None
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def trigger(menu: QMenu | None, text: str) -> None:
    assert menu is not None
    next(action for action in menu.actions() if action.text() == text).trigger()


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def words(view: CitationsView) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel) if label.isVisible() and label.text()]


# -- Selecting ----------------------------------------------------------------------------------------------------


def test_empty_pane_says_how_to_cite(qtbot: QtBot, application: QApplication) -> None:
    view = CitationsView()
    qtbot.addWidget(view)
    view.show()
    assert "Press C on a passage to cite it." in words(view)
    assert not view.list.isVisible()
    assert not view.findChildren(QPushButton)[-1].isVisible()
    view.show_citations(ROWS)
    assert view.list.isVisible()
    assert "4" in words(view)


def test_click_selects_tells_and_opens_the_row(view: CitationsView) -> None:
    selected = reported(view.citation_selected)
    before = view.list.visualRect(view.list.citations.index(2)).height()
    QTest.mouseClick(view.list.viewport(), Left, NoModifier, middle(view, 2))
    assert selected() == [ROWS[2]]
    assert view.list.visualRect(view.list.citations.index(2)).height() > before
    QTest.mouseClick(view.list.viewport(), Left, NoModifier, middle(view, 2))
    assert selected() == [ROWS[2], ROWS[2]]


def test_keys_walk_and_numbers_jump(view: CitationsView) -> None:
    view.select_number(1)
    selected = reported(view.citation_selected)
    for key in (Key.Key_Down, Key.Key_J, Key.Key_K, Key.Key_4, Key.Key_9, Key.Key_Up, Key.Key_Home):
        QTest.keyClick(view.list, key)
    assert selected() == [ROWS[1], ROWS[2], ROWS[1], ROWS[3], ROWS[2], ROWS[0]]


def test_select_number_tells_also_when_it_is_selected_and_ignores_what_is_not_there(
    view: CitationsView,
) -> None:
    selected = reported(view.citation_selected)
    for number in (2, 2, 5, 0):
        view.select_number(number)
    assert selected() == [ROWS[1], ROWS[1]]


def test_enter_and_double_click_open(view: CitationsView) -> None:
    view.select_number(2)
    opened = reported(view.open_requested)
    QTest.keyClick(view.list, Key.Key_Return)
    at = middle(view, 0)
    QTest.mouseClick(view.list.viewport(), Left, NoModifier, at)
    QTest.mouseDClick(view.list.viewport(), Left, NoModifier, at)
    QTest.mouseRelease(view.list.viewport(), Left, NoModifier, at)
    assert opened() == [ROWS[1], ROWS[0]]


def test_taking_the_keyboard_selects_but_tells_nobody(qtbot: QtBot, application: QApplication) -> None:
    view = CitationsView()
    qtbot.addWidget(view)
    view.show()
    view.show_citations(ROWS)
    selected = reported(view.citation_selected)
    view.activateWindow()
    view.focus_list()
    qtbot.waitUntil(view.list.hasFocus)
    assert view.list.citation() is ROWS[0]
    assert not selected()


# -- What comes back ----------------------------------------------------------------------------------------------


def renumbered(rows: list[CitationRow]) -> list[CitationRow]:
    return [replace(row, number=at + 1) for at, row in enumerate(rows)]


def test_selection_follows_its_citation_through_another_order(view: CitationsView) -> None:
    view.select_number(1)
    selected = reported(view.citation_selected)
    view.show_citations(renumbered([ROWS[1], ROWS[2], ROWS[0], ROWS[3]]))
    current = view.list.citation()
    assert current is not None
    assert (current.id, current.number) == (ROWS[0].id, 3)
    assert not selected()


def test_new_citation_is_selected_without_telling(view: CitationsView) -> None:
    view.select_number(1)
    selected = reported(view.citation_selected)
    view.show_citations([*ROWS, citation(CJK, 5)])
    current = view.list.citation()
    assert current is not None
    assert current.number == 5
    assert not selected()


def test_removed_citation_leaves_its_place_to_the_next(view: CitationsView) -> None:
    view.select_number(4)
    view.show_citations(ROWS[:3])
    assert view.list.citation() is ROWS[2]
    view.show_citations([])
    assert view.list.citation() is None
    assert view.list.menu() is None


# -- Asking for another order, or for less ------------------------------------------------------------------------


def test_keys_ask_to_move_and_to_remove_and_change_nothing(view: CitationsView) -> None:
    moved, removed = reported(view.move_requested), reported(view.remove_requested)
    view.select_number(2)
    QTest.keyClick(view.list, Key.Key_Up, Alt)
    QTest.keyClick(view.list, Key.Key_Down, Alt)
    QTest.keyClick(view.list, Key.Key_Delete)
    view.select_number(1)
    QTest.keyClick(view.list, Key.Key_Up, Alt)
    view.select_number(4)
    QTest.keyClick(view.list, Key.Key_Down, Alt)
    assert moved() == [CitationMove(ROWS[1].id, 1), CitationMove(ROWS[1].id, 3)]
    assert removed() == [ROWS[1].id]
    assert view.list.citations.rows == ROWS


def test_menu_offers_what_is_possible(view: CitationsView) -> None:
    view.select_number(1)
    assert texts(view.list.menu()) == [
        "Open in the reader",
        "Copy quote",
        "Copy as text",
        "Copy as Markdown",
        "Copy as link",
        "Copy WebRAG link",
        "Copy reference",
        "Move down",
        "Remove",
    ]
    view.select_number(4)
    assert "Move up" in texts(view.list.menu())
    assert "Move down" not in texts(view.list.menu())


def test_file_and_removed_document_offer_less(view: CitationsView) -> None:
    file = replace(scripts_citations()[2], number=1, version_id=None, document_id=None)
    view.show_citations([file])
    view.select_number(1)
    assert texts(view.list.menu()) == [
        "Copy quote",
        "Copy as text",
        "Copy as Markdown",
        "Copy reference",
        "Remove",
    ]


def test_what_moved_or_was_lost_leads_to_what_changed(view: CitationsView) -> None:
    asked = reported(view.list.difference_requested)
    for row in ROWS:
        view.select_number(row.number)
        offered = "Show what changed" in texts(view.list.menu())
        assert offered == (row.state is not CitationState.EXACT)
        if offered:
            trigger(view.list.menu(), "Show what changed")
    assert asked() == [row for row in ROWS if row.state is not CitationState.EXACT] != []


def test_menu_asks_as_the_keys_do(view: CitationsView) -> None:
    moved, removed, opened = (
        reported(view.move_requested),
        reported(view.remove_requested),
        reported(view.open_requested),
    )
    view.select_number(3)
    for text in ("Move up", "Move down", "Remove", "Open in the reader"):
        trigger(view.list.menu(), text)
    assert moved() == [CitationMove(ROWS[2].id, 2), CitationMove(ROWS[2].id, 4)]
    assert (removed(), opened()) == ([ROWS[2].id], [ROWS[2]])


def test_menu_key_shows_the_menu_at_the_selected_row(view: CitationsView, application: QApplication) -> None:
    view.select_number(2)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0))
    application.sendEvent(view.list.viewport(), event)
    menu = application.activePopupWidget()
    assert isinstance(menu, QMenu)
    row = view.list.visualRect(view.list.currentIndex())
    assert row.contains(view.list.viewport().mapFromGlobal(menu.pos()))
    menu.close()


# -- Copying ------------------------------------------------------------------------------------------------------


def test_keys_copy_quote_and_quote_with_reference(view: CitationsView) -> None:
    copied = reported(view.copied)
    view.select_number(2)
    QTest.keyClick(view.list, Key.Key_C, Control)
    assert clipboard() == ROWS[1].quote
    QTest.keyClick(view.list, Key.Key_C, Control | Shift)
    assert clipboard() == PLAIN_TEXT.quotation(ROWS[1])
    assert copied() == ["Quote copied.", "Quote copied with its reference."]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Copy as Markdown", MARKDOWN.quotation(ROWS[0])),
        ("Copy as link", ROWS[0].link),
    ],
)
def test_menu_copies_in_other_forms(view: CitationsView, text: str, wanted: str) -> None:
    view.select_number(1)
    trigger(view.list.menu(), text)
    assert clipboard() == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("As text", PLAIN_TEXT.reference(ROWS[0])),
        ("As Markdown", MARKDOWN.reference(ROWS[0])),
        ("As link", ROWS[0].link),
    ],
)
def test_reference_button_offers_its_forms(
    view: CitationsView, application: QApplication, text: str, wanted: str
) -> None:
    view.select_number(1)
    QTest.mouseClick(view.list.viewport(), Left, NoModifier, button(view, 0, "reference"))
    menu = application.activePopupWidget()
    assert isinstance(menu, QMenu)
    trigger(menu, text)
    menu.close()
    assert clipboard() == wanted


def test_quote_button_copies(view: CitationsView) -> None:
    view.select_number(1)
    QTest.mouseClick(view.list.viewport(), Left, NoModifier, button(view, 0, "copy"))
    assert clipboard() == ROWS[0].quote


def test_copy_all_has_every_quote_and_reference(view: CitationsView) -> None:
    copied = reported(view.copied)
    as_text, as_markdown, _links = view.copy_all_menu().actions()
    as_text.trigger()
    assert all(row.quote in clipboard() and row.reference in clipboard() for row in ROWS)
    as_markdown.trigger()
    assert clipboard().count("\n> ") + 1 == len(ROWS)
    view.show_citations(ROWS[:1])
    view.copy_all()
    assert copied() == ["4 citations copied.", "4 citations copied.", "One citation copied."]


# -- Rows ---------------------------------------------------------------------------------------------------------


def test_lost_citation_leads_to_the_copy_that_has_it(view: CitationsView) -> None:
    view.select_number(1)
    opened, selected = reported(view.open_requested), reported(view.citation_selected)
    QTest.mouseClick(view.list.viewport(), Left, NoModifier, button(view, 3, "open"))
    assert opened() == selected() == [ROWS[3]]
    gone = replace(ROWS[3], version_id=None, number=1)
    view.show_citations([gone])
    assert "open" not in [
        placed.button.command for placed in view.list.delegate.buttons(view.list.citations.index(0))
    ]


def test_selected_row_shows_the_whole_quote(view: CitationsView) -> None:
    layout = view.list.delegate.layout
    index = view.list.citations.index(2)
    assert layout(index).quote.cut
    view.select_number(3)
    assert not layout(index).quote.cut
    assert YARD.quote in layout(index).quote.text


def test_buttons_and_pill_stay_inside_at_any_width_and_font(
    view: CitationsView, application: QApplication
) -> None:
    base = application.font()
    larger = QFont(base)
    larger.setPixelSize(20)
    view.select_number(4)
    try:
        for used in (base, larger):
            application.setFont(used)
            for width in (300, 380, 568):
                view.resize(width, 520)
                application.processEvents()
                index = view.list.currentIndex()
                row, laid = view.list.visualRect(index), view.list.delegate.layout(index)
                assert len(laid.buttons) == 3
                assert all(
                    0 < placed.rect.left() < placed.rect.right() < row.width() for placed in laid.buttons
                )
                assert all(placed.rect.bottom() < row.height() for placed in laid.buttons)
                assert laid.quote_at.x() + laid.quote.natural_width < laid.pill
                others = [one.rect for one in laid.buttons]
                assert not any(a.intersects(b) for a in others for b in others if a is not b)
                assert laid.explanation is not None
                assert laid.explanation_at.y() + laid.explanation.height < row.height()
    finally:
        application.setFont(base)


def test_keys_of_the_list_win_over_shortcuts_of_the_window(view: CitationsView) -> None:
    for key, modifiers, wanted in ((Key.Key_Delete, NoModifier, True), (Key.Key_N, NoModifier, False)):
        event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers)
        event.ignore()
        view.list.event(event)
        assert event.isAccepted() == wanted


def test_letters_that_mean_nothing_here_are_left_to_the_window(view: CitationsView) -> None:
    event = QKeyEvent(QEvent.Type.KeyPress, Key.Key_N, NoModifier, "n")
    view.list.keyPressEvent(event)
    assert not event.isAccepted()


@pytest.mark.parametrize("number", [7, 112, 4711])
def test_a_long_number_leaves_its_quote_alone(view: CitationsView, number: int) -> None:
    view.show_citations([replace(ROWS[0], number=number)])
    laid = view.list.delegate.layout(view.list.citations.index(0))
    assert laid.quote_at.x() >= NUMBER_LEFT + number_chip(number).width() + 8
