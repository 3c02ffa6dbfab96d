"""The texts that passages are shown from, kept for the next question, and which of them is code or a table."""

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias
from uuid import UUID

from webrag_desktop.gui.data.view_data import DocumentKind, TextPart
from webrag_desktop.progress import CancelToken
from webrag_desktop.text.spans import Span

if TYPE_CHECKING:
    from webrag_desktop.retrieval.contracts.results import RetrievedChunk
    from webrag_desktop.text.plain_text import PlainBlock, PlainText

MOST_VERSIONS = 8
MOST_CHARACTERS = 3_000_000  # that many small texts may be kept beyond the number of versions
MOST_STRUCTURES = 64  # of documents, which are small beside their texts
# In these an indented line is no code; a fence says so itself.
_PLAIN_KINDS: frozenset[DocumentKind] = frozenset({"text", "pdf"})
_SIGN = re.compile(r"^[ >]*(?:```|~~~)|^(?: {4}|\t)|\|", re.MULTILINE)

Structure: TypeAlias = "tuple[PlainBlock, ...]"


class Structures:
    """The code blocks and tables of the versions asked for last, in the order of their text. Any thread may ask."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._lock = Lock()
        self._kept: OrderedDict[UUID, Structure] = OrderedDict()

    def of(
        self,
        chunks: "Iterable[RetrievedChunk]",
        load: Callable[[list[UUID]], Mapping[UUID, str]],
        cancel: CancelToken,
    ) -> dict[UUID, Structure]:
        """Those of the versions of chunks that may hold such blocks; ``load`` gives the markdown of what is not kept.

        Raises:
            Cancelled: it was asked to stop; what was read until then is kept.
        """
        wanted = list(dict.fromkeys(chunk.version_id for chunk in chunks if _may_have_parts(chunk)))
        with self._lock:
            known = {id_: self._kept[id_] for id_ in wanted if id_ in self._kept}
        missing = [id_ for id_ in wanted if id_ not in known]
        for version_id, markdown in (load(missing) if missing else {}).items():
            cancel.raise_if_cancelled()
            known[version_id] = _structure_of(markdown)
            self._keep(version_id, known[version_id])
        return known

    def _keep(self, version_id: UUID, structure: Structure) -> None:
        with self._lock:
            self._kept[version_id] = structure
            if len(self._kept) > MOST_STRUCTURES:
                self._kept.popitem(last=False)


class Readings:
    """The plain texts of the versions asked for last. Any thread may ask.

    At least :data:`MOST_VERSIONS` are kept, and more while they have fewer than :data:`MOST_CHARACTERS` together: one
    answer can hold passages of many documents.
    """

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._lock = Lock()
        self._kept: OrderedDict[UUID, PlainText] = OrderedDict()
        self.structures = Structures()

    def of(
        self,
        version_ids: Collection[UUID],
        load: "Callable[[list[UUID]], Mapping[UUID, PlainText]]",
        cancel: "CancelToken",
    ) -> "dict[UUID, PlainText]":
        """Those of these versions that there are; ``load`` gives all those at once that are not kept.

        Raises:
            Cancelled: it was asked to stop; what was read until then is kept.
        """
        read = self._known(version_ids)
        missing = [id_ for id_ in dict.fromkeys(version_ids) if id_ not in read]
        if missing:
            for version_id, plain in load(missing).items():
                cancel.raise_if_cancelled()
                read[version_id] = plain
                self._keep(version_id, plain)
        return read

    def _known(self, version_ids: Collection[UUID]) -> "dict[UUID, PlainText]":
        with self._lock:
            known = {id_: self._kept[id_] for id_ in version_ids if id_ in self._kept}
            for id_ in known:
                self._kept.move_to_end(id_)
            return known

    def _keep(self, version_id: UUID, plain: "PlainText") -> None:
        with self._lock:
            self._kept[version_id] = plain
            self._kept.move_to_end(version_id)
            characters = sum(len(one.text) for one in self._kept.values())
            while len(self._kept) > MOST_VERSIONS and characters > MOST_CHARACTERS:
                _oldest, dropped = self._kept.popitem(last=False)
                characters -= len(dropped.text)


def _may_have_parts(chunk: "RetrievedChunk") -> bool:
    return chunk.has_code or chunk.has_table or _SIGN.search(chunk.chunk_text) is not None


def _structure_of(markdown: str) -> Structure:
    from webrag_desktop.text.plain_text import project_blocks  # not before the first search

    _plain, blocks = project_blocks(markdown)
    return tuple(block for block in blocks if block.shape.kind in {"code", "table"})


def parts_of(
    chunk: "RetrievedChunk",
    structure: Structure,
    plain: "PlainText",
    span: Span,
    kind: DocumentKind,
    formulas: Sequence[Span],
) -> Iterator[TextPart]:
    """The code and the tables within ``span`` of a text, counted from its start; a display formula is no code."""
    start, end = span
    if kind in _PLAIN_KINDS and not (chunk.has_code or chunk.has_table):
        return
    first = bisect_right(structure, start, key=lambda block: block.end)
    for block in structure[first:]:
        if block.start >= end:
            return
        part = _table(block, plain, span) if block.shape.kind == "table" else _code(block, plain, span)
        if part.start < part.end and not any(at < part.end and part.start < to for at, to in formulas):
            yield part


def _code(block: "PlainBlock", plain: "PlainText", span: Span) -> TextPart:
    start, end = span
    text = plain.text[block.start : block.end]
    first, last = max(block.start, start), min(block.end - (len(text) - len(text.rstrip())), end)
    return TextPart("code", first - start, max(first, last) - start)


def _table(block: "PlainBlock", plain: "PlainText", span: Span) -> TextPart:
    start, end = span
    rows: dict[int, dict[int, Span]] = {}
    for row, column, first, last in block.cells:
        rows.setdefault(row, {})[column] = first, last
    header = rows.pop(0, {})
    kept = [
        _cells(row, start, end)
        for row in rows.values()
        if any(at < end and to > start for at, to in row.values())
    ]
    inside = header and min(header.values())[0] >= start
    text = plain.text[block.start : block.end].rstrip()
    return TextPart(
        "table",
        max(block.start, start) - start,
        min(block.start + len(text), end) - start,
        header=tuple(
            plain.text[slice(*header[column])] if column in header else ""
            for column in range(max(header, default=-1) + 1)
        ),
        header_cells=_cells(header, start, end) if inside else (),
        rows=tuple(kept),
    )


def _cells(row: Mapping[int, Span], start: int, end: int) -> tuple[Span, ...]:
    """The cells of a row by column, counted from ``start`` and cut at ``end``; one that is empty is so, too."""
    cells = (row.get(column, (start, start)) for column in range(max(row, default=-1) + 1))
    return tuple((min(max(at, start), end) - start, min(max(to, start), end) - start) for at, to in cells)
