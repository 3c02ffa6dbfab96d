"""Which pieces fit a budget of tokens: the weakest are dropped first; the best are shortened, never dropped."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.context.rendering import GAP, SEPARATOR, block, pack_text
from webrag_desktop.retrieval.context.surroundings import Piece
from webrag_desktop.retrieval.contracts.packs import TokenCounter
from webrag_desktop.retrieval.contracts.reading import extents
from webrag_desktop.text.sentences import split_sentences
from webrag_desktop.text.spans import Span, joined


class _Sentence(NamedTuple):
    """A sentence of a piece: what it is worth to a reader, how far it is from what matched, its piece, and its span."""

    worth: float
    distance: int
    place: int
    span: Span

    @property
    def sort_key(self) -> tuple[float, int, int, Span]:
        return -self.worth, self.distance, self.place, self.span


_sort_key = attrgetter("sort_key")

_WORD_THAT_ENDS = re.compile(r"\S+(?=\s)")
_FIRST_WORD = re.compile(r"\s*\S+")
_LONGEST_WORD = 40  # characters; what is longer is cut


def shortened(
    pieces: Sequence[Piece], budget: int, counter: TokenCounter, cancel: CancelToken
) -> list[Piece]:
    """The pieces by their best sentences, as many as the budget holds: the best of each, then the best of all others.

    Where it does not even hold the best of each, these are cut behind their first words. Something of each stays, so
    a budget that hardly holds the markers is exceeded.
    """
    ranked = [_ranked(piece, place) for place, piece in enumerate(pieces)]
    best = [sentences[0] for sentences in ranked]
    others = sorted((one for sentences in ranked for one in sentences[1:]), key=_sort_key)
    room = budget - counter.count(pack_text(_made_of(pieces, best)))
    if room < 0:
        return _by_words(pieces, best, budget, counter, cancel)
    chosen = list(best)
    for sentence in others:
        cancel.raise_if_cancelled()
        room -= counter.count(GAP + pieces[sentence.place].text_at(sentence.span))
        if room < 0:
            break
        chosen.append(sentence)
    while len(chosen) > len(best) and counter.count(pack_text(_made_of(pieces, chosen))) > budget:
        cancel.raise_if_cancelled()
        chosen.pop()
    return _made_of(pieces, chosen)


def best_sentences(pieces: Sequence[Piece]) -> list[Piece]:
    """The best sentence of each piece, and nothing else."""
    return _made_of(pieces, (_ranked(piece, place)[0] for place, piece in enumerate(pieces)))


def fitting(piece: Piece, room: int, counter: TokenCounter) -> Piece | None:
    """A piece cut to ``room`` tokens, its marker included: what matched, then the sentences nearest to it.

    None where that is less than its marker takes.
    """
    marker = counter.count(str(block(piece.with_spans([]), 1)))
    room -= marker
    if room < marker:
        return None
    chosen: list[_Sentence] = []
    for sentence in _ranked(piece, 0):
        room -= counter.count(piece.text_at(sentence.span) + SEPARATOR)
        if room < 0:
            break
        chosen.append(sentence)
    return _made_of([piece], chosen)[0] if chosen else None


def _ranked(piece: Piece, place: int) -> list[_Sentence]:
    """The sentences of a piece as a result is read; of what is worth as much, what is nearest to what matched first.

    Beyond the passage, in a neighbour, all are worth nothing.
    """
    read = sorted(extents(piece.found), key=lambda one: one.char_start)
    starts = [one.char_start for one in read]
    matched = [(span.char_start, span.char_end) for span in piece.found.matched_spans]
    unmatched = [
        part
        for sentence in split_sentences(piece.text)
        for part in _inside(piece, piece.offset + sentence.start, piece.offset + sentence.end)
        if not any(part[0] < end and start < part[1] for start, end in matched)
    ]
    parts = [part for start, end in matched for part in _inside(piece, start, end)] + unmatched
    sentences = []
    for part in parts:
        index = bisect_right(starts, part[0]) - 1
        worth = read[index].worth if index >= 0 and part[0] < read[index].char_end else 0.0
        sentences.append(_Sentence(worth, _distance(part, piece), place, part))
    whole = [_Sentence(0.0, 0, place, span) for span in piece.spans]
    return sorted(sentences, key=_sort_key) or whole


def _distance(part: Span, piece: Piece) -> int:
    """How far it is from what matched, or from the start of the piece where nothing did."""
    spans = piece.found.matched_spans
    away = (max(span.char_start - part[1], part[0] - span.char_end, 0) for span in spans)
    return min(away, default=part[0] - piece.offset)


def _inside(piece: Piece, start: int, end: int) -> Iterable[Span]:
    for first, last in piece.spans:
        if start < last and first < end:
            yield max(start, first), min(end, last)


def _made_of(pieces: Sequence[Piece], sentences: Iterable[_Sentence]) -> list[Piece]:
    """The pieces with nothing but these sentences."""
    spans: list[list[Span]] = [[] for _ in pieces]
    for one in sentences:
        spans[one.place].append(one.span)
    return [
        _cut(piece, joined(own, piece.text, piece.offset)) for piece, own in zip(pieces, spans, strict=True)
    ]


def _cut(piece: Piece, spans: list[Span]) -> Piece:
    return piece.with_spans(spans, cut=tuple(spans) != piece.spans)


def _by_words(
    pieces: Sequence[Piece],
    sentences: list[_Sentence],
    budget: int,
    counter: TokenCounter,
    cancel: CancelToken,
) -> list[Piece]:
    """The leading words of one sentence of each, each given an equal share of what there is room for."""
    texts = [pieces[one.place].text_at(one.span) for one in sentences]
    tokens = [counter.count(text) for text in texts]
    room = budget - counter.count(pack_text(_made_of(pieces, sentences))) + sum(tokens)
    while True:
        cancel.raise_if_cancelled()
        shares = _shares(tokens, room)
        ends = [_leading_words(text, share, counter) for text, share in zip(texts, shares, strict=True)]
        cut = [
            one._replace(span=(one.span[0], one.span[0] + end))
            for one, end in zip(sentences, ends, strict=True)
        ]
        made = _made_of(pieces, cut)
        excess = counter.count(pack_text(made)) - budget
        if excess <= 0 or max(shares) == 1:
            return made
        room = min(room, sum(shares)) - excess


def _shares(wanted: Sequence[int], room: int) -> list[int]:
    """The tokens that each text may have: all of its own, as far as an equal share of the room allows; at least one.

    Remaining tokens are given to the first ones.
    """
    shares = [1] * len(wanted)
    smallest_first = sorted(range(len(wanted)), key=lambda place: (wanted[place], -place))
    for place, left in zip(smallest_first, range(len(wanted), 0, -1), strict=True):
        shares[place] = max(1, min(wanted[place], room // left))
        room -= shares[place]
    return shares


def _leading_words(text: str, tokens: int, counter: TokenCounter) -> int:
    """Where to cut a text to that many tokens: behind a word, behind the first one even if it has more.

    Only within a first word that is longer than words are, as of a script without spaces, it ends behind a character.
    """
    lengths = range(len(text) + 1)
    end = bisect_right(lengths, tokens, key=lambda length: counter.count(text[:length])) - 1
    if end >= len(text):
        return len(text)
    words = [found.end() for found in _WORD_THAT_ENDS.finditer(text[: end + 1])]
    if words:
        return words[-1]
    if (first := _FIRST_WORD.match(text)) and first.end() <= _LONGEST_WORD:
        return first.end()
    while end > 1 and unicodedata.combining(text[end]):
        end -= 1
    return max(1, end)


@dataclass(frozen=True, slots=True)
class Selection:
    """What a budget holds, in the order it is read, and what was dropped, in the order it is kept.

    ``tokens`` counts the pack; ``kept_costs`` and ``dropped_costs`` count each piece as in the pack.
    ``held`` says whether the budget holds the pack, ``least`` how many of the best passages stay whatever they cost.
    """

    kept: list[Piece]
    dropped: list[Piece]
    tokens: int
    kept_costs: list[int]
    dropped_costs: list[int]
    held: bool
    least: int


def within_budget(
    pieces: Sequence[Piece],
    least: int,
    budget: int,
    counter: TokenCounter,
    cancel: CancelToken,
    *,
    keep_fewer: bool = False,
) -> Selection:
    """The pieces, given in the order they are kept in, that fit together; the ``least`` first passages stay anyway.

    With ``keep_fewer`` only as many of these as the budget holds a sentence of each, yet one at least.

    It ends at the first that does not fit, which is cut to what does: a weaker but smaller piece never takes a stronger
    one's place. Where even the passages that stay do not fit, all of these are cut to their best sentences, at last to
    the first words of the best one.
    """
    costs = [_cost(piece, len(pieces), counter, cancel) for piece in pieces]
    essential = min(least, sum(piece.role == "primary" for piece in pieces))
    while keep_fewer and essential > 1 and _count(best_sentences(pieces[:essential]), counter) > budget:
        cancel.raise_if_cancelled()
        essential -= 1
        least = essential
    count = max(essential, _leading(costs, budget))
    kept = list(pieces[:count])
    tokens = _count(kept, counter)
    # The pack as one text may have a few tokens more than its parts.
    while tokens > budget and count > essential:
        cancel.raise_if_cancelled()
        count -= 1
        kept.pop()
        tokens = _count(kept, counter)
    if tokens > budget:
        kept = shortened(kept, budget, counter, cancel)
        tokens = _count(kept, counter)
    elif count < len(pieces) and (part := _part(pieces[count], kept, budget, tokens, counter)):
        kept.append(part)
        tokens = _count(kept, counter)
        count += 1
    kept = _as_read(kept)
    kept_costs = [counter.count(str(block(piece, number))) for number, piece in enumerate(kept, start=1)]
    return Selection(kept, list(pieces[count:]), tokens, kept_costs, costs[count:], tokens <= budget, least)


def _part(
    piece: Piece, kept: Sequence[Piece], budget: int, tokens: int, counter: TokenCounter
) -> Piece | None:
    """The part of a piece that still fits beside those kept, which have ``tokens`` tokens."""
    room = budget - tokens
    while part := fitting(piece, room, counter):
        excess = _count([*kept, part], counter) - budget
        if excess <= 0:
            return part
        room -= excess
    return None


def _count(pieces: Sequence[Piece], counter: TokenCounter) -> int:
    return counter.count(pack_text(_as_read(pieces)))


def _as_read(pieces: Sequence[Piece]) -> list[Piece]:
    return sorted(pieces, key=lambda piece: piece.reading_place)


def _leading(costs: Sequence[int], budget: int) -> int:
    left = budget
    for count, cost in enumerate(costs):
        left -= cost
        if left < 0:
            return count
    return len(costs)


def _cost(piece: Piece, number: int, counter: TokenCounter, cancel: CancelToken) -> int:
    cancel.raise_if_cancelled()
    return counter.count(str(block(piece, number)) + SEPARATOR)
