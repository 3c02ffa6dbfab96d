"""Which of a question's words stand in a text, whatever their endings, and how much each is worth."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

_WORD = re.compile(r"[^\W_]+")
_KEY_LENGTH = 3
# How much longer than its stem a word may be: "ning" in running, "ication" in classification.
_LONGEST_ENDING = 4
_LONGEST_ENDING_OF_LONG_STEM = 7
_LONG_STEM = 5


class QuestionTerms:
    """The question's words in one text search language (stems, as PostgreSQL made them), and its literal terms.

    Literal terms (identifiers, CJK bigrams) are found as they stand. A stem is found in a word that begins
    with it: close enough to the language's own stemmer for weighing sentences.
    """

    def __init__(self, stems: Iterable[str], literals: Iterable[str]) -> None:
        self._literals = tuple(literals)
        self._stems: dict[str, list[str]] = defaultdict(list)
        for stem in stems:
            self._stems[stem[:_KEY_LENGTH]].append(stem)
        self._known: dict[str, tuple[str, ...]] = {}

    def in_text(self, text: str) -> set[str]:
        """The terms that occur in a text."""
        lowered = text.lower()
        found = {literal for literal in self._literals if literal in lowered}
        for word in set(_WORD.findall(lowered)):
            found.update(self._stems_of(word))
        return found

    def _stems_of(self, word: str) -> tuple[str, ...]:
        known = self._known.get(word)
        if known is None:
            near = self._stems.get(word[:_KEY_LENGTH], ())
            known = self._known[word] = tuple(stem for stem in near if _is_form_of(word, stem))
        return known


def _is_form_of(word: str, stem: str) -> bool:
    if word == stem:
        return True
    if len(stem) < _KEY_LENGTH:
        return False
    if stem.endswith("i") and word == stem[:-1] + "y":  # librari, library
        return True
    longest = _LONGEST_ENDING if len(stem) < _LONG_STEM else _LONGEST_ENDING_OF_LONG_STEM
    return word.startswith(stem) and len(word) - len(stem) <= longest


def inverse_frequencies(occurrences: Sequence[set[str]]) -> dict[str, float]:
    """What finding a term is worth, by how few of these texts hold it: ``ln(1 + (N - n + .5) / (n + .5))``."""
    counts: dict[str, int] = defaultdict(int)
    for terms in occurrences:
        for term in terms:
            counts[term] += 1
    total = len(occurrences)
    return {term: math.log(1 + (total - n + 0.5) / (n + 0.5)) for term, n in counts.items()}


def share(found: Iterable[str], worth: Mapping[str, float]) -> float:
    """How much of everything the question's terms are worth was found, in [0, 1]."""
    everything = math.fsum(worth.values())
    return math.fsum(sorted(worth.get(term, 0.0) for term in found)) / everything if everything else 0.0
