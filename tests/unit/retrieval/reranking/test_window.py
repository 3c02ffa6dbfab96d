"""What is shown of a long passage."""

from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.retrieval.reranking.prompt import window

SENTENCES = [f"Sentence number {number} tells of the sea and of its tides." for number in range(60)]
TEXT = " ".join(SENTENCES)


def test_a_short_text_is_shown_whole() -> None:
    assert window("Ebb and flow.", 4, 7, 100) == (0, 13)
    assert window("x" * 100, 0, 10, 100) == (0, 100)


def test_the_window_lies_around_the_focus_and_keeps_sentences_whole() -> None:
    focus = TEXT.index(SENTENCES[30])
    start, end = window(TEXT, focus, focus + len(SENTENCES[30]), 300)
    shown = TEXT[start:end]
    assert SENTENCES[30] in shown
    assert shown.startswith("Sentence number 2")
    assert shown.endswith("tides.")
    assert start < focus < end - len(SENTENCES[30])


def test_at_either_end_of_the_text_the_whole_room_is_used() -> None:
    start, end = window(TEXT, 0, 10, 300)
    assert start == 0
    assert end > 200
    start, end = window(TEXT, len(TEXT) - 10, len(TEXT), 300)
    assert end == len(TEXT)
    assert start < len(TEXT) - 200


def test_without_sentences_it_is_cut_between_words() -> None:
    text = "ebbs " * 200
    start, end = window(text, 500, 520, 101)
    assert (text[start - 1], text[end : end + 1]) == (" ", " ")
    assert text[start:end].split() == ["ebbs"] * len(text[start:end].split())


def test_a_focus_that_is_too_long_is_shown_from_its_beginning() -> None:
    start, end = window(TEXT, 100, 2000, 200)
    assert start <= 100
    assert 100 < end <= 300


@given(
    st.text(alphabet="ab .!?\n潮。𝕏é", max_size=600),
    st.integers(-5, 700),
    st.integers(-5, 700),
    st.integers(1, 200),
)
def test_whatever_the_text_the_window_fits_and_holds_a_focus_that_fits(
    text: str, focus_start: int, focus_end: int, limit: int
) -> None:
    start, end = window(text, focus_start, focus_end, limit)
    assert 0 <= start <= end <= len(text)
    assert end - start <= limit
    if len(text) <= limit:
        assert (start, end) == (0, len(text))
    if 0 <= focus_start < focus_end <= len(text) and focus_end - focus_start <= limit:
        assert start <= focus_start
        assert end >= focus_end
