import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.storage.searching.words import (
    LONGEST_TERM,
    bigrams,
    identifier_terms,
    identifiers,
    without_unspaced,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Set `max_depth` to 3.", ["max_depth"]),
        ("error[E0308]: mismatched types", ["e0308"]),
        ("docker build --no-cache .", ["--no-cache", "no-cache"]),
        ("see sklearn.ensemble for more", ["sklearn.ensemble"]),
        ("C++ and F#, not C.", ["c++", "f#"]),
        ("std::vector<int>", ["std::vector"]),
        ("call ensemble.RandomForest(n_jobs=2)", ["ensemble.randomforest", "randomforest", "n_jobs"]),
        ("`__init__` runs", ["__init__"]),
        ("run it with -v", ["-v"]),
        ("in src/main.py:", ["src/main.py"]),
        ("Plain words, only plain words.", []),
        ("- a list item\n--- \n# heading", []),
    ],
)
def test_identifiers_are_found_as_they_were_written(text: str, expected: list[str]) -> None:
    assert identifiers(text) == expected


def test_markdown_escapes_do_not_hide_an_identifier() -> None:
    assert identifiers(r"Set max\_depth") == identifiers("Set max_depth")


def test_link_targets_are_not_text() -> None:
    assert (
        identifiers("[words](https://example.org/a_b) and https://example.org/c_d.html or <ftp://e.f/g_h>")
        == []
    )


def test_cjk_is_cut_into_overlapping_pairs() -> None:
    assert bigrams("日本語と Go 言") == ["日本", "本語", "語と", "言"]
    assert without_unspaced("Go言語 1") == "Go  1"


def test_cjk_around_digits_makes_no_identifier() -> None:
    assert identifiers("第1章では2012年に") == []


def test_both_kinds_come_in_one_list_each_once() -> None:
    assert identifier_terms("max_depth 深さ max_depth 深さ") == ["max_depth", "深さ"]


@given(st.text())
def test_terms_are_fit_for_a_text_search_vector(text: str) -> None:
    terms = identifier_terms(text)
    assert len(set(terms)) == len(terms)
    for term in terms:
        assert 0 < len(term) <= LONGEST_TERM + 8  # lower case may be longer
        assert len(term.encode(errors="surrogatepass")) <= 2046
        assert not any(char.isspace() or char == "\x00" for char in term)


@given(
    st.lists(st.sampled_from(["max_depth", "E0308", "--no-cache", "a.b", "C++", "x", "日本語"]), min_size=1)
)
def test_a_question_finds_what_a_text_holds(words: list[str]) -> None:
    text = "Before " + ", ".join(words) + ". After."
    for word in words:
        assert set(identifier_terms(word)) <= set(identifier_terms(text))
