"""Formulas of Word files (Office Math, ECMA-376 part 1, section 22.1) as LaTeX."""

from collections.abc import Callable

from lxml import etree

from webrag_desktop.ingestion.xml_parts import local_name

INLINE_STYLE = "WebragFormula"
DISPLAY_STYLE = "WebragDisplayFormula"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_OPERATORS = {
    "∑": "\\sum", "∏": "\\prod", "∐": "\\coprod", "∫": "\\int", "∬": "\\iint", "∭": "\\iiint", "∮": "\\oint",
    "⋃": "\\bigcup", "⋂": "\\bigcap", "⋁": "\\bigvee", "⋀": "\\bigwedge", "⨁": "\\bigoplus", "⨂": "\\bigotimes",
}  # fmt: skip
_ACCENTS = {
    "\u0302": "\\hat", "\u0303": "\\tilde", "\u0304": "\\bar", "\u0305": "\\bar", "\u0307": "\\dot",
    "\u0308": "\\ddot", "\u20d7": "\\vec", "\u030c": "\\check", "\u0306": "\\breve",
}  # fmt: skip
_CHARACTERS = {
    "α": "\\alpha ", "β": "\\beta ", "γ": "\\gamma ", "δ": "\\delta ", "ε": "\\varepsilon ", "ϵ": "\\epsilon ",
    "ζ": "\\zeta ", "η": "\\eta ", "θ": "\\theta ", "ι": "\\iota ", "κ": "\\kappa ", "λ": "\\lambda ",
    "μ": "\\mu ", "ν": "\\nu ", "ξ": "\\xi ", "π": "\\pi ", "ρ": "\\rho ", "σ": "\\sigma ", "τ": "\\tau ",
    "υ": "\\upsilon ", "φ": "\\varphi ", "ϕ": "\\phi ", "χ": "\\chi ", "ψ": "\\psi ", "ω": "\\omega ",
    "Γ": "\\Gamma ", "Δ": "\\Delta ", "Θ": "\\Theta ", "Λ": "\\Lambda ", "Ξ": "\\Xi ", "Π": "\\Pi ",
    "Σ": "\\Sigma ", "Φ": "\\Phi ", "Ψ": "\\Psi ", "Ω": "\\Omega ", "∞": "\\infty ", "∂": "\\partial ",
    "∇": "\\nabla ", "±": "\\pm ", "∓": "\\mp ", "×": "\\times ", "÷": "\\div ", "⋅": "\\cdot ", "∙": "\\cdot ",
    "≤": "\\le ", "≥": "\\ge ", "≠": "\\ne ", "≈": "\\approx ", "≡": "\\equiv ", "∝": "\\propto ", "∼": "\\sim ",
    "→": "\\to ", "←": "\\leftarrow ", "⇒": "\\Rightarrow ", "⇔": "\\Leftrightarrow ", "↦": "\\mapsto ",
    "∈": "\\in ", "∉": "\\notin ", "⊂": "\\subset ", "⊆": "\\subseteq ", "∪": "\\cup ", "∩": "\\cap ",
    "∅": "\\emptyset ", "∀": "\\forall ", "∃": "\\exists ", "¬": "\\neg ", "∧": "\\wedge ", "∨": "\\vee ",
    "…": "\\dots ", "⋯": "\\cdots ", "−": "-", "{": "\\{", "}": "\\}", "%": "\\%", "&": "\\&", "#": "\\#",
    "$": "\\$", "\\": "\\backslash ",
}  # fmt: skip
_FENCES = {"{": "\\{", "}": "\\}", "": ".", "|": "|", "‖": "\\|", "⟨": "\\langle", "⟩": "\\rangle"}


def formula_latex(element: etree._Element) -> str:
    """The LaTeX of an ``m:oMath`` element; characters and structures without a command stay as they are."""
    return " ".join(_children(element).split())


def _children(element: etree._Element) -> str:
    return "".join(_latex(child) for child in element)


def _latex(element: etree._Element) -> str:
    name = local_name(element)
    write = _WRITERS.get(name)
    if write is not None:
        return write(element)
    return "" if name.endswith("Pr") else _children(element)


