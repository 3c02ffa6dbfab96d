"""What item models of rows share: the edits between two lists, and a cache of rows shown lately."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from webrag_desktop.gui.data.view_data import DocumentRow


class RowCache:
    """The rows used last, at most ``capacity``. Keys are documents' ids as integers.

    A row is requested once: from :meth:`take_wanted` on it is on its way until :meth:`put` brings it. A stale row
    is shown until its successor arrives; what was on its way when it became stale does not count as that.
    """

    def __init__(self, capacity: int) -> None:
        """Hold nothing yet."""
        self._capacity = capacity
        self._rows: OrderedDict[int, DocumentRow] = OrderedDict()
        self._stale: set[int] = set()
        self._wanted: dict[int, None] = {}
        self._asked: set[int] = set()

    def __len__(self) -> int:
        return len(self._rows)

    def look(self, key: int) -> DocumentRow | None:
        """The row, if it is here; it becomes the one used last."""
        row = self._rows.get(key)
        if row is not None:
            self._rows.move_to_end(key)
        return row

    def peek(self, key: int) -> DocumentRow | None:
        """The row, if it is here."""
        return self._rows.get(key)

    def items(self) -> Iterator[tuple[int, DocumentRow]]:
        """What is here."""
        return iter(self._rows.items())

    def put(self, row: DocumentRow) -> None:
        """Take a row that was fetched."""
        key = row.id.int
        self._asked.discard(key)
        if key not in self._stale:
            self._wanted.pop(key, None)
        self._rows[key] = row
        self._rows.move_to_end(key)
        while len(self._rows) > self._capacity:
            forgotten, _ = self._rows.popitem(last=False)
            self._stale.discard(forgotten)

    def change(self, key: int, row: DocumentRow) -> None:
        """Put another row in the place of one that is here, which keeps its age."""
        self._rows[key] = row

    def mark_stale(self, keys: Iterable[int]) -> None:
        """Fetch cached rows again when they are shown next, even if a fetch of them is running."""
        for key in keys:
            if key in self._rows:
                self._stale.add(key)
                self._asked.discard(key)

    def is_missing(self, key: int) -> bool:
        """Whether the row has to be requested: it is not here or stale, and not on its way."""
        return (key not in self._rows or key in self._stale) and key not in self._asked

    def want(self, key: int) -> bool:
        """Note that a row is shown; True where it has to be fetched."""
        if not self.is_missing(key):
            return False
        self._wanted[key] = None
        return True

    def take_wanted(self) -> list[int]:
        """What to request now; it counts as on its way from here on."""
        taken = list(self._wanted)[-self._capacity :]
        self._wanted.clear()
        self.mark_asked(taken)
        return taken

    def mark_asked(self, keys: Iterable[int]) -> None:
        """Note that rows are on their way."""
        taken = set(keys)
        self._asked |= taken
        self._stale -= taken

    def drop(self, keys: Iterable[int]) -> None:
        """Forget rows for good."""
        for key in keys:
            self._rows.pop(key, None)
            self._wanted.pop(key, None)
            self._stale.discard(key)
            self._asked.discard(key)

    def request_again(self) -> None:
        """Count nothing as on its way: what was requested may have been lost."""
        self._stale.update(key for key in self._asked if key in self._rows)
        self._asked.clear()


def key_of(document_id: UUID) -> int:
    """A document's key: hashed and compared many times faster than a UUID."""
    return document_id.int


T = TypeVar("T")
MOST_EDITS = 64
MOST_COMPARED = 4000


@dataclass(frozen=True, slots=True)
class Edits:
    """``removals`` are ranges of the old list, last first; ``insertions`` of the new one, first first."""

    removals: tuple[range, ...]
    insertions: tuple[range, ...]


def edits(old: Sequence[T], new: Sequence[T], most: int = MOST_EDITS) -> Edits | None:
    """The edits that turn ``old`` into ``new``; None where what stays changes its order, or they are too many.

    None also where they are so far apart that finding them would take longer than showing all of it again.
    """
    head, old_middle, new_middle = _differing(old, new)
    if len(old_middle) + len(new_middle) > MOST_COMPARED:
        return None
    staying, coming = set(old_middle), set(new_middle)
    if [item for item in old_middle if item in coming] != [item for item in new_middle if item in staying]:
        return None
    removals = list(_runs(head, [item not in coming for item in old_middle]))
    insertions = list(_runs(head, [item not in staying for item in new_middle]))
    if len(removals) + len(insertions) > most:
        return None
    return Edits(tuple(reversed(removals)), tuple(insertions))


def keep_order(old: Sequence[T], new: Sequence[T]) -> list[T]:
    """``old`` unchanged, with what only ``new`` has put after the item it follows there."""
    head, old_middle, new_middle = _differing(old, new)
    known = set(old_middle)
    before: T | None = None  # None: what both begin with
    following: dict[T | None, list[T]] = {}
    for item in new_middle:
        if item in known:
            before = item
        else:
            following.setdefault(before, []).append(item)
    merged = [*old[:head], *following.get(None, ())]
    for item in old_middle:
        merged.append(item)
        if item in following:
            merged += following[item]
    return [*merged, *old[head + len(old_middle) :]]


def _differing(old: Sequence[T], new: Sequence[T]) -> tuple[int, Sequence[T], Sequence[T]]:
    """How many items both begin with, and what of each lies between those and what both end with."""
    shortest = min(len(old), len(new))
    head = _agreeing(shortest, lambda first, last: old[first:last] == new[first:last])
    ends = len(old), len(new)
    tail = _agreeing(
        shortest - head,
        lambda first, last: old[ends[0] - last : ends[0] - first] == new[ends[1] - last : ends[1] - first],
    )
    return head, old[head : len(old) - tail], new[head : len(new) - tail]


def _agreeing(most: int, agree: Callable[[int, int], bool]) -> int:
    """How many of ``most`` items agree before one does not, found by halving: comparing runs of items is quick."""
    first, last = 0, most
    while first < last:
        middle = (first + last + 1) // 2
        if agree(first, middle):
            first = middle
        else:
            last = middle - 1
    return first


def _runs(offset: int, marked: Sequence[bool]) -> Iterator[range]:
    """The ranges of marked items."""
    start: int | None = None
    for at, mark in enumerate(marked):
        if mark and start is None:
            start = at
        elif not mark and start is not None:
            yield range(offset + start, offset + at)
            start = None
    if start is not None:
        yield range(offset + start, offset + len(marked))
