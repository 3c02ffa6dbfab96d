"""A result as a reader meets it, in the characters of the files that an evaluation set is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.retrieval_quality_parts.evaluation_sets import Piece
from benchmarks.retrieval_quality_parts.metrics import Ranking
from webrag_desktop.retrieval.contracts.reading import reading_order
from webrag_desktop.retrieval.contracts.results import RetrievalResult


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
    """A result in the order in which the product reads it; its passages and documents best first."""
    pieces = [
        places[one.chunk.source_url].piece(one.char_start, one.char_end)
        for one in reading_order(result.chunks)
    ]
    chunks = sorted(result.chunks, key=lambda chunk: (-chunk.rank_score, chunk.source_url, chunk.char_start))
    whole = [places[chunk.source_url].piece(chunk.char_start, chunk.char_end) for chunk in chunks]
    documents = dict.fromkeys(piece.document for piece in whole)
    return Ranking(tuple(pieces), tuple(whole), tuple(documents))
