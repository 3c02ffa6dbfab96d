"""What of a text is most like a quote that does not stand in it any more: the stretch that shares most of its words."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass
from heapq import nlargest

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff]|\w+")
FEWEST_WORDS = 3  # fewer say too little to be found again by them
LEAST_SHARE = 0.6
MOST_HITS = 2000  # of one word; commoner ones lead nowhere
MOST_STRETCHES = 16  # that are compared word by word


@dataclass(frozen=True, slots=True)
class Near:
    """``[start, end)`` of a text, and the share of a quote's words that it holds."""

    start: int
    end: int
    share: float


class WordIndex:
    """Where each word of a text stands, to look many quotes up in it."""

    def __init__(self, text: str) -> None:
        """Read ``text`` once; takes time in proportion to its length."""
        self._spans: list[tuple[int, int]] = []
        self._words: list[str] = []
        self._places: dict[str, list[int]] = defaultdict(list)
        for number, match in enumerate(_WORD.finditer(text)):
            word = match[0].casefold()
            self._spans.append(match.span())
            self._words.append(word)
            self._places[word].append(number)

    def nearest(self, quote: str) -> Near | None:
        """The stretch about as long as ``quote`` that shares most of its words, the first of several.

        None where none shares :data:`LEAST_SHARE` of them.
        """
        wanted = Counter(match[0].casefold() for match in _WORD.finditer(quote))
        length = wanted.total()
        hits = self._hits(wanted)
        if length < FEWEST_WORDS or not hits:
            return None
        dense = nlargest(
            MOST_STRETCHES,
            range(len(hits)),
            key=lambda at: (bisect_left(hits, hits[at] + _room(length)) - at, -at),
        )
        share, first = max((self._share(hits[at], wanted), -hits[at]) for at in dense)
        if share < LEAST_SHARE:
            return None
        return self._trimmed(-first, min(_room(length) - first, len(self._words)), wanted, share)

    def _hits(self, wanted: Counter[str]) -> list[int]:
        found = (self._places.get(word, []) for word in wanted)
        return sorted(place for places in found if len(places) <= MOST_HITS for place in places)

    def _share(self, first: int, wanted: Counter[str]) -> float:
        """The share of the wanted words in the stretch that begins with the word ``first``, every word once."""
        length = wanted.total()
        return (wanted & Counter(self._words[first : first + _room(length)])).total() / length

    def _trimmed(self, first: int, last: int, wanted: Counter[str], share: float) -> Near:
        """The stretch from its first word that is wanted to its last."""
        while self._words[first] not in wanted:
            first += 1
        while self._words[last - 1] not in wanted:
            last -= 1
        return Near(self._spans[first][0], self._spans[last - 1][1], share)


def _room(length: int) -> int:
    """In how many words a quote of ``length`` words is looked for: some may have come in between."""
    return length + max(1, length // 4)
