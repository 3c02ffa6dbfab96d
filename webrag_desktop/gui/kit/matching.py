"""Finding a line of a list by a few typed letters: whether it matches, how well, and which letters did."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from webrag_desktop.text.folding import folded


class Fit(IntEnum):
    """How the worst-matched word of what was typed is found in a text; the least is the best."""

    WHOLE = 0  # it is the text
    BEGINNING = 1  # the text begins with it
    WORD = 2  # a word of the text does
    INSIDE = 3  # it is within a word
    LETTERS = 4  # its letters begin words of the text, in order: "oib" is "Open in browser"


@dataclass(frozen=True, slots=True)
class Match:
    """How well a text fits what was typed; ``spans`` are the matched letters, as code points of the text."""

    fit: Fit
    spans: tuple[tuple[int, int], ...]


NO_LETTERS = Match(Fit.BEGINNING, ())


def match(text: str, typed: str) -> Match | None:
    """Match every word of what was typed, in any order; None where one is not found. Nothing typed fits anything."""
    words = folded(typed).split()
    letters, places = _letters(text)
    if words and words == letters.split():
        return Match(Fit.WHOLE, ((0, len(text)),))
    found: list[Match] = []
    for word in words:
        one = _match_word(letters, word)
        if one is None:
            return None
        found.append(one)
    if not found:
        return NO_LETTERS
    spans = sorted(_in_text(span, places) for one in found for span in one.spans)
    return Match(max(one.fit for one in found), tuple(_merged(spans)))


def _letters(text: str) -> tuple[str, Sequence[int]]:
    """The text without case and accents, and where each of its letters is in the text; then the text's end."""
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    each = [folded(char) for char in text]
    return "".join(each), [*(at for at, letters in enumerate(each) for _ in letters), len(text)]


def _in_text(span: tuple[int, int], places: Sequence[int]) -> tuple[int, int]:
    """A span of the letters in the text, with the accents that follow there."""
    start, end = span
    return places[start], max(places[end - 1] + 1, places[end])


def _match_word(letters: str, word: str) -> Match | None:
    if letters.startswith(word):
        return Match(Fit.BEGINNING, ((0, len(word)),))
    inside = letters.find(word)
    at = inside
    while at >= 0:
        if _begins_word(letters, at):
            return Match(Fit.WORD, ((at, at + len(word)),))
        at = letters.find(word, at + 1)
    if inside >= 0:
        return Match(Fit.INSIDE, ((inside, inside + len(word)),))
    spans = _initials(letters, word, 0)
    return None if spans is None else Match(Fit.LETTERS, spans)


def _begins_word(letters: str, at: int) -> bool:
    return letters[at].isalnum() and (at == 0 or not letters[at - 1].isalnum())


def _initials(letters: str, word: str, start: int) -> tuple[tuple[int, int], ...] | None:
    """The word cut into beginnings of words of the text, each as long as it can be."""
    if not word:
        return ()
    for at in range(start, len(letters)):
        if not _begins_word(letters, at):
            continue
        for length in range(_shared(letters, at, word), 0, -1):
            rest = _initials(letters, word[length:], at + length)
            if rest is not None:
                return ((at, at + length), *rest)
    return None


def _shared(letters: str, at: int, word: str) -> int:
    length = 0
    while length < len(word) and at + length < len(letters) and letters[at + length] == word[length]:
        length += 1
    return length


def _merged(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start, end = spans[0]
    for first, last in spans[1:]:
        if first > end:
            yield start, end
            start, end = first, last
        end = max(end, last)
    yield start, end
