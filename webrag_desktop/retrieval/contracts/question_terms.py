"""Where a question's words occur in a text, with any ending, and the idf of each."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

# How much longer than its stem a word may be: "ning" in running, "ication" in classification.
_LONGEST_ENDING = 4
_LONGEST_ENDING_OF_LONG_STEM = 7
_LONG_STEM = 5
_SHORTEST_INFLECTED = 3

# Every place where a term occurs, with the term, by rising offset.
Occurrences = list[tuple[int, str]]

_BETWEEN = "\n\0"  # texts; no term and no target of a link goes across it
_LINK_TARGET = re.compile(r"(?<=\]\()[^)\s]+")
_LOWERED_TO_ASCII = (
    "\u0130\u212a"  # the only other capitals whose lower case is, or begins with, one of its letters
)
_LETTERS = re.compile(r"[^\W_]+")  # exactly what str.isalnum takes


class QuestionTerms:
    """The question's words in one text search language (stems, as PostgreSQL made them), and its literal terms.

    Literal terms (identifiers, bigrams) are found as they are written. A stem is found in a word that begins
    with it: close enough to the language's own stemmer for weighing sentences. Where links lead is not text.
    """

    def __init__(self, stems: Iterable[str], literals: Iterable[str]) -> None:
        self.stems = tuple(stems)
        self.literals = tuple(literals)
        self._forms = tuple((stem, form) for stem in self.stems for form in _written_forms(stem))
        self._is_ascii = all(map(str.isascii, self.stems + self.literals))

    def occurrences(self, text: str) -> Occurrences:
        """Every place where a term occurs, with the term, by rising offset."""
        return self.occurrences_in([text])[0]

    def occurrences_in(self, texts: Sequence[str]) -> list[Occurrences]:
        """The same for each of several texts, which are searched as one."""
        lowered = self._lowered_together(texts)
        if "](" in lowered:
            lowered = _LINK_TARGET.sub(lambda target: " " * len(target[0]), lowered)
        places = [(at, literal) for literal in self.literals for at in _positions(lowered, literal)]
        for stem, form in self._forms:
            places += [(at, stem) for at in _words_with(lowered, form)]
        places.sort()
        starts = [0, *accumulate([len(text) + len(_BETWEEN) for text in texts])]
        found: list[Occurrences] = [[] for _ in texts]
        start = after = 0
        for at, term in places:
            if at >= after:
                number = bisect_right(starts, at) - 1
                start, after, here = starts[number], starts[number + 1], found[number]
            here.append((at - start, term))
        return found

    def _lowered_together(self, texts: Sequence[str]) -> str:
        """The texts as one in lower case, everything at its place; only ASCII's letters where no others are sought."""
        joined = _BETWEEN.join(texts)
        if self._is_ascii and not joined.isascii() and not any(map(joined.__contains__, _LOWERED_TO_ASCII)):
            # Several times as quick as looking every character up.
            return joined.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
        lowered = joined.lower()
        return lowered if len(lowered) == len(joined) else _BETWEEN.join(map(_lowered, texts))

    def words(self, text: str) -> list[tuple[int, int, str]]:
        """Every place where a term occurs, to the end of its word, with the term; by rising offset."""
        literals = frozenset(self.literals)
        return [
            (at, at + len(term) if term in literals else _word_end(text, at), term)
            for at, term in self.occurrences(text)
        ]


def _word_end(text: str, at: int) -> int:
    return at if (rest := _LETTERS.match(text, at)) is None else rest.end()


def _written_forms(stem: str) -> tuple[str, ...]:
    """How words with that stem begin: the stemmer writes the y of "library" as i."""
    return (stem, f"{stem[:-1]}y") if stem.endswith("i") and len(stem) > _SHORTEST_INFLECTED else (stem,)


def _lowered(text: str) -> str:
    """Lower case without moving anything: a few capitals have two lower-case characters."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _positions(text: str, sought: str) -> Iterator[int]:
    at = text.find(sought)
    while at >= 0:
        yield at
        at = text.find(sought, at + len(sought))


def _words_with(text: str, form: str) -> list[int]:
    """Where words begin that are the form with no more than an ending."""
    length, ending = len(form), 0
    if length >= _SHORTEST_INFLECTED:
        ending = _LONGEST_ENDING if length < _LONG_STEM else _LONGEST_ENDING_OF_LONG_STEM
    found: list[int] = []
    at = text.find(form)
    while at >= 0:
        end = at + length
        if not (at and text[at - 1].isalnum()):
            rest = text[end : end + ending + 1]
            if len(rest) <= ending or not rest.isalnum():
                found.append(at)
        at = text.find(form, end)
    return found


def inverse_frequencies(
    occurrences: Sequence[Iterable[str]], terms: Iterable[str] | None = None
) -> dict[str, float]:
    """The inverse document frequency of each term over these texts: ``ln(1 + (N - n + .5) / (n + .5))``.

    Of the ``terms``, also where no text holds them; without these, of all that are held.
    """
    counts = Counter(term for held in occurrences for term in set(held))
    total = len(occurrences)
    return {
        term: math.log(1 + (total - counts[term] + 0.5) / (counts[term] + 0.5))
        for term in (counts if terms is None else terms)
    }


def share(found: Iterable[str], worth: Mapping[str, float]) -> float:
    """The share of the idf of all terms that was found, in [0, 1]."""
    everything = math.fsum(worth.values())
    return (
        min(1.0, math.fsum(worth.get(term, 0.0) for term in set(found)) / everything) if everything else 0.0
    )