def _argument(element: etree._Element, name: str) -> str:
    found = element.find(f"{_M}{name}")
    return _children(found).strip() if found is not None else ""


def _property(element: etree._Element, name: str, default: str) -> str:
    """The value of a property; the default where it is missing, empty where it is there without a value."""
    found = element.find(f"{_M}{local_name(element)}Pr/{_M}{name}")
    return default if found is None else found.get(f"{_M}val") or ""


def _words(element: etree._Element) -> str:
    text = element.text or ""
    return "".join(_CHARACTERS.get(character, character) for character in text)


def _fraction(element: etree._Element) -> str:
    above, below = _argument(element, "num"), _argument(element, "den")
    kind = _property(element, "type", "bar")
    if kind == "lin":
        return f"{above}/{below}"
    return (
        f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"
        if kind == "noBar"
        else f"\\frac{{{above}}}{{{below}}}"
    )


def _radical(element: etree._Element) -> str:
    degree = _argument(element, "deg")
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_argument(element, 'e')}}}"


def _script(element: etree._Element) -> str:
    lower, upper = _argument(element, "sub"), _argument(element, "sup")
    scripts = (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")
    base = _argument(element, "e")
    if local_name(element) == "sPre":
        return f"{{}}{scripts}{{{base}}}"
    is_one = len(base) == 1 or (base.startswith("\\") and " " not in base)
    return (base if is_one else f"{{{base}}}") + scripts


def _operator(element: etree._Element) -> str:
    sign = _property(element, "chr", "∫")
    lower, upper = _argument(element, "sub"), _argument(element, "sup")
    limits = (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")
    return f"{_OPERATORS.get(sign, sign)}{limits} {_argument(element, 'e')}"


def _fenced(element: etree._Element) -> str:
    left, right = _property(element, "begChr", "("), _property(element, "endChr", ")")
    between = _property(element, "sepChr", "|")
    inside = between.join(_children(part).strip() for part in element.findall(f"{_M}e"))
    return f"\\left{_FENCES.get(left, left)} {inside} \\right{_FENCES.get(right, right)}"


def _accent(element: etree._Element) -> str:
    sign = _property(element, "chr", "\u0302")
    command = _ACCENTS.get(sign, "\\hat")
    return f"{command}{{{_argument(element, 'e')}}}"


def _bar(element: etree._Element) -> str:
    command = "\\overline" if _property(element, "pos", "bot") == "top" else "\\underline"
    return f"{command}{{{_argument(element, 'e')}}}"


def _function(element: etree._Element) -> str:
    name = _argument(element, "fName")
    known = name if name.startswith(("\\", "{")) or not name.isalpha() else f"\\operatorname{{{name}}}"
    return f"{known} {_argument(element, 'e')}"


def _limit(element: etree._Element) -> str:
    mark = "_" if local_name(element) == "limLow" else "^"
    base = _argument(element, "e")
    known = f"\\operatorname*{{{base}}}" if base.isalpha() else f"{{{base}}}"
    return f"{known}{mark}{{{_argument(element, 'lim')}}}"


def _matrix(element: etree._Element) -> str:
    rows = (
        " & ".join(_children(cell).strip() for cell in row.findall(f"{_M}e"))
        for row in element.findall(f"{_M}mr")
    )
    return "\\begin{matrix} " + " \\\\ ".join(rows) + " \\end{matrix}"


def _equations(element: etree._Element) -> str:
    rows = (_children(row).strip() for row in element.findall(f"{_M}e"))
    return "\\begin{aligned} " + " \\\\ ".join(rows) + " \\end{aligned}"


_WRITERS: dict[str, Callable[[etree._Element], str]] = {
    "t": _words,
    "f": _fraction,
    "rad": _radical,
    "sSub": _script,
    "sSup": _script,
    "sSubSup": _script,
    "sPre": _script,
    "nary": _operator,
    "d": _fenced,
    "acc": _accent,
    "bar": _bar,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
    "m": _matrix,
    "eqArr": _equations,
}
