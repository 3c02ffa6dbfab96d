"""The window's commands: each one in the menu, with its key; and the list of all keys."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QMainWindow,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from webrag_desktop.gui.kit.shortcuts import install, shown_keys
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.icons import icon
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_XL, SPACE_XS
from webrag_desktop.gui.kit.widgets.labels import KeyCap, label
from webrag_desktop.gui.kit.widgets.panes import Panel, row, scroll_area
from webrag_desktop.gui.kit.widgets.popups import open_below

_MOST_HEIGHT = 640


@dataclass(frozen=True, slots=True)
class Command:
    """Something the user can do from anywhere. ``keys`` are in Qt's portable form; the first is shown.

    ``menu`` names the submenu. A command without ``on_trigger`` belongs to a pane, which handles its keys: it is
    listed with the keys, and stands in no menu.
    """

    menu: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    on_trigger: Callable[[], object] | None = None
    separated: bool = False


def install_menu(window: QMainWindow, button: QToolButton, commands: Sequence[Command]) -> list[QAction]:
    """Put the commands into the menu bar on macOS, elsewhere behind ``button``; their keys work in the whole window."""
    made: list[QAction] = []
    native = sys.platform == "darwin"
    behind = QMenu(window)
    for title, group in groupby((one for one in commands if one.on_trigger), key=lambda one: one.menu):
        menu = window.menuBar().addMenu(title) if native else behind.addMenu(title)
        made += list(_actions(window, menu, list(group)))
    window.addActions(made)
    button.setVisible(not native)
    button.setMenu(behind)
    if not native:
        install(window, "window", "menu", lambda: _open(behind, button))
    return made


def _open(menu: QMenu, button: QToolButton) -> None:
    """Open the menu under its button, the keyboard on its first line."""
    open_below(menu, button, keep=True)
    menu.setActiveAction(menu.actions()[0])


def _actions(window: QMainWindow, menu: QMenu, commands: Sequence[Command]) -> Iterator[QAction]:
    for command in commands:
        if command.separated:
            menu.addSeparator()
        action = QAction(command.text, window)
        action.setShortcuts([QKeySequence(keys) for keys in command.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        if command.icon:
            action.setIcon(icon(command.icon))
        action.setShortcutVisibleInContextMenu(True)  # the menu behind the button counts as one
        if command.on_trigger is not None:
            # Without the state of a check mark, which Qt passes and not every callable takes.
            action.triggered.connect(lambda _checked=False, do=command.on_trigger: do())
        menu.addAction(action)
        yield action


class KeysDialog(QDialog):
    """Every key, by what it is for."""

    def __init__(self, commands: Sequence[Command], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        inside = Panel("raised")
        grid = QGridLayout(inside)
        grid.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_XL)
        grid.setHorizontalSpacing(SPACE_XL)
        grid.setVerticalSpacing(SPACE_M)
        grid.setColumnStretch(0, 1)
        for title, group in groupby((one for one in commands if one.keys), key=lambda one: one.menu):
            top = grid.rowCount()
            grid.addWidget(label(title, "small", "text3", SEMIBOLD), top, 0, 1, 2)
            for line, command in enumerate(group, top + 1):
                self._add_line(grid, line, command)
        area = scroll_area(inside, name=self.tr("All keys"), focusable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        self.resize(
            inside.sizeHint().width() + 2 * SPACE_XL, min(inside.sizeHint().height(), grown(_MOST_HEIGHT))
        )

    @staticmethod
    def _add_line(grid: QGridLayout, line: int, command: Command) -> None:
        text = label(command.text, "body", "text")
        text.setAccessibleName(f"{command.text}: {', '.join(map(shown_keys, command.keys))}")
        grid.addWidget(text, line, 0)
        caps = row(spacing=SPACE_XS)
        caps.addStretch(1)
        for keys in command.keys:
            caps.addWidget(KeyCap(shown_keys(keys)))
        grid.addLayout(caps, line, 1)
