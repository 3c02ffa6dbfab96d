"""A result as a reader meets it: the sentences that carry the evidence first, then what is left of their chunks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.retrieval_quality_parts.evaluation_sets import Piece
from benchmarks.retrieval_quality_parts.metrics import Ranking, merged
from webrag_desktop.retrieval.contracts.results import RetrievalResult, RetrievedChunk


@dataclass(frozen=True, slots=True)
class Place:
    """A stored document's file and, for every character of its markdown, the place in that file."""

    name: str
    offsets: Sequence[int]

    def piece(self, start: int, end: int) -> Piece:
        """A span of the markdown as one of the file."""
        return Piece(self.name, self.offsets[start], self.offsets[end - 1] + 1)


def original_offsets(markdown: str, text: str) -> list[int]:
    """For every character of the markdown, its place in the text it was read from.

    Reading drops white space and byte order marks only.

    Raises:
        ValueError: something else was changed.
    """
    offsets = []
    place = 0
    for character in markdown:
        while place < len(text) and text[place] != character:
            if not text[place].isspace() and text[place] != "\ufeff":
                raise ValueError(f"The text was changed at {place}: {text[place : place + 20]!r}")
            place += 1
        offsets.append(place)
        place += 1
    if place > len(text):
        raise ValueError("The markdown goes on behind the end of the text")
    return offsets


def ranking(result: RetrievalResult, places: Mapping[str, Place]) -> Ranking:
    """A result in evidence order: the sentences of all its chunks by score, then what is left of the chunks."""
    chunks = sorted(result.chunks, key=lambda chunk: (-chunk.rank_score, chunk.source_url, chunk.char_start))
    spans = [
        (span.score, span.char_start, span.char_end, chunk)
        for chunk in chunks
        for span in chunk.matched_spans
    ]
    spans.sort(key=lambda found: -found[0])
    pieces = [places[chunk.source_url].piece(start, end) for _, start, end, chunk in spans]
    for chunk in chunks:
        pieces += [places[chunk.source_url].piece(start, end) for start, end in _rest(chunk)]
    whole = [places[chunk.source_url].piece(chunk.char_start, chunk.char_end) for chunk in chunks]
    documents = dict.fromkeys(piece.document for piece in whole)
    return Ranking(tuple(pieces), tuple(whole), tuple(documents))


def _rest(chunk: RetrievedChunk) -> Iterator[tuple[int, int]]:
    """What a chunk holds beside its matched sentences, in reading order."""
    shown = merged([Piece("", span.char_start, span.char_end) for span in chunk.matched_spans]).get("", [])
    start = chunk.char_start
    for span_start, span_end in shown:
        if start < span_start:
            yield start, span_start
        start = span_end
    if start < chunk.char_end:
        yield start, chunk.char_end
