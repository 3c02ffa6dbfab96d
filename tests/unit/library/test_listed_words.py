"""A list that is narrowed letter by letter holds what it would hold if each text was typed at once."""

from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.library.documents import HeldWords, ListedWords
from webrag_desktop.storage.library.arranging import words_of

LETTERS = st.text("abAß\u00e4\u0308\u03c2\u03a3 ", max_size=6)


@given(st.lists(st.text("abs\u00df\u03c3 ", max_size=6), max_size=8), st.lists(LETTERS, max_size=8))
def test_what_was_found_before_changes_no_answer(texts: list[str], typed: list[str]) -> None:
    listed = ListedWords(texts)
    for text in typed:
        for end in (*range(len(text) + 1), *range(len(text), -1, -1)):
            part = text[:end]
            assert list(listed.holding(part)) == list(ListedWords(texts).holding(part))


def test_places_are_those_of_the_list() -> None:
    held = HeldWords({1: "cable", 2: "log of the cable", 3: "log"})
    narrowing = held.narrowing([3, 2, 9, 1])
    assert list(narrowing("CABLE")) == [1, 3]
    assert list(narrowing("cable log")) == [1]
    assert list(narrowing("cab")) == [1, 3]
    assert list(narrowing("")) == [0, 1, 2, 3]


def test_words_are_looked_for_once_and_eight_at_most() -> None:
    assert words_of("B\u00e4r bar BAR") == ["bar"]
    assert words_of("a b c d e f g h i") == list("abcdefgh")
