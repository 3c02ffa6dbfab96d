"""Where a text quotes, in any of the marks that are used for it, balanced or not."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from webrag_desktop.text.quotation_marks import CLOSED_BY

# Stand for what quotes without a mark that is read: code, quoted blocks, <q>. Noncharacters, which no text may hold.
OPENS, CLOSES = "\ufdd0", "\ufdd1"

_DOUBLE = '"'
# Models mix straight marks with others, and quote in marks of titles.
_PAIRS: Final[Mapping[str, str]] = {
    **CLOSED_BY,
    "“": CLOSED_BY["“"] + _DOUBLE,
    "„": CLOSED_BY["„"] + _DOUBLE,
    "‘": CLOSED_BY["‘"] + "'",
    "《": "》",
    "〈": "〉",
    OPENS: CLOSES,
}
_APOSTROPHES = frozenset("'’＇")
_SINGLE = _APOSTROPHES | {"‘", "‛", "‚"}  # which also stand in words, so that one without its other is none
_ONLY_CLOSING = frozenset(
    "”»›"
)  # openers in some languages, which they are only where nothing stands before them
_MOST_OPEN = 12  # quotations within one another; what opens more quotes nothing
MARKS: Final = frozenset(_PAIRS) | {mark for closing in _PAIRS.values() for mark in closing}
_TEX = re.compile(
    r"``(?=\S)([^`]*?)(?:''|\")|(?<![\w'])''(?=[^\s'])((?:[^']|'(?!'))*?)''(?!')|,,(?=\S)([^,]*?)(?:''|“|\")"
)
_ANGLES = re.compile(r"<<\s?(?=\S)([^<>]*?)>>")
_PRIMES = re.compile(r"(?<!\d)″")


@dataclass(frozen=True, slots=True)
class Quotation:
    """``text[start:end]`` with its marks, ``opening`` and ``closing``; not ``balanced`` where nothing closes it."""

    start: int
    end: int
    opening: str
    closing: str
    balanced: bool = True

    @property
    def inside(self) -> slice:
        """What it encloses."""
        return slice(self.start + len(self.opening), self.end - len(self.closing))


def with_common_marks(text: str) -> str:
    """The text where pairs of commas, accents, apostrophes or angles that quote are marks of one character."""
    text = _TEX.sub(lambda found: f"{OPENS}{next(filter(None, found.groups()), '')}{CLOSES}", text)
    return _PRIMES.sub(_DOUBLE, _ANGLES.sub(rf"{OPENS}\1{CLOSES}", text))


def quotations(text: str) -> list[Quotation]:
    """The outermost quotations of a text, in order. What is within one may quote again."""
    reading = _Reading(text)
    reading.read()
    return sorted(_outermost(reading.found), key=lambda one: one.start)


def is_open(text: str) -> bool:
    """Whether a quotation begins in the text that may end beyond it."""
    reading = _Reading(text)
    reading.read(ended=False)
    return bool(reading.waiting)


def without_marks(text: str) -> str:
    """The text without quotation marks; apostrophes stay, and marks of inches as what they are."""
    return "".join(_unmarked(text))


def _unmarked(text: str) -> Iterator[str]:
    for place, char in enumerate(text):
        before, after = text[place - 1] if place else " ", text[place + 1 : place + 2]
        if char not in MARKS or (char in _APOSTROPHES and (before.isalnum() or after.isdigit())):  # the '90s
            yield char
        elif char == _DOUBLE and before.isdigit():
            yield "″"


def _outermost(found: list[Quotation]) -> Iterator[Quotation]:
    end = 0
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if one.start >= end:
            yield one
            end = one.end


@dataclass
class _Reading:
    text: str
    found: list[Quotation] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)  # where quotations begin that are open

    def read(self, *, ended: bool = True) -> None:
        for place, char in enumerate(self.text):
            if char in MARKS:
                self._mark(place, char)
        while ended and self.waiting:
            self._leave(self.waiting.pop(), len(self.text))

    def _mark(self, place: int, char: str) -> None:
        which = self._closed_by(place, char)
        if which is not None:
            for start in self.waiting[which + 1 :]:
                self._leave(start, place)
            start = self.waiting[which]
            del self.waiting[which:]
            self.found.append(Quotation(start, place + 1, self.text[start], char))
        elif char in _PAIRS and len(self.waiting) < _MOST_OPEN and self._opens(place, char):
            self.waiting.append(place)

    def _leave(self, start: int, end: int) -> None:
        """Nothing closes what begins at ``start``; a single mark was an apostrophe, then."""
        if self.text[start] not in _SINGLE:
            self.found.append(Quotation(start, end, self.text[start], "", balanced=False))

    def _closed_by(self, place: int, char: str) -> int | None:
        before, after = self._around(place)
        if char in _SINGLE and (before.isspace() or after.isalnum()):
            return None
        numbers = range(len(self.waiting) - 1, -1, -1)
        return next((n for n in numbers if char in _PAIRS[self.text[self.waiting[n]]]), None)

    def _opens(self, place: int, char: str) -> bool:
        before, after = self._around(place)
        if char in _SINGLE or char in _ONLY_CLOSING:
            return not before.isalnum() and before not in ".,;:!?)" and not after.isspace()
        return not (char == _DOUBLE and before.isdigit())

    def _around(self, place: int) -> tuple[str, str]:
        return self.text[place - 1] if place else " ", self.text[place + 1 : place + 2] or " "
