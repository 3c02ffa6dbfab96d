"""The pieces of a pack, in two orders: the one they are read in, and the one they are kept in."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self
from uuid import UUID

from webrag_desktop.retrieval.context.surroundings import TextRun
from webrag_desktop.retrieval.contracts.packs import ROLES, Role
from webrag_desktop.retrieval.contracts.results import RetrievedChunk
from webrag_desktop.text.spans import Span


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
