"""Buttons, labels, the switch, the badge: driven as a user drives them."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.kit.theme.colours import apply_scheme
from webrag_desktop.gui.kit.theme.tokens import DARK, LIGHT, Role
from webrag_desktop.gui.kit.widgets.buttons import Kind, Segmented, push_button, tool_button
from webrag_desktop.gui.kit.widgets.labels import ElidedLabel, Label, label
from webrag_desktop.gui.kit.widgets.panes import PaneHeader, row
from webrag_desktop.gui.kit.widgets.popups import Popover
from webrag_desktop.gui.research.query_box import ModeBadge

Show = Callable[..., QWidget]


def first_field(window: QWidget) -> QLineEdit:
    found = window.findChild(QLineEdit, "first")
    assert isinstance(found, QLineEdit)
    return found


# -- Buttons ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["default", "primary", "quiet", "mini", "link", "bare", "notice"])
def test_a_button_keeps_its_size_and_shows_a_ring_when_the_keyboard_comes(
    show: Show, qtbot: QtBot, kind: Kind
) -> None:
    button = push_button("Copy quote", kind, "copy")
    window = show(button)
    before, size = button.grab().toImage(), button.size()
    QTest.keyClick(first_field(window), Qt.Key.Key_Tab)
    qtbot.waitUntil(button.hasFocus)
    assert button.size() == size == button.sizeHint()
    assert button.height() >= 24
    ring: Role = "text" if kind == "primary" else "surface" if kind == "notice" else "focus"
    edge = button.grab().toImage().pixelColor(button.width() // 2, 1)
    assert edge == QColor(LIGHT[ring])
    assert button.grab().toImage() != before


def test_a_click_leaves_the_keyboard_where_it_is(show: Show, qtbot: QtBot) -> None:
    button, tool = push_button("Pause"), tool_button("x", "Close", "Esc")
    window = show(button, tool)
    for each in (button, tool):
        with qtbot.waitSignal(each.clicked):
            QTest.mouseClick(each, Qt.MouseButton.LeftButton)
        assert first_field(window).hasFocus()


def test_the_keyboard_presses_a_button(show: Show, qtbot: QtBot) -> None:
    button = push_button("Pause")
    show(button)
    button.setFocus()
    with qtbot.waitSignal(button.clicked):
        QTest.keyClick(button, Qt.Key.Key_Space)


def test_a_tool_button_is_named_with_its_key(application: QApplication) -> None:
    button = tool_button("arrow-down", "Next match", "F3")
    assert button.accessibleName() == button.toolTip() == "Next match (F3)"
    assert tool_button("x", "Close").accessibleName() == "Close"
    assert tool_button("x", "Close", checkable=True).isCheckable()
    assert button.sizeHint().width() >= 24
    assert button.sizeHint().height() >= 24


def test_icons_grow_with_the_font(show: Show, application: QApplication) -> None:
    push, tool = push_button("Add", icon="plus"), tool_button("menu", "Menu")
    show(push, tool)
    assert (push.iconSize().height(), tool.iconSize().height()) == (16, 18)
    usual, large = application.font(), application.font()
    large.setPixelSize(26)
    application.setFont(large)
    try:
        apply_scheme(application, Qt.ColorScheme.Light)
        assert (push.iconSize().height(), tool.iconSize().height()) == (32, 36)
    finally:
        application.setFont(usual)
        apply_scheme(application, Qt.ColorScheme.Light)
    assert (push.iconSize().height(), tool.iconSize().height()) == (16, 18)


# -- Labels -----------------------------------------------------------------------------------------------------


def test_a_label_shows_markup_as_it_is_written(application: QApplication) -> None:
    assert label("<b>x</b>").sizeHint().width() > label("x").sizeHint().width() * 3


def test_a_label_takes_another_ink_at_once(show: Show) -> None:
    words = Label("■■■■", "hero")
    show(words)
    roles: tuple[Role, Role] = ("text", "bad")
    for role in roles:
        words.set_role(role)
        image = words.grab().toImage()
        inks = {image.pixelColor(x, y).name().upper() for x in range(60) for y in range(image.height())}
        assert LIGHT[role] in inks


def test_a_long_line_is_cut_when_it_has_no_room_and_then_has_a_tooltip(show: Show) -> None:
    words = ElidedLabel("The induction coils of Wildman Whitehouse,\nre-examined")
    window = show(words, width=700)
    assert words.text() == "The induction coils of Wildman Whitehouse, re-examined"
    assert (words.is_elided(), words.toolTip()) == (False, "")
    assert words.sizeHint().width() <= words.width()
    window.resize(160, 400)
    assert (words.is_elided(), words.toolTip()) == (True, words.text())
    assert words.width() < 160
    words.setText("Short")
    assert (words.is_elided(), words.toolTip()) == (False, "")


# -- The switch -------------------------------------------------------------------------------------------------

VIEWS = [("library", "Library", "Ctrl+1"), ("text-quote", "Research", "Ctrl+2"), ("", "Map", "")]


def segments(switch: Segmented) -> list[QToolButton]:
    return switch.findChildren(QToolButton)


def test_a_click_chooses_and_tells(show: Show, qtbot: QtBot) -> None:
    switch = Segmented(VIEWS)
    show(switch)
    assert switch.current() == 0
    with qtbot.waitSignal(switch.chosen) as reported:
        QTest.mouseClick(segments(switch)[1], Qt.MouseButton.LeftButton)
    assert reported.args == [1]
    assert switch.current() == 1
    assert [each.isChecked() for each in segments(switch)] == [False, True, False]


def test_choosing_for_the_user_tells_nobody(show: Show, qtbot: QtBot) -> None:
    switch = Segmented(VIEWS)
    show(switch)
    with qtbot.assertNotEmitted(switch.chosen):
        switch.choose(2)
    assert switch.current() == 2


def test_tab_stops_once_and_arrows_move(show: Show, qtbot: QtBot) -> None:
    switch, after = Segmented(VIEWS), push_button("After")
    window = show(switch, after)
    QTest.keyClick(first_field(window), Qt.Key.Key_Tab)
    library, research, _ = segments(switch)
    qtbot.waitUntil(library.hasFocus)
    with qtbot.waitSignal(switch.chosen) as reported:
        QTest.keyClick(library, Qt.Key.Key_Right)
    assert reported.args == [1]
    assert research.hasFocus()
    QTest.keyClick(research, Qt.Key.Key_Tab)
    assert after.hasFocus()
    QTest.keyClick(after, Qt.Key.Key_Backtab)
    assert research.hasFocus()


def test_positions_are_named_with_their_keys(application: QApplication) -> None:
    switch = Segmented(VIEWS)
    names = [each.accessibleName() for each in segments(switch)]
    assert names == ["Library (Ctrl+1)", "Research (Ctrl+2)", "Map"]


def test_the_chosen_position_is_drawn_raised_in_both_themes(
    show: Show, themed: Callable[[bool], None]
) -> None:
    switch = Segmented(VIEWS)
    show(switch)
    for dark, theme in ((False, LIGHT), (True, DARK)):
        themed(dark)
        first, second, _ = segments(switch)
        assert first.grab().toImage().pixelColor(6, 13) == QColor(theme["raised"])
        assert second.grab().toImage().pixelColor(6, 13) != QColor(theme["raised"])


def test_a_switch_in_a_mirrored_window_is_mirrored(show: Show) -> None:
    switch = Segmented(VIEWS)
    window = show(switch)
    window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    QApplication.sendPostedEvents()
    lefts = [each.x() for each in segments(switch)]
    assert lefts == sorted(lefts, reverse=True)


# -- Pane header ------------------------------------------------------------------------------------------------


def test_a_header_shows_title_detail_and_actions(show: Show) -> None:
    action, another = tool_button("copy", "Copy all"), tool_button("x", "Close")
    header = PaneHeader("Results", [action])
    show(header)
    header.add_action_widget(another)
    header.set_detail("23 passages")
    title, detail = header.findChildren(ElidedLabel)
    assert (title.text(), detail.text(), detail.isVisible()) == ("Results", "23 passages", True)
    header.set_detail("")
    header.set_title("Citations")
    assert (title.text(), detail.isVisible()) == ("Citations", False)
    assert header.height() >= 38
    QApplication.sendPostedEvents()
    assert title.geometry().right() < action.geometry().left() < another.geometry().left()


def test_a_header_cuts_its_title_before_its_actions(show: Show) -> None:
    action = push_button("Copy all", "quiet", "copy")
    header = PaneHeader("A title much too long for the pane that it heads " * 3, [action])
    show(header, width=300)
    (title, _) = header.findChildren(ElidedLabel)
    assert title.is_elided()
    assert action.geometry().right() <= header.width()
    assert action.size() == action.sizeHint()


# -- Mode badge -------------------------------------------------------------------------------------------------


@pytest.fixture
def badge(show: Show) -> ModeBadge:
    made = ModeBadge()
    line = QWidget()
    row(line).addWidget(made)
    show(line)
    made.show_mode("Chunk mode", "182k tokens / 30k threshold", "Only the best passages are looked up.")
    return made


def test_the_badge_says_its_content(badge: ModeBadge) -> None:
    assert badge.accessibleName() == "Chunk mode, 182k tokens / 30k threshold"
    assert badge.accessibleDescription() == badge.toolTip() == "Only the best passages are looked up."


def test_the_badge_gives_up_numbers_before_words(badge: ModeBadge) -> None:
    full = badge.sizeHint().width()
    assert badge.minimumSizeHint().width() < full
    badge.show_mode("Whole mode", "", "Everything is read.")
    assert badge.sizeHint().width() < full


def test_without_a_mode_there_is_no_badge(badge: ModeBadge) -> None:
    badge.show_mode("", "", "")
    assert badge.sizeHint().width() == 0
    assert badge.focusPolicy() == Qt.FocusPolicy.NoFocus
    assert len({badge.grab().toImage().pixel(x, 12) for x in range(min(badge.width(), 40))}) <= 1


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Return])
def test_the_badge_explains_itself(badge: ModeBadge, qtbot: QtBot, key: Qt.Key) -> None:
    badge.setFocus()
    QTest.keyClick(badge, Qt.Key.Key_Space)
    card = badge.findChildren(Popover)[0]
    qtbot.waitUntil(card.isVisible)
    assert card.accessibleName() == "Chunk mode"
    assert [each.text() for each in card.findChildren(Label)] == [
        "Chunk mode",
        "Only the best passages are looked up.",
    ]
    room = card.screen().availableGeometry()
    assert room.contains(card.geometry())
    QTest.keyClick(card, key)
    assert not card.isVisible()
    assert badge.hasFocus()


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("corner", list(Qt.Corner))
@pytest.mark.parametrize("size", [(360, 260), (960, 600)])
def test_an_explanation_is_seen_whole_wherever_its_badge_is(
    qtbot: QtBot, application: QApplication, size: tuple[int, int], corner: Qt.Corner, mirrored: bool
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(*size)
    if mirrored:
        window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    made = ModeBadge(window)
    made.show_mode("Whole mode", "155 / 30k", "")
    made.resize(made.sizeHint())
    right, bottom = size[0] - made.width(), size[1] - made.height()
    is_right = corner in {Qt.Corner.TopRightCorner, Qt.Corner.BottomRightCorner}
    is_below = corner in {Qt.Corner.BottomLeftCorner, Qt.Corner.BottomRightCorner}
    made.move(right * is_right, bottom * is_below)
    window.show()
    for words in (1, 9, 18, 27, 40, 41, 42, 43, 44):  # of some, the last line is a short one
        made.show_mode("Whole mode", "155 / 30k", "every word of it " * words)
        made.click()
        card = made.findChildren(Popover)[-1]
        qtbot.waitUntil(card.isVisible)
        for part in card.findChildren(Label):
            assert part.height() >= part.heightForWidth(part.width())
            assert card.rect().contains(part.geometry())
        assert card.screen().availableGeometry().contains(card.geometry())
        if card.height() + made.height() < size[1] - 10:
            assert window.geometry().contains(card.geometry())
            assert not card.geometry().intersects(made.rect().translated(made.mapToGlobal(QPoint(0, 0))))
        card.close()
