"""Several threads ask the library, so that what was asked for later may be answered earlier."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


class AnswerOrder:
    """Numbers requests, and tells which answers were overtaken by one to a later request. GUI thread only."""

    def __init__(self) -> None:
        """Start before the first request."""
        self._asked = 0
        self._outdated = 0
        self._answered: dict[Hashable, int] = {}

    def ask(self) -> int:
        """The number of a new request."""
        self._asked += 1
        return self._asked

    def outdate(self) -> None:
        """Count the answers to all requests until now as overtaken."""
        self._outdated = self._asked

    def newest(self, number: int, keys: Iterable[Key]) -> set[Key]:
        """Those that no later request answered; from now on the answers to earlier ones are overtaken."""
        if number <= self._outdated:
            return set()
        found = {key for key in keys if number >= self._answered.get(key, 0)}
        self._answered.update(dict.fromkeys(found, number))
        return found

    def keep(self, keys: Iterable[Hashable]) -> None:
        """Forget the answers to all others."""
        self._answered = {key: self._answered[key] for key in keys if key in self._answered}
