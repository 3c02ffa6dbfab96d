"""Texts in which spans were replaced, each place traced to where it came from."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

Trace = Callable[[int, int], tuple[int, int]]  # from a span of one text to that of another


class Edit(NamedTuple):
    """``[start, end)`` of a text reads as ``text``; empty text drops it.

    ``join`` is a mark for what was taken out in front of the next character, see
    :class:`~webrag_desktop.text.canonical.canonical_form.CanonicalForm`.
    """

    start: int
    end: int
    text: str = ""
    join: str = ""


@dataclass(slots=True)
class Traced:
    """A text after edits. What replaced a span is one piece: it leads back to all of the span or to nothing."""

    text: str
    _at: list[int] = field(default_factory=list, repr=False)  # where each replacement begins in the text
    _to: list[int] = field(default_factory=list, repr=False)  # and ends
    _from: list[int] = field(default_factory=list, repr=False)  # where its source begins
    _until: list[int] = field(default_factory=list, repr=False)  # and ends

    @property
    def is_edited(self) -> bool:
        """Whether anything stands elsewhere than in the source."""
        return bool(self._at)

    def source_span(self, start: int, end: int) -> tuple[int, int] | None:
        """The source of ``[start, end)``, which is not empty; None where it parts a replacement."""
        first, last = self._last_at(start), self._last_at(end - 1)
        cut = (first >= 0 and self._at[first] < start < self._to[first]) or (
            last >= 0 and self._at[last] < end < self._to[last]
        )
        return None if cut else self.source_around(start, end)

    def source_around(self, start: int, end: int) -> tuple[int, int]:
        """The source of ``[start, end)``, which is not empty, with all of what replacements at its ends stand for."""
        first, last = self._last_at(start), self._last_at(end - 1)
        source, source_end = start, end
        if first >= 0:
            inside = start < self._to[first]
            source = self._from[first] if inside else self._until[first] + start - self._to[first]
        if last >= 0:
            inside = end - 1 < self._to[last]
            source_end = self._until[last] if inside else self._until[last] + end - self._to[last]
        return source, source_end

    def place_of(self, source: int) -> int:
        """Where in the text the source character stands; of one that was dropped, where it would."""
        index = bisect_right(self._from, source) - 1
        if index < 0:
            return source
        if source < self._until[index]:
            return self._at[index]
        return min(self._to[index] + source - self._until[index], len(self.text))

    def end_of(self, source_end: int) -> int:
        """Where in the text what stands before ``source_end`` ends."""
        index = bisect_left(self._from, source_end) - 1
        if index < 0:
            return source_end
        if source_end <= self._until[index]:
            return self._to[index]
        return min(self._to[index] + source_end - self._until[index], len(self.text))

    def _last_at(self, place: int) -> int:
        return bisect_right(self._at, place) - 1


def traced(source: str, edits: Iterable[Edit]) -> Traced:
    """The text after ``edits``, which are in order and do not overlap."""
    made = Traced("")
    parts: list[str] = []
    position = length = 0
    for start, end, text, _join in edits:
        parts += (source[position:start], text)
        length += start - position
        position = end
        if len(text) == end - start == 1:  # its place tells where it came from
            length += 1
            continue
        made._at.append(length)
        length += len(text)
        made._to.append(length)
        made._from.append(start)
        made._until.append(end)
    parts.append(source[position:])
    made.text = "".join(parts)
    return made
