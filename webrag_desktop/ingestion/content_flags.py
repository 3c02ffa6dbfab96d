"""Rich content in a block: read from its raw HTML before sanitising, and from its markdown."""

import re

from webrag_desktop.models import ContentFlags

_KEYWORDS = "note|warning|tip|important|caution|danger|info"
_CLASSES = re.compile(r"<[a-z][^<>]*?\sclass=\"([^\"]*)\"", re.IGNORECASE)
_MATH_TAG = re.compile(r"<math[\s>]|<mjx-")
_MATH_CLASS = re.compile(
    r"(?<!\S)(?:mathjax(?!\S*(?:ignore|process))|katex|math(?![^\s_-])|mwe-math)", re.IGNORECASE
)
_ADMONITION_CLASS = re.compile(
    rf"admonition|(?<!\S)(?:alert-|callout-|markdown-alert-)?(?:{_KEYWORDS})(?!\S)", re.IGNORECASE
)
_KEYWORD_LINE = re.compile(
    r"^(?:[ \t]*>)?[ \t]*[*_]{0,3}(?:(?:Note|Warning|Important|Tip|Caution|Danger|Info|Success|Example|See also)"
    r"[*_]{0,3}:?[*_]{0,3}[ \t]*|Deprecated since\b.{0,80})$",
    re.MULTILINE,
)
_KEYWORD_WORDS = (
    "Note", "Warning", "Important", "Tip", "Caution", "Danger", "Info", "Success", "Example", "See also",
    "Deprecated since",
)  # fmt: skip
_FENCE = re.compile(
    r"^[ >\t]*+(?:[-*+]|\d+[.)])?+[ \t]*+(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ >\t]*+\1[`~]*+[ \t]*+$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_CELL = r"[ \t]*+:?-++:?[ \t]*+"
_DELIMITER_ROW = re.compile(rf"^[ >\t]*+(?:\|?{_CELL}(?:\|{_CELL})++\|?|\|{_CELL}\|)[ \t]*+$", re.MULTILINE)
_STEP = re.compile(r"^[ >\t]*+(?:[-*+][ \t]++)?+\d{1,9}[.)][ \t]++\S", re.MULTILINE)


def detect_flags(markdown: str, html: str = "") -> ContentFlags:
    """Flags of a block from its markdown and, where there is one, its unsanitised HTML.

    Math and definition lists are recognised in HTML only, since markdown has no syntax for them.
    """
    code = _FENCE.search(markdown) if "```" in markdown or "~~~" in markdown else None
    prose = _FENCE.sub("", markdown) if code else markdown
    classes = "\n".join(_CLASSES.findall(html))
    return ContentFlags(
        has_table="<table" in html or _has_table(prose),
        has_code=code is not None,
        has_math=_MATH_TAG.search(html) is not None or _MATH_CLASS.search(classes) is not None,
        has_definition_list="<dl" in html,
        has_admonition=_has_keyword_line(prose) or _ADMONITION_CLASS.search(classes) is not None,
        has_steps="<ol" in html or _STEP.search(prose) is not None,
    )


def _has_table(prose: str) -> bool:
    return "|" in prose and "-" in prose and _DELIMITER_ROW.search(prose) is not None


def _has_keyword_line(prose: str) -> bool:
    return any(word in prose for word in _KEYWORD_WORDS) and _KEYWORD_LINE.search(prose) is not None
