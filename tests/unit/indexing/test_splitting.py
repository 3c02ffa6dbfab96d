"""Measuring and cutting text."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.markdown_documents import ANY_TEXT
from tests.support.tokenizers import ByteTokenizer, LongWordTokenizer, WordTokenizer
from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.indexing.splitting import Break, Piece, TokenRuler, pack, split_span


def pieces(text: str, limit: int, keep_until: int = 0) -> list[str]:
    ruler = TokenRuler(text, WordTokenizer())
    return [text[slice(*span)] for span in split_span(ruler, 0, len(text), limit, keep_until)]


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("a b c", 3, ["a b c"]),
        ("a b\n\nc d", 3, ["a b\n\n", "c d"]),
        ("a\nb c\nd e", 4, ["a\nb c\n", "d e"]),
        ("a b. c d! e f", 4, ["a b. ", "c d! ", "e f"]),
        ("a b c d e", 3, ["a b c ", "d e"]),
        ("\n\n\na b c d e", 3, ["\n\n\na b c ", "d e"]),
    ],
)
def test_the_coarsest_separator_that_fits_is_used(text: str, limit: int, expected: list[str]) -> None:
    assert pieces(text, limit) == expected


def test_an_early_abbreviation_is_no_place_to_cut() -> None:
    assert pieces("Dr. a b c d e f g h i j k l m n o p q", 12)[0].startswith("Dr. a b")


def test_what_must_stay_together_does() -> None:
    assert pieces("# h\n\na b c d", 3, keep_until=5) == ["# h\n\na ", "b c d"]


def test_a_span_without_spaces_weighs_by_its_length() -> None:
    ruler = TokenRuler("a " + "x" * 320 + " b", LongWordTokenizer())
    assert ruler.tokens_before(400) == 3
    assert ruler.weight(0, 400) == 12
    assert TokenRuler("a" + " " * 320 + "b", LongWordTokenizer()).weight(0, 400) == 2


@given(ANY_TEXT, st.integers(1, 30), st.sampled_from([WordTokenizer(), ByteTokenizer(), LongWordTokenizer()]))
@settings(deadline=None)
def test_spans_partition_and_keep_the_limit(text: str, limit: int, tokenizer: Tokenizer) -> None:
    ruler = TokenRuler(text, tokenizer)
    spans = list(split_span(ruler, 0, len(text), limit))
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(earlier[1] == later[0] for earlier, later in pairwise(spans))
    assert all(ruler.weight(*span) <= limit or span[1] - span[0] == 1 for span in spans)


@given(
    ANY_TEXT,
    st.integers(0, 400),
    st.integers(0, 30),
    st.sampled_from([WordTokenizer(), ByteTokenizer(), LongWordTokenizer()]),
)
def test_looking_back_is_as_far_as_the_limit_allows(
    text: str, end: int, limit: int, tokenizer: Tokenizer
) -> None:
    ruler, end = TokenRuler(text, tokenizer), min(end, len(text))
    start = ruler.back(end, limit)
    assert 0 <= start <= end
    assert ruler.weight(start, end) <= limit
    further = {ruler.weight(before, end) for before in range(start)}
    assert all(weight > limit for weight in further - {ruler.weight(start, end)})


def test_packing_fills_groups_and_heeds_breaks() -> None:
    ruler = TokenRuler("a b c d e f g h", WordTokenizer())
    plain = [Piece(n * 2, n * 2 + 2) for n in range(7)]
    assert [len(group) for group in pack(ruler, plain, 3)] == [3, 3, 1]
    soft = [piece._replace(before=Break.SOFT) for piece in plain]
    assert [len(group) for group in pack(ruler, soft, 4)] == [2, 2, 2, 1]
    hard = [piece._replace(before=Break.HARD) for piece in plain]
    assert [len(group) for group in pack(ruler, hard, 9)] == [1] * 7


def test_a_character_that_fits_the_limit_is_whole_where_a_share_is_less() -> None:
    family = "👩\u200d👩\u200d👧"
    ruler = TokenRuler(f"{family}ab", ByteTokenizer())
    assert list(split_span(ruler, 0, len(ruler.text), 18)) == [
        (0, len(family)),
        (len(family), len(family) + 2),
    ]
