"""What holds for every tokenizer, and what each of them does to difficult text."""

import hashlib
import tempfile
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as FileOfTokenizer

from webrag_desktop.embedding.base import Tokenizer
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.embedding.tokenizers import shipped
from webrag_desktop.embedding.tokenizers.shipped import LONGEST_PIECE, WordPieceTokenizer, pieces
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.resources import resource_path

NAMES = ("bert-base-uncased", "cl100k_base", "granite-embedding-30m-english")
MULTILINGUAL = "universal-sentence-encoder-multilingual-3"
untimed = settings(deadline=None)  # the first example loads the tokenizer
every = pytest.mark.parametrize("name", NAMES)
all_of_them = pytest.mark.parametrize("name", [*NAMES, MULTILINGUAL])
byte_pairs = pytest.mark.parametrize("name", NAMES[1:])

# Words, markdown, scripts, combining marks, joined emoji, odd white space and controls, in any order.
WORDS = (
    "max_depth",
    "Café",
    "cafe\u0301",
    "日本語",
    "한국어",
    "👩‍👩‍👧",
    "ﬁ",
    "İ",
    "x" * 120,
    "don't",
    "1234567",
)
MARKS = ("```py", "| a |", "!", "...", "#", "\u0301", "\u200d", "\x00")
SPACES = (" ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u2028", "\x1c")
FRAGMENTS = st.sampled_from(WORDS + MARKS + SPACES)
TEXTS = st.one_of(st.lists(FRAGMENTS, max_size=60).map("".join), st.text(max_size=200))


@all_of_them
@untimed
@given(text=TEXTS)
@example(text="\x00\x00")
@example(text="\u0301")
def test_starts_are_in_the_text_never_descend_and_are_as_many_as_counted(name: str, text: str) -> None:
    tokenizer = open_tokenizer(name)
    starts = list(tokenizer.token_starts(text))
    assert starts == sorted(starts)
    assert all(0 <= start < len(text) for start in starts)
    assert tokenizer.count(text) == len(starts)


@untimed
@given(text=TEXTS)
def test_bert_starts_are_visible_characters(text: str) -> None:
    starts = open_tokenizer("bert-base-uncased").token_starts(text)
    assert all(text[start].strip(" \t\n\r") for start in starts)


@byte_pairs
@untimed
@given(text=TEXTS)
def test_byte_pairs_have_a_token_at_the_beginning_of_every_text(name: str, text: str) -> None:
    starts = open_tokenizer(name).token_starts(text)
    assert list(starts[:1]) == ([0] if text else [])


@every
@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_cutting_at_a_harmless_place_changes_nothing(name: str, text: str) -> None:
    """Every place where a long text may be cut gives the tokens of the whole."""
    tokenizer = open_tokenizer(name)
    boundaries = (shipped.WORD_BOUNDARY, shipped.LINE_BOUNDARY, shipped.BLANK_BOUNDARY)
    boundary = dict(zip(NAMES, boundaries, strict=True))[name]
    whole = list(tokenizer.token_starts(text))
    for place in [found.end() for found in boundary.finditer(text)]:
        head, tail = tokenizer.token_starts(text[:place]), tokenizer.token_starts(text[place:])
        assert [*head, *(place + start for start in tail)] == whole


@every
def test_long_text_is_counted_as_in_one_piece(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = open_tokenizer(name)
    paragraph = "The *max_depth* of a café’s tree 日本語 — don't split!\n\n  - item 1\n\tcode\n"
    text = paragraph * 2000
    in_pieces = list(tokenizer.token_starts(text))
    whole = lambda given, _: iter([(0, given)])  # noqa: E731 - a stand-in for one function
    monkeypatch.setattr(shipped, "pieces", whole)
    assert len(list(pieces(text, shipped.WORD_BOUNDARY))) > 4
    assert list(tokenizer.token_starts(text)) == in_pieces
    assert tokenizer.count(text) == len(in_pieces)


@every
@pytest.mark.parametrize(
    "text",
    [
        "\n" * 400_000 + "x",
        " " * 1_000_000 + "x",
        "x" * 400_000,
        "日本語の文" * 40_000,
        "👩‍👩‍👧" * 40_000,
        "!" * 300_000,
    ],
    ids=["newlines", "spaces", "one word", "no spaces", "emoji", "punctuation"],
)
def test_monotonous_megabytes_are_no_problem(name: str, text: str) -> None:
    tokenizer = open_tokenizer(name)
    starts = tokenizer.token_starts(text)
    assert len(starts) == tokenizer.count(text) > 0
    assert 0 <= starts[0] <= starts[-1] < len(text)
    assert len(text) > LONGEST_PIECE


@cache
def tiktoken_itself() -> tiktoken.Encoding:
    """tiktoken's own cl100k_base, its download replaced by the shipped file."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        address = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
        cached = Path(folder) / hashlib.sha1(address.encode()).hexdigest()
        cached.write_bytes(resource_path("tokenizers", "cl100k_base", "cl100k_base.tiktoken").read_bytes())
        patch.setenv("TIKTOKEN_CACHE_DIR", folder)
        return tiktoken.get_encoding("cl100k_base")


@cache
def granite_itself() -> FileOfTokenizer:
    """granite's tokenizer as the tokenizers library opens it."""
    path = resource_path("tokenizers", "granite-embedding-30m-english", "tokenizer.json")
    opened = FileOfTokenizer.from_file(str(path))
    opened.encode_special_tokens = True
    return opened


def tokens_between(text: str, starts: Sequence[int]) -> list[str]:
    borders = [*sorted(set(starts)), len(text)]
    return [text[start:end] for start, end in pairwise(borders)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("naïve café", [0, 6]),
        ("nai\u0308ve x", [0, 7]),  # the combining mark belongs to its word
        ("日本 語", [0, 1, 3]),
        ("👩‍👩‍👧 ok", [0, 6]),  # unknown to the vocabulary: one token for five code points
        ("ab\u200dc d", [0, 5]),  # joiners vanish
        ("[SEP] x", [0, 1, 4, 6]),
        ("x" * 101 + " y", [0, 102]),
        (" \n ", []),
        ("", []),
    ],
)
def test_bert_starts_at_known_places(text: str, expected: list[int]) -> None:
    assert list(open_tokenizer("bert-base-uncased").token_starts(text)) == expected


