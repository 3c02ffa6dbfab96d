"""Excerpts are verbatim, short enough, and cut where a reader would."""

import regex  # type: ignore[import-untyped, unused-ignore]
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval.hybrid.documents import excerpt

# Letters that join: marks, emoji with shades and joiners, flags, Hangul by parts, a virama, a vowel of Thai.
TEXT = st.text(
    st.one_of(
        st.sampled_from(" \n.é́🏽👩\u200d👧🇩🇪🇫ᄒ\u1161\u11ab한क्षाก\u0e33潮汐\ufe0f"),
        st.characters(codec="utf-8"),
    ),
    max_size=120,
)
WORDS = st.lists(st.text(st.characters(categories=["Ll", "Lu"], max_codepoint=0x17F), min_size=1), min_size=1)


def cut(text: str, sentence: str, max_chars: int) -> str:
    start = text.index(sentence)
    left, right = excerpt(text, start, start + len(sentence), max_chars)
    return text[left:right]


def test_a_short_text_is_shown_whole() -> None:
    assert (
        cut("Before. Limpets hold on. After.", "Limpets hold on.", 360) == "Before. Limpets hold on. After."
    )


def test_the_sentence_stands_in_the_middle() -> None:
    text = " ".join(["before"] * 50) + " Limpets hold on. " + " ".join(["after"] * 50)
    shown = cut(text, "Limpets hold on.", 100)
    before, after = shown.split("Limpets hold on.")
    assert len(shown) > 85
    assert abs(len(before) - len(after)) <= 2 * len("before ")
    assert set(shown.split()) == {"before", "after", "Limpets", "hold", "on."}


def test_room_left_at_one_end_is_used_at_the_other() -> None:
    text = "Limpets hold on. " + " ".join(["after"] * 50)
    assert len(cut(text, "Limpets hold on.", 100)) > 90


def test_a_line_above_is_there_whole_or_not_at_all() -> None:
    text = "## All about the low tide\n\nLimpets hold on. " + "They wait. " * 10
    assert cut(text, "Limpets hold on.", 45).startswith("Limpets hold on.")
    assert cut(text, "Limpets hold on.", 150).startswith("## All about the low tide\n\nLimpets")


def test_a_longer_sentence_is_cut_between_words() -> None:
    assert cut("x. One two three four. y", "One two three four.", 12) == "One two"


def test_a_word_that_is_too_long_is_cut_between_characters() -> None:
    assert cut("un" + "glaub" * 20, "un" + "glaub" * 20, 10) == "unglaubgla"
    assert cut("👩‍👧👩‍👧👩‍👧", "👩‍👧👩‍👧👩‍👧", 7) == "👩‍👧👩‍👧"
    assert cut("e" + "\u0301" * 20, "e" + "\u0301" * 20, 10) == ""


def test_writing_without_spaces_is_cut_anywhere_between_characters() -> None:
    text = "潮" * 100 + "貝は岩に付く。" + "汐" * 100
    shown = cut(text, "貝は岩に付く。", 20)
    assert len(shown) == 20
    assert shown.index("貝") in (6, 7)


@given(text=TEXT, ends=st.tuples(st.integers(0, 120), st.integers(0, 120)), max_chars=st.integers(1, 60))
def test_no_excerpt_is_too_long_or_cuts_a_character(text: str, ends: tuple[int, int], max_chars: int) -> None:
    borders = [0, *(found.end() for found in regex.finditer(r"\X", text))]
    start, end = sorted(borders[at % len(borders)] for at in ends)
    left, right = excerpt(text, start, end, max_chars)
    assert 0 <= left <= right <= len(text)
    assert right - left <= max_chars
    shown = text[left:right]
    assert shown == shown.strip()
    assert {left, right} <= set(borders)
    if end - start <= max_chars:
        assert text[start:end].strip() in shown


@given(words=WORDS, at=st.integers(0), max_chars=st.integers(1, 80))
def test_no_word_is_cut_that_is_not_too_long(words: list[str], at: int, max_chars: int) -> None:
    text, place = " ".join(words), at % len(words)
    start = len(" ".join([*words[:place], ""])) if place else 0
    left, right = excerpt(text, start, start + len(words[place]), max_chars)
    shown = text[left:right].split(" ")
    if len(words[place]) > max_chars:
        assert text[left:right] == words[place][:max_chars]
    else:
        assert " ".join(shown) in text
        assert set(shown) <= set(words)
