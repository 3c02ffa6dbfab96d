"""True BM25 over the lexemes of the full text: who holds the words of a question, and how strongly each.

Document frequencies belong to the question's side: of each lexeme in each language, counted in the children that
are there now, wherever their postings lie. The sums go in the order of the lexemes, so equal libraries give equal
scores to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from webrag_desktop.storage.searching.candidates import ScoredWords
from webrag_desktop.storage.searching.postings import LanguageWords, Lexicon
from webrag_desktop.storage.searching.similar_words import SimilarWord

# How soon more of the same word counts no more, and how much long passages are held back. Measured on three question
# sets; passages are of like length, so that the second hardly matters (docs/decisions/0015-bm25.md).
K1 = 0.9
B = 0.4

# What a word counts that only resembles one of the question, which no text holds.
SIMILAR_WEIGHT = 0.5

# A posting as the table of them lays it out; "repeats" is how often the lexeme stands there, less one.
_POSTING = np.dtype([("ordinal", ">i4"), ("length", ">u2"), ("repeats", "u1")])
_ORDINAL = np.dtype(">i4")

Ordinals = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """What a question's words score: ``by_ordinal`` for every child, 0 where it holds none of them.

    ``as_read`` marks those that hold all words, with some read as similar ones; ``shares`` is how much of what the
    words are worth each child holds that holds two of them at least; 0 where the question asks for more than words.
    """

    by_ordinal: Scores
    best: ScoredWords
    as_read: Mask
    shares: Scores

    def of(self, ordinal: int) -> float:
        """The score of a child."""
        return float(self.by_ordinal[ordinal]) if ordinal < len(self.by_ordinal) else 0.0

    def share_of(self, ordinal: int) -> float:
        """A child's share of what the question's words are worth; a word that no child holds is worth the most."""
        return float(self.shares[ordinal]) if ordinal < len(self.shares) else 0.0

    def holds_all(self, ordinal: int) -> bool:
        """Whether a child holds all words, with at least one read as a similar one."""
        return ordinal < len(self.as_read) and bool(self.as_read[ordinal])


def score(lexicon: Lexicon, identifiers: Sequence[str], limit: int, *, exact: bool = False) -> LexicalScores:
    """Score all children; the best are those that hold all words or an ``identifier``, then those with the best scores.

    At least ``limit`` of them, if there are so many, and all that are as good as the last. With ``exact`` none
    but those that come first.
    """
    size = _size(lexicon)
    found = _Found.nothing(size)
    for words in lexicon.languages:
        _add_language(words, lexicon, frozenset(identifiers), found)
    first = found.first | found.as_read
    wanted = _wanted(lexicon, size)
    held = np.flatnonzero((found.scores > 0) & (wanted & first if exact else wanted))
    best = _best(held, found.scores[held], first[held], limit)
    return LexicalScores(found.scores, best, found.as_read, found.shares)


def known_share(lexicon: Lexicon) -> float | None:
    """How much of what the question's lexemes are worth stands in the library, in the language that knows it best.

    What nothing holds is worth the most, so that a question of unknown words is seen to be one; what is read as a
    similar word is known. None where no lexeme was looked up.
    """
    return max((_known(words, lexicon) for words in lexicon.languages if words.terms), default=None)


def _known(words: LanguageWords, lexicon: Lexicon) -> float:
    read = {term for one in lexicon.similar if one.language == words.language for term in one.unknown}
    known = everything = 0.0
    for term in words.terms:
        stretches = lexicon.postings.get((words.language, term), ())
        ordinals = [_postings(stretch)["ordinal"] for stretch in stretches]
        holding = sum(int(np.isin(one, words.removed, invert=True).sum()) for one in ordinals)
        worth = _weight(words.children, holding)
        everything += worth
        known += worth if holding or term in read else 0.0
    return known / everything


def read_as_held(lexicon: Lexicon) -> Lexicon:
    """The same without readings whose word stands in postings alone, since its last text is gone."""
    removed = {words.language: words.removed for words in lexicon.languages}
    held = [one for one in lexicon.similar if _is_held(one, lexicon, removed.get(one.language, ()))]
    return replace(lexicon, similar=tuple(held))


def _is_held(one: SimilarWord, lexicon: Lexicon, removed: Sequence[int]) -> bool:
    stretches = lexicon.postings.get((one.language, one.term), ())
    gone = np.asarray(removed, np.int64)
    return any(not np.isin(_postings(stretch)["ordinal"], gone).all() for stretch in stretches)


def _size(lexicon: Lexicon) -> int:
    """One more than the greatest ordinal."""
    stretches = (stretch for found in lexicon.postings.values() for stretch in found)
    return 1 + max((int(_postings(stretch)["ordinal"].max()) for stretch in stretches), default=-1)


def _postings(stretch: bytes) -> npt.NDArray[np.void]:
    return np.frombuffer(stretch, _POSTING)


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found of every child so far, by ordinal; added to in place, language by language."""

    scores: Scores
    shares: Scores
    first: Mask
    as_read: Mask

    @classmethod
    def nothing(cls, size: int) -> "_Found":
        return cls(np.zeros(size), np.zeros(size), np.zeros(size, np.bool_), np.zeros(size, np.bool_))


