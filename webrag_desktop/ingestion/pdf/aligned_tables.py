"""Tables without lines between their columns: told by alignment alone, and only where nothing else looks so.

Two kinds are known. Between three and more lines of one length, as papers rule their tables, columns that are set
below each other are those of a table. Without any line there must also be names and columns of numbers, and blank space
around.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from webrag_desktop.ingestion.pdf.drawings import Rule
from webrag_desktop.ingestion.pdf.table_cells import Cell, Table
from webrag_desktop.ingestion.pdf.text_rows import (
    Interval,
    Placed,
    TextRow,
    are_numbers,
    cell_text,
    columns_of,
    in_columns,
    is_aligned,
    text_rows,
)

_SAME_END = 2.0  # points by which lines of one length may differ
_FEWEST_RULES = 3
_FEWEST_ROWS = 3
_MOST_TABLES = 50  # on one page
_MOST_HEADS = 4  # rows
_MOST_ROWS, _MOST_COLUMNS = 200, 20
_BETWEEN = 0.8  # font sizes between columns
_ABOVE, _BELOW = 0.3, 0.9  # font sizes from a baseline to a line
_LEADING = 2.5  # font sizes between rows of one table at most
_PARAGRAPH = 1.7  # font sizes between lines of one paragraph at most
_EVEN = 0.15  # of the leading, by which distances of rows differ
_AROUND = 1.3  # times the leading, that a table is away from other text
_LONGEST_CELL = 40  # characters
_LONGEST_RULED_CELL = 60
_FILLED, _FILLED_RULED = 0.8, 0.6  # of the cells
_LETTER = re.compile(r"[^\W\d_]")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_COUNTER = re.compile(r"[(\[]?\d{1,3}[)\].:]?")  # of equations, entries, steps and lines of code
_LEADERS = re.compile(r"(?:[.·…]\s?){3}")
_FEWEST_LINES = 4  # of running text
_NARROWEST = 8  # font sizes that a column of it is wide at least
_FULL = 0.8  # of the widest line, by which the one in the middle of all is filled
_CODE = 0.5  # of the words in monospaced type, from which rows are code

Found = tuple[Table, frozenset[int]]


def aligned_tables(words: Sequence[Placed], rules: Sequence[Rule]) -> Iterator[Found]:
    """Each table with the positions of its words; ``rules`` are the lines across the page."""
    taken: frozenset[int] = frozenset()
    count = 0
    for table, held in (*_between_rules(words, rules), *_without_rules(words)):
        if count < _MOST_TABLES and not held & taken:
            taken |= held
            count += 1
            yield table, held


def _between_rules(words: Sequence[Placed], rules: Sequence[Rule]) -> Iterator[Found]:
    for group in _of_one_length(rules)[:_MOST_TABLES]:
        first, last = group[0], group[-1]
        inside = [
            (order, word)
            for order, word in words
            if first.at < word.y - _ABOVE * word.size < last.at
            and first.start - _SAME_END <= (word.x0 + word.x1) / 2 <= first.end + _SAME_END
        ]
        middle = (first.start + first.end) / 2
        found = _ruled_table(text_rows(inside), group[1].at, middle) if inside else None
        if found is not None:
            yield found


def _of_one_length(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Lines with the same ends, at least three one below the other."""
    groups: dict[tuple[int, int], list[Rule]] = {}
    for rule in sorted(rules):
        ends = round(rule.start / _SAME_END), round(rule.end / _SAME_END)
        groups.setdefault(ends, []).append(rule)
    return [group for group in groups.values() if len(group) >= _FEWEST_RULES]


def _ruled_table(rows: list[TextRow], head_end: float, middle: float) -> Found | None:
    """The table of these rows around ``middle``, of which those above ``head_end`` are its head."""
    head = [row for row in rows if row.y <= head_end]
    body = [row for row in rows if row.y > head_end]
    if (
        not 0 < len(head) <= _MOST_HEADS
        or len(body) < _FEWEST_ROWS - 1
        or len(rows) > _MOST_ROWS
        or _is_code(rows)
    ):
        return None
    size = median(row.size for row in body)
    columns = columns_of(body, _BETWEEN * size)
    lines = [in_columns(row, columns) for row in body]
    cells = _joined_rows(lines)
    if (
        len(cells) < _FEWEST_ROWS - 1
        or _are_prose(lines, size)
        or not _is_filled(cells, _FILLED_RULED)
        or not _are_columns(cells, size, _LONGEST_RULED_CELL)
    ):
        return None
    titles = [row for row in head[:-1] or head if _is_centred(row, middle, size)]
    heads = [
        [(0, len(columns), list(row.words))] if row in titles else _head_cells(row, columns, size)
        for row in head
    ]
    return _table([*heads, *map(_body_cells, cells)]) if _are_named(heads, len(columns)) else None


