"""Where the texts that other systems return stand in their documents."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class TextChunk(NamedTuple):
    """``documents[document][start:end] == text``."""

    document: str
    start: int
    end: int
    text: str


class Node(NamedTuple):
    """A text cut out of another node, or out of the document ``within``."""

    name: str
    within: str
    text: str


def whole(documents: Mapping[str, str]) -> list[TextChunk]:
    """Every document as one chunk."""
    return [TextChunk(name, 0, len(text), text) for name, text in documents.items()]


def located(document: str, text: str, parts: Sequence[str]) -> list[TextChunk]:
    """Where consecutive parts of a text stand in it.

    Raises:
        ValueError: one of them is not in the text.
    """
    found = []
    place = 0
    for part in parts:
        start = text.index(part, place)
        place = start + len(part)
        found.append(TextChunk(document, start, place, part))
    return found


def nested(nodes: Iterable[Node], documents: Mapping[str, str]) -> dict[str, tuple[str, int, int]]:
    """Document, start and end of every node. Larger nodes come first; siblings stand in order and may overlap.

    Raises:
        ValueError: a node's text is not in its document.
    """
    places: dict[str, tuple[str, int, int]] = {}
    reached: dict[str, int] = {}
    for node in nodes:
        document, begin, _ = places.get(node.within, (node.within, 0, 0))
        start = documents[document].index(node.text, reached.get(node.within, begin))
        reached[node.within] = start + 1
        places[node.name] = (document, start, start + len(node.text))
    return places
