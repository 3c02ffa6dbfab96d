"""The grammar of Markdown's blocks: what a line is in CommonMark, in GitHub's tables, and in front matter.

Everything that reads structure from Markdown uses these patterns. They match one line, without its line break, unless
they say otherwise. The functions at the end write plain text and code as Markdown, escaped where they would be markup.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

# Fragments of patterns.
PUNCTUATION = r"[!-/:-@\[-`{-~]"  # what a backslash before it keeps from being markup
HASHES = "#{1,6}"
BULLET = "[-*+]"
ITEM_NUMBER = r"\d{1,9}"
ITEM_MARK = rf"(?:{BULLET}|{ITEM_NUMBER}[.)])"
FENCE_MARK = "`{3,}|~{3,}"
QUOTE_MARKS = r"[ \t]*(?:>[ \t]?)+"
DELIMITER_CELL = r"[ \t]*+:?-++:?[ \t]*+"
DELIMITER_CELLS = rf"{DELIMITER_CELL}(?:\|{DELIMITER_CELL})++"  # two or more, without borders around them

FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
ATX = re.compile(rf" {{0,3}}({HASHES})(?=[ \t]|$)")
SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
ITEM = re.compile(rf"( {{0,3}})({ITEM_MARK})([ \t]+|$)")
INDENTED_ITEM = re.compile(rf"[ \t]*{ITEM_MARK}(?:[ \t]+|$)")
QUOTE = re.compile(r" {0,3}>")
BLANK_LINES = re.compile(r"\n[ \t\r]*\n\s*")  # from the end of a paragraph to where the next begins
INDENTED_QUOTE = re.compile(r"[ \t]*>[ \t]?")
_DELIMITERS = re.compile(rf" {{0,3}}\|?{DELIMITER_CELL}(?:\|{DELIMITER_CELL})*+\|?[ \t]*+$")
# What is compared by itself when two texts are: an item, a table's row, a heading at the margin.
OWN_LINE = re.compile(rf"\s*{ITEM_MARK}\s|\s*\||{HASHES}(?:\s|$)")
_RAW = "script|pre|style|textarea"
_HTML_UNTIL = (
    (
        re.compile(rf" {{0,3}}<(?:{_RAW})(?:[\s>]|$)", re.IGNORECASE),
        re.compile(rf"</(?:{_RAW})>", re.IGNORECASE),
    ),
    (re.compile(r" {0,3}<!--"), re.compile(r"-->")),
    (re.compile(r" {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}<![A-Za-z]"), re.compile(r">")),
    (re.compile(r" {0,3}<!\[CDATA\["), re.compile(r"\]\]>")),
)
_HTML_BLOCK = re.compile(
    r" {0,3}</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog"
    r"|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend"
    r"|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td"
    r"|tfoot|th|thead|title|tr|track|ul)(?:[\s>]|/>|$)",
    re.IGNORECASE,
)
_HTML_TAG = re.compile(
    r" {0,3}(?:<[A-Za-z][\w-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*\s*/?>"
    r"|</[A-Za-z][\w-]*\s*>)[ \t]*$"
)
_FRONT_MATTER = re.compile(
    # YAML: keys, what is indented, items, comments and brackets that close; a line of mere prose is none of these.
    r"(?:---[ \t]*\n(?=[^\n]*:)(?:\n|[ \t#\-\]}\"'][^\n]*\n|[^\s#\-\]}\"':][^\n:]*:[^\n]*\n){1,198}?(?:---|\.\.\.)"
    r"|\+\+\+[ \t]*\n(?:[^\n]*\n){1,198}?\+\+\+)[ \t]*(?=\n|\Z)"  # TOML
)


_YAML = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*$", re.DOTALL | re.MULTILINE)
_MOST_FRONT_LINES = 200


# The three functions differ on purpose: what is shown as front matter must look like it, blocks are found as those
# already stored were, and fields are read between any two rules.
def front_matter_end(markdown: str) -> int:
    """Where the front matter of a Markdown file ends, after its closing rule; 0 where it has none."""
    found = _FRONT_MATTER.match(markdown)
    return found.end() if found else 0


def front_matter_lines(lines: Sequence[str]) -> int:
    """How many lines at the start of a text are the block of its YAML front matter, its two rules included."""
    if lines[0].rstrip() != "---" or len(lines) < 3 or ":" not in lines[1]:
        return 0
    closing = (
        at for at in range(1, min(len(lines), _MOST_FRONT_LINES)) if lines[at].rstrip() in {"---", "..."}
    )
    return next(closing, -1) + 1


def front_matter_source(markdown: str) -> tuple[Literal["yaml", "toml"], str] | None:
    """The language of the front matter and what is written in it between its rules; None where there is none."""
    if found := _YAML.match(markdown):
        return "yaml", found[1]
    if found := _TOML.match(markdown):
        return "toml", found[1]
    return None


def definition_line(label: str, blanks: str = r"[ \t]*") -> str:
    """The pattern of a line ``[label]: address``; the label, which ``label`` matches, and the address are its groups.

    :func:`definition_lines` is stricter: it finds what CommonMark reads as definitions, which may be several lines.
    """
    return rf" {{0,3}}\[({label})\]:{blanks}(<[^<>\n]*>|\S+)[^\n]*"


DEFINITION = re.compile(definition_line(r"[^\[\]\n]{1,999}") + "$", re.MULTILINE)


def code_span(inside: str) -> str:
    """The pattern of a code span whose content ``inside`` matches, lazily; its backticks are the group ``ticks``."""
    return rf"(?<![`\\])(?P<ticks>`+)(?!`){inside}(?<!`)(?P=ticks)(?!`)"


class HtmlOpening(NamedTuple):
    """The HTML block that a line opens; it goes on to the line that holds ``until``, or to a blank line without it."""

    until: re.Pattern[str] | None


def html_opening(line: str, *, in_paragraph: bool) -> HtmlOpening | None:
    """The HTML that a line opens; within a paragraph not every tag does."""
    if "<" not in line[:4]:
        return None
    for opening, closing in _HTML_UNTIL:
        if opening.match(line):
            return HtmlOpening(closing)
    return (
        HtmlOpening(None) if _HTML_BLOCK.match(line) or (not in_paragraph and _HTML_TAG.match(line)) else None
    )


def closes_fence(line: str, marks: str) -> bool:
    """Whether a line closes the fence that ``marks`` opened."""
    found = FENCE.match(line)
    return found is not None and found[1].startswith(marks) and not line[found.end() :].strip(" \t")


BORDER = re.compile(r"(?<!\\)\|")
TITLE = r"(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"  # of a link
_LABEL = r" {0,3}\[(?=[^\]]*[^\s\]])(?:[^\[\]\\]|\\.)++\]:"
_BLANK = r"(?:[ \t]*+\n)?[ \t]*+"
_DEFINITIONS = re.compile(
    rf"(?>{_LABEL}{_BLANK}(?:<[^<>\n]*+>|[^\s<]\S*+)(?:(?=\s){_BLANK}{TITLE}[ \t]*+\n|[ \t]*+\n))++"
)


class HeadingLine(NamedTuple):
    """A line of ``#`` marks; its words are ``line[start:end]``."""

    level: int
    start: int
    end: int


