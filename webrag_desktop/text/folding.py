"""Letters without case and accents, as lists are searched: "muller" finds "Müller" however that is stored."""

import re
from unicodedata import normalize

_MARKS = re.compile("[\u0300-\u036f]")


def folded(text: str) -> str:
    """The text without case and accents; the function ``webrag_folded`` of the database does the same."""
    if text.isascii():
        return text.lower()
    return _MARKS.sub("", normalize("NFKD", text)).lower().replace("ς", "σ")


_NO_WORD = re.compile(r"[\W_]+")


def name_words(name: str) -> list[str]:
    """The words of a name, folded and without punctuation, as names of authors are compared."""
    return _NO_WORD.sub(" ", folded(name)).split()
