"""Texts encoded in pieces give the tokens that the tokenizers' own libraries give of the whole."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer, Tokenizer

from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.embedding.tokenizers import known_words, shipped
from webrag_desktop.embedding.tokenizers.shipped import WORD_BOUNDARY, input_tokenizer
from webrag_desktop.resources import resource_path

untimed = settings(deadline=None)  # the first example loads the tokenizers
FRAGMENTS = (
    "max_depth",
    "Café",
    "cafe\u0301 ",
    "日本語",
    "한국어 ",
    "👩‍👩‍👧",
    "ﬁ",
    "x" * 120,
    "don't ",
    "1234567",
    "```py\n",
    "| a |",
    "[SEP]",
    "<|endoftext|>",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "\u00a0",
    "\u2028",
    ".\x1c",  # white space for Python alone
)
TEXTS = st.one_of(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join), st.text(max_size=200))


@cache
def bert_itself() -> Callable[[str], list[int]]:
    """The published tokenizer as the tokenizers library assembles it."""
    vocabulary = resource_path("tokenizers", "bert-base-uncased", "vocab.txt")
    assembled = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
    assembled._tokenizer.encode_special_tokens = True
    return lambda text: list(assembled.encode(text, add_special_tokens=False).ids)


@cache
def cl100k_itself() -> Callable[[str], list[int]]:
    """tiktoken's own encoding, its download replaced by the shipped file."""
    with pytest.MonkeyPatch.context() as environment, tempfile.TemporaryDirectory() as folder:
        address = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
        cached = Path(folder) / hashlib.sha1(address.encode()).hexdigest()
        cached.write_bytes(resource_path("tokenizers", "cl100k_base", "cl100k_base.tiktoken").read_bytes())
        environment.setenv("TIKTOKEN_CACHE_DIR", folder)
        return tiktoken.get_encoding("cl100k_base").encode_ordinary


@cache
def granite_itself() -> Callable[[str], list[int]]:
    """The published tokenizer as the tokenizers library opens it."""
    opened = Tokenizer.from_file(
        str(resource_path("tokenizers", "granite-embedding-30m-english", "tokenizer.json"))
    )
    opened.encode_special_tokens = True
    return lambda text: list(opened.encode(text, add_special_tokens=False).ids)


REFERENCES = {
    "bert-base-uncased": bert_itself,
    "cl100k_base": cl100k_itself,
    "granite-embedding-30m-english": granite_itself,
}
every = pytest.mark.parametrize("name", REFERENCES)


@contextmanager
def small_pieces() -> Iterator[None]:
    """Cut at every place where a long text may be cut."""
    with patch.object(shipped, "PIECE", 1):
        yield


@every
@untimed
@given(text=TEXTS)
def test_counts_are_those_of_the_whole(name: str, text: str) -> None:
    whole = len(REFERENCES[name]()(text))
    tokenizer = open_tokenizer(name)
    assert tokenizer.count(text) == len(tokenizer.token_starts(text)) == whole
    with small_pieces():
        assert tokenizer.count(text) == len(tokenizer.token_starts(text)) == whole


@pytest.mark.parametrize(
    ("name", "first", "last"), [("bert-base-uncased", 101, 102), ("granite-embedding-30m-english", 0, 2)]
)
@untimed
@given(text=TEXTS)
def test_what_a_model_gets_are_the_ids_of_the_whole_between_its_markers(
    name: str, first: int, last: int, text: str
) -> None:
    tokenizer = input_tokenizer(name)
    with small_pieces():
        assert tokenizer.input_ids(text) == [first, *REFERENCES[name]()(text), last]
        assert len(tokenizer.input_ids(text)) == tokenizer.count(text) + tokenizer.special_tokens


@every
@settings(deadline=None, max_examples=8)
@given(fragments=st.lists(st.sampled_from(FRAGMENTS), min_size=5, max_size=30))
def test_counts_of_long_texts_are_those_of_the_whole(name: str, fragments: list[str]) -> None:
    text = "".join(fragments)
    text *= 3 * shipped.PIECE // len(text) + 1
    assert open_tokenizer(name).count(text) == len(REFERENCES[name]()(text))


def test_words_are_counted_once_until_too_many_are_remembered() -> None:
    counted: list[str] = []

    def count(word: str) -> int:
        counted.append(word)
        return len(word)

    counts = known_words.WordCounts(shipped.BLANK_AND_WORD, count)
    assert counts.count("to be or not  to be\n") == 20
    assert sorted(counted) == sorted(["to", " be", " or", " not", "  to", "\n"])
    assert counts.count("to be") == 5
    assert len(counted) == 6
    with patch.object(known_words, "_MOST_REMEMBERED", 20):
        assert counts.count("to beat") == 7
    assert sorted(counted[6:]) == [" beat", "to"]
    assert counts.count("to beat") == 7
    assert len(counted) == 8


def test_pieces_are_really_cut() -> None:
    with small_pieces():
        assert [piece for _, piece in shipped.pieces("a b c", WORD_BOUNDARY)] == ["a ", "b ", "c"]
