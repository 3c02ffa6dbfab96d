"""Matching what is typed with the lines of a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.gui.kit.matching import Fit, match


def matched(text: str, typed: str) -> tuple[Fit, list[str]] | None:
    """How well it fits, and the matched letters."""
    found = match(text, typed)
    return None if found is None else (found.fit, [text[start:end] for start, end in found.spans])


@pytest.mark.parametrize(
    ("text", "typed", "fit", "letters"),
    [
        ("Cite this passage", "cit", Fit.BEGINNING, ["Cit"]),
        ("Back", "back", Fit.WHOLE, ["Back"]),
        ("Copy all citations", "cit", Fit.WORD, ["cit"]),
        ("Electricity", "cit", Fit.INSIDE, ["cit"]),
        ("Open in browser", "oib", Fit.LETTERS, ["O", "i", "b"]),
        ("Open in browser", "opbr", Fit.LETTERS, ["Op", "br"]),
        ("Back up the library", "lib back", Fit.WORD, ["Back", "lib"]),
        ("Élan vital", "elan", Fit.BEGINNING, ["Élan"]),
        ("Metier", "MÉTIER", Fit.WHOLE, ["Metier"]),
        ("Straße nach Köln", "koln", Fit.WORD, ["Köln"]),
        ("Wo Mu\u0308ller war", "muller", Fit.WORD, ["Mu\u0308ller"]),
        ("Müller", "mu\u0308ll", Fit.BEGINNING, ["Müll"]),
        ("Die ﬁnale Fassung", "fin", Fit.WORD, ["ﬁn"]),
        ("Capacity of a city", "city", Fit.WORD, ["city"]),
    ],
)
def test_what_fits_and_how_well(text: str, typed: str, fit: Fit, letters: list[str]) -> None:
    assert matched(text, typed) == (fit, letters)


@pytest.mark.parametrize(("text", "typed"), [("Open in browser", "nbr"), ("Cite", "cite x"), ("", "a")])
def test_letters_from_anywhere_do_not_fit(text: str, typed: str) -> None:
    assert match(text, typed) is None


def test_overlapping_words_are_marked_once() -> None:
    assert matched("Citations", "cit citation") == (Fit.BEGINNING, ["Citation"])


def test_nothing_typed_fits_everything() -> None:
    assert matched("Anything", "  ") == (Fit.BEGINNING, [])


@given(st.text(min_size=1, max_size=20), st.text(max_size=8))
def test_spans_are_in_the_text_and_in_order(text: str, typed: str) -> None:
    found = match(text, typed)
    if found is not None:
        ends = [0, *(place for span in found.spans for place in span)]
        assert ends == sorted(ends)
        assert ends[-1] <= len(text)
