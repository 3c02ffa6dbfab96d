"""A tokenizer from the user's own ``tokenizer.json``, for models whose tokenizer is not shipped."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Encoding, Tokenizer

from webrag_desktop.errors import ConfigurationError

_HINT = "Set EMBEDDING_TOKENIZER to the path of the tokenizer.json that belongs to the model."


def is_tokenizer_file(name: str) -> bool:
    """Whether the name means a file: ``file:PATH`` or something that ends in ``.json``."""
    return name.startswith("file:") or name.partition("#")[0].lower().endswith(".json")


def tokenizer_file_name(name: str) -> str:
    """The name that stays true: ``file:ABSOLUTE-PATH#`` and the first 16 digits of the content's sha256."""
    path = _path(name)
    return f"file:{path}#{_digest(_read(path))}"


class FileTokenizer:
    """The tokenizer in a ``tokenizer.json``, its truncation and padding switched off.

    Raises :class:`ConfigurationError` if the file is missing, is no tokenizer, or changed since its name was made.
    """

    def __init__(self, name: str) -> None:
        path = _path(name)
        content = _read(path)
        self.name = f"file:{path}#{_digest(content)}"
        expected = name.partition("#")[2]
        if expected and expected != _digest(content):
            raise ConfigurationError(
                f"The tokenizer file {path} has changed since the library was built with it.",
                "Put the former file back, or start a new library with the new one.",
            )
        self._tokenizer = _opened(content, path)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self.special_tokens = self._tokenizer.num_special_tokens_to_add(is_pair=False)

    def token_starts(self, text: str) -> Sequence[int]:
        """The offset of every token's first code point, never descending."""
        starts = np.array([start for start, _ in self._encode(text).offsets], dtype=np.int64)
        ascending: list[int] = np.maximum.accumulate(starts).tolist()
        return ascending

    def count(self, text: str) -> int:
        """The number of tokens, special tokens left out."""
        return len(self._encode(text))

    def _encode(self, text: str) -> Encoding:
        return self._tokenizer.encode(text, add_special_tokens=False)


def _opened(content: bytes, path: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_buffer(content)
        tokenizer.encode("Whether its vocabulary is complete shows only here.")
    except Exception as error:  # the library raises nothing narrower
        raise ConfigurationError(
            f"The file {path} is not a tokenizer.json that can be used.", _HINT
        ) from error
    return tokenizer


def _path(name: str) -> Path:
    return Path(name.removeprefix("file:").partition("#")[0]).expanduser().absolute()


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        is_tokenizer = "model" in json.loads(content)
    except OSError as error:
        raise ConfigurationError(f"The tokenizer file {path} cannot be read.", _HINT) from error
    except (ValueError, TypeError) as error:
        raise ConfigurationError(f"The file {path} is not a tokenizer.json.", _HINT) from error
    if not is_tokenizer:
        raise ConfigurationError(f"The file {path} is not a tokenizer.json.", _HINT)
    return content


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