def _are_prose(rows: Sequence[Sequence[Sequence[Placed]]], size: float) -> bool:
    """Whether the lines of every column fill it, as running text does between the lines across a page."""
    if len(rows) < _FEWEST_LINES:
        return False
    for column in zip(*rows, strict=True):
        widths = [max(word.x1 for _, word in cell) - cell[0][1].x0 for cell in column if cell]
        widest = max(widths, default=0.0)
        if not widths or widest < _NARROWEST * size or median(widths) < _FULL * widest:
            return False
    return True


def _joined_rows(rows: Sequence[list[list[Placed]]]) -> list[list[list[Placed]]]:
    """Rows with what other columns than the first go on with in a line of their own; numbers never do."""
    found: list[list[list[Placed]]] = []
    for row in rows:
        held = [cell for cell in row if cell]
        goes_on = (
            not row[0] and len(held) < len(row) - 1 and not any(are_numbers([cell_text(c)]) for c in held)
        )
        if found and goes_on:
            found[-1] = [[*before, *cell] for before, cell in zip(found[-1], row, strict=True)]
        else:
            found.append(row)
    return found


def _without_rules(words: Sequence[Placed]) -> Iterator[Found]:
    rows = text_rows(words)
    for start, end in _runs(rows):
        found = _bare_table(rows[start:end]) if _stands_alone(rows, start, end) else None
        if found is not None:
            yield found


def _runs(rows: Sequence[TextRow]) -> Iterator[tuple[int, int]]:
    """Rows one below the other that are all parted by wide gaps: from the first to behind the last."""
    start = 0
    for index in range(1, len(rows) + 1):
        goes_on = index < len(rows) and _is_parted(rows[index]) and _is_below(rows[index - 1], rows[index])
        if goes_on and _is_parted(rows[start]):
            continue
        if _FEWEST_ROWS <= index - start <= _MOST_ROWS:
            yield start, index
        start = index


def _is_parted(row: TextRow) -> bool:
    return len(row.parts(_BETWEEN * row.size)) > 1


def _is_below(before: TextRow, row: TextRow) -> bool:
    return row.y - before.y <= _LEADING * row.size


def _stands_alone(rows: Sequence[TextRow], start: int, end: int) -> bool:
    """Whether rows are evenly set, and what is around them cannot be the rest of a cell or of the head."""
    distances = [after.y - before.y for before, after in pairwise(rows[start:end])]
    leading = median(distances)
    if max(distances[1:]) - min(distances[1:]) > _EVEN * leading:
        return False
    above = start == 0 or _is_far(rows[start - 1], rows[start], leading) or _ends_text(rows, start - 1)
    below = end == len(rows) or _is_far(rows[end - 1], rows[end], leading) or _is_text(rows[end])
    return above and below


def _is_far(before: TextRow, row: TextRow, leading: float) -> bool:
    return row.y - before.y >= _AROUND * leading


def _is_text(row: TextRow) -> bool:
    """Whether a row is a line of text that is longer than a cell may be."""
    return not _is_parted(row) and len(cell_text(row.words)) > _LONGEST_CELL


def _ends_text(rows: Sequence[TextRow], index: int) -> bool:
    """Whether a row is a line of text, or the last and short one of a paragraph."""
    row, before = rows[index], rows[max(index - 1, 0)]
    goes_on = not _is_parted(row) and row.y - before.y <= _PARAGRAPH * row.size
    return _is_text(row) or (goes_on and _is_text(before))


def _bare_table(rows: Sequence[TextRow]) -> Found | None:
    if _is_code(rows):
        return None
    size = median(row.size for row in rows)
    columns = columns_of(rows, _BETWEEN * size)
    cells = [in_columns(row, columns) for row in rows]
    body = cells[1:]
    if (
        not _is_filled(cells, _FILLED)
        or not _are_columns(body, size, _LONGEST_CELL)
        or not _is_listing(cells)
    ):
        return None
    return _table(list(map(_body_cells, cells)))


