"""One block of a page to Markdown: the library's converter with our rules for code, tables and formulas."""

import re
from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache
from itertools import islice

from turbohtml import Element, Markdown, Text

from webrag_desktop.ingestion.html.tables import MATH_TAG, formula_markdown, table_markdown
from webrag_desktop.ingestion.text_decoding import FORBIDDEN, strip_line_ends
from webrag_desktop.text.markdown_grammar import BORDER, ITEM_MARK, code_span, fence_around

# Not the grammar's fence: only what the converter writes, which closes each fence, in quotes and items, too.
_FENCE = rf"^[ >\t]*+(?:{ITEM_MARK}[ \t]++)*+(?P<fence>`{{3,}})[^\n]*\n(?:.*\n)*?[ >\t]*+(?P=fence)[ \t]*+$"
_SPAN = code_span(r"[^\n]{1,5000}?")
_TARGET = r"\]\((?:[^()\s]|\([^()\s]*\))*+(?:[ ]\"[^\"\n]*\")?\)"
_ADDRESS = r"https?://[^\s<>()\[\]]++"
_FORMULA = r"\$\$[^$]++\$\$|\$[^$\n]++\$"
_CODE = re.compile(f"{_FENCE}|{_SPAN}", re.MULTILINE)
_NOT_WORDS = re.compile(f"{_FENCE}|{_SPAN}|{_TARGET}|{_ADDRESS}|{_FORMULA}", re.MULTILINE)
_CHARACTER = re.compile(r"(?<!\\)&#(\d{2,7});")
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_NO_WIDTH = re.compile("[\u00ad\u200b\u2060\ufeff]")
_BREAK_HINT = re.compile(r"(?<=\w)\u200b(?=\()|(?<=,)\u200b(?=[A-Z?])")  # Javadoc's, in signatures
_OPENING = re.compile(r"_(?<![^\W_]_)(?<![\\_]_)_*+(?=\S)")
_CLOSING = re.compile(r"_(?<=[^\s_\\]_)_*+(?![^\W_])")
# What the library takes for the start of an ordered list, though no blank is behind it; none can begin in a cell.
_NUMBER = re.compile(rf"^((?:[ >]|{ITEM_MARK}[ ])*+\d{{1,9}})\\(?=[.)]\w)", re.MULTILINE)
_NUMBER_IN_CELL = re.compile(r"^(\s*\d{1,9})\\(?=[.)])", re.MULTILINE)
_GAP = re.compile(
    rf"^([ >]*+)({ITEM_MARK})[ ]*+\n(?:[ >]*+\n)*+(?P<indent>[ >]*+)(?=`{{3}}|\||\$\$)", re.MULTILINE
)


def mend(markdown: str) -> str:
    """Markdown of a block as CommonMark readers should read it; code in it stays as it is, except for blanks."""
    text = markdown
    if not text.isascii():
        text = _SPACES.sub(" ", text)
        if _NO_WIDTH.search(text):
            text = _outside_code(_BREAK_HINT.sub("", text), lambda words: _NO_WIDTH.sub("", words))
    if "&#" in text:
        text = _outside_code(text, lambda words: _CHARACTER.sub(_plain_space, words))
    if "_" in text and _OPENING.search(text) and _CLOSING.search(text) and _could_emphasize(text):
        text = _outside(_NOT_WORDS, text, _escape_names)
    if "\\" in text and _NUMBER.search(text):
        text = _outside_code(text, lambda words: _NUMBER.sub(r"\1", words))
    if "\n" in text and not text.startswith(("```", "|")) and ("```" in text or "|" in text or "$$" in text):
        text = _GAP.sub(_join_item, text)
    return text


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    return _outside(_CODE, text, change) if "`" in text else change(text)


def _outside(kept: re.Pattern[str], text: str, change: Callable[[str], str]) -> str:
    parts, position = [], 0
    for match in kept.finditer(text):
        parts += [change(text[position : match.start()]), match[0]]
        position = match.end()
    return "".join([*parts, change(text[position:])])


