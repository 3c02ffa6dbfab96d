"""What comes over the window and goes again: notices and the sliding pane."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.kit.theme import painting
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.widgets import messages, popups
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.kit.widgets.messages import Toast, ToastArea
from webrag_desktop.gui.kit.widgets.panes import Panel, column
from webrag_desktop.gui.kit.widgets.popups import SlidingOverlay

SHORT = 60


class Window(Panel):
    """A window with one field, which has the keyboard at first."""

    def __init__(self) -> None:
        super().__init__("window")
        self.resize(900, 500)
        self.field = QLineEdit(self)
        self.field.setGeometry(600, 20, 200, 30)


@pytest.fixture
def window(qtbot: QtBot, application: QApplication) -> Iterator[Window]:
    made = Window()
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    QTest.mouseMove(made, QPoint(3, 3))  # not where notices come
    made.field.setFocus()
    qtbot.waitUntil(made.field.hasFocus)
    yield made
    made.close()


def button_of(notice: Toast) -> QPushButton:
    return notice.findChildren(QPushButton)[0]


def enter(notice: Toast) -> None:
    notice.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
    QApplication.sendEvent(notice, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))


def leave(notice: Toast) -> None:
    notice.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    QApplication.sendEvent(notice, QEvent(QEvent.Type.Leave))


# -- Notices ----------------------------------------------------------------------------------------------------


def test_a_notice_goes_by_itself(window: Window, qtbot: QtBot) -> None:
    area = ToastArea(window)
    notice = area.show_notice("Copied", milliseconds=SHORT)
    assert notice.isVisible()
    with qtbot.waitSignal(notice.expired), qtbot.assertNotEmitted(notice.acted):
        pass
    assert not area.isVisible()


@pytest.mark.parametrize("by", ["pointer", "keyboard"])
def test_a_notice_stays_while_one_is_at_it(window: Window, qtbot: QtBot, by: str) -> None:
    area = ToastArea(window)
    held = area.show_notice("3 links added", "Undo", milliseconds=SHORT)
    if by == "pointer":
        enter(held)
    else:
        button_of(held).setFocus()
    other = area.show_notice("Copied", milliseconds=2 * SHORT)
    with qtbot.waitSignal(other.expired):
        pass
    assert held.isVisible()
    with qtbot.waitSignal(held.expired):
        if by == "pointer":
            leave(held)
        else:
            window.field.setFocus()


def test_the_window_losing_the_keyboard_does_not_end_the_stay(window: Window, qtbot: QtBot) -> None:
    area = ToastArea(window)
    held = area.show_notice("3 links added", "Undo", milliseconds=SHORT)
    button_of(held).setFocus()
    button_of(held).clearFocus()  # as when another window becomes active
    other = area.show_notice("Copied", milliseconds=2 * SHORT)
    with qtbot.waitSignal(other.expired):
        pass
    assert held.isVisible()


def test_undo_is_done_once_and_the_keyboard_goes_back(window: Window, qtbot: QtBot) -> None:
    done: list[str] = []
    area = ToastArea(window)
    notice = area.show_notice("3 links added", "Undo", lambda: done.append("undo"), "Ctrl Z")
    button = button_of(notice)
    assert button.accessibleName() == "Undo (Ctrl Z)"
    QTest.keyClick(window.field, Qt.Key.Key_Tab)
    assert button.hasFocus()
    with qtbot.waitSignal(notice.acted), qtbot.assertNotEmitted(notice.expired):
        QTest.keyClick(button, Qt.Key.Key_Space)
    assert done == ["undo"]
    assert window.field.hasFocus()
    assert not area.isVisible()


def test_esc_ends_a_notice_without_doing_anything(window: Window, qtbot: QtBot) -> None:
    area = ToastArea(window)
    notice = area.show_notice("3 links added", "Undo")
    button_of(notice).setFocus()
    with qtbot.assertNotEmitted(notice.acted):
        QTest.keyClick(button_of(notice), Qt.Key.Key_Escape)
    assert not notice.isVisible()
    assert window.field.hasFocus()
    notice.dismiss()  # a second time does nothing


def test_notices_stack_with_the_newest_lowest_and_the_oldest_makes_room(window: Window) -> None:
    area = ToastArea(window)
    notices = [area.show_notice(f"Notice {number}") for number in range(6)]
    QApplication.sendPostedEvents()
    shown = [notice for notice in notices if notice.isVisible()]
    assert shown == notices[4:]
    tops = [notice.mapTo(window, QPoint(0, 0)).y() for notice in shown]
    assert tops == sorted(tops)
    assert all(later - earlier >= 42 + 8 for earlier, later in pairwise(tops))
    shown[1].dismiss()
    QApplication.sendPostedEvents()
    assert shown[0].mapTo(window, QPoint(0, 0)).y() > tops[0]


def test_notices_follow_the_window_and_leave_the_rest_free(window: Window) -> None:
    area = ToastArea(window)
    area.set_distance(40)
    notice = area.show_notice("Copied")
    for size in ((900, 500), (700, 400), (300, 300)):
        window.resize(*size)
        QApplication.sendPostedEvents()
        place = notice.geometry().translated(area.pos())
        assert abs(place.center().x() - window.width() / 2) <= 1
        assert place.bottom() == window.height() - 41
        assert window.rect().contains(place)
        assert window.childAt(5, 200) is None


def test_a_long_notice_takes_more_lines(window: Window) -> None:
    area = ToastArea(window)
    short = area.show_notice("Copied")
    long = area.show_notice("The page no longer says this, but your copy of 12 September does. " * 3, "Undo")
    assert long.height() > short.height() + 20
    assert long.width() == short.width()


def test_a_notice_stands_out_in_both_themes(window: Window, themed: Callable[[bool], None]) -> None:
    notice = ToastArea(window).show_notice("Copied")
    for dark in (False, True):
        themed(dark)
        assert notice.grab().toImage().pixelColor(6, 21) == colour("text")


def test_a_notice_is_said_aloud(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[QAccessible.Event, str]] = []

    class Listener:
        @staticmethod
        def updateAccessibility(event: QAccessibleEvent) -> None:
            said.append((event.type(), getattr(event, "message", str)()))

    monkeypatch.setattr(messages, "QAccessible", Listener)
    area = ToastArea(window)
    notice = area.show_notice("3 links added", "Undo", shortcut="Ctrl Z")
    area.show_notice("Copied")
    assert [message for _, message in said] == ["3 links added. Undo: Ctrl Z", "Copied"]
    assert {event for event, _ in said} == {QAccessible.Event.Announcement}
    assert notice.accessibleName() == "3 links added"


# -- The sliding pane -------------------------------------------------------------------------------------------


class Content(QWidget):
    def __init__(self) -> None:
        super().__init__()
        lines = column(self)
        self.label_only = QWidget()
        self.first, self.second = push_button("First"), push_button("Second")
        for widget in (self.label_only, self.first, self.second):
            lines.addWidget(widget)


@pytest.fixture
def pane(window: Window) -> SlidingOverlay:
    made = SlidingOverlay(window, 228)
    made.set_content(Content())
    return made


def content_of(pane: SlidingOverlay) -> Content:
    return pane.findChildren(Content)[0]


def arrive(pane: SlidingOverlay, qtbot: QtBot) -> None:
    pane.open()
    qtbot.waitUntil(lambda: pane.x() == 0)


def test_the_pane_slides_in_and_takes_the_keyboard(
    window: Window, pane: SlidingOverlay, qtbot: QtBot
) -> None:
    assert not pane.is_open
    arrive(pane, qtbot)
    assert pane.is_open
    assert (pane.width(), pane.height()) == (228, window.height())
    assert content_of(pane).first.hasFocus()


def test_the_pane_jumps_where_nothing_may_move(
    pane: SlidingOverlay, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(painting, "moves", lambda: False)
    monkeypatch.setattr(popups, "duration", painting.duration)
    pane.open()
    assert pane.x() == 0


def test_esc_closes_the_pane_and_gives_the_keyboard_back(
    window: Window, pane: SlidingOverlay, qtbot: QtBot
) -> None:
    arrive(pane, qtbot)
    with qtbot.waitSignal(pane.closed):
        QTest.keyClick(content_of(pane).first, Qt.Key.Key_Escape)
    assert not pane.is_open
    assert window.field.hasFocus()


def test_a_click_outside_closes_the_pane_and_nothing_else(
    window: Window, pane: SlidingOverlay, qtbot: QtBot
) -> None:
    under = QPushButton("Under", window)
    under.setGeometry(400, 200, 100, 30)
    under.show()
    arrive(pane, qtbot)
    outside = window.childAt(450, 215)
    assert outside is not None
    with qtbot.waitSignal(pane.closed), qtbot.assertNotEmitted(under.clicked):
        QTest.mouseClick(outside, Qt.MouseButton.LeftButton, pos=QPoint(450, 215))
    assert window.field.hasFocus()
    assert window.childAt(450, 215) is under


def test_a_click_inside_does_not_close_it(pane: SlidingOverlay, qtbot: QtBot) -> None:
    arrive(pane, qtbot)
    with qtbot.waitSignal(content_of(pane).second.clicked):
        QTest.mouseClick(content_of(pane).second, Qt.MouseButton.LeftButton)
    assert pane.is_open


def test_the_keyboard_going_elsewhere_closes_it(window: Window, pane: SlidingOverlay, qtbot: QtBot) -> None:
    arrive(pane, qtbot)
    QTest.keyClick(content_of(pane).first, Qt.Key.Key_Tab)
    assert pane.is_open
    with qtbot.waitSignal(pane.closed):
        window.field.setFocus()
    assert window.field.hasFocus()


def test_another_window_coming_to_the_front_does_not_close_it(pane: SlidingOverlay, qtbot: QtBot) -> None:
    arrive(pane, qtbot)
    content_of(pane).first.clearFocus()
    assert pane.is_open


def test_the_pane_follows_the_window(window: Window, pane: SlidingOverlay, qtbot: QtBot) -> None:
    arrive(pane, qtbot)
    window.resize(700, 380)
    assert pane.geometry().getRect() == (0, 0, 228, 380)
    window.resize(200, 380)
    assert pane.width() == 200


def test_a_mirrored_window_has_it_at_the_right(window: Window, pane: SlidingOverlay, qtbot: QtBot) -> None:
    window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    pane.open()
    qtbot.waitUntil(lambda: pane.x() == window.width() - 228)


def test_what_it_holds_can_be_taken_back(window: Window, pane: SlidingOverlay, qtbot: QtBot) -> None:
    content = content_of(pane)
    assert pane.take_content() is content
    assert pane.take_content() is None
    assert not pane.isAncestorOf(content)
    arrive(pane, qtbot)
    QTest.keyClick(pane, Qt.Key.Key_Escape)
    assert not pane.is_open
    pane.set_content(content)
    arrive(pane, qtbot)
    assert content.isVisible()
