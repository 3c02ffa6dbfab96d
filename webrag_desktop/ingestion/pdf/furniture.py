"""Running heads, running feet and page numbers: what stands at the same height on several pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from webrag_desktop.ingestion.pdf.lines import Line
from webrag_desktop.ingestion.pdf.page import PageText

_EDGE = 0.14  # of the page's height, at the top and at the bottom
_EDGE_ROWS = 4
_HEIGHT_STEP = 3.0  # points within which lines stand at the same height
_FEWEST_PAGES = 3
_NEARBY = 12  # pages among which a running head comes back
_APART = 1.4  # font sizes between a running head and the text
_LARGEST = 1.12  # of the body's size
_NUMBER = re.compile(r"\d+|\b[ivxlc]{1,8}\b", re.IGNORECASE)
_Slot = tuple[bool, int]  # at the top, height from that edge in steps
_Row = list[Line]
_MOST_OF_TEXT = 0.5  # of all characters; where more would go, nothing goes


class _Edge(NamedTuple):
    """The rows near one edge of a page, from the edge inwards, and where the first row after them stands."""

    page: PageText
    at_top: bool
    rows: list[_Row]
    inside: float | None

    def slot(self, row: _Row) -> _Slot:
        """The height of a row."""
        edge = self.page.top if self.at_top else self.page.bottom
        return self.at_top, round(abs(row[0].y - edge) / _HEIGHT_STEP)


def without_furniture(pages: list[PageText], body_size: float) -> None:
    """Take what runs along from page to page out of ``pages``.

    A row near an edge goes when a part of it comes back at the same height on nearby pages, numbers aside, or when
    most pages have such a row at that height. Nothing set larger than the text is touched.
    """
    if len(pages) < 2:
        return
    edges = [_edge(page, body_size, at_top=at_top) for page in pages for at_top in (True, False)]
    repeated = _repeated(edges, min(_FEWEST_PAGES, len(pages)))
    usual = _usual_slots(edges, repeated, len(pages))
    drop = {id(line): line for edge in edges for line in _furniture(edge, repeated, usual)}
    total = sum(len(line.text) for page in pages for line in page.lines)
    if sum(len(line.text) for line in drop.values()) > _MOST_OF_TEXT * total:
        return
    for page in pages:
        page.lines = [line for line in page.lines if id(line) not in drop]


def _edge(page: PageText, body_size: float, *, at_top: bool) -> _Edge:
    """What stands near an edge; a table or larger type ends it."""
    rows: list[_Row] = []
    reach = _EDGE * (page.bottom - page.top)
    for line in sorted(page.lines, key=lambda line: line.y, reverse=not at_top):
        if rows and abs(rows[-1][0].y - line.y) <= _HEIGHT_STEP:
            rows[-1].append(line)
        elif len(rows) > _EDGE_ROWS:
            break
        else:
            rows.append([line])
    near = 0
    for row in rows[:_EDGE_ROWS]:
        within = abs(row[0].y - (page.top if at_top else page.bottom)) <= reach
        if not within or any(line.table is not None or line.size > body_size * _LARGEST for line in row):
            break
        near += 1
    return _Edge(page, at_top, rows[:near], rows[near][0].y if near < len(rows) else None)


def _around(slot: _Slot) -> Iterable[_Slot]:
    return ((slot[0], slot[1] + step) for step in (-1, 0, 1))


def _words(line: Line) -> str:
    return _NUMBER.sub("#", line.text.casefold())


def _repeated(edges: list[_Edge], fewest: int) -> set[tuple[_Slot, str]]:
    """Heights and words that come back on nearby pages."""
    seen: dict[tuple[_Slot, str], list[int]] = defaultdict(list)
    for edge in edges:
        for row in edge.rows:
            for key in {(slot, _words(line)) for line in row for slot in _around(edge.slot(row))}:
                if not seen[key] or seen[key][-1] != edge.page.number:
                    seen[key].append(edge.page.number)
    return {key for key, numbers in seen.items() if _comes_back(numbers, fewest)}


def _comes_back(numbers: list[int], fewest: int) -> bool:
    return any(later - first < _NEARBY for first, later in zip(numbers, numbers[fewest - 1 :], strict=False))


def _usual_slots(edges: list[_Edge], repeated: set[tuple[_Slot, str]], pages: int) -> set[_Slot]:
    """Heights at which at least half the pages have a row that comes back."""
    counts: Counter[_Slot] = Counter()
    for edge in edges:
        slots = {edge.slot(row) for row in edge.rows if _comes(edge, row, repeated)}
        counts.update({near for slot in slots for near in _around(slot)})
    return {slot for slot, count in counts.items() if count * 2 >= pages > _FEWEST_PAGES}


def _comes(edge: _Edge, row: _Row, repeated: set[tuple[_Slot, str]]) -> bool:
    return any((edge.slot(row), _words(line)) in repeated for line in row)


def _furniture(edge: _Edge, repeated: set[tuple[_Slot, str]], usual: set[_Slot]) -> list[Line]:
    count = 0
    for row in edge.rows:
        if not (_comes(edge, row, repeated) or edge.slot(row) in usual):
            break
        count += 1
    while count and not _stands_apart(edge, count):
        count -= 1
    return [line for row in edge.rows[:count] for line in row]


def _stands_apart(edge: _Edge, count: int) -> bool:
    """Whether there is more than a line's distance between the outer rows and the rest."""
    outer = edge.rows[count - 1]
    inner = edge.rows[count][0].y if count < len(edge.rows) else edge.inside
    return inner is None or abs(inner - outer[0].y) >= _APART * max(line.size for line in outer)
