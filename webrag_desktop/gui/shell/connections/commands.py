"""The commands of the window: what they call, the menu that lists them with their keys, and the list of all keys."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, starmap
from typing import Protocol

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QGridLayout,
    QMainWindow,
    QMenu,
    QMessageBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from webrag_desktop.gui.kit.shortcuts import install, keys_of, listed_keys, shown_keys, words_of
from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD, grown
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.kit.theme.tokens import SPACE_L, SPACE_M, SPACE_XL, SPACE_XS
from webrag_desktop.gui.kit.widgets.labels import KeyCap, label
from webrag_desktop.gui.kit.widgets.panes import Panel, row, scroll_area
from webrag_desktop.gui.kit.widgets.popups import open_below
from webrag_desktop.gui.shell.connections.adding import AddingConnections
from webrag_desktop.gui.shell.connections.filtering import FilterConnections
from webrag_desktop.gui.shell.connections.library import COPIED_TIME
from webrag_desktop.gui.shell.connections.maintenance import SafekeepingConnections, StackConnections
from webrag_desktop.gui.shell.connections.questions import QuestionConnections
from webrag_desktop.gui.shell.main_window import LIBRARY, MAP, RESEARCH, MainWindow
from webrag_desktop.version import VERSION

_MOST_HEIGHT = 640


@dataclass(frozen=True, slots=True)
class Command:
    """Something the user can do from anywhere. ``keys`` are in Qt's portable form; the first is shown.

    ``menu`` names the submenu. ``is_on`` tells the state of what is on or off. A command without ``on_trigger`` belongs
    to a pane, which handles its keys: it is listed with the keys, and is in no menu.
    """

    menu: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    on_trigger: Callable[[], object] | None = None
    separated: bool = False
    is_on: Callable[[], bool] | None = None


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
        if command.is_on is not None:
            action.setCheckable(True)
            action.setChecked(command.is_on())
            menu.aboutToShow.connect(lambda action=action, is_on=command.is_on: action.setChecked(is_on()))
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


class SettingCommands(Protocol):
    """The settings, as the menu uses them."""

    def open(self, section: str = "", setting: str = "") -> None:
        """Open the settings, at a section."""


class OpeningCommands(Protocol):
    """The command palette, or the page as it looked, as the menu uses them."""

    def open(self) -> None:
        """Open it; the palette is closed where it is open."""


class QuotingCommands(Protocol):
    """Quotations, as the menu uses them."""

    def ask(self) -> None:
        """Look where the quotation on the clipboard is from."""


class AnsweringCommands(Protocol):
    """Answers, as the menu uses them."""

    def ask_typed(self) -> None:
        """Answer the question in the query box."""

    def open_history(self) -> None:
        """Open the card of earlier questions."""


class WindowCommands(Protocol):
    """The connected window, as its menu and keys have it do something."""

    @property
    def adding(self) -> AddingConnections:
        """Everything by which links and files come in."""

    def retry_all(self) -> None:
        """Try again everything that failed."""

    @property
    def safekeeping(self) -> SafekeepingConnections:
        """Backup, restore and check."""

    @property
    def stack(self) -> StackConnections:
        """What the program runs on."""

    @property
    def settings(self) -> SettingCommands:
        """The settings."""

    @property
    def answering(self) -> AnsweringCommands:
        """Answers and earlier questions."""

    @property
    def filtering(self) -> FilterConnections:
        """What searches are restricted to."""

    @property
    def questions(self) -> QuestionConnections:
        """Questions, and what is kept of them."""

    @property
    def page_looks(self) -> OpeningCommands:
        """Pages as they looked."""

    @property
    def palette(self) -> OpeningCommands:
        """Everything, found by a few letters."""

    @property
    def quotes(self) -> QuotingCommands:
        """Where quotations are from."""

    def show_view(self, view: int) -> None:
        """Go to the Library, the Research view or the Map."""

    def back(self) -> None:
        """Go back to where the user was."""

    def forward(self) -> None:
        """Go forward again."""

    def undo(self) -> None:
        """Take back what was done last."""

    def escape(self) -> None:
        """Close what is open."""


def _with_keys(
    menu: str, command: str, icon: str, do: Callable[[], object], *, separated: bool = False
) -> Command:
    """A command of the table of shortcuts, with its words and keys there."""
    return Command(menu, words_of(command), keys_of("window", command), icon, do, separated)


class Commands(QObject):
    """The commands of one window."""

    def __init__(self, window: MainWindow, does: WindowCommands) -> None:
        super().__init__(window)
        self._window, self._does = window, does
        self._all = [
            *self._file(),
            *self._edit(),
            *self._view(),
            *starmap(Command, listed_keys()),
            *self._help(),
        ]
        self.actions = install_menu(window, window.menu_button, self._all)
        install(window, "window", "escape", does.escape)
        for number in range(1, 10):
            select = partial(window.research.citations.select_number, number)
            for keys in install(window.research, "research", f"number {number}", select):
                keys.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def _file(self) -> list[Command]:
        menu, adding, safekeeping = self.tr("Library"), self._does.adding, self._does.safekeeping
        return [
            _with_keys(menu, "add", "plus", adding.ask),
            _with_keys(menu, "paste", "clipboard-paste", adding.paste),
            _with_keys(menu, "choose_files", "file-up", adding.choose_files),
            _with_keys(menu, "choose_folder", "folder-open", adding.choose_folder),
            Command(menu, self.tr("Import report…"), (), "", adding.show_report),
            Command(menu, self.tr("Retry all that failed"), (), "rotate-cw", self._does.retry_all),
            Command(menu, self.tr("Back up…"), (), "archive", safekeeping.back_up, separated=True),
            Command(menu, self.tr("Restore…"), (), "history", safekeeping.restore),
            Command(menu, self.tr("Check the library…"), (), "shield-check", safekeeping.check),
            _with_keys(menu, "settings", "settings", self._does.settings.open, separated=True),
            Command(
                menu, self.tr("Embedding model…"), (), "cpu", partial(self._does.settings.open, "embedding")
            ),
            _with_keys(menu, "close", "x", self._window.close_asked.emit, separated=True),
        ]

    def _edit(self) -> list[Command]:
        menu, does = self.tr("Edit"), self._does
        return [
            _with_keys(menu, "undo", "", does.undo),
            _with_keys(menu, "find_quote", "scan-text", does.quotes.ask),
        ]

    def _view(self) -> list[Command]:
        menu, does, window = self.tr("Go"), self._does, self._window
        reader = window.research.reader
        return [
            _with_keys(menu, "search", "search", window.query.focus),
            _with_keys(menu, "answer", "", does.answering.ask_typed),
            _with_keys(menu, "history", "history", does.answering.open_history),
            _with_keys(menu, "save_search", "", does.questions.save),
            _with_keys(menu, "filters", "list-filter", does.filtering.choose),
            Command(
                menu,
                self.tr("Results as you type"),
                on_trigger=does.questions.toggle_as_typed,
                is_on=lambda: does.questions.searches_as_typed,
            ),
            Command(menu, self.tr("Clear search history"), on_trigger=does.questions.clear_history),
            _with_keys(menu, "palette", "", does.palette.open),
            _with_keys(menu, "library", "library", lambda: does.show_view(LIBRARY)),
            _with_keys(menu, "research", "text-quote", lambda: does.show_view(RESEARCH)),
            _with_keys(menu, "map", "waypoints", lambda: does.show_view(MAP)),
            _with_keys(menu, "back", "arrow-left", does.back, separated=True),
            _with_keys(menu, "forward", "arrow-right", does.forward),
            _with_keys(menu, "next_pane", "", lambda: self._walk(1), separated=True),
            _with_keys(menu, "previous_pane", "", lambda: self._walk(-1)),
            _with_keys(menu, "sidebar", "panel-left", window.toggle_sidebar),
            _with_keys(menu, "next_match", "arrow-down", reader.next_match, separated=True),
            _with_keys(menu, "previous_match", "arrow-up", reader.previous_match),
            _with_keys(menu, "browse", "external-link", self._browse),
            _with_keys(menu, "page_look", "", does.page_looks.open),
            Command(menu, self.tr("What runs…"), (), "server", does.stack.open, separated=True),
        ]

    def _help(self) -> list[Command]:
        menu = self.tr("Help")
        return [
            _with_keys(menu, "keys", "keyboard", self._show_keys),
            Command(menu, self.tr("About WebRAG Desktop…"), (), "info", self._show_about),
        ]

    def _walk(self, direction: int) -> None:
        """Put the keyboard into the next pane, or the one before."""
        panes = self._window.panes()
        focused = QApplication.focusWidget()
        panes = [pane for pane in panes if self._takes_keyboard(pane)]
        inside = next(
            (
                n
                for n, pane in enumerate(panes)
                if pane is focused or (focused and pane.isAncestorOf(focused))
            ),
            -1,
        )
        self._enter(panes[(inside + direction) % len(panes)])

    @staticmethod
    def _takes_keyboard(pane: QWidget) -> bool:
        return any(
            child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus
            for child in (pane, *pane.findChildren(QWidget))
        )

    def _enter(self, pane: QWidget) -> None:
        window, research = self._window, self._window.research
        lists: dict[QWidget, QWidget] = {
            window.library: window.library,  # it passes the keyboard on
            window.sidebar: window.sidebar.list,
            research.answer: research.answer.text,
            research.results: research.results.list,
            research.citations: research.citations.list,
            research.reader: research.reader,  # it passes the keyboard on to the text
            research.related: research.related.list,
        }
        if window.view == MAP:
            lists[window.map.lists_pane] = window.map.first_list
        if pane is window.query:
            window.query.focus()
            return
        wanted = lists.get(pane)
        if wanted is not None and wanted.isVisible():
            wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        if pane.focusPolicy() & Qt.FocusPolicy.TabFocus:
            pane.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        for child in pane.findChildren(QWidget):
            if child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus:
                child.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return

    def _browse(self) -> None:
        """Open what is read in the browser, or say that there is no page of it."""
        reader = self._window.research.reader
        if self._window.view == RESEARCH and reader.has_original:
            reader.open_original()
        else:
            self._window.toasts.show_notice(
                self.tr("The reader shows no page that the browser can open."), milliseconds=COPIED_TIME
            )

    def _show_keys(self) -> None:
        KeysDialog(self._all, self._window).open()

    def _show_about(self) -> None:
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(self.tr("About"))
        box.setText(self.tr("WebRAG Desktop {0}").format(VERSION))
        box.setInformativeText(
            self.tr(
                "A personal research memory that stays on this computer. Licence: Apache 2.0. It builds on Qt "
                "(LGPL), PostgreSQL, pgvector and other free software; the licences are shipped with the program."
            )
        )
        box.open()
