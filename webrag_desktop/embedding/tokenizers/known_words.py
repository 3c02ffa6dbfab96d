"""Words whose tokens are remembered: texts repeat them, and reading tokens takes far longer than looking them up."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.intp]
Offsets = tuple[int, ...] | None  # of the tokens in a word; None: one, at its beginning, as of most words

_WORD = re.compile(r"[0-9A-Za-z]+")
_NOT_SPACE = re.compile(r"[^ \t\n\r]+")
_SHORT = 200  # characters; up to here arrays are not worth their making
_SPACE, _LETTER, _MARK, _OTHER = range(4)


def _kind(code: int) -> int:
    char = chr(code)
    if char in " \t\n\r":
        return _SPACE
    if char.isalnum():
        return _LETTER
    return _MARK if char.isprintable() else _OTHER


_KINDS = np.array([*map(_kind, range(128)), _OTHER], dtype=np.uint8)
# Of words that are remembered, in characters; about ten megabytes of memory.
_MOST_REMEMBERED = 500_000


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text with where they begin, and where its punctuation marks are."""

    texts: list[str]
    starts: Positions
    marks: Positions


class WordStarts:
    """Where tokens start, for a tokenizer that never reads over ASCII white space.

    Between blanks, a run of ASCII letters and digits must be read by itself, each ASCII punctuation mark must be
    one token, and a run that holds any other character must be read as it would be alone. ``encode`` gives the
    token starts of any text.
    """

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        self._encode = encode
        self._known: dict[str, Offsets] = {}
        self._remembered = 0

    def starts(self, text: str) -> Positions:
        """The offset of every token's first code point, ascending."""
        found = _words(text)
        known = self._offsets(found.texts)
        several = [
            (index, offsets)
            for index, offsets in enumerate(map(known.__getitem__, found.texts))
            if offsets is not None
        ]
        indices = np.array([index for index, _ in several], dtype=np.intp)
        begins = found.starts[indices].tolist()
        inside = [
            begin + offset for begin, (_, offsets) in zip(begins, several, strict=True) for offset in offsets
        ]
        whole = np.delete(found.starts, indices)
        return np.sort(np.concatenate((whole, found.marks, np.array(inside, dtype=np.intp))))

    def count(self, text: str) -> int:
        """The number of tokens."""
        if len(text) <= _SHORT:
            words, marks = _NOT_SPACE.findall(text), 0
        else:
            found = _words(text)
            words, marks = found.texts, len(found.marks)
        known = self._offsets(words)
        offsets = [one for one in map(known.__getitem__, words) if one is not None]
        return marks + len(words) - len(offsets) + sum(map(len, offsets))

    def _offsets(self, words: Iterable[str]) -> Mapping[str, Offsets]:
        """Token starts within each of the words."""
        known = self._known  # another thread may begin a new one meanwhile
        fresh = set(words).difference(known)
        if fresh:
            size = sum(map(len, fresh))
            if self._remembered + size > _MOST_REMEMBERED:
                known = self._known = {}
                self._remembered = 0
                fresh = set(words)
            self._remembered += size
            self._learn(known, list(fresh))
        return known

    def _learn(self, known: dict[str, Offsets], words: Sequence[str]) -> None:
        starts = self._encode(" ".join(words))
        index = begin = 0
        for word in words:
            first, end = index, begin + len(word)
            while index < len(starts) and starts[index] < end:
                index += 1
            offsets = tuple(start - begin for start in starts[first:index])
            known[word] = None if offsets == (0,) else offsets
            begin = end + 1


def _words(text: str) -> _Words:
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    kinds = _KINDS[np.minimum(codes, 128)]
    if not (kinds == _OTHER).any():
        return _Words(_WORD.findall(text), _run_starts(kinds == _LETTER), np.flatnonzero(kinds == _MARK))
    return _mixed_words(text, codes, kinds)


def _mixed_words(text: str, codes: npt.NDArray[np.uint32], kinds: npt.NDArray[np.uint8]) -> _Words:
    """Runs between blanks with an unusual character are one word."""
    blank = kinds == _SPACE
    run = np.cumsum(blank)  # the same number for a blank and what follows it
    unusual = np.zeros(run[-1] + 1, dtype=bool)
    unusual[run[kinds == _OTHER]] = True
    inside = unusual[run] & ~blank
    plain = np.where(inside, np.uint32(ord(" ")), codes).astype(np.uint8).tobytes().decode("ascii")
    kinds = np.where(inside, np.uint8(_SPACE), kinds)
    begins = _run_starts(inside)
    ends = len(text) - _run_starts(inside[::-1])[::-1]
    runs = [text[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    starts = np.concatenate((_run_starts(kinds == _LETTER), begins))
    return _Words([*_WORD.findall(plain), *runs], starts, np.flatnonzero(kinds == _MARK))


def _run_starts(inside: npt.NDArray[np.bool_]) -> Positions:
    """Where runs of true values begin."""
    before = np.concatenate((np.zeros(1, dtype=bool), inside[:-1]))
    return np.flatnonzero(inside & ~before)


class WordCounts:
    """How many tokens a text has, for a tokenizer that reads each match of ``word`` as it would be alone.

    Words are counted once and remembered: a text and its HTML mostly repeat them. ``count`` counts any text.
    """

    def __init__(self, word: re.Pattern[str], count: Callable[[str], int]) -> None:
        self._word = word
        self._count = count
        self._known: dict[str, int] = {}
        self._remembered = 0

    def count(self, text: str) -> int:
        """The number of tokens."""
        words = self._word.findall(text)
        known = self._known  # another thread may begin a new one meanwhile
        fresh = set(words).difference(known)
        if fresh:
            size = sum(map(len, fresh))
            if self._remembered + size > _MOST_REMEMBERED:
                known = self._known = {}
                self._remembered = 0
                fresh = set(words)
            self._remembered += size
            known.update((one, self._count(one)) for one in fresh)
        return sum(map(known.__getitem__, words))
