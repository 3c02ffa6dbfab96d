"""Finding a quote again in a text that changed: by its words, then by what stands around it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

AnchorState = Literal["exact", "moved", "lost"]


@dataclass(frozen=True, slots=True)
class Anchored:
    """Where a quote stands now; ``start`` is None when it is lost."""

    state: AnchorState
    start: int | None


def reanchor(verbatim: str, prefix: str, suffix: str, old_start: int, markdown: str) -> Anchored:
    """Where ``verbatim``, which stood at ``old_start`` of an older text, stands in ``markdown``.

    Of several occurrences the one whose surroundings are most like ``prefix`` and ``suffix`` is taken, then the
    nearest to the old place, then the first. The very same words at the very same place are exact.
    """
    if markdown.startswith(verbatim, old_start):
        return Anchored("exact", old_start)
    places = list(_occurrences(verbatim, markdown))
    if not places:
        return Anchored("lost", None)

    def rank(start: int) -> tuple[int, int, int]:
        likeness = _likeness(markdown, start, start + len(verbatim), prefix, suffix)
        return -likeness, abs(start - old_start), start

    return Anchored("moved", min(places, key=rank))


def _occurrences(verbatim: str, markdown: str) -> Iterator[int]:
    start = markdown.find(verbatim)
    while start >= 0:
        yield start
        start = markdown.find(verbatim, start + 1)


def _likeness(markdown: str, start: int, end: int, prefix: str, suffix: str) -> int:
    """How many characters next to ``[start, end)`` are those of the surroundings, counted outwards."""
    before = markdown[max(0, start - len(prefix)) : start]
    after = markdown[end : end + len(suffix)]
    return _in_common(reversed(before), reversed(prefix)) + _in_common(after, suffix)


def _in_common(one: Iterable[str], other: Iterable[str]) -> int:
    """How many characters are the same from the beginning on."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
