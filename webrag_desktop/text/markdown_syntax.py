"""The line patterns of CommonMark's block structure, of pipe tables, and of front matter."""

import re

FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
ITEM = re.compile(r"( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|$)")
QUOTE = re.compile(r" {0,3}>")
_CELL = r"[ \t]*+:?-++:?[ \t]*+"
DELIMITERS = re.compile(rf" {{0,3}}\|?{_CELL}(?:\|{_CELL})*+\|?[ \t]*+$")
_RAW = "script|pre|style|textarea"
HTML_UNTIL = (
    (
        re.compile(rf" {{0,3}}<(?:{_RAW})(?:[\s>]|$)", re.IGNORECASE),
        re.compile(rf"</(?:{_RAW})>", re.IGNORECASE),
    ),
    (re.compile(r" {0,3}<!--"), re.compile(r"-->")),
    (re.compile(r" {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}<![A-Za-z]"), re.compile(r">")),
    (re.compile(r" {0,3}<!\[CDATA\["), re.compile(r"\]\]>")),
)
HTML_BLOCK = re.compile(
    r" {0,3}</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog"
    r"|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend"
    r"|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td"
    r"|tfoot|th|thead|title|tr|track|ul)(?:[\s>]|/>|$)",
    re.IGNORECASE,
)
HTML_TAG = re.compile(
    r" {0,3}(?:<[A-Za-z][\w-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*\s*/?>"
    r"|</[A-Za-z][\w-]*\s*>)[ \t]*$"
)
_FRONT_MATTER = re.compile(
    # YAML: keys, what is indented, items, comments and brackets that close; a line of mere prose is none of these.
    r"(?:---[ \t]*\n(?=[^\n]*:)(?:\n|[ \t#\-\]}\"'][^\n]*\n|[^\s#\-\]}\"':][^\n:]*:[^\n]*\n){1,198}?(?:---|\.\.\.)"
    r"|\+\+\+[ \t]*\n(?:[^\n]*\n){1,198}?\+\+\+)[ \t]*(?=\n|\Z)"  # TOML
)


def front_matter_end(markdown: str) -> int:
    """Where the front matter of a Markdown file ends, after its closing rule; 0 where it has none."""
    found = _FRONT_MATTER.match(markdown)
    return found.end() if found else 0
