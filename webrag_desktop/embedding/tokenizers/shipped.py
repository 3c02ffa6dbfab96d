"""The shipped tokenizers: BERT's uncased WordPiece, and the byte pairs of OpenAI's cl100k_base and of granite."""

import base64
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import tiktoken
from tokenizers import Encoding, Tokenizer, models, normalizers, pre_tokenizers

from webrag_desktop.embedding.base import Tokenizer as TokenCounter
from webrag_desktop.embedding.catalog import (
    BERT_UNCASED,
    BERT_VOCABULARY_SHA256,
    CL100K,
    CL100K_RANKS_SHA256,
    GRANITE_NAME,
    GRANITE_TOKENIZER_SHA256,
    MULTILINGUAL_NAME,
)
from webrag_desktop.embedding.tokenizers.known_words import WordCounts, WordStarts
from webrag_desktop.embedding.tokenizers.sentence_pieces import SentencePieces
from webrag_desktop.resources import resource_path, verified_bytes

# Longer pieces only cost memory (measured: 1 MB of text in one piece takes 170 MB more than in pieces).
PIECE = 16_384

# Text without a harmless cut ends here all the same: tiktoken's expression overflows its stack on some
# hundred thousand spaces, and its merging and tokenizers' memory grow faster than the text.
LONGEST_PIECE = 65_536