def atx_heading(line: str) -> HeadingLine | None:
    """The heading that a line is, closing marks left out."""
    hashes = ATX.match(line) if "#" in line else None
    if hashes is None:
        return None
    text = line[hashes.end() :].rstrip(" \t")
    unclosed = text.rstrip("#")
    if unclosed != text and unclosed[-1:] in {"", " ", "\t"}:
        text = unclosed.rstrip(" \t")
    start = hashes.end() + len(text) - len(text.lstrip(" \t"))
    return HeadingLine(len(hashes[1]), start, max(start, hashes.end() + len(text)))


def is_delimiter_row(line: str) -> bool:
    """Whether a line is the row of dashes below a table's header."""
    return ("|" in line or ":" in line) and _DELIMITERS.match(line) is not None


def opens_table(line: str, below: str) -> bool:
    """Whether a line is a table's header: the line below is a row of dashes with as many cells."""
    return "|" in line and is_delimiter_row(below) and _cells(line) == _cells(below)


def _cells(row: str) -> int:
    """The number of cells of a row, counted by the borders that no backslash escapes."""
    row = row.strip(" \t")
    outer = row.startswith("|") + (BORDER.match(row, max(len(row) - 1, 0)) is not None)
    return sum(1 for _ in BORDER.finditer(row)) + 1 - (outer if row != "|" else 2)


def definition_lines(lines: Sequence[str]) -> int:
    """How many lines at the start of a paragraph are link definitions; a heading underlined below excludes them."""
    if not lines or not lines[0].lstrip(" ").startswith("["):
        return 0
    found = _DEFINITIONS.match("\n".join(lines) + "\n")
    return found[0].count("\n") if found else 0


_INLINE = re.compile(
    r"[\\`*]|<(?=[A-Za-z/!?])|\](?=\(|:|\[)|&(?=#?\w{1,31};)|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)|~~"
)
_ESCAPED = re.compile(rf"\\({PUNCTUATION})")
_OPENING = re.compile(
    rf"(?P<mark>{HASHES}(?=\s|$)|>|[-+](?=\s|$)|=+\s*$|-+\s*$|~~~|\|)|(?P<number>{ITEM_NUMBER})(?P<dot>[.)](?=\s|$))"
)


def escape_inline(text: str) -> str:
    """``text`` with backslashes before the characters that would be markup within a line."""
    return _INLINE.sub(r"\\\g<0>", text)


def without_escapes(text: str) -> str:
    """``text`` without the backslashes before what would be markup otherwise."""
    return _ESCAPED.sub(r"\1", text)


def escape_line(text: str) -> str:
    """``text`` as a line of prose: escaped within, and at its start where it would be read as a list or heading."""
    escaped = escape_inline(text)
    opening = _OPENING.match(escaped)
    return _escaped_opening(opening) + escaped[opening.end() :] if opening else escaped


def _escaped_opening(match: re.Match[str]) -> str:
    if match["number"]:
        return f"{match['number']}\\{match['dot']}"
    return f"\\{match[0]}"


def fence_around(code: str) -> str:
    """The backticks that a fence around a code needs: more than any run of them inside, at least three."""
    if "```" not in code:
        return "```"
    return "`" * (1 + max(map(len, re.findall("`{3,}", code))))


def fenced(lines: list[str]) -> str:
    """The lines as a fenced code block."""
    code = "\n".join(lines)
    fence = fence_around(code)
    return f"{fence}\n{code}\n{fence}"
