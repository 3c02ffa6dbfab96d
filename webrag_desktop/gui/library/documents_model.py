"""The documents of a listing as a table: it holds ids, and requests rows when they become visible."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any
from uuid import UUID

from PySide6.QtCore import QModelIndex, QObject, Qt, QTimer, Signal

from webrag_desktop.gui.data.library import ListGroup
from webrag_desktop.gui.data.view_data import DocumentNews, DocumentRow
from webrag_desktop.gui.kit.rows.models import RowCache, edits, keep_order, key_of
from webrag_desktop.gui.kit.rows.row_delegate import AnyIndex
from webrag_desktop.gui.kit.theme.tokens import PROGRESS_INTERVAL, SKELETON_AFTER
from webrag_desktop.gui.library.document_columns import (
    FIGURES,
    Column,
    ShownGroup,
    cell_text,
    column_name,
    head_text,
)
from webrag_desktop.gui.library.dragging import DRAGGED_ROW, DraggedDocuments

CAPACITY = 2000
AHEAD = 24  # rows requested before and after the visible ones, so that scrolling finds them loaded
FEW = 8  # documents that are looked for one by one; for more of them a table of all places is made
WIDEST_ASKED = 200  # rows requested in one turn; of what is further apart no neighbours are requested
DocumentRole = Qt.ItemDataRole.UserRole  # DocumentRow, or None while it is on its way
LateRole = Qt.ItemDataRole.UserRole + 1  # whether a missing row is late enough to show its shape
GroupRole = Qt.ItemDataRole.UserRole + 2  # ShownGroup of a row that heads a group, None for a document

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TEXT_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
_SHOWN_ROLES = frozenset(map(int, (*_TEXT_ROLES, DocumentRole)))


class DocumentsModel(DraggedDocuments):
    """Rows come by :meth:`show_rows` after ``rows_wanted`` asked for them, once per turn of the event loop.

    What is shown may differ from what was listed last: :meth:`show_keys` can leave rows where they are, and
    :meth:`settle` takes the listed order later. A reset keeps no persistent index; views restore by id.
    """

    rows_wanted = Signal(object)  # tuple[UUID, ...]

    def __init__(self, parent: QObject | None = None, *, capacity: int = CAPACITY) -> None:
        """Keep at most ``capacity`` rows."""
        super().__init__(parent)
        self._listed: list[int] = []
        self._shown: list[int] = []
        self._hidden: set[int] = set()
        self._groups: tuple[ListGroup, ...] = ()
        self._group_keys: dict[str, int] = {}
        self._heads: dict[int, ShownGroup] = {}
        self._closed: set[str] = set()
        self._places: dict[int, int] | None = {}
        self._seen: dict[int, int] = {}  # where rows were when they were looked at last; they may have moved
        self._misses = 0
        self._cache = RowCache(capacity)
        self._moved: set[int] = set()
        self._late = False
        self._ask_timer = self._timer(0, self._ask)
        self._late_timer = self._timer(SKELETON_AFTER, self._show_late)
        self._progress_timer = self._timer(PROGRESS_INTERVAL, self._show_progress)

    def _timer(self, interval: int, call: Any) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=interval)
        timer.timeout.connect(call)
        return timer

    # -- What is shown ----------------------------------------------------------------------------------------

    def show_keys(
        self,
        keys: Sequence[int],
        groups: Sequence[ListGroup] = (),
        *,
        in_place: bool = False,
        reset: bool = False,
    ) -> None:
        """Show these documents; ``in_place`` leaves every row where it is, ``reset`` compares none with those before.

        ``groups`` divide them, in their order; each is headed by a row that opens and closes it.
        """
        self._listed = list(keys)
        self._groups = tuple(groups)
        self._cache.request_again()
        visible = self._visible()
        show = self._reset if reset else self._show
        show(keep_order(self._shown, visible) if in_place else visible)

    @property
    def is_settled(self) -> bool:
        """Whether the rows are those that were listed, in that order."""
        return self._shown == self._visible()

    def settle(self) -> None:
        """Show the documents as they were listed last."""
        self._show(self._visible())

    def hide(self, ids: Iterable[UUID]) -> None:
        """Leave documents out, whatever is listed, until :meth:`unhide`."""
        self._hidden.update(map(key_of, ids))
        self._visible()  # counts the groups again
        self._show(self._shown_without(self._hidden))

    def unhide(self, ids: Iterable[UUID]) -> None:
        """Show documents again where they are listed."""
        self._hidden.difference_update(map(key_of, ids))
        self._show(keep_order(self._shown, self._visible()))

    def _visible(self) -> list[int]:
        if self._groups:
            return self._in_groups()
        if not self._hidden:
            return list(self._listed)
        return [key for key in self._listed if key not in self._hidden]

    def _in_groups(self) -> list[int]:
        """Heads and documents; a group that has lost all of its documents is left out."""
        keys, first = list[int](), 0
        self._heads.clear()
        for group in self._groups:
            inside = self._listed[first : first + group.count]
            first += group.count
            if self._hidden:
                inside = [key for key in inside if key not in self._hidden]
            if not inside:
                continue
            head = self._group_keys.setdefault(group.value, -1 - len(self._group_keys))
            is_open = group.value not in self._closed
            self._heads[head] = ShownGroup(replace(group, count=len(inside)), is_open)
            keys += [head, *inside] if is_open else [head]
        return keys

    def group_at(self, row: int) -> ShownGroup | None:
        """The group that a row heads; None where it is a document."""
        return self._heads.get(self._shown[row]) if self._shown[row] < 0 else None

    def is_head(self, row: int) -> bool:
        """Whether there is such a row, and it heads a group."""
        return row >= 0 and self._shown[row] < 0

    def open_group(self, row: int, is_open: bool) -> None:
        """Show the documents of the group that a row heads, or leave them out."""
        head = self.group_at(row)
        if head is None or head.is_open == is_open:
            return
        self._closed ^= {head.group.value}
        self._show(self._visible())
        self._emit_changed([self._shown[row]])

    def head_of(self, row: int) -> int | None:
        """The row that heads the group of a row."""
        return next((at for at in range(row, -1, -1) if self._shown[at] < 0), None)

    @property
    def is_grouped(self) -> bool:
        """Whether the documents are shown by groups."""
        return bool(self._groups)

    @property
    def count(self) -> int:
        """How many documents are listed, those of closed groups too."""
        if self._groups:
            return sum(head.group.count for head in self._heads.values())
        return len(self._shown)

    def _show(self, keys: list[int]) -> None:
        if keys == self._shown:
            return
        changes = edits(self._shown, keys)
        if changes is None:
            self._reset(keys)
            return
        for gone in changes.removals:
            self.beginRemoveRows(QModelIndex(), gone.start, gone.stop - 1)
            self._replace(self._shown[: gone.start] + self._shown[gone.stop :])
            self.endRemoveRows()
        for come in changes.insertions:
            self.beginInsertRows(QModelIndex(), come.start, come.stop - 1)
            added = keys[come.start : come.stop]
            self._replace(self._shown[: come.start] + added + self._shown[come.start :])
            self.endInsertRows()

    def _reset(self, keys: list[int]) -> None:
        self.beginResetModel()
        self._replace(keys)
        self.endResetModel()

    def _replace(self, keys: list[int]) -> None:
        self._shown = keys
        self._places, self._misses = None, 0
        if len(self._seen) > CAPACITY:
            self._seen.clear()

    # -- Where a document is ----------------------------------------------------------------------------------

    def id_at(self, row: int) -> UUID:
        """The document of a row."""
        return UUID(int=self._shown[row])

    def keys_at(self, rows: range) -> list[int]:
        """The keys of a range of rows."""
        return self._shown[rows.start : rows.stop]

    def row_of(self, key: int) -> int | None:
        """The row a document is in, if it is shown."""
        at = self._seen.get(key, -1)
        if 0 <= at < len(self._shown) and self._shown[at] == key:
            return at
        if self._places is None and self._misses < FEW:
            self._misses += 1
            return self._find(key)
        if self._places is None:
            self._places = {shown: at for at, shown in enumerate(self._shown)}
        return self._places.get(key)

    def _find(self, key: int) -> int | None:
        try:
            at = self._seen[key] = self._shown.index(key)
        except ValueError:
            return None
        return at

    def document(self, document_id: UUID) -> DocumentRow | None:
        """What is known of a document now; asks for nothing."""
        return self._cache.peek(key_of(document_id))

    def loaded(self) -> Iterator[tuple[int, DocumentRow]]:
        """The rows that are here, with their place, in order."""
        placed = [(at, row) for key, row in self._cache.items() if (at := self.row_of(key)) is not None]
        return iter(sorted(placed, key=lambda one: one[0]))

    # -- Rows -------------------------------------------------------------------------------------------------

    def show_rows(self, rows: Iterable[DocumentRow]) -> None:
        """Take rows that were asked for."""
        arrived = list(rows)
        for row in arrived:
            self._cache.put(row)
        self._emit_changed(key_of(row.id) for row in arrived)

    def apply_news(self, news: Iterable[DocumentNews]) -> None:
        """Show new states and shares at once; rows whose state changed are requested when they become visible.

        Progress within a state is repainted four times a second at most. Removed documents leave the list.
        """
        removed: set[int] = set()
        changed: set[int] = set()
        queue_moved = False
        for one in news:
            key = key_of(one.id)
            if one.state is None:
                removed.add(key)
                continue
            queue_moved = queue_moved or one.state == "fetching"
            if self._apply(key, one):
                changed.add(key)
        if queue_moved:
            changed |= {key for key, row in self._cache.items() if row.state == "queued"}
        self._cache.mark_stale(changed)
        self._emit_changed(changed)
        if removed:
            self._remove(removed)

    def _apply(self, key: int, news: DocumentNews) -> bool:
        """Write the news into the row, if it is here; True where its state is another."""
        row = self._cache.peek(key)
        if row is None or news.state is None:
            return False
        if row.state == news.state:
            self._cache.change(key, replace(row, done=news.done, total=news.total))
            self._moved.add(key)
            if not self._progress_timer.isActive():
                self._progress_timer.start()
            return False
        fresh = replace(row, state=news.state, done=news.done, total=news.total)
        self._cache.change(key, replace(fresh, reason=None, hint=None, queue_position=None))
        return True

    def _remove(self, keys: set[int]) -> None:
        self._cache.drop(keys)
        if self._groups:
            listed = iter(self._listed)
            left = [sum(key not in keys for key in islice(listed, group.count)) for group in self._groups]
            self._groups = tuple(replace(group, count=n) for group, n in zip(self._groups, left, strict=True))
        self._listed = [key for key in self._listed if key not in keys]
        left_over = self._shown_without(keys)
        self._show(keep_order(left_over, self._visible()) if self._groups else left_over)

    def _shown_without(self, keys: set[int]) -> list[int]:
        visible_heads = set(self._heads) if self._groups else set()
        return [key for key in self._shown if key not in keys and (key >= 0 or key in visible_heads)]

    def _show_progress(self) -> None:
        self._emit_changed(self._moved)
        self._moved.clear()

    def _emit_changed(self, keys: Iterable[int]) -> None:
        places = [at for key in keys if (at := self.row_of(key)) is not None]
        if places:
            last = len(Column) - 1
            self.dataChanged.emit(self.index(min(places), 0), self.index(max(places), last))

    # -- Asking -----------------------------------------------------------------------------------------------

    def request_rows(self, rows: Iterable[int]) -> None:
        """Ask for rows that are not here, as if they were in sight."""
        for row in rows:
            self._row_at(row)

    def _row_at(self, place: int) -> DocumentRow | None:
        key = self._shown[place]
        if key < 0:
            return None
        self._seen[key] = place
        if self._cache.want(key) and not self._ask_timer.isActive():
            self._ask_timer.start()
        return self._cache.look(key)

    def _ask(self) -> None:
        wanted = self._cache.take_wanted()
        wanted += self._neighbours(wanted)
        if wanted:
            self._late = False
            self._late_timer.start()
            self.rows_wanted.emit(tuple(UUID(int=key) for key in wanted))

    def _neighbours(self, wanted: list[int]) -> list[int]:
        places = [at for key in wanted if (at := self.row_of(key)) is not None]
        if not places or max(places) - min(places) > WIDEST_ASKED:
            return []
        first = max(min(places) - AHEAD, 0)
        around = self._shown[first : max(places) + AHEAD + 1]
        self._seen.update(zip(around, range(first, first + len(around)), strict=True))
        absent = (key for key in around if key >= 0 and self._cache.peek(key) is None)
        found = [key for key in absent if self._cache.is_missing(key)]
        self._cache.mark_asked(found)
        return found

    def _show_late(self) -> None:
        self._late = True
        if self._shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, len(Column) - 1))

    # -- What Qt asks -----------------------------------------------------------------------------------------

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """The number of documents shown."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """The number of columns."""
        return 0 if parent.isValid() else len(Column)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Documents can be selected and dragged, and have no children; the head of a group has the keyboard only."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self._shown[index.row()] < 0:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        return DRAGGED_ROW

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows; a row that is not here is asked for on a later turn of the event loop."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        head = self.group_at(index.row())
        if head is not None or role == GroupRole:
            return head_text(head, index.column(), role) if head is not None and role != GroupRole else head
        if role in _SHOWN_ROLES:
            return self._shown_data(index, role)
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in FIGURES:
            return _RIGHT
        return self._late if role == LateRole else None

    def _shown_data(self, index: AnyIndex, role: int) -> DocumentRow | str | None:
        row = self._row_at(index.row())
        if role == DocumentRole:
            return row
        if row is None:
            return self.tr("Loading") if role == Qt.ItemDataRole.AccessibleTextRole else None
        return cell_text(row, Column(index.column()), role)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The columns' names."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return column_name(Column(section))
        if role == Qt.ItemDataRole.TextAlignmentRole and section in FIGURES:
            return _RIGHT
        return None
