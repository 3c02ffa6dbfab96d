"""Tokenizers small enough to check by eye."""

import re
from collections.abc import Sequence


class WordTokenizer:
    """One token per word and per punctuation mark, as a BERT tokenizer sees short words; no whitespace."""

    name = "words"
    special_tokens = 0
    _token = re.compile(r"\w+|[^\w\s]")

    def token_starts(self, text: str) -> Sequence[int]:
        return [found.start() for found in self._token.finditer(text)]

    def count(self, text: str) -> int:
        return len(self.token_starts(text))


class CountingTokenizer(WordTokenizer):
    """Remembers how many characters it was given in all."""

    def __init__(self) -> None:
        self.characters = 0

    def token_starts(self, text: str) -> Sequence[int]:
        self.characters += len(text)
        return super().token_starts(text)


class ByteTokenizer:
    """One token per UTF-8 byte, whitespace included: several tokens may start at one code point."""

    name = "bytes"
    special_tokens = 0

    def token_starts(self, text: str) -> Sequence[int]:
        return [index for index, char in enumerate(text) for _ in char.encode()]

    def count(self, text: str) -> int:
        return len(text.encode())


class LongWordTokenizer(WordTokenizer):
    """Reads a word longer than ``longest`` as one unknown token, as BERT's does, and a shorter one by letters.

    Cutting a long word therefore makes more tokens than there were.
    """

    name = "long words"

    def __init__(self, longest: int = 100) -> None:
        self._longest = longest

    def token_starts(self, text: str) -> Sequence[int]:
        starts: list[int] = []
        for found in re.finditer(r"\S+", text):
            starts.extend([found.start()] if len(found[0]) > self._longest else range(*found.span()))
        return starts
