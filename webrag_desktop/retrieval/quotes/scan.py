"""Whole texts searched for a quotation: the server selects those with its words, letter for letter."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, pairwise
from uuid import UUID

from webrag_desktop.models.quotes import QuotePlace
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.retrieval.quotes.passages import Places, Quotation, whole_text
from webrag_desktop.retrieval.quotes.search import MOST_IN_A_TEXT, Findings, found_in
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.quotes import Held, StoredSize, read_version, texts_holding
from webrag_desktop.storage.searching.words import UNSPACED
from webrag_desktop.text.canonical.lookalikes import is_unseen, read_alike

_MOST_WORDS = 24
_MOST_HIDDEN = 3  # as many are searched in any spelling, the first where they have an order, else the longest
_MOST_LETTERS = 200  # in one regular expression; the server takes minutes for thousands
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
# Where characters may have other forms: all that is not ASCII, but for ideographs and syllables in one piece.
_RANGES = ((0xA0, 0x3400), (0xF900, 0xFFFE), (0x1D400, 0x1D800), (0x1F100, 0x1F200), (0x2F800, 0x2FA20))
_PIECES_OF_SYLLABLES = frozenset(map(chr, range(0x1100, 0x1200)))
_NARROW_ACCENTS = "\uff9e\uff9f"
_HYPHENS = "-\u2010\u2011"
_BLANKS = [char for char in map(chr, range(0x3001)) if char.isspace()]
_BROKEN_WORD = "[-\u2010\u2011]\\s*[\n\r\f\u2028\u2029]"
# What a copy of Markdown may hold that shows nothing where it is half a link or tag.
_PART_OF_MARKUP = re.compile(r"\]\(|\]\[|<")


@dataclass(frozen=True, slots=True)
class LiteralWords:
    """``words`` occur in every text that reads as the quotation, and it matches the regular expression ``in_order``.

    Unless it holds something that matches :func:`hiding`: there a word may be written otherwise, and then the text
    matches all of ``however_written``. Every text whose markdown is the quotation holds ``verbatim``.
    """

    words: tuple[str, ...]
    in_order: str
    however_written: tuple[str, ...]
    verbatim: str


def literal_words(quotation: Quotation) -> LiteralWords:
    """The words of a quotation that it has however it is read, but for those that may be written otherwise."""
    found = [_WORD.findall(read_alike(reading.text).text) for reading in quotation.prepared.readings]
    if not found or _PART_OF_MARKUP.search(quotation.text):
        found = [[]]
    common = set.intersection(*map(set, found))
    words = sorted(filter(_is_stable, common), key=lambda word: (-len(word), word))[:_MOST_WORDS]
    one_way = len(found) == 1 and not quotation.prepared.parts and len(words) == len(set(found[0]))
    in_order = _in_order(_beginning(found[0][:_MOST_WORDS])) if one_way else ""
    however = tuple(_however_written(word[:_MOST_LETTERS]) for word in words[:_MOST_HIDDEN])
    if one_way and not _drawn_as_one() & set(found[0]):
        however = (_in_order(map(_however_written, _beginning(found[0][:_MOST_HIDDEN]))),)
    return LiteralWords(tuple(words), in_order, however, min(quotation.prepared.literal, key=len))


def _in_order(words: Iterable[str]) -> str:
    """The words with nothing but signs between them; marks of notes are figures."""
    return "[^[:alpha:]]*".join(words)


def _beginning(words: Iterable[str]) -> Iterator[str]:
    """As many of the words as one regular expression takes, the last one cut."""
    left = _MOST_LETTERS
    for word in words:
        if left > 0:
            yield word[:left]
        left -= len(word)


def _is_stable(word: str) -> bool:
    """Whether it is written in one way only, the order of its accents included."""
    return not (_other_forms() & set(word) or any(map(unicodedata.combining, word)))


# -- A word written otherwise ----------------------------------------------------------------------------------------


def _however_written(word: str) -> str:
    """What a text matches that holds the word in any way to write it: with ligatures, in pieces, over two lines."""
    written = []
    for before, letter in zip(f" {word}", word, strict=False):
        one = _letter(letter) + _between()
        written.append(f"(?:{one})?" if before + letter in _ligated() else one)
    return "".join(written)


def _letter(letter: str) -> str:
    """Any way to write one letter or figure; one with an accent, and a syllable, in pieces, too."""
    first, *others = list(unicodedata.normalize("NFD", letter))
    some = chain.from_iterable(combinations(others, count) for count in range(len(others) + 1))
    begun = {letter, *(unicodedata.normalize("NFC", first + "".join(one)) for one in some)}
    listed = {char for one in begun if len(one) == 1 for char in (one, *_drawn_as().get(one, ()))}
    pieces = f"(?:{_between()}{_class_of(_pieces())})*" if others else ""
    return _class_of(listed) + pieces


@cache
def _between() -> str:
    """What may be within a word and is not read: invisible characters, and a hyphen at the end of a line."""
    blank, passed = _listed(_BLANKS), _listed((*filter(is_unseen, _chars()), *_HYPHENS))
    return f"(?:[{blank}]*[{passed}][{blank}{passed}]*)?"


@cache
def _drawn_as() -> dict[str, list[str]]:
    """For each letter and figure the characters that read as it, or as it beside others."""
    drawn: dict[str, list[str]] = {}
    for char in filter(_hides, _chars()):
        for letter in dict.fromkeys(read_alike(char).text):
            drawn.setdefault(letter, []).append(char)
    return drawn


@cache
def _ligated() -> frozenset[str]:
    """All pairs of adjacent letters that a single character is read as."""
    read = (read_alike(char).text for char in filter(_hides, _chars()))
    return frozenset(first + second for text in read for first, second in pairwise(text))


@cache
def _drawn_as_one() -> frozenset[str]:
    """Words that a single character reads as several of: they have nothing between them then."""
    read = (_WORD.findall(read_alike(char).text) for char in filter(_hides, _chars()))
    return frozenset(word for words in read if len(words) > 1 for word in words)


@cache
def _pieces() -> frozenset[str]:
    """What follows a letter, or the beginning of a syllable, and combines with it."""
    pieces = (unicodedata.decomposition(char).split() for char in _chars())
    accents = (chr(int(both[1], 16)) for both in pieces if len(both) == 2 and not both[0].startswith("<"))
    return frozenset((*accents, *_NARROW_ACCENTS, *_PIECES_OF_SYLLABLES))


@cache
def _chars() -> tuple[str, ...]:
    return tuple(chr(number) for first, after in _RANGES for number in range(first, after))


# -- A text in which words may be written otherwise ------------------------------------------------------------------


@cache
def hiding() -> str:
    """What a text must contain in which a word may be spelled otherwise, as a regular expression of the server."""
    return f"{_class_of(_other_forms())}|{_BROKEN_WORD}"


@cache
def _other_forms() -> frozenset[str]:
    """Characters that may read as letters or figures written otherwise, or as nothing."""
    return frozenset((*filter(_hides, _chars()), *_pieces()))


def _hides(char: str) -> bool:
    if is_unseen(char):
        return True
    read = read_alike(char).text
    return read != char and (not read or any(map(str.isalnum, read)))


def _class_of(chars: Iterable[str]) -> str:
    return f"[{_listed(chars)}]"


def _listed(chars: Iterable[str]) -> str:
    """Characters as a class of the server's regular expressions lists them."""
    spans = _spans(sorted(map(ord, chars)))
    return "".join(f"\\U{first:08X}-\\U{last:08X}" for first, last in spans)


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


