"""Where the pages of an expansion stand: columns by depth, rows so that no two lines cross. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webrag_desktop.gui.data.map import MapPage


@dataclass(frozen=True, slots=True)
class TreePlaces:
    """Column and row of every page; ``parents`` index the pages, None below the question.

    The question is in column 0, at ``root_row``. Rows are counted in pages and may lie between two.
    """

    columns: tuple[int, ...]
    rows: tuple[float, ...]
    parents: tuple[int | None, ...]
    root_row: float
    row_count: int

    @property
    def column_count(self) -> int:
        """How many columns there are, the question's with them."""
        return 1 + max(self.columns, default=0)


def lay_out(pages: Sequence[MapPage]) -> TreePlaces:
    """Lay a tree out: leaves take rows in the order of their visits, a page stands in the middle of what it led to.

    A page whose parent is not there, or that leads back to itself, begins below the question. The same pages in the
    same order always stand in the same places.
    """
    parents = _parents(pages)
    children: list[list[int]] = [[] for _ in pages]
    roots: list[int] = []
    for number, parent in enumerate(parents):
        (roots if parent is None else children[parent]).append(number)
    columns, rows, taken = [0] * len(pages), [0.0] * len(pages), 0
    for number, column, is_done in _walk(roots, children):
        below = children[number]
        if not is_done:
            columns[number] = column
        elif below:
            rows[number] = (rows[below[0]] + rows[below[-1]]) / 2
        else:
            rows[number] = taken
            taken += 1
    root_row = (rows[roots[0]] + rows[roots[-1]]) / 2 if roots else 0.0
    return TreePlaces(tuple(columns), tuple(rows), tuple(parents), root_row, max(taken, 1))


def _walk(roots: Sequence[int], children: Sequence[Sequence[int]]) -> Iterator[tuple[int, int, bool]]:
    """Every page with its column before, and again after, all that it led to; without recursion."""
    waiting = [(number, 1, False) for number in reversed(roots)]
    while waiting:
        number, column, is_done = waiting.pop()
        yield number, column, is_done
        if not is_done:
            waiting.append((number, column, True))
            waiting += [(child, column + 1, False) for child in reversed(children[number])]


def _parents(pages: Sequence[MapPage]) -> list[int | None]:
    numbers = {page.address: number for number, page in enumerate(pages)}
    parents = [numbers.get(page.parent) if page.parent is not None else None for page in pages]
    settled: set[int] = set()
    for number in range(len(pages)):
        above: list[int] = []
        walked: set[int] = set()
        at: int | None = number
        while at is not None and at not in settled and at not in walked:
            above.append(at)
            walked.add(at)
            at = parents[at]
        if at is not None and at in walked:
            parents[min(above[above.index(at) :])] = (
                None  # a circle begins with the page that was visited first
            )
        settled.update(walked)
    return parents
