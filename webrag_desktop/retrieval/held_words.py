"""What the library holds of a question's words: how much they are worth of it, and what they are read as."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from webrag_desktop.retrieval.bm25 import postings_of, weight_of
from webrag_desktop.storage.searching.postings import LanguageWords, Lexicon
from webrag_desktop.storage.searching.words import SimilarWord


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
    requested = ((words.language, term) for words in lexicon.languages for term in words.terms)
    return bool(lexicon.similar) and not any(lexicon.postings.get(one) for one in requested)


def read_as_held(lexicon: Lexicon) -> Lexicon:
    """The same without similar words whose last text was removed, although postings of them remain."""
    removed = {words.language: words.removed for words in lexicon.languages}
    held = [one for one in lexicon.similar if _is_held(one, lexicon, removed.get(one.language, ()))]
    return replace(lexicon, similar=tuple(held))


def _is_held(one: SimilarWord, lexicon: Lexicon, removed: Sequence[int]) -> bool:
    segments = lexicon.postings.get((one.language, one.term), ())
    gone = np.asarray(removed, np.int64)
    return any(not np.isin(postings_of([segment])["ordinal"], gone).all() for segment in segments)