def pieces(text: str, boundary: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The text in order as ``(offset, piece)``, cut after matches of ``boundary`` where there are any.

    Only a run of over 65,536 code points without one is cut elsewhere.
    """
    start = 0
    while len(text) - start > PIECE:
        match = boundary.search(text, start + PIECE, start + LONGEST_PIECE)
        end = match.end() if match else min(start + LONGEST_PIECE, len(text))
        yield start, text[start:end]
        start = end
    if start < len(text):
        yield start, text[start:]


CLASSIFY_ID = 101
SEPARATE_ID = 102

# Words end at white space, and nothing that is normalised reaches over it.
WORD_BOUNDARY = re.compile(r"[ \n]")


class WordPieceTokenizer:
    """Tokens of bert-base-uncased: lower-cased, accents stripped, words over 100 characters one unknown token.

    Words such as ``[SEP]`` in a text are ordinary text here, never the model's own markers.
    """

    name = BERT_UNCASED
    special_tokens = 2

    def __init__(self) -> None:
        vocabulary = verified_bytes(
            resource_path("tokenizers", BERT_UNCASED, "vocab.txt"), BERT_VOCABULARY_SHA256
        )
        words = vocabulary.decode("utf-8").rstrip("\n").split("\n")
        ranks = {word: rank for rank, word in enumerate(words)}
        model = models.WordPiece(ranks, unk_token="[UNK]", max_input_chars_per_word=100)  # noqa: S106 - no password
        self._tokenizer = Tokenizer(model)
        self._tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        self._tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        self._words = WordStarts(lambda text: [start for start, _ in self._encode(text).offsets])

    def token_ids(self, text: str) -> list[int]:
        """The ids of the text's tokens, without ``[CLS]`` and ``[SEP]``."""
        return [token for _, piece in pieces(text, WORD_BOUNDARY) for token in self._encode(piece).ids]

    def input_ids(self, text: str) -> list[int]:
        """What the model is given for the text: its tokens between ``[CLS]`` and ``[SEP]``."""
        return [CLASSIFY_ID, *self.token_ids(text), SEPARATE_ID]

    def token_starts(self, text: str) -> Sequence[int]:
        """The offset of every token's first code point (see :class:`~webrag_desktop.embedding.base.Tokenizer`)."""
        starts: list[int] = []
        for offset, piece in pieces(text, WORD_BOUNDARY):
            starts.extend((self._words.starts(piece) + offset).tolist())
        return starts

    def count(self, text: str) -> int:
        """The number of tokens, special tokens left out."""
        return sum(self._words.count(piece) for _, piece in pieces(text, WORD_BOUNDARY))

    def _encode(self, piece: str) -> Encoding:
        return self._tokenizer.encode(piece, add_special_tokens=False)


# How the encoding splits text before merging; part of its published definition (tiktoken, MIT).
_SPLIT = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

# No alternative of the expression above matches across a newline followed by something visible.
LINE_BOUNDARY = re.compile(r"\n(?=\S)")


class BytePairs:
    """Where tokens start for an encoding that merges pairs of bytes, best rank first, within what ``split`` matches.

    ``ranks`` has a token's bytes and rank; ``boundary`` is where a text may be cut without changing its tokens, and
    ``word``, where there is one, matches what is read as it would be alone.
    """

    def __init__(
        self,
        name: str,
        split: str,
        ranks: dict[bytes, int],
        boundary: re.Pattern[str],
        word: re.Pattern[str] | None = None,
    ) -> None:
        self.name = name
        self._boundary = boundary
        self._count = WordCounts(word, self._encoded).count if word else self._encoded
        self._encoding = tiktoken.Encoding(name, pat_str=split, mergeable_ranks=ranks, special_tokens={})
        self._lengths = np.array(
            [len(token) for token in sorted(ranks, key=ranks.__getitem__)], dtype=np.int64
        )

    def token_starts(self, text: str) -> Sequence[int]:
        """The offset of every token's first code point; a token inside a code point has that one's offset."""
        starts: list[int] = []
        for offset, piece in pieces(text, self._boundary):
            starts.extend((self._starts(piece) + offset).tolist())
        return starts

    def count(self, text: str) -> int:
        """The number of tokens, special tokens left out."""
        return sum(self._count(piece) for _, piece in pieces(text, self._boundary))

    def _encoded(self, piece: str) -> int:
        return len(self._encoding.encode_ordinary(piece))

    def ranks(self, text: str) -> list[int]:
        """The ranks of the text's tokens."""
        return [
            rank
            for _, piece in pieces(text, self._boundary)
            for rank in self._encoding.encode_ordinary(piece)
        ]

    def _starts(self, piece: str) -> npt.NDArray[np.int64]:
        lengths = self._lengths[self._encoding.encode_ordinary(piece)]
        byte_starts = np.cumsum(lengths) - lengths
        encoded = np.frombuffer(piece.encode("utf-8"), dtype=np.uint8)
        begins_code_point = (encoded & 0xC0) != 0x80
        code_point = np.cumsum(begins_code_point, dtype=np.int64) - 1
        starts: npt.NDArray[np.int64] = code_point[byte_starts]
        return starts


class Cl100kTokenizer(BytePairs):
    """Tokens of cl100k_base. Markers such as ``<|endoftext|>`` in a text are ordinary text."""

    special_tokens = 0

    def __init__(self) -> None:
        table = verified_bytes(resource_path("tokenizers", CL100K, f"{CL100K}.tiktoken"), CL100K_RANKS_SHA256)
        pairs = (line.split() for line in table.splitlines())
        ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
        super().__init__(CL100K, _SPLIT, ranks, LINE_BOUNDARY)


# How GPT-2's encoding, which granite's is, splits text before merging; what cannot match is not tried again.
_GPT2_SPLIT = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"

# Nothing that is visible shares a token with white space after it.
BLANK_BOUNDARY = re.compile(r"\S(?=[ \n])")
# A word with the white space before it. Python also takes four control characters for white space, GPT-2 does not.
BLANK_AND_WORD = re.compile(r"[^\S\x1c-\x1f]*[\S\x1c-\x1f]+|[^\S\x1c-\x1f]+")

_BEGIN_ID, _END_ID = 0, 2


class GraniteTokenizer(BytePairs):
    """Tokens of granite-embedding-30m-english. Markers such as ``<s>`` or ``<mask>`` in a text are ordinary text."""

    special_tokens = 2

    def __init__(self) -> None:
        path = resource_path("tokenizers", GRANITE_NAME, "tokenizer.json")
        model = json.loads(verified_bytes(path, GRANITE_TOKENIZER_SHA256))["model"]
        letters = _letters_of_bytes()
        merged = [merge.replace(" ", "") for merge in model["merges"]]  # a blank is written as another letter
        tokens = [*letters.values(), *merged]
        bytes_of = {letter: byte for byte, letter in letters.items()}
        ranks = {bytes(map(bytes_of.__getitem__, token)): rank for rank, token in enumerate(tokens)}
        super().__init__(GRANITE_NAME, _GPT2_SPLIT, ranks, BLANK_BOUNDARY, BLANK_AND_WORD)
        self._ids = [model["vocab"][token] for token in tokens]

    def token_ids(self, text: str) -> list[int]:
        """The ids of the text's tokens, without ``<s>`` and ``</s>``."""
        return [self._ids[rank] for rank in self.ranks(text)]

    def input_ids(self, text: str) -> list[int]:
        """What the model is given for the text: its tokens between ``<s>`` and ``</s>``."""
        return [_BEGIN_ID, *self.token_ids(text), _END_ID]


def _letters_of_bytes() -> dict[int, str]:
    """The visible letter that a ``tokenizer.json`` writes for every byte: Latin-1's own, or one above, in order."""
    visible = [byte for byte in range(256) if chr(byte).isprintable() and byte not in (0x20, 0xAD)]
    others = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {byte: chr(256 + n) for n, byte in enumerate(others)}


InputTokenizer = WordPieceTokenizer | GraniteTokenizer | SentencePieces
_INPUT_TOKENIZERS: dict[str, type[InputTokenizer]] = {
    BERT_UNCASED: WordPieceTokenizer,
    GRANITE_NAME: GraniteTokenizer,
    MULTILINGUAL_NAME: SentencePieces,
}


@cache
def input_tokenizer(name: str) -> InputTokenizer:
    """The tokenizer of a model inside the program, opened once.

    Raises:
        KeyError: none has that name.
        EmbeddingError: its file is missing or altered.
    """
    return _INPUT_TOKENIZERS[name]()


@cache
def shipped_tokenizer(name: str) -> TokenCounter:
    """The tokenizer of that name that the program or an extra brings; raises as :func:`input_tokenizer`."""
    return Cl100kTokenizer() if name == CL100K else input_tokenizer(name)
