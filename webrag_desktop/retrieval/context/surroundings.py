"""The text in and around a passage, as a row of runs that may be added to a pack."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from webrag_desktop.citations.spans import heading_path_at
from webrag_desktop.models.documents import Place
from webrag_desktop.retrieval.contracts.results import RetrievedChunk
from webrag_desktop.storage.searching.items import ChildRow, FormerText, Neighbours

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
