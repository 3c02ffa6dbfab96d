"""The words of a text, compared whatever their endings."""

import re
import unicodedata
from typing import Final

from webrag_desktop.retrieval.function_words import is_function_word

# One character of scripts that put no blanks between words; words of the others.
WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff]|[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_ENDINGS = re.compile(r"(?:ing|ed|es|en|er|em|e|s|n)$")
_SHORTEST_STEM = 4


def stem(word: str) -> str:
    """A word without the commonest endings of European languages, whatever its case."""
    lowered = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", word).casefold())
    bare = _ENDINGS.sub("", lowered)
    return bare if len(bare) >= _SHORTEST_STEM else lowered


def stems(text: str) -> set[str]:
    """The stems of all words of a text."""
    return {stem(word[0]) for word in WORD.finditer(text)}


def content_stems(text: str) -> set[str]:
    """The stems of all words but function words; of all where there are no others."""
    words = [word[0] for word in WORD.finditer(text)]
    return {stem(word) for word in words if not is_function_word(word.casefold())}
