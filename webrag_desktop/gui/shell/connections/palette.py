"""The command palette connected: what it offers, and what running a line of it does."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from webrag_desktop.gui.data.library import KIND_ICONS
from webrag_desktop.gui.data.questions import PastSearch, SavedSearch
from webrag_desktop.gui.data.view_data import DocumentRow, Failure, LibraryFigures, Listing
from webrag_desktop.gui.kit.quantities import documents
from webrag_desktop.gui.kit.shortcuts import key_of
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import MainWindow
from webrag_desktop.gui.shell.palette_rows import PREFIXES, PaletteEntry
from webrag_desktop.models.sources import Group

if TYPE_CHECKING:
    from webrag_desktop.gui.shell.palette import CommandPalette


class Opening(Protocol):
    """Where what is chosen is opened."""

    def read_or_select(self, row: DocumentRow) -> None:
        """Read a document, or select it in the library while there is no text."""

    def show_listing(self, listing: Listing) -> None:
        """List a part of the library."""

    def search(self, text: str) -> None:
        """Search the library."""

    def search_again(self, past: PastSearch) -> None:
        """Search for what was searched for before, within what it was restricted to."""


class PaletteConnections(QObject):
    """Made with the window; the palette itself is made when it is first opened."""

    def __init__(self, window: MainWindow, operations: Operations, opening: Opening) -> None:
        """Everything that is chosen is opened by ``opening``."""
        super().__init__(window)
        self._window, self._do, self._opening = window, operations, opening
        self._figures = LibraryFigures()
        self._menus: list[QMenu] = []
        self._palette: CommandPalette | None = None
        operations.documents.figures.connect(self._note_figures)
        self._past: tuple[PastSearch, ...] = ()
        self._saved: tuple[SavedSearch, ...] = ()
        operations.kept.history.connect(self._note_past)
        operations.kept.saved.connect(self._note_saved)
        operations.finding.documents.connect(self._offer_documents)
        operations.finding.failed.connect(self._offer_failure)

    @property
    def palette(self) -> "CommandPalette":
        """The palette, made when it is first used: a window starts without it."""
        if self._palette is None:
            from webrag_desktop.gui.shell.palette import CommandPalette

            self._palette = CommandPalette(self._window)
            self._palette.recent = self._window.recently_run
            self._palette.ran.connect(self._note_recent)
            self._palette.typed.connect(self._type)
        return self._palette

    def open(self) -> None:
        """Open the palette, or close it where it is open."""
        if self.palette.is_open:
            self.palette.dismiss()
            return
        self._drop_menus()
        commands = [*self._window_commands(), *self._pane_commands()]
        self.palette.open()
        self.palette.offer("commands", commands)
        self.palette.offer("listings", list(self._listings()))
        self.palette.offer("searches", list(self._searches()))
        self._type("")

    def _type(self, typed: str) -> None:
        text = typed.strip()
        self.palette.offer("search", list(self._search(text)))
        if text[:1] not in PREFIXES:
            self._do.finding.find(text)

    # -- Commands ---------------------------------------------------------------------------------------------

    def _window_commands(self) -> Iterator[PaletteEntry]:
        for action in self._window.actions():
            menus = [one for one in action.associatedObjects() if isinstance(one, QMenu)]
            if menus and _can_run(action):
                yield self._command(action, action.text(), menus[0].title())

    def _pane_commands(self) -> Iterator[PaletteEntry]:
        """What the menus of the shown panes offer now: of their current rows, and of the panes as a whole."""
        for pane, menu in self._window.menus():
            self._menus.append(menu)
            yield from self._entries_of(menu, pane, menu.title())

    def _entries_of(self, menu: QMenu, pane: str, above: str) -> Iterator[PaletteEntry]:
        for action in menu.actions():
            words = f"{above}: {action.text()}" if above else action.text()
            below = action.menu()
            if isinstance(below, QMenu):
                yield from self._entries_of(below, pane, words)
            elif _can_run(action):
                yield self._command(action, words, pane)

    def _command(self, action: QAction, words: str, menu: str) -> PaletteEntry:
        text, keys = words.replace("&&", "&"), action.shortcut().toString()
        return PaletteEntry(
            f"command:{menu}/{text}", "commands", text, action.trigger, menu, keys, action.icon()
        )

    def _note_recent(self) -> None:
        self._window.recently_run = self.palette.recent

    def _drop_menus(self) -> None:
        """The menus of panes live until the palette is opened again: what is run may use them."""
        for menu in self._menus:
            menu.deleteLater()
        self._menus = []

    # -- The library ------------------------------------------------------------------------------------------

    def _note_figures(self, figures: LibraryFigures) -> None:
        self._figures = figures

    def _offer_documents(self, rows: Sequence[DocumentRow]) -> None:
        self.palette.offer("documents", [self._document(one) for one in rows])

    def _document(self, row: DocumentRow) -> PaletteEntry:
        return PaletteEntry(
            f"document:{row.id}", "documents", row.title, lambda: self._opening.read_or_select(row), row.place,
            icon=icon(KIND_ICONS[row.kind]), fitting=True,
        )  # fmt: skip

    def _offer_failure(self, failure: Failure) -> None:
        report: Callable[[], object] = partial(self._window.errors.report, failure)
        self.palette.offer("documents", [
            PaletteEntry("failure", "documents", failure.message, report, icon=icon("circle-alert"), fitting=True)
        ])  # fmt: skip

    def _listings(self) -> Iterator[PaletteEntry]:
        """Every part of the library that the sidebar can list."""
        groups: tuple[tuple[Group, str, str, int], ...] = (
            ("all", self.tr("All documents"), "library", self._figures.documents),
            ("inbox", self.tr("Inbox"), "inbox", self._figures.inbox),
            ("opened", self.tr("Recently opened"), "history", self._figures.opened),
            ("attention", self.tr("Needs attention"), "circle-alert", self._figures.attention),
            ("bin", self.tr("Bin"), "trash-2", self._figures.removed),
        )  # fmt: skip
        for group, name, drawing, count in groups:
            if count:
                yield self._listing(Listing(group), "group", name, documents(count), drawing)
        for entry in self._figures.collections:
            listed = Listing("collection", collection=entry.id)
            said = self.tr("Collection, {0}").format(documents(entry.documents))
            yield self._listing(listed, "collection", entry.name, said, "folder")
        for tag in self._figures.tags:
            said = self.tr("Tag, {0}").format(documents(tag.documents))
            yield self._listing(Listing("tag", tag=tag.tag), "tag", tag.tag, said, "tag")
        for one in self._figures.sites:
            said = self.tr("Site, {0}").format(documents(one.documents))
            yield self._listing(Listing("site", site=one.site), "site", one.site, said, "globe")

    def _listing(self, listing: Listing, kind: str, name: str, detail: str, drawing: str) -> PaletteEntry:
        key, show = f"{kind}:{listing.collection or name}", partial(self._opening.show_listing, listing)
        return PaletteEntry(
            key, "listings", name, show, detail,
            icon=icon(drawing), kind=kind,
        )  # fmt: skip

    def _note_past(self, past: tuple[PastSearch, ...]) -> None:
        self._past = past

    def _note_saved(self, saved: tuple[SavedSearch, ...]) -> None:
        self._saved = saved

    def _searches(self) -> Iterator[PaletteEntry]:
        """Those with a name, then the others, newest first."""
        for one in self._saved:
            run = partial(self._do.kept.open, one.id)
            yield PaletteEntry(
                f"saved:{one.id}", "searches", one.name, run, one.question, icon=icon("bookmark")
            )
        for past in self._past:
            within = self.tr("within filters") if past.filters else ""
            again = partial(self._opening.search_again, past)
            yield PaletteEntry(
                f"past:{past.id}", "searches", past.question, again, within, icon=icon("history")
            )

    def _search(self, text: str) -> Iterator[PaletteEntry]:
        if text and text[:1] not in PREFIXES:
            words = self.tr("Search the library for “{0}”").format(text)
            yield PaletteEntry(
                "search", "search", words, partial(self._opening.search, text), "", key_of("palette", "search"),
                icon("search"),
            )  # fmt: skip


def _can_run(action: QAction) -> bool:
    return action.isEnabled() and action.isVisible() and not action.isSeparator()
