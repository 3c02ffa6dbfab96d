"""Passages to fill a library with: sentences of real documents put together again, or words made up by Zipf's law."""

import random
import re
from collections.abc import Iterator
from itertools import accumulate, product
from pathlib import Path

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORDS = 170  # in a passage, about 256 tokens
_VOCABULARY = 200_000


def passages(count: int, folder: Path | None, seed: int = 1) -> Iterator[str]:
    """That many passages of the documents in a folder (its text files), or made up."""
    chance = random.Random(seed)
    sentences = _sentences(folder) if folder else None
    made = _Zipf(chance) if sentences is None else None
    for _ in range(count):
        words = 0
        parts: list[str] = []
        while words < _WORDS:
            parts.append(made.sentence() if made else chance.choice(sentences or [""]))
            words += max(1, parts[-1].count(" ") + 1)
        yield " ".join(parts)


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

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        syllables = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
        made = {"".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(_VOCABULARY)}
        self._words = ["the", "of", "and", "a", "in", "to", "is", "that", "for", "with", *sorted(made)]
        self._weights = [*accumulate(1 / (n + 2) for n in range(len(self._words)))]

    def sentence(self) -> str:
        words = self._chance.choices(self._words, cum_weights=self._weights, k=self._chance.randint(8, 24))
        return " ".join(words).capitalize() + "."
