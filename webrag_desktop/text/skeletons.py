"""Text as it is read, whatever characters it is written with: its skeleton, as Unicode's TR 39 calls it.

A page may write a mark of ours in letters, digits and brackets that look like those of the mark, with markup, escapes
or what nobody sees in between.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

# What is not shown though it may hold brackets: tags, and links and pictures without a text.
_UNSHOWN = re.compile(r"<[a-z/!?][^<>]*>|!?\[\]\([^()\s]*\)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_ENTITY = r"&(?:#[0-9]+|#x[0-9a-f]+|[a-z]+);?"
_LEADING_ZEROS = re.compile(r"(&#x?)0+(?=[0-9a-f])", re.IGNORECASE)
_BEYOND_UNICODE = re.compile(r"&#[0-9]{8,};?")
_TURNED_ROUND = "\N{RIGHT-TO-LEFT OVERRIDE}"
_REPEATED = re.compile(r"[.:]{2,}")
_FAR_ENOUGH = 64  # characters of a skeleton to recognise a mark by


class Bracket(NamedTuple):
    """A bracket at ``[start, end)`` of a text, and the round one of its side.

    Its ``kind`` is what Unicode calls it and its partner.
    """

    start: int
    end: int
    kind: str
    rounded: str

    @property
    def opens(self) -> bool:
        """Whether it is one of the left side."""
        return self.rounded == "("

    @property
    def looks_square(self) -> bool:
        """Whether it may be taken for one of ``[`` and ``]``."""
        return _LOOKS_SQUARE.search(self.kind) is not None


def brackets(text: str) -> list[Bracket]:
    """All brackets of a text in their order, those that are written as entities, too.

    Round and curly ones count only in special forms, since the common ones look like no others.
    """
    sides = {char: side for char in set(text) if (side := _side(char))}
    written = [*map(re.escape, sorted(sides)), *([_ENTITY] if "&" in text else [])]
    if not written:
        return []
    found = []
    for match in re.finditer("|".join(written), text, re.IGNORECASE):
        side = sides.get(match[0]) or _side(unescaped(match[0]))
        if side:
            found.append(Bracket(match.start(), match.end(), *side))
    return found


def rounded(text: str, which: Iterable[Bracket]) -> str:
    """The text with these of its brackets made round."""
    pieces, done = [], 0
    for bracket in sorted(set(which)):
        pieces += [text[done : bracket.start], bracket.rounded]
        done = bracket.end
    return "".join((*pieces, text[done:]))


def unescaped(text: str) -> str:
    """The text with its HTML entities resolved, however long the numbers in them are."""
    if "&" not in text:
        return text
    # Python refuses to read numbers of thousands of digits.
    return html.unescape(_BEYOND_UNICODE.sub("\N{REPLACEMENT CHARACTER}", _LEADING_ZEROS.sub(r"\1", text)))


def bracketed(text: str, mark: re.Pattern[str], *, beyond: bool = False) -> set[Bracket]:
    """The brackets that a ``mark`` is behind, with those that close them. In time that grows with the text.

    ``mark`` is searched for in the first 64 characters of the skeleton of what a bracket encloses, or of all that
    follows where nothing closes it or the mark goes ``beyond`` what closes it. A skeleton holds a to z; ``0`` for
    digits that look like a zero and ``1`` for all others; ``2`` for what is no digit but looks like one from 2 to 9;
    capitals for Roman numerals, which may be meant as letters; ``:``; one ``.`` for any run of spaces, punctuation
    and symbols; ``x`` for letters that look like none of these; nothing for brackets.

    The text is read in every way that it may be: with and without what is in tags, with and without letters that
    most readers do not see, and from the right, where that is turned round.
    """
    found = brackets(text)
    if not found:
        return set()
    unshown = [match.span() for match in _UNSHOWN.finditer(text)]
    scopes = _scopes(found, unshown)
    texts = [text, *([_UNSHOWN.sub(lambda match: " " * len(match[0]), text)] if unshown else [])]
    tables = [_SEEN, _UNSEEN_TOO] if any(map(_unseen_letter, set(text))) else [_SEEN]
    marked: set[Bracket] = set()
    for gaps in (_gaps(one, found, table) for one in texts for table in tables):
        marked |= _Reading(found, scopes, gaps).marked(mark, beyond)
        if _TURNED_ROUND in text:
            turned = [gap[::-1] for gap in reversed(gaps)]
            marked |= _Reading(found[::-1], scopes[::-1], turned, opening=")").marked(mark, beyond)
    return marked


def _scopes(found: Sequence[Bracket], unshown: Sequence[tuple[int, int]]) -> list[int]:
    """For each bracket the span that is not shown in which it is, 0 for none: none closes one of another."""
    starts = [start for start, _ in unshown]
    scopes = []
    for bracket in found:
        number = bisect_right(starts, bracket.start)
        scopes.append(number if number and bracket.start < unshown[number - 1][1] else 0)
    return scopes


def _gaps(text: str, found: Sequence[Bracket], table: "_Letters") -> list[str]:
    """The skeleton of what is before, between and behind the brackets."""
    starts, ends = [0, *(one.end for one in found)], [*(one.start for one in found), len(text)]
    return [
        _bare(text[start:end], table) if start < end else "" for start, end in zip(starts, ends, strict=True)
    ]


def _bare(text: str, table: "_Letters") -> str:
    plain = unescaped(text)
    if "<" in plain:
        plain = _TAG.sub("", plain)
    return _REPEATED.sub(lambda run: ":" if ":" in run[0] else ".", plain.translate(table))


_ENDED_BY = {".": ".", ":": ".:"}


class _Reading:
    """A text with its brackets in the order in which it is read; they open with the ``opening`` side."""

    def __init__(
        self, found: Sequence[Bracket], scopes: Sequence[int], gaps: Sequence[str], opening: str = "("
    ) -> None:
        self._found, self._scopes, self._opening = found, scopes, opening
        letters, length, last = [], 0, ""
        self._places: list[int] = []  # of what is behind each bracket
        for gap in gaps[1:]:
            # Runs stay short across brackets, too; one that goes on behind a bracket is there as well.
            added = gap.lstrip(_ENDED_BY[last]) if last in _ENDED_BY else gap
            self._places.append(length - (len(added) < len(gap)))
            letters.append(added)
            length, last = length + len(added), added[-1:] or last
        self._letters = "".join(letters)

    def marked(self, mark: re.Pattern[str], beyond: bool) -> set[Bracket]:
        if not mark.search(self._letters):
            return set()
        partners = self._partners()
        marked: set[Bracket] = set()
        for number, (bracket, place) in enumerate(zip(self._found, self._places, strict=True)):
            if bracket.rounded == self._opening:
                partner = partners.get(number)
                limit = len(self._letters) if partner is None or beyond else self._places[partner]
                if mark.match(self._letters, place, min(limit, place + _FAR_ENOUGH)):
                    marked |= {bracket, bracket if partner is None else self._found[partner]}
        return marked

    def _partners(self) -> dict[int, int]:
        """Which bracket closes which: one of its own kind, since others would only hide that it is open."""
        partners: dict[int, int] = {}
        waiting: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, (bracket, scope) in enumerate(zip(self._found, self._scopes, strict=True)):
            alike = waiting[bracket.kind, scope]
            if bracket.rounded == self._opening:
                alike.append(number)
            elif alike:
                partners[alike.pop()] = number
        return partners


_NAMES_A_BRACKET = re.compile(r"\b(?:BRACKET|PARENTHESIS|CORNER)\b")
_LOOKS_SQUARE = re.compile(r"SQUARE BRACKET|HALF BRACKET|CORNER$")
_LEFT_OR_RIGHT = re.compile(r"\b(?:(LEFT)|RIGHT)\b")
_ABOVE_OR_BELOW = re.compile(r"\b(?:(TOP|UPPER)|BOTTOM|LOWER)\b")  # of columns
_SIDE = re.compile(r"\b(?:LEFT|RIGHT|TOP|BOTTOM|UPPER|LOWER)\b[- ]?")
_HOLDS_BRACKETS = frozenset({"Sm", "So", "Pi", "Pf", "Cf"})
_COMMON = frozenset("(){}")
_RAISED_OR_LOWERED = ("<super>", "<sub>")


@lru_cache(maxsize=1024)
def _side(char: str) -> tuple[str, str] | None:
    """Of a bracket its kind and the round one of its side; None of anything else."""
    category = unicodedata.category(char) if len(char) == 1 else ""
    name = unicodedata.name(char, "") if category in _HOLDS_BRACKETS or category in {"Ps", "Pe"} else ""
    if not (name and (category in {"Ps", "Pe"} or _NAMES_A_BRACKET.search(name))):
        return None
    plain = unicodedata.normalize("NFKC", char)
    special = plain not in _COMMON or unicodedata.decomposition(char).startswith(_RAISED_OR_LOWERED)
    side = _LEFT_OR_RIGHT.search(name) or _ABOVE_OR_BELOW.search(name)
    if not special or "QUOTATION" in name or not (side or category in {"Ps", "Pe"}):
        return None
    # Arabic has the names and the sides of its brackets crossed.
    opens = category == "Ps" or (side is not None and side[1] is not None)
    return _SIDE.sub(
        "", name if plain in _COMMON else unicodedata.name(plain[0], name)
    ), "(" if opens else ")"


_MOST_KEPT = 50_000  # characters; a hostile text may hold every one there is


class _Letters(dict[int, str]):
    """For :meth:`str.translate`: each character as it is read, looked up once it is met.

    ``unseen_too`` reads the letters among marks above others, and those for tags, which else count as nothing.
    """

    def __init__(self, *, unseen_too: bool) -> None:
        super().__init__()
        self._unseen_too = unseen_too

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_KEPT:
            self.clear()
        self[code] = read = _read_as(chr(code)) or (_unseen_letter(chr(code)) if self._unseen_too else "")
        return read


_SEEN, _UNSEEN_TOO = _Letters(unseen_too=False), _Letters(unseen_too=True)

# Letters whose names tell which they are: Ø, 🆂, 🇸, and those for tags, which nobody sees.
_LETTER_NAME = re.compile(
    r"(?:.* )?(?:LATIN|REGIONAL INDICATOR SYMBOL) (?:.*LETTER )?(?:[A-Z]+ )*([A-Z])(?: WITH .*)?"
)
_TAGS = range(0xE0020, 0xE007F)  # ASCII again, for nobody to see
_NO_CHARACTER = frozenset({"Cn", "Co", "Cs"})
_NOT_SEEN = frozenset({"Cc", "Cf", "Mc", "Me", "Mn"})
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")  # letters of Hangul that nobody sees
# What Unicode's table takes for another letter, and what it leaves out: Cyrillic like a 4, Armenian like a 2 and a 3.
_ALSO = {"ε": "e"} | dict.fromkeys("ЧчҶҷҸҹӋӌՇՅ", "2")
_LOOKED_FOR = dict.fromkeys("23456789", "2") | {one: one for one in "abcdefghijklmnopqrstuvwxyz:"}
_MARK_OF_DIRECTION = "\N{LEFT-TO-RIGHT MARK}"


def _read_as(char: str) -> str:
    """What a character becomes in a skeleton; nothing where nobody sees it."""
    if char.isascii():
        return _plainly(char)
    if unicodedata.category(char) in _NO_CHARACTER or char in _FILLERS:
        return ""
    name = unicodedata.name(char, "")
    if name.startswith(("CJK UNIFIED", "HANGUL SYLLABLE")):  # these are many
        return "1" if char.isnumeric() else "x"
    return _roman(char) if "ROMAN NUMERAL" in name else _taken_for(char)


def _roman(char: str) -> str:
    letters = unicodedata.normalize("NFKD", char)
    return letters.upper() if letters.isascii() else "1"


def _taken_for(char: str) -> str:
    parts = unicodedata.normalize("NFKD", char)
    looks = "" if parts[0].isascii() else _look_alike(char)
    if parts != char and not looks:
        return "".join(map(_read_as, parts))
    if (value := unicodedata.numeric(char, None)) is not None:
        return "0" if looks == "o" or not value else "1"
    if looks and (looks != "l" or char.isalpha()):  # strokes part words as often as they represent a letter
        return looks
    return "" if unicodedata.category(char) in _NOT_SEEN else _named(char) or ("x" if char.isalpha() else ".")


def _plainly(char: str) -> str:
    if char.isalpha():
        return char.lower()
    if char.isdecimal():
        return "0" if char == "0" else "1"
    return ":" if char == ":" else "."


def _look_alike(char: str) -> str:
    """The letter, the colon, or as ``2`` the digit, that a character of any script is taken for."""
    table = _confusables()
    return _ALSO.get(char) or next(filter(None, map(table.get, (char, char.lower(), char.upper()))), "")


@lru_cache(maxsize=1)
def _confusables() -> dict[str, str]:
    """Unicode's table, as far as it is about the letters from a to z, the colon and the digits from 2 to 9."""
    # Takes a tenth of a second to import, and most texts are written in plain letters.
    data = import_module("confusable_homoglyphs.confusables").confusables_data
    table = {}
    for char, several in data.items():
        likely = [_LOOKED_FOR.get(_bare_letter(one["c"]), "") for one in several]
        # The table puts marks of direction around what is read from the right.
        table[char.strip(_MARK_OF_DIRECTION)] = next(filter(None, sorted(likely, key="2".__eq__)), "")
    return table


def _bare_letter(glyph: str) -> str:
    """A small letter without the marks above it."""
    plain = unicodedata.normalize("NFKD", glyph.strip(_MARK_OF_DIRECTION))
    return "".join(one for one in plain if unicodedata.category(one) != "Mn").lower()


def _named(char: str) -> str:
    found = _LETTER_NAME.fullmatch(unicodedata.name(char, ""))
    return found[1].lower() if found else ""


@lru_cache(maxsize=1024)
def _unseen_letter(char: str) -> str:
    """What a character represents, as skeletons have it, which most readers do not see."""
    if unicodedata.category(char) not in {"Cf", "Mn"}:
        return ""
    return _plainly(chr(ord(char) - 0xE0000)) if ord(char) in _TAGS else _named(char)