def _plain_space(match: re.Match[str]) -> str:
    """The library writes blanks it must not lose as references; nobody needs them kept."""
    code = int(match[1])
    character = chr(code) if code < 0x110000 else ""
    if _NO_WIDTH.match(character):
        return ""
    return " " if _SPACES.match(character) or character == " " else match[0]


def _could_emphasize(text: str) -> bool:
    words = _NOT_WORDS.sub(" ", text)
    return _OPENING.search(words) is not None and _CLOSING.search(words) is not None


def _escape_names(words: str) -> str:
    """``__init__`` is a name: only underscores that could open emphasis need a backslash."""
    return _OPENING.sub(lambda match: "\\_" * len(match[0]), words)


def _join_item(match: re.Match[str]) -> str:
    """A list item that begins with code: a blank line behind its marker would end it."""
    before, marker, indent = match[1], match[2], match["indent"]
    if len(indent) != len(before) + len(marker) + 1:
        return match[0]
    return f"{before}{marker} "


_SIMPLE = re.compile(r"^[-+−–]?\d+(?:[.,]\d+)?$|^[a-zA-Z]$")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "ers", "re", "ère", "ème", "nde"})
_MARKS = frozenset({"tm", "sm", "mc"})
_BRACKETED = re.compile(r"^\[[^\[\]]*\]$")  # a mark that leads to a note


def superscript_markdown(element: Element, content: str) -> str:
    """``^n`` or ``^(…)``; ordinals and marks of notes stay as they are, marks that lead to sources go."""
    if element.has_class("reference"):
        return ""  # the html keeps it
    raised = element.text.strip()
    if _SIMPLE.match(raised):
        return f"^({raised})" if _after(element).isalnum() else f"^{raised}"
    if raised.lower() in _ORDINALS | _MARKS or _BRACKETED.match(raised) or not _is_term(element, content):
        return content
    return f"^({content.strip()})"


def subscript_markdown(element: Element, content: str) -> str:
    """The bare characters where they cannot be misread, as in ``H2O``; ``_n`` or ``_(…)`` elsewhere."""
    lowered = element.text.strip()
    before, after = _before(element), _after(element)
    if not _is_term(element, content):
        return content
    if lowered.isdecimal() and not before.isdigit() and not after.isdigit():
        return content
    if _SIMPLE.match(lowered) and not after.isalnum():
        return f"_{lowered}"
    return f"_({content.strip()})"


def _is_term(element: Element, content: str) -> bool:
    """Whether the characters belong to the word before: no note, no link, no text set small."""
    before = _before(element)
    attached = before.isalnum() or before in {")", "]", "}", "|"}
    return attached and element.select_one("a[href]") is None and "\n" not in content and _has_word(content)


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _before(element: Element) -> str:
    """The character right before, empty where the element begins its surroundings."""
    sibling = element.previous_sibling
    return sibling.text[-1:] if sibling is not None else ""


def _after(element: Element) -> str:
    sibling = element.next_sibling
    return sibling.text[:1] if sibling is not None else ""


