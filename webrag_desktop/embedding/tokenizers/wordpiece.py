"""BERT's uncased WordPiece tokenizer from the shipped vocabulary: all-MiniLM-L6-v2 and nomic-embed-text use it."""

import re
from collections.abc import Sequence

from tokenizers import Encoding, Tokenizer, models, normalizers, pre_tokenizers

from webrag_desktop.embedding.catalog import BERT_UNCASED, BERT_VOCABULARY_SHA256
from webrag_desktop.embedding.tokenizers.pieces import pieces
from webrag_desktop.embedding.tokenizers.word_starts import WordStarts
from webrag_desktop.resources import resource_path, verified_bytes

CLASSIFY_ID = 101
SEPARATE_ID = 102

# Words end at white space, and nothing that is normalised reaches over it.
BOUNDARY = re.compile(r"[ \n]")


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
        return [token for _, piece in pieces(text, BOUNDARY) for token in self._encode(piece).ids]

    def token_starts(self, text: str) -> Sequence[int]:
        """The offset of every token's first code point (see :class:`~webrag_desktop.embedding.base.Tokenizer`)."""
        starts: list[int] = []
        for offset, piece in pieces(text, BOUNDARY):
            starts.extend((self._words.starts(piece) + offset).tolist())
        return starts

    def count(self, text: str) -> int:
        """The number of tokens, special tokens left out."""
        return sum(self._words.count(piece) for _, piece in pieces(text, BOUNDARY))

    def _encode(self, piece: str) -> Encoding:
        return self._tokenizer.encode(piece, add_special_tokens=False)
