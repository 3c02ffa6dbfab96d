"""What the menu and the keyboard offer everywhere in the window."""

from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from webrag_desktop.gui.citations.quote_dialog import PASTE_KEYS
from webrag_desktop.gui.kit.widgets.link_copying import COPY_LINK_KEYS, copy_link_words
from webrag_desktop.gui.reader.header import BROWSER_KEY
from webrag_desktop.gui.shell.connections.adding import AddingConnections
from webrag_desktop.gui.shell.connections.library import COPIED_TIME
from webrag_desktop.gui.shell.connections.safekeeping import SafekeepingConnections
from webrag_desktop.gui.shell.connections.stack import StackConnections
from webrag_desktop.gui.shell.main_window import LIBRARY, MAP, RESEARCH, MainWindow
from webrag_desktop.gui.shell.menus import Command, KeysDialog, install_menu
from webrag_desktop.version import VERSION


class MovingCommands(Protocol):
    """The embedding space, as the menu asks for it."""

    def ask(self) -> None:
        """Look how the library stands with the embedding model that the settings ask for."""


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
        """Have what stands in the query box answered."""

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


class Commands(QObject):
    """The commands of one window."""

    def __init__(self, window: MainWindow, does: WindowCommands) -> None:
        super().__init__(window)
        self._window, self._does = window, does
        self._all = [*self._file(), *self._edit(), *self._view(), *self._panes(), *self._help()]
        self.actions = install_menu(window, window.menu_button, self._all)
        QShortcut(QKeySequence("Esc"), window, does.escape)
        for number in range(1, 10):
            keys = QShortcut(QKeySequence(str(number)), window.research)
            keys.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            keys.activated.connect(partial(window.research.citations.select_number, number))

    def _file(self) -> list[Command]:
        menu, adding, safekeeping = self.tr("Library"), self._does.adding, self._does.safekeeping
        return [
            Command(menu, self.tr("Add links or files…"), ("Ctrl+N",), "plus", adding.ask),
            Command(menu, self.tr("Paste links"), ("Ctrl+V",), "clipboard-paste", adding.paste),
            Command(menu, self.tr("Choose files…"), ("Ctrl+O",), "file-up", adding.choose_files),
            Command(
                menu, self.tr("Choose a folder…"), ("Ctrl+Shift+O",), "folder-open", adding.choose_folder
            ),
            Command(menu, self.tr("Back up…"), (), "archive", safekeeping.back_up, separated=True),
            Command(menu, self.tr("Restore…"), (), "history", safekeeping.restore),
            Command(menu, self.tr("Check the library…"), (), "shield-check", safekeeping.check),
            Command(menu, self.tr("Embedding model…"), (), "", self._does.moving.ask),
            Command(menu, self.tr("Close"), ("Ctrl+Q",), "x", self._window.close_asked.emit, separated=True),
        ]

    def _edit(self) -> list[Command]:
        menu, quotes = self.tr("Edit"), self._does.quotes
        return [
            Command(menu, self.tr("Undo"), ("Ctrl+Z",), "", self._does.undo),
            Command(menu, self.tr("Where is this from?…"), (PASTE_KEYS,), "scan-text", quotes.ask),
        ]

    def _view(self) -> list[Command]:
        menu, does, window = self.tr("Go"), self._does, self._window
        reader = window.research.reader
        return [
            Command(menu, self.tr("Search"), ("Ctrl+L", "/"), "search", window.query.focus),
            Command(
                menu,
                self.tr("Answer the question"),
                ("Ctrl+Return", "Ctrl+Enter"),
                "",
                does.answering.ask_typed,
            ),
            Command(menu, self.tr("Earlier questions…"), ("Ctrl+H",), "history", does.answering.open_history),
            Command(menu, self.tr("Filters…"), ("Ctrl+Shift+F",), "list-filter", does.filtering.choose),
            Command(menu, self.tr("Library"), ("Ctrl+1",), "library", lambda: does.show_view(LIBRARY)),
            Command(menu, self.tr("Research"), ("Ctrl+2",), "text-quote", lambda: does.show_view(RESEARCH)),
            Command(menu, self.tr("Map"), ("Ctrl+3",), "waypoints", lambda: does.show_view(MAP)),
            Command(menu, self.tr("Back"), ("Alt+Left",), "arrow-left", does.back, separated=True),
            Command(menu, self.tr("Forward"), ("Alt+Right",), "arrow-right", does.forward),
            Command(menu, self.tr("Next pane"), ("F6",), "", lambda: self._walk(1), separated=True),
            Command(menu, self.tr("Previous pane"), ("Shift+F6",), "", lambda: self._walk(-1)),
            Command(menu, self.tr("Sidebar"), ("F9",), "panel-left", window.toggle_sidebar),
            Command(menu, self.tr("Next match"), ("F3",), "arrow-down", reader.next_match, separated=True),
            Command(menu, self.tr("Previous match"), ("Shift+F3",), "arrow-up", reader.previous_match),
            Command(
                menu,
                self.tr("Open in browser"),
                (BROWSER_KEY,),
                "external-link",
                self._browse,
            ),
            Command(menu, self.tr("What runs…"), (), "server", does.stack.open, separated=True),
        ]

    def _panes(self) -> list[Command]:
        """Keys that the panes handle themselves; they are told here so that one can learn them."""
        lists, reader, answer = self.tr("In a list"), self.tr("In the reader"), self.tr("In an answer")
        maps = self.tr("In a list of the map")
        return [
            Command(lists, self.tr("Next, previous"), ("Down", "Up", "J", "K")),
            Command(lists, self.tr("Open in the reader"), ("Return",)),
            Command(lists, self.tr("Preview a passage in the reader"), ("Space",)),
            Command(lists, self.tr("Cite a passage, or take the citation back"), ("C",)),
            Command(lists, self.tr("Copy quote"), ("Ctrl+C",)),
            Command(lists, self.tr("Copy quote with reference"), ("Ctrl+Shift+C",)),
            Command(lists, copy_link_words(), (COPY_LINK_KEYS,)),
            Command(lists, self.tr("Go to citation 1 to 9, in the Research view"), ("1", "9")),
            Command(lists, self.tr("Move a citation"), ("Alt+Up", "Alt+Down")),
            Command(lists, self.tr("Tags and collections of documents"), ("T",)),
            Command(lists, self.tr("Remove"), ("Del",)),
            Command(maps, self.tr("Tick a page to fetch, or take the tick away"), ("Space",)),
            Command(maps, self.tr("Larger, smaller, fit to the window"), ("+", "-", "0")),
            Command(
                answer, self.tr("Next, previous citation or mark"), ("Tab", "Shift+Tab", "Right", "Left")
            ),
            Command(answer, self.tr("Show the sentence in the reader"), ("Space",)),
            Command(answer, self.tr("Open the sentence in the reader"), ("Return",)),
            Command(answer, self.tr("Go to number 1 to 9 of the answer"), ("1", "9")),
            Command(answer, self.tr("Cite the sentence, or take the citation back"), ("C",)),
            Command(answer, self.tr("Copy the selection, or the quote"), ("Ctrl+C",)),
            Command(answer, self.tr("Copy the WebRAG link of the sentence"), (COPY_LINK_KEYS,)),
            Command(answer, self.tr("Stop writing"), ("Esc",)),
            Command(reader, self.tr("Find in this text"), ("Ctrl+F",)),
            Command(reader, self.tr("Next page, previous page"), ("Space", "Shift+Space")),
            Command(reader, self.tr("Larger, smaller"), ("Ctrl++", "Ctrl+-")),
            Command(reader, self.tr("Cite selection"), ("C",)),
            Command(reader, self.tr("Copy the WebRAG link of the selection"), (COPY_LINK_KEYS,)),
            Command(reader, self.tr("Next link, previous link; Enter follows it"), ("L", "Shift+L")),
            Command(reader, self.tr("Close, stop, then back to the results"), ("Esc",)),
        ]

    def _help(self) -> list[Command]:
        menu = self.tr("Help")
        return [
            Command(menu, self.tr("Keyboard…"), ("F1",), "keyboard", self._show_keys),
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