_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-(?:source|text)|highlight|src)[-:]\s*|brush:\s*|"
    r"(?:sourceCode|src)[-: ]\s*)([\w+#.-]+)"
)
_BARE_LANGUAGES = frozenset(
    (
        "python", "python3", "pycon", "bash", "sh", "shell", "console", "javascript", "js", "typescript", "ts",
        "java", "c", "cpp", "csharp", "go", "rust", "ruby", "php", "perl", "sql", "json", "yaml", "toml", "xml",
        "html", "css", "r", "julia", "scala", "kotlin", "swift", "haskell", "lua", "diff", "ini", "makefile",
        "dockerfile", "jsx", "tsx", "scss", "less", "clojure", "elixir", "erlang", "dart", "powershell", "objc", "c++",
        "cs", "vue", "svelte", "graphql", "nginx", "groovy", "fsharp", "ocaml", "zig", "nim", "latex", "yml",
    )
)  # fmt: skip
_NO_LANGUAGE = frozenset(
    {"default", "none", "notranslate", "plaintext", "text", "block", "primary", "source"}
)
_NAMED_IN = ("data-lang", "data-language", "data-enlighter-language")
_ALIASES = {"python3": "python", "pycon3": "pycon", "ipython3": "python", "ipython": "python"}
_LISTS = frozenset({"ol", "ul", "menu", "dir"})
_EMPHASES = frozenset({"strong", "b", "em", "i"})
_PLAIN = re.compile(
    r"[ \n\t]*(?:[A-Za-z](?:[A-Za-z0-9 ,.;:()'\"/%=\n\t-]|(?<=[A-Za-z0-9])_++(?=[A-Za-z0-9]))*)?[ \n\t]*"
)  # means nothing to markdown: underscores only within words
_ODD_BREAKS = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_UNUSUAL = re.compile("[\0-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ud800-\udfff\ufeff]")
_BYTE_ORDER_MARK = re.compile(r"(?<!\\)&#65279;")
_CONTROLS = re.compile(rf"[{FORBIDDEN}\ufeff]")


def to_markdown(element: Element) -> str:
    """The Markdown of one block: ``\\n`` newlines, no control characters, no blanks at line ends, trimmed."""
    if element.tag == "li" and getattr(element.parent, "tag", None) not in _LISTS:
        element = deepcopy(element)  # the library looks through all that is before an item without a list
    whole = _WHOLE.get(element.tag)
    text = whole(element, "") if whole is not None else element.to_markdown(_RULES)
    return text.rstrip() if _is_plain(text) else tidy(mend(text))


def _is_plain(text: str) -> bool:
    """Whether it is one line of characters that neither :func:`mend` nor :func:`tidy` would touch."""
    return text.isascii() and text.isprintable() and not any(mark in text for mark in ("_", "\\", "&#"))


def tidy(markdown: str) -> str:
    """Markdown that meets the invariants of stored text."""
    text = markdown
    if text.isascii() and text.isprintable() and "&#" not in text:  # one line of plain characters
        return text.rstrip()
    if not _is_usual(text) and _UNUSUAL.search(text):
        text = _CONTROLS.sub("", _ODD_BREAKS.sub(" ", text))
    if "&#65279;" in text:  # how the library writes a mark in mid-text
        text = _BYTE_ORDER_MARK.sub("", text)
    return strip_line_ends(text).rstrip()


def _is_usual(text: str) -> bool:
    """Whether it holds nothing but printable ASCII and line ends, which is quick to find out."""
    return text.isascii() and text.replace("\n", "").isprintable()


def code_language(pre: Element) -> str:
    """The language of a code block as its classes name it, on itself, inside, or up to two levels above."""
    inner = pre.select_one("code")
    above = [node for node in islice(pre.ancestors, 2) if isinstance(node, Element)]
    for place in (*((inner,) if inner is not None else ()), pre, *above):
        classes = place.attr("class")
        named = next((name for key in _NAMED_IN if (name := place.attr(key))), None)
        language = named or (_language_in(classes) if classes else "")
        if language:
            return _ALIASES.get(language.lower(), language.lower())
    return ""


@lru_cache(maxsize=1000)
def _language_in(classes: str) -> str:
    for match in _LANGUAGE.finditer(classes):
        if match[1].lower() not in _NO_LANGUAGE:
            return match[1]
    return next((name for name in classes.split() if name.lower() in _BARE_LANGUAGES), "")


def _break_lines(pre: Element) -> None:
    for line_break in pre.select("br"):
        line_break.replace_with(Text("\n"))


def _fence(pre: Element, _content: str) -> str:
    _break_lines(pre)
    code = pre.text.strip("\n").rstrip()
    fence = fence_around(code)
    language = code_language(pre) or ("pycon" if code.startswith(">>> ") else "")
    return f"{fence}{language}\n{code}\n{fence}"


