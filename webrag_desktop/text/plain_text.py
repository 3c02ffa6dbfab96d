"""The plain-text projection of markdown: what a reader sees, each character traced to its source.

Quotes are compared with it, so that markup in between does not make a faithful quote look altered. Headings,
emphasis, links, lists, tables and fences lose their marks; escapes and entities are decoded. Line breaks stay
as they are in the markdown.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from webrag_desktop.errors import IndexingError
from webrag_desktop.text.landmarks import Landmark, landmarks
from webrag_desktop.text.markdown_grammar import front_matter_end
from webrag_desktop.text.plain_blocks import Group, Shape, defined_labels, link_definitions, visible_groups
from webrag_desktop.text.plain_inline import InlineStyle, Replacement, inline_edits, inline_markup
from webrag_desktop.text.printable import title_line
from webrag_desktop.text.spans import Span

Run = tuple[int, int, int]
MOST_RUNS = 4_000_000  # in memory these take 0.6 GB; a tenth of them fills a book


@dataclass(frozen=True, slots=True)
class PlainText:
    """Plain text and where it came from.

    ``runs`` are ``(plain_start, markdown_start, length)`` in code points, in order. Within a run the plain
    text equals the markdown, except for a decoded entity or a table's border, which represents more or other
    characters: its run has length 1 and a run of length 0 after it tells where its source ends.
    """

    text: str
    runs: tuple[Run, ...]
    _starts: list[int] = field(init=False, repr=False, compare=False)
    _sources: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", [run[0] for run in self.runs])
        object.__setattr__(self, "_sources", [run[1] for run in self.runs])

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

    def to_plain_span(self, start: int, end: int) -> tuple[int, int]:
        """The plain ``[start, end)`` that the markdown ``[start, end)`` reads as, in its surroundings.

        A character that represents several belongs to it when one of them does. Empty where only markup is.
        """
        first, last = self._first_from(start), self._last_before(end)
        return first, max(first, last)

    def reading(self, start: int, end: int) -> str:
        """How the markdown ``[start, end)`` reads in its surroundings."""
        first, last = self.to_plain_span(start, end)
        return self.text[first:last]

    def _first_from(self, position: int) -> int:
        """The first plain character whose source does not end before ``position``."""
        index = bisect_right(self._sources, position) - 1
        if index < 0:
            return 0
        plain, source, length = self.runs[index]
        if length == 1 and index + 1 < len(self.runs) and self.runs[index + 1][2] == 0:
            return self._first_of_replaced(index)
        return plain + min(length, position - source)

    def _first_of_replaced(self, index: int) -> int:
        source = self.runs[index][1]
        while index and self.runs[index - 1][1:] == (source, 1):
            index -= 1
        return self.runs[index][0]

    def _last_before(self, position: int) -> int:
        """Where the plain characters end whose source begins before ``position``."""
        index = bisect_left(self._sources, position) - 1
        if index < 0:
            return 0
        plain, source, length = self.runs[index]
        return plain + min(length, position - source)

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
    """Project markdown to plain text; takes time in proportion to its length.

    Raises:
        IndexingError: it consists of more than :data:`MOST_RUNS` runs.
    """
    builder = _Builder(markdown)
    labels = defined_labels(markdown)
    for group in visible_groups(markdown):
        inline = inline_edits(markdown, group.ranges, labels) if group.inline else []
        builder.add(group.ranges, sorted([*inline, *group.edits]))
    return PlainText("".join(builder.parts), tuple(builder.runs))


def project_line(markdown: str) -> str:
    """A title or heading as it is read, on one line."""
    return title_line(project(markdown).text)


@dataclass(frozen=True, slots=True)
class PlainBlock:
    """A block of the projection, ``[start, end)`` of its text, with the line breaks after it.

    ``styles`` count in the plain text, too. ``cells`` of a table are ``(row, column, start, end)``; empty ones are
    left out.
    """

    start: int
    end: int
    shape: Shape
    styles: tuple[InlineStyle, ...] = ()
    cells: tuple[tuple[int, int, int, int], ...] = ()


def project_blocks(
    markdown: str, marks: Iterable[Landmark] | None = None
) -> tuple[PlainText, list[PlainBlock]]:
    """What :func:`project` gives, and the blocks it consists of: they follow each other and leave out nothing.

    Line breaks before the first block belong to it; a text of nothing else is one paragraph. ``marks`` are the
    landmarks of the text, where they are known already.
    """
    builder = _Builder(markdown)
    targets = link_definitions(markdown)
    blocks = _BlockBuilder(builder)
    for group in visible_groups(markdown, marks):
        edits, styles = inline_markup(markdown, group.ranges, targets) if group.inline else ([], [])
        start, first_run = builder.length, max(len(builder.runs) - 1, 0)
        builder.add(group.ranges, sorted([*edits, *group.edits]))
        blocks.add(group, start, [builder.placed(style, first_run) for style in styles])
    return PlainText("".join(builder.parts), tuple(builder.runs)), blocks.finished()


class _BlockBuilder:
    """Gathers groups that share a shape."""

    def __init__(self, builder: "_Builder") -> None:
        self._builder = builder
        self._blocks: list[PlainBlock] = []
        self._shape: Shape | None = None
        self._start = 0
        self._styles: list[InlineStyle] = []
        self._cells: list[tuple[int, int, int, int]] = []

    def add(self, group: Group, start: int, styles: Iterable[InlineStyle]) -> None:
        if group.shape is not None and group.shape is not self._shape:
            self._close(start)
            self._shape = group.shape
        self._styles.extend(style for style in styles if style.start < style.end)
        if group.cell is not None:
            self._cells.append((*group.cell, start, self._builder.length))

    def _close(self, end: int) -> None:
        if self._shape is not None:
            block = PlainBlock(self._start, end, self._shape, tuple(sorted(self._styles)), tuple(self._cells))
            self._blocks.append(block)
            self._start, self._styles, self._cells = end, [], []

    def finished(self) -> list[PlainBlock]:
        if self._shape is None and self._builder.length:
            self._shape = Shape("paragraph")
        self._close(self._builder.length)
        return self._blocks


class _Builder:
    """Copies ranges of markdown, minus what the edits drop or replace, and keeps the runs."""

    def __init__(self, markdown: str) -> None:
        self._markdown = markdown
        self.length = 0
        self.parts: list[str] = []
        self.runs: list[Run] = []

    def add(self, ranges: Sequence[Span], edits: Sequence[Replacement]) -> None:
        if len(self.runs) + len(edits) > MOST_RUNS:
            raise IndexingError(
                "This text holds more markup than can be kept", "Add the part you need as a file."
            )
        index = 0
        for start, end in ranges:
            position = start
            while index < len(edits) and edits[index].start < end:
                edit = edits[index]
                index += 1
                if edit.start >= position:  # else it is inside something already dropped
                    self._copy(position, edit.start)
                    self._replace(edit)
                    position = edit.end
            self._copy(position, end)

    def placed(self, style: InlineStyle, first_run: int) -> InlineStyle:
        """A style of the markdown as it is in the plain text, given a run at or before its first."""
        return style._replace(
            start=self._plain(style.start, first_run), end=self._plain(style.end, first_run)
        )

    def _plain(self, position: int, first_run: int) -> int:
        index = bisect_left(self.runs, position, lo=first_run, key=lambda run: run[1]) - 1
        if index < first_run:
            return self.runs[first_run][0] if first_run < len(self.runs) else self.length
        plain, source, length = self.runs[index]
        return plain + min(length, position - source)

    def _copy(self, start: int, end: int) -> None:
        if start >= end:
            return
        plain, source, length = self.runs[-1] if self.runs else (0, 0, 0)
        if length and source + length == start:
            self.runs[-1] = (plain, source, length + end - start)
        else:
            self.runs.append((self.length, start, end - start))
        self.parts.append(self._markdown[start:end])
        self.length += end - start

    def _replace(self, edit: Replacement) -> None:
        for char in edit.text:
            self.runs.append((self.length, edit.start, 1))
            self.parts.append(char)
            self.length += 1
        if edit.text:
            self.runs.append((self.length, edit.end, 0))


LONGEST_BEGINNING = 300  # of the words by which a text is recognised
READ_CHARACTERS = (
    6000  # of Markdown; pages that begin with more than that of tables and headings show nothing
)


def first_words(markdown: str) -> str:
    """At most 300 characters of running text, without headings and markup, cut between words."""
    said: list[str] = []
    for block in markdown[front_matter_end(markdown) :].split("\n\n"):
        if not _is_heading(block):
            said += project(block).text.split()
        if sum(map(len, said)) + len(said) > LONGEST_BEGINNING:
            break
    text = " ".join(said)
    if len(text) <= LONGEST_BEGINNING:
        return text
    head = text[: LONGEST_BEGINNING - 1]
    kept = head if text[LONGEST_BEGINNING - 1] == " " else head.rpartition(" ")[0] or head
    return kept.rstrip(" ,;:—–-") + "…"


def _is_heading(block: str) -> bool:
    found = next(landmarks(block.strip("\n")), None)
    return found is not None and found.kind == "heading" and found.first == 0
