"""A quotation as it was given, and the words by which it is looked for."""

import re

import pytest

from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.quotes.passages import LONGEST_QUOTE, read_quotation
from webrag_desktop.retrieval.quotes.scan import hiding, literal_words


def test_what_no_text_can_hold_leaves_offsets_as_they_are() -> None:
    quotation = read_quotation("a\x00b\ud800c")
    assert quotation.text == "a\u00adb\u00adc"
    assert quotation.sought.texts == ("abc",)


@pytest.mark.parametrize("text", ["", " \n\t", "\x00", "\ud800 "])
def test_nothing_cannot_be_looked_for(text: str) -> None:
    with pytest.raises(InputError) as refused:
        read_quotation(text)
    assert refused.value.hint


def test_the_longest_that_is_looked_for() -> None:
    read_quotation("a" * LONGEST_QUOTE)
    with pytest.raises(InputError):
        read_quotation("a" * (LONGEST_QUOTE + 1))


def test_a_long_one_is_looked_up_by_runs_from_its_beginning_to_its_end() -> None:
    words = [f"word{n}" for n in range(9_000)]
    sought = read_quotation(" ".join(words)).sought
    taken = [run.split() for run in sought.texts]
    assert sum(map(len, taken)) < 500
    assert all(word in words for run in taken for word in run)
    numbers = [int(run[0].removeprefix("word")) for run in taken]
    assert numbers == sorted(numbers)
    assert numbers[0] < 10
    assert numbers[-1] > 8_900


def test_words_are_sought_in_the_forms_in_which_texts_may_have_them() -> None:
    sought = read_quotation("ﬁne “cafe\u0301”").sought
    assert sought.texts == ('fine "café"',)
    assert set(sought.other_forms) == {"ﬁne “cafe\u0301”", 'fine "cafe\u0301"', 'ﬁne "café"'}
    assert "o\ufb03ce ﬂoor" in read_quotation("office floor").sought.other_forms


def test_writing_without_spaces_and_names_of_code_are_sought_whole() -> None:
    sought = read_quotation("貝は殻 open_library()").sought
    assert set(sought.literals) == {"貝は", "は殻", "open_library"}
    assert sought.texts[0].split() == ["open_library()"]


def test_what_was_left_out_may_be_long() -> None:
    assert read_quotation("one two … three four").reach > read_quotation("one two, three four").reach + 4_000


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("To be, or not", {"To", "be", "or", "not"}),
        ("café ﬁne cafe\u0301", {"café", "fine"}),
        ("deep.[1] More", {"deep", "More"}),  # the mark may have been left out
        ("**bold** words", {"bold", "words"}),
        ("[shown](https://example.org/hidden) here", set()),  # of the address, nothing need be shown
        ("貝は殻", {"貝", "は", "殻"}),
        ("हिन्दी word", {"ह", "न", "द", "word"}),  # its marks may stand in another order
    ],
)
def test_only_words_that_every_text_must_hold_are_asked_for(quote: str, words: set[str]) -> None:
    assert set(literal_words(read_quotation(quote)).words) == words


def test_words_are_asked_for_in_order_where_they_have_one() -> None:
    assert literal_words(read_quotation("to be, or")).in_order == "[^[:alpha:]]*".join(("to", "be", "or"))
    assert literal_words(read_quotation("deep.[1] More")).in_order == ""
    assert literal_words(read_quotation("to be … or")).in_order == ""


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("process", "process"),
        ("process", "pro-\ncess"),
        ("process", "pro\u00adcess"),
        ("process", "proc\u00ad \n ess"),
        ("process", "\uff50rocess"),
        ("office", "o\ufb03ce"),
        ("office", "of\ufb01ce"),
        ("office", "o\ufb00ice"),
        ("caf\u00e9", "cafe\u0301"),
        ("\u1ed9t", "o\u0302\u0323t"),
        ("\u1ed9t", "\u00f4\u0323t"),
        ("\ud55c\uae00", "\u1112\u1161\u11ab\uae00"),
        ("\ud55c\uae00", "\ud558\u11ab\u1100\u1173\u11af"),
        ("\u30ac\u30b9", "\uff76\uff9e\uff7d"),
        ("\u6f22", "\u200b\u6f22"),
    ],
)
def test_a_word_is_looked_for_however_it_is_written(word: str, written: str) -> None:
    hidden = literal_words(read_quotation(word)).however_written
    assert all(re.search(one, f"The {written} ended.") for one in hidden)
    assert re.search(hiding(), written) or written == word
    other = f"The ﬁne pre-\ncision of e\u00adther wo\u0301rds, ｗｉｄｅ, ㍿ and {word[:-1]}."
    assert not all(re.search(one, other) for one in hidden)


@pytest.mark.parametrize("quote", ["x" * 100_000, "to be " + "x" * 90_000, "x" * 300 + " to be"])
def test_of_words_without_end_the_expressions_hold_the_beginning(quote: str) -> None:
    words = literal_words(read_quotation(quote))
    plain = words.in_order.replace("[^[:alpha:]]*", "")
    assert 190 <= len(plain) <= 200
    assert quote.replace(" ", "").startswith(plain)
    for one in words.however_written:
        assert len(one) < 200_000
        assert re.search(one, quote[:2] + "\u00ad" + quote[2:])