def _add_language(
    words: LanguageWords, lexicon: Lexicon, identifiers: frozenset[str], found_of: _Found
) -> None:
    """Add what a language's lexemes score, and mark who is to come first, also with words read as similar ones."""
    scores, first, as_read = found_of.scores, found_of.first, found_of.as_read
    gone = _marked(words.removed, len(scores)) if words.removed else None
    similar = [one for one in lexicon.similar if one.language == words.language]
    required = frozenset(words.required)
    read = required.difference(*(one.unknown for one in similar)).union(one.term for one in similar)
    held, held_as_read = np.zeros(len(scores), np.uint16), np.zeros(len(scores), np.uint16)
    mean = words.length / words.children if words.length else 1.0
    worth_held, worth = np.zeros(len(scores)), 0.0
    for term, share in _weighted(words.terms, similar):
        found = _postings(b"".join(lexicon.postings.get((words.language, term), ())))
        ordinals = found["ordinal"].astype(np.int64)
        if gone is not None:
            found, ordinals = found[~gone[ordinals]], ordinals[~gone[ordinals]]
        weight = share * _weight(words.children, len(ordinals))
        scores[ordinals] += weight * _saturated(found, mean)
        worth_held[ordinals] += weight
        worth += weight if term in words.terms else 0.0
        held[ordinals] += term in required
        held_as_read[ordinals] += term in read
        if term in identifiers:
            first[ordinals] = True
    if worth and words.holding_all is None:
        found_of.shares[:] += np.where(held_as_read > 1, worth_held / worth, 0.0)
    if words.holding_all is not None:
        first |= _marked(words.holding_all, len(scores))
    elif required:
        first |= held == len(required)
    if similar and words.holding_all is None:
        as_read |= held_as_read == len(read)


def _weighted(terms: Sequence[str], similar: Sequence[SimilarWord]) -> list[tuple[str, float]]:
    """The lexemes of the question, then those of similar words that are not among them; each with its weight."""
    more = dict.fromkeys(one.term for one in similar if one.term not in terms)
    return [*((term, 1.0) for term in terms), *((term, SIMILAR_WEIGHT) for term in more)]


def _weight(children: int, holding: int) -> float:
    """How much a lexeme tells that so many of the children hold."""
    return float(np.log1p((children - holding + 0.5) / (holding + 0.5)))


def _saturated(found: npt.NDArray[np.void], mean: float) -> Scores:
    """How strongly each child holds a lexeme, below 1: often, in few words."""
    times = found["repeats"].astype(np.float64) + 1
    return times / (times + K1 * (1 - B + B * found["length"].astype(np.float64) / mean))


def _wanted(lexicon: Lexicon, size: int) -> Mask:
    """The children in the scope that hold nothing excluded."""
    if lexicon.allowed is None:
        wanted = np.ones(size, np.bool_)
    else:
        wanted = _marked(np.frombuffer(lexicon.allowed, _ORDINAL), size)
    for words in lexicon.languages:
        if words.excluded:
            wanted &= ~_marked(words.excluded, size)
    return wanted


def _marked(ordinals: Sequence[int] | npt.NDArray[np.int32], size: int) -> Mask:
    marked = np.zeros(size, np.bool_)
    known = np.asarray(ordinals, np.int64)
    marked[known[known < size]] = True
    return marked


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
        return first & (scores >= _greatest(scores[first], limit))
    return first | (scores >= _greatest(scores[~first], room))


def _greatest(scores: Scores, place: int) -> float:
    """The score at a place, 1 for the greatest."""
    return float(np.partition(scores, len(scores) - place)[len(scores) - place])
