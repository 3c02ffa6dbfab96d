"""Detects rich content in markdown by its pattern; what only HTML shows is flagged by ingestion."""

import re

from webrag_desktop.models import ContentFlags

FLAG_NAMES = tuple(ContentFlags.model_fields)
NO_FLAGS: frozenset[str] = frozenset()

# A chunk that holds only part of a block still stands in its formula, definition list or admonition,
# but not necessarily near its table, code or steps: those are read from the chunk's own text.
INHERITED_BY_PARTS = frozenset({"has_math", "has_definition_list", "has_admonition"})

_ADMONITION = re.compile(
    r"""^[ \t>]*(?:
        \[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*
      | [*_]{0,3}
        (?: (?:Note|Warning|Important|Tip|Caution|Danger|Info|Success|Example|See[ ][Aa]lso)
          | (?:NOTE|WARNING|IMPORTANT|TIP|CAUTION|DANGER|INFO|SUCCESS|EXAMPLE|SEE[ ]ALSO)
          | Deprecated[ ]since\b[^\n]{0,80}?
        )
        [:*_!]{0,4}[ \t]*
    )$""",
    re.VERBOSE | re.MULTILINE,
)
_ORDERED_ITEM = r"[ \t>]*(?:[-*+][ \t]+)*{number}[.)][ \t]+\S"
_STARTS_WITH_ITEM = re.compile(_ORDERED_ITEM.format(number=r"\d{1,3}"))
_FIRST_ITEM = re.compile("^" + _ORDERED_ITEM.format(number="1"), re.MULTILINE)
_HTML_TABLE = re.compile(r"<table[\s>]", re.IGNORECASE)


def is_admonition_keyword(line: str) -> bool:
    """Whether a line is nothing but the keyword that opens a callout (``Note``, ``**Warning:**`` …)."""
    return _ADMONITION.fullmatch(line) is not None


def text_flags(text: str) -> frozenset[str]:
    """Names of the flags that markdown outside fences and pipe tables shows.

    An ordered list counts where the text begins with an item, whatever its number, or where item 1 begins a
    line; a later line that only looks like ``18. `` is prose.
    """
    found = set()
    if _ADMONITION.search(text):
        found.add("has_admonition")
    if _STARTS_WITH_ITEM.match(text) or _FIRST_ITEM.search(text):
        found.add("has_steps")
    if _HTML_TABLE.search(text):
        found.add("has_table")
    return frozenset(found)


def flag_names(flags: ContentFlags) -> frozenset[str]:
    """The flags that are set, by name."""
    return frozenset(name for name in FLAG_NAMES if getattr(flags, name))


def content_flags(names: frozenset[str] | set[str]) -> ContentFlags:
    """The flags with these names set and all others clear."""
    return ContentFlags(**dict.fromkeys(names, True))
