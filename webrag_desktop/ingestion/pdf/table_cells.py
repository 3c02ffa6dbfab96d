"""A table as a grid of texts, as pipe table, and as HTML."""

from dataclasses import dataclass
from html import escape

from webrag_desktop.text.markdown_grammar import escape_inline


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its place in the grid, how many rows and columns it spans, and its words."""

    row: int
    column: int
    rows: int
    columns: int
    text: str
    bold: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table in its place on the page; ``order`` is its position among the words around it."""

    x0: float
    x1: float
    y: float
    end: float
    order: float
    cells: tuple[Cell, ...]

    @property
    def markdown(self) -> str:
        """A pipe table, merged cells written out; the first row is the header, empty rows are left out."""
        grid: dict[tuple[int, int], str] = {}
        for cell in self.cells:
            text = escape_inline(cell.text).replace("|", "\\|")
            for row in range(cell.row, cell.row + cell.rows):
                for column in range(cell.column, cell.column + cell.columns):
                    grid[row, column] = text
        columns = sorted({column for (_, column), text in grid.items() if text})
        rows = [
            [grid.get((row, column), "") for column in columns] for row in sorted({row for row, _ in grid})
        ]
        lines = ["| " + " | ".join(row) + " |" for row in rows if any(row)]
        return "\n".join([lines[0], "| " + " | ".join(["---"] * len(columns)) + " |", *lines[1:]])

    @property
    def html(self) -> str:
        """The table with its merged cells; a first row set in bold is made of header cells."""
        by_row: dict[int, list[Cell]] = {}
        for cell in self.cells:
            by_row.setdefault(cell.row, []).append(cell)
        rows = "".join(f"<tr>{''.join(map(_html_cell, by_row[row]))}</tr>" for row in sorted(by_row))
        return f"<table><tbody>{rows}</tbody></table>"


def _html_cell(cell: Cell) -> str:
    tag = "th" if cell.row == 0 and cell.bold else "td"
    spans = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
    spans += f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
    return f"<{tag}{spans}>{escape(cell.text, quote=False)}</{tag}>"
