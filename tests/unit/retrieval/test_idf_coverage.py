import struct

import pytest

from webrag_desktop.retrieval.held_words import idf_coverage
from webrag_desktop.storage.searching.postings import LanguageWords, Lexicon
from webrag_desktop.storage.searching.words import SimilarWord


def postings(*ordinals: int) -> bytes:
    return b"".join(struct.pack(">iHB", ordinal, 10, 0) for ordinal in ordinals)


def words(*terms: str, language: str = "en", removed: tuple[int, ...] = ()) -> LanguageWords:
    return LanguageWords(language, 10, 100, list(terms), list(terms), None, [], list(removed))


def test_a_question_of_words_that_stand_in_the_library_is_known() -> None:
    held = {("en", "crab"): [postings(1, 2)], ("en", "tide"): [postings(3)]}
    assert idf_coverage(Lexicon((words("crab", "tide"),), held)) == pytest.approx(1.0)


def test_words_that_nothing_holds_weigh_the_most() -> None:
    share = idf_coverage(Lexicon((words("crab", "flurbz"),), {("en", "crab"): [postings(1, 2)]}))
    assert share is not None
    assert 0 < share < 0.5
    assert idf_coverage(Lexicon((words("flurbz", "qwxyz"),), {})) == 0.0


def test_the_language_that_knows_the_question_best_decides() -> None:
    lexicon = Lexicon((words("krabb", language="de"), words("crab")), {("en", "crab"): [postings(1)]})
    assert idf_coverage(lexicon) == pytest.approx(1.0)


def test_what_is_removed_and_how_postings_are_stored_changes_nothing() -> None:
    removed = Lexicon((words("crab", "tide", removed=(2,)),), {("en", "crab"): [postings(1, 2)]})
    merged = Lexicon((words("crab", "tide"),), {("en", "crab"): [postings(1)]})
    assert idf_coverage(removed) == idf_coverage(merged)
    gone = Lexicon((words("crab", removed=(1,)),), {("en", "crab"): [postings(1)]})
    assert idf_coverage(gone) == 0.0


def test_a_word_read_as_a_similar_one_is_known() -> None:
    similar = (SimilarWord("krab", "crab", "en", ("krab",), "crab"),)
    assert idf_coverage(Lexicon((words("krab"),), {("en", "crab"): [postings(1)]}, similar=similar)) == 1.0


def test_without_lexemes_nothing_is_said() -> None:
    assert idf_coverage(Lexicon()) is None
    assert idf_coverage(Lexicon((words(),))) is None
