"""A quote is found again in a changed text by its words, then by its surroundings, then by nearness."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.citations.anchoring import Anchored, reanchor
from webrag_desktop.citations.spans import CONTEXT_LENGTH

TEXT = "The tide falls. Limpets clamp down. The tide rises. Limpets clamp down. The end."
QUOTE = "Limpets clamp down."


def anchored(old: str, start: int, length: int, new: str) -> Anchored:
    end = start + length
    return reanchor(
        old[start:end],
        old[max(0, start - CONTEXT_LENGTH) : start],
        old[end : end + CONTEXT_LENGTH],
        start,
        new,
    )


def test_the_same_words_at_the_same_place_are_exact() -> None:
    assert anchored(TEXT, 16, len(QUOTE), TEXT.replace("The end.", "A new end.")) == Anchored(
        "exact", 16, 16 + len(QUOTE)
    )


@pytest.mark.parametrize("start", [TEXT.index(QUOTE), TEXT.rindex(QUOTE)])
@pytest.mark.parametrize("inserted", ["News first. ", "🦀 鏡 ", "x" * 500])
def test_of_equal_words_those_with_the_old_surroundings_are_taken(start: int, inserted: str) -> None:
    assert anchored(TEXT, start, len(QUOTE), inserted + TEXT) == Anchored(
        "moved", start + len(inserted), start + len(inserted) + len(QUOTE)
    )


def test_with_equal_surroundings_the_nearest_is_taken_then_the_first() -> None:
    new = "a b a b a b a b a"
    assert reanchor("b", "", "", 7, new) == Anchored("moved", 6, 7)
    assert reanchor("b", "", "", 4, new) == Anchored("moved", 2, 3)
    assert reanchor("b", "", "", 400, new) == Anchored("moved", 14, 15)


def test_overlapping_occurrences_all_count() -> None:
    assert reanchor("aa", "", "!", 40, "xaaa!") == Anchored("moved", 2, 4)


@pytest.mark.parametrize("new", ["", "Limpets clamp", TEXT.replace("clamp", "let go").replace("down", "")])
def test_words_that_are_gone_are_lost(new: str) -> None:
    assert anchored(TEXT, 16, len(QUOTE), new) == Anchored("lost", None, None)


@given(st.text(), st.text(), st.text(min_size=1), st.text(), st.text())
def test_what_was_found_is_the_quote(
    prefix: str, suffix: str, verbatim: str, before: str, after: str
) -> None:
    new = before + verbatim + after
    found = reanchor(verbatim, prefix, suffix, 7, new)
    assert found.start is not None
    assert new[found.start : found.start + len(verbatim)] == verbatim
    assert (found.state == "exact") == (found.start == 7)
