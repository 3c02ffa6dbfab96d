"""Tables as pipe tables, merged cells repeated; and telling tables of data from tables that lay out a page."""

from collections.abc import Callable

from turbohtml import Document, Element, Text

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.html.builders import PageNames
from webrag_desktop.ingestion.html.drawn_formulas import DRAWN, drawn_latex
from webrag_desktop.ingestion.html.written_formulas import mark_written, plain_equations
from webrag_desktop.ingestion.html_parsing import cell_span
from webrag_desktop.text.mathml import bare_latex, latex_of

WIDEST_TABLE = 200  # columns
LONGEST_TABLE = 20_000_000  # characters of markdown
MOST_REPEATED = 100_000  # characters by which the repetition of merged cells may lengthen a table
_LONGEST_VALUE = 300  # characters of a table that is the value of a cell
_FEW_VALUES = 0.34  # of the cells, above which tables in them are what the table arranges
_CELL_MARKUP = 3  # characters around a cell
_POSTS = ".commtext,.postbody"  # boards that arrange what people wrote in tables
_COLUMNS = ".indextable"  # lists side by side
CellText = Callable[[Element], str]


def is_layout(table: Element) -> bool:
    """Whether a table only arranges parts of the page."""
    if table.attr("role") in {"presentation", "none"}:
        return True
    if table.attr("role") == "table":
        return table.select_one("h1,h2,h3") is not None or _holds_listing(table) or _holds_large_table(table)
    if table.select_one("th,caption,thead") is not None:
        return table.select_one("h1,h2,h3") is not None or _holds_listing(table)
    if table.matches(_COLUMNS) or table.select_one(_POSTS) is not None:
        return True
    cells = table.select("td")
    if len(cells) <= 1:
        return True
    return table.select_one("table,h1,h2,h3,h4,h5,pre,dl,blockquote,p + p") is not None


def _holds_large_table(table: Element) -> bool:
    """Whether a table in a cell is too long to be read as that cell's value, or there is little beside such tables."""
    inner = [
        part
        for part in table.select("table")
        if part.parent is not None and part.parent.closest("table") == table
    ]
    lengths = [len(" ".join(part.text.split())) for part in inner]
    return any(length > _LONGEST_VALUE for length in lengths) or len(inner) > _FEW_VALUES * len(
        _own_cells(table)
    )


def _own_cells(table: Element) -> list[Element]:
    return [cell for cell in table.select("td,th") if cell.closest("table") == table]


def _holds_listing(table: Element) -> bool:
    """Whether a cell holds code of several lines, which a pipe table would run together."""
    return any("\n" in code.text.strip() for code in table.select("td pre"))


def table_markdown(table: Element, cell_text: CellText) -> str:
    """A GitHub pipe table; the first row is the header, a caption is above as a line of its own.

    Raises :class:`~webrag_desktop.errors.ExtractionError` above :data:`LONGEST_TABLE`.
    """
    rows = _Grid(cell_text).rows(table)
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    _check_length(len(rows) * width * _CELL_MARKUP)
    full = [row + [""] * (width - len(row)) for row in rows]
    lines = [_line(full[0]), _line(["---"] * width), *(_line(row) for row in full[1:])]
    caption = table.select_one("caption")
    above = cell_text(caption) if caption is not None else ""
    return "\n\n".join(part for part in (above, "\n".join(lines)) if part)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _check_length(characters: int) -> None:
    if characters > LONGEST_TABLE:
        raise ExtractionError(
            "The page holds a table larger than can be read", "Add the part you need as a file."
        )


class _Grid:
    """The cells of a table in rows and columns, merged ones written out within bounds."""

    def __init__(self, cell_text: CellText) -> None:
        self._cell_text = cell_text
        self._reaching_down: dict[int, tuple[int, str]] = {}  # column -> rows still covered, text
        self._repeated = 0
        self._length = 0

    def rows(self, table: Element) -> list[list[str]]:
        rows: list[list[str]] = []
        nested = table.select_one("table") is not None
        merged = table.select_one("[rowspan],[colspan]") is not None
        for row in table.select("tr"):
            if nested and row.closest("table") != table:
                continue
            cells = row.select(":scope > td, :scope > th")
            line = self._row(cells) if merged else [self._cell_text(cell) for cell in cells[:WIDEST_TABLE]]
            if any(line):
                rows.append(line)
                self._length += sum(len(text) + _CELL_MARKUP for text in line)
                _check_length(self._length)
        return rows

    def _row(self, cells: list[Element]) -> list[str]:
        line: list[str] = []
        waiting = iter(cells)
        while len(line) < WIDEST_TABLE:
            column = len(line)
            if column in self._reaching_down:
                left, text = self._reaching_down.pop(column)
                if left > 1:
                    self._reaching_down[column] = (left - 1, text)
                line.append(self._again(text))
                continue
            cell = next(waiting, None)
            if cell is None:
                if not any(covered > column for covered in self._reaching_down):
                    break
                line.append("")
                continue
            self._place(cell, line)
        return line

    def _place(self, cell: Element, line: list[str]) -> None:
        text = self._cell_text(cell)
        down = cell_span(cell, "rowspan") if cell.attr("rowspan") else 1
        across = cell_span(cell, "colspan") if cell.attr("colspan") else 1
        for offset in range(across):
            if down > 1:
                self._reaching_down[len(line)] = (down - 1, text)
            line.append(self._again(text) if offset else text)

    def _again(self, text: str) -> str:
        """The text of a merged cell once more, or nothing when too much has been repeated."""
        if self._repeated + len(text) > MOST_REPEATED:
            return ""
        self._repeated += len(text)
        return text


