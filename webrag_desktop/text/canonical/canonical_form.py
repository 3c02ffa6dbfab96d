"""The form in which texts and quotations are compared, without regard to spacing, and the edges of words in it.

A quotation that begins or ends within a word says something else: "can" of "can't", "3" of "3.14", "linear" of
"non-linear", "5" of "-5", "$5" or "5%", "10" of "10^6", "C" of "C++". Scripts without spaces have no such places: their
form tells no sign that is separate from one that is joined.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from webrag_desktop.text.canonical.lookalikes import Edit, Traced, read_alike, traced

# Written without spaces, so that a line break between two of their characters is none.
IDEOGRAPHIC: Final = (
    "\u2e80-\u303f\u3040-\u312f\u3190-\u9fff\ua000-\ua4cf\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
WITHOUT_SPACES: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # between words: spaces part sentences
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
BROKEN_ANYWHERE: Final = (
    WITHOUT_SPACES + _HANGUL
)  # lines may break where there is no space, and where there is one

# What was taken out in front of a character: nothing; a hyphen; a hyphen at a line's end, which may belong to the
# word or not; a space; a line break where the script needs no space.
NOTHING, HYPHEN, LINE_END_HYPHEN, SPACE, LINE_BREAK = ".", "-", "~", "_", "^"
JOINED_BY_HYPHEN: Final = HYPHEN + LINE_END_HYPHEN
# Which of them read the same.
_SAME = {
    NOTHING: NOTHING + LINE_END_HYPHEN + LINE_BREAK,
    HYPHEN: HYPHEN + LINE_END_HYPHEN,
    LINE_END_HYPHEN: NOTHING + HYPHEN + LINE_END_HYPHEN + LINE_BREAK,
    SPACE: SPACE + LINE_BREAK,
    LINE_BREAK: NOTHING + SPACE + LINE_END_HYPHEN + LINE_BREAK,
}
_RUN = re.compile(r"(.)\1*")

_SPACING = re.compile(
    rf"(?P<hyphen>-(?<=[^\W_]-)(?P<after>\s*)(?=[^\W_]))"
    rf"|(?P<space>[^\S ]\s*| (?=\s)\s*| (?=[{IDEOGRAPHIC}{BROKEN_ANYWHERE}])| (?<=[{IDEOGRAPHIC}] ))"
)
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHIC}]")
_ANYWHERE = re.compile(f"[{BROKEN_ANYWHERE}]")
_LINE_END = re.compile(r"[\n\r\f\u2028\u2029]")
# Words behind a hyphen that represents the rest of a word, as in "pre- and postwar".
_BETWEEN_HALVES = re.compile(r"(?:and|or|to|und|oder|bis|et|ou|y|o|e|en|of|och|og|eller)\b")


@dataclass(frozen=True, slots=True)
class CanonicalForm:
    """A text with what reads the same in one form, one space for any white space, and no line-break hyphens.

    Hyphens between letters are taken out, and spaces of scripts whose lines break anywhere; ``joins`` tells for each
    character what was taken out in front of it. Beside ideographs there are no spaces.
    """

    text: str
    joins: str
    _written: str
    _traces: tuple[Traced, ...]  # from this form back to the source

    def source_span(self, start: int, end: int) -> tuple[int, int] | None:
        """The source of ``[start, end)``, which is not empty and begins and ends with no space.

        None where it would begin or end within a sign that represents several characters, or represents none.
        """
        spacing, *others = self._traces
        span: tuple[int, int] | None = spacing.source_around(start, end)
        for trace in others:
            span = trace.source_span(*span) if span is not None and span[0] < span[1] else None
        return span if span is not None and span[0] < span[1] else None

    def source_around(self, start: int, end: int) -> tuple[int, int]:
        """The same with all of the signs at its ends; empty where it represents nothing."""
        for trace in self._traces:
            start, end = trace.source_around(start, end)
        return start, end

    def written(self, start: int, end: int) -> str:
        """``[start, end)`` as it was before it was brought into one form."""
        spacing, alike, *_others = self._traces
        return self._written[slice(*alike.source_around(*spacing.source_around(start, end)))]

    def place_of(self, source: int) -> int:
        """Where the character of the source is here."""
        for trace in reversed(self._traces):
            source = trace.place_of(source)
        return source

    def end_of(self, source_end: int) -> int:
        """Where what is before ``source_end`` in the source ends here."""
        for trace in reversed(self._traces):
            source_end = trace.end_of(source_end)
        return source_end


def canonical_form(*texts: str | Traced, spaces_end_lines: bool = False) -> CanonicalForm:
    """The canonical form of a text; takes time in proportion to its length.

    A text that was edited leads back through its edits; behind it the one that it was made of can be given, if that
    was edited, too. ``spaces_end_lines``: a space behind a hyphen may be a line break that was lost in copying.
    """
    text = texts[0] if isinstance(texts[0], str) else texts[0].text
    edited = tuple(one for one in texts if isinstance(one, Traced) and one.is_edited)
    alike = read_alike(text)
    edits = list(_edits(alike.text, spaces_end_lines))
    spaced = traced(alike.text, edits)
    return CanonicalForm(spaced.text, _joins(edits, len(alike.text)), text, (spaced, alike, *edited))


def same_joins(joins: str) -> re.Pattern[str]:
    """What the joins of the same text may be."""
    return re.compile(
        "".join(f"[{re.escape(_SAME[run[1]])}]{{{len(run[0])}}}" for run in _RUN.finditer(joins))
    )


def _edits(text: str, spaces_end_lines: bool) -> Iterator[Edit]:
    for found in _SPACING.finditer(text):
        edit = _hyphen(text, found, spaces_end_lines) if found["hyphen"] else _space(text, *found.span())
        if edit is not None:
            yield edit


def _hyphen(text: str, found: re.Match[str], spaces_end_lines: bool) -> Edit | None:
    """What a hyphen between two letters or digits, with the white space behind it, reads as."""
    start, end, after = found.start(), found.end(), found["after"]
    broken = bool(after) and (spaces_end_lines or _LINE_END.search(after) is not None)
    if after and (not broken or _BETWEEN_HALVES.match(text, end)):
        return Edit(start + 1, end, " ") if after != " " else None
    before, behind = text[start - 1], text[end]
    if not (before.isalpha() and behind.isalpha()):
        return Edit(start + 1, end) if after else None
    if broken and before.isupper() == behind.isupper():
        return Edit(start, end, join=LINE_END_HYPHEN)
    return Edit(start, end, join=HYPHEN)


def _space(text: str, start: int, end: int) -> Edit:
    before, behind = text[start - 1 : start], text[end : end + 1]
    if _IDEOGRAPH.match(before) or _IDEOGRAPH.match(behind):
        return Edit(start, end)
    if _ANYWHERE.match(before) and _ANYWHERE.match(behind):
        return Edit(start, end, join=LINE_BREAK if _LINE_END.search(text, start, end) else SPACE)
    return Edit(start, end, " ")


def _joins(edits: list[Edit], length: int) -> str:
    """What was taken out in front of each character of the text after the edits; see :class:`CanonicalForm`."""
    parts: list[str] = []
    position, join = 0, ""
    for edit in edits:
        kept = edit.start - position
        parts += (join, NOTHING * (kept - len(join) + len(edit.text)))
        position, join = edit.end, edit.join
    parts += (join, NOTHING * (length - position - len(join)))
    return "".join(parts)


_UNSPACED = re.compile(f"[{IDEOGRAPHIC}{WITHOUT_SPACES}\u0f00-\u0fff]")
_TAIL_OF_CONTRACTION = re.compile(r"(?:[stdmST]|ll|re|ve|LL|RE|VE)\b")
_WITHIN_NUMBERS = frozenset(".,:/'\u066b\u066c")
_SIGNS = frozenset("+-\u2212\u2013\u00b1")
_RAISED = re.compile(r"[\u2070-\u207f\u00b2\u00b3\u00b9]|\^")
_MEASURED = re.compile(
    r"(?:\d|(?<!\w)[^\W\d_]{1,2}|\d\s?[^\W\d_]{3,12}|[)\]}])$"
)  # what an exponent may belong to
_BEFORE_NUMBERS = frozenset(
    "<>\u2264\u2265\u2260\u2248~\u00d7\u00f7#\u00a7"
)  # relations and signs, as in "<5"
_BEHIND_NUMBERS = frozenset("%\u2030\u00b0\u2032\u2033")
_BEHIND_WORDS = re.compile(r"(?:\+{1,2}|[\u2212\u207a\u207b#])(?!\w)")  # as in "C++", "Na+", "O\u2212"
_NARROW_SPACES = frozenset("\u00a0\u2009\u202f")  # within a number
_GROUP = re.compile(r"\d [0-9]{3}(?![0-9])")
_DOLLARS = re.compile(r"\$[^$\n]*[^\s$]\$(?!\d)")  # around a formula, and no price
_LONGEST_FORMULA = 500
_FAR_ENOUGH = 20  # characters to see the word before a raised number


def has_word_edges(canonical: CanonicalForm, start: int, end: int) -> bool:
    """Whether ``[start, end)``, which is not empty, parts no word and no number at its ends."""
    text, joins = canonical.text, canonical.joins
    if start > 0 and (
        joins[start] in JOINED_BY_HYPHEN
        or _begins_within(text, start, joins[start])
        or _parts_groups(canonical, start - 1)
    ):
        return False
    return end >= len(text) or not (
        joins[end] in JOINED_BY_HYPHEN or _ends_within(text, end, joins[end]) or _parts_groups(canonical, end)
    )


def _parts_groups(canonical: CanonicalForm, space: int) -> bool:
    """Whether a space that is narrow or keeps lines together is there between groups of figures."""
    found = space > 0 and _GROUP.match(canonical.text, space - 1) is not None
    return found and canonical.written(space - 1, space + 2)[1:2] in _NARROW_SPACES


def _is_of_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M"


def _is_unspaced(char: str) -> bool:
    return _UNSPACED.match(char) is not None


def _within_word(before: str, after: str, join: str) -> bool:
    """Whether two characters belong to one word, as far as that can be seen."""
    one_word = join == "." and _is_of_word(before) and _is_of_word(after)
    return one_word and not (_is_unspaced(before) or _is_unspaced(after))


def _is_one_name(before: str, after: str) -> bool:
    """Whether a hyphen between the two makes one name of them, as in "B-12", and no range of numbers."""
    return before.isalnum() and after.isalnum() and not (before.isdigit() and after.isdigit())


def _begins_within(text: str, at: int, join: str) -> bool:
    before, after = text[at - 1], text[at]
    if not _is_of_word(after) or _is_unspaced(after):
        return False
    if _within_word(before, after, join):
        return True
    earlier = text[at - 2] if at > 1 else " "
    if before == "-" and _is_one_name(earlier, after):
        return True
    if before == "'" and earlier.isalpha():
        return _TAIL_OF_CONTRACTION.match(text, at) is not None
    if before == "." and _is_initial(text, at - 2):
        return True
    return after.isdigit() and (_begins_within_number(earlier, before) or _is_price(text, at - 1))


def _is_initial(text: str, at: int) -> bool:
    """Whether one letter alone is there."""
    return at >= 0 and text[at].isalpha() and not (at and _is_of_word(text[at - 1]))


def _is_price(text: str, sign: int) -> bool:
    """Whether the sign of a currency is there, in front of its number."""
    if text[sign] != "$":
        return unicodedata.category(text[sign]) == "Sc"
    return _DOLLARS.match(text, sign, sign + _LONGEST_FORMULA) is None


def _begins_within_number(earlier: str, before: str) -> bool:
    if before == "^" or (before == "(" and earlier == "^") or before in _BEFORE_NUMBERS:
        return True
    if before in _WITHIN_NUMBERS and earlier.isdigit():
        return True
    if before in _SIGNS or before in {".", ","}:
        return not (_is_of_word(earlier) or earlier in ")]\"'.,")
    return False


def _ends_within(text: str, at: int, join: str) -> bool:
    before, after = text[at - 1], text[at]
    if not _is_of_word(before) or _is_unspaced(before):
        return False
    if _RAISED.match(after):
        return _MEASURED.search(text, max(0, at - _FAR_ENOUGH), at) is not None
    return _within_word(before, after, join) or _goes_on(text, at, text[at + 1 : at + 2])


def _goes_on(text: str, at: int, following: str) -> bool:
    """Whether the sign behind a word or number belongs to it."""
    before, after = text[at - 1], text[at]
    if after == "-":
        return _is_one_name(before, following)
    if after == "'":
        return following.isalpha()
    if after == "." and following.isalpha():
        return _is_initial(text, at - 1)
    return _ends_within_number(after, following) if before.isdigit() else _ends_within_name(text, at)


def _ends_within_name(text: str, at: int) -> bool:
    return text[at - 1].isalpha() and _BEHIND_WORDS.match(text, at) is not None


def _ends_within_number(after: str, following: str) -> bool:
    if after in _WITHIN_NUMBERS and following.isdigit():
        return True
    return after in _BEHIND_NUMBERS or (after != "$" and unicodedata.category(after) == "Sc")
