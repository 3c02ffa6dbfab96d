"""Rich content in a block: read from its raw HTML before sanitising, and from its markdown."""

import re

from webrag_desktop.models import ContentFlags

_KEYWORDS = "note|warning|tip|important|caution|danger|info"
_CLASS = r"<[a-z][^<>]*\sclass=\"(?:[^\"]*\s)?"
_MATH = re.compile(
    r"<math[\s>]|<mjx-|"
    + _CLASS
    + r"(?:mathjax(?![\w-]*(?:ignore|process))|katex|math(?=[\s\"_-])|mwe-math)",
    re.IGNORECASE,
)
_ADMONITION = re.compile(
    _CLASS + rf"(?:[\w-]*admonition|(?:alert-|callout-|markdown-alert-)?(?:{_KEYWORDS})(?=[\s\"]))",
    re.IGNORECASE,
)
_KEYWORD_LINE = re.compile(
    r"^\s*(?:>\s*)?[*_]{0,3}(?:Note|Warning|Important|Tip|Caution|Danger|Info|Success|Example|See also)"
    r"[*_]{0,3}:?[*_]{0,3}\s*$|^\s*(?:>\s*)?[*_]{0,3}Deprecated since\b.{0,80}$",
    re.MULTILINE,
)
_FENCE = re.compile(
    r"^[ >\t]*(?:[-*+]|\d+[.)])?[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ >\t]*\1[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_DELIMITER_ROW = re.compile(
    r"^[ >\t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$|^[ >\t]*\|[ \t]*:?-+:?[ \t]*\|[ \t]*$",
    re.MULTILINE,
)
_STEP = re.compile(r"^[ >\t]*(?:[-*+][ \t]+)?\d{1,9}[.)][ \t]+\S", re.MULTILINE)


def detect_flags(markdown: str, html: str = "") -> ContentFlags:
    """Flags of a block from its markdown and, where there is one, its unsanitised HTML.

    Math and definition lists are recognised in HTML only, since markdown has no syntax for them.
    """
    code = _FENCE.search(markdown) if "```" in markdown or "~~~" in markdown else None
    prose = _FENCE.sub("", markdown) if code else markdown
    return ContentFlags(
        has_table="<table" in html or _has_table(prose),
        has_code=code is not None,
        has_math=_MATH.search(html) is not None,
        has_definition_list="<dl" in html,
        has_admonition=_KEYWORD_LINE.search(prose) is not None or _ADMONITION.search(html) is not None,
        has_steps="<ol" in html or _STEP.search(prose) is not None,
    )


def _has_table(prose: str) -> bool:
    return "|" in prose and "-" in prose and _DELIMITER_ROW.search(prose) is not None
