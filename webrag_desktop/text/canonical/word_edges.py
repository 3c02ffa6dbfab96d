"""Whether a stretch of a text's canonical form begins and ends with whole words and numbers.

A quotation that begins or ends within a word says something else: "can" of "can't", "3" of "3.14", "linear" of
"non-linear", "5" of "-5", "10" of "10^6". Scripts without spaces have no such places.
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
_FAR_ENOUGH = 20  # characters to see the word before a raised number


def has_word_edges(canonical: CanonicalForm, start: int, end: int) -> bool:
    """Whether ``[start, end)``, which is not empty, parts no word and no number at its ends."""
    text, joins = canonical.text, canonical.joins
    if start > 0 and (joins[start] in JOINED_BY_HYPHEN or _begins_within(text, start, joins[start])):
        return False
    return end >= len(text) or not (joins[end] in JOINED_BY_HYPHEN or _ends_within(text, end, joins[end]))


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
    if not _is_of_word(after):
        return False
    if _within_word(before, after, join):
        return True
    earlier = text[at - 2] if at > 1 else " "
    if before == "-" and _is_one_name(earlier, after):
        return True
    if before == "'" and earlier.isalpha():
        return _TAIL_OF_CONTRACTION.match(text, at) is not None
    return after.isdigit() and _begins_within_number(earlier, before)


def _begins_within_number(earlier: str, before: str) -> bool:
    if before == "^" or (before == "(" and earlier == "^"):
        return True
    if before in _WITHIN_NUMBERS and earlier.isdigit():
        return True
    if before in _SIGNS or before in {".", ","}:
        return not (_is_of_word(earlier) or earlier in ")]\"'.,")
    return False


def _ends_within(text: str, at: int, join: str) -> bool:
    before, after = text[at - 1], text[at]
    if not _is_of_word(before):
        return False
    if _RAISED.match(after):
        return _MEASURED.search(text, max(0, at - _FAR_ENOUGH), at) is not None
    if _within_word(before, after, join):
        return True
    following = text[at + 1 : at + 2]
    if after == "-":
        return _is_one_name(before, following)
    if after == "'":
        return following.isalpha()
    return before.isdigit() and after in _WITHIN_NUMBERS and following.isdigit()
