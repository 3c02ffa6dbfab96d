"""Whether words that a model quotes stand in a text, letter for letter or as the text reads."""

import re
from collections.abc import Iterator

from webrag_desktop.citations.reading import Spaced

# What of a text no reader sees: targets of links, emphasis, code marks, escapes, what marks a line as an item.
_MARKUP = re.compile(
    r"""
    !?\[(?=[^\]\n]*\]\() | \]\([^()\s]*(?:\([^()\s]*\))?(?:\s+"[^"\n]*")?\)
    | [*`~]+ | (?<!\w)_+ | _+(?!\w) | \\(?=[^\w\s])
    | ^[ \t]*(?:(?:[-+>]|\#{1,6}|\d{1,9}[.)])[ \t]+)+
    """,
    re.VERBOSE | re.MULTILINE,
)
# Signs that models change when they quote; one for one, so that places stay.
_SIGNS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\N{NO-BREAK SPACE}": " "})


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Where ``quote`` stands in ``text``: letter for letter, else as it reads, markup, spacing and curled signs aside.

    None where it does not, and for a quote without a letter or figure.
    """
    if not any(map(str.isalnum, quote)):
        return None
    wanted = quote.strip()
    at = text.find(wanted)
    if at >= 0:
        return at, at + len(wanted)
    return _found_as_read(text, wanted)


def _found_as_read(text: str, quote: str) -> tuple[int, int] | None:
    places = list(_readable(text))
    read = Spaced("".join(text[place] for place in places).translate(_SIGNS))
    bare = "".join(quote[place] for place in _readable(quote)).translate(_SIGNS)
    wanted = " ".join(bare.split())
    at = read.text.find(wanted) if wanted else -1
    if at < 0:
        return None
    start, end = read.span_in_original(at, at + len(wanted))
    return places[start], places[end - 1] + 1


def _readable(text: str) -> Iterator[int]:
    """The places of all characters that are no markup."""
    at = 0
    for mark in _MARKUP.finditer(text):
        yield from range(at, mark.start())
        at = mark.end()
    yield from range(at, len(text))
