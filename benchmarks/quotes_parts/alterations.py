"""Quotations that are none: one thing of a true one is changed, and what comes out stands in no text."""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.quotes_parts.sentences import Sentence

_WORD = re.compile(r"\w+")
_RUN = 5  # words that stand nowhere one after the other where something was changed
_FUNCTION = re.compile(
    r"^\W*(?:is|are|was|were|has|have|can|may|ist|sind|war|waren|hat|haben|wird|werden|kann)\W*$"
)


@dataclass(frozen=True, slots=True)
class Altered:
    """``text`` is the sentence with one thing changed; ``how`` says which."""

    how: str
    sentence: Sentence
    text: str


class Runs:
    """All runs of five words of a library's texts, case and signs aside."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Read every text once."""
        found = [np.fromiter(map(hash, _runs(text)), np.int64) for text in texts]
        self._known: npt.NDArray[np.int64] = np.unique(np.concatenate(found))

    def all_known(self, text: str) -> bool:
        """Whether each of its runs stands somewhere, as those of every true quotation do."""
        asked = np.fromiter(map(hash, _runs(text)), np.int64)
        places = np.minimum(np.searchsorted(self._known, asked), len(self._known) - 1)
        return bool((self._known[places] == asked).all())


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return zip(*(words[start:] for start in range(_RUN)), strict=False)


def altered(sentences: Sequence[Sentence], known: Runs, count: int, seed: int = 7) -> Iterator[Altered]:
    """So many, of each kind about as many; each holds a run of words that stands in no text."""
    chance = random.Random(seed)
    kinds = list(_KINDS)
    made = 0
    while made < count:
        sentence = chance.choice(sentences)
        how = kinds[made % len(kinds)]
        text = _KINDS[how](sentence.text, chance.choice(sentences).text, chance)
        if text is not None and text != sentence.text and not known.all_known(text):
            yield Altered(how, sentence, text)
            made += 1


def _word(quote: str, other: str, chance: random.Random) -> str | None:
    """One word is that of another sentence."""
    wanted = [word for word in re.findall(r"[^\W\d_]{4,}", other) if word.islower()]
    places = [one for one in re.finditer(r"[^\W\d_]{4,}", quote) if one[0].islower()]
    return _put(quote, places, chance.choice(wanted) if wanted else None, chance)


def _digit(quote: str, _other: str, chance: random.Random) -> str | None:
    places = list(re.finditer(r"\d", quote))
    return _put(quote, places, chance.choice("0123456789"), chance)


def _name(quote: str, other: str, chance: random.Random) -> str | None:
    """One name, or other word with a capital within the sentence, is that of another sentence."""
    capital = re.compile(r"(?<=[\w,] )[A-ZÄÖÜ][^\W\d_]{2,}")
    wanted = capital.findall(other)
    return _put(quote, list(capital.finditer(quote)), chance.choice(wanted) if wanted else None, chance)


def _negation(quote: str, _other: str, chance: random.Random) -> str | None:
    """A "not" comes in, or goes."""
    without = re.sub(r"\b(?:not|nicht) ", "", quote, count=1)
    if without != quote:
        return without
    words = quote.split(" ")
    places = [number for number, word in enumerate(words) if _FUNCTION.match(word)]
    if not places:
        return None
    at = chance.choice(places) + 1
    german = re.search(r"\b(?:der|die|das|und|ist|wird)\b", quote) is not None
    return " ".join([*words[:at], "nicht" if german else "not", *words[at:]])


def _order(quote: str, _other: str, chance: random.Random) -> str | None:
    """Two neighbours change places."""
    words = quote.split(" ")
    at = chance.randrange(len(words) - 1)
    words[at : at + 2] = words[at + 1], words[at]
    return " ".join(words)


def _splice(quote: str, other: str, _chance: random.Random) -> str | None:
    """The first half of one sentence and the second of another."""
    first, second = quote.split(" "), other.split(" ")
    return " ".join(first[: len(first) // 2] + second[len(second) // 2 :])


def _put(quote: str, places: Sequence[re.Match[str]], text: str | None, chance: random.Random) -> str | None:
    if not places or text is None:
        return None
    start, end = chance.choice(places).span()
    return quote[:start] + text + quote[end:]


_KINDS: dict[str, Callable[[str, str, random.Random], str | None]] = {
    "word": _word,
    "digit": _digit,
    "name": _name,
    "negation": _negation,
    "order": _order,
    "splice": _splice,
}
