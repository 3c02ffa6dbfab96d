"""The query box: driven as a user drives it."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.widgets.labels import KeyCap
from webrag_desktop.gui.research.query_box import QueryBox

Show = Callable[..., QWidget]


def first_field(window: QWidget) -> QLineEdit:
    found = window.findChild(QLineEdit, "first")
    assert isinstance(found, QLineEdit)
    return found


@pytest.fixture
def box(show: Show) -> QueryBox:
    made = QueryBox()
    show(made)
    return made


def field_of(box: QueryBox) -> QLineEdit:
    return box.findChildren(QLineEdit)[0]


def button_of(box: QueryBox, word: str) -> QAbstractButton:
    for button in box.findChildren(QAbstractButton):
        if word in (button.text(), button.accessibleName()):
            return button
    raise AssertionError(word)


def caps_of(box: QueryBox) -> list[bool]:
    return [cap.isVisible() for cap in box.findChildren(KeyCap)]


def test_the_field_is_named_by_what_it_is_for(box: QueryBox) -> None:
    assert field_of(box).accessibleName() == "Search your library"
    assert field_of(box).placeholderText() == "Search your library"


def test_enter_searches_for_what_was_typed(box: QueryBox, qtbot: QtBot) -> None:
    box.focus()
    QTest.keyClicks(field_of(box), "  why did it fail ")
    with qtbot.waitSignal(box.search_requested) as reported:
        QTest.keyClick(field_of(box), Qt.Key.Key_Return)
    assert reported.args == ["why did it fail"]
    with qtbot.waitSignal(box.search_requested) as reported:
        QTest.mouseClick(button_of(box, "Search"), Qt.MouseButton.LeftButton)
    assert reported.args == ["why did it fail"]


def test_nothing_is_no_question(box: QueryBox, qtbot: QtBot) -> None:
    box.focus()
    with qtbot.assertNotEmitted(box.search_requested):
        QTest.keyClicks(field_of(box), "   ")
        QTest.keyClick(field_of(box), Qt.Key.Key_Return)
    assert not button_of(box, "Search").isEnabled()
    assert button_of(box, "Search").toolTip()


def test_a_question_can_be_set_and_selected(box: QueryBox, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(box.search_requested):
        box.set_text("cable")
    box.focus()
    assert box.text() == "cable"
    assert field_of(box).hasFocus()
    assert field_of(box).selectedText() == "cable"


def test_the_keys_shown_are_those_that_work_now(box: QueryBox, qtbot: QtBot) -> None:
    search, clear = button_of(box, "Search"), button_of(box, "Clear the question")
    assert (caps_of(box), search.isVisible(), clear.isVisible()) == ([False, False, True], False, False)
    box.focus()
    qtbot.waitUntil(search.isVisible)
    assert (caps_of(box), clear.isVisible()) == ([True, True, False], False)
    QTest.keyClicks(field_of(box), "cable")
    assert clear.isVisible()
    window = box.window()
    first_field(window).setFocus()
    assert (caps_of(box), search.isVisible(), clear.isVisible()) == ([True, True, False], True, True)


def test_clearing_keeps_the_keyboard_in_the_box(box: QueryBox, qtbot: QtBot) -> None:
    box.set_text("cable")
    with qtbot.waitSignal(box.text_edited) as reported:
        QTest.mouseClick(button_of(box, "Clear the question"), Qt.MouseButton.LeftButton)
    assert reported.args == [""]
    assert box.text() == ""
    assert field_of(box).hasFocus()


def test_the_keyboard_reaches_the_buttons_of_the_box(box: QueryBox) -> None:
    box.set_text("cable")
    box.focus()
    QTest.keyClick(field_of(box), Qt.Key.Key_Tab)
    assert button_of(box, "Clear the question").hasFocus()
    QTest.keyClick(button_of(box, "Clear the question"), Qt.Key.Key_Tab)
    assert button_of(box, "Search").hasFocus()


def test_the_frame_has_the_ring_and_the_words_stay(box: QueryBox, qtbot: QtBot) -> None:
    box.set_text("cable")
    rest, place = box.grab().toImage(), field_of(box).geometry()
    assert rest.pixelColor(box.width() // 2, 0) == colour("control")
    box.focus()
    field_of(box).deselect()
    focused = box.grab().toImage()
    assert focused.pixelColor(box.width() // 2, 1) == colour("focus")
    assert field_of(box).geometry() == place
    words = field_of(box).geometry().adjusted(0, 8, -300, -8)
    columns = [
        [
            x
            for x in range(words.left(), words.right())
            if image.pixelColor(x, words.center().y()).lightness() < 90
        ]
        for image in (rest, focused)
    ]
    assert set(columns[0]) <= set(columns[1])  # the caret may be there too


def test_a_click_on_the_magnifier_is_a_click_into_the_field(box: QueryBox) -> None:
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(18, box.height() // 2))
    assert field_of(box).hasFocus()


def test_a_long_question_is_read_from_its_beginning_once_it_is_asked(box: QueryBox, show: Show) -> None:
    window = box.window()
    box.focus()
    field = field_of(box)
    QTest.keyClicks(
        field, "how does the corrosion of zinc depend on salt, on heat and on the metal beside it " * 3
    )
    assert field.cursorPosition() == len(field.text())
    other = button_of(box, "Search")
    other.setFocus()
    assert field.cursorPosition() == 0
    box.set_text("another question " * 20)
    assert field.cursorPosition() == 0
    assert window.isVisible()
