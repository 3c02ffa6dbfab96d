"""The outline of a formula, from LaTeX or MathML; knows no Qt and runs in the drawing process alone."""

import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, fromstring

from ziafont.config import config

from webrag_desktop.text.mathematics import FormulaKind

with warnings.catch_warnings():  # some versions of Python warn of the function that finds the font
    warnings.simplefilter("ignore", DeprecationWarning)
    from ziamath.escapes import unescape
    from ziamath.nodes.mrow import Mrow
    from ziamath.tex import tex2mml
    from ziamath.zmath import Math

PIXELS = 100  # the font's size that outlines are made in
DEEPEST = 40  # braces, brackets or elements inside each other
WIDEST, TALLEST, LONGEST_OUTLINE = 150 * PIXELS, 60 * PIXELS, 400_000
_SIGN = re.compile(r"\\.|[{}]|\\begin\b|\\end\b", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)%(?:[^\n]*\n)?")  # pages are kept without line breaks: then only its sign goes
_DROPPED = re.compile(
    r"\\(?:label|require|newline)\s*\{[^{}]*\}|\\(?:nonumber|notag|displaylimits)(?![A-Za-z])"
)
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")
_NUMBERED = re.compile(r"\\(begin|end)\{(align|gather|multline|equation|alignat|flalign)\}")
_RENAMED = {
    r"\arg": r"\operatorname{arg}",
    r"\bm": r"\boldsymbol",
    r"\textnormal": r"\text",
    r"\textsc": r"\text",
    r"\lt": "<",
    r"\gt": ">",
    r"\dd": r"\mathrm{d}",
    r"\R": r"\mathbb{R}",
    r"\N": r"\mathbb{N}",
    r"\Z": r"\mathbb{Z}",
    r"\Q": r"\mathbb{Q}",
    r"\C": r"\mathbb{C}",
}
_COMMAND = re.compile(r"\\[A-Za-z]+")
_THREE_COLUMNS = re.compile(r"\\begin\{eqnarray\*?\}"), re.compile(r"\\end\{eqnarray\*?\}")
_WRAPPERS = re.compile(r"\\(?:begin|end)\{(?:equation\*?|displaymath|math|multline\*?|split)\}")
_UNKNOWN = re.compile(r">\s*\\[A-Za-z]")
_ELEMENT = re.compile(r"<(/?)[A-Za-z][^<>]*?(/?)>")
_TABLE, _ROW_SPACING = (
    re.compile(r"<mtable\b([^<>]*?)>"),
    re.compile(r"\srowspacing=(?:\"[^\"<>]*\"|'[^'<>]*')"),
)
_BETWEEN_ROWS, _BETWEEN_COLUMNS = "0.5em", "0.8em"
_ROWS = {"math", "mrow", "mtd"}
_FLOAT = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
_LINE = re.compile(rf"\s*M ({_FLOAT}) ({_FLOAT}) L ({_FLOAT}) ({_FLOAT})\s*")

config.svg2 = False  # every glyph as a path of its own, at its position
config.precision = 4


_MEASURED = Mrow._get_height_nostretch


def _measured_once(row: Mrow, line: list[Element], **how: Any) -> tuple[float, float]:
    """How high a row's fences are to be. A row that is only measured itself needs none.

    The library measures those too, so that every row in another doubles the time.
    """
    return (0.0, 0.0) if how.get("nostretch") else _MEASURED(row, line, **how)


Mrow._get_height_nostretch = _measured_once  # type: ignore[method-assign, assignment]


class Undrawable(Exception):
    """A formula that cannot be drawn as it is meant."""


class Outline(NamedTuple):
    """``path`` holds ``M``, ``L``, ``Q``, ``C`` and ``Z`` with absolute coordinates, downwards from the baseline.

    All in pixels of a font of :data:`PIXELS`.
    """

    width: float
    ascent: float
    descent: float
    path: str


def outline(source: str, kind: FormulaKind, *, display: bool) -> Outline:
    """Draw a formula.

    Raises:
        Undrawable: it holds what is not known, or is too deep or too large; other errors mean as much.
    """
    if kind == "latex":
        _check_depth(_depth_of_latex(source))
        mathml = tex2mml(_known_latex(source), inline=not display)
        if _UNKNOWN.search(mathml):
            raise Undrawable
    else:
        mathml = _checked_mathml(source)
    _check_depth(_depth_of_elements(mathml))
    root = fromstring(unescape(_TABLE.sub(_spaced, mathml)))  # noqa: S314 - entities were refused before
    _flatten(root)
    root.set("display", "block" if display else "inline")
    return _outline_of(Math(root, size=PIXELS, margin=0))


