"""``python -m benchmarks.deduplication``: what folding the near-duplicates of a result costs, in processor time.

Fifty passages of a thousand words, more than the budget of a result holds: drawn word by word, so that all lengths are
alike and no comparison is spared by them, which is the worst there is.
"""

import random
import statistics
import time
from collections.abc import Sequence

from benchmarks.measuring import table
from webrag_desktop.retrieval.contracts.passages import Passage
from webrag_desktop.retrieval.dedup import foldings

PASSAGES, WORDS, VOCABULARY, ROUNDS = 50, 1000, 5000, 9
_FIRST_IDEOGRAPH = 0x4E00


def run() -> str:
    """A row for each kind of result."""
    rows = [
        (name, _median_ms(passages), len(foldings(passages, [None] * len(passages))))
        for name, passages in _results().items()
    ]
    return table(
        f"Folding {PASSAGES} passages of {WORDS:,} words", ("result", "processor ms", "folded"), rows
    )


def _results() -> dict[str, list[Passage]]:
    drawn = random.Random(7)
    english = _passages(drawn, [f"word{number}" for number in range(VOCABULARY)], " ")
    return {
        "all different": english,
        "half of them copies with two other words": _with_copies(drawn, english),
        "half of them equal": english[: PASSAGES // 2] * 2,
        "all different, without spaces": _passages(
            drawn, [chr(_FIRST_IDEOGRAPH + number) for number in range(VOCABULARY)], ""
        ),
    }


def _passages(drawn: random.Random, words: Sequence[str], between: str) -> list[Passage]:
    """Passages of words drawn as languages use them: the n-th commonest in proportion to 1/n."""
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    return [
        Passage(between.join(drawn.choices(words, weights, k=WORDS)), 1 / (place + 1))
        for place in range(PASSAGES)
    ]


def _with_copies(drawn: random.Random, passages: Sequence[Passage]) -> list[Passage]:
    copies = []
    for one in passages[: PASSAGES // 2]:
        words = one.text.split()
        for place in drawn.sample(range(len(words)), 2):
            words[place] = "changed"
        copies += [one, Passage(" ".join(words), one.rank_score / 2)]
    return copies


def _median_ms(passages: Sequence[Passage]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        foldings(passages, [None] * len(passages))
        times.append(time.process_time() - start)
    return statistics.median(times) * 1000


if __name__ == "__main__":
    print(run())
