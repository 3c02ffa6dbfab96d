import pytest

from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.query_text import LONGEST_QUERY, read_query


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\x00", "\x00 \ud800"])
def test_a_question_without_text_is_refused(query: str) -> None:
    with pytest.raises(InputError, match="no question"):
        read_query(query)


def test_what_no_stored_text_can_hold_is_dropped() -> None:
    assert read_query("a\x00b\udfff c").meaning == "ab c"


def test_ten_thousand_characters_are_fine_and_a_book_is_not() -> None:
    assert len(read_query("word " * 2000).words.words) > 9000
    with pytest.raises(InputError, match="50,000"):
        read_query("x" * (LONGEST_QUERY + 1))


def test_phrases_keep_their_quotation_marks_and_words_lose_them() -> None:
    words = read_query('say "hello world" now').words
    assert words.phrases == 'say "hello world" now'
    assert words.words == "say  hello world  now"


def test_minus_terms_are_excluded_from_both_arms() -> None:
    asked = read_query('jaguar -car -"formula one" speed')
    assert asked.words.excluded == ("car", "formula one")
    assert "car" not in asked.meaning
    assert "car" not in asked.words.phrases
    assert asked.meaning.split() == ["jaguar", "speed"]


@pytest.mark.parametrize("query", ["docker --no-cache", "gcc -O2", "range(5, -1, -1)", "tar -v"])
def test_options_and_numbers_exclude_nothing(query: str) -> None:
    asked = read_query(query)
    assert asked.words.excluded == ()
    assert asked.meaning == query
    assert not any(word.startswith("-") for word in asked.words.phrases.split())


def test_identifiers_and_bigrams_are_asked_for_as_a_whole() -> None:
    words = read_query("max_depth と --no-cache").words
    assert words.identifiers == ("max_depth", "--no-cache", "no-cache")
    assert words.bigrams == ("と",)
    assert "と" not in words.words


def test_a_question_of_exclusions_alone_looks_for_the_words() -> None:
    asked = read_query("-verbose")
    assert asked.words.excluded == ()
    assert asked.words.words == "verbose"
