"""Tables of a page: those whose cells are drawn with lines, and the others where the text alone shows them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from webrag_desktop.ingestion.pdf.aligned_tables import aligned_tables
from webrag_desktop.ingestion.pdf.drawings import Drawings, Rule
from webrag_desktop.ingestion.pdf.table_cells import Cell, Table
from webrag_desktop.ingestion.pdf.table_rows import row_borders
from webrag_desktop.ingestion.pdf.words import Word, joined

_TOLERANCE = 2.0  # points by which lines that meet may miss each other
_MOST_CROSSINGS = 400_000  # pairs of lines that are compared on one page
_MOST_ROWS, _MOST_COLUMNS, _MOST_CELLS = 1000, 60, 20_000
_FEW_BANDS = 3  # between drawn lines, such as head, body and sums: more of them are the rows
_MOST_TABLES = 50  # on one page
_APART = 1.0  # font sizes between words of two cells
_FEWEST_FILLED = 0.4  # of the cells; grids of charts are empty


def find_tables(words: Sequence[Word], drawings: Drawings) -> tuple[list[Table], list[Word]]:
    """The tables of a page, and the words that are in none."""
    horizontal, vertical = _merged(drawings.horizontal), _merged(drawings.vertical)
    if len(horizontal) * len(vertical) > _MOST_CROSSINGS:
        return [], list(words)
    tables: list[Table] = []
    rest = list(enumerate(words))
    for group in _connected(horizontal, vertical)[:_MOST_TABLES]:
        grid = _Grid.of(*group)
        if grid is None:
            continue
        inside = [(order, word) for order, word in rest if grid.holds(word)]
        table = grid.table(inside)
        if table is not None:
            tables.append(table)
            taken = frozenset(order for order, _ in inside)
            rest = [(order, word) for order, word in rest if order not in taken]
    for table, taken in aligned_tables(rest, horizontal):
        tables.append(table)
        rest = [(order, word) for order, word in rest if order not in taken]
    left = [order for order, _ in rest]
    placed = [replace(table, order=bisect_left(left, table.order) - 0.5) for table in tables]
    return placed, [word for _, word in rest]


def _merged(rules: Iterable[Rule]) -> list[Rule]:
    """Lines drawn in parts, as one each."""
    merged: list[Rule] = []
    for at, members in _by_place(rules):
        start, end = members[0].start, members[0].end
        for rule in members[1:]:
            if rule.start > end + _TOLERANCE:
                merged.append(Rule(at, start, end))
                start, end = rule.start, rule.end
            end = max(end, rule.end)
        merged.append(Rule(at, start, end))
    return merged


def _by_place(rules: Iterable[Rule]) -> list[tuple[float, list[Rule]]]:
    groups: list[tuple[float, list[Rule]]] = []
    for rule in sorted(rules):
        if groups and rule.at - groups[-1][0] <= _TOLERANCE:
            groups[-1][1].append(rule)
        else:
            groups.append((rule.at, [rule]))
    return [(at, sorted(members, key=lambda rule: rule.start)) for at, members in groups]


def _connected(horizontal: list[Rule], vertical: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Groups of lines that touch each other, those at the top of the page first."""
    owner = list(range(len(horizontal) + len(vertical)))

    def find(index: int) -> int:
        while owner[index] != index:
            owner[index] = owner[owner[index]]
            index = owner[index]
        return index

    for row, across in enumerate(horizontal):
        for column, down in enumerate(vertical, len(horizontal)):
            if _meet(across, down):
                owner[find(column)] = find(row)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index, rule in enumerate([*horizontal, *vertical]):
        groups.setdefault(find(index), ([], []))[index >= len(horizontal)].append(rule)
    return [
        group for group in groups.values() if len(group[0]) + len(group[1]) >= 4 and group[0] and group[1]
    ]


def _meet(across: Rule, down: Rule) -> bool:
    return (
        across.start - _TOLERANCE <= down.at <= across.end + _TOLERANCE
        and down.start - _TOLERANCE <= across.at <= down.end + _TOLERANCE
    )


