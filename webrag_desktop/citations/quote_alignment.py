"""What of a text is nearly a quotation: word beside word, with what either says otherwise."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from webrag_desktop.citations.differences import Budget, Run, common_runs
from webrag_desktop.citations.quote_readings import QuoteReading
from webrag_desktop.citations.reading import Near, ReadText
from webrag_desktop.models.quotes import QuoteDifference
from webrag_desktop.text.canonical.canonical_form import (
    BROKEN_ANYWHERE,
    IDEOGRAPHIC,
    NOTHING,
    CanonicalForm,
    same_joins,
)
from webrag_desktop.text.canonical.lookalikes import Trace
from webrag_desktop.text.graphemes import between_characters
from webrag_desktop.text.spans import Span

LEAST_SIMILARITY = 0.5
_MOST_RUNS = 100  # whose ends are tried as ends of the span
_LONGEST_CHARACTER = 64  # code points that a place is moved by to be between characters
_FURTHER = 300  # characters beyond a span in which words before its first and behind its last are sought
_CHARACTERS = f"{IDEOGRAPHIC}{BROKEN_ANYWHERE}"
_MARKS = (
    "\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb3-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3\u3099\u309a\ufe00-\ufe0d"
    "\U000e0100-\U000e01ef"
)
_TOKEN = re.compile(rf"[{_CHARACTERS}][{_MARKS}]*|[^\s{_CHARACTERS}]+")
_OUTER = re.compile(r"^\W+|\W+$")
_OUTER_END = re.compile(r"\W+$")
_SENTENCE_END = re.compile(r"[.!?…。！？]\W*$")


@dataclass(frozen=True, slots=True)
class _Token:
    """A word with the marks around it, or a character where words have no ends; ``key`` is what it is aligned by."""

    start: int
    end: int
    form: str
    joins: str
    key: str


@dataclass(frozen=True, slots=True)
class _Stored:
    """A text, and the canonical form of it that is compared."""

    text: ReadText
    canonical: CanonicalForm

    def in_markdown(self, start: int, end: int) -> tuple[int, int]:
        """Where ``[start, end)`` of the canonical form is, with all of the characters at its ends."""
        plain = self.text.plain
        first, last = self.canonical.source_around(start, end)
        last = max(last, min(first + 1, len(plain)))
        first = min(first, last - 1)  # signs that only show how the next character is set
        floor, ceiling = first - _LONGEST_CHARACTER, last + _LONGEST_CHARACTER
        while first > floor and not between_characters(plain, first):
            first -= 1
        while last < ceiling and not between_characters(plain, last):
            last += 1
        return self.text.to_markdown(first, last)


@dataclass(frozen=True, slots=True)
class Nearly:
    """``[start, end)`` of the markdown, how many of the words it has in common, and what it says otherwise."""

    start: int
    end: int
    similarity: float
    differences: tuple[QuoteDifference, ...]


def nearly_the_same(reading: QuoteReading, text: ReadText) -> list[Nearly]:
    """The spans that share most words with the quotation, in order of the text; empty where none shares enough.

    The similarity is the share of words in common: of the words of the quotation or of the span, whichever has
    more, those that are in both in the same order; a word in other letter case or with other marks counts half.
    """
    tokens = _tokens(reading.canonical, reading.start, reading.start + len(reading.words))
    # As it is faithfully: what leaves marks of notes out is compared without them.
    canonical = text.canonical if reading.has_notes else text.without_notes
    index = text.word_index if reading.has_notes else text.word_index_without_notes
    stored = _Stored(text, canonical)
    found = [_aligned(reading, tokens, stored, span) for span in index.spans(reading.words)]
    good = [one for one in found if one is not None and one.similarity >= LEAST_SIMILARITY]
    best = max((one.similarity for one in good), default=0.0)
    return sorted((one for one in good if one.similarity == best), key=lambda one: one.start)


def count_words(reading: QuoteReading) -> int:
    """How many words the similarity of the quotation is found by."""
    return len(_tokens(reading.canonical, reading.start, reading.start + len(reading.words)))


def _tokens(canonical: CanonicalForm, start: int, end: int) -> list[_Token]:
    tokens = []
    for found in _TOKEN.finditer(canonical.text, start, end):
        first, last = found.span()
        key = _OUTER.sub("", found[0]).casefold() or found[0]
        tokens.append(_Token(first, last, found[0], canonical.joins[first:last], key))
    return tokens


def _aligned(reading: QuoteReading, tokens: Sequence[_Token], text: _Stored, span: Near) -> Nearly | None:
    """The words of the quotation beside those of a span and, where its ends differ, those next to them."""
    canonical = text.canonical
    there = _tokens(canonical, *_widened(canonical.text, span.start, span.end))
    runs = _best_runs(_runs(tokens, there), len(tokens))
    if not runs:
        return None
    runs = _closer(runs, tokens, there)
    window = there[runs[0][1] : runs[-1][1] + runs[-1][2]]
    before = _words_before(canonical, window[0].start, runs[0][0])
    behind = _words_behind(canonical, window[-1], len(tokens) - runs[-1][0] - runs[-1][2])
    window = _without_marks_around([*before, *window, *behind], tokens)
    return _compared(reading, tokens, text, window)


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """The span with all of the words at its ends, and some around it."""
    before = text.rfind(" ", 0, start)
    behind = text.find(" ", end)
    return max(before + 1, start - _FURTHER), min(behind if behind >= 0 else len(text), end + _FURTHER)


def _runs(tokens: Sequence[_Token], there: Sequence[_Token]) -> list[Run]:
    keys, keys_there = [token.key for token in tokens], [token.key for token in there]
    return common_runs(keys, keys_there, Budget.for_length(len(keys) + len(keys_there)))


def _best_runs(runs: list[Run], length: int) -> list[Run]:
    """The runs without those at the ends that only make the span longer."""
    if len(runs) > _MOST_RUNS:
        return runs
    best, score = runs, 0.0
    for first in range(len(runs)):
        common = 0
        for last in range(first, len(runs)):
            common += runs[last][2]
            extent = runs[last][1] + runs[last][2] - runs[first][1]
            if common / max(length, extent) > score:
                best, score = runs[first : last + 1], common / max(length, extent)
    return best


def _closer(runs: list[Run], tokens: Sequence[_Token], there: Sequence[_Token]) -> list[Run]:
    """The runs, the first and the last of them where the same words are nearest to the others."""
    if len(runs) < 2:
        return runs
    keys, keys_there = [token.key for token in tokens], [token.key for token in there]
    first = _nearest_to_next(runs[0], runs[1], keys, keys_there)
    # Read backwards, the last is the first.
    before, last = (_backwards(run, len(keys), len(keys_there)) for run in [*[first, *runs[1:]][-2:]])
    last = _nearest_to_next(last, before, keys[::-1], keys_there[::-1])
    return [first, *runs[1:-1], _backwards(last, len(keys), len(keys_there))]


def _nearest_to_next(run: Run, following: Run, keys: Sequence[str], keys_there: Sequence[str]) -> Run:
    i, j, length = run
    words, place = keys[i : i + length], following[1] - length
    while place > j and not (keys_there[place] == words[0] and keys_there[place : place + length] == words):
        place -= 1
    return i, place, length


def _backwards(run: Run, length: int, length_there: int) -> Run:
    return length - run[0] - run[2], length_there - run[1] - run[2], run[2]


def _words_before(canonical: CanonicalForm, start: int, count: int) -> list[_Token]:
    """Up to ``count`` words in front of a place, of the same sentence: what the quotation begins with instead."""
    if not count:
        return []
    found: list[_Token] = []
    nearby = _tokens(canonical, canonical.text.find(" ", max(0, start - _FURTHER), start) + 1, start)
    for token in reversed(nearby[-count:]):
        if _SENTENCE_END.search(token.form):
            break
        found.insert(0, token)
    return found


def _words_behind(canonical: CanonicalForm, last: _Token, count: int) -> list[_Token]:
    if not count or _SENTENCE_END.search(last.form):
        return []
    found: list[_Token] = []
    for token in _tokens(canonical, last.end, min(len(canonical.text), last.end + _FURTHER))[:count]:
        found.append(token)
        if _SENTENCE_END.search(token.form):
            break
    return found


def _without_marks_around(window: Sequence[_Token], tokens: Sequence[_Token]) -> list[_Token]:
    """The words without marks in front of the first and behind the last that the quotation does not have there."""
    first, head, tail = window[0], tokens[0], tokens[-1]
    kept = len(first.form) - len(head.form)
    if kept > 0 and first.key == head.key and first.form[kept:].casefold() == head.form.casefold():
        first = _cut(first, kept, len(first.form))
    window = [first, *window[1:]]
    last = window[-1]
    if last.key == tail.key and last.form[: len(tail.form)].casefold() == tail.form.casefold():
        last = _cut(last, 0, len(tail.form))
    elif last.key != tail.key and _OUTER_END.search(last.form) and not _OUTER_END.search(tail.form):
        last = _cut(last, 0, len(_OUTER_END.sub("", last.form)) or len(last.form))
    return [*window[:-1], last]


def _cut(token: _Token, start: int, end: int) -> _Token:
    end = min(end, len(token.form))  # a letter may be two in the other case, as "ß" and "SS"
    return _Token(
        token.start + start, token.start + end, token.form[start:end], token.joins[start:end], token.key
    )


def _compared(
    reading: QuoteReading, tokens: Sequence[_Token], text: _Stored, window: Sequence[_Token]
) -> Nearly | None:
    """The words beside each other; None where they say the same."""
    common, spans = _differing(tokens, window)
    if not spans:
        return None
    differences = [_difference(reading, tokens, text, window, *span) for span in spans]
    span = text.in_markdown(window[0].start, window[-1].end)
    return Nearly(*span, common / max(len(tokens), len(window)), tuple(differences))


def _differing(
    tokens: Sequence[_Token], window: Sequence[_Token]
) -> tuple[float, list[tuple[int, int, int, int]]]:
    """How many words are in common, and where each difference begins and ends: in the one and in the other."""
    common, place = 0.0, (0, 0)
    spans: list[tuple[int, int, int, int]] = []
    pairs = [(i + step, j + step) for i, j, length in _runs(tokens, window) for step in range(length)]
    for i, j in pairs:
        same = _are_same(tokens[i], window[j], first=i == 0)
        common += 1.0 if same else 0.5
        _add(spans, *place, i, j)
        place = (i + 1, j + 1)
        if not same:
            _add(spans, i, j, *place)
    _add(spans, *place, len(tokens), len(window))
    return common, spans


def _are_same(one: _Token, other: _Token, *, first: bool) -> bool:
    """Whether two words of one key read the same; what was taken out in front of the first counts for nothing."""
    joins, joins_there = (NOTHING + token.joins[1:] if first else token.joins for token in (one, other))
    return one.form == other.form and same_joins(joins).fullmatch(joins_there) is not None


def _add(spans: list[tuple[int, int, int, int]], i: int, j: int, i_end: int, j_end: int) -> None:
    """Note a difference; what follows the one before is one with it."""
    if (i, j) == (i_end, j_end):
        return
    if spans and spans[-1][2:] == (i, j):
        i, j = spans.pop()[:2]
    spans.append((i, j, i_end, j_end))


def _difference(
    reading: QuoteReading, tokens: Sequence[_Token], text: _Stored, window: Sequence[_Token],
    i: int, j: int, i_end: int, j_end: int,
) -> QuoteDifference:  # fmt: skip
    quote_start, quote_end = _place(tokens, i, i_end, reading.in_quote)
    char_start, char_end = _place(window, j, j_end, text.in_markdown)
    return QuoteDifference(
        quote_start=quote_start,
        quote_end=quote_end,
        char_start=char_start,
        char_end=char_end,
        quoted=_read(tokens[i:i_end], reading.canonical),
        stored=_read(window[j:j_end], text.canonical),
    )


def _place(tokens: Sequence[_Token], first: int, after: int, places: Trace) -> Span:
    """Where some words of a canonical form are by ``places``; of none, the place behind the word before."""
    if first < after:
        return places(tokens[first].start, tokens[after - 1].end)
    beside = tokens[max(0, first - 1)]
    place = places(beside.start, beside.end)[1 if first else 0]
    return place, place


def _read(tokens: Sequence[_Token], canonical: CanonicalForm) -> str:
    """Some words as they are written, ignoring spacing."""
    return " ".join(canonical.written(tokens[0].start, tokens[-1].end).split()) if tokens else ""
