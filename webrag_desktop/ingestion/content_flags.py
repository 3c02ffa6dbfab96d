"""Rich content in a block: read from its raw HTML before sanitising, and from its markdown."""

import re
from functools import lru_cache
from typing import NamedTuple

from webrag_desktop.models.documents import ContentFlags
from webrag_desktop.text.markdown_grammar import (
    BULLET,
    DELIMITER_CELL,
    DELIMITER_CELLS,
    FENCE_MARK,
    ITEM_MARK,
    code_span,
)

_CLASSES = re.compile(r"<[a-z][^<>]*?\sclass=\"([^\"]*)\"", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MATH_TAG = re.compile(r"<(?:math|webrag-math)[\s>]")
_MATH_CLASS = re.compile(
    r"(?<!\S)(?:mathjax(?!\S*(?:ignore|process))|katex|math(?![^\s_-])|mwe-math)", re.IGNORECASE
)
ADMONITION_WORDS = ("admonition", "note", "warning", "tip", "important", "caution", "danger", "info")
_ADMONITION_WORD = (
    rf"(?i:{ADMONITION_WORDS[0]}|(?<![a-z])(?<!foot[-_])(?<!end[-_])(?<!tool[-_])(?<!ltx_)"
    rf"(?:{'|'.join(ADMONITION_WORDS[1:])})(?![a-z])(?![-_](?:back)?ref))"
)
_NAMES_ADMONITION = re.compile(_ADMONITION_WORD)
_LONGEST_REMEMBERED = 200  # characters
_CLASS_VALUES = re.compile(r"class=\"([^\"]*)\"")  # a quicker check, in text too
_ADMONITION = re.compile(rf"<[a-z][^<>]*?\s(?:class=\"[^\"]*?{_ADMONITION_WORD}|role=\"note\")")
_KEYWORDS = ("Note", "Warning", "Important", "Tip", "Caution", "Danger", "Info", "Success", "Example")
_KEYWORD_LINE = re.compile(
    rf"""^[ \t>]*+(?:
        \[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*
      | [*_]{{0,3}}
        (?: (?:{"|".join(_KEYWORDS)}|See[ ][Aa]lso)
          | (?:{"|".join(_KEYWORDS).upper()}|SEE[ ]ALSO)
          | Deprecated[ ]since\b[^\n]{{0,80}}?
        )
        [:*_!]{{0,4}}[ \t]*
    )$""",
    re.VERBOSE | re.MULTILINE,
)
# Of what is behind the signs before a keyword: a quicker check that misses nothing.
_BEFORE_KEYWORD = " \t>*_"
_KEYWORD_STARTS = frozenset(
    start for word in (*_KEYWORDS, "See", "Dep") for start in (word[:3], word[:3].upper(), f"[!{word[0]}")
)
_LONGEST_KEYWORD_LINE = 200  # characters; "Deprecated since" with its version is the longest
_ITEM = rf"[ \t>]*+(?:{BULLET}[ \t]++)*+{{number}}[.)][ \t]++\S"
_STARTS_WITH_ITEM = re.compile(_ITEM.format(number=r"\d{1,3}"))
_BEFORE_ITEMS = frozenset("0123456789-*+> \t")
_FIRST_ITEM = re.compile("^" + _ITEM.format(number="1"), re.MULTILINE)
# Not the grammar's fence: in quotes and items, too, and one that is never closed runs to the end of the block.
_FENCE = re.compile(
    rf"^[ >\t]*+{ITEM_MARK}?+[ \t]*+((?>{FENCE_MARK}))[^\n]*+\n.*?(?:^[ >\t]*+\1[`~]*+[ \t]*+$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_HTML_TABLE = re.compile(r"(?<!\\)<table[\s>]", re.IGNORECASE)
_CODE_SPAN = re.compile(code_span(".{1,2000}?"), re.DOTALL)
_DELIMITER_ROW = re.compile(  # in quotes, too
    rf"^[ >\t]*+(?:\|?{DELIMITER_CELLS}\|?|\|{DELIMITER_CELL}\|)[ \t]*+$", re.MULTILINE
)


class Signs(NamedTuple):
    """What the HTML of a page's blocks may show; what the whole page does not hold is not searched for in any."""

    math: bool = True
    admonitions: bool = True
    tags: frozenset[str] = frozenset({"table", "dl", "ol"})  # of these three


_ANY = Signs()


def detect_flags(markdown: str, html: str = "", signs: Signs = _ANY) -> ContentFlags:
    """Flags of a block from its markdown and, where there is one, its unsanitised HTML as the parser writes it.

    Math and definition lists are recognised in HTML only, since markdown has no syntax for them.
    """
    fenced = "```" in markdown or "~~~" in markdown
    has_code, prose = _without_code(markdown) if fenced else (False, markdown)
    if "<!--" in html:
        html = _COMMENT.sub("", html)
    return _flags(
        ("table" in signs.tags and "<table" in html) or ("|" in prose and _has_table(prose)),
        has_code,
        "<mjx-" in html or (signs.math and _has_math(html)),
        "dl" in signs.tags and "<dl" in html,
        has_admonition_line(prose) or (signs.admonitions and _has_admonition_element(html)),
        ("ol" in signs.tags and "<ol" in html) or has_steps(prose),
    )


@lru_cache(maxsize=64)
def _flags(
    table: bool, code: bool, math: bool, definitions: bool, admonition: bool, steps: bool
) -> ContentFlags:
    return ContentFlags(
        has_table=table,
        has_code=code,
        has_math=math,
        has_definition_list=definitions,
        has_admonition=admonition,
        has_steps=steps,
    )


def _without_code(markdown: str) -> tuple[bool, str]:
    """Whether there is fenced code in markdown with what may be a fence, and the markdown without it."""
    if markdown.startswith("```"):
        fence = markdown[: len(markdown) - len(markdown.lstrip("`"))]
        if markdown.find("\n" + fence) == len(markdown) - len(fence) - 1:
            return True, ""  # the block is one listing
    if _FENCE.search(markdown) is None:
        return False, markdown
    return True, _FENCE.sub("", markdown)


def _has_math(html: str) -> bool:
    lowered = html.lower()
    if "math" not in lowered and "katex" not in lowered:
        return False
    if _MATH_TAG.search(html) is not None:
        return True
    return _MATH_CLASS.search("\n".join(_CLASSES.findall(html))) is not None


def _has_table(prose: str) -> bool:
    return "|" in prose and "-" in prose and _DELIMITER_ROW.search(prose) is not None


def has_html_table(prose: str) -> bool:
    """Whether markdown outside fences holds a table in HTML; its name in words or code is none."""
    return _HTML_TABLE.search(prose) is not None and _HTML_TABLE.search(_CODE_SPAN.sub("", prose)) is not None


def is_admonition_keyword(line: str) -> bool:
    """Whether a line is nothing but the keyword that opens a callout (``Note``, ``**Warning:**`` …)."""
    return _KEYWORD_LINE.fullmatch(line) is not None


def has_admonition_line(prose: str) -> bool:
    """Whether a line of markdown outside fences is such a keyword."""
    if "\n" not in prose:
        return (
            len(prose) < _LONGEST_KEYWORD_LINE
            and prose.lstrip(_BEFORE_KEYWORD)[:3] in _KEYWORD_STARTS
            and _KEYWORD_LINE.match(prose) is not None
        )
    lines = [
        line
        for line in prose.split("\n")
        if len(line) < _LONGEST_KEYWORD_LINE and line.lstrip(_BEFORE_KEYWORD)[:3] in _KEYWORD_STARTS
    ]
    return any(_KEYWORD_LINE.match(line) is not None for line in lines)


def has_steps(prose: str) -> bool:
    """Whether markdown outside fences holds an ordered list.

    It does where it begins with an item, whatever its number, or where item 1 begins a line; a later line that
    only looks like ``1984. `` is prose.
    """
    if prose[:1] in _BEFORE_ITEMS and _STARTS_WITH_ITEM.match(prose) is not None:
        return True
    if "1" not in prose or not ("1." in prose or "1)" in prose):
        return False
    return _FIRST_ITEM.search(prose) is not None


def names_admonition(classes: str) -> bool:
    """Whether one of an element's classes says that it is a callout.

    A class does that contains ``admonition``, ``note``, ``warning``, ``tip``, ``important``, ``caution``, ``danger`` or
    ``info``, whatever the element. All but the first count only where no letter adjoins them (``note``,
    ``callout-info``, ``alert_warning``): else every ``footnote``, ``tooltip``, ``notebook`` and ``informaltable``
    would be one. For the same reason ``foot-note``, ``tool-tip``, ``note-ref`` and LaTeXML's ``ltx_note``, which its
    footnotes bear, are none.
    """
    if len(classes) > _LONGEST_REMEMBERED:
        return _NAMES_ADMONITION.search(classes) is not None
    return _short_names_admonition(classes)


@lru_cache(maxsize=4096)
def _short_names_admonition(classes: str) -> bool:
    return _NAMES_ADMONITION.search(classes) is not None


def _has_admonition_element(html: str) -> bool:
    may_be = 'role="note"' in html or any(map(names_admonition, set(_CLASS_VALUES.findall(html))))
    return may_be and _ADMONITION.search(html) is not None
