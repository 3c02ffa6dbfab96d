"""Whether a span of a text's canonical form begins and ends with whole words and numbers.

A quotation that begins or ends within a word says something else: "can" of "can't", "3" of "3.14", "linear" of
"non-linear", "5" of "-5", "$5" or "5%", "10" of "10^6", "C" of "C++". Scripts without spaces have no such places: their
form tells no sign that stands apart from one that is joined.
"""

import re
import unicodedata

from webrag_desktop.text.canonical.canonical_form import (
    IDEOGRAPHIC,
    JOINED_BY_HYPHEN,
    WITHOUT_SPACES,
    CanonicalForm,
)

_UNSPACED = re.compile(f"[{IDEOGRAPHIC}{WITHOUT_SPACES}\u0f00-\u0fff]")
_TAIL_OF_CONTRACTION = re.compile(r"(?:[stdmST]|ll|re|ve|LL|RE|VE)\b")
_WITHIN_NUMBERS = frozenset(".,:/'\u066b\u066c")
_SIGNS = frozenset("+-\u2212\u2013\u00b1")
_RAISED = re.compile(r"[\u2070-\u207f\u00b2\u00b3\u00b9]|\^")
_MEASURED = re.compile(
    r"(?:\d|(?<!\w)[^\W\d_]{1,2}|\d\s?[^\W\d_]{3,12}|[)\]}])$"
)  # what an exponent may belong to
_BEFORE_NUMBERS = frozenset(
    "<>\u2264\u2265\u2260\u2248~\u00d7\u00f7#\u00a7"
)  # relations and signs, as in "<5"
_BEHIND_NUMBERS = frozenset("%\u2030\u00b0\u2032\u2033")
_BEHIND_WORDS = re.compile(r"(?:\+{1,2}|[\u2212\u207a\u207b#])(?!\w)")  # as in "C++", "Na+", "O\u2212"
_NARROW_SPACES = frozenset("\u00a0\u2009\u202f")  # within a number
_GROUP = re.compile(r"\d [0-9]{3}(?![0-9])")
_DOLLARS = re.compile(r"\$[^$\n]*[^\s$]\$(?!\d)")  # around a formula, and no price
_LONGEST_FORMULA = 500
_FAR_ENOUGH = 20  # characters to see the word before a raised number


def has_word_edges(canonical: CanonicalForm, start: int, end: int) -> bool:
    """Whether ``[start, end)``, which is not empty, parts no word and no number at its ends."""
    text, joins = canonical.text, canonical.joins
    if start > 0 and (
        joins[start] in JOINED_BY_HYPHEN
        or _begins_within(text, start, joins[start])
        or _parts_groups(canonical, start - 1)
    ):
        return False
    return end >= len(text) or not (
        joins[end] in JOINED_BY_HYPHEN or _ends_within(text, end, joins[end]) or _parts_groups(canonical, end)
    )


def _parts_groups(canonical: CanonicalForm, space: int) -> bool:
    """Whether a space that is narrow or keeps lines together stands there between groups of figures."""
    found = space > 0 and _GROUP.match(canonical.text, space - 1) is not None
    return found and canonical.written(space - 1, space + 2)[1:2] in _NARROW_SPACES


def _is_of_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M"


def _is_unspaced(char: str) -> bool:
    return _UNSPACED.match(char) is not None


def _within_word(before: str, after: str, join: str) -> bool:
    """Whether two characters belong to one word, as far as that can be seen."""
    one_word = join == "." and _is_of_word(before) and _is_of_word(after)
    return one_word and not (_is_unspaced(before) or _is_unspaced(after))


def _is_one_name(before: str, after: str) -> bool:
    """Whether a hyphen between the two makes one name of them, as in "B-12", and no range of numbers."""
    return before.isalnum() and after.isalnum() and not (before.isdigit() and after.isdigit())


def _begins_within(text: str, at: int, join: str) -> bool:
    before, after = text[at - 1], text[at]
    if not _is_of_word(after) or _is_unspaced(after):
        return False
    if _within_word(before, after, join):
        return True
    earlier = text[at - 2] if at > 1 else " "
    if before == "-" and _is_one_name(earlier, after):
        return True
    if before == "'" and earlier.isalpha():
        return _TAIL_OF_CONTRACTION.match(text, at) is not None
    if before == "." and _is_initial(text, at - 2):
        return True
    return after.isdigit() and (_begins_within_number(earlier, before) or _is_price(text, at - 1))


def _is_initial(text: str, at: int) -> bool:
    """Whether one letter alone stands there."""
    return at >= 0 and text[at].isalpha() and not (at and _is_of_word(text[at - 1]))


def _is_price(text: str, sign: int) -> bool:
    """Whether the sign of a currency stands there, in front of its number."""
    if text[sign] != "$":
        return unicodedata.category(text[sign]) == "Sc"
    return _DOLLARS.match(text, sign, sign + _LONGEST_FORMULA) is None


def _begins_within_number(earlier: str, before: str) -> bool:
    if before == "^" or (before == "(" and earlier == "^") or before in _BEFORE_NUMBERS:
        return True
    if before in _WITHIN_NUMBERS and earlier.isdigit():
        return True
    if before in _SIGNS or before in {".", ","}:
        return not (_is_of_word(earlier) or earlier in ")]\"'.,")
    return False


def _ends_within(text: str, at: int, join: str) -> bool:
    before, after = text[at - 1], text[at]
    if not _is_of_word(before) or _is_unspaced(before):
        return False
    if _RAISED.match(after):
        return _MEASURED.search(text, max(0, at - _FAR_ENOUGH), at) is not None
    return _within_word(before, after, join) or _goes_on(text, at, text[at + 1 : at + 2])


def _goes_on(text: str, at: int, following: str) -> bool:
    """Whether the sign behind a word or number belongs to it."""
    before, after = text[at - 1], text[at]
    if after == "-":
        return _is_one_name(before, following)
    if after == "'":
        return following.isalpha()
    if after == "." and following.isalpha():
        return _is_initial(text, at - 1)
    return _ends_within_number(after, following) if before.isdigit() else _ends_within_name(text, at)


def _ends_within_name(text: str, at: int) -> bool:
    return text[at - 1].isalpha() and _BEHIND_WORDS.match(text, at) is not None


def _ends_within_number(after: str, following: str) -> bool:
    if after in _WITHIN_NUMBERS and following.isdigit():
        return True
    return after in _BEHIND_NUMBERS or (after != "$" and unicodedata.category(after) == "Sc")
