"""Several threads ask the library, so that what was asked for later may be answered earlier."""


class AnswerOrder:
    """Numbers requests for one thing, and tells which answers were overtaken. GUI thread only."""

    def __init__(self) -> None:
        """Start before the first request."""
        self._asked = self._outdated = self._answered = 0

    def ask(self) -> int:
        """The number of a new request."""
        self._asked += 1
        return self._asked

    def answer(self, number: int) -> bool:
        """Whether this answer counts; if so, those to earlier requests do not from now on."""
        if self.is_overtaken(number):
            return False
        self._answered = number
        return True

    def is_overtaken(self, number: int) -> bool:
        """Whether a later request was answered, or the request is outdated."""
        return self.is_outdated(number) or number < self._answered

    def outdate(self) -> None:
        """Let the answer to no request until now count."""
        self._outdated = self._asked

    def is_outdated(self, number: int) -> bool:
        """Whether the request was made before what :meth:`outdate` was called for."""
        return number <= self._outdated
