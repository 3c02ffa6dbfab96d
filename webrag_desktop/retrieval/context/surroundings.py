"""The text in and around a passage as runs that may be added to a pack, and the pieces that are made of them."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self
from uuid import UUID

from webrag_desktop.citations.spans import heading_path_at
from webrag_desktop.models.documents import Place
from webrag_desktop.retrieval.contracts.packs import ROLES, Role
from webrag_desktop.retrieval.contracts.results import RetrievedChunk
from webrag_desktop.storage.searching.items import ChildRow, FormerText, Neighbours
from webrag_desktop.text.spans import Span

_SECTION_LEVELS = 2  # of a heading path that identify a section, where only blocks are known


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run of text: a child chunk, or a block where the text is no longer cut into these chunks.

    ``section`` identifies its section; ``page`` is the one it begins on, None where there are no pages. ``places`` say
    on which page and under which heading each of its characters is.
    """

    chunk_id: UUID | None
    char_start: int
    char_end: int
    text: str
    section: tuple[str, ...]
    section_heading: str | None
    heading_path: tuple[str, ...]
    anchor: str | None
    page: int | None
    places: tuple[Place, ...] = ()

    def pages(self, start: int, end: int) -> tuple[int, int] | None:
        """The first and last page of its part in ``[start, end)``, None where there are no pages."""
        first = max(0, bisect_right(self.places, start, key=_begins) - 1)
        last = max(first + 1, bisect_left(self.places, end, key=_begins))
        pages = [place.page for place in self.places[first:last] if place.page is not None]
        if pages:
            return min(pages), max(pages)
        return None if self.page is None else (self.page, self.page)

    def headings_at(self, position: int) -> tuple[str, ...]:
        """The headings above its text from that position on."""
        return heading_path_at(self.heading_path, self.section_heading, self.places, position)

    def anchor_at(self, position: int) -> str | None:
        """The nearest place at or before the position that a link can jump to."""
        index = bisect_right(self.places, position, key=_begins) - 1
        return (self.places[index].anchor if index > 0 else None) or self.anchor

    def on_page_of(self, other: "TextRun") -> bool:
        """Whether both are on one page, or in one section where there are no pages."""
        if self.page is not None and other.page is not None:
            return self.page == other.page
        return self.section == other.section


class Surroundings:
    """The runs around passages, made of what was loaded for all passages of a result."""

    def __init__(self, neighbours: Neighbours) -> None:
        """Take what :func:`~webrag_desktop.storage.searching.items.load_neighbours` gave."""
        self._children: dict[UUID, list[TextRun]] = defaultdict(list)
        for row in neighbours.children:
            self._children[row.version_id].append(_child(row))
        self._former = {text.version_id: list(_blocks(text)) for text in neighbours.former}

    def around(self, chunk: RetrievedChunk, reach: int) -> Sequence[TextRun]:
        """The runs of a passage and up to ``reach`` before and behind it, in text order.

        Empty where its text was removed.
        """
        row = self._former.get(chunk.version_id) or self._children.get(chunk.version_id, [])
        within = [
            n
            for n, one in enumerate(row)
            if chunk.char_start < one.char_end and one.char_start < chunk.char_end
        ]
        if not within:
            return []
        return row[max(0, within[0] - reach) : within[-1] + 1 + reach]

    def is_former(self, chunk: RetrievedChunk) -> bool:
        """Whether its text was replaced, or cut again, since it was found."""
        return chunk.version_id in self._former

    def is_removed(self, chunk: RetrievedChunk) -> bool:
        """Whether its document was removed since it was found."""
        return not self.is_former(chunk) and chunk.version_id not in self._children


def _child(row: ChildRow) -> TextRun:
    return TextRun(
        chunk_id=row.id,
        char_start=row.char_start,
        char_end=row.char_end,
        text=row.chunk_text,
        section=_section(row),
        section_heading=row.section_heading,
        heading_path=tuple(row.heading_path),
        anchor=row.anchor,
        page=row.page,
        places=tuple(Place(*place) for place in row.places),
    )


