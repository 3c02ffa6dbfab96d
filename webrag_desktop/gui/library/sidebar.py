"""The sidebar: what the library is ordered by, each with its number of documents; the selected one is listed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast
from uuid import UUID

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from webrag_desktop.gui.data.questions import SavedSearch
from webrag_desktop.gui.data.view_data import LibraryFigures, Listing
from webrag_desktop.gui.kit.shortcuts import key_of as shown_key
from webrag_desktop.gui.kit.theme.painting import icon
from webrag_desktop.gui.kit.theme.tokens import COLLECTION_ROLES
from webrag_desktop.gui.kit.widgets.panes import Panel, column
from webrag_desktop.gui.kit.widgets.popups import add_command, open_for_row
from webrag_desktop.gui.library.sidebar_model import Entry, EntryKind, Key, SidebarModel, key_of
from webrag_desktop.gui.library.sidebar_tree import SidebarTree
from webrag_desktop.models.sources import COLLECTION_COLOURS, CollectionColour, Group, SortKey

# Groups with an order of their own: what was opened, or removed, last comes first.
_OWN_ORDERS: dict[Group, SortKey] = {"opened": "opened", "bin": "removed"}
_LAYOUT = "sidebar_closed"


class Sidebar(Panel):
    """Shows what the library is ordered by, and emits what is to be listed and changed. It changes nothing itself."""

    listing_chosen = Signal(object)  # Listing
    collection_wanted = Signal(
        str, object
    )  # a name for a new collection; UUID of the one that it goes into, or None
    collection_renamed = Signal(object, str)  # UUID, name
    collection_nested = Signal(object, object)  # UUID; UUID of the one that it goes into, or None for the top
    collection_coloured = Signal(object, object)  # UUID, CollectionColour | None
    collection_deleted = Signal(object)  # UUID
    documents_dropped = Signal(object, object)  # tuple[UUID, ...], UUID of a collection
    search_opened = Signal(object)  # UUID
    search_renamed = Signal(object, str)  # UUID, name
    search_deleted = Signal(object)  # UUID

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("sidebar", parent=parent)
        self._listing: Listing | None = Listing()
        self._order = Listing()
        self._showing = False
        self._waiting: LibraryFigures | None = None  # while a name is being typed
        self._to_name: UUID | None = None  # a collection that was just made
        self.entries = SidebarModel(self)
        self.list = SidebarTree(self.entries, self)
        column(self, (0, 6, 0, 6)).addWidget(self.list)
        self._connect()
        self._select(("all", None))

    def _connect(self) -> None:
        tree = self.list
        tree.selectionModel().currentChanged.connect(self._choose)
        tree.used.connect(self._use)
        tree.command.connect(self._run)
        tree.menu_requested.connect(self._open_menu)
        tree.new_requested.connect(self.make_collection)
        tree.collapsed.connect(lambda index: self.entries.set_closed(index, True))
        tree.expanded.connect(lambda index: self.entries.set_closed(index, False))
        tree.documents_dropped.connect(self.documents_dropped)
        tree.collection_dropped.connect(self.collection_nested)
        tree.delegate.closeEditor.connect(lambda *_: self._end_naming())
        self.entries.rename_wanted.connect(self._rename)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the keyboard on to the list. A focus proxy would do so too, but Tab would skip it."""
        self.list.setFocus(event.reason())

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_figures(self, figures: LibraryFigures) -> None:
        """Show how many documents there are, once no name is being typed."""
        if self.list.state() == QAbstractItemView.State.EditingState:
            self._waiting = figures
            return
        self._change(lambda: self.entries.show_figures(figures))
        made = self.entries.index_of(("collection", self._to_name))
        if self._to_name is not None and made.isValid():
            self._to_name = None
            self._name(made)

    def show_saved_searches(self, searches: Sequence[SavedSearch]) -> None:
        """Show these saved searches in their order."""
        self._change(lambda: self.entries.show_searches(searches))

    def set_current(self, listing: Listing | None) -> None:
        """Mark what is listed; None where the view shows no list of documents."""
        self._listing = listing
        if listing is not None:
            if listing.group not in _OWN_ORDERS:
                self._order = listing
            self._change(lambda: self.entries.keep(key_of(listing)))
        else:
            self._select(None)

    @property
    def order(self) -> Listing:
        """How lists are sorted and grouped that have no order of their own."""
        return Listing(
            sort=self._order.sort, descending=self._order.descending, grouping=self._order.grouping
        )

    def name_next(self, collection: UUID) -> None:
        """Have the user name a collection that was just made, once it is shown."""
        self._to_name = collection

    def aim(self, place: QPoint | None) -> tuple[UUID, str] | None:
        """Mark the collection at a place of the screen, on which something may be dropped; its id and name."""
        viewport = self.list.viewport()
        point = viewport.mapFromGlobal(place) if place is not None and viewport.isVisible() else None
        collection = self.list.collection_at(point) if point and viewport.rect().contains(point) else None
        self.list.aim(collection)
        if collection is None:
            return None
        return collection, self.entries.entry(self.entries.index_of(("collection", collection))).name

    def _change(self, change: Callable[[], None]) -> None:
        """Change lines; the current one stays current, and folded in what was."""
        self._showing = True
        change()
        closed = set(self.entries.closed)
        for index, collection in self.entries.parents():
            self.list.setExpanded(index, collection not in closed)
        self._showing = False
        if self._listing is not None:
            self._select(key_of(self._listing))

    def _select(self, key: Key | None) -> None:
        self._showing = True
        index = self.entries.index_of(key) if key is not None else QModelIndex()
        if not index.isValid():
            self.list.selectionModel().clearSelection()
        elif self.list.currentIndex() != index or not self.list.selectionModel().hasSelection():
            flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.list.selectionModel().setCurrentIndex(index, flag)
        self._showing = False

    def _mark(self) -> None:
        """Select what is listed, wherever the keyboard is."""
        index = self.entries.index_of(key_of(self._listing)) if self._listing is not None else QModelIndex()
        if index.isValid():
            self.list.selectionModel().select(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    # -- Choosing ---------------------------------------------------------------------------------------------

    def _choose(self, index: QModelIndex) -> None:
        """List what the keyboard or the mouse came to."""
        if not self._showing and index.isValid():
            self._list(self.entries.entry(index))

    def _use(self, index: QModelIndex) -> None:
        """Fold where the line folds, open a search, make a collection; else list it, if something else is listed."""
        if not index.isValid():
            return
        entry = self.entries.entry(index)
        if entry.kind is EntryKind.MORE:
            self._turn(entry)
        elif entry.kind is EntryKind.NEW:
            self.make_collection()
        elif entry.kind is EntryKind.SEARCH:
            self.search_opened.emit(entry.key[1])
        else:
            self._list(entry)

    def _list(self, entry: Entry) -> None:
        if entry.kind not in {EntryKind.GROUP, EntryKind.COLLECTION}:
            self._mark()
            return
        wanted = self._listing_of(entry)
        if wanted != self._listing:
            self._listing = wanted
            self.listing_chosen.emit(wanted)

    def _listing_of(self, entry: Entry) -> Listing:
        group, whose = cast("Group", entry.key[0]), entry.key[1]
        wanted = replace(self._order, group=group, site=None, collection=entry.collection, tag=None)
        if group in _OWN_ORDERS:
            return replace(wanted, sort=_OWN_ORDERS[group], descending=True)
        if isinstance(whose, str):
            wanted = replace(wanted, tag=whose) if group == "tag" else replace(wanted, site=whose)
        self._order = wanted
        return wanted

    def _turn(self, entry: Entry) -> None:
        """Fold, and leave the keyboard on the line that folds."""
        self._change(lambda: self.entries.turn(str(entry.key[1])))
        self._showing = True
        index = self.entries.index_of(entry.key)
        if index.isValid():
            keep = QItemSelectionModel.SelectionFlag.NoUpdate
            self.list.selectionModel().setCurrentIndex(index, keep)
        self._showing = False
        self._mark()

    # -- Changing collections and searches --------------------------------------------------------------------

    def make_collection(self, within: UUID | None = None) -> None:
        """Ask for a new collection under a free name; its real one is typed once it is there."""
        plain, number = self.tr("New collection"), 1
        taken = {row.name.casefold() for row in self.entries.collections}
        name = plain
        while name.casefold() in taken:
            number += 1
            name = f"{plain} {number}"
        self.collection_wanted.emit(name, within)

    def _name(self, index: QModelIndex) -> None:
        """Type the name of a line in its place; what is listed stays, so that it can be dragged there."""
        self._showing = True
        self.list.scrollTo(index)
        self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        self._showing = False
        self.list.edit(index)

    def _end_naming(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._change(lambda: self.entries.show_figures(waiting))

    def _rename(self, id_: UUID, name: str) -> None:
        is_search = self.entries.index_of(("search", id_)).isValid()
        (self.search_renamed if is_search else self.collection_renamed).emit(id_, name)

    def _run(self, command: str) -> None:
        """Run the command of a key on the current line."""
        index = self.list.currentIndex()
        if not index.isValid():
            return
        entry = self.entries.entry(index)
        if entry.kind not in {EntryKind.COLLECTION, EntryKind.SEARCH}:
            return
        if command == "rename":
            self.list.edit(index)
        elif command == "delete":
            self._delete(entry)

    def _delete(self, entry: Entry) -> None:
        is_search = entry.kind is EntryKind.SEARCH
        (self.search_deleted if is_search else self.collection_deleted).emit(entry.key[1])

    # -- The menu ---------------------------------------------------------------------------------------------

    def menu(self, index: QModelIndex) -> QMenu | None:
        """What can be done with a line; None where nothing can."""
        entry = self.entries.entry(index) if index.isValid() else None
        of_collections = entry is None or entry.kind in {
            EntryKind.COLLECTION,
            EntryKind.SECTION,
            EntryKind.NEW,
        }
        menu = QMenu(self.list)
        if of_collections:
            add_command(menu, "plus", self.tr("New collection"), "", self.make_collection)
        if entry is not None and entry.collection is not None:
            within = partial(self.make_collection, entry.collection)
            add_command(menu, "", self.tr("New subcollection"), "", within)
            menu.addMenu(self._colours(menu, entry))
            top = self.entries.takes(entry.collection, None)
            if top:
                nest = partial(self.collection_nested.emit, entry.collection, None)
                add_command(menu, "", self.tr("Move to the top"), "", nest)
        if entry is not None and entry.kind in {EntryKind.COLLECTION, EntryKind.SEARCH}:
            menu.addSeparator()
            add_command(
                menu, "", self.tr("Rename"), shown_key("sidebar", "rename"), lambda: self.list.edit(index)
            )
            add_command(
                menu,
                "trash-2",
                self.tr("Delete"),
                shown_key("sidebar", "delete"),
                lambda: self._delete(entry),
            )
        return menu if menu.actions() else None

    def _colours(self, menu: QMenu, entry: Entry) -> QMenu:
        colours = QMenu(self.tr("Colour"), menu)
        for name, words in self._colour_words():
            action = colours.addAction(words)
            if name is not None:
                action.setIcon(icon("folder", COLLECTION_ROLES[name]))
            action.setCheckable(True)
            action.setChecked(entry.colour == name)
            action.triggered.connect(partial(self._colour, entry.collection, name))
        return colours

    def _colour(self, collection: UUID | None, name: CollectionColour | None, _checked: bool = False) -> None:
        self.collection_coloured.emit(collection, name)

    def _colour_words(self) -> Iterator[tuple[CollectionColour | None, str]]:
        yield None, self.tr("None")
        words: dict[CollectionColour, str] = {
            "blue": self.tr("Blue"),
            "teal": self.tr("Teal"),
            "green": self.tr("Green"),
            "olive": self.tr("Olive"),
            "orange": self.tr("Orange"),
            "red": self.tr("Red"),
            "pink": self.tr("Pink"),
            "violet": self.tr("Violet"),
        }
        yield from ((name, words[name]) for name in COLLECTION_COLOURS)

    def _open_menu(self, index: QModelIndex, event: QContextMenuEvent) -> None:
        menu = self.menu(index)
        if menu is None:
            return
        menu.aboutToHide.connect(menu.deleteLater)
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            open_for_row(menu, self.list, event)
        else:
            menu.popup(event.globalPos())

    # -- What the window remembers ----------------------------------------------------------------------------

    def saved_layout(self) -> dict[str, bytes]:
        """Which collections are folded in; for :meth:`restore_layout`."""
        return {_LAYOUT: " ".join(sorted(map(str, self.entries.closed))).encode()}

    def restore_layout(self, panes: Mapping[str, bytes]) -> None:
        """Fold in what :meth:`saved_layout` named."""
        for text in panes.get(_LAYOUT, b"").decode("ascii", "replace").split():
            try:
                self.entries.closed.add(UUID(text))
            except ValueError:  # written by somebody else
                continue
        self._change(lambda: None)
