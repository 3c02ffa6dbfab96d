"""The text in and around a passage as runs that may be added to a pack, and the pieces that are made of them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self
from uuid import UUID

from webrag_desktop.models.documents import Place
from webrag_desktop.retrieval.contracts.packs import ROLES, Role
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.contracts.results import RetrievedChunk
from webrag_desktop.storage.searching.items import ChildRow, FormerText, Neighbours
from webrag_desktop.text.spans import Span

_SECTION_LEVELS = 2  # of a heading path that identify a section, where only blocks are known


class Surroundings:
    """The runs around passages, made of what was loaded for all passages of a result."""

    def __init__(self, neighbours: Neighbours) -> None:
        """Take what :func:`~webrag_desktop.storage.searching.items.load_neighbours` gave."""
        self._children: dict[UUID, list[Passage]] = defaultdict(list)
        for row in neighbours.children:
            self._children[row.version_id].append(_child(row))
        self._former = {text.version_id: list(_blocks(text)) for text in neighbours.former}

    def around(self, chunk: RetrievedChunk, reach: int) -> Sequence[Passage]:
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


def _child(row: ChildRow) -> Passage:
    return Passage(
        text=row.chunk_text,
        rank_score=0.0,
        chunk_id=row.id,
        char_start=row.char_start,
        char_end=row.char_end,
        heading_path=tuple(row.heading_path),
        anchor=row.anchor,
        page=row.page,
        section_heading=row.section_heading,
        section_path=_section(row),
        places=tuple(Place(*place) for place in row.places),
    )


def _section(row: ChildRow) -> tuple[str, ...]:
    """The headings down to that of its section, since many sections are called alike."""
    name, path = row.section_heading or "", tuple(row.heading_path)
    return path[: path.index(name) + 1] if name in path else (name,)


def _blocks(text: FormerText) -> Iterable[Passage]:
    """Its blocks, each up to where the next begins, so that they leave out nothing."""
    ends = [block["char_start"] for block in text.blocks[1:]] + [len(text.markdown)]
    for block, end in zip(text.blocks, ends, strict=True):
        yield _block(block, text.markdown[block["char_start"] : end])


def _block(block: dict[str, Any], text: str) -> Passage:
    path = tuple(block.get("heading_path", ()))
    return Passage(
        text=text,
        rank_score=0.0,
        char_start=block["char_start"],
        char_end=block["char_start"] + len(text),
        heading_path=path,
        anchor=block.get("anchor"),
        page=block.get("page"),
        section_heading=path[-1] if path else None,
        section_path=path[:_SECTION_LEVELS],
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece that may go into a pack: the ``spans`` of the text of a ``passage``, which is on these ``pages``.

    ``hit`` counts the passages found from 1 for the best, ``found`` is the one that the piece belongs to. ``distance``
    is how many runs a neighbour is away from what matched. ``cut`` says that only the best sentences are left of it.

    ``runs`` are the children, or blocks, that its text is taken from. A primary piece has the headings and anchor of
    the first of which any text is left; other pieces have those of their passage.
    """

    role: Role
    hit: int
    found: RetrievedChunk
    passage: Passage
    spans: tuple[Span, ...]
    pages: tuple[int, int] | None = None
    runs: tuple[Passage, ...] = ()
    distance: int = 0
    cut: bool = False

    @property
    def text(self) -> str:
        """The text that its spans are of."""
        return self.passage.text

    @property
    def offset(self) -> int:
        """Where that text begins in the markdown."""
        return self.passage.char_start

    @property
    def keeping_place(self) -> tuple[int, int, int, int]:
        """Sorts pieces from what is kept longest to what is dropped first; nearer neighbours are kept longer."""
        return ROLES.index(self.role), self.hit, self.distance, self.spans[0][0] if self.spans else 0

    @property
    def reading_place(self) -> tuple[int, int, int, int]:
        """Sorts pieces as they are read: passages, each with its rest behind it, then neighbours, page by page."""
        place = ROLES.index(self.role)
        return max(0, place - 1), self.hit, place, self.spans[0][0] if self.spans else 0

    def with_spans(self, spans: Sequence[Span], *, cut: bool = False) -> Self:
        """The same piece with other runs of its text, in order."""
        changed = replace(self, spans=tuple(spans), cut=cut or self.cut)
        parts = [
            (run, start, end)
            for start, end in spans
            for run in self.runs
            if start < run.char_end and run.char_start < end
        ]
        if not parts:
            return changed
        known = [pages for run, start, end in parts if (pages := run.pages(start, end)) is not None]
        bounds = (min(first for first, _ in known), max(last for _, last in known)) if known else self.pages
        if self.role != "primary":
            return replace(changed, pages=bounds)
        run, start, _ = parts[0]
        passage = self.passage._replace(heading_path=run.headings_at(start), anchor=run.anchor_at(start))
        return replace(changed, pages=bounds, passage=passage)

    def text_at(self, span: Span) -> str:
        """The text of one run."""
        return self.text[span[0] - self.offset : span[1] - self.offset]