def _section(row: ChildRow) -> tuple[str, ...]:
    """The headings down to that of its section, since many sections are called alike."""
    name, path = row.section_heading or "", tuple(row.heading_path)
    return path[: path.index(name) + 1] if name in path else (name,)


def _blocks(text: FormerText) -> Iterable[TextRun]:
    """Its blocks, each up to where the next begins, so that they leave out nothing."""
    ends = [block["char_start"] for block in text.blocks[1:]] + [len(text.markdown)]
    for block, end in zip(text.blocks, ends, strict=True):
        yield _block(block, text.markdown[block["char_start"] : end])


def _block(block: dict[str, Any], text: str) -> TextRun:
    path = tuple(block.get("heading_path", ()))
    return TextRun(
        chunk_id=None,
        char_start=block["char_start"],
        char_end=block["char_start"] + len(text),
        text=text,
        section=path[:_SECTION_LEVELS],
        section_heading=path[-1] if path else None,
        heading_path=path,
        anchor=block.get("anchor"),
        page=block.get("page"),
    )


def _begins(place: Place) -> int:
    return place.char_start


@dataclass(frozen=True, slots=True)
class Origin:
    """The place of a piece in its document, as far as that is known.

    ``runs`` are those it is taken from. A piece that ``begins_within`` them has the headings and anchor of the first of
    which any text is left; other pieces have those of their passage.
    """

    chunk_id: UUID | None
    section_heading: str | None
    heading_path: tuple[str, ...]
    anchor: str | None
    pages: tuple[int, int] | None
    runs: tuple[TextRun, ...] = ()
    begins_within: bool = False

    def of(self, spans: Iterable[Span]) -> Self:
        """The place of what is left of the piece."""
        parts = [
            (run, start, end)
            for start, end in spans
            for run in self.runs
            if start < run.char_end and run.char_start < end
        ]
        if not parts:
            return self
        known = [pages for run, start, end in parts if (pages := run.pages(start, end)) is not None]
        bounds = (min(first for first, _ in known), max(last for _, last in known)) if known else self.pages
        if not self.begins_within:
            return replace(self, pages=bounds)
        run, start, _ = parts[0]
        return replace(self, pages=bounds, heading_path=run.headings_at(start), anchor=run.anchor_at(start))


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece that may go into a pack: the ``spans`` of a text that begins at ``offset`` of the markdown.

    ``hit`` counts the passages found from 1 for the best, ``found`` is the passage itself. ``distance`` is how many
    runs a neighbour is away from what matched. ``cut`` says that only the best sentences are left of it.
    """

    role: Role
    hit: int
    found: RetrievedChunk
    origin: Origin
    text: str
    offset: int
    spans: tuple[Span, ...]
    distance: int = 0
    cut: bool = False

    @property
    def keeping_place(self) -> tuple[int, int, int, int]:
        """Sorts pieces from what is kept longest to what is dropped first; nearer neighbours are kept longer."""
        return ROLES.index(self.role), self.hit, self.distance, self.spans[0][0] if self.spans else 0

    @property
    def reading_place(self) -> tuple[int, int, int, int]:
        """Sorts pieces as they are read: passages, each with its rest behind it, then neighbours, page by page."""
        place = ROLES.index(self.role)
        return max(0, place - 1), self.hit, place, self.spans[0][0] if self.spans else 0

    def with_spans(self, spans: list[Span], *, cut: bool = False) -> Self:
        """The same piece with other runs of its text, in order."""
        return replace(self, spans=tuple(spans), origin=self.origin.of(spans), cut=cut or self.cut)

    def text_at(self, span: Span) -> str:
        """The text of one run."""
        return self.text[span[0] - self.offset : span[1] - self.offset]
