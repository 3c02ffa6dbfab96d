"""True BM25 over the lexemes of the full text: which children contain the words of a question, and their scores.

Document frequencies are applied on the query side: of each lexeme in each language, counted in the present children,
in whichever segment their postings are. Sums are made in the order of the lexemes, so that equal libraries give equal
scores to the last bit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from webrag_desktop.retrieval.lexeme_scores import (
    LanguageScores,
    Mask,
    Ordinals,
    Scores,
    greatest,
    marked,
    postings_of,
    weight_of,
)
from webrag_desktop.storage.searching.candidates import CandidateRow, ScoredWords
from webrag_desktop.storage.searching.postings import LanguageWords, Lexicon
from webrag_desktop.storage.searching.words import SimilarWord

_ORDINAL = np.dtype(">i4")


class LexicalScores:
    """What a question's words score; ``best`` are the children that they propose."""

    def __init__(self, languages: Sequence[LanguageScores], best: ScoredWords) -> None:
        self.best = best
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

    def share_of(self, ordinal: int) -> float:
        """The share of the words' idf that a child with at least two of the words contains, else 0.

        A word that no child contains has the highest idf; 0 too where the question has more than words.
        """
        return next(self._of_children([ordinal]))[3]

    def _of_children(self, ordinals: Sequence[int]) -> Iterator[tuple[float, bool, bool, float]]:
        """Score, whether all words and whether an identifier is held, and the share; a child has one language."""
        asked = np.asarray(ordinals, np.int64)
        ranks, shares = np.zeros(len(asked)), np.zeros(len(asked))
        all_words, identifier = np.zeros(len(asked), np.bool_), np.zeros(len(asked), np.bool_)
        for language in self._languages:
            found = language.of(asked)
            ranks += found.text_rank
            shares += found.word_share
            all_words |= found.all_words
            identifier |= found.identifier
        return zip(ranks.tolist(), all_words.tolist(), identifier.tolist(), shares.tolist(), strict=True)


def score(lexicon: Lexicon, identifiers: Sequence[str], limit: int, *, exact: bool = False) -> LexicalScores:
    """Score the children; the best are those that hold all words or an ``identifier``, then those with the best scores.

    At least ``limit`` of them, if there are that many, and all with the score of the last. With ``exact`` none
    but those that come first.
    """
    size = _size(lexicon)
    wanted = _wanted(lexicon, size)
    languages = [LanguageScores(words, lexicon, frozenset(identifiers), size) for words in lexicon.languages]
    first = marked((), size)
    held = [np.zeros(0, np.int64)]
    for language in languages:
        first |= language.first
        held.append(language.leading(limit, wanted))
    proposed = _proposed(languages, np.concatenate(held), first, exact=exact)
    return LexicalScores(languages, _best(*proposed, limit))


def _proposed(
    languages: Sequence[LanguageScores], held: Ordinals, first: Mask, *, exact: bool
) -> tuple[Ordinals, Scores, Mask]:
    """Children with their scores, and which of them come first; each child is of one language."""
    asked = held[first[held]] if exact else held
    scores = _ranks(languages, asked)
    worth = scores > 0
    return asked[worth], scores[worth], first[asked][worth]


def _ranks(languages: Sequence[LanguageScores], ordinals: Ordinals) -> Scores:
    ranks = np.zeros(len(ordinals))
    for language in languages:
        ranks += language.ranks(ordinals)
    return ranks


def idf_coverage(lexicon: Lexicon) -> float | None:
    """The share of the idf of the question's lexemes that the library contains, in the language where it is highest.

    Lexemes that no text contains have the highest idf, so that a question of unknown words is recognised; one that was
    read as a similar word counts as contained. None where no lexeme was searched.
    """
    return max((_coverage_in(words, lexicon) for words in lexicon.languages if words.terms), default=None)


def _coverage_in(words: LanguageWords, lexicon: Lexicon) -> float:
    read = {term for one in lexicon.similar if one.language == words.language for term in one.unknown}
    covered = everything = 0.0
    for term in words.terms:
        found = postings_of(lexicon.postings.get((words.language, term), ()))
        holding = len(found)
        if words.removed:
            holding = int(np.isin(found["ordinal"], words.removed, invert=True).sum())
        worth = weight_of(words.children, holding)
        everything += worth
        covered += worth if holding or term in read else 0.0
    return covered / everything


def only_read(lexicon: Lexicon) -> bool:
    """Whether the library contains none of the question's words, but similar ones."""
    asked = ((words.language, term) for words in lexicon.languages for term in words.terms)
    return bool(lexicon.similar) and not any(lexicon.postings.get(one) for one in asked)


def read_as_held(lexicon: Lexicon) -> Lexicon:
    """The same without similar words whose last text was removed, although postings of them remain."""
    removed = {words.language: words.removed for words in lexicon.languages}
    held = [one for one in lexicon.similar if _is_held(one, lexicon, removed.get(one.language, ()))]
    return replace(lexicon, similar=tuple(held))


def _is_held(one: SimilarWord, lexicon: Lexicon, removed: Sequence[int]) -> bool:
    segments = lexicon.postings.get((one.language, one.term), ())
    gone = np.asarray(removed, np.int64)
    return any(not np.isin(postings_of([segment])["ordinal"], gone).all() for segment in segments)


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
        wanted = marked(np.frombuffer(lexicon.allowed, _ORDINAL), size)
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
