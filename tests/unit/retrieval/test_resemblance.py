"""Which texts are worth comparing word by word."""

import random

from webrag_desktop.retrieval.dedup import jaccard, resembling, tokens

CHANCE = random.Random(5)
WORDS = ["".join(CHANCE.choices("abcdefghijklmnopqrstuvwxyz", k=CHANCE.randint(2, 9))) for _ in range(400)]


def passage() -> list[str]:
    return CHANCE.choices(WORDS, k=300)


def test_a_near_copy_in_another_document_is_found_whatever_its_order_case_and_punctuation() -> None:
    for _ in range(30):
        first, other = passage(), passage()
        copy = ["changed" if place in (7, 150) else word.upper() for place, word in enumerate(first)]
        CHANCE.shuffle(copy)
        text, near = " ".join(first), ", ".join(copy)
        assert jaccard(tokens(text), tokens(near)) > 0.95
        assert resembling([text, " ".join(other), near], "abc") == [0, 2]


def test_what_one_document_says_twice_is_not_looked_at() -> None:
    text = " ".join(passage())
    assert resembling([text, text], "aa") == []
    assert resembling([text, text, text], "aba") == [0, 1, 2]
    assert resembling([], "") == []


def test_writing_without_letters_or_spaces_is_left_to_the_exact_look() -> None:
    signs = ["<<<", ">>>", ""]
    assert resembling(signs, "abc") == [0, 1, 2]
    assert resembling(
        ["潮が引くと岩に張り付く。", "潮が引くと岩に張り付く", "まったく別の文である"], "abc"
    ) == [0, 1]
    assert resembling(["half \ud800", "half \ud800"], "ab") == [0, 1]


def test_copies_are_found_among_more_texts_than_are_compared_at_once() -> None:
    texts = [" ".join(passage()) for _ in range(50)]
    texts[41] = texts[3]
    assert resembling(texts, range(50)) == [3, 41]
