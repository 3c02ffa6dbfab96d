"""MathML as LaTeX, for readers of text: the LaTeX that a formula was made of, or one made of its elements.

Of the converters on PyPI ``mathml-to-latex`` refuses formulas that lack an operand and writes lone bars as unbalanced
``\\left|``, ``mathml2latex`` needs a second HTML parser and is not kept up, ``mml2tex`` brings a whole XSLT processor.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from turbohtml import Element, Node

DEEPEST = 60  # levels; what is nested deeper is given by its characters
LONGEST = 5_000  # characters of a formula, without blanks; a longer one is given by them

_DELIMITERS = (("\\[", "\\]"), ("$$", "$$"), ("\\(", "\\)"), ("$", "$"))
_ESCAPED = {"\\": "\\backslash ", "~": "\\sim "} | {char: f"\\{char}" for char in "{}$&#%_"}
_COMMANDS = {
    "∑": "sum", "∏": "prod", "∫": "int", "∮": "oint", "∞": "infty", "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx",
    "≡": "equiv", "×": "times", "⋅": "cdot", "·": "cdot", "÷": "div", "±": "pm", "∓": "mp", "→": "to",
    "⇒": "Rightarrow", "↔": "leftrightarrow", "⇔": "Leftrightarrow", "∈": "in", "∉": "notin", "∂": "partial",
    "∇": "nabla",
    "…": "ldots", "⋯": "cdots", "∀": "forall", "∃": "exists", "∪": "cup", "∩": "cap", "⊂": "subset",
    "⊆": "subseteq", "∅": "emptyset",
    "¬": "neg", "∧": "wedge", "∨": "vee", "∝": "propto", "⟨": "langle", "⟩": "rangle", "∼": "sim", "∘": "circ",
    "ℝ": "mathbb{R}", "ℕ": "mathbb{N}", "ℤ": "mathbb{Z}", "ℚ": "mathbb{Q}", "ℂ": "mathbb{C}", "′": "prime",
}  # fmt: skip
_PLAIN = {"−": "-", "∗": "*"} | dict.fromkeys("\u2061\u2062\u2063\u2064\u200b", "")
_FUNCTIONS = frozenset(
    """
    arccos arcsin arctan arg cos cosh cot csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr sec
    sin sinh sup tan tanh
    """.split()
)
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)")
# Of the capitals only these look like no Latin ones, and have a command.
_GREEK_CAPITALS = frozenset("GAMMA DELTA THETA LAMDA XI PI SIGMA UPSILON PHI PSI OMEGA".split())
_SPELT = {"lamda": "lambda", "final sigma": "varsigma"}
_STYLES = {
    "bold": "mathbf",
    "double-struck": "mathbb",
    "script": "mathcal",
    "fraktur": "mathfrak",
    "normal": "mathrm",
}
_ACCENTS = {
    "¯": "bar",
    "‾": "bar",
    "^": "hat",
    "ˆ": "hat",
    "~": "tilde",
    "˜": "tilde",
    "→": "vec",
    "˙": "dot",
}
_LARGE = frozenset("∑∏∫∮⋃⋂⨁⨂")
_UNSHOWN = frozenset({"mphantom", "annotation", "annotation-xml", "none", "mprescripts", "mspace"})


def latex_of(math: Element) -> str:
    """The LaTeX of a ``<math>`` element, without delimiters: that of its annotation or ``alttext``, else its elements'.

    Empty where nothing of it shows.
    """
    return stated_latex(math) or _made(math)


def stated_latex(math: Element) -> str:
    """The LaTeX that a formula says it was made of; empty where it does not say."""
    annotation = math.select_one('annotation[encoding*="tex" i]')
    stated = annotation.text if annotation is not None else ""
    return bare_latex(stated) or bare_latex(math.attr("alttext") or "")


def bare_latex(latex: str) -> str:
    """A formula on one line, without the delimiters around it."""
    text = " ".join(line.strip() for line in latex.strip().split("\n"))
    for before, after in _DELIMITERS:
        if text.startswith(before) and text.endswith(after) and len(text) >= len(before) + len(after):
            return text[len(before) : len(text) - len(after)].strip()
    return text


def latex_of_characters(text: str) -> str:
    """Plain characters as LaTeX: signs and Greek letters by their commands, what means something to LaTeX escaped."""
    return _characters(text)


def spaced_latex(parts: Sequence[str]) -> str:
    """Parts of a formula joined, with a blank where letters would else become part of a command before them."""
    return _spaced(parts)


def _made(math: Element) -> str:
    if len("".join(math.text.split())) > LONGEST:
        return _characters(math.text)
    return _spaced([_latex(math, 0)])


def _latex(node: Node, depth: int) -> str:
    if not isinstance(node, Element) or depth > DEEPEST:
        return _characters(node.text)
    tag = node.tag
    if tag in _TOKENS:
        return _TOKENS[tag](node)
    if tag == "mtable":
        return _table(node, depth)
    if tag in _LAYOUTS:
        return _LAYOUTS[tag](node, [_latex(child, depth + 1) for child in _operands(node)])
    return "" if tag in _UNSHOWN else _row(node, depth)


def _row(node: Element, depth: int) -> str:
    """What any other element shows: all of it; of what says the same in several ways, the first."""
    if node.tag in {"semantics", "maction"}:
        return "".join(_latex(child, depth + 1) for child in _operands(node)[:1])
    return _spaced([_latex(child, depth + 1) for child in node.children])


def _operands(node: Element) -> list[Element]:
    return [child for child in node.children if isinstance(child, Element)]


def _spaced(parts: Sequence[str]) -> str:
    """The parts with a blank between two, where letters would else become part of a command before them."""
    kept = [part.strip() for part in parts if part.strip()]
    gaps = [" " if _needs_gap(before, after) else "" for before, after in pairwise(kept)]
    return "".join(part + gap for part, gap in zip(kept, [*gaps, ""], strict=False))


def _needs_gap(before: str, after: str) -> bool:
    if re.search(r"\\[A-Za-z]+$", before):
        return after[:1].isalnum()
    return bool(_RELATION.search(before) or _RELATION.match(after))


_RELATION = re.compile(r"^[=<>+]$|^\\(?:leq|geq|neq|approx|equiv|in|to|sim|Rightarrow)$")


def _characters(text: str) -> str:
    return _spaced([_character(char) for char in text if not char.isspace()])


def _character(char: str) -> str:
    if char in _COMMANDS:
        return f"\\{_COMMANDS[char]}"
    if char in _PLAIN or char in _ESCAPED:
        return _PLAIN.get(char, _ESCAPED.get(char, ""))
    named = _GREEK.fullmatch(unicodedata.name(char, "")) if not char.isascii() else None
    if named is None or (named[1] == "CAPITAL" and named[2] not in _GREEK_CAPITALS):
        return char
    name = named[2].lower()
    name = _SPELT.get(name, name)
    return char if name == "omicron" else f"\\{name.capitalize() if named[1] == 'CAPITAL' else name}"


def _identifier(node: Element) -> str:
    text = " ".join(node.text.split())
    if text in _FUNCTIONS:
        return f"\\{text}"
    style = _STYLES.get(node.attr("mathvariant") or ("normal" if len(text) > 1 else ""))
    plain = _characters(text)
    return f"\\{style}{{{plain}}}" if style and plain else plain


def _operator(node: Element) -> str:
    text = "".join(node.text.split())
    return f"\\{text}" if text in _FUNCTIONS else _characters(text)


def _words(node: Element) -> str:
    text = " ".join(node.text.split())
    escaped = "".join("\\textbackslash{}" if char == "\\" else _ESCAPED.get(char, char) for char in text)
    return f"\\text{{{escaped}}}" if text else ""


def _argument(latex: str) -> str:
    return f"{{{latex}}}"


def _base(latex: str) -> str:
    """What a script is put to: in braces where it is more than one sign."""
    return latex if len(latex) <= 1 or re.fullmatch(r"\\[A-Za-z]+", latex) else _argument(latex)


def _at(given: Sequence[str], place: int) -> str:
    return given[place] if place < len(given) else ""


def _scripted(given: Sequence[str], below: int | None, above: int | None) -> str:
    lower = _at(given, below) if below is not None else ""
    upper = _at(given, above) if above is not None else ""
    scripts = (f"_{_argument(lower)}" if lower else "") + (f"^{_argument(upper)}" if upper else "")
    return _base(_at(given, 0)) + scripts


def _over_or_under(node: Element, given: Sequence[str], below: int | None, above: int | None) -> str:
    operands = _operands(node)
    base = operands[0].text.strip() if operands else ""
    if base in _LARGE or base in _FUNCTIONS:
        return _scripted(given, below, above)
    mark = operands[above].text.strip() if above is not None and above < len(operands) else ""
    if below is None and mark in _ACCENTS:
        return f"\\{_ACCENTS[mark]}{_argument(_at(given, 0))}"
    latex = _at(given, 0)
    if below is not None and _at(given, below):
        latex = f"\\underset{_argument(_at(given, below))}{_argument(latex)}"
    if above is not None and _at(given, above):
        latex = f"\\overset{_argument(_at(given, above))}{_argument(latex)}"
    return latex


def _fraction(node: Element, given: Sequence[str]) -> str:
    above, below = _argument(_at(given, 0)), _argument(_at(given, 1))
    bare = re.fullmatch(r"0\D*", node.attr("linethickness") or "")
    return f"\\binom{above}{below}" if bare else f"\\frac{above}{below}"


def _fenced(node: Element, given: Sequence[str]) -> str:
    opening, closing = node.attr("open"), node.attr("close")
    before, after = "(" if opening is None else opening, ")" if closing is None else closing
    return f"{_characters(before)}{', '.join(given)}{_characters(after)}"


def _table(node: Element, depth: int) -> str:
    rows = [row for row in _operands(node) if row.tag in {"mtr", "mlabeledtr"}]
    cells = [
        " & ".join(_row(cell, depth + 1) for cell in _operands(row) if cell.tag == "mtd") for row in rows
    ]
    joined = " \\\\ ".join(cells)
    return f"\\begin{{matrix}} {joined} \\end{{matrix}}"


def _scripts_around(node: Element, given: Sequence[str]) -> str:
    """``mmultiscripts``: pairs behind the base, and behind ``mprescripts`` pairs before it."""
    tags = [child.tag for child in _operands(node)]
    split = tags.index("mprescripts") if "mprescripts" in tags else len(tags)
    behind, before = given[1:split], given[split + 1 :]
    prefix = "".join(_scripted(["", *pair], 1, 2) for pair in _pairs(before))
    suffix = "".join(_scripted(["", *pair], 1, 2) for pair in _pairs(behind))
    return (f"{{}}{prefix}" if prefix else "") + _base(_at(given, 0)) + suffix


def _pairs(given: Sequence[str]) -> list[Sequence[str]]:
    return [given[place : place + 2] for place in range(0, len(given), 2)]


_TOKENS: Mapping[str, Callable[[Element], str]] = {
    "mi": _identifier,
    "mn": lambda node: _characters(node.text),
    "mo": _operator,
    "mtext": _words,
    "ms": _words,
}
_LAYOUTS: Mapping[str, Callable[[Element, Sequence[str]], str]] = {
    "mfrac": _fraction,
    "msqrt": lambda _node, given: f"\\sqrt{_argument(_spaced(given))}",
    "mroot": lambda _node, given: f"\\sqrt[{_at(given, 1)}]{_argument(_at(given, 0))}",
    "msub": lambda _node, given: _scripted(given, 1, None),
    "msup": lambda _node, given: _scripted(given, None, 1),
    "msubsup": lambda _node, given: _scripted(given, 1, 2),
    "munder": lambda node, given: _over_or_under(node, given, 1, None),
    "mover": lambda node, given: _over_or_under(node, given, None, 1),
    "munderover": lambda node, given: _over_or_under(node, given, 1, 2),
    "mfenced": _fenced,
    "mmultiscripts": _scripts_around,
}
