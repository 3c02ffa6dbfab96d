"""What the reader shows of a stored text: its blocks as they are read, each character traced to the markdown."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from operator import attrgetter
from urllib.parse import unquote, urljoin, urlsplit

from webrag_desktop.gui.data.reader import BlockKind, ReaderBlock, StyledRange
from webrag_desktop.gui.data.view_data import OutlineEntry, ReaderDocument
from webrag_desktop.models.citations import links_in
from webrag_desktop.models.documents import Block, DocumentVersion
from webrag_desktop.models.formats import kind_of_name
from webrag_desktop.text.landmarks import Landmark, landmarks, may_be_headings
from webrag_desktop.text.links import is_web
from webrag_desktop.text.markdown_grammar import front_matter_end
from webrag_desktop.text.mathematics import Formula, formulas, mathml_by_reading, structured
from webrag_desktop.text.plain_blocks import Shape
from webrag_desktop.text.plain_inline import InlineStyle
from webrag_desktop.text.plain_text import PlainBlock, PlainText, project_blocks

Run = tuple[int, int, int]
_LINE_BREAK = re.compile("\n")


def reader_document(
    version: DocumentVersion,
    *,
    title: str,
    place: str,
    address: str,
    current: bool = True,
    in_bin: bool = False,
) -> ReaderDocument:
    """The document that the reader shows of a version; takes time in proportion to its length."""
    marks = tuple(landmarks(version.markdown))
    plain, parts = project_blocks(version.markdown, marks)
    made = _BlockMaker(version, plain, marks)
    blocks = tuple(made.block(part) for part in parts)
    return ReaderDocument(
        document_id=version.document_id,
        version_id=version.id,
        title=title,
        place=place,
        address=address,
        fetched_at=version.fetched_at,
        markdown=version.markdown,
        blocks=blocks,
        outline=tuple(_outline(blocks)),
        current=current,
        in_bin=in_bin,
    )


def _outline(blocks: Iterable[ReaderBlock]) -> Iterator[OutlineEntry]:
    """The headings of the document itself: one in a quote heads no section, so what follows is not below it."""
    for block in blocks:
        words = " ".join(block.text.split())
        if block.kind == "heading" and words and not block.quoted:
            first = len(block.text) - len(block.text.lstrip())
            source = next(at + first - start for start, at, length in reversed(block.runs) if start <= first)
            yield OutlineEntry(words, block.level, source)


class _BlockMaker:
    """Turns blocks of the projection into blocks of the reader, with positions of their own."""

    def __init__(self, version: DocumentVersion, plain: PlainText, marks: Sequence[Landmark]) -> None:
        self._markdown = version.markdown
        self._plain = plain
        self._headings = _Headings(version.blocks)
        self._formulas = formulas_as_read(version.markdown, plain, version.blocks, marks)
        self._base = version.source_url if is_web(version.source_url) else ""
        # Pages keep a line break only where they ask for one, texts wherever they were written.
        named = kind_of_name(unquote(urlsplit(version.source_url).path))
        self._flows = version.html is None and named == "markdown"
        self._is_plain = version.html is None and not self._flows
        self._front_matter = _front_matter_end(version.markdown) if self._flows else 0
        self._source = 0  # how far the blocks have come
        self._next_run = 0

    def block(self, part: PlainBlock) -> ReaderBlock:
        """The next block; blocks are asked for in order."""
        text = self._plain.text[part.start : part.end]
        runs = tuple(self._runs(part))
        shape = part.shape
        kind = self._kind(shape.kind, runs)
        within = tuple(self._formulas_in(part, kind))
        if kind == "code" and within:
            kind = "paragraph"
        styles = [self._style(style, part.start) for style in part.styles]
        if kind not in {"code", "table"}:
            breaks = self._breaks(text, runs, all_stand=kind == "front_matter")
            styles.extend(one for one in breaks if not any(f.start <= one.start < f.end for f in within))
        if kind != "code":
            styles.extend(_bare_links(text, styles))
        return ReaderBlock(
            kind=kind,
            text=text,
            runs=runs,
            level=_level(kind, shape),
            marker=shape.marker,
            language=shape.language,
            styles=tuple(sorted(styles, key=attrgetter("start"))),
            cells=_rows(part),
            quoted=shape.quoted,
            formulas=within,
        )

    def _formulas_in(self, part: PlainBlock, kind: BlockKind) -> Iterator[Formula]:
        """The formulas that are completely in a block; in code only one that is all of it."""
        first = bisect_left(self._formulas, part.start, key=lambda formula: formula.start)
        for formula in self._formulas[first:]:
            if formula.start >= part.end:
                return
            is_all = not self._plain.text[formula.end : part.end].strip() and formula.display
            if formula.end <= part.end and (kind != "code" or (formula.start == part.start and is_all)):
                yield formula._replace(start=formula.start - part.start, end=formula.end - part.start)

    def _kind(self, kind: BlockKind, runs: Sequence[Run]) -> BlockKind:
        """What a block is in this document: in plain text an indent is no code, and a number sign no heading."""
        if runs:
            self._source = runs[-1][1] + runs[-1][2]
        if self._source <= self._front_matter and self._front_matter:
            return "front_matter"
        if not runs:
            return kind
        source = runs[0][1]
        if kind == "heading" and not self._headings.may_stand_at(source):
            return "paragraph"
        indented = self._markdown[source - 1 : source] in {" ", "\t"}
        return "paragraph" if kind == "code" and indented and self._is_plain else kind

    def _runs(self, part: PlainBlock) -> Iterator[Run]:
        """The part of the runs that the block covers; a run that extends beyond its end is cut."""
        runs = self._plain.runs
        while self._next_run < len(runs):
            plain, source, length = runs[self._next_run]
            if plain > part.end or (plain == part.end and length > 0):
                return
            skipped = max(part.start - plain, 0)
            taken = min(plain + length, part.end) - plain - skipped
            if taken > 0 or length == 0:
                yield plain + skipped - part.start, source + skipped, taken
            if plain + length > part.end:
                return
            self._next_run += 1

    def _style(self, style: InlineStyle, start: int) -> StyledRange:
        target = style.target
        if target is not None and self._base:
            target = _joined(self._base, target)
        return StyledRange(style.start - start, style.end - start, style.style, target)

    def _breaks(self, text: str, runs: Sequence[Run], *, all_stand: bool) -> Iterator[StyledRange]:
        """The line breaks inside a text that are kept."""
        all_stand = all_stand or not self._flows
        starts = [run[0] for run in runs]
        for found in _LINE_BREAK.finditer(text, len(text) - len(text.lstrip("\n")), len(text.rstrip("\n"))):
            plain, source, _ = runs[bisect_right(starts, found.start()) - 1]
            at = source + found.start() - plain
            if all_stand or self._markdown[at - 1 : at] == "\\" or self._markdown[at - 2 : at] == "  ":
                yield StyledRange(found.start(), found.end(), "break")


def _bare_links(text: str, styles: Sequence[StyledRange]) -> Iterator[StyledRange]:
    """Links into the library as they are pasted into notes, which Markdown takes for plain words."""
    taken = [style for style in styles if style.style in {"link", "code"}]
    for start, end in links_in(text):
        if not any(style.start < end and start < style.end for style in taken):
            yield StyledRange(start, end, "link", text[start:end])


def formulas_as_read(
    markdown: str, plain: PlainText, blocks: Sequence[Block], marks: Sequence[Landmark] | None = None
) -> list[Formula]:
    """The formulas of a markdown with their places in its reading; as MathML where its page gives nothing else.

    ``marks`` are the landmarks of the markdown, where they are known already.
    """
    starts = [block.char_start for block in blocks]
    of_block = cache(lambda index: mathml_by_reading(blocks[index].html or "") if index >= 0 else {})
    found: list[Formula] = []
    for formula in formulas(markdown, marks):
        start, end = plain.to_plain_span(formula.start, formula.end)
        end = start + len(plain.text[start:end].rstrip())
        known = of_block(bisect_right(starts, formula.start) - 1)
        if start < end:
            found.append(structured(formula, known)._replace(start=start, end=end))
    return found


def _level(kind: BlockKind, shape: Shape) -> int:
    is_listed = kind == "front_matter" and shape.kind == "list_item"
    return shape.level if is_listed or kind not in {"paragraph", "front_matter"} else 0


def _front_matter_end(markdown: str) -> int:
    """Where the front matter of a Markdown file ends with the blank lines after it; 0 where it has none."""
    end = front_matter_end(markdown)
    after = markdown[end:] if end else ""
    return end + len(after) - len(after.lstrip("\n"))


def _joined(base: str, target: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:  # not an address; it is shown as it is written
        return target


def _rows(part: PlainBlock) -> tuple[tuple[tuple[int, int], ...], ...]:
    rows: list[list[tuple[int, int]]] = []
    for row, column, start, end in part.cells:
        while len(rows) <= row:
            rows.append([])
        here = start - part.start
        rows[row].extend([(here, here)] * (column - len(rows[row])))
        rows[row].append((here, end - part.start))
    return tuple(map(tuple, rows))


class _Headings:
    """Where a line of markdown that looks like a heading is one: not in plain text, nor in other blocks of a page."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._starts = [block.char_start for block in blocks]

    def may_stand_at(self, position: int) -> bool:
        index = bisect_right(self._starts, position) - 1
        return index < 0 or may_be_headings(self._blocks[index].heading_path, self._blocks[index].html)
