"""Where the sentences of a paragraph end.

Never inside a link, an image or code; not after what only abbreviates, counts or leaves out; behind quotation marks,
brackets and note marks that follow the stop. What holds no word (a section number, an enumerator) leads the sentence
after it.
"""

import re
from collections.abc import Iterator

from webrag_desktop.text.graphemes import between_characters

_CLOSING = r"\"'”’»›“‘«)\]}*_`~"
# Repeated below: signs one by one, since runs of runs would be tried in every way that they can be parted.
_NOTE = r"\\?\[(?:\^?[^\s\[\]\\]{1,12}|citation needed)\\?\]|[¹²³⁰⁴-⁹]|<sup>[^<]{1,8}</sup>"
# The number of a note, as it is left where it was raised: only behind a word, or behind what closes a quotation.
_BARE_NOTE = r"(?:(?<=[^\W\d_]{2}[.!?…])|(?<=[.!?…][”\"’)]))\d{1,3}(?:[,–-]\d{1,3})*"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_STOP = re.compile(
    rf"(?<![.!?…])(?P<stop>[.!?…]+)(?:{_NOTE}|[{_CLOSING}])*(?P<note>{_BARE_NOTE})?\s+"
    rf"|(?P<wide>(?:[。！？｡؟۔।॥]|．(?!\d))+|(?<=[{_CJK}])[!?]+(?=[{_CJK}]))(?:{_NOTE}|[{_CLOSING}」』）】〉》])*\s*"
)
_SIGN = re.compile(r"[.!?…。！？｡؟۔।॥．]")  # every stop begins with one: far quicker to search for
# A quotation that its sentence goes on behind, as in 「…。」と.
_GOES_ON = re.compile(r"(?<=[」』）】〉》])[\u3040-\u309f、，]")

_WORD = re.compile(rf"[^\W\d_]{{2}}|[{_CJK}]")
_LAST_WORD = re.compile(r"[^\s(\[{<\"'“‘«„*_`]+$")
_INITIALS = re.compile(r"(?<!\w)(?:(?:[^\W\d_]\.\s?)+[^\W\d_]|[Pp]h\.D)$")
_LONGEST_WORD = 40  # of those that matter here
_FIRST_WORD = re.compile(r"[^\W_]+\.?")
_LABEL = re.compile(
    r"\W*(?:(?i:abb|abbildung|abschnitt|algorithm|appendix|beispiel|case|chapter|corollary|definition|eq|equation|example"
    r"|exercise|fig|figure|kapitel|lemma|listing|note|part|phase|problem|proposition|question|remark|rule|schritt|sec"
    r"|section|step|tab|tabelle|table|theorem)\W{1,3}(?:\d[\d.\-–]*[A-Za-z]?|[IVXLC]+|[A-Z](?:[.\-–]?\d[\d.\-–]*)?)"
    r"|[图圖図表]\s?\d[\d.\-–]*|[IVXLC]{1,6})\W*"
)

# Their period never ends a sentence, or only where it would not be noticed.
_ABBREVIATIONS = frozenset(
    """
    abb abs bspw bzgl bzw ca capt cf col dept dr dra ed eds eq eqs evtl exkl fig figs gen ggf gov hon hrsg inkl lt
    messrs mio mme mr mrd mrs ms mt núm pág prof rep resp rev sen sgt sog sra st vgl viz vs zzgl approx incl
    e.g i.e z.b d.h u.a o.ä s.o s.u i.d.r p.ex a.k.a v.chr n.chr
    """.split()
)
_BEFORE_NUMBERS = frozenset(
    """
    art aug apr bd bl ch chap dec feb jan jul jun kap lines mar no nos nov nr oct okt p pp par ref refs sec sect secs
    sep sept tab v ver vol vols
    """.split()
)
# Their period may end a sentence too: it does where one of the words follows that begin many.
_OFTEN_LAST = frozenset(["al", "co", "corp", "inc", "jr", "ltd", "sr"])
_BEGINNINGS = frozenset(
    """
    after all although an and as at because but by das der die during each es first for from he here how however if in
    it its many most no not on one our she since some such that the their then there these they this those to
    we what when where while with you
    """.split()
)
_AFTER_ORDINALS = frozenset(
    """
    januar februar märz april mai juni juli august september oktober november dezember jahrhundert jahrhunderts jh
    auflage lebensjahr
    """.split()
)

_MARKUP = re.compile(r"\\.|`+|!?\[|\]", re.DOTALL)
_TARGET = re.compile(
    r"\((?:<[^<>\n]*>|(?:[^()\s\\]|\\.|\((?:[^()\s\\]|\\.)*\))*)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)|\[[^\[\]]*\]"
)
_NOTE_TEXT = re.compile(r"(?:\\?[\[(])?\^?(?:\d{1,3}|[a-z]{1,2}|[*†‡§¶#↩])(?:\\?[\])])?")
_ENDS_TEXT = re.compile(rf"[.!?…。！？｡]+[{_CLOSING}」』）]*$")
_WOULD_END = re.compile(r"[\s.!?…。！？｡؟۔।॥．]")


