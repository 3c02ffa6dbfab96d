"""The menu behind the button, the keys of its commands, and the list of all keys."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMainWindow, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from webrag_desktop.gui.kit.shortcuts import shown_keys
from webrag_desktop.gui.kit.widgets.buttons import tool_button
from webrag_desktop.gui.kit.widgets.labels import KeyCap
from webrag_desktop.gui.kit.widgets.panes import column
from webrag_desktop.gui.shell.connections.commands import Command, KeysDialog, install_menu

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
CONTROL = Qt.KeyboardModifier.ControlModifier


class Asked(QObject):
    closed = Signal()


class Shown(QMainWindow):
    """A window with a menu button, a list-like pane and a field."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []
        self.asked = Asked()
        self.asked.closed.connect(lambda: self.done.append("close"))
        self.button = tool_button("menu", "Menu", "F10")
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.pane, self.field = QWidget(), QLineEdit()
        self.pane.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        central = QWidget()
        lines = column(central)
        for widget in (self.button, self.pane, self.field):
            lines.addWidget(widget)
        self.setCentralWidget(central)
        self.commands = [
            Command("Library", "Add…", ("Ctrl+N",), "plus", lambda: self.done.append("add")),
            Command("Library", "Close", ("Ctrl+Q",), "", self.asked.closed.emit, separated=True),
            Command("Go", "Search", ("Ctrl+L", "/"), "search", lambda: self.done.append("search")),
            Command("In a list", "Cite", ("C",)),
            Command("Help", "Keyboard…", ("F1",), "keyboard", self.show_keys),
        ]

    def show_keys(self, *reported: object) -> None:
        assert reported == ()
        self.done.append("keys")


@pytest.fixture
def window(qtbot: QtBot, application: QApplication, monkeypatch: pytest.MonkeyPatch) -> Shown:
    monkeypatch.setattr("webrag_desktop.gui.shell.connections.commands.sys.platform", "linux")
    made = Shown()
    qtbot.addWidget(made)
    install_menu(made, made.button, made.commands)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.pane.setFocus()
    return made


def texts(window: Shown) -> dict[str, list[str]]:
    """The submenus with their lines; a separator is a dash."""
    menus_shown = {}
    for entry in window.button.menu().actions():
        menu = entry.menu()
        assert isinstance(menu, QMenu)
        menus_shown[entry.text()] = ["-" if one.isSeparator() else one.text() for one in menu.actions()]
    return menus_shown


def test_every_command_of_the_window_is_in_a_menu_and_those_of_panes_are_not(window: Shown) -> None:
    assert texts(window) == {"Library": ["Add…", "-", "Close"], "Go": ["Search"], "Help": ["Keyboard…"]}


@pytest.mark.parametrize(
    ("key", "modifier", "done"),
    [
        (Qt.Key.Key_N, CONTROL, "add"),
        (Qt.Key.Key_Q, CONTROL, "close"),
        (Qt.Key.Key_L, CONTROL, "search"),
        (Qt.Key.Key_Slash, Qt.KeyboardModifier.NoModifier, "search"),
        (Qt.Key.Key_F1, Qt.KeyboardModifier.NoModifier, "keys"),
    ],
)
def test_each_key_works_wherever_the_keyboard_is(
    window: Shown, key: Qt.Key, modifier: Qt.KeyboardModifier, done: str
) -> None:
    QTest.keyClick(window.pane, key, modifier)
    assert window.done == [done]


def test_a_letter_goes_into_a_field_that_is_typed_in(window: Shown) -> None:
    window.field.setFocus()
    QTest.keyClicks(window.field, "a/b")
    assert window.field.text() == "a/b"
    assert window.done == []


def test_a_line_of_the_menu_does_what_its_key_does(window: Shown) -> None:
    for action in window.actions():
        action.trigger()
    assert window.done == ["add", "close", "search", "keys"]


def test_f10_opens_the_menu_and_the_arrows_walk_it(window: Shown, qtbot: QtBot) -> None:
    QTest.keyClick(window.pane, Qt.Key.Key_F10)
    menu = window.button.menu()
    qtbot.waitUntil(menu.isVisible)
    assert menu.activeAction().text() == "Library"
    QTest.keyClick(menu, Qt.Key.Key_Down)
    assert menu.activeAction().text() == "Go"
    QTest.keyClick(menu, Qt.Key.Key_Right)
    go = menu.activeAction().menu()
    assert isinstance(go, QMenu)
    qtbot.waitUntil(go.isVisible)
    QTest.keyClick(go, Qt.Key.Key_Return)
    assert window.done == ["search"]
    qtbot.waitUntil(lambda: not menu.isVisible())


def test_macos_has_its_menu_bar(
    qtbot: QtBot, application: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webrag_desktop.gui.shell.connections.commands.sys.platform", "darwin")
    window = Shown()
    qtbot.addWidget(window)
    install_menu(window, window.button, window.commands)
    assert [action.text() for action in window.menuBar().actions()] == ["Library", "Go", "Help"]
    assert window.button.isHidden()


def test_the_list_of_keys_has_all_of_them_by_what_they_are_for(window: Shown, qtbot: QtBot) -> None:
    dialog = KeysDialog(window.commands, window)
    dialog.open()
    qtbot.waitUntil(dialog.isVisible)
    words = [one.text() for one in dialog.findChildren(QLabel)]
    assert words == ["Library", "Add…", "Close", "Go", "Search", "In a list", "Cite", "Help", "Keyboard…"]
    assert len(dialog.findChildren(KeyCap)) == 6
    spoken = [one.accessibleName() for one in dialog.findChildren(QLabel)]
    assert f"Search: {shown_keys('Ctrl+L')}, /" in spoken
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not isValid(dialog))


def test_a_command_without_keys_is_not_listed(window: Shown, qtbot: QtBot) -> None:
    dialog = KeysDialog([Command("Help", "About…", (), "", lambda: None)], window)
    qtbot.addWidget(dialog)
    assert dialog.findChildren(QLabel) == []


@pytest.mark.parametrize("dark", [False, True])
def test_pictures(
    window: Shown,
    qtbot: QtBot,
    themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path],
    dark: bool,
) -> None:
    themed(dark)
    dialog = KeysDialog(window.commands, window)
    qtbot.addWidget(dialog)
    dialog.show()
    picture(dialog, "keys-dialog-dark" if dark else "keys-dialog")
