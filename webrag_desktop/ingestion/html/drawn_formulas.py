"""Formulas of which a page holds only what KaTeX drew: scripts, fractions and roots read from how they are stacked."""

from collections.abc import Callable, Mapping

from turbohtml import Element, Node

from webrag_desktop.text.mathml import latex_of_characters, spaced_latex

DRAWN = ".katex-html"
_DEEPEST = 60  # levels; what is nested deeper is given by its characters
_UNSEEN = frozenset(
    (
        "strut",
        "pstrut",
        "vlist-s",
        "nulldelimiter",
        "mspace",
        "hide-tail",
        "frac-line",
        "sqrt-line",
        "katex-mathml",
    )
)


def drawn_latex(drawn: Element) -> str:
    """The LaTeX of a ``.katex-html`` element, without delimiters."""
    return _latex(drawn, 0)


def _latex(node: Node, depth: int) -> str:
    if not isinstance(node, Element) or depth > _DEEPEST:
        return latex_of_characters(_seen(node.text))
    classes = set((node.attr("class") or "").split())
    if node.tag == "svg" or classes & _UNSEEN:
        return ""
    read = next((one for name, one in _STACKS.items() if name in classes), None)
    if read is not None:
        return read(node, depth)
    return spaced_latex([_latex(child, depth + 1) for child in node.children])


def _seen(text: str) -> str:
    return text.replace("\u200b", "")


def _levels(stack: Element, depth: int) -> list[str]:
    """What is drawn on each level of a stack, from the lowest to the highest."""
    level = stack.select_one(".vlist")
    rows = level.children if level is not None else ()
    return [latex for row in rows if isinstance(row, Element) and (latex := _latex(row, depth + 1))]


def _scripts(stack: Element, depth: int) -> str:
    levels = _levels(stack, depth)
    if len(levels) > 1:
        return f"_{{{levels[0]}}}^{{{levels[-1]}}}"
    lowered = stack.select_one(".vlist-t2") is not None
    return f"{'_' if lowered else '^'}{{{levels[0]}}}" if levels else ""


def _fraction(stack: Element, depth: int) -> str:
    levels = _levels(stack, depth)
    return f"\\frac{{{levels[-1]}}}{{{levels[0]}}}" if len(levels) > 1 else "".join(levels)


def _root(stack: Element, depth: int) -> str:
    return f"\\sqrt{{{''.join(_levels(stack, depth))}}}"


_STACKS: Mapping[str, Callable[[Element, int], str]] = {
    "msupsub": _scripts,
    "mfrac": _fraction,
    "sqrt": _root,
}
