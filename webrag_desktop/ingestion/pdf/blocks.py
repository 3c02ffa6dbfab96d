"""Lines of all pages made into blocks: headings, paragraphs, lists, code, tables."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median, median_low
from typing import Literal

from webrag_desktop.ingestion.assembly import DraftBlock, DraftLink
from webrag_desktop.ingestion.content_flags import detect_flags
from webrag_desktop.ingestion.pdf.lines import Line, Vocabulary
from webrag_desktop.ingestion.pdf.marks import Depths, Mark, list_markdown, mark_of
from webrag_desktop.ingestion.sanitizing import sanitize
from webrag_desktop.text.markdown_grammar import escape_inline, escape_line, fenced

_BLANK = 1.7  # line distances from which there was a blank line between
_MOST_BLANK = 2
_WIDEST = 400  # columns; anything wider is no indentation


def code_markdown(lines: Sequence[Line]) -> str:
    """A fenced block of the lines; words are in the columns that their positions on the page give."""
    widths = [
        (word.x1 - word.x0) / len(word.text) for line in lines for word in line.words if len(word.text) > 2
    ]
    width = median(widths) if widths else 0.6 * lines[0].size
    left = min(line.x0 for line in lines)
    gaps = [b.y - a.y for a, b in pairwise(lines) if b.y > a.y]
    usual = min(median_low(gaps), 1.4 * lines[0].size) if gaps else 0.0
    typed: list[str] = []
    for index, line in enumerate(lines):
        if index and usual and line.page == lines[index - 1].page:
            missing = (line.y - lines[index - 1].y) / usual
            typed.extend([""] * min(_MOST_BLANK, int(missing - _BLANK + 1)))
        typed.append(_typed(line, left, max(width, 0.1)))
    return fenced(typed)


def _typed(line: Line, left: float, width: float) -> str:
    if line.right_to_left:
        return line.text
    text = ""
    for word in line.words:
        column = min(round((word.x0 - left) / width), _WIDEST)
        blanks = max(column - len(text), 1 if text else 0)
        text += " " * blanks + word.text + ("-" if word.hyphenated else "")
    return text.rstrip()


_Kind = Literal["prose", "item", "rows", "code"]
_PARAGRAPH_GAP = 1.3  # line distances
_INDENT = 0.8  # font sizes
_SAME_SIZE = 0.1  # part by which sizes within a paragraph differ
_ROOM = 1.0  # font sizes beyond the next word, that a line which breaks has left
_LONG_LIST = 1500  # characters from which a list or rows are cut
_MONOSPACED_BODY = 0.7  # of the text, from which monospaced type means nothing
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？؟…][\"'”’»)\]]*$")
_SENTENCE_END = re.compile(r"[.!?。！？؟][\"'”’»)\]]*(?:\s+(?=[^a-z\s])|(?<=[。！？])|$)")
_LONGEST_SENTENCE = 8  # lines that a sentence reaches into the next page
_LEADERS = re.compile(r"(?:\s?[.·]){4,}\s*")
_ENTRY = re.compile(r"(?:\s?\.){4,}\s*\w{1,6}$")


@dataclass(slots=True)
class _Open:
    """The block that lines are being added to."""

    kind: _Kind
    lines: list[Line] = field(default_factory=list)
    mark: Mark | None = None
    depth: int = 0


class BlockBuilder:
    """Makes drafts of lines in reading order; ``headings`` are levels and line counts by index."""

    def __init__(self, lines: Sequence[Line], headings: dict[int, tuple[int, int]]) -> None:
        self._lines = lines
        self._headings = headings
        self._vocabulary = Vocabulary(lines)
        self._leading = _usual_leading(lines)
        self._typewriter = _is_typewritten(lines)
        self._depths = Depths()
        self._open: _Open | None = None
        self._items: list[_Open] = []

    def drafts(self) -> Iterator[DraftBlock]:
        """The blocks in order; no line is lost."""
        index = 0
        while index < len(self._lines):
            line = self._lines[index]
            heading = self._headings.get(index)
            if heading is not None:
                yield from self._end()
                self._depths.clear()
                yield self._heading(heading[0], self._lines[index : index + heading[1]])
            elif line.table is not None:
                yield from self._end()
                yield _table(line)
            elif line.text:
                yield from self._add(line)
            index += heading[1] if heading else 1
        yield from self._end()

    def _add(self, line: Line) -> Iterator[DraftBlock]:
        current = self._open
        kind, mark = self._kind(line, current)
        if (
            current is not None
            and mark is None
            and kind == _going_on(current)
            and self._continues(current, line)
        ):
            if current.kind != "prose" or current.lines[0].page == line.page:
                current.lines.append(line)
            else:
                yield from self._turn_page(current, line)
            return
        if kind != "item" or current is None or current.kind != "item":
            yield from self._end()
        else:
            self._items.append(current)
            yield from self._cut_list(line.page)
        self._open = _Open(kind, [line], mark)
        if mark is not None:
            before = current.lines[-1] if current is not None else line
            if (before.page, before.column) != (line.page, line.column):
                self._depths.new_column()
            self._open.depth = self._depths.enter(line.x0, mark, line.size)

    def _turn_page(self, current: _Open, line: Line) -> Iterator[DraftBlock]:
        """End the sentence that runs over the page, and let the rest of the paragraph begin on its own page."""
        end = _SENTENCE_END.search(line.text)
        if end is None and sum(other.page == line.page for other in current.lines) < _LONGEST_SENTENCE:
            current.lines.append(line)
            return
        cut = end.end() if end is not None else 0
        if cut:
            current.lines.append(replace(line, text=line.text[:cut].rstrip(), links=[]))
        yield from self._end()
        if line.text[cut:]:
            self._open = _Open("prose", [replace(line, text=line.text[cut:])])

    def _kind(self, line: Line, current: _Open | None) -> tuple[_Kind, Mark | None]:
        if self._is_code(line, current):
            return "code", None
        if (line.gaps and not mark_of(line.text)) or _ENTRY.search(line.text):
            return "rows", None
        mark = mark_of(line.text)
        if mark is not None and self._is_item(mark, line, current):
            return "item", mark
        return "prose", None

    def _is_code(self, line: Line, current: _Open | None) -> bool:
        """Whether a line is code: monospaced, but not the last words of a sentence about code."""
        if self._typewriter or not line.partly_monospaced:
            return False
        before = current.lines[-1] if current is not None else None
        if before is None or before.page != line.page or self._gap_before(before, line):
            return line.monospaced
        if current is not None and current.kind == "code":
            return line.monospaced or line.x0 > before.left + _INDENT * line.size
        on_edge = abs(line.x0 - before.x0) < _INDENT * line.size
        return line.monospaced and not (
            on_edge and not _ENDS_SENTENCE.search(before.text) and not _has_room(before, line)
        )

    def _is_item(self, mark: Mark, line: Line, current: _Open | None) -> bool:
        if not self._depths.expects(mark):
            return False
        if mark.number is None and not mark.weak:
            return True
        if current is None or current.kind in {"item", "code"}:
            return True
        before = current.lines[-1]
        return bool(_ENDS_SENTENCE.search(before.text)) or self._gap_before(before, line)

    def _continues(self, current: _Open, line: Line) -> bool:
        """Whether a line belongs to the open block."""
        before = current.lines[-1]
        if current.kind in {"code", "rows"}:
            return before.page == line.page and 0 < line.y - before.y <= 4 * line.size
        if current.mark is not None and len(current.lines) == 1 and len(before.text) <= current.mark.length:
            return True  # the mark is alone on its line
        if abs(before.size - line.size) > _SAME_SIZE * before.size:
            return False
        if before.page != line.page or before.column != line.column or line.y < before.y:
            return _is_unfinished(before, line)
        if self._gap_before(before, line) or (before.bold != line.bold and _has_room(before, line)):
            return False
        return _aligns(current, line)

    def _gap_before(self, before: Line, line: Line) -> bool:
        if before.page != line.page or before.column != line.column:
            return False
        usual = self._leading.get(round(line.size * 2), 1.2 * line.size)
        return line.y - before.y > _PARAGRAPH_GAP * usual

    def _end(self) -> Iterator[DraftBlock]:
        """Close what is open."""
        current, self._open = self._open, None
        if current is not None and current.kind == "item":
            self._items.append(current)
        elif current is not None:
            yield self._draft(current)
        if self._items:
            yield self._list()

    def _cut_list(self, page: int) -> Iterator[DraftBlock]:
        """End a block of items where it is long, and where the next item is on another page."""
        length = sum(len(line.text) for item in self._items for line in item.lines)
        if length > _LONG_LIST or self._items[0].lines[0].page != page:
            yield self._list()

    def _draft(self, block: _Open) -> DraftBlock:
        lines = block.lines
        if block.kind == "code":
            markdown = code_markdown(lines)
        elif block.kind == "rows":
            markdown = "\n".join(escape_line(_LEADERS.sub(" … ", line.text)) for line in lines)
        else:
            markdown = self._paragraph(lines)
        return _draft(markdown, lines)

    def _paragraph(self, lines: Sequence[Line]) -> str:
        """Running text; lines that break before they are full keep their break."""
        parts = [lines[0].text]
        for before, line in pairwise(lines):
            if before.page == line.page and before.column == line.column and _breaks(before, line):
                parts.append(line.text)
            else:
                parts[-1] = self._vocabulary.join(parts[-1], before, line)
        return "\n".join(map(escape_line, parts))

    def _list(self) -> DraftBlock:
        items, self._items = self._items, []
        first = min(item.depth for item in items)
        texts = []
        for item in items:
            assert item.mark is not None
            text = item.lines[0].text[item.mark.length :]
            for before, line in pairwise(item.lines):
                text = self._vocabulary.join(text, before, line)
            texts.append((item.mark, item.depth - first, text))
        return _draft(list_markdown(texts), [line for item in items for line in item.lines])

    def _heading(self, level: int, lines: Sequence[Line]) -> DraftBlock:
        text = lines[0].text
        for before, line in pairwise(lines):
            text = self._vocabulary.join(text, before, line)
        return _draft(f"{'#' * level} {escape_inline(text)}", lines, (level, text))


def _draft(markdown: str, lines: Sequence[Line], heading: tuple[int, str] | None = None) -> DraftBlock:
    return DraftBlock(
        markdown=markdown,
        heading=heading,
        anchor=f"page={lines[0].page}",  # RFC 8118: where viewers open a PDF
        page=lines[0].page,
        flags=detect_flags(markdown),
        links=tuple(DraftLink(*link) for line in lines for link in line.links),
    )


def _table(line: Line) -> DraftBlock:
    assert line.table is not None
    markdown, html = line.table.markdown, line.table.html
    return DraftBlock(
        markdown=markdown,
        html=sanitize(html),
        anchor=f"page={line.page}",
        page=line.page,
        flags=detect_flags(markdown, html),
        links=tuple(DraftLink(*link) for link in line.links),
    )


def _going_on(current: _Open) -> _Kind:
    """The kind of line that may go on with the open block."""
    return "prose" if current.kind == "item" else current.kind


def _is_unfinished(before: Line, line: Line) -> bool:
    """Whether a sentence continues over the end of a column or page."""
    if _ENDS_SENTENCE.search(before.text):
        return False
    return before.text[-1:] in "-‐" or line.text[:1].islower() or not line.text[:1].isupper()


def _aligns(current: _Open, line: Line) -> bool:
    """Whether a line is where the next line of a paragraph or an item would."""
    before = current.lines[-1]
    has_room = _has_room(before, line)
    ended = has_room and _ENDS_SENTENCE.search(before.text) is not None
    indent = 0.0 if line.right_to_left else (line.x0 - before.x0) / line.size
    if indent > _INDENT:
        return current.kind == "item" or not (has_room or _ENDS_SENTENCE.search(before.text))
    if indent < -_INDENT:
        left_of_mark = current.kind == "item" and line.x0 < current.lines[0].x0 - _INDENT * line.size
        return len(current.lines) == 1 and not left_of_mark and not has_room
    return not ended


def _has_room(before: Line, line: Line) -> bool:
    """Whether the first word of a line would have fitted on the line before."""
    if line.right_to_left:
        return before.x0 - before.left > line.first_width + _ROOM * line.size
    return before.right - before.x1 > line.first_width + _ROOM * line.size


def _breaks(before: Line, line: Line) -> bool:
    """Whether a line was broken on purpose, as in addresses and poems."""
    room = before.x0 - before.left if line.right_to_left else before.right - before.x1
    return room > line.first_width + 0.25 * (before.right - before.left) and _has_room(before, line)


def _usual_leading(lines: Sequence[Line]) -> dict[int, float]:
    """The usual distance of lines, by twice the font size rounded."""
    counts: dict[int, Counter[float]] = {}
    for before, line in pairwise(lines):
        gap = line.y - before.y
        if (
            before.page == line.page
            and before.column == line.column
            and 0.8 < gap / max(line.size, 1.0) < 2.2
        ):
            counts.setdefault(round(line.size * 2), Counter())[round(gap, 1)] += 1
    return {size: min(gaps, key=lambda gap: (-gaps[gap], gap)) for size, gaps in counts.items()}


def _is_typewritten(lines: Sequence[Line]) -> bool:
    """Whether nearly all text is monospaced, so that it is prose."""
    total = sum(len(line.text) for line in lines)
    return sum(len(line.text) for line in lines if line.monospaced) > _MONOSPACED_BODY * total
