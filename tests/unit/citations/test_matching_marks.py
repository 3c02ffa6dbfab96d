"""What marks show is read: raised figures, struck words, notes, line breaks, cells; no quotation reads over it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.read_texts import read_text
from webrag_desktop.citations import quote_readings
from webrag_desktop.citations.matching import faithful_places, find_quote
from webrag_desktop.text.canonical.shown_marks import shown_marks

FAITHFUL = {"exact", "exact_as_rendered"}
WIKIPEDIA = "Its area[\\[1\\]](https://w.example/Sea#cite_note-1) is wide.[2](#fn2) In 1999[3](#fn3) it was."


def grade(markdown: str, quote: str) -> str:
    found = find_quote(quote, read_text(markdown))
    return found[0].grade if found else "none"


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("We saw 10<sup>5</sup> cells there", "We saw 105 cells there"),
        ("We saw 10<SUP class='e'>-5</SUP> cells there", "We saw 10-5 cells there"),
        ("We saw **10**<sup>5</sup> cells there", "We saw 105 cells there"),
        ("so x<sup>2</sup> is positive", "so x2 is positive"),
        ("the area<sup>1</sup> is wide", "the area1 is wide"),
        ("the area.<sup>1</sup> It is wide", "the area.1 It is wide"),
        ("In 1999<sup>[3](#fn)</sup> it was wide", "In 19993 it was wide"),
        ('In 1999<sup><a href="#fn">3</a></sup> it was wide', "In 19993 it was wide"),
        (WIKIPEDIA, "In 19993 it was."),
        (WIKIPEDIA, "wide.2 In 1999"),
        ("the sum x<sub>10</sub>5 is wide", "the sum x105 is wide"),
        ("the sum 2<sub>10</sub> is wide", "the sum 210 is wide"),
        ("the sum x<sub>i</sub> is wide", "the sum xi is wide"),
        ("Ca<sup>2+</sup> ions are there", "Ca2+ ions are there"),
        ("It was ~~not~~ cold here", "It was not cold here"),
        ("It was ~~not~~ cold here", "It was cold here"),
        ("It was <del>not</del> cold here", "It was not cold here"),
        ("It was not cold here", "It was ~~not~~ cold here"),
        ("about +/- 115 of it", ">/- 115 of it"),
        ("It was `<br>` cold here", "It was cold here"),
    ],
)
def test_what_marks_show_is_not_read_over(markdown: str, quote: str) -> None:
    assert grade(markdown, quote) in {"near", "none"}


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("We saw 10<sup>5</sup> cells there", "We saw 10^5 cells there"),
        ("We saw 10<sup>5</sup> cells there", "We saw 10<sup>5</sup>  cells there"),
        ("We saw **10<sup>5</sup>** cells there", "10<sup>5</sup>** cells there"),
        ("Some H<sub>2</sub>O is there", "Some H2O is there"),
        ("on the 21<sup>st</sup> of May", "on the 21st of May"),
        ("the area<sup>1</sup> is wide", "the area"),
        ("the area.<sup>1</sup> It is wide", "the area. It is wide"),
        (WIKIPEDIA, "Its area is wide. In 1999 it was."),
        (WIKIPEDIA, "Its area[1] is wide."),
        (WIKIPEDIA, "In 1999"),
        ("the area[^sea] is wide\n\n[^sea]: A note.", "the area is wide"),
        ("the area[^1] is wide\n\n[^1]: A note.", "the area is wide"),
        ("the area ![a map](m.png) is wide", "the area is wide"),
        ("the area ![a map](m.png) is wide", "the area a map is wide"),
        ("Crabs walk.<br>Fish swim<br/>here.", "Crabs walk. Fish swim\nhere."),
        ("It was ~~not~~ cold here", "It was ~~not~~ cold here"),
        ("It was ~~not~~ cold here", "cold here"),
        ("It was ~~surely not~~ cold here", "surely not"),
        ("so `a[1](#b)` is code", "so a[1](#b) is code"),
        ("so it is\n\n~~~\nthe code\n~~~\n\nhere", "so it is the code here"),
        ("so $x^2 + y$ is wide", "so x^2 + y is wide"),
        ("so $x^2 + y$ is wide", "so $x^2 + y$ is wide"),
        ("so\n\n$$\nx^2 + y\n$$\n\nis wide", "so x^2 + y is wide"),
    ],
)
def test_what_marks_show_may_be_quoted(markdown: str, quote: str) -> None:
    assert grade(markdown, quote) in FAITHFUL


@pytest.mark.parametrize("markdown", ["so numbers[1] is", "see section [3](#three) for", "m2[3](x.html) is"])
def test_figures_that_may_be_none_of_notes_are_not_left_out(markdown: str) -> None:
    assert grade(markdown, re.sub(r"\[\d\](\(.*\))?", "", markdown)) in {"near", "none"}


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("Ann said “it’s so” to Bob", "“Ann said ‘it’s so’ to Bob”"),
        ("Ann said “it’s so” to Bob", "Ann said 'it's so' to Bob"),
        ("Ann said ‘it’s so’ to Bob", 'Ann said "it\'s so" to Bob'),
        ("She: “He said ‘no’, ’tis true.”", "‘She: ‘He said “no”, ’tis true.’’"),
        ("It was “‘so’ – is”, and “don’t $x$”.", "'It was '\"so\" -- is', and 'don't x'.'"),
        ("他说：『你好「世界」！』", "他说：「你好『世界』！」"),
        ("the sea — deep — is", "the sea -- deep -- is"),
        ("the sea — deep — is", "the sea --- deep --- is"),
        ("pages 3–5 of it", "pages 3--5 of it"),
        ("the sea -- deep -- is", "the sea — deep – is"),
        ("the “so-called” sea", "the ``so-called'' sea"),
        ("it doesn't end", "it doesn´t end"),
        ("- cats\n- dogs", "· cats\n· dogs"),
        ("1) cats\n2) dogs", "1. cats\n2. dogs"),
    ],
)
def test_conventions_of_typing_make_no_difference(markdown: str, quote: str) -> None:
    assert grade(markdown, quote) == "exact_as_rendered"


@pytest.mark.parametrize(
    ("markdown", "quote"),
    [
        ("it is 5' 6\" tall", "it is 5\" 6' tall"),
        ("the dogs' bowl is", 'the dogs" bowl is'),
        ("pages 3–5 of it", "pages 3-5 of it"),
        ('boards of 5" by 6" here', "boards of 5' by 6' here"),
        ("it is 5 - 3", "it is 5 -- 3"),
        ("it is so", "it 'is so"),
        ("1) cats\n2) dogs", "2. cats\n3. dogs"),
        ("it cost $5 and $6 here", "it cost 5 and 6 here"),
    ],
)
def test_marks_that_say_something_are_kept(markdown: str, quote: str) -> None:
    assert grade(markdown, quote) in {"near", "none"}


TABLE = "| Limpets do | not |\n|---|---:|\n| eat | snails |\n| | fish |\n\nSo it is."
BARE_TABLE = "Limpets do | not\n--- | ---\neat | snails"


@pytest.mark.parametrize("markdown", [TABLE, BARE_TABLE])
def test_rows_of_a_table_are_no_sentence(markdown: str) -> None:
    quote = "do not eat snails"
    text = read_text(markdown)
    assert faithful_places(quote, text) == []
    (place,) = find_quote(quote, text)
    (one,) = place.differences
    assert (place.grade, place.similarity) == ("near", 4 / 5)
    assert (one.quoted, one.stored, one.quote_start, one.quote_end) == ("", "|", 7, 7)
    assert "|" not in markdown[place.start : one.char_start].replace("do |", "")
    assert "\n" in markdown[one.char_start : one.char_end]
    for rows in ("do\tnot\neat\tsnails", "do not\neat snails"):
        assert grade(markdown, rows) in FAITHFUL, rows


def test_rows_are_distinguished_from_what_stands_around_them() -> None:
    assert grade(TABLE, "snails\nfish") in FAITHFUL
    assert grade(TABLE, "snails fish") == "near"
    assert grade("a **b** | c\nd e", "b | c d e") in FAITHFUL


@pytest.mark.parametrize("quote", ["c d e " * 200, "c d e\n" * 200, "c d e\n" * 199 + "c d e c d e"])
def test_a_table_of_one_row_is_looked_at_in_bounded_steps(
    quote: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = 0
    look = quote_readings._are_rows

    def counted(*args: object) -> bool:
        nonlocal looked_at
        looked_at += 1
        return look(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(quote_readings, "_are_rows", counted)
    assert find_quote(quote, read_text("| a | b |\n|---|---|\n" + "| c d | e |\n" * 8_000))
    assert looked_at < 100_000


def test_marks_of_notes_are_no_differences() -> None:
    (place,) = find_quote("Its area is narrow. In 1999 it was", read_text(WIKIPEDIA))
    (one,) = place.differences
    assert (one.quoted, one.stored) == ("narrow.", "wide.")
    assert WIKIPEDIA[one.char_start : one.char_end] == "wide."


def test_a_difference_tells_what_is_shown() -> None:
    (place,) = find_quote(
        "We saw about 105 cells there", read_text("We saw about 10<sup>5</sup> cells there")
    )
    (one,) = place.differences
    assert (one.quoted, one.stored) == ("105", "10^5")
    assert (one.char_start, one.char_end) == (13, 21)


PIECES = st.sampled_from(
    ["a ", "b", "10", "~~~\n", "日", "本", "\n", " ", "|", "~~", "<br>", "<sup>", "</sup>", "<sub>5", "</sub>", "<del>",
     "</del>", "[1](#n)", "[^1]", "![i](j)", "`", "&amp;", "**", "> ", ". "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join), st.lists(PIECES, max_size=12).map("".join))
def test_any_marks_are_read_and_traced(markdown: str, quote: str) -> None:
    text = read_text(markdown)
    shown = shown_marks(markdown, text.plain, text.to_plain).text
    for place in range(len(text.plain)):
        assert shown.text[shown.place_of(place)] == text.plain[place]
    for one in [*find_quote(quote, text), *faithful_places(quote, text)]:
        assert 0 <= one.start < one.end <= len(markdown)
        for said in one.differences:
            assert 0 <= said.quote_start <= said.quote_end <= len(quote)
            assert one.start <= said.char_start <= said.char_end <= one.end
