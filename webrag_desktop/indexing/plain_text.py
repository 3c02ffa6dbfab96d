"""The plain-text projection of markdown: what a reader sees, each character traced to its source.

Quotes are compared with it, so that markup in between does not make a faithful quote look altered. Headings,
emphasis, links, lists, tables and fences lose their marks; escapes and entities are decoded. Line breaks stay
as they are in the markdown.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from webrag_desktop.indexing.plain_blocks import defined_labels, visible_groups
from webrag_desktop.indexing.plain_inline import Range, Replacement, inline_edits

Run = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class PlainText:
    """Plain text and where it came from.

    ``runs`` are ``(plain_start, markdown_start, length)`` in code points, in order. Within a run the plain
    text equals the markdown, except for a decoded entity or a table's border, which stands for more or other
    characters: its run has length 1 and a run of length 0 after it tells where its source ends.
    """

    text: str
    runs: tuple[Run, ...]
    _starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", [run[0] for run in self.runs])

    def to_markdown_span(self, start: int, end: int) -> tuple[int, int]:
        """The markdown ``[start, end)`` that the plain ``[start, end)`` came from, markup in between included.

        Raises:
            ValueError: the span is empty, inverted or outside the text.
        """
        if not 0 <= start < end <= len(self.text):
            message = f"There is no plain text at {start} to {end}."
            raise ValueError(message)
        first, last = self._run_at(start), self._run_at(end - 1)
        plain, source, _ = self.runs[first]
        return source + start - plain, self._source_end(last, end)

    def _run_at(self, position: int) -> int:
        return bisect_right(self._starts, position) - 1

    def _source_end(self, index: int, end: int) -> int:
        plain, source, length = self.runs[index]
        if length == 1:
            following = index + 1
            while following < len(self.runs) and self.runs[following][1:] == (source, 1):
                following += 1
            if following < len(self.runs) and self.runs[following][2] == 0:
                return self.runs[following][1]
        return source + end - plain


def project(markdown: str) -> PlainText:
    """Project markdown to plain text; takes time in proportion to its length."""
    builder = _Builder(markdown)
    labels = defined_labels(markdown)
    for group in visible_groups(markdown):
        inline = inline_edits(markdown, group.ranges, labels) if group.inline else []
        builder.add(group.ranges, sorted([*inline, *group.edits]))
    return PlainText("".join(builder.parts), tuple(builder.runs))


class _Builder:
    """Copies ranges of markdown, minus what the edits drop or replace, and keeps the runs."""

    def __init__(self, markdown: str) -> None:
        self._markdown = markdown
        self._length = 0
        self.parts: list[str] = []
        self.runs: list[Run] = []

    def add(self, ranges: Sequence[Range], edits: Sequence[Replacement]) -> None:
        index = 0
        for start, end in ranges:
            position = start
            while index < len(edits) and edits[index].start < end:
                edit = edits[index]
                index += 1
                if edit.start >= position:  # else it lies inside something already dropped
                    self._copy(position, edit.start)
                    self._replace(edit)
                    position = edit.end
            self._copy(position, end)

    def _copy(self, start: int, end: int) -> None:
        if start >= end:
            return
        plain, source, length = self.runs[-1] if self.runs else (0, 0, 0)
        if length and source + length == start:
            self.runs[-1] = (plain, source, length + end - start)
        else:
            self.runs.append((self._length, start, end - start))
        self.parts.append(self._markdown[start:end])
        self._length += end - start

    def _replace(self, edit: Replacement) -> None:
        for char in edit.text:
            self.runs.append((self._length, edit.start, 1))
            self.parts.append(char)
            self._length += 1
        if edit.text:
            self.runs.append((self._length, edit.end, 0))
