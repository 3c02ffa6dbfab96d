"""True BM25 over the lexemes of the full text: which children contain the words of a question, and how well.

Not every child that contains a lexeme is scored. Common lexemes score little and occur nearly everywhere: once the best
children lead by more than all remaining lexemes can add, no other child can be among the best (the "MaxScore" of search
engines), so only the possible ones are scored in full. Sums are made in the order of the lexemes, in 64 bits.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webrag_desktop.retrieval.posting_arrays import (
    ORDINAL,
    POSTING,
    Mask,
    Ordered,
    Ordinals,
    Postings,
    each_once,
    marked,
    ordered,
    positions,
)
from webrag_desktop.storage.searching.candidates import ScoredWords, WordScore
from webrag_desktop.storage.searching.postings import LanguageWords, Lexicon
from webrag_desktop.storage.searching.words import SimilarWord

# BM25: how soon repetitions of a word stop counting, and how much long passages are penalised. Measured on three sets;
# passages are of similar length, so that the second hardly matters (docs/decisions/0015-bm25.md).
K1 = 0.9
B = 0.4

# The weight of a word that is only similar to one of the question that no text contains.
SIMILAR_WEIGHT = 0.5

# Looking at so many postings costs as much as checking whether the best lead by enough, and as searching for a child.
_WORTH_CHECKING, _MANY = 4_000, 16

# Sums in another order differ by less than this part of them.
_ROUNDING = 1e-9

Scores = npt.NDArray[np.float64]


class WordScores(NamedTuple):
    """The word scores of several children, by position; see ``CandidateRow`` for their meaning."""

    text_rank: Scores
    all_words: Mask
    identifier: Mask
    word_share: Scores
    word_count: Scores


@dataclass(frozen=True, slots=True)
class _Lexeme:
    """A lexeme of the question: its weight and the children that contain it, by rising ordinal."""

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
        similar: Sequence[SimilarWord],
        held: Mapping[tuple[str, str], Ordered],
        identifiers: frozenset[str],
        size: int,
        *,
        operates: bool = False,
    ) -> None:
        self._words = words
        self._apart = not (operates and words.holding_all is not None)
        self._size = size
        self._mean = words.length / words.children if words.length else 1.0
        similar = [one for one in similar if one.language == words.language]
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
                [held[words.language, term] for term in terms if (words.language, term) in held],
                gone,
            )
            for terms, share in weighted
        ]
        self._worth = sum(one.weight for one in self._lexemes if one.term in words.terms)
        self._weights = np.array([one.weight for one in self._lexemes], np.float64)
        self._as_read = np.array([one.term in as_read for one in self._lexemes], np.float64)
        self._identified = marked((), size)
        for one in self._lexemes:
            if one.term in identifiers:
                self._identified[one.ordinals] = True
        self._all_words = marked((), size)
        for wanted in {required, as_read}:
            self._all_words |= self._holding(wanted)
        # These rank first: they contain all words, as written or read, or an identifier.
        self.first = self._all_words | self._identified

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
        holding = held[0]
        for ordinals in held[1:]:
            if len(ordinals) > _MANY * len(holding):
                holding = holding[positions(ordinals, holding)[0]]
            else:
                holding = ordinals[marked(holding, self._size)[ordinals]]
        return marked(holding, self._size)

    def leading(self, limit: int, wanted: Mask | None) -> Ordinals:
        """All that may be among the ``limit`` best of the ``wanted`` ones (None: of all), and some more."""
        partial, reached = np.zeros(self._size), np.zeros(0, np.int64)
        left, done, settled = sum(one.weight for one in self._lexemes), 0.0, False
        for one in sorted(self._lexemes, key=lambda one: -one.weight):
            if left < done and len(one.ordinals) >= _WORTH_CHECKING:
                ahead, least = _ahead(partial, reached, limit, wanted)
                settled = settled or left < least
                if settled:  # nobody else can be among the best
                    reached = ahead[partial[ahead] + left >= least]
            if not settled:
                reached = np.concatenate((reached, one.ordinals[partial[one.ordinals] == 0]))
            self._add(partial, one, reached if settled else one.ordinals)
            left, done = left - one.weight, done + one.weight
        ahead, least = _ahead(partial, reached, limit, wanted)
        listed = self.first.copy() if wanted is None else self.first & wanted
        listed[ahead[partial[ahead] >= least]] = True
        return np.flatnonzero(listed)

    def _add(self, partial: Scores, one: _Lexeme, ordinals: Ordinals) -> None:
        """Add what a lexeme scores to the sums of these children, and where that is less work, to all."""
        if len(one.ordinals) <= _MANY * len(ordinals):
            partial[one.ordinals] += one.scores(self._mean)
            return
        at, held = positions(one.ordinals, ordinals)
        partial[ordinals[at]] += one.scores(self._mean, held)

    def ranks(self, ordinals: Ordinals) -> Scores:
        """The scores of these children, each named once; 0 where they are of another language."""
        at, _lexemes, scores = self._held(ordinals)
        return _summed(at, scores, len(ordinals))

    def of(self, ordinals: Ordinals) -> WordScores:
        """The word scores of these children, each given once, where they are of this language."""
        at, lexemes, scores = self._held(ordinals)
        count = len(ordinals)
        worth = _summed(at, self._weights[lexemes], count)
        held_as_read = _summed(at, self._as_read[lexemes], count)
        shares, parts = np.zeros(count), np.zeros(count)
        if self._worth and self._apart:
            shares = np.where(held_as_read > 1, worth / self._worth, 0.0)
            parts = np.where(held_as_read > 1, held_as_read / max(1, len(self._read)), 0.0)
        within = np.minimum(ordinals, self._size - 1)
        known = ordinals < self._size
        all_words, identified = known & self._all_words[within], known & self._identified[within]
        return WordScores(_summed(at, scores, count), all_words, identified, shares, parts)

    def _held(self, ordinals: Ordinals) -> tuple[Ordinals, Ordinals, Scores]:
        """Who of these children, by position, holds which lexeme, by its number, and what that scores; in its order."""
        found = list(self._postings_of(ordinals))
        counts = [len(at) for at, _postings in found]
        at = np.concatenate((np.zeros(0, np.int64), *(at for at, _postings in found)))
        postings = np.concatenate((np.zeros(0, POSTING), *(postings for _at, postings in found)))
        lexemes = np.repeat(np.arange(len(found)), counts)
        return at, lexemes, self._weights[lexemes] * _saturated(postings, self._mean)

    def _postings_of(self, ordinals: Ordinals) -> Iterator[tuple[npt.NDArray[np.integer], Postings]]:
        """For every lexeme the positions of these children that contain it, and the postings that are theirs."""
        places, few = None, _MANY * len(ordinals)
        for one in self._lexemes:
            if few < max(self._size, len(one.ordinals)):
                at, held = positions(one.ordinals, ordinals)
                yield at, one.postings[held]
                continue
            places = self._places(ordinals) if places is None else places
            held = np.flatnonzero(places[one.ordinals] >= 0)
            yield places[one.ordinals[held]], one.postings[held]

    def _places(self, ordinals: Ordinals) -> npt.NDArray[np.int32]:
        places = np.full(self._size, -1, np.int32)
        known = ordinals < self._size
        places[ordinals[known]] = np.flatnonzero(known)
        return places


def weight_of(children: int, holding: int) -> float:
    """The idf of a lexeme that ``holding`` of the ``children`` contain."""
    return float(np.log1p((children - holding + 0.5) / (holding + 0.5)))


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
    several: Sequence[Ordered],
    gone: Mask | None,
) -> _Lexeme:
    """A lexeme, or all readings of an unknown word as one, so that a rare reading has no more weight than others."""
    found, ordinals = several[0] if len(several) == 1 else each_once([one.postings for one in several])
    if gone is not None:
        there = ~gone[ordinals]
        found, ordinals = found[there], ordinals[there]
    return _Lexeme(terms[0], share * weight_of(words.children, len(ordinals)), found, ordinals)


def _saturated(found: Postings, mean: float) -> Scores:
    """The saturated term frequency of a lexeme in each child, below 1."""
    times = found["repeats"].astype(np.float64) + 1
    return times / (times + K1 * (1 - B + B * found["length"].astype(np.float64) / mean))


def _summed(at: Ordinals, values: Scores, count: int) -> Scores:
    """The sums of the values for each position below ``count``, added in their order."""
    return np.asarray(np.bincount(at, values, count), np.float64)  # of nothing it makes whole numbers


def _ahead(partial: Scores, reached: Ordinals, limit: int, wanted: Mask | None) -> tuple[Ordinals, float]:
    """The wanted of those ``reached``, and the score at the limit, or a little less; 0 where there are fewer."""
    found = reached if wanted is None else reached[wanted[reached]]
    return found, greatest(partial[found], limit) * (1 - _ROUNDING) if len(found) >= limit else 0.0


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

    def of(self, ordinal: int) -> float:
        """The score of a child; 0 where it holds none of the words."""
        return float(self.of_all(np.array([ordinal]))[0])

    def of_all(self, ordinals: Ordinals) -> Scores:
        """The scores of these children, each named once."""
        return _ranks(self._languages, ordinals)

    def of_children(self, ordinals: Sequence[int]) -> Iterator[WordScore]:
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
    postings = ordered(lexicon)
    size = 1 + max((int(one.ordinals[-1]) for one in postings.values() if len(one.ordinals)), default=0)
    wanted = _wanted(lexicon, size)
    languages = [
        LanguageScores(words, lexicon.similar, postings, frozenset(identifiers), size, operates=operates)
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
