"""Pairs quotation marks as writers of several languages set them: “…”, „…“, «…», »…«, 「…」, "…" and others."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final

from webrag_desktop.text.spans import Span

LONGEST = 20_000  # characters between two marks of a pair
_LONGEST_REFERENCE = 1_000
MOST_WITHIN = 150  # marks between them

JOINER = "\N{WORD JOINER}"  # replaces, as often as needed, what is no part of the text
_LATEX = re.compile(
    r"(?<!`)``(?![`\s])((?:(?!``|\n[ \t]*\n).)*?(?<=[\w.,;:!?…)\]'’]))''(?![\w'`])", re.DOTALL
)
_REFERENCE = re.compile(r"\s*[\[(][^\[\]()]*[\])][\s.]*$")
_BEHIND = re.compile(r"\s*(?:[\[(][^\[\]()]*[\])])?[\s.,;:!?]*$")  # a reference and a mark of punctuation
# What may close each opening mark. Marks of one alphabet open in one country and close in another.
CLOSED_BY: Final[Mapping[str, str]] = {
    "“": "”",
    "‟": "”",
    "„": "“”",
    "⹂": "“”",
    "”": "”",
    "«": "»",
    "»": "«»",
    "‹": "›",
    "›": "‹›",
    "「": "」",
    "『": "』",
    "｢": "｣",
    "﹁": "﹂",
    "﹃": "﹄",
    "〝": "〞〟",
    "❝": "❞",
    "❛": "❜",
    "‘": "’",
    "’": "’",
    "‚": "‘’",
    "‛": "’",
    "'": "'",
    "＇": "＇",
    '"': '"',
    "＂": "＂",
}
_SINGLE = frozenset("‘’‚‛'＇❛❜")
DOUBLE_MARK: Final = re.compile(f"[{''.join(sorted({*CLOSED_BY, *chain(*CLOSED_BY.values())} - _SINGLE))}]")
_CLOSED_IN_TYPING = {"“": '“"', "„": '"', '"': "”"}  # as when only one of the two was curled
_UNPAIRED = frozenset(
    "’‛＇⹂"
)  # open too seldom in manuscripts to tell them from apostrophes and closing marks
_CLOSED = {opening: closing for opening, closing in CLOSED_BY.items() if opening not in _UNPAIRED}
_MARK = re.compile(f"[{''.join(sorted({*_CLOSED, *chain(*_CLOSED.values())}))}]")
_ALWAYS_OPEN = frozenset("“„‟«‹「『｢﹁﹃〝❝❛")
_ONLY_CLOSE = frozenset("」』｣﹂﹄〞〟❞❜")
_APOSTROPHES = frozenset("'’‘‚")
# Words that begin with an apostrophe.
_ELISION = re.compile(
    r"'(?:tis|twas|twere|twill|em|n|til|till|cause|cos|round|bout|[sd]|\d0s?|\d\d)\b", re.IGNORECASE
)
_STRAIGHT = frozenset('"＂')
_BEFORE_OPENING = frozenset("([{<—–―-/=:;,…>|*_~\u2060")
_AFTER_CLOSING = frozenset(".,;:!?…)]}>—–―-/|*_~\u2060")
_IDEOGRAPH = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_YEARS = re.compile("[‘’]\\d0")  # ‘90s


def is_pair(opening: str, closing: str) -> bool:
    """Whether two marks may be around a quotation, also as it is typed in haste."""
    return closing in CLOSED_BY.get(opening, "") or closing in _CLOSED_IN_TYPING.get(opening, "")


def paired(text: str, without: Sequence[Span] = (), goes_on: str = "") -> tuple[list[Span], list[int]]:
    """What the outer pairs of a paragraph hold, and where marks are that belong to no pair.

    Marks within the ranges ``without`` (in order) do not count. ``goes_on`` is what the next paragraph begins with:
    where a mark is not closed and the next paragraph opens with the same one, the quotation goes on there, and what it
    holds here reaches to the end of the paragraph.

    Apostrophes and the signs of feet and inches are no quotation marks.
    """
    return _Marks(text, without).paired(goes_on)


def unquoted(text: str) -> str:
    """What is quoted where a text is one quotation in its marks, with a reference in brackets behind it or without.

    Any other text as it is, without blanks around it.
    """
    if len(text) > LONGEST + _LONGEST_REFERENCE:
        return text.strip()
    text = with_plain_marks(text).replace(JOINER, "").strip()
    pairs, _ = paired(text)
    is_one = len(pairs) == 1 and pairs[0][0] == 1 and bool(_BEHIND.match(text, pairs[0][1] + 1))
    return text[1 : pairs[0][1]].strip() if is_one else text


def without_reference(text: str) -> str:
    """The text without what is in brackets at its end, as references behind a block quotation do."""
    return _REFERENCE.sub("", text)


def with_plain_marks(text: str) -> str:
    """LaTeX's marks as typographic ones, every character where it was."""
    return _LATEX.sub(lambda found: f"{JOINER}“{found[1]}”{JOINER}", text)


