"""What the library holds of a question's words: how much they are worth of it, and what they are read as."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from webrag_desktop.retrieval.bm25 import weight_of
from webrag_desktop.retrieval.candidates import Known
from webrag_desktop.retrieval.posting_arrays import ORDINAL, postings_of
from webrag_desktop.storage.searching.postings import LanguageWords, Lexicon
from webrag_desktop.storage.searching.words import SimilarWord

# The part of a question's words that the library holds where the question is in the language of its texts.
MOST_WORDS = 0.5

# So few children seldom hold all words of a question by chance: of foreign questions one in thirty had all its words in
# such a library, nearly one in five in one of 1,600 children.
FEW_CHILDREN = 500

# Lexemes of words that ask for a text and say nothing of its matter: "what does it say about …".
ASKING_LEXEMES = frozenset(
    "say said tell told mention describ explain discuss sagt steht erklart erwahnt beschreibt".split()
)


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
        holding = _holding(lexicon.postings.get((words.language, term), ()), words)
        worth = weight_of(words.children, holding)
        everything += worth
        covered += worth if holding or term in read else 0.0
    return covered / everything


def known_words(lexicon: Lexicon, *, operates: bool) -> Known:
    """What the library, or the scope that is searched in it, holds of the words, in the language where that is most.

    Nothing can be told where no words were searched, where the question ``operates`` on them, asks for one alone, or
    where most of them are missing: it may be in another language than the texts. Words that only ask for a text are
    not missed.
    """
    asked = [
        words
        for words in lexicon.languages
        if len(words.required) > 1 and not (operates and words.holding_all is not None)
    ]
    if not asked:
        return "unsure"
    held = max(_held_part(words, lexicon) for words in asked)
    if held < 1:
        return "some" if held >= MOST_WORDS else "unsure"
    children = sum(words.children for words in lexicon.languages)
    if lexicon.allowed is not None:
        children = len(lexicon.allowed) // ORDINAL.itemsize
    return "all of few" if children <= FEW_CHILDREN else "all"


def _held_part(words: LanguageWords, lexicon: Lexicon) -> float:
    allowed = None if lexicon.allowed is None else np.frombuffer(lexicon.allowed, ORDINAL)
    held = [
        term in ASKING_LEXEMES or _is_there(lexicon.postings.get((words.language, term), ()), words, allowed)
        for term in words.required
    ]
    return sum(held) / len(held)


def _is_there(runs: Sequence[bytes], words: LanguageWords, allowed: npt.NDArray[np.integer] | None) -> bool:
    if allowed is None:
        return _holding(runs, words) > 0
    found = postings_of(runs)["ordinal"]
    return bool(np.isin(np.setdiff1d(found, words.removed), allowed).any())


def _holding(runs: Sequence[bytes], words: LanguageWords) -> int:
    """How many children hold a lexeme that has these postings."""
    found = postings_of(runs)
    if not words.removed:
        return len(found)
    return int(np.isin(found["ordinal"], words.removed, invert=True).sum())


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
