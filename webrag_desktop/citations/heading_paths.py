"""Which headings a place in a chunk stands under."""

from bisect import bisect_right
from collections.abc import Sequence

from webrag_desktop.models.documents import Place


def heading_path_at(
    path: Sequence[str], section_heading: str | None, places: Sequence[Place], position: int
) -> tuple[str, ...]:
    """The headings above a position of the markdown, outermost first.

    ``path`` are those above the beginning of the chunk, ``section_heading`` is that of its ``#`` or ``##`` section,
    which holds all of it, ``places`` are the chunk's. Where the chunk has passed into another section by then, only
    that of its own section and the one right above the position are known to stand above it; what may stand between
    is left out.
    """
    index = bisect_right(places, position, key=_begins) - 1
    headings = [place[2] for place in places[: index + 1]]  # they are stored as lists
    if not headings or all(heading == headings[0] for heading in headings):
        return tuple(path)
    around = tuple(path[: path.index(section_heading) + 1]) if section_heading in path else ()
    return tuple(dict.fromkeys((*around, *filter(None, headings[-1:]))))


def _begins(place: Place) -> int:
    return place[0]
