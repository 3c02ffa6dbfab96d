"""Passages to fill a library with: sentences of real documents put together again, or words made up by Zipf's law."""

import multiprocessing
import re
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from webrag_desktop.text.units.evidence_units import encode_units

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORDS = 170  # in a passage, about 256 tokens
_VOCABULARY = 200_000
_PORTION = 2_000
_AHEAD = 16  # portions that may lie ready: more would fill the memory where storing is slower

Passage = tuple[str, bytes | None]  # text, and the units of evidence in it
Sentences = Callable[[np.random.Generator], list[str]]


def passages(count: int, folder: Path | None, seed: int = 1) -> Iterator[Passage]:
    """That many passages with their units, of the documents in a folder (its text files), or made up.

    They are made on every processor: a million would take one of them a quarter of an hour, with the rows' copying.
    """
    portions = [(seed, start, min(_PORTION, count - start)) for start in range(0, count, _PORTION)]
    processes = multiprocessing.get_context(
        "spawn"
    )  # a fork would share the caller's threads and connections
    with ProcessPoolExecutor(mp_context=processes, initializer=_prepare, initargs=(folder,)) as pool:
        made: deque[Future[list[Passage]]] = deque()
        for portion in portions:
            made.append(pool.submit(_portion, portion))
            if len(made) > _AHEAD:
                yield from made.popleft().result()
        for waiting in made:
            yield from waiting.result()


_drawn: list[Sentences] = []  # how this process draws sentences


def _prepare(folder: Path | None) -> None:
    sentences = partial(_of_these, _sentences(folder)) if folder else _Zipf().sentences
    _drawn[:] = [sentences]


def _portion(portion: tuple[int, int, int]) -> list[Passage]:
    seed, start, count = portion
    chance = np.random.default_rng((seed, start))
    return [_passage(chance) for _ in range(count)]


def _passage(chance: np.random.Generator) -> Passage:
    words = 0
    parts: list[str] = []
    while words < _WORDS:
        for sentence in _drawn[0](chance):
            if words < _WORDS:
                parts.append(sentence)
                words += max(1, sentence.count(" ") + 1)
    text = " ".join(parts) + "\n\n"
    return text, encode_units(text)


def _of_these(sentences: list[str], chance: np.random.Generator) -> list[str]:
    return [sentences[place] for place in chance.integers(len(sentences), size=8)]


def _sentences(folder: Path) -> list[str]:
    texts = (
        path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(folder.rglob("*"))
        if _is_text(path)
    )
    found = [s for text in texts for s in _SENTENCE.split(text.replace("\0", "")) if 20 < len(s) < 600]
    if not found:
        raise SystemExit(f"There is no text in {folder}.")
    return found


def _is_text(path: Path) -> bool:
    return path.suffix in {".md", ".txt", ".rst", ".html"} and path.is_file()


class _Zipf:
    """Words of two to four syllables, the n-th as frequent as 1/n, with common English ones in front."""

    def __init__(self) -> None:
        chance = np.random.default_rng(0)
        syllables = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
        drawn = chance.choice(syllables, size=(_VOCABULARY, 4))
        made = {"".join(word[:n]) for word, n in zip(drawn, chance.integers(2, 5, _VOCABULARY), strict=True)}
        self._words = ["the", "of", "and", "a", "in", "to", "is", "that", "for", "with", *sorted(made)]
        self._weights = np.cumsum(1 / (np.arange(len(self._words)) + 2))

    def sentences(self, chance: np.random.Generator) -> list[str]:
        lengths = chance.integers(8, 25, size=12)
        drawn = np.searchsorted(self._weights, chance.random(lengths.sum()) * self._weights[-1])
        words = iter([self._words[place] for place in drawn.tolist()])
        return [
            " ".join([next(words) for _ in range(length)]).capitalize() + "." for length in lengths.tolist()
        ]