MATH_TAG = "webrag-math"
_FORMULA = (
    "math,.katex-display,.katex,mjx-container,.MathJax_Display,.MathJax,.mwe-math-element,"
    "span.math,div.math,.arithmatex,img.mwe-math-fallback-image-inline,img.tex,img.math"
)
_DUPLICATES = ".katex-html,.MathJax_Preview,mjx-container > mjx-math,.mwe-math-element img,.MathJax_SVG"
_DISPLAY = (
    "math[display=block],.katex-display,.MathJax_Display,mjx-container[display=true],div.math,"
    ".mwe-math-element-block,.mwe-math-mathml-display,math[mode=display]"
)
_DISPLAYED, _INLINE = ("\\[", "\\]"), ("\\(", "\\)")


def mark_formulas(document: Document, names: PageNames) -> None:
    """Wrap every formula in a ``webrag-math`` element and drop its visual duplicates.

    Must run before scripts are removed: MathJax 2 keeps its LaTeX in them.
    """
    rewritten = _scripts_to_spans(document)
    mark_written(document, MATH_TAG)
    formulas = _FORMULA if rewritten else names.narrowed(_FORMULA.split(","))
    duplicates = names.narrowed(_DUPLICATES.split(","))
    if document.select_one(formulas) is None:
        plain_equations(document, MATH_TAG)
        return
    for container in document.select("mjx-container:has(math)"):
        math = container.select_one("math")
        if math is None:  # a container around this one took it
            continue
        if container.attr("display") == "true":
            math.attrs["display"] = "block"
        container.replace_with(math)
    for duplicate in document.select(duplicates) if duplicates else ():
        _drop_duplicate(duplicate)
    for formula in document.select(formulas):
        parent = formula.parent
        if isinstance(parent, Element) and parent.closest(f"{_FORMULA},{MATH_TAG}") is None:
            attributes = {"display": "block"} if _is_display(formula) else {}
            formula.wrap(Element(MATH_TAG, attributes))
    plain_equations(document, MATH_TAG)


def is_display(wrapper: Element) -> bool:
    """Whether a ``webrag-math`` element is on a line of its own."""
    return wrapper.attr("display") == "block"


def formula_markdown(wrapper: Element, _content: str = "") -> str:
    """``$…$`` or ``$$…$$`` with the formula's LaTeX, or its plain characters where the page has no LaTeX."""
    latex = latex_in(wrapper)
    if not latex:
        return ""
    number = wrapper.attr("number")
    if number:
        latex += f" \\tag{{{number}}}"
    return f"$${latex}$$" if is_display(wrapper) else f"${latex}$"


def _scripts_to_spans(document: Document) -> bool:
    """Whether there were any."""
    scripts = document.select('script[type^="math/tex" i]')
    if scripts:
        document.remove(
            ".MathJax_Preview,.MathJax,.MathJax_Display,.MathJax_SVG,.MathJax_SVG_Display,.MJX_Assistive_MathML"
        )
    for script in scripts:
        display = "mode=display" in (script.attr("type") or "")
        before, after = _DISPLAYED if display else _INLINE
        tag = "div" if display else "span"
        script.replace_with(Element(tag, {"class": "math"}, [Text(before + script.text + after)]))
    return bool(scripts)


def _drop_duplicate(element: Element) -> None:
    formula = element.closest(".katex,mjx-container,.mwe-math-element")
    has_source = formula is not None and formula.select_one("math") is not None
    if has_source or element.has_class("MathJax_Preview"):
        element.decompose()


def _is_display(formula: Element) -> bool:
    if formula.matches(_DISPLAY) or formula.select_one(_DISPLAY) is not None:
        return True
    return formula.text.lstrip().startswith(("\\[", "$$"))


def latex_in(wrapper: Element) -> str:
    """The LaTeX of a ``webrag-math`` element: stated, made of its MathML, or its plain characters."""
    several = wrapper.select("math")
    if len(several) > 1:
        return " ".join(filter(None, map(latex_of, several)))
    annotation = wrapper.select_one('annotation[encoding*="tex" i]')
    if annotation is not None and annotation.text.strip():
        return bare_latex(annotation.text)
    math = wrapper.select_one("math")
    if math is not None:
        return latex_of(math)
    drawn = wrapper.select_one(DRAWN)
    if drawn is not None:
        return drawn_latex(drawn)
    image = wrapper.select_one("img[alt]")
    if image is not None and not wrapper.text.strip():
        return bare_latex(image.attr("alt") or "")
    return bare_latex(wrapper.text)
