"""What a quotation is compared with, stretches of stored texts or whole ones, and what a place in them stands under."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

from webrag_desktop.citations.reading import ReadText
from webrag_desktop.citations.spans import LONGEST_HEADING, heading_path_at, resolve_span
from webrag_desktop.models.documents import Block, DocumentVersion, Place
from webrag_desktop.storage.searching.quotes import ReadVersion, TextAround
from webrag_desktop.text.plain_text import PlainText


class Standing(NamedTuple):
    """What a place of a text stands under."""

    section_heading: str | None
    heading_path: tuple[str, ...]
    anchor: str | None
    page: int | None


@dataclass(frozen=True, slots=True)
class Passage:
    """Some children of a shown text that adjoin each other, or a whole text, and how they read in it.

    ``text`` begins at the code point ``start`` of the markdown; ``to_end`` tells that nothing is read after it. A whole
    text has no ``children``.
    """

    version: ReadVersion
    start: int
    text: ReadText
    children: Sequence[TextAround] = ()
    to_end: bool = True

    def is_cut(self, start: int, end: int) -> bool:
        """Whether ``[start, end)`` of its markdown touches an end of it where the text goes on, maybe within a word."""
        return (self.start > 0 and start <= 0) or (not self.to_end and end >= len(self.text.markdown))


def whole_text(version: ReadVersion) -> Passage:
    """A text that was read with its markdown."""
    assert version.markdown is not None, "it was read with it"
    plain = PlainText(version.plain_text, version.plain_map)
    text = ReadText(version.markdown, version.plain_text, plain.to_markdown_span, plain.to_plain_span)
    return Passage(version, 0, text)


def standing_among(children: Sequence[TextAround], position: int) -> Standing:
    """What stands above a code point of the markdown that is in one of these children."""
    child = children[max(bisect_right(children, position, key=_begins) - 1, 0)]
    places = [Place(*place) for place in child.places]  # they are stored as lists
    index = bisect_right(places, position, key=_place_begins) - 1
    at = places[index] if index >= 0 else Place(position, child.anchor, None, child.page)
    path = heading_path_at(child.heading_path, child.section_heading, places, position)
    return Standing(child.section_heading, path, at.anchor, at.page)


def standing_in(text: DocumentVersion, position: int) -> Standing:
    """What stands above a code point of the markdown of a stored text."""
    span = resolve_span(text, position, position + 1)
    index = bisect_right(text.blocks, position, key=_block_begins) - 1
    if index < 0:
        return Standing(span.section_heading, (), span.anchor, None)
    block = text.blocks[index]
    path = tuple(heading[:LONGEST_HEADING].rstrip() for heading in block.heading_path)
    return Standing(span.section_heading, path, span.anchor, block.page)


def passages_of(texts: Iterable[TextAround], versions: Mapping[UUID, ReadVersion]) -> Iterator[Passage]:
    """What children that are given in order make up: those that adjoin each other are one passage."""
    for document, of_one in groupby(texts, key=_document):
        version = versions.get(document)
        if version is None:  # a chunk without its document is damage, which doctor tells
            continue
        plain = PlainText(version.plain_text, version.plain_map)
        for children in _adjoining(of_one):
            yield _passage(version, plain, children)


def _adjoining(children: Iterable[TextAround]) -> Iterator[list[TextAround]]:
    run: list[TextAround] = []
    for child in children:
        if run and run[-1].char_end != child.char_start:
            yield run
            run = []
        run.append(child)
    yield run


def _passage(version: ReadVersion, plain: PlainText, children: Sequence[TextAround]) -> Passage:
    """Children of a text as they read in the whole of it."""
    start, markdown = children[0].char_start, "".join(child.chunk_text for child in children)
    first, last = plain.to_plain_span(start, start + len(markdown))

    def to_markdown(begin: int, end: int) -> tuple[int, int]:
        from_, to = plain.to_markdown_span(begin + first, end + first)
        return max(from_ - start, 0), min(to - start, len(markdown))

    def to_plain(begin: int, end: int) -> tuple[int, int]:
        from_, to = plain.to_plain_span(begin + start, end + start)
        return from_ - first, to - first

    text = ReadText(markdown, plain.text[first:last], to_markdown, to_plain)
    return Passage(version, start, text, children, last == len(plain.text))


def _document(child: TextAround) -> UUID:
    return child.document_id


def _begins(child: TextAround) -> int:
    return child.char_start


def _place_begins(place: Place) -> int:
    return place.char_start


def _block_begins(block: Block) -> int:
    return block.char_start
