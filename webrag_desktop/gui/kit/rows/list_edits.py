"""How one list becomes another: in a few edits, or without moving what stays. Items are any hashable values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
MOST_EDITS = 64


@dataclass(frozen=True, slots=True)
class Edits:
    """``removals`` are ranges of the old list, last first; ``insertions`` of the new one, first first."""

    removals: tuple[range, ...]
    insertions: tuple[range, ...]


def edits(old: Sequence[T], new: Sequence[T], most: int = MOST_EDITS) -> Edits | None:
    """The edits that turn ``old`` into ``new``; None where what stays changes its order, or they are too many."""
    head = _common_head(old, new)
    tail = _common_tail(old, new, head)
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    staying, coming = set(old_middle), set(new_middle)
    if [item for item in old_middle if item in coming] != [item for item in new_middle if item in staying]:
        return None
    removals = list(_runs(head, [item not in coming for item in old_middle]))
    insertions = list(_runs(head, [item not in staying for item in new_middle]))
    if len(removals) + len(insertions) > most:
        return None
    return Edits(tuple(reversed(removals)), tuple(insertions))


def keep_order(old: Sequence[T], new: Sequence[T]) -> list[T]:
    """``old`` as it stands, with what only ``new`` has put after the item it follows there."""
    known = set(old)
    first: list[T] = []
    following: dict[T, list[T]] = {}
    target = first
    for item in new:
        if item in known:
            target = following.setdefault(item, [])
        else:
            target.append(item)
    merged = first
    for item in old:
        merged.append(item)
        merged.extend(following.get(item, ()))
    return merged


def _common_head(old: Sequence[T], new: Sequence[T]) -> int:
    shortest = min(len(old), len(new))
    return next((at for at in range(shortest) if old[at] != new[at]), shortest)


def _common_tail(old: Sequence[T], new: Sequence[T], head: int) -> int:
    most = min(len(old), len(new)) - head
    return next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)


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
