"""The excerpts that a model reads: ranges of stored texts, each under the source that it is named by."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.answering.surfaces import HtmlSurface, as_read, formulas_of, html_surface
from webrag_desktop.retrieval.answer_context import build_citation
from webrag_desktop.retrieval.context.packing import best_first
from webrag_desktop.retrieval.context.rendering import GAP
from webrag_desktop.retrieval.contracts.answers import Citation, ScoredChunk, content_hash_of, scored_chunk
from webrag_desktop.retrieval.contracts.packs import ContextPack, SelectedChunk
from webrag_desktop.retrieval.contracts.results import MatchedSpan, RetrievedChunk
from webrag_desktop.text.sentences import only_headings


class TextRange(NamedTuple):
    """``text == markdown[start:end]`` of a version, or of a text that is in no library."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is sent under one ``[Source n: …]``: ranges of one text, in its order, with a mark between two of them.

    ``about`` names it. ``found`` is the passage that it is of, or surrounds; None for a selected text. ``rank``
    orders excerpts: the higher, the longer it is kept. ``spans`` are the sentences that retrieval matched in it.
    ``surface`` is the HTML that is read instead of its text, if any; ``formulas`` are the LaTeX of those that its text
    has as bare characters.
    """

    about: ScoredChunk
    ranges: tuple[TextRange, ...]
    rank: float
    found: RetrievedChunk | None = None
    version_id: UUID | None = None
    document_id: UUID | None = None
    spans: tuple[MatchedSpan, ...] = ()
    surface: HtmlSurface | None = None
    formulas: Mapping[str, str] = field(default_factory=dict)

    @property
    def longest(self) -> str:
        """What of its text and its HTML is sent at the most."""
        return max(self.read(())[0], self.surface.text if self.surface else "", key=len)

    def read(self, places: Sequence[int]) -> tuple[str, list[int]]:
        """Its text as a model reads it, and where these ``places`` of :attr:`text`, in order, are in that."""
        return as_read(self.text, self.formulas, places)

    @property
    def text(self) -> str:
        """The markdown of its ranges."""
        return GAP.join(text_range.text for text_range in self.ranges)

    @property
    def citation(self) -> Citation:
        """Where it comes from."""
        return build_citation(self.about.metadata)

    def place_of(self, offset: int) -> int | None:
        """The place in :attr:`text` of a character of the markdown; None where it is not shown."""
        before = 0
        for text_range in self.ranges:
            if text_range.start <= offset < text_range.end:
                return before + offset - text_range.start
            before += len(text_range.text) + len(GAP)
        return None

    def with_ranges(self, ranges: Iterable[TextRange]) -> "Excerpt":
        """The same with other ranges, given in order; what is not shown whole has no HTML."""
        kept = tuple(ranges)
        return replace(self, ranges=kept, surface=self.surface if kept == self.ranges else None)


def whole_passages(chunks: Sequence[RetrievedChunk]) -> list[Excerpt]:
    """Each passage as one excerpt, in the order given, without those of headings alone, which name what follows."""
    return [
        replace(
            _of_passage(chunk, [TextRange(chunk.char_start, chunk.char_end, chunk.chunk_text)]),
            surface=html_surface(chunk),
        )
        for chunk in chunks
        if not only_headings(chunk.chunk_text)
    ]


def _of_passage(chunk: RetrievedChunk, ranges: Sequence[TextRange]) -> Excerpt:
    return Excerpt(
        scored_chunk(chunk),
        tuple(ranges),
        chunk.rank_score,
        chunk,
        chunk.version_id,
        chunk.document_id,
        tuple(chunk.matched_spans),
        formulas=formulas_of(chunk),
    )


def packed_passages(pack: ContextPack, chunks: Sequence[RetrievedChunk]) -> list[Excerpt]:
    """What a pack holds, passages best first: what it has of one is one excerpt, in the order of its text.

    The surroundings of a passage under other headings come behind it, as an excerpt of its own, named by these.
    ``chunks`` are those of the result that the pack was made of.
    """
    found = dict(enumerate(best_first(chunks), start=1))
    groups: dict[tuple[int, tuple[str, ...]], list[SelectedChunk]] = defaultdict(list)
    for piece in pack.chunks:
        passage = found[piece.hit]
        within = piece.role in {"primary", "parent"} or piece.section_heading == passage.section_heading
        groups[piece.hit, () if within else tuple(piece.heading_path)].append(piece)
    ordered = sorted(groups.items(), key=lambda group: (group[0][0], group[0][1] != ()))
    return [_of_pieces(found[hit], pieces, own=not path) for (hit, path), pieces in ordered]


def _of_pieces(passage: RetrievedChunk, pieces: Sequence[SelectedChunk], *, own: bool) -> Excerpt:
    ranges = united([one for piece in pieces for one in _ranges_of(piece)])
    excerpt = _of_passage(passage, _without_blank_gaps(ranges, passage))
    if own:
        return excerpt
    first = min(pieces, key=lambda piece: piece.spans[0].char_start)
    metadata = excerpt.about.metadata.model_copy(
        update={
            "section": first.section_heading,
            "chapters": tuple(first.heading_path),
            "anchor": first.anchor,
            "page": first.page,
            "char_start": excerpt.ranges[0].start,
            "char_end": excerpt.ranges[-1].end,
            "content_hash": content_hash_of(excerpt.text),
        }
    )
    about = excerpt.about.model_copy(update={"metadata": metadata, "text": excerpt.text, "folded": []})
    # The surroundings of passages are left out before any passage is.
    return replace(excerpt, about=about, spans=(), rank=excerpt.rank - 1)


def _ranges_of(piece: SelectedChunk) -> list[TextRange]:
    """The ranges of a piece, whose text holds them one behind another."""
    found, at = [], 0
    for span in piece.spans:
        length = span.char_end - span.char_start
        found.append(TextRange(span.char_start, span.char_end, piece.text[at : at + length]))
        at += length + len(GAP)
    return found


def _without_blank_gaps(ranges: Sequence[TextRange], passage: RetrievedChunk) -> list[TextRange]:
    """The ranges, those of a passage being one with only white space between, which pieces lack."""
    start, text = passage.char_start, passage.chunk_text
    gaps = [
        TextRange(before.end, after.start, text[before.end - start : after.start - start])
        for before, after in pairwise(ranges)
        if start <= before.end < after.start <= passage.char_end
    ]
    return united([*ranges, *(gap for gap in gaps if gap.text.isspace())])


def united(ranges: Iterable[TextRange]) -> list[TextRange]:
    """The same text in order; ranges that touch or overlap are one."""
    merged: list[TextRange] = []
    for one in sorted(ranges, key=lambda one: (one.start, -one.end)):
        last = merged[-1] if merged else None
        if last is None or one.start > last.end:
            merged.append(one)
        elif one.end > last.end:
            merged[-1] = TextRange(last.start, one.end, last.text + one.text[last.end - one.start :])
    return merged