class _Grid:
    """Rows and columns that a group of lines spans."""

    def __init__(self, xs: list[float], ys: list[float], across: list[Rule], down: list[Rule]) -> None:
        self._xs, self._ys = xs, ys
        self._across, self._down = across, down

    @classmethod
    def of(cls, across: list[Rule], down: list[Rule]) -> "_Grid | None":
        """The grid of a group, with the outer borders that are not drawn; None when it has no cells."""
        xs = _places([r.at for r in down], min(r.start for r in across), max(r.end for r in across))
        ys = _places([r.at for r in across], min(r.start for r in down), max(r.end for r in down))
        rows, columns = len(ys) - 1, len(xs) - 1
        if (
            rows < 1
            or columns < 2
            or rows > _MOST_ROWS
            or columns > _MOST_COLUMNS
            or rows * columns > _MOST_CELLS
        ):
            return None
        return cls(xs, ys, across, down)

    def holds(self, word: Word) -> bool:
        """Whether a word is inside."""
        x, y = _middle(word)
        return self._xs[0] <= x <= self._xs[-1] and self._ys[0] <= y <= self._ys[-1]

    def table(self, inside: list[tuple[int, Word]]) -> Table | None:
        """The table with its words; None where the lines draw no table after all."""
        if len(self._ys) - 1 <= _FEW_BANDS:
            self._part_rows([word for _, word in inside])
        if len(self._ys) < 3:
            return None
        words: dict[tuple[int, int], list[Word]] = {}
        for _, word in inside:
            x, y = _middle(word)
            place = self._index(self._ys, y), self._index(self._xs, x)
            words.setdefault(place, []).append(word)
        regions = self._regions(words)
        if regions is None:
            return None
        cells = tuple(_cell(region, words) for region in regions)
        filled = [cell for cell in cells if cell.text]
        if (
            len(filled) < max(2, _FEWEST_FILLED * len(cells))
            or len({cell.row for cell in filled}) < 2
            or len({cell.column for cell in filled}) < 2
        ):
            return None
        order = min(order for order, _ in inside)
        return Table(self._xs[0], self._xs[-1], self._ys[0], self._ys[-1], order, cells)

    def _part_rows(self, inside: Sequence[Word]) -> None:
        """Draw the borders of rows that only the text shows, where there are next to none."""
        columns = len(self._xs) - 1
        bands: dict[int, list[list[Word]]] = {}
        for word in inside:
            x, y = _middle(word)
            held = bands.setdefault(self._index(self._ys, y), [[] for _ in range(columns)])
            held[self._index(self._xs, x)].append(word)
        added = [at for held in bands.values() for at in row_borders(held, self._xs[1:])]
        if added and len(self._ys) + len(added) <= _MOST_ROWS:
            self._ys = sorted([*self._ys, *added])
            self._across = [*self._across, *(Rule(at, self._xs[0], self._xs[-1]) for at in added)]

    @staticmethod
    def _index(places: list[float], at: float) -> int:
        return min(max(bisect_right(places, at) - 1, 0), len(places) - 2)

    def _regions(self, words: dict[tuple[int, int], list[Word]]) -> list[tuple[int, int, int, int]] | None:
        """Row, column, rows and columns of every cell; None where open sides make shapes that are no rectangles."""
        rows, columns = len(self._ys) - 1, len(self._xs) - 1
        open_right = {
            (column, row)
            for column, row in self._open(self._xs, self._ys, self._down)
            if not _stand_apart(words.get((row, column), ()), words.get((row, column + 1), ()))
        }
        open_below = self._open(self._ys, self._xs, self._across)
        seen: set[tuple[int, int]] = set()
        regions = []
        for row in range(rows):
            for column in range(columns):
                if (row, column) in seen:
                    continue
                wide = 1
                while column + wide < columns and (column + wide - 1, row) in open_right:
                    wide += 1
                high = 1
                while row + high < rows and (row + high - 1, column) in open_below:
                    high += 1
                places = {(r, c) for r in range(row, row + high) for c in range(column, column + wide)}
                if places & seen:
                    return None
                seen |= places
                regions.append((row, column, high, wide))
        return regions

    @staticmethod
    def _open(places: list[float], bands: list[float], rules: list[Rule]) -> set[tuple[int, int]]:
        """Sides without a line: (index of the place before, index of the band)."""
        middles = [(a + b) / 2 for a, b in pairwise(bands)]
        open_sides = {(index, band) for index in range(len(places) - 2) for band in range(len(middles))}
        for rule in rules:
            index = bisect_right(places, rule.at + 2 * _TOLERANCE) - 2
            first = bisect_right(middles, rule.start - _TOLERANCE)
            for band in range(first, bisect_right(middles, rule.end + _TOLERANCE)):
                open_sides.discard((index, band))
        return open_sides


def _stand_apart(left: Sequence[Word], right: Sequence[Word]) -> bool:
    """Whether words of neighbouring places are those of two cells, though no line parts them."""
    if not left or not right:
        return False
    gap = min(word.x0 for word in right) - max(word.x1 for word in left)
    return gap >= _APART * max(word.size for word in left)


def _places(at: list[float], low: float, high: float) -> list[float]:
    """The positions of lines, each once, and the outer ends where there is no line."""
    places: list[float] = []
    for value in sorted([*at, low, high]):
        if not places or value - places[-1] > 2 * _TOLERANCE:
            places.append(value)
    return places


def _middle(word: Word) -> tuple[float, float]:
    return (word.x0 + word.x1) / 2, word.y - 0.3 * word.size


def _cell(region: tuple[int, int, int, int], words: dict[tuple[int, int], list[Word]]) -> Cell:
    row, column, rows, columns = region
    inside = [
        word
        for r in range(row, row + rows)
        for c in range(column, column + columns)
        for word in words.get((r, c), ())
    ]
    if rows * columns > 1:
        inside.sort(key=lambda word: (word.line, word.y))
    bold = bool(inside) and all(word.style.bold for word in inside)
    return Cell(row, column, rows, columns, joined(inside).strip(), bold)