def _is_listing(rows: Sequence[Sequence[Sequence[Placed]]]) -> bool:
    """Whether rows are names with numbers beside them, other than pages of a contents list or an index."""
    texts = [[cell_text(cell) for cell in row] for row in rows]
    by_column = list(zip(*texts[1:], strict=True))
    numbers = [are_numbers(column) and not all(map(_COUNTER.fullmatch, column)) for column in by_column]
    named = all(_LETTERS.search(row[0]) for row in texts[1:])
    return named and any(numbers[1:]) and not _ascend(by_column[-1])


def _ascend(texts: Sequence[str]) -> bool:
    """Whether a column holds whole numbers that never fall, as those of pages do."""
    return all(text.isdecimal() for text in texts) and all(
        int(before) <= int(after) for before, after in pairwise(texts)
    )


def _is_code(rows: Sequence[TextRow]) -> bool:
    styles = [word.style.monospaced for row in rows for _, word in row.words]
    return sum(styles) > _CODE * len(styles)


def _is_filled(rows: Sequence[Sequence[Sequence[Placed]]], least: float) -> bool:
    count = sum(map(len, rows))
    columns = len(rows[0])
    return 2 <= columns <= _MOST_COLUMNS and sum(bool(cell) for row in rows for cell in row) >= least * count


def _are_columns(rows: Sequence[Sequence[Sequence[Placed]]], size: float, longest: int) -> bool:
    """Whether every column is aligned and holds short texts, the first of them more than counters."""
    for column in zip(*rows, strict=True):
        texts = [cell_text(cell) for cell in column]
        if any(len(text) > longest or _LEADERS.search(text) for text in texts):
            return False
        if not is_aligned(column, size) and not are_numbers(texts):
            return False
    return not all(_COUNTER.fullmatch(cell_text(row[0])) for row in rows)


def _body_cells(row: Sequence[Sequence[Placed]]) -> list[tuple[int, int, list[Placed]]]:
    return [(column, 1, list(cell)) for column, cell in enumerate(row)]


def _head_cells(
    row: TextRow, columns: Sequence[Interval], size: float
) -> list[tuple[int, int, list[Placed]]]:
    """Cells of a head, which may reach over several columns; without words where a column has none."""
    cells: list[tuple[int, int, list[Placed]]] = []
    free = 0
    for part in row.parts(_BETWEEN * size):
        first, last = _reach(part, columns)
        first = max(first, free)
        if first > last:  # beside a cell that reaches into its column
            cells[-1][2].extend(part)
            continue
        cells += [(column, 1, []) for column in range(free, first)]
        cells.append((first, last - first + 1, list(part)))
        free = last + 1
    return cells + [(column, 1, []) for column in range(free, len(columns))]


def _are_named(heads: Sequence[Sequence[tuple[int, int, list[Placed]]]], columns: int) -> bool:
    """Whether a head has words above half of the columns, which lines between items of a list have not."""
    named = {
        first + index
        for row in heads
        for first, wide, cell in row
        if _LETTER.search(cell_text(cell))
        for index in range(wide)
    }
    return len(named) * 2 >= columns


def _is_centred(row: TextRow, middle: float, size: float) -> bool:
    """Whether a row of a head is one text in the middle of the table, as titles of the whole are."""
    start, end = row.words[0][1].x0, max(word.x1 for _, word in row.words)
    return len(row.parts(_BETWEEN * size)) == 1 and abs((start + end) / 2 - middle) <= size


def _reach(part: Sequence[Placed], columns: Sequence[Interval]) -> tuple[int, int]:
    """The first and the last column below words; the nearest where there is none."""
    start, end = part[0][1].x0, max(word.x1 for _, word in part)
    below = [index for index, column in enumerate(columns) if column.start < end and column.end > start]
    if below:
        return below[0], below[-1]
    middle = (start + end) / 2
    nearest = min(range(len(columns)), key=lambda index: abs(sum(columns[index]) / 2 - middle))
    return nearest, nearest


def _table(rows: Sequence[Sequence[tuple[int, int, list[Placed]]]]) -> Found:
    placed = [one for row in rows for _, _, cell in row for one in cell]
    words = [word for _, word in placed]
    cells = tuple(
        Cell(
            number, column, 1, wide, cell_text(cell), bool(cell) and all(word.style.bold for _, word in cell)
        )
        for number, row in enumerate(rows)
        for column, wide, cell in row
    )
    table = Table(
        min(word.x0 for word in words),
        max(word.x1 for word in words),
        min(word.y - _BELOW * word.size for word in words),
        max(word.y for word in words),
        min(order for order, _ in placed),
        cells,
    )
    return table, frozenset(order for order, _ in placed)
