"""What the menu and the keyboard offer everywhere in the window."""

from collections.abc import Callable
from functools import partial
from itertools import starmap
from typing import Protocol

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from webrag_desktop.gui.kit.shortcuts import install, keys_of, listed_keys, words_of
from webrag_desktop.gui.shell.connections.adding import AddingConnections
from webrag_desktop.gui.shell.connections.library import COPIED_TIME
from webrag_desktop.gui.shell.connections.maintenance import SafekeepingConnections, StackConnections
from webrag_desktop.gui.shell.main_window import LIBRARY, MAP, RESEARCH, MainWindow
from webrag_desktop.gui.shell.menus import Command, KeysDialog, install_menu
from webrag_desktop.version import VERSION


class MovingCommands(Protocol):
    """The embedding space, as the menu asks for it."""

    def ask(self) -> None:
        """Compare the library with the embedding model that the settings ask for."""


class FilteringCommands(Protocol):
    """The filters, as the menu asks for them."""

    def choose(self) -> None:
        """Open the card in which filters are chosen."""


class QuotingCommands(Protocol):
    """Quotations, as the menu asks for them."""

    def ask(self) -> None:
        """Look where the quotation on the clipboard is from."""


class AnsweringCommands(Protocol):
    """Answers, as the menu asks for them."""

    def ask_typed(self) -> None:
        """Answer the question in the query box."""

    def open_history(self) -> None:
        """Open the card of earlier questions."""


class WindowCommands(Protocol):
    """The connected window, as its menu and keys have it do something."""

    @property
    def adding(self) -> AddingConnections:
        """Everything by which links and files come in."""

    @property
    def safekeeping(self) -> SafekeepingConnections:
        """Backup, restore and check."""

    @property
    def stack(self) -> StackConnections:
        """What the program runs on."""

    @property
    def moving(self) -> MovingCommands:
        """Moving to another embedding space."""

    @property
    def answering(self) -> AnsweringCommands:
        """Answers and the questions asked before."""

    @property
    def filtering(self) -> FilteringCommands:
        """What searches are restricted to."""

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
            Command(menu, self.tr("Back up…"), (), "archive", safekeeping.back_up, separated=True),
            Command(menu, self.tr("Restore…"), (), "history", safekeeping.restore),
            Command(menu, self.tr("Check the library…"), (), "shield-check", safekeeping.check),
            Command(menu, self.tr("Embedding model…"), (), "", self._does.moving.ask),
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
            _with_keys(menu, "filters", "list-filter", does.filtering.choose),
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
            window.map.lists_pane: window.map.first_list,
            research.answer: research.answer.text,
            research.results: research.results.list,
            research.citations: research.citations.list,
            research.reader: research.reader,  # it passes the keyboard on to the text
        }
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