def _table(table: Element, _content: str) -> str:
    for listing in table.select("pre"):
        _break_lines(listing)
    return table_markdown(table, _cell)


def _cell(cell: Element) -> str:
    words = cell.text
    if cell.select_one("*") is None and _PLAIN.fullmatch(words):
        return " ".join(words.split())
    text = cell.to_markdown(_CELL_RULES)
    if not _is_plain(text):
        text = tidy(mend(text))
    if "\\" in text:
        text = _NUMBER_IN_CELL.sub(r"\1", text)
    flat = (
        " ".join([line.strip() for line in text.split("\n") if line.strip()])
        if "\n" in text
        else text.strip()
    )
    return BORDER.sub("\\|", flat) if "|" in flat else flat


def _emphasis(mark: str) -> Callable[[Element, str], str]:
    """A converter that always uses markup; the library falls back to tags next to punctuation."""

    def emphasized(element: Element, content: str) -> str:
        words = content.strip()
        if not words or mark in words or "\n\n" in words or not _can_stand(element, content):
            return content
        if len(words) == len(content):
            return f"{mark}{words}{mark}"
        before = content[: len(content) - len(content.lstrip())]
        return f"{before}{mark}{words}{mark}{content[len(content.rstrip()) :]}"

    return emphasized


def _can_stand(element: Element, content: str) -> bool:
    """Whether marks around ``content`` would be read as emphasis: not between a letter and a sign, nor side by side."""
    first, last = content[:1], content[-1:]
    if not first.isspace():
        before = element.previous_sibling
        if isinstance(before, Element) and before.tag in _EMPHASES:
            return False
        if before is not None and not first.isalnum() and before.text[-1:].isalnum():
            return False
    if last.isalnum() or last.isspace():
        return True
    after = element.next_sibling
    return after is None or not after.text[:1].isalnum()


def _term(_element: Element, content: str) -> str:
    term = content.strip()
    return f"**{term}**" if term and "**" not in term and "\n" not in term else term


def _flat_table(table: Element, _content: str) -> str:
    """A table within a cell on one line: commas between its cells, semicolons between its rows."""
    rows = [[" ".join(cell.text.split()) for cell in row.select("td,th")] for row in table.select("tr")]
    lines = [", ".join(filter(None, row)) for row in rows]
    return "; ".join(filter(None, lines))


def _flat_code(pre: Element, _content: str) -> str:
    code = " ".join(pre.text.split())
    return f"`{code}`" if code and "`" not in code else code


# What is written without its content as the library would write it, which takes as long again.
_WHOLE: dict[str, Callable[[Element, str], str]] = {"pre": _fence, "table": _table}
_COMMON: dict[str, Callable[[Element, str], str]] = {
    MATH_TAG: formula_markdown,
    "sup": superscript_markdown,
    "sub": subscript_markdown,
    "strong": _emphasis("**"),
    "b": _emphasis("**"),
    "em": _emphasis("*"),
    "i": _emphasis("*"),
}


def _flattened(rules: Markdown) -> Markdown:
    """Rules with their options flattened once; the library does it again for every block."""
    vars(rules)["_unpack"] = rules._unpack().copy
    return rules


# An underscore inside a word means nothing to markdown, and names like max_depth must stay as they are.
_ESCAPING = Markdown.Escaping(underscores=False)
_RULES = _flattened(
    Markdown(
        links=Markdown.Links(autolink=False),
        tables=Markdown.Tables(cell_blocks="text"),
        escaping=_ESCAPING,
        converters={**_COMMON, **_WHOLE, "dt": _term},
    )
)
_CELL_RULES = _flattened(
    Markdown(
        links=Markdown.Links(autolink=False),
        tables=Markdown.Tables(cell_blocks="text"),
        escaping=_ESCAPING,
        converters={**_COMMON, "table": _flat_table, "pre": _flat_code},
    )
)
