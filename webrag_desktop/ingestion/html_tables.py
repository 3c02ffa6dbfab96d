"""Tables as pipe tables, merged cells repeated; and telling tables of data from tables that lay out a page."""

from collections.abc import Callable

from turbohtml import Element

from webrag_desktop.ingestion.html_parsing import cell_span

WIDEST_TABLE = 200  # columns
CellText = Callable[[Element], str]


def is_layout(table: Element) -> bool:
    """Whether a table only arranges parts of the page."""
    if table.attr("role") in {"presentation", "none"}:
        return True
    if table.select_one("th,caption,thead") is not None:
        return table.select_one("h1,h2,h3") is not None
    cells = table.select("td")
    if len(cells) <= 1:
        return True
    return table.select_one("table,h1,h2,h3,h4,h5,pre,dl,blockquote,p + p") is not None


def table_markdown(table: Element, cell_text: CellText) -> str:
    """A GitHub pipe table; the first row is the header, a caption stands above as a line of its own."""
    rows = _grid(table, cell_text)
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    full = [row + [""] * (width - len(row)) for row in rows]
    lines = [_line(full[0]), _line(["---"] * width), *(_line(row) for row in full[1:])]
    caption = table.select_one("caption")
    above = cell_text(caption) if caption is not None else ""
    return "\n\n".join(part for part in (above, "\n".join(lines)) if part)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _grid(table: Element, cell_text: CellText) -> list[list[str]]:
    rows: list[list[str]] = []
    reaching_down: dict[int, tuple[int, str]] = {}  # column -> rows still covered, text
    for row in table.select("tr"):
        if row.closest("table") != table:
            continue
        cells = [cell for cell in row.children if isinstance(cell, Element) and cell.tag in {"td", "th"}]
        line = _row(cells, reaching_down, cell_text)
        if any(line):
            rows.append(line)
    return rows


def _row(cells: list[Element], reaching_down: dict[int, tuple[int, str]], cell_text: CellText) -> list[str]:
    line: list[str] = []
    waiting = iter(cells)
    while len(line) < WIDEST_TABLE:
        column = len(line)
        if column in reaching_down:
            left, text = reaching_down.pop(column)
            if left > 1:
                reaching_down[column] = (left - 1, text)
            line.append(text)
            continue
        cell = next(waiting, None)
        if cell is None:
            if not any(covered > column for covered in reaching_down):
                break
            line.append("")
            continue
        text = cell_text(cell)
        down = cell_span(cell, "rowspan")
        for offset in range(cell_span(cell, "colspan")):
            line.append(text)
            if down > 1:
                reaching_down[column + offset] = (down - 1, text)
    return line
