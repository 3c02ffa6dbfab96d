"""Texts as quotations are compared with them: one form for what reads the same, every place traced to its source."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.text.canonical.canonical_form import canonical_form, same_joins
from webrag_desktop.text.canonical.lookalikes import Edit, is_unseen, read_alike, traced


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("ﬁﬂﬃ ĳ µ", "fiflffi ij μ"),
        ("“a” „b“ «c» ‘d’ ‹e› ״ ׳", '"a" "b" "c" \'d\' \'e\' " \''),
        ("e\u0301 \u212b \ufb2a \uf900 \u1112\u1161\u11ab", "é Å \u05e9\u05c1 \u8c48 한"),
        ("Ａ１！ ｶﾞ ｶ ﻻ", "A1! ガ カ لا"),
        ("a\u00adb\u200bc\u2060d\u200ee", "abcde"),
        ("x\u00ad\ny", "x-\ny"),
        ("a… a\u2010b a\u2011b", "a... a-b a-b"),
        ("auf\u200clage", "auflage"),
    ],
)
def test_what_reads_the_same_has_one_form(source: str, read: str) -> None:
    assert read_alike(source).text == read


@pytest.mark.parametrize(
    "source",
    [
        "10² H₂O ½ x\u207b",
        "3–5 − —",
        "می\u200cخواهم",
        "👩\u200d👧",
        "\u05e9\u05b8",
        "ℎ 𝐱 ① Ⅳ",
        "a\u202eb",
        "ﷺ",
        "ſ",
    ],
)
def test_what_reads_otherwise_stays(source: str) -> None:
    assert read_alike(source).text == source


def test_ascii_is_read_as_it_is() -> None:
    source = "".join(map(chr, range(128)))
    assert read_alike(source).text == source


def test_clusters_longer_than_anybody_writes_stay() -> None:
    long = "a" + "\u0301\u0323" * 40
    assert read_alike(long).text == long
    assert read_alike("a\u0301\u0323").text == unicodedata.normalize("NFC", "a\u0301\u0323")


@given(st.text(st.sampled_from("aeé\u0301\u0323\u00a8가ᄀ\u1161\u11a8\u05e9\u05c1\u0b47\u0b3e"), max_size=12))
def test_composition_is_that_of_unicode(source: str) -> None:
    assert read_alike(source).text == unicodedata.normalize("NFC", source)


@pytest.mark.parametrize(
    ("source", "text", "joins"),
    [
        ("a  b\n\nc\u00a0d", "a b c d", "......."),
        ("well-known", "wellknown", "....-...."),
        ("exam-\nple", "example", "....~.."),
        ("exam-\n  ple", "example", "....~.."),
        ("Anglo-\nAm", "AngloAm", ".....-."),
        ("AMERI-\nCAN", "AMERICAN", ".....~.."),
        ("10-\n20", "10-20", "....."),
        ("10-20", "10-20", "....."),
        ("pre-\nand post", "pre- and post", "............."),
        ("pre-  and", "pre- and", "........"),
        ("- a", "- a", "..."),
        ("漢 字\n漢 a", "漢字漢a", "...."),
        ("ก ข\nค", "กขค", "._^"),
        ("한 글\n로 a", "한글로 a", "._^.."),
    ],
)
def test_spacing_and_hyphens_at_line_ends_are_taken_out(source: str, text: str, joins: str) -> None:
    canonical = canonical_form(source)
    assert (canonical.text, canonical.joins) == (text, joins)


def test_a_space_behind_a_hyphen_may_have_been_a_line_end() -> None:
    assert canonical_form("exam- ple").text == "exam- ple"
    copied = canonical_form("exam- ple", spaces_end_lines=True)
    assert (copied.text, copied.joins) == ("example", "....~..")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (".-", ".-", True),
        (".-", "..", False),
        (".~", "..", True),
        (".~", ".-", True),
        ("..", ".~", True),
        ("._", "..", False),
        (".^", "._", True),
        (".^", "..", True),
        (".-", "._", False),
        ("...", "..", False),
    ],
)
def test_which_joins_read_the_same(one: str, other: str, same: bool) -> None:
    assert (same_joins(one).fullmatch(other) is not None) == same
    assert (same_joins(other).fullmatch(one) is not None) == same


def test_a_sign_that_stands_for_several_is_whole_or_nothing() -> None:
    canonical = canonical_form("a ﬁn… b")
    assert canonical.text == "a fin... b"
    assert canonical.source_span(2, 4) == (2, 3)
    assert canonical.source_span(2, 8) == (2, 5)
    for cut in ((2, 3), (3, 5), (2, 7), (6, 10)):
        assert canonical.source_span(*cut) is None
    assert canonical.source_around(3, 7) == (2, 5)


def test_places_are_found_from_the_source() -> None:
    canonical = canonical_form("a\u00ad\u00adb  ﬁ c")
    assert canonical.text == "ab fi c"
    assert [canonical.place_of(place) for place in (0, 1, 3, 4, 6, 8, 99)] == [0, 1, 1, 2, 3, 6, 7]
    assert [canonical.end_of(end) for end in (1, 3, 4, 7, 9)] == [1, 1, 2, 5, 7]


def test_edits_of_the_same_length_keep_their_places() -> None:
    made = traced("abcdef", [Edit(1, 2, "B"), Edit(3, 5), Edit(5, 6, "XYZ")])
    assert made.text == "aBcXYZ"
    assert (made.source_span(1, 3), made.source_span(3, 6), made.source_span(4, 6)) == ((1, 3), (5, 6), None)


def test_what_nobody_sees() -> None:
    assert all(map(is_unseen, "\u00ad\u200b\u200d\ufe0f\ufeff"))
    assert not any(map(is_unseen, " a\u0301\u202e"))
