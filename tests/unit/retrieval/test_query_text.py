import re

import pytest

from webrag_desktop.errors import InputError
from webrag_desktop.retrieval.query_text import LONGEST_QUERY, LONGEST_WORDS, MOST_LITERALS, read_query


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


@pytest.mark.parametrize("query", ['"git commit -amend now"', 'say "rm -recursive" twice', '"a" "-none"'])
def test_a_dash_within_a_quotation_excludes_nothing(query: str) -> None:
    asked = read_query(query)
    assert asked.words.excluded == ()
    assert asked.meaning == query


@pytest.mark.parametrize(
    ("query", "excluded"),
    [
        ("tide -docs/python", "docs/python"),
        ("tide -can't", "can't"),
        ("tide -日本", "日本"),
        ('"red -sea" tide -"dead sea"', "dead sea"),
    ],
)
def test_a_minus_term_is_excluded_whole(query: str, excluded: str) -> None:
    asked = read_query(query)
    assert asked.words.excluded == (excluded,)
    assert asked.meaning.endswith("tide")


def test_excluded_writing_without_spaces_is_given_by_pairs() -> None:
    assert read_query('tide -日本語 -"東京 bay" -sea -" "').words.excluded_query == (
        '"日本" "本語" or "bay" "東京" or "sea"'
    )


def test_identifiers_and_bigrams_are_asked_for_as_a_whole() -> None:
    words = read_query("max_depth と --no-cache").words
    assert words.identifiers == ("max_depth", "--no-cache", "no-cache")
    assert words.bigrams == ("と",)
    assert "と" not in words.words


def test_a_question_of_exclusions_alone_looks_for_the_words() -> None:
    asked = read_query("-verbose")
    assert asked.words.excluded == ()
    assert asked.words.words == "verbose"


@pytest.mark.parametrize("query", ["|" + "-" * 40 + "| x", "(-" * 33 + " x", 'a -" - b', "_-_ -- C- x-y -1"])
def test_a_dash_stays_only_inside_a_word(query: str) -> None:
    phrases = read_query(query).words.phrases
    assert re.search(r"(?<!\w)-|-(?!\w)", phrases) is None
    assert ("x-y" in phrases) == ("x-y" in query)


def test_more_terms_than_the_full_text_holds_are_left_out_and_said() -> None:
    every_character = "".join(map(chr, range(0x4E00, 0x4E00 + 20_000)))
    japanese = read_query(every_character + every_character[::2] + every_character[::3])
    assert len(japanese.words.bigrams) == MOST_LITERALS
    named = read_query("日本 " + " ".join(f"a{n}" for n in range(8_000)))
    assert len(named.words.identifiers) == MOST_LITERALS
    assert named.words.bigrams == ()
    assert len(named.words.words) <= LONGEST_WORDS
    excluding = read_query("x " + " ".join(f'-"{n:05}"' for n in range(5_000)))
    assert 2_000 < len(excluding.words.excluded) < 5_000
    for asked in (japanese, named, excluding):
        assert asked.shortened is not None
        assert "last words were not searched for" in asked.shortened


@pytest.mark.parametrize("query", ["word " * 2_000, '"' * 10, "日本語", "jaguar -car -car"])
def test_ordinary_questions_are_searched_whole(query: str) -> None:
    assert read_query(query).shortened is None


def test_words_are_cut_in_a_gap_where_there_is_one() -> None:
    assert read_query("words " * 3_000).words.words.endswith(" words")
    assert len(read_query("x" * 20_000).words.words) == LONGEST_WORDS
    assert read_query("日 " * 20_000).words.words.strip() == ""


def test_plain_words_have_no_syntax() -> None:
    words = read_query('jaguar -car or "the cat"', "plain").words
    assert words.excluded == ()
    assert '"or"' in words.phrases
    assert words.phrases.replace('"or"', "or").count('"') == 0
    assert not words.exact


def test_a_phrase_is_all_words_in_one_pair_of_quotation_marks() -> None:
    words = read_query('red "fox" max_depth', "phrase").words
    assert words.phrases == '"red  fox  max_depth"'
    assert words.identifiers == ()
    assert words.exact


def test_a_strict_query_goes_as_it_is_and_means_what_must_occur() -> None:
    asked = read_query("(tide:* | 'high sea') & !storm <2> moon & !'a b' \x00", "strict", "english")
    assert asked.words.phrases == "(tide:* | 'high sea') & !storm <2> moon & !'a b'"
    assert asked.meaning == asked.words.words == "tide high sea moon"
    assert (asked.words.config, asked.words.exact) == ("english", True)
    assert read_query("!storm", "strict").meaning == "!storm"


def test_a_strict_query_is_not_cut() -> None:
    with pytest.raises(InputError, match="12,000"):
        read_query("a & " * LONGEST_WORDS, "strict")


def test_words_that_may_be_misspelt() -> None:
    query = 'The Glaicers, "Quoted wrods" max_depht http://exmaple.org Glaicers rivr -excluded (Wörther) ice-feilds'
    assert read_query(query).words.correctable == ("glaicers", "wörther", "feilds")
    assert read_query(query, corrections=False).words.correctable == ()
    assert read_query("glaicers", "phrase").words.correctable == ()
    assert (
        len(read_query(" ".join("abcdefghij"[n % 10] * (n // 10 + 5) for n in range(200))).words.correctable)
        == 50
    )
