r"""Formulas that a page leaves to a script: LaTeX among the words (``\(…\)``) and in attributes; tables of formulas."""

import re
from collections.abc import Iterator

from turbohtml import Document, Element, Node, Text

_RENDERERS = ("mathjax", "katex", "tex2jax", "rendermathinelement")
_SINGLE = re.compile(r"""inlineMath['"]?\s*:\s*\[[^;]{0,80}?['"]\$['"]|left['"]?\s*:\s*['"]\$['"]""")
_UNTOUCHED = (
    "pre,code,kbd,samp,tt,textarea,script,style,noscript,math,svg,.tex2jax_ignore,.mathjax_ignore,.no-mathjax,"
    ".math,.arithmatex,.katex,mjx-container,.MathJax,.MathJax_Display"
)
_BEGIN = r"\\begin\{(?P<name>equation|align|gather|multline|eqnarray|alignat|flalign)(?P<star>\*?)\}"
_OPENING = re.compile(rf"\\[\[(]|{_BEGIN}|\$")
_CLOSING = {"\\[": "\\]", "\\(": "\\)", "$": "$"}
_ENVIRONMENT = (
    rf"{_BEGIN}.+?"
    r"\\end\{(?P=name)(?P=star)\}"
)
_ALWAYS = rf"\\\[(?P<display>.+?)\\\]|\\\((?P<inline>.+?)\\\)|(?P<environment>{_ENVIRONMENT})"
_DOUBLED = r"|(?<!\\)\$\$(?P<doubled>[^$]+?)\$\$"
_DOLLARS = r"|(?<![\\$\w])\$(?P<dollars>(?=[^\s$])[^$\n]{1,300}?(?<=[^\s\\]))\$(?![\w$])"
_WRITTEN = re.compile(_ALWAYS, re.DOTALL)
_RENDERED = re.compile(_ALWAYS + _DOUBLED, re.DOTALL)
_IN_DOLLARS = re.compile(_ALWAYS + _DOUBLED + _DOLLARS, re.DOTALL)
_TELLING = re.compile(
    r"\\[A-Za-z]|[\^_={}<>+]|^\s*[A-Za-z0-9]\s*$"
)  # in what nobody renders, to be a formula
_LONGEST = 5_000  # characters
_LONGEST_SCRIPT = 20_000  # characters of a script in which it may say that it renders formulas
_MOST = 20_000  # formulas of a page

_STATED_IN = (
    "data-math",
    "data-tex",
    "data-latex",
    "data-katex",
    "data-equation",
    "data-formula",
    "data-expr",
)
_NUMBER = re.compile(r"\s*+\(?+\s*+((?:[A-Z]|\d{1,3})(?:[.\-]\d{1,3})*[a-z]?)\s*+\)?+\s*+")


def mark_written(document: Document, tag: str) -> None:
    """Wrap LaTeX in the words and attributes of a page into elements ``tag``, which hold it as their text."""
    _from_attributes(document, tag)
    body = document.select_one("body")
    if body is None:
        return
    text = body.text
    stated = "\\(" in text or "\\[" in text or "\\begin{" in text
    if not (stated or "$" in text):
        return
    scripts = " ".join(
        f"{script.attr('src') or ''} {script.text[:_LONGEST_SCRIPT]}" for script in document.select("script")
    )
    lowered = scripts.lower()
    rendered = any(renderer in lowered for renderer in _RENDERERS)
    if not (stated or rendered):
        return  # nearly always, where there are dollars
    pattern = _WRITTEN
    if rendered:
        pattern = _IN_DOLLARS if _SINGLE.search(scripts) else _RENDERED
    _join_broken(body)
    found = 0
    for words in list(_texts(body)):
        for formula, display in _wrapped(words, pattern, rendered):
            if found >= _MOST:
                return
            found += 1
            attributes: dict[str, str | list[str] | None] = {"display": "block"} if display else {}
            formula.replace_with(Element(tag, attributes, [Text(formula.text)]))


