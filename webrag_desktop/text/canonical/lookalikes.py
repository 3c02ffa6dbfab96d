"""Characters that read the same in one form, each place traced: ligatures, quotation marks, accents in two pieces.

Never a word, a digit, a sign or the case of a letter: raised and lowered digits, fractions, dashes and minus signs,
vowel points and the joiners of Persian and Indic words stay as they are.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Literal, NamedTuple

Trace = Callable[[int, int], tuple[int, int]]  # from a span of one text to that of another


class Edit(NamedTuple):
    """``[start, end)`` of a text reads as ``text``; empty text drops it.

    ``join`` is a mark for what was taken out in front of the next character, see
    :class:`~webrag_desktop.text.canonical.canonical_form.CanonicalForm`.
    """

    start: int
    end: int
    text: str = ""
    join: str = ""


@dataclass(slots=True)
class Traced:
    """A text after edits. What replaced a span is one piece: it leads back to all of the span or to nothing."""

    text: str
    _at: list[int] = field(default_factory=list, repr=False)  # where each replacement begins in the text
    _to: list[int] = field(default_factory=list, repr=False)  # and ends
    _from: list[int] = field(default_factory=list, repr=False)  # where its source begins
    _until: list[int] = field(default_factory=list, repr=False)  # and ends

    @property
    def is_edited(self) -> bool:
        """Whether anything is elsewhere than in the source."""
        return bool(self._at)

    def source_span(self, start: int, end: int) -> tuple[int, int] | None:
        """The source of ``[start, end)``, which is not empty; None where it parts a replacement."""
        first, last = self._last_at(start), self._last_at(end - 1)
        cut = (first >= 0 and self._at[first] < start < self._to[first]) or (
            last >= 0 and self._at[last] < end < self._to[last]
        )
        return None if cut else self.source_around(start, end)

    def source_around(self, start: int, end: int) -> tuple[int, int]:
        """The source of ``[start, end)``, which is not empty, with all of what replacements at its ends represent."""
        first, last = self._last_at(start), self._last_at(end - 1)
        source, source_end = start, end
        if first >= 0:
            inside = start < self._to[first]
            source = self._from[first] if inside else self._until[first] + start - self._to[first]
        if last >= 0:
            inside = end - 1 < self._to[last]
            source_end = self._until[last] if inside else self._until[last] + end - self._to[last]
        return source, source_end

    def place_of(self, source: int) -> int:
        """Where in the text the source character is; of one that was dropped, where it would be."""
        index = bisect_right(self._from, source) - 1
        if index < 0:
            return source
        if source < self._until[index]:
            return self._at[index]
        return min(self._to[index] + source - self._until[index], len(self.text))

    def end_of(self, source_end: int) -> int:
        """Where in the text what is before ``source_end`` ends."""
        index = bisect_left(self._from, source_end) - 1
        if index < 0:
            return source_end
        if source_end <= self._until[index]:
            return self._to[index]
        return min(self._to[index] + source_end - self._until[index], len(self.text))

    def _last_at(self, place: int) -> int:
        return bisect_right(self._at, place) - 1


def traced(source: str, edits: Iterable[Edit]) -> Traced:
    """The text after ``edits``, which are in order and do not overlap."""
    made = Traced("")
    parts: list[str] = []
    position = length = 0
    for start, end, text, _join in edits:
        parts += (source[position:start], text)
        length += start - position
        position = end
        if len(text) == end - start == 1:  # its place tells where it came from
            length += 1
            continue
        made._at.append(length)
        length += len(text)
        made._to.append(length)
        made._from.append(start)
        made._until.append(end)
    parts.append(source[position:])
    made.text = "".join(parts)
    return made


Kind = Literal["unseen", "alike", "joining", "changing"]

_LONGEST_CLUSTER = 64  # code points; nobody writes longer ones, and to bring them in order takes square time
_MOST_WRITTEN_OUT = 4  # code points that one sign represents
# Ways to write a character that only say how it is drawn.
_DRAWN = ("<wide>", "<narrow>", "<small>", "<vertical>", "<initial>", "<medial>", "<final>", "<isolated>")
_LIGATURE = re.compile("[\u00b5\u0132\u0133\u01c4-\u01cc\u2026\ufb00-\ufb06\ufb13-\ufb17]")
_ALIKE = {
    **dict.fromkeys("“”„‟«»\u05f4", '"'),
    **dict.fromkeys("‘’‚‛‹›\u02bc\u05f3", "'"),
    **dict.fromkeys("\u2010\u2011", "-"),
}
# What nobody sees: soft hyphens, joints for line breaks, marks of direction, invisible operators of formulas, and
# whether a sign is drawn in colour. Overrides of direction stay: they change what is read.
_UNSEEN = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202c\u2060-\u2064\u2066-\u206f\ufe0e\ufe0f\ufeff]")
_LATIN = "[A-Za-z\u00c0-\u024f]"
_JOINERS = "\u200c\u200d"  # nobody sees them between Latin letters alone
_SOFT_HYPHEN = "\u00ad"
_UNSTABLE = re.compile(r"[\s\u0640]")  # never what a sign is read as: it would be taken for what is beside it


def is_unseen(char: str) -> bool:
    """Whether nobody sees the character, ignoring white space."""
    return _UNSEEN.match(char) is not None


def read_alike(text: str) -> Traced:
    """The text in one form for all that reads the same; takes time in proportion to its length."""
    if text.isascii():
        return Traced(text)
    special = _kinds().keys() & set(text)
    return traced(text, _edits(text, frozenset(special))) if special else Traced(text)


def _edits(text: str, special: frozenset[str]) -> Iterator[Edit]:
    kinds = _kinds()
    done = 0
    for found in _pattern(special).finditer(text):
        start, end = found.span()
        if found.lastgroup == "cluster":
            if start > done and kinds[text[start]] == "joining":
                start -= 1
            read = _composed(text[start:end])
        else:
            read = _read_as(found)
        if read != text[start:end]:
            yield Edit(start, end, read)
            done = end


def _composed(cluster: str) -> str:
    return unicodedata.normalize("NFC", cluster) if len(cluster) <= _LONGEST_CLUSTER else cluster


def _read_as(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "line_end":
            return "-"
        case "kana":
            return unicodedata.normalize("NFKC", found[0])
        case "alike":
            return _alike()[found[0]]
        case _:
            return ""


@lru_cache(maxsize=256)
def _pattern(special: frozenset[str]) -> re.Pattern[str]:
    """What finds those of the special characters: far quicker than one that finds all there are."""
    of: dict[Kind, list[str]] = {"unseen": [], "alike": [], "joining": [], "changing": []}
    for char in special:
        of[_kinds()[char]].append(char)
    unseen = "".join(char for char in of["unseen"] if char not in _JOINERS)
    parts = []
    if _SOFT_HYPHEN in special:
        parts.append(rf"(?P<line_end>{_SOFT_HYPHEN}(?=[^\S\n]*\n))")  # there it is drawn
    if unseen:
        parts.append(f"(?P<unseen>[{unseen}]+)")
    if special & set(_JOINERS):
        parts.append(f"(?P<joiner>[{_JOINERS}](?<={_LATIN}.)(?={_LATIN}))")
    if special & {"\uff9e", "\uff9f"}:
        parts.append("(?P<kana>[\uff66-\uff9d][\uff9e\uff9f])")
    if of["alike"]:
        parts.append(f"(?P<alike>[{_class_of(of['alike'])}])")
    if of["joining"] or of["changing"]:
        parts.append(f"(?P<cluster>{_cluster(_class_of(of['joining']), _class_of(of['changing']))})")
    return re.compile("|".join(parts), re.DOTALL)


def _cluster(joining: str, changing: str) -> str:
    if not (joining and changing):
        return f"[{joining}]+" if joining else f"[{changing}]"
    return f"[{changing}][{joining}]*|[{joining}]+"


@cache
def _kinds() -> dict[str, Kind]:
    """Each character that may read like others: unseen, drawn alike, or what may have another canonical form.

    ``joining`` are those that may become one with what is before them, ``changing`` those that change alone.
    """
    kinds: dict[str, Kind] = dict.fromkeys(_alike(), "alike")
    seconds = set(_second_pieces())
    for char in _characters():
        if _UNSEEN.match(char):
            kinds[char] = "unseen"
        elif unicodedata.combining(char) or char in seconds or _is_part_of_syllable(char):
            kinds[char] = "joining"
        elif char not in kinds and unicodedata.normalize("NFC", char) != char:
            kinds[char] = "changing"
    return kinds


@cache
def _alike() -> dict[str, str]:
    """How each character reads that only is another drawing of others."""
    found = dict(_ALIKE)
    for char in _characters():
        if unicodedata.decomposition(char).startswith(_DRAWN) or _LIGATURE.match(char):
            read = unicodedata.normalize("NFKC", char)
            if read != char and len(read) <= _MOST_WRITTEN_OUT and not _UNSTABLE.search(read):
                found[char] = _ALIKE.get(read, read)
    return found


def _second_pieces() -> Iterator[str]:
    """What letters with an accent consist of beside the letter."""
    for char in _characters():
        pieces = unicodedata.decomposition(char).split()
        if len(pieces) == 2 and not pieces[0].startswith("<"):
            yield chr(int(pieces[1], 16))


def _is_part_of_syllable(char: str) -> bool:
    """Whether it is a vowel or a last letter that makes a syllable of Hangul with what is before it."""
    return "\u1161" <= char <= "\u1175" or "\u11a8" <= char <= "\u11c2"


def _characters() -> Iterator[str]:
    """All that is not ASCII and may have another form."""
    for first, after in ((0xA0, 0xAC00), (0xF900, 0x20000), (0x2F800, 0x2FA20)):
        yield from map(chr, range(first, after))


def _class_of(chars: Iterable[str]) -> str:
    """The inside of a character class; none of these characters has a meaning there."""
    return "".join(sorted(chars))