class _Marks:
    def __init__(self, text: str, without: Sequence[Span]) -> None:
        self._text = text
        found = (one.start() for one in _MARK.finditer(text))
        self._at = [at for at in found if not (self._is_within_word(at) or _lies_in(without, at))]

    def paired(self, goes_on: str) -> tuple[list[Span], list[int]]:
        pairs: list[Span] = []
        left: list[int] = []
        index = 0
        while index < len(self._at):
            start = self._at[index]
            closing = self._closing(index) if self._opens(start) else None
            if closing is not None:
                pairs.append((start + 1, self._at[closing]))
                index = closing
            elif self._opens(start) and goes_on == self._text[start] and goes_on in _ALWAYS_OPEN:
                pairs.append((start + 1, len(self._text)))
                break
            elif self._is_left(start):
                left.append(start)
            index += 1
        return pairs, left

    def _is_within_word(self, at: int) -> bool:
        return self._text[at] == "'" and self._before(at).isalnum() and self._after(at).isalnum()

    # -- What a mark is, by what is beside it ---------------------------------------------------------------

    def _before(self, at: int) -> str:
        return self._text[at - 1] if at else " "

    def _after(self, at: int) -> str:
        return self._text[at + 1 : at + 2] or " "

    def _opens(self, at: int) -> bool:
        mark = self._text[at]
        if mark in _ALWAYS_OPEN:
            return True
        if mark in _ONLY_CLOSE or mark == "’" or (mark == "‘" and _YEARS.match(self._text, at)):
            return False
        if mark == "'" and (_ELISION.match(self._text, at) or not self._after(at).isalnum()):
            return False
        return self._looks_opening(at)

    def _looks_opening(self, at: int) -> bool:
        before, after = self._before(at), self._after(at)
        free = before.isspace() or before in _BEFORE_OPENING or bool(_MARK.match(before))
        return (free or bool(_IDEOGRAPH.match(before))) and not after.isspace() and after not in ".,;:!?)]}"

    def _looks_closing(self, at: int) -> bool:
        before, after = self._before(at), self._after(at)
        free = after.isspace() or after in _AFTER_CLOSING or bool(_MARK.match(after)) or not after.isalnum()
        return not before.isspace() and (free or bool(_IDEOGRAPH.match(after)))

    def _is_left(self, at: int) -> bool:
        """Whether a mark that is in no pair is worth telling; apostrophes and inches are not."""
        mark = self._text[at]
        return mark not in _APOSTROPHES and not (mark in '"”＂' and self._before(at).isdigit())

    # -- Closing ------------------------------------------------------------------------------------------------

    def _closing(self, index: int) -> int | None:
        """The number of the mark that closes this one."""
        mark = self._text[self._at[index]]
        if mark in _STRAIGHT:
            return self._straight(index)
        if mark in "‘'":
            return self._single(index)
        closing = self._counted(index)
        return self._typed_alike(index) if closing is None and mark == "“" else closing

    def _typed_alike(self, index: int) -> int | None:
        """The next mark, where it is the same one and looks as if it closed."""
        following = next((one for one in self._following(index) if self._text[self._at[one]] in "“”"), None)
        if following is None or self._text[self._at[following]] != "“":
            return None
        return following if self._looks_closing(self._at[following]) else None

    def _counted(self, index: int) -> int | None:
        """The closing mark at the same depth: marks of the same kind may be within each other."""
        mark = self._text[self._at[index]]
        closed_by = _CLOSED[mark]
        alike = mark not in closed_by  # else nothing can be within
        depth = 0
        for other in self._following(index):
            at = self._at[other]
            found = self._text[at]
            if found in closed_by and (mark in "“«‹「『" or self._ends(at, depth, mark)):
                if depth == 0:
                    return other
                depth -= 1
            elif alike and (found == mark or (mark == "„" and found == "“")):
                depth += 1
        return None

    def _ends(self, at: int, depth: int, mark: str) -> bool:
        """Whether a mark that opens elsewhere closes here."""
        if mark == "„" and self._text[at] == "”":
            return True
        return not self._before(at).isspace() if depth == 0 or mark != "„" else self._looks_closing(at)

    def _straight(self, index: int) -> int | None:
        """The next mark, unless it says inches: behind a digit, with another one to come that closes."""
        alike = (
            other
            for other in self._following(index)
            if self._text[self._at[other]] == self._text[self._at[index]]
        )
        for other, following in pairwise(chain(alike, [None])):
            if other is None or not (
                self._looks_closing(self._at[other]) or self._stands_free(self._at[other])
            ):
                continue
            if following is not None and self._says_inches(self._at[other], self._at[following]):
                continue
            return other if self._looks_closing(self._at[other]) else None
        return None

    def _says_inches(self, at: int, following: int) -> bool:
        only_closes = self._looks_closing(following) and not self._looks_opening(following)
        return self._before(at).isdigit() and only_closes

    def _stands_free(self, at: int) -> bool:
        return self._before(at).isspace()

    def _single(self, index: int) -> int | None:
        """The first that is no apostrophe, before another one opens: no letter follows it, nor is it a plural's."""
        likely: int | None = None
        mark = self._text[self._at[index]]
        for other in self._following(index):
            at = self._at[other]
            if self._text[at] == mark and self._opens(at):
                break
            if self._text[at] not in _CLOSED[mark] or not self._looks_closing(at):
                continue
            if self._before(at) not in "sS" or not self._after(at).isspace():
                return other
            likely = other if likely is None else likely
        return likely

    def _following(self, index: int) -> Iterator[int]:
        """The numbers of the marks behind one, as far as a quotation may reach."""
        for other in range(index + 1, min(index + 1 + MOST_WITHIN, len(self._at))):
            if self._at[other] - self._at[index] > LONGEST:
                return
            yield other


def _lies_in(spans: Sequence[Span], position: int) -> bool:
    """Whether a position is in one of the spans, which are in order."""
    index = bisect_right(spans, (position, 1 << 60)) - 1
    return index >= 0 and position < spans[index][1]
