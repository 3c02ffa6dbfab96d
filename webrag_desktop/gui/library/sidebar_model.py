"""What the sidebar lists, as a tree: groups, collections within collections, sites, tags, saved searches, the bin."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal
from uuid import UUID

from PySide6.QtCore import (
    QAbstractItemModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from webrag_desktop.gui.data.questions import SavedSearch
from webrag_desktop.gui.data.view_data import LibraryFigures, Listing
from webrag_desktop.gui.kit.quantities import documents, number, plural
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.theme.direction import plain_tooltip
from webrag_desktop.gui.library.dragging import collection_as_mime
from webrag_desktop.models.sources import CollectionColour, CollectionRow

SHOWN_AT_FIRST = 3  # of sites, and of tags
EntryRole = Qt.ItemDataRole.UserRole
Section = Literal["collections", "sites", "tags", "searches"]
Key = tuple[str, str | UUID | None]  # a group and whose it is; a section, and its last line


class EntryKind(Enum):
    """What a line of the sidebar is."""

    GROUP = "group"
    COLLECTION = "collection"
    SEARCH = "search"
    SECTION = "section"
    NEW = "new"  # makes a collection
    MORE = "more"  # folds the rest of a section out and in


@dataclass(frozen=True, slots=True)
class Entry:
    """One line, and the lines within it."""

    kind: EntryKind
    name: str
    icon: str = ""
    count: int | None = None
    key: Key = ("", None)
    level: int = 0
    colour: CollectionColour | None = None
    children: tuple["Entry", ...] = ()

    @property
    def collection(self) -> UUID | None:
        """The collection that the line is of."""
        return self.key[1] if self.kind is EntryKind.COLLECTION and isinstance(self.key[1], UUID) else None


@dataclass(slots=True)
class _Node:
    entry: Entry
    row: int
    parent: int  # in the list of nodes; -1 at the top
    children: list[int]


def key_of(listing: Listing) -> Key:
    """The line that a listing is of."""
    return listing.group, listing.collection or listing.tag or listing.site


class SidebarModel(QAbstractItemModel):
    """Sections with nothing in them are left out, except Collections; what is current is shown in any case."""

    rename_wanted = Signal(object, str)  # the UUID of a collection or a saved search, its new name

    def __init__(self, parent: QObject | None = None) -> None:
        """Begin with an empty library."""
        super().__init__(parent)
        self._figures = LibraryFigures()
        self._searches: tuple[SavedSearch, ...] = ()
        self._current: Key = ("all", None)
        self._unfolded: set[str] = set()
        self._entries: tuple[Entry, ...] = ()
        self._nodes: list[_Node] = []
        self._top: list[int] = []
        self.closed: set[UUID] = set()  # collections whose lines are folded in
        self._build()

    # -- What is shown ----------------------------------------------------------------------------------------

    @property
    def collections(self) -> tuple[CollectionRow, ...]:
        """All collections, by name."""
        return self._figures.collections

    def show_figures(self, figures: LibraryFigures) -> None:
        """Show other counts and collections."""
        self._figures = figures
        self._build()

    def show_searches(self, searches: Sequence[SavedSearch]) -> None:
        """Show these saved searches."""
        self._searches = tuple(searches)
        self._build()

    def keep(self, key: Key) -> None:
        """Have this group shown, whatever is in it."""
        self._current = key
        self._build()

    def turn(self, section: str) -> None:
        """Fold the rest of a section out, or in."""
        self._unfolded ^= {section}
        self._build()

    def set_closed(self, index: AnyIndex, closed: bool) -> None:
        """Note that a collection was folded in or out."""
        collection = self.entry(index).collection
        if collection is not None:
            (self.closed.add if closed else self.closed.discard)(collection)
            self.dataChanged.emit(index, index, [Qt.ItemDataRole.AccessibleTextRole])

    def entry(self, index: AnyIndex) -> Entry:
        """The line of a valid index."""
        return self._nodes[index.internalId()].entry

    def index_of(self, key: Key) -> QModelIndex:
        """Where a line is; invalid where it is not shown."""
        for place, node in enumerate(self._nodes):
            if node.entry.key == key and node.entry.kind is not EntryKind.SECTION:
                return self.createIndex(node.row, 0, place)
        return QModelIndex()

    def parents(self) -> Iterator[tuple[QModelIndex, UUID]]:
        """The collections that have others within them."""
        for place, node in enumerate(self._nodes):
            collection = node.entry.collection
            if node.children and collection is not None:
                yield self.createIndex(node.row, 0, place), collection

    def takes(self, moved: UUID, parent_id: UUID | None) -> bool:
        """Whether a collection may be put into another one, or to the top, and is not there yet."""
        above = {row.id: row.parent_id for row in self.collections}
        if moved not in above or above[moved] == parent_id:
            return False
        at = parent_id
        while at is not None and at != moved:
            at = above.get(at)
        return at is None

    # -- Lines ------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        entries = (
            *self._groups(),
            *self._collections(),
            *self._folding(
                "sites", self.tr("Sites"), [(one.site, one.documents) for one in self._figures.sites]
            ),
            *self._folding("tags", self.tr("Tags"), [(one.tag, one.documents) for one in self._figures.tags]),
            *self._saved(),
            *self._bin(),
        )
        if [*_shape(entries)] == [*_shape(self._entries)]:
            self._replace(entries)
            return
        self.beginResetModel()
        self._entries = entries
        self._nodes, self._top = [], []
        self._lay(entries, -1, self._top)
        self.endResetModel()

    def _replace(self, entries: tuple[Entry, ...]) -> None:
        """Other names and counts for the same lines."""
        if entries == self._entries:
            return
        self._entries = entries
        for place, entry in enumerate(_all(entries)):
            node = self._nodes[place]
            if node.entry != entry:
                node.entry = entry
                index = self.createIndex(node.row, 0, place)
                self.dataChanged.emit(index, index)

    def _lay(self, entries: Sequence[Entry], parent: int, places: list[int]) -> None:
        for row, entry in enumerate(entries):
            node = _Node(entry, row, parent, [])
            places.append(len(self._nodes))
            self._nodes.append(node)
            self._lay(entry.children, places[-1], node.children)

    def _groups(self) -> Iterator[Entry]:
        figures, current = self._figures, self._current[0]
        undone, attention = figures.working + figures.waiting, figures.attention
        yield Entry(EntryKind.GROUP, self.tr("Inbox"), "inbox", figures.inbox, ("inbox", None))
        yield Entry(EntryKind.GROUP, self.tr("All documents"), "library", figures.documents, ("all", None))
        yield Entry(EntryKind.GROUP, self.tr("Recently opened"), "clock", None, ("opened", None))
        if undone or current == "open":
            yield Entry(EntryKind.GROUP, self.tr("In progress"), "circle-dot", undone, ("open", None))
        if attention or current == "attention":
            name = self.tr("Needs attention")
            yield Entry(EntryKind.GROUP, name, "circle-alert", attention, ("attention", None))

    def _collections(self) -> Iterator[Entry]:
        yield Entry(EntryKind.SECTION, self.tr("Collections"), key=("section", "collections"))
        known = {row.id for row in self.collections}
        below: dict[UUID | None, list[CollectionRow]] = {}
        for row in self.collections:
            below.setdefault(row.parent_id if row.parent_id in known else None, []).append(row)
        if not below:
            yield Entry(EntryKind.NEW, self.tr("New collection"), "plus", key=("new", None))
        yield from self._within(None, below, 0)

    def _within(
        self, parent: UUID | None, below: dict[UUID | None, list[CollectionRow]], level: int
    ) -> tuple[Entry, ...]:
        return tuple(
            Entry(
                EntryKind.COLLECTION, row.name, "folder", row.documents, ("collection", row.id), level, row.colour,
                self._within(row.id, below, level + 1),
            )
            for row in below.get(parent, ())
        )  # fmt: skip

    def _folding(self, section: Section, name: str, counted: list[tuple[str, int]]) -> Iterator[Entry]:
        """The first lines of a section, and one that folds the rest out; what is current is never folded in."""
        group, icon = ("site", "globe") if section == "sites" else ("tag", "tag")
        current = self._current[1] if self._current[0] == group else None
        if isinstance(current, str) and all(value != current for value, _ in counted):
            counted = [*counted, (current, 0)]
        if not counted:
            return
        foldable = len(counted) > SHOWN_AT_FIRST + 1  # folding a single line would save none
        shown = counted if section in self._unfolded or not foldable else counted[:SHOWN_AT_FIRST]
        shown = shown + [one for one in counted if one[0] == current and one not in shown]
        yield Entry(EntryKind.SECTION, name, key=("section", section))
        for value, count in shown:
            yield Entry(EntryKind.GROUP, value, icon, count, (group, value))
        if foldable:
            unfolded = section in self._unfolded
            rest = number(len(counted) - len(shown))
            words = self.tr("Show fewer") if unfolded else self.tr("{0} more").format(rest)
            yield Entry(EntryKind.MORE, words, "ellipsis", key=("more", section))

    def _saved(self) -> Iterator[Entry]:
        if self._searches:
            yield Entry(EntryKind.SECTION, self.tr("Saved searches"), key=("section", "searches"))
        for one in self._searches:
            yield Entry(EntryKind.SEARCH, one.name, "bookmark", one.new, ("search", one.id))

    def _bin(self) -> Iterator[Entry]:
        """The bin of a library that has, or had, something in it."""
        figures = self._figures
        if figures.documents or figures.removed or self._current[0] == "bin":
            yield Entry(EntryKind.GROUP, self.tr("Bin"), "trash-2", figures.removed, ("bin", None))

    # -- As Qt asks for it ------------------------------------------------------------------------------------

    def index(self, row: int, column: int = 0, parent: AnyIndex = QModelIndex()) -> QModelIndex:  # noqa: B008
        """A line within another one, or at the top."""
        places = self._nodes[parent.internalId()].children if parent.isValid() else self._top
        return (
            self.createIndex(row, 0, places[row]) if column == 0 and 0 <= row < len(places) else QModelIndex()
        )

    def parent(self, index: AnyIndex = QModelIndex()) -> Any:  # noqa: B008
        """The line that a line is within."""
        above = self._nodes[index.internalId()].parent if index.isValid() else -1
        return self.createIndex(self._nodes[above].row, 0, above) if above >= 0 else QModelIndex()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """The number of lines within a line, or at the top."""
        if not parent.isValid():
            return len(self._top)
        return len(self._nodes[parent.internalId()].children) if parent.column() == 0 else 0

    def columnCount(self, _parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """One."""
        return 1

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Everything but a section's name can be chosen; collections can be dragged, and renamed as searches can."""
        flag = Qt.ItemFlag
        kind = self.entry(index).kind if index.isValid() else EntryKind.SECTION
        if kind is EntryKind.SECTION:
            return flag.NoItemFlags
        usual = flag.ItemIsEnabled | flag.ItemIsSelectable
        if kind is EntryKind.COLLECTION:
            return usual | flag.ItemIsEditable | flag.ItemIsDragEnabled | flag.ItemIsDropEnabled
        usual |= flag.ItemNeverHasChildren
        return usual | flag.ItemIsEditable if kind is EntryKind.SEARCH else usual

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A line's name, and the sentence for it."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        entry = self.entry(index)
        if role == EntryRole:
            return entry
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(entry)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(entry.name)
        return entry.name if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole} else None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another name; it is shown once the library has it."""
        name = " ".join(str(value).split())
        entry = self.entry(index)
        if role != Qt.ItemDataRole.EditRole or not name or name == entry.name:
            return False
        self.rename_wanted.emit(entry.key[1], name)
        return True

    def mimeData(self, indexes: Sequence[QModelIndex | QPersistentModelIndex]) -> QMimeData:
        """The collection that is dragged."""
        dragged = (self.entry(index).collection for index in indexes)
        return next((collection_as_mime(one) for one in dragged if one is not None), QMimeData())

    def supportedDragActions(self) -> Qt.DropAction:
        """Collections move."""
        return Qt.DropAction.MoveAction

    def _sentence(self, entry: Entry) -> str:
        """What a line is, for a screen reader: name, count, level, and whether it is folded out."""
        if entry.kind is EntryKind.SEARCH:
            if entry.count is None:
                return self.tr("{0}, saved search").format(entry.name)
            new = plural(entry.count, self.tr("1 new result"), self.tr("{0} new results"))
            return self.tr("{0}, saved search, {1}").format(entry.name, new)
        if entry.kind is not EntryKind.COLLECTION:
            return entry.name if entry.count is None else f"{entry.name}, {documents(entry.count)}"
        said = self.tr("{0}, collection, {1}, level {2}").format(
            entry.name, documents(entry.count or 0), number(entry.level + 1)
        )
        if not entry.children:
            return said
        closed = entry.collection in self.closed
        return (self.tr("{0}, collapsed") if closed else self.tr("{0}, expanded")).format(said)


def _all(entries: Iterable[Entry]) -> Iterator[Entry]:
    for entry in entries:
        yield entry
        yield from _all(entry.children)


def _shape(entries: Iterable[Entry]) -> Iterator[tuple[EntryKind, Key, int]]:
    """Which lines there are, and where."""
    return ((entry.kind, entry.key, entry.level) for entry in _all(entries))
