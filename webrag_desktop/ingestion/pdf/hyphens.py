"""Words that a line end broke in two, put together where the document itself shows how they are written."""

import re
from collections import Counter
from collections.abc import Iterable

from webrag_desktop.ingestion.pdf.characters import without_space_between
from webrag_desktop.ingestion.pdf.lines import Line

_LONG_HALF = 6  # letters
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_LAST = re.compile(r"([^\W\d_]+)[-‐]$")
_FIRST = re.compile(r"[^\W\d_]+")


class Vocabulary:
    """How often each word stands whole in a document."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._counts: Counter[str] = Counter()
        self._parts: set[str] = set()  # of words with a hyphen
        after_break = False
        for line in lines:
            words = _WORD.findall(line.text.casefold())
            broken = line.text.endswith(("-", "‐"))
            whole = words[after_break : len(words) - broken]  # halves of words are none
            self._counts.update(whole)
            self._parts.update(part for word in whole if "-" in word for part in word.split("-"))
            after_break = broken

    def join(self, text: str, before: Line, after: Line) -> str:
        """``text``, which ends with the line ``before``, and the line after it as running text."""
        if not text or not after.text or before.soft_end:
            return text + after.text
        last, first = _LAST.search(text[-80:]), _FIRST.match(after.text)
        if last and first:
            return (text[:-1] if self._is_one_word(last[1], first[0]) else text) + after.text
        if text[-1] in "-‐/" and text[-2:-1].strip() and after.text[:1].isalnum():
            return text + after.text
        if without_space_between(text[-1], after.text[0]):
            return text + after.text
        return f"{text} {after.text}"

    def _is_one_word(self, last: str, first: str) -> bool:
        """Whether the hyphen between two halves was put there by the line end alone."""
        if not (first[0].islower() or (last.isupper() and first.isupper())):
            return False
        last, first = last.casefold(), first.casefold()
        whole, hyphenated = self._counts[last + first], self._counts[f"{last}-{first}"]
        if whole or hyphenated:
            return whole >= hyphenated
        return not (self._is_known(last) and (self._is_known(first) or _are_long(last, first)))

    def _is_known(self, word: str) -> bool:
        return word in self._parts or self._counts[word] > 0


def _are_long(last: str, first: str) -> bool:
    """Whether two halves are too long for a word that is not made of two."""
    return min(len(last), len(first)) >= _LONG_HALF
