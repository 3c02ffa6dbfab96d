"""The quoted phrases of a question: which texts hold them, and their place before all texts that do not.

The index of the words only proposes texts, since it knows stems and leaves out function words. The text as it is read
decides whether it holds a phrase: markup, case, white space and the form of quotation marks do not count.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.searching.phrases import texts_of
from webrag_desktop.storage.searching.words import UNSPACED
from webrag_desktop.text.canonical.canonical_form import JOINED_BY_HYPHEN, CanonicalForm, canonical_form
from webrag_desktop.text.plain_text import project

# The part of the scale of scores that belongs to what holds a phrase; all others are within the rest.
LEAD = 0.2

_BATCH = 100  # texts that are read at once
MOST_READ = 2_000  # of those that may hold a phrase, the best by their words
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_SOFT_HYPHEN = "\u00ad"
# What may be between two words of a phrase before a text is read as it is shown.
# Possessive, so that a page cannot hold it up.
_BETWEEN = r"(?:\]\([^)\n]*\)|\]\[[^\]\n]*\]|&#?\w+;|[\W_])*+"


class QuotedPhrases:
    """Finds in texts the phrases that a question has in quotation marks."""

    def __init__(self, phrases: Sequence[str]) -> None:
        self._sought = [(_possible(phrase), _lowered(canonical_form(phrase).text)) for phrase in phrases]

    def held(self, markdown: str) -> int:
        """How many of the phrases a text holds."""
        plain = unicodedata.normalize("NFKC", markdown).replace(_SOFT_HYPHEN, "")
        sought = [phrase for possible, phrase in self._sought if possible.search(plain)]
        if not sought:
            return 0
        form = canonical_form(project(markdown).text)
        lowered = _lowered(form.text)
        return sum(any(_is_whole(form, *found) for found in _places(lowered, phrase)) for phrase in sought)

    def holding(
        self, conn: Connection, ordinals: Sequence[int], most: int, cancel: CancelToken
    ) -> Iterator[int]:
        """The first ``most`` of these children, in their order, whose texts hold a phrase.

        Of many no more are read than :data:`MOST_READ`.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        for start in range(0, min(len(ordinals), MOST_READ), _BATCH):
            batch = ordinals[start : start + _BATCH]
            texts = texts_of(conn, batch)
            cancel.raise_if_cancelled()
            for ordinal in batch:
                if ordinal in texts and self.held(texts[ordinal]):
                    yield ordinal
                    most -= 1
                    if not most:
                        return


def led(scores: Sequence[float], held: Sequence[int]) -> list[float]:
    """Scores in [0, 1], changed so that whoever holds more phrases is ahead; otherwise in the order they were in."""
    most = max(held, default=0)
    if not most:
        return list(scores)
    return [
        (1 - LEAD) * score if not count else 1 - LEAD + LEAD * (2 * count + score) / (2 * most + 1)
        for score, count in zip(scores, held, strict=True)
    ]


def _possible(phrase: str) -> re.Pattern[str]:
    """Where the words of a phrase follow one another, whatever signs are between them."""
    words = _WORD.findall(unicodedata.normalize("NFKC", phrase))
    return re.compile(_BETWEEN.join(map(re.escape, words)), re.IGNORECASE)


def _lowered(text: str) -> str:
    """Lower case, every character at its place: a few capitals have two lower-case characters."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _places(text: str, phrase: str) -> Iterable[tuple[int, int]]:
    at = text.find(phrase)
    while at >= 0:
        yield at, at + len(phrase)
        at = text.find(phrase, at + 1)


def _is_whole(form: CanonicalForm, start: int, end: int) -> bool:
    """Whether a place begins and ends with whole words."""
    return _parts_words(form, start) and _parts_words(form, end)


def _parts_words(form: CanonicalForm, at: int) -> bool:
    text = form.text
    if not 0 < at < len(text):
        return True
    joined = (text[at - 1].isalnum() and text[at].isalnum()) and form.joins[at] not in JOINED_BY_HYPHEN
    return not joined or bool(_UNSPACED.match(text[at - 1]) or _UNSPACED.match(text[at]))