def sentence_ends(paragraph: str) -> list[int]:
    """Where sentences end, with the white space behind them; the last end is that of the paragraph."""
    text = _without_inner_stops(paragraph)
    words, beginnings = _Ahead(_WORD, text), _Ahead(_FIRST_WORD, text)
    ends: list[int] = []
    start = 0
    for stop in _stops(text):
        if _ends_sentence(text, start, stop, beginnings) and not _leads(text, start, stop.end(), words):
            start = stop.end()
            ends.append(start)
    if ends and not _WORD.search(text, start):
        ends.pop()
    return [*ends, len(text)]


def _stops(text: str) -> Iterator[re.Match[str]]:
    """What may end a sentence, from left to right."""
    beyond = 0
    for sign in _SIGN.finditer(text):
        if sign.start() >= beyond and (stop := _STOP.match(text, sign.start())):
            beyond = stop.end()
            yield stop


def has_words(text: str) -> bool:
    """Whether there is more than numbers, single letters and marks."""
    return _WORD.search(text) is not None


class _Ahead:
    """Looks for a pattern from places that never go back, and so reads no part of a text again and again."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern, self._text = pattern, text
        self._found = pattern.search(text)

    def of(self, place: int) -> re.Match[str] | None:
        """The first match that begins at the place or behind it."""
        if self._found and self._found.start() < place:
            self._found = self._pattern.search(self._text, place)
        return self._found


def _leads(text: str, start: int, end: int, words: _Ahead) -> bool:
    word = words.of(start)
    return word is None or word.end() > end or _LABEL.fullmatch(text, start, end) is not None


def _ends_sentence(text: str, start: int, stop: re.Match[str], beginnings: _Ahead) -> bool:
    if stop["wide"]:
        return _GOES_ON.match(text, stop.end()) is None and _stands_alone(text, stop.end())
    if start < stop.start() and text[stop.start() - 1] in "([":
        return False  # left out, or a comment: "[...]", "(!)"
    following = beginnings.of(stop.end())
    first = following[0] if following else ""
    if first[:1].islower() or (stop["note"] and not first[:1].isupper()):
        return False
    before = text[max(start, stop.start() - _LONGEST_WORD) : stop.start()]
    return stop["stop"] != "." or not _abbreviates(before, first)


def _stands_alone(text: str, end: int) -> bool:
    """Whether no combining mark or variation selector belongs to the sign that ends there."""
    return text[end - 1].isspace() or between_characters(text, end)


def _abbreviates(before: str, following: str) -> bool:
    """Whether a period behind a text, before a word, is no full stop."""
    found = _LAST_WORD.search(before)
    written, after = found[0] if found else "", following.lower()
    word = written.lower()
    if word in _ABBREVIATIONS or (word in _BEFORE_NUMBERS and after[:1].isdigit()):
        return True
    if len(word) == 1 and word.isalpha() and after[1:] == ".":
        return True
    if word in _OFTEN_LAST or _INITIALS.search(before) or (len(word) == 1 and written.isupper()):
        return after not in _BEGINNINGS
    return word.isdigit() and len(word) <= 2 and after.rstrip(".") in _AFTER_ORDINALS


def _without_inner_stops(paragraph: str) -> str:
    """The paragraph with no stop inside links, images and code; nothing moves."""
    if "]" not in paragraph and "`" not in paragraph:
        return paragraph
    written = list(paragraph)
    opened: list[int] = []
    position = 0
    while mark := _MARKUP.search(paragraph, position):
        position = mark.end()
        if mark[0][0] == "`":
            position = _cover_code(paragraph, mark, written)
        elif mark[0] in ("[", "!["):
            opened.append(position)
        elif mark[0] == "]" and opened:
            begun = opened.pop()
            if target := _TARGET.match(paragraph, position):
                _cover_link(written, begun, mark.start(), target.end())
                position = target.end()
    return "".join(written)


def _cover_code(paragraph: str, ticks: re.Match[str], written: list[str]) -> int:
    """Write code as one long capital word, which may begin a sentence; where to go on behind it."""
    close = re.compile(rf"(?<!`){ticks[0]}(?!`)").search(paragraph, ticks.end())
    if close is None:
        return ticks.end()
    written[ticks.start() : close.end()] = "X" * (close.end() - ticks.start())
    return close.end()


def _cover_link(written: list[str], start: int, bracket: int, end: int) -> None:
    """Write a link's text without stops except its last, and what follows it as closing brackets, as all of a note."""
    text = "".join(written[start:bracket])
    written[bracket:end] = ")" * (end - bracket)
    if _NOTE_TEXT.fullmatch(text):
        written[start - 1 : bracket] = ")" * (bracket - start + 1)
        return
    last = _ENDS_TEXT.search(text)
    inner = text[: last.start()] if last else text
    written[start : start + len(inner)] = _WOULD_END.sub("·", inner)