def _check_depth(depth: int) -> None:
    if depth > DEEPEST:
        raise Undrawable


def _depth_of_latex(source: str) -> int:
    depth = deepest = 0
    for sign in _SIGN.findall(source):
        depth += (sign in {"{", "\\begin"}) - (sign in {"}", "\\end"})
        deepest = max(deepest, depth)
    return deepest


def _depth_of_elements(mathml: str) -> int:
    depth = deepest = 0
    for closing, empty in _ELEMENT.findall(mathml):
        depth += -1 if closing else not empty
        deepest = max(deepest, depth)
    return deepest


def _known_latex(source: str) -> str:
    """LaTeX in words that the library knows."""
    source = _COMMENT.sub("", source)
    source = _TAG.sub(r"\\qquad (\1)", _DROPPED.sub("", source))
    source = _WRAPPERS.sub("", source) if "\\\\" not in source else source
    source = _NUMBERED.sub(r"\\\1{\2*}", source)
    begins, ends = _THREE_COLUMNS
    source = ends.sub(r"\\end{array}", begins.sub(r"\\begin{array}{rcl}", source))
    return _COMMAND.sub(lambda found: _RENAMED.get(found[0], found[0]), source)


def _checked_mathml(source: str) -> str:
    if "<!" in source or "<?" in source:  # entities are none of ours to resolve
        raise Undrawable
    return re.sub(r">\s+", ">", re.sub(r"\s+<", "<", source))


def _flatten(element: Element) -> None:
    """Dissolve rows that only group: each one in another doubles the time that the library takes."""
    for child in element:
        _flatten(child)
    flat: list[Element] = []
    for child in element:
        grouped = list(child) if _name(child) == "mrow" and not child.attrib else []
        is_plain = not any(
            _name(one) == "mo" for one in grouped
        )  # an operator in braces has no space around it
        dissolves = is_plain and (len(grouped) == 1 or (grouped and _name(element) in _ROWS))
        flat += grouped if dissolves else [child]
    element[:] = flat


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _spaced(table: re.Match[str]) -> str:
    """A table whose rows stay apart: their distances are often given in points, whatever the font's size."""
    columns = "" if "columnspacing" in table[1] else f' columnspacing="{_BETWEEN_COLUMNS}"'
    return f'<mtable{_ROW_SPACING.sub("", table[1])} rowspacing="{_BETWEEN_ROWS}"{columns}>'


def _outline_of(drawn: Math) -> Outline:
    box = drawn.node.bbox
    if not (0 < box.xmax - box.xmin <= WIDEST and 0 < box.ymax - box.ymin <= TALLEST):
        raise Undrawable
    path = " ".join(_paths(drawn.svgxml(), -box.xmin))
    if not path or len(path) > LONGEST_OUTLINE:
        raise Undrawable
    return Outline(box.xmax - box.xmin, box.ymax, -box.ymin, path)


def _paths(element: Element, left: float) -> Iterator[str]:
    for child in element:
        match child.tag:
            case "path" if child.get("stroke") and child.get("fill", "none") == "none":
                yield _stroke(child)
            case "path" if "transform" not in child.attrib:
                yield child.attrib["d"]
            case "rect":
                yield from _rectangle(child)
            case "g" | "svg" if "transform" not in child.attrib:
                yield from _paths(child, left)
            case "title" | "defs":
                continue
            case _:
                raise Undrawable


def _rectangle(element: Element) -> Iterator[str]:
    x, y, width, height = (float(element.get(name, 0)) for name in ("x", "y", "width", "height"))
    if element.get("fill") != "none":
        yield _box(x, y, width, height)
        return
    line = float(element.get("stroke-width", 4))
    yield _box(x, y, width, line)
    yield _box(x, y + height - line, width, line)
    yield _box(x, y, line, height)
    yield _box(x + width - line, y, line, height)


def _box(x: float, y: float, width: float, height: float) -> str:
    return f"M {x} {y} L {x + width} {y} L {x + width} {y + height} L {x} {y + height} Z"


def _stroke(element: Element) -> str:
    found = _LINE.fullmatch(element.attrib["d"])
    if found is None:
        raise Undrawable
    x, y, right, bottom = map(float, found.groups())
    half = float(element.get("stroke-width", 4)) / 2
    length = max(((right - x) ** 2 + (bottom - y) ** 2) ** 0.5, 1e-6)
    dx, dy = -(bottom - y) / length * half, (right - x) / length * half
    return (
        f"M {x + dx} {y + dy} L {right + dx} {bottom + dy} L {right - dx} {bottom - dy} L {x - dx} {y - dy} Z"
    )
