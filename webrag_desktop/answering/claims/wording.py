"""The words of a claim as they are shown: plain text, in which only what was found in stored texts is a quotation."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from webrag_desktop.answering import evidence
from webrag_desktop.answering.claims.paragraphs import lead_of
from webrag_desktop.answering.claims.reading import KnownIds
from webrag_desktop.retrieval.contracts.answer_events import ClaimPart
from webrag_desktop.text.markdown_grammar import BLANK_LINES, FENCE_MARK
from webrag_desktop.text.plain_text import project
from webrag_desktop.text.printable import title_line
from webrag_desktop.text.quotation_marks import CLOSED_BY
from webrag_desktop.text.skeletons import unescaped

# In the place of what quotes without a mark that is read: code, quoted blocks, <q>. Noncharacters, in no valid text.
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
_SINGLE = _APOSTROPHES | {"‘", "‛", "‚"}  # which also occur in words, so that one without its other is none
_ONLY_CLOSING = frozenset(
    "”»›"
)  # openers in some languages, which they are only where nothing is before them
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


class Quoted(NamedTuple):
    """A quotation as the stored text reads, and the number of its citation."""

    text: str
    citation: int


# The source of words in quotation marks where they were found; None where they were not.
Quoter = Callable[[str], Quoted | None]

_GUARD = "\ufdd2 "  # keeps text within a line from being read as the beginning of one
_NONCHARACTERS = re.compile("[\ufdd0-\ufdef]")
_FORMULA = re.compile(
    r"\$\$.{1,800}?\$\$|\\\[.{1,800}?\\\]|\\\(.{1,400}?\\\)"
    r"|(?<![\\$\w])\$(?![\s$])[^$\n]{0,400}(?<![\s\\])\$(?!\d)",
    re.DOTALL,
)
_KEPT_FORMULA = re.compile("\ufdd3(\\d+)\ufdd4")
_QUOTES_IN_FORMULA = re.compile("[\"“”„‟«»‹›‘‚‛「」『』《》＂❝❞]|``|''(?=\\w)")
_CODE = re.compile(r"(`{1,3})(?!`)([^`]+)\1(?!`)")
# As models write fences: indented by any width, and closed by any marks, or not at all.
_FENCE = re.compile(
    rf"^[ \t]*(?:{FENCE_MARK})[^\n]*\n(.*?)(?:\n[ \t]*(?:{FENCE_MARK})[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_QUOTING_TAG = re.compile(r"<(/?)(?:q|blockquote|cite)\b[^<>]*>", re.IGNORECASE)
_QUOTED_LINES = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>[ \t]*)+", re.MULTILINE)
# "Source n" is what the instruction says, which small models repeat.
_SOURCE = re.compile(r"\s*[\[(【]\s*sources?\s*(?:\d[^\])】\n]*|n\s*)[\])】]", re.IGNORECASE)
_ENDS_IN = re.compile(r"[.,;:!?…。，！？]+\Z")
_MOST_UNESCAPING = 3  # entities of entities
_DEEPEST = 3  # nested quotations that are searched for; quotation marks in these are read as words

# A piece goes out once nothing that began in it can end beyond it.
_MAY_CONTINUE = re.compile(r"[\[<&`\\]|!\Z|(?<!\w)[*_]|[*_](?!\w)|\$|^[ \t]*>", re.MULTILINE)
_BRACKET = re.compile(r"[\[(【{][^\])】}]{0,60}\Z")
_STICKS = frozenset(".,;:!?)。，")
_MAY_END = re.compile(r"[\s。！？，、；：]")
_ENDS_PIECE = re.compile(r"\s(?=\S*\Z)|[。！？，、；：](?=[^\s。！？，、；：”』」》]*\Z)")


class ClaimWording:
    """Words one claim as it comes. A piece that went out is never changed again."""

    def __init__(self, known: KnownIds, quoter: Quoter, said_in_texts: Callable[[str], bool]) -> None:
        """``known`` are the ids, which are taken out where they are no word of the evidence (``said_in_texts``)."""
        self._known = known
        self._quoter = quoter
        self._said_in_texts = said_in_texts
        self._raw = ""
        self._before = "\n"
        self._between = ""  # white space that nothing was shown behind yet
        self.parts: list[ClaimPart] = []

    @property
    def text(self) -> str:
        """All that went out."""
        return "".join(part.text for part in self.parts)

    def feed(self, more: str) -> str:
        """What can be shown now, behind what was; a quotation comes whole or not at all."""
        self._raw += _NONCHARACTERS.sub("", more)
        if not _MAY_END.search(more):
            return ""
        end = next((found.end() for found in [_ENDS_PIECE.search(self._raw)] if found), 0)
        if not end or self._is_open(self._raw[:end]):
            return ""
        piece, self._raw = self._raw[:end], self._raw[end:]
        return self._put(piece)

    def end(self) -> str:
        """The rest, which nothing follows."""
        piece, self._raw = self._raw, ""
        return self._put(piece)

    def _is_open(self, piece: str) -> bool:
        """Whether something begins in the piece that may end behind it."""
        text = unescaped(piece)
        return (
            is_open(text)
            or _MAY_CONTINUE.search(_closed_pairs(piece)) is not None
            or _BRACKET.search(piece) is not None
        )

    def _put(self, piece: str) -> str:
        """What is shown of a piece, paragraph by paragraph where nothing continues over a blank line."""
        shown, begun = "", 0
        for blank in BLANK_LINES.finditer(piece):
            if not self._is_open(piece[begun : blank.start()]):
                shown += self._put_paragraph(piece[begun : blank.end()])
                begun = blank.end()
        return shown + self._put_paragraph(piece[begun:])

    def _put_paragraph(self, piece: str) -> str:
        plain = self._plain(piece)
        apart = self._apart(piece, plain)
        self._before = piece[-1:] or self._before
        if plain:
            self._between = ""
        self._between += piece[len(piece.rstrip()) :]
        shown = ""
        for part in self._parts(plain):
            text = apart + part.text if part.text else ""
            shown, apart = shown + text, ""
            self._add(part.model_copy(update={"text": text}) if part.kind == "text" else part, text)
        return shown

    def _apart(self, piece: str, plain: str) -> str:
        """What comes between all that was shown and what is shown next."""
        if plain and (paragraph := lead_of(piece, self._between)):
            return paragraph
        if plain[:1] in _STICKS and not piece.startswith(plain[0]):  # behind a mark that was taken out
            return ""
        return " " if self._before.isspace() and self.parts and plain else ""

    def _add(self, part: ClaimPart, text: str) -> None:
        blank = text[: len(text) - len(part.text)]  # which is before a quotation, and none of its own
        for one in (*([ClaimPart(kind="text", text=blank)] if blank else ()), part):
            last = self.parts[-1] if self.parts else None
            if last is not None and last.kind == one.kind == "text":
                self.parts[-1] = ClaimPart(kind="text", text=last.text + one.text)
            elif one.text:
                self.parts.append(one)

    # -- Plain words -----------------------------------------------------------------------------------------------

    def _plain(self, piece: str) -> str:
        """The piece without markup, marks of ours and what steers; quotations have marks of one character."""
        text = self._unmarked(piece)
        for _ in range(_MOST_UNESCAPING):
            text = unescaped(text)
        text = _NONCHARACTERS.sub("", text)
        formulas: list[str] = []

        def kept(found: re.Match[str]) -> str:
            formulas.append(_QUOTES_IN_FORMULA.sub("", found[0]))
            return f"\ufdd3{len(formulas) - 1}\ufdd4"

        text = _with_quoting_marks(with_common_marks(_FORMULA.sub(kept, text)))
        guard = "" if self._before == "\n" else _GUARD
        text = project(guard + text).text.replace(_GUARD.strip(), "")
        text = _KEPT_FORMULA.sub(lambda found: formulas[int(found[1])], text)
        return title_line(evidence.without_marks(self._unmarked(title_line(text))))

    def _unmarked(self, text: str) -> str:
        """Without ids and numbers of sources, which are meant for us."""
        text = _SOURCE.sub("", self._known.mark.sub("", self._known.label.sub("", text)))
        return self._known.bare.sub(lambda found: found[0] if self._said_in_texts(found[0]) else "", text)

    # -- Quotations ------------------------------------------------------------------------------------------------

    def _parts(self, text: str, depth: int = 0) -> list[ClaimPart]:
        parts: list[ClaimPart] = []
        done = 0
        for one in quotations(text) if depth < _DEEPEST else ():
            parts += [_as_text(text[done : one.start]), *self._quoted(text, one, depth)]
            done = one.end
        return [part for part in (*parts, _as_text(text[done:])) if part.text]

    def _quoted(self, text: str, one: Quotation, depth: int) -> list[ClaimPart]:
        inside = text[one.inside]
        bare = inside.strip()
        ends = _ENDS_IN.search(bare)
        for words, behind in ((bare, ""), *([(bare[: ends.start()], ends[0])] if ends else ())):
            found = self._quoter(words) if any(map(str.isalnum, words)) else None
            if found is not None:
                opening, closing = (
                    ("“", "”") if one.opening == OPENS or not one.balanced else (one.opening, one.closing)
                )
                verified = ClaimPart(
                    kind="verified_quote", text=f"{opening}{found.text}{closing}", citation=found.citation
                )
                return [verified, _as_text(behind)]
        return self._taken_off(inside, depth)

    def _taken_off(self, inside: str, depth: int) -> list[ClaimPart]:
        """Words that were found nowhere, without their marks; what they quote in turn may have been."""
        parts = self._parts(inside, depth + 1)
        if not any(map(str.isalnum, inside)):
            return parts
        return [
            part.model_copy(update={"kind": "unverified"})
            if part.kind == "text" and part.text.strip()
            else part
            for part in parts
        ]


def _as_text(text: str) -> ClaimPart:
    return ClaimPart(kind="text", text=without_marks(text))


def _with_quoting_marks(text: str) -> str:
    text = _QUOTING_TAG.sub(lambda tag: CLOSES if tag[1] else OPENS, text)
    text = _QUOTED_LINES.sub(lambda lines: f"{OPENS}{_QUOTED_LINE.sub('', lines[0]).strip()}{CLOSES}\n", text)
    text = _FENCE.sub(lambda fence: f"{OPENS}{fence[1].strip()}{CLOSES}", text)
    return _CODE.sub(lambda code: f"{OPENS}{code[2]}{CLOSES}", text)


def _closed_pairs(text: str) -> str:
    """The text without what begins and ends in it."""
    for pattern in (_FORMULA, _WHOLE_FENCE, _CODE, _LINK, _ENTITY, _PAIRED, _TAG):
        text = pattern.sub("", text)
    return text


# Closed, and of backticks; what tildes open stays open until the text ends.
_WHOLE_FENCE = re.compile(r"^[ \t]*```+[^\n]*\n.*?\n[ \t]*```+[ \t]*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[[^\[\]]*\](?:\([^()\s]*\)|(?!\())")
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-f]+|[a-z]+);", re.IGNORECASE)
_PAIRED = re.compile(r"(\*{1,3}|_{1,3})(?=\S)([^*_]+)(?<=\S)\1|(?<=\s)[*_<&\\](?=\s)")
_TAG = re.compile(r"<(?!q\b|blockquote\b|cite\b)/?[a-z][^<>]*>|<(?![a-z/!?<])|\\(?=\s)", re.IGNORECASE)

_DECLINES = re.compile(
    r"\b(?:sorry|can(?:not|['’]t) (?:answer|help|assist|provide|determine)|unable to|not able to"
    r"|(?:do|does)(?: not|n['’]t) (?:contain|provide|hold|say|state|tell|mention|include|specify)"
    r"|not enough|no (?:relevant )?information|insufficient|keine (?:Informationen|Angaben)|nicht genug|nicht beantwort"
    r"|kann (?:ich|dir|Ihnen|die|diese)\b.*\bnicht|ne (?:peux|contien)|no puedo|no contien)",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Whether a text that points at no sentence says that it does not answer."""
    return _DECLINES.search(text) is not None
