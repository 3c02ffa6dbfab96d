"""True BM25 over the lexemes of the full text: which children contain the words of a question, and how well.

Not every child that contains a lexeme is scored. Common lexemes score little and occur nearly everywhere: once the best
children lead by more than all remaining lexemes can add, no other child can be among the best (the "MaxScore" of search
engines), so only the possible ones are scored in full. Sums are made in the order of the lexemes, in 64 bits.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webrag_desktop.storage.searching.candidates import CandidateRow, ScoredWords
from webrag_desktop.storage.searching.postings import LanguageWords, Lexicon
from webrag_desktop.storage.searching.words import SimilarWord

# BM25: how soon repetitions of a word stop counting, and how much long passages are penalised. Measured on three sets;
# passages are of similar length, so that the second hardly matters (docs/decisions/0015-bm25.md).
K1 = 0.9
B = 0.4

# The weight of a word that is only similar to one of the question that no text contains.
SIMILAR_WEIGHT = 0.5

# A posting as the table of them lays it out; "repeats" is how often the lexeme occurs there, less one.
_POSTING = np.dtype([("ordinal", ">i4"), ("length", ">u2"), ("repeats", "u1")])

# Checking whether the best lead by enough costs as much as adding up this many postings.
_WORTH_CHECKING = 4_000

# Sums in another order differ by less than this part of them.
_ROUNDING = 1e-9

Postings = npt.NDArray[np.void]
Ordinals = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class WordScores(NamedTuple):
    """The word scores of several children, by position; see ``CandidateRow`` for their meaning."""

    text_rank: Scores
    all_words: Mask
    identifier: Mask
    word_share: Scores
    word_count: Scores


@dataclass(frozen=True, slots=True)
class _Lexeme:
    """A lexeme of the question: its weight and the children that contain it."""

    term: str
    weight: float
    postings: Postings
    ordinals: Ordinals

    def scores(self, mean: float, held: Ordinals | None = None) -> Scores:
        """What it adds to the scores of its children, or of those at the positions ``held``."""
        return self.weight * _saturated(self.postings if held is None else self.postings[held], mean)


class LanguageScores:
    """Scores of the children of one language; ``size`` is one more than the greatest ordinal.

    Where the question ``operates`` on its words (by a phrase or an "or"), words apart are no share of it.
    """

    def __init__(
        self,
        words: LanguageWords,
        lexicon: Lexicon,
        identifiers: frozenset[str],
        size: int,
        *,
        operates: bool = False,
    ) -> None:
        self._words = words
        self._apart = not (operates and words.holding_all is not None)
        self._size = size
        self._mean = words.length / words.children if words.length else 1.0
        similar = [one for one in lexicon.similar if one.language == words.language]
        required = frozenset(words.required)
        readings = _readings(similar)
        as_read = required.difference(*(one.unknown for one in similar)).union(one[0] for one in readings)
        self._read = as_read
        gone = marked(words.removed, size) if words.removed else None
        more = dict.fromkeys(left for one in readings if (left := _new_readings(one, words.terms)))
        weighted = [*(((term,), 1.0) for term in words.terms), *((terms, SIMILAR_WEIGHT) for terms in more)]
        self._lexemes = [
            _lexeme(
                terms,
                share,
                words,
                [lexicon.postings.get((words.language, term), ()) for term in terms],
                gone,
            )
            for terms, share in weighted
        ]
        self._worth = sum(one.weight for one in self._lexemes if one.term in words.terms)
        self._identified = marked((), size)
        for one in self._lexemes:
            if one.term in identifiers:
                self._identified[one.ordinals] = True
        self._all_words = marked((), size)
        for wanted in {required, as_read}:
            self._all_words |= self._holding(wanted)

    def _holding(self, required: frozenset[str]) -> Mask:
        """The children that contain all of these lexemes, or that match the operators of the question."""
        if self._words.holding_all is not None:
            return marked(self._words.holding_all, self._size)
        held = sorted(
            (one.ordinals for one in self._lexemes if one.term in required),
            key=len,
        )
        if not required or len(held) < len(required):
            return marked((), self._size)
        holding = marked(held[0], self._size)
        for ordinals in held[1:]:
            holding = marked(ordinals[holding[ordinals]], self._size)
        return holding

    @property
    def first(self) -> Mask:
        """Those that rank first: they contain all words, as written or read, or an identifier."""
        return self._all_words | self._identified

    def leading(self, limit: int, wanted: Mask | None) -> Ordinals:
        """All that may be among the ``limit`` best of the ``wanted`` ones (None: of all), and some more."""
        partial = np.zeros(self._size)
        left, done = sum(one.weight for one in self._lexemes), 0.0
        for one in sorted(self._lexemes, key=lambda one: -one.weight):
            if left < done and len(one.ordinals) >= _WORTH_CHECKING:
                ahead, least = _ahead(partial, limit, wanted)
                if left < least:
                    break
            partial[one.ordinals] += one.scores(self._mean)
            left, done = left - one.weight, done + one.weight
        else:
            left = 0.0
            ahead, least = _ahead(partial, limit, wanted)
        listed = self.first if wanted is None else self.first & wanted
        listed[ahead[partial[ahead] + left >= least]] = True
        return np.flatnonzero(listed)

    def ranks(self, ordinals: Ordinals) -> Scores:
        """The scores of these children, each named once; 0 where they are of another language."""
        ranks = np.zeros(len(ordinals))
        for one, at, held in self._held(ordinals):
            ranks[at] += one.scores(self._mean, held)
        return ranks

    def of(self, ordinals: Ordinals) -> WordScores:
        """The word scores of these children, each given once, where they are of this language."""
        count = len(ordinals)
        ranks, worth, held_as_read = np.zeros(count), np.zeros(count), np.zeros(count)
        for one, at, held in self._held(ordinals):
            ranks[at] += one.scores(self._mean, held)
            worth[at] += one.weight
            held_as_read[at] += one.term in self._read
        shares, parts = np.zeros(count), np.zeros(count)
        if self._worth and self._apart:
            shares = np.where(held_as_read > 1, worth / self._worth, 0.0)
            parts = np.where(held_as_read > 1, held_as_read / max(1, len(self._read)), 0.0)
        within = np.minimum(ordinals, self._size - 1)
        known = ordinals < self._size
        all_words, identified = known & self._all_words[within], known & self._identified[within]
        return WordScores(ranks, all_words, identified, shares, parts)

    def _held(self, ordinals: Ordinals) -> Iterator[tuple[_Lexeme, npt.NDArray[np.int32], Ordinals]]:
        """Every lexeme with the positions of these children that contain it, and which of its postings are theirs."""
        places = np.full(self._size, -1, np.int32)
        known = ordinals < self._size
        places[ordinals[known]] = np.flatnonzero(known)
        for one in self._lexemes:
            at = places[one.ordinals]
            held = np.flatnonzero(at >= 0)
            yield one, at[held], held


def postings_of(segments: Iterable[bytes]) -> Postings:
    """Segments of postings as one array."""
    return np.frombuffer(b"".join(segments), _POSTING)


def weight_of(children: int, holding: int) -> float:
    """The idf of a lexeme that ``holding`` of the ``children`` contain."""
    return float(np.log1p((children - holding + 0.5) / (holding + 0.5)))


def marked(ordinals: Sequence[int] | npt.NDArray[np.integer], size: int) -> Mask:
    """A mask of that size; ordinals beyond it are left out."""
    mask = np.zeros(size, np.bool_)
    known = np.asarray(ordinals, np.int64)
    mask[known[known < size]] = True
    return mask


def greatest(scores: Scores, place: int) -> float:
    """The score at a rank, 1 for the greatest."""
    return float(np.partition(scores, len(scores) - place)[len(scores) - place])


def _readings(similar: Sequence[SimilarWord]) -> list[tuple[str, ...]]:
    """The lexemes that each unknown word may be read as, the likeliest first."""
    by_word: dict[str, dict[str, None]] = {}
    for one in similar:
        by_word.setdefault(one.word, {})[one.term] = None
    return [tuple(terms) for terms in by_word.values()]


def _new_readings(readings: tuple[str, ...], requested: Sequence[str]) -> tuple[str, ...]:
    """No readings where the likeliest is a word of the question anyway, else those that are not."""
    return () if readings[0] in requested else tuple(term for term in readings if term not in requested)


def _lexeme(
    terms: tuple[str, ...],
    share: float,
    words: LanguageWords,
    segments: Sequence[Iterable[bytes]],
    gone: Mask | None,
) -> _Lexeme:
    """A lexeme, or all readings of an unknown word as one, so that a rare reading has no more weight than others."""
    found = postings_of(chain.from_iterable(segments))
    if len(terms) > 1:
        found = found[np.lexsort((-found["repeats"].astype(np.int64), found["ordinal"]))]
        found = found[np.unique(found["ordinal"], return_index=True)[1]]
    ordinals = found["ordinal"].astype(np.int64)
    if gone is not None:
        there = ~gone[ordinals]
        found, ordinals = found[there], ordinals[there]
    return _Lexeme(terms[0], share * weight_of(words.children, len(ordinals)), found, ordinals)


def _saturated(found: Postings, mean: float) -> Scores:
    """The saturated term frequency of a lexeme in each child, below 1."""
    times = found["repeats"].astype(np.float64) + 1
    return times / (times + K1 * (1 - B + B * found["length"].astype(np.float64) / mean))


def _ahead(partial: Scores, limit: int, wanted: Mask | None) -> tuple[Ordinals, float]:
    """The children with a score so far, and the score at the limit, or a little less; 0 where there are fewer."""
    found = np.flatnonzero((partial > 0) if wanted is None else (partial > 0) & wanted)
    return found, greatest(partial[found], limit) * (1 - _ROUNDING) if len(found) >= limit else 0.0


ORDINAL = np.dtype(">i4")


class LexicalScores:
    """What a question's words score; ``best`` are the children that they propose.

    ``phrased`` are the children that may hold a quoted phrase, best first.
    """

    def __init__(
        self, languages: Sequence[LanguageScores], best: ScoredWords, phrased: Sequence[int] = ()
    ) -> None:
        self.best = best
        self.phrased = phrased
        self._languages = languages

    def worded(self, rows: Sequence[CandidateRow]) -> list[CandidateRow]:
        """These children with the scores of their words."""
        scores = self._of_children([row.ordinal for row in rows])
        return [row.worded(*of_one) for row, of_one in zip(rows, scores, strict=True)]

    def of(self, ordinal: int) -> float:
        """The score of a child; 0 where it holds none of the words."""
        return float(self.of_all(np.array([ordinal]))[0])

    def of_all(self, ordinals: Ordinals) -> Scores:
        """The scores of these children, each named once."""
        return _ranks(self._languages, ordinals)

    def _of_children(self, ordinals: Sequence[int]) -> Iterator[tuple[float, bool, bool, float, float]]:
        """Score, whether all words and whether an identifier is held, and the shares; a child has one language."""
        requested = np.asarray(ordinals, np.int64)
        ranks, shares, parts = (np.zeros(len(requested)) for _ in range(3))
        all_words, identifier = np.zeros(len(requested), np.bool_), np.zeros(len(requested), np.bool_)
        for language in self._languages:
            found = language.of(requested)
            ranks += found.text_rank
            shares += found.word_share
            parts += found.word_count
            all_words |= found.all_words
            identifier |= found.identifier
        columns = (ranks, all_words, identifier, shares, parts)
        return zip(*(column.tolist() for column in columns), strict=True)


def score(
    lexicon: Lexicon,
    identifiers: Sequence[str],
    limit: int,
    *,
    exact: bool = False,
    operates: bool = False,
) -> LexicalScores:
    """Score the children; the best are those that hold all words or an ``identifier``, then those with the best scores.

    At least ``limit`` of them, if there are that many, and all with the score of the last. With ``exact`` none
    but those that come first. A question that ``operates`` on its words asks for more than words apart.
    """
    size = _size(lexicon)
    wanted = _wanted(lexicon, size)
    languages = [
        LanguageScores(words, lexicon, frozenset(identifiers), size, operates=operates)
        for words in lexicon.languages
    ]
    first = marked((), size)
    held = [np.zeros(0, np.int64)]
    for language in languages:
        first |= language.first
        held.append(language.leading(limit, wanted))
    proposed = _proposed(languages, np.concatenate(held), first, exact=exact)
    phrased = _phrased(lexicon, languages, wanted)
    return LexicalScores(languages, _best(*proposed, limit), phrased)


def _phrased(lexicon: Lexicon, languages: Sequence[LanguageScores], wanted: Mask | None) -> list[int]:
    """The children that may hold a phrase, and hold nothing excluded, by falling score."""
    if not lexicon.phrased:
        return []
    found = np.array(lexicon.phrased, np.int64)
    if wanted is not None:  # nothing excluded; what is beyond the mask holds no word of the question
        found = found[np.append(wanted, True)[np.minimum(found, len(wanted))]]
    best_first: list[int] = found[np.lexsort((found, -_ranks(languages, found)))].tolist()
    return best_first


def _proposed(
    languages: Sequence[LanguageScores], held: Ordinals, first: Mask, *, exact: bool
) -> tuple[Ordinals, Scores, Mask]:
    """Children with their scores, and which of them come first; each child is of one language."""
    requested = held[first[held]] if exact else held
    scores = _ranks(languages, requested)
    worth = scores > 0
    return requested[worth], scores[worth], first[requested][worth]


def _ranks(languages: Sequence[LanguageScores], ordinals: Ordinals) -> Scores:
    ranks = np.zeros(len(ordinals))
    for language in languages:
        ranks += language.ranks(ordinals)
    return ranks


def _size(lexicon: Lexicon) -> int:
    """One more than the greatest ordinal, and never 0."""
    found = postings_of(chain.from_iterable(lexicon.postings.values()))
    return 1 + int(found["ordinal"].max(initial=0))


def _wanted(lexicon: Lexicon, size: int) -> Mask | None:
    """The children in the scope that hold nothing excluded; None for all."""
    excluded = [words.excluded for words in lexicon.languages if words.excluded]
    if lexicon.allowed is None and not excluded:
        return None
    wanted = np.ones(size, np.bool_)
    if lexicon.allowed is not None:
        wanted = marked(np.frombuffer(lexicon.allowed, ORDINAL), size)
    for ordinals in excluded:
        wanted &= ~marked(ordinals, size)
    return wanted


def _best(found: Ordinals, scores: Scores, first: Mask, limit: int) -> ScoredWords:
    """The best of the found, with equal places for those that are equally good."""
    if len(found) > limit:  # before sorting, since a common word finds nearly all
        kept = _not_behind(scores, first, limit)
        found, scores, first = found[kept], scores[kept], first[kept]
    order = np.lexsort((found, -scores, ~first))
    changes = (np.diff(scores[order]) != 0) | (np.diff(first[order].astype(np.int8)) != 0)
    places = np.concatenate(([0], np.cumsum(changes))) if len(order) else np.zeros(0, np.int64)
    return ScoredWords(found[order].tolist(), places.tolist())


def _not_behind(scores: Scores, first: Mask, limit: int) -> Mask:
    """Those that are as good as the one at the limit, or better."""
    room = limit - int(np.count_nonzero(first))
    if room <= 0:
        return first & (scores >= greatest(scores[first], limit))
    return first | (scores >= greatest(scores[~first], room))
