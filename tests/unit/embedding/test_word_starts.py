"""Token starts word by word are those of the tokenizer over the whole text."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from webrag_desktop.embedding.tokenizers import known_words as word_starts
from webrag_desktop.embedding.tokenizers.known_words import WordStarts
from webrag_desktop.resources import resource_path

FRAGMENTS = st.one_of(
    st.sampled_from(
        [
            "max_depth", "Café", "cafe\u0301", "日本語", "한국어", "👩‍👩‍👧", "ﬁ", "İ", "x" * 120, "don't", "1234567",
            "ΟΔΟΣ", "\u0301", "\u200d", "\x00", "\x00a", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u2028", "\x1c",
            "\x0b", "\x7f", "\x85", "\ufffd", "\ufeff", "“x”", "–", "\u0378", "C++", "...", "a.b/c_d",
        ]
    ),
    st.text(max_size=4),
)  # fmt: skip
TEXTS = st.lists(FRAGMENTS, max_size=14).map("".join)


def bert() -> Tokenizer:
    words = (resource_path("tokenizers", "bert-base-uncased", "vocab.txt").read_text("utf-8")).split("\n")
    ranks = {word: rank for rank, word in enumerate(words)}
    model = models.WordPiece(ranks, unk_token="[UNK]", max_input_chars_per_word=100)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


BERT = bert()


def whole(text: str) -> list[int]:
    return [start for start, _ in BERT.encode(text, add_special_tokens=False).offsets]


KEPT = WordStarts(whole)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
@example("")
@example(" \n")
@example("plain words, no more: " * 20 + "– and an unusual one")
def test_starts_are_those_of_the_whole_text(text: str) -> None:
    long = text * (1 + 250 // max(1, len(text)))  # short texts are counted in another way
    for starts in (KEPT, WordStarts(whole)):  # words met before, and none met before
        for part in (text, long):
            assert starts.starts(part).tolist() == whole(part)
            assert starts.count(part) == len(whole(part))


def test_a_word_is_encoded_once() -> None:
    seen: list[str] = []

    def encode(text: str) -> list[int]:
        seen.append(text)
        return whole(text)

    starts = WordStarts(encode)
    for _ in range(3):
        assert starts.starts("tree of trees, tree").tolist() == whole("tree of trees, tree")
    assert sorted(seen[0].split()) == ["of", "tree", "trees"]
    assert len(seen) == 1


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_starts, "_MOST_REMEMBERED", 40)
    asked = 0

    def encode(text: str) -> list[int]:
        nonlocal asked
        asked += len(text.split())
        return whole(text)

    starts = WordStarts(encode)
    for number in range(20):
        text = f"forest number{number} of many"
        assert starts.starts(text).tolist() == whole(text)
    assert 20 < asked <= 80
