"""Formulas: one wrapper element around each, whatever produced it, and their LaTeX for the markdown."""

from turbohtml import Document, Element, Text

from webrag_desktop.ingestion.html.names import PageNames
from webrag_desktop.text.mathml import bare_latex

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
    formulas = _FORMULA if rewritten else names.narrowed(_FORMULA.split(","))
    duplicates = names.narrowed(_DUPLICATES.split(","))
    if document.select_one(formulas) is None:
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


def is_display(wrapper: Element) -> bool:
    """Whether a ``webrag-math`` element stands on a line of its own."""
    return wrapper.attr("display") == "block"


def formula_markdown(wrapper: Element, _content: str = "") -> str:
    """``$…$`` or ``$$…$$`` with the formula's LaTeX, or its plain characters where the page has no LaTeX."""
    latex = _latex(wrapper)
    if not latex:
        return ""
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


def _latex(wrapper: Element) -> str:
    annotation = wrapper.select_one('annotation[encoding*="tex" i]')
    if annotation is not None and annotation.text.strip():
        return bare_latex(annotation.text)
    math = wrapper.select_one("math")
    if math is not None:
        return bare_latex(math.attr("alttext") or math.text)
    image = wrapper.select_one("img[alt]")
    if image is not None and not wrapper.text.strip():
        return bare_latex(image.attr("alt") or "")
    return bare_latex(wrapper.text)
