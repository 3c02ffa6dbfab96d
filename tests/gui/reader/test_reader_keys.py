"""The reader in full and as a pane: sizes and keys."""

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from tests.support.reader import BREAKS, COILS, MIRROR, show, span
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.kit.widgets.panes import column
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.text.plain_text import project


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
    assert view.highlighted_text() == project(COILS).text


def test_every_tool_has_a_name_with_its_key(view: ReaderView) -> None:
    names = {tool.accessibleName() for tool in view.findChildren(QToolButton) if tool.accessibleName()}
    assert {
        "Outline (O)",
        "Previous match (Shift+F3)",
        "Next match (F3)",
        "Smaller text (Ctrl+-)",
        "Larger text (Ctrl++)",
        "Find in this text (Ctrl+F)",
        "Cite selection (C)",
        "Open in browser (Ctrl+B)",
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


def test_tab_walks_from_the_head_over_the_find_bar_and_the_text_to_the_outline(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    view.set_full(True)
    view.resize(1200, 420)
    show(view, qtbot, document)
    view.open_find()
    header, bar = view._header, view._bar
    stops: list[QWidget] = [
        header._outline, header._smaller, header._larger, header._find, header._browser, header._toggle,
        bar._field, bar._close, view._text, view._outline.list,
    ]  # fmt: skip
    header._outline.setFocus()
    for before, after in pairwise(stops):
        assert QApplication.focusWidget() is before
        QTest.keyClick(before, Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is after
    for after, before in pairwise(reversed(stops)):
        QTest.keyClick(after, Qt.Key.Key_Backtab)
        assert QApplication.focusWidget() is before


def test_the_keyboard_that_is_given_to_the_reader_lands_in_its_text(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    view._header._find.setFocus()
    view.setFocus()
    assert QApplication.focusWidget() is view._text


def test_enter_presses_the_button_that_has_the_keyboard(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    view._header._find.setFocus()
    with qtbot.assertNotEmitted(view.full_toggled):
        QTest.keyClick(view._header._find, Qt.Key.Key_Return)
    assert view._bar.isVisible()


def test_space_pages_through_the_text(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    view.setFocus()
    bar = view._text.verticalScrollBar()
    QTest.keyClick(view._text, Qt.Key.Key_Space)
    assert bar.value() > 0
    QTest.keyClick(view._text, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert bar.value() == 0


def test_the_keyboard_waits_in_an_empty_reader_and_goes_on_into_its_text(
    qtbot: QtBot, application: QApplication, document: ReaderDocument
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    view, other = ReaderView(), QToolButton()
    other.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    lines = column(window)
    lines.addWidget(view)
    lines.addWidget(other)
    window.resize(600, 700)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    view.setFocus()
    assert view._state_page.hasFocus()
    for _ in range(8):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        if other.hasFocus():
            break
    assert other.hasFocus()
    view.setFocus()
    view.show_waiting("Tides")
    assert view._skeleton.hasFocus()
    show(view, qtbot, document)
    assert view._text.hasFocus()
