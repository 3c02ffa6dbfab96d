"""Arithmetic on spans, compared with sets of places."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text.spans import Span, joined, trimmed, united, without

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=6)


def places(spans: list[Span]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


@given(SPANS, SPANS)
def test_united_and_without_hold_just_the_places_they_should(spans: list[Span], taken: list[Span]) -> None:
    assert places(united(spans)) == places(spans)
    left = without(spans, taken)
    assert places(left) == places(spans) - places(taken)
    for made in (united(spans), left):
        assert all(start < end for start, end in made)
        assert all(one[1] <= other[0] for one, other in pairwise(made))


@given(SPANS, st.text("ab \n", min_size=31, max_size=31))
def test_trimming_and_joining_only_ever_concern_white_space(spans: list[Span], text: str) -> None:
    kept = trimmed(joined(united(spans), text, 0), text, 0)
    said = "".join(text[place] for place in sorted(places(spans)) if not text[place].isspace())
    assert "".join("".join(text[start:end].split()) for start, end in kept) == said
    assert all(text[start:end].strip() and not text[end - 1].isspace() for start, end in kept)


def test_the_indentation_of_a_first_line_stays() -> None:
    text = " \n\n    code()\n\n"
    assert trimmed([(0, len(text))], text, 0) == [(3, 13)]
    assert trimmed([(103, 100 + len(text))], text, 100) == [(103, 113)]
    assert trimmed([(0, 3)], "---", 0) == []
