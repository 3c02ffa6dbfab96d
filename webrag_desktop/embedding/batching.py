"""How much goes into one request: about as much as the server does in two seconds."""

from collections.abc import Sequence
from threading import Lock
from typing import Final

# A question waits for at most one request where a server takes one at a time.
TARGET_SECONDS: Final = 2.0

# Nobody knows how fast a server is before it answered; eight chunks take a slow processor a few seconds.
FIRST_TOKENS: Final = 2_048

# Below, the way to the server and back outweighs what a smaller request saves.
FEWEST_TOKENS: Final = 256


class BatchSize:
    """Cuts texts into requests by tokens and number, and learns the tokens from how long each request took.

    The same durations always give the same sizes. It may be used from several threads.
    """

    def __init__(self, *, max_texts: int, max_tokens: int) -> None:
        self._max_texts = max_texts
        self._max_tokens = max_tokens
        self._tokens = min(FIRST_TOKENS, max_tokens)
        self._lock = Lock()

    @property
    def tokens(self) -> int:
        """How many tokens the next request may hold; a longer single text goes alone."""
        with self._lock:
            return self._tokens

    def batch(self, token_counts: Sequence[int], start: int) -> range:
        """The texts of the next request, ``start`` and those after it; never empty."""
        limit = self.tokens
        stop, total = start + 1, token_counts[start]
        while stop < len(token_counts) and stop - start < self._max_texts:
            total += token_counts[stop]
            if total > limit:
                break
            stop += 1
        return range(start, stop)

    def learn(self, tokens: int, seconds: float) -> None:
        """Note that a request of so many tokens took so long.

        Too slow a request shrinks the next at once. A quick one lets them double at most, and only if it was
        large: what a small one takes is mostly the way there and back.
        """
        with self._lock:
            if seconds > TARGET_SECONDS:
                fitting = int(tokens * TARGET_SECONDS / seconds)
                self._tokens = max(FEWEST_TOKENS, min(self._tokens, fitting))
            elif tokens * 2 >= self._tokens:
                fitting = int(tokens * TARGET_SECONDS / max(seconds, 1e-9))
                self._tokens = min(self._max_tokens, self._tokens * 2, max(self._tokens, fitting))
