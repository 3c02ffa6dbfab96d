"""How many texts go to the model between two savings of progress: as many as it embeds in a second or two."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

EMBEDDING_STRIDE = 32  # the first; the embedded model, which takes one text at a time, gains nothing by more
LARGEST_STRIDE = 512  # what is kept in one transaction, and lost by a crash, at most
WANTED_SECONDS = 1.5  # a crash, or a pause, costs about so much work
_GROWTH = 4.0

T = TypeVar("T")


class Strides:
    """Cuts work into strides that adapt themselves: a fast server is given several hundred texts at once."""

    def __init__(self, *, adapts: bool) -> None:
        """Begin small; stay so where a model does not ``adapt``."""
        self._adapts = adapts
        self.size = EMBEDDING_STRIDE

    def over(self, items: Sequence[T]) -> Iterator[Sequence[T]]:
        """The items in order, in strides of the size that is right when each is asked for."""
        start = 0
        while start < len(items):
            stride = items[start : start + self.size]
            start += len(stride)
            yield stride

    def took(self, items: int, seconds: float) -> None:
        """Learn from one stride how many items fit into the wanted time."""
        if not self._adapts:
            return
        fitting = items * WANTED_SECONDS / max(seconds, 1e-3)
        bounded = min(max(fitting, self.size / _GROWTH), self.size * _GROWTH)
        self.size = int(min(max(bounded, 1), LARGEST_STRIDE))