def _from_attributes(document: Document, tag: str) -> None:
    for element in document.select(",".join(f"[{name}]" for name in _STATED_IN)):
        latex = next((stated for name in _STATED_IN if (stated := (element.attr(name) or "").strip())), "")
        if not latex or len(latex) > _LONGEST or element.select_one("math,p,div") is not None:
            continue
        if element.tag not in {"span", "div", "img"} or element.closest(f"pre,code,{tag}") is not None:
            continue
        classes = (element.attr("class") or "").lower()
        display = element.tag == "div" or "display" in classes or "block" in classes
        attributes: dict[str, str | list[str] | None] = {"display": "block"} if display else {}
        element.replace_with(Element(tag, attributes, [Text(latex)]))


def _join_broken(body: Element) -> None:
    r"""A paragraph that is one ``\[…\]`` with line breaks in it is one text again."""
    for part in body.select("p:has(> br),div:has(> br)"):
        text = part.text.strip()
        if not (text.startswith(("\\[", "$$", "\\begin{")) and text.endswith(("\\]", "$$", "}"))):
            continue
        if any(isinstance(child, Element) and child.tag not in {"br", "em", "i"} for child in part.children):
            continue
        if part.closest(_UNTOUCHED) is None and len(text) <= _LONGEST:
            part.set_text(text)


def _texts(body: Element) -> Iterator[Text]:
    for node in body.descendants:
        if isinstance(node, Text):
            data = node.data
            if "\\" in data or "$" in data:
                parent = node.parent
                if isinstance(parent, Element) and parent.closest(_UNTOUCHED) is None:
                    yield node


def _written(pattern: re.Pattern[str], data: str) -> Iterator[re.Match[str]]:
    """What ``pattern.finditer`` finds, without looking for an end that no longer comes from each beginning on."""
    last: dict[str, int] = {}
    opening = _OPENING.search(data)
    while opening is not None:
        closing = _CLOSING.get(opening[0]) or opening[0].replace("begin", "end")
        if closing not in last:
            last[closing] = data.rfind(closing)
        found = pattern.match(data, opening.start()) if opening.start() < last[closing] else None
        if found is not None:
            yield found
        opening = _OPENING.search(data, found.end() if found is not None else opening.start() + 1)


def _wrapped(words: Text, pattern: re.Pattern[str], rendered: bool) -> Iterator[tuple[Text, bool]]:
    """The formulas in a text, each as a text node of its own by now, and whether it is displayed."""
    data = words.data
    pieces: list[Node] = []
    formulas: list[tuple[Text, bool]] = []
    place = 0
    for match in _written(pattern, data):
        kind = match.lastgroup if match.lastgroup not in {"name", "star"} else "environment"
        inner = match[kind] if kind else ""
        if len(match[0]) > _LONGEST or not (inner or "").strip():
            continue
        if not rendered and (kind == "environment" or not _TELLING.search(inner)):
            continue
        formula = Text(match[0])
        pieces += [Text(data[place : match.start()]), formula] if match.start() > place else [formula]
        formulas.append((formula, kind in {"display", "doubled", "environment"}))
        place = match.end()
    if not formulas:
        return
    if place < len(data):
        pieces.append(Text(data[place:]))
    for piece in pieces:
        words.insert_before(piece)
    words.extract()
    yield from formulas


def plain_equations(document: Document, tag: str) -> None:
    """Formulas laid out in tables with their numbers become displayed ones.

    The cells of a row are parts of one formula; its number is the attribute ``number``.
    """
    for table in document.select(f"table:has({tag})"):
        if table.parent is None or table.select_one("table,th,pre,img") is not None:
            continue
        cells = [row.select("td") for row in table.select("tr")]
        rows = [_equation(row, tag) for row in cells]
        if any(row is None for row in rows):
            continue
        for formulas, number in filter(None, rows):
            attributes: dict[str, str | list[str] | None] = {"display": "block"}
            if number:
                attributes["number"] = number
            parts = [node.extract() for formula in formulas for node in list(formula.children)]
            if parts:
                table.insert_before(Element(tag, attributes, parts))
        table.extract()


def _equation(cells: list[Element], tag: str) -> tuple[list[Element], str] | None:
    """The formulas of a row and their number; None where it holds anything else."""
    formulas: list[Element] = []
    number = ""
    for cell in cells:
        held = cell.select(tag)
        rest = len(cell.text.strip()) - sum(len(one.text.strip()) for one in held)
        if held and rest <= 1:
            formulas += held
        elif cell.text.strip():
            stated = _NUMBER.fullmatch(cell.text)
            if stated is None or number:
                return None
            number = stated[1]
    return None if number and not formulas else (formulas, number)