def test_bert_syllables_share_the_start_of_their_code_point() -> None:
    assert list(open_tokenizer("bert-base-uncased").token_starts("한국")) == [0, 0, 0, 1, 1, 1]


def test_bert_ids_are_those_of_the_published_vocabulary() -> None:
    tokenizer = WordPieceTokenizer()
    assert tokenizer.token_ids("Hello, world!") == [7592, 1010, 2088, 999]
    assert tokenizer.token_ids("[CLS]") == [1031, 18856, 2015, 1033]
    assert tokenizer.special_tokens == 2


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hello, world!", ["Hello", ",", " world", "!"]),
        ("don't stop", ["don", "'t", " stop"]),
        ("12345", ["123", "45"]),
        ("<|endoftext|>", ["<", "|", "endo", "ft", "ext", "|", ">"]),
    ],
)
def test_cl100k_cuts_known_texts(text: str, tokens: list[str]) -> None:
    assert tokens_between(text, open_tokenizer("cl100k_base").token_starts(text)) == tokens


def test_cl100k_token_inside_a_code_point_has_its_offset() -> None:
    starts = list(open_tokenizer("cl100k_base").token_starts("a🦩b"))
    assert starts[0] == 0
    assert starts.count(1) > 1
    assert starts[-1] == 2


@untimed
@given(text=TEXTS)
def test_cl100k_starts_agree_with_the_bytes_of_its_tokens(text: str) -> None:
    """A slow reading of the definition: the code point that holds each token's first byte."""
    encoding = tiktoken_itself()
    owners = [index for index, char in enumerate(text) for _ in char.encode()]
    expected, position = [], 0
    for token in encoding.encode_ordinary(text):
        expected.append(owners[position])
        position += len(encoding.decode_single_token_bytes(token))
    assert list(open_tokenizer("cl100k_base").token_starts(text)) == expected


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hello, world!", ["Hello", ",", " world", "!"]),
        ("a  b\n\n c", ["a", " ", " b", "\n\n", " c"]),
        ("<s> x</s>", ["<", "s", ">", " x", "</", "s", ">"]),
        ("<mask>", ["<", "mask", ">"]),
        ("naïve", ["na", "ïve"]),
    ],
)
def test_granite_cuts_known_texts(text: str, tokens: list[str]) -> None:
    starts = open_tokenizer("granite-embedding-30m-english").token_starts(text)
    assert tokens_between(text, starts) == tokens


def test_granite_tokens_inside_a_code_point_have_its_offset() -> None:
    starts = list(open_tokenizer("granite-embedding-30m-english").token_starts("a🦩b"))
    assert starts[0] == 0
    assert starts.count(1) > 1
    assert starts[-1] == 2


@untimed
@given(text=TEXTS)
def test_granite_starts_agree_with_the_bytes_of_its_tokens(text: str) -> None:
    """A slow reading of the definition: the code point that holds each token's first byte, as its own library cuts."""
    file = granite_itself()
    owners = [index for index, char in enumerate(text) for _ in char.encode()]
    expected, position = [], 0
    for token in file.encode(text, add_special_tokens=False).tokens:
        expected.append(owners[position])
        position += len(token)  # every byte is written as one letter
    assert position == len(owners)
    assert list(open_tokenizer("granite-embedding-30m-english").token_starts(text)) == expected


def test_unknown_tokenizer_is_refused_with_the_choices() -> None:
    with pytest.raises(ConfigurationError) as caught:
        open_tokenizer("gpt2")
    assert "bert-base-uncased" in caught.value.hint


def test_tokenizers_are_opened_once_and_know_their_name() -> None:
    for name in NAMES:
        tokenizer: Tokenizer = open_tokenizer(name)
        assert tokenizer.name == name
        assert open_tokenizer(name) is tokenizer
