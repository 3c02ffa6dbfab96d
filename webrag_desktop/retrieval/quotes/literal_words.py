"""What a whole text must hold, letter for letter, so that a quotation can stand in it: looked for by the server."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from webrag_desktop.retrieval.quotes.wording import Quotation
from webrag_desktop.storage.searching.terms import UNSPACED
from webrag_desktop.text.canonical.lookalikes import is_unseen, read_alike

_MOST_WORDS = 24
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
# Where characters may have other forms: all that is not ASCII, but for ideographs and syllables in one piece.
_RANGES = ((0xA0, 0x3400), (0xF900, 0xFFFE), (0x1D400, 0x1D800), (0x1F100, 0x1F200), (0x2F800, 0x2FA20))
_PIECES_OF_SYLLABLES = frozenset(map(chr, range(0x1100, 0x1200)))
_BROKEN_WORD = "[-\u2010\u2011]\\s*[\n\r\f\u2028\u2029]"
# What a copy of Markdown may hold that shows nothing where it is half a link or tag.
_PART_OF_MARKUP = re.compile(r"\]\(|\]\[|<")


@dataclass(frozen=True, slots=True)
class LiteralWords:
    """``words`` stand in every text that reads as the quotation, and it matches the regular expression ``in_order``.

    Unless it holds something that matches ``hiding``: there a word may be written otherwise. Every text whose markdown
    is the quotation holds ``verbatim``.
    """

    words: tuple[str, ...]
    in_order: str
    hiding: str
    verbatim: str


def literal_words(quotation: Quotation) -> LiteralWords:
    """The words of a quotation that it has however it is read, but for those that may be written otherwise."""
    found = [_WORD.findall(read_alike(reading.text).text) for reading in quotation.prepared.readings]
    if not found or _PART_OF_MARKUP.search(quotation.text):
        found = [[]]
    common = set.intersection(*map(set, found))
    words = sorted(filter(_is_stable, common), key=lambda word: (-len(word), word))[:_MOST_WORDS]
    one_way = len(found) == 1 and not quotation.prepared.parts and len(words) == len(set(found[0]))
    in_order = _in_order(found[0]) if one_way else ""
    return LiteralWords(tuple(words), in_order, _hiding(), min(quotation.prepared.literal, key=len))


def _in_order(words: Sequence[str]) -> str:
    """The words with nothing but signs between them; marks of notes are figures."""
    return "[^[:alpha:]]*".join(words[:_MOST_WORDS])


def _is_stable(word: str) -> bool:
    """Whether it is written in one way only, the order of its accents included."""
    return not (_other_forms() & set(word) or any(map(unicodedata.combining, word)))


@cache
def _other_forms() -> frozenset[str]:
    """Characters that may read as letters or figures written otherwise, or as nothing."""
    chars = [chr(number) for first, after in _RANGES for number in range(first, after)]
    pieces = (unicodedata.decomposition(char).split() for char in chars)
    accents = (chr(int(both[1], 16)) for both in pieces if len(both) == 2 and not both[0].startswith("<"))
    return frozenset((*filter(_hides, chars), *accents, *_PIECES_OF_SYLLABLES))


def _hides(char: str) -> bool:
    if is_unseen(char):
        return True
    read = read_alike(char).text
    return read != char and (not read or any(map(str.isalnum, read)))


@cache
def _hiding() -> str:
    """What a text must hold in which a word may stand written otherwise, as a regular expression of the server."""
    spans = _spans(sorted(map(ord, _other_forms())))
    listed = "".join(f"\\U{first:08X}-\\U{last:08X}" for first, last in spans)
    return f"[{listed}]|{_BROKEN_WORD}"


def _spans(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    first = last = None
    for number in numbers:
        if first is None or last is None:
            first = number
        elif number != last + 1:
            yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last