_PORTION_BYTES = 4_000_000  # searched by one statement, after which it can be stopped
_PORTION_TEXTS = 256
_NEARLY_HELD = 3  # a text must contain one of this many of its words to contain something near it


class Scan:
    """Searches texts for one quotation."""

    def __init__(self, conn: Connection, quotation: Quotation, cancel: CancelToken) -> None:
        """Read on ``conn``, all in its one snapshot; one text at a time is held."""
        self._conn, self._quotation, self._cancel = conn, quotation, cancel
        self._places = Places(conn)

    def within(self, version_id: UUID, near: int | None = None) -> list[QuotePlace]:
        """Where it occurs in one text, else where something near it does: the nearest to ``near`` first."""
        return self._in_text(version_id, nearly=True, near=near)

    def through(
        self,
        texts: Sequence[StoredSize],
        *,
        nearly: bool,
        most: int = MOST_IN_A_TEXT,
        progress: ProgressCallback = no_progress,
        step: str = "",
    ) -> Findings:
        """Where it occurs in these texts, each searched on its own; with ``nearly``, also where something near it does.

        It ends, incomplete, with the text that brings the places to ``most``. Near ones are of use only where it
        occurs in none.
        """
        held = _held(literal_words(self._quotation), nearly=nearly)
        findings, done = Findings(), 0
        for portion in _portions(texts):
            progress(Step(step, done, len(texts)))
            self._cancel.raise_if_cancelled()
            for version_id in texts_holding(self._conn, [one.version_id for one in portion], held):
                self._cancel.raise_if_cancelled()
                findings.places += self._in_text(version_id, nearly=nearly)
                if len(findings.places) >= most:
                    findings.complete = version_id == texts[-1].version_id
                    return findings
            done += len(portion)
        progress(Step(step, done, len(texts)))
        return findings

    def _in_text(self, version_id: UUID, *, nearly: bool, near: int | None = None) -> list[QuotePlace]:
        version = read_version(self._conn, version_id)
        if version is None:
            return []
        return found_in(whole_text(version), self._quotation, self._places, nearly=nearly, near=near)


def _held(words: LiteralWords, *, nearly: bool) -> Held:
    """What a text must hold; for something near, a part of the words in any order."""
    if nearly:
        least = min(max(1, len(words.words) // _NEARLY_HELD), len(words.words))
        return Held(words.words, least, "", (hiding(),), words.verbatim)
    return Held(words.words, len(words.words), words.in_order, words.however_written, words.verbatim)


def _portions(texts: Sequence[StoredSize]) -> Iterator[Sequence[StoredSize]]:
    """The texts in order, in portions that one statement can search in a moment."""
    portion: list[StoredSize] = []
    size = 0
    for text in texts:
        portion.append(text)
        size += text.size
        if size >= _PORTION_BYTES or len(portion) >= _PORTION_TEXTS:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion
