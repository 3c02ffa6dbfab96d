"""Positions in text: ours are code points, Qt's are UTF-16 units. Converted here and nowhere else."""

import re
from bisect import bisect_left

_PAIR = re.compile("[\U00010000-\U0010ffff]")  # a character that takes two UTF-16 units


class TextPositions:
    """Converts positions of one text. Costs memory only for its characters beyond U+FFFF."""

    def __init__(self, text: str) -> None:
        """Read ``text`` once."""
        self._length = len(text)
        self._wide = [] if text.isascii() else [found.start() for found in _PAIR.finditer(text)]
        self._wide_units = [at + index for index, at in enumerate(self._wide)]

    def to_qt(self, position: int) -> int:
        """The UTF-16 position of a code point position.

        Raises:
            IndexError: it lies outside the text.
        """
        if not 0 <= position <= self._length:
            message = f"There is no position {position} in a text of {self._length} characters."
            raise IndexError(message)
        return position + bisect_left(self._wide, position)

    def from_qt(self, position: int) -> int:
        """The code point position of a UTF-16 position; inside a pair it is that of the character's start.

        Raises:
            IndexError: it lies outside the text.
        """
        if not 0 <= position <= self._length + len(self._wide):
            message = f"There is no UTF-16 position {position} in this text."
            raise IndexError(message)
        return position - bisect_left(self._wide_units, position)
