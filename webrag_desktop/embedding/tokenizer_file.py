"""A tokenizer from the user's own ``tokenizer.json``, for models whose tokenizer is not shipped."""

import hashlib
import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from tokenizers import Encoding, Tokenizer

from webrag_desktop.embedding.catalog import SHIPPED_TOKENIZERS
from webrag_desktop.errors import ConfigurationError

_HINT = (
    "Set EMBEDDING_TOKENIZER to the path of the tokenizer.json that belongs to the model, or to "
    f"{' or '.join(SHIPPED_TOKENIZERS)} if it counts with that."
)
_NAME = re.compile(r"(?:file:)?(?P<path>.*?)(?:#(?P<digest>[0-9a-f]{16}))?", re.DOTALL)


class TokenizerUnreadableError(ConfigurationError):
    """The file of a tokenizer is not where it was, or cannot be used there."""


def is_tokenizer_file(name: str) -> bool:
    """Whether the name means a file: by how it is written, or because there is one."""
    if name in SHIPPED_TOKENIZERS:
        return False
    path = name.partition("#")[0]
    written_so = name.startswith("file:") or path.lower().endswith(".json") or len(Path(name).parts) > 1
    return written_so or Path(name).is_file()


def tokenizer_file_name(name: str) -> str:
    """The name that stays true: ``file:ABSOLUTE-PATH#`` and the first 16 digits of the content's sha256."""
    path = stated_path(name)
    return f"file:{path}#{_digest(_read(path))}"


def same_tokenizer(one: str, other: str) -> bool:
    """Whether two names mean one tokenizer: a file is known by its content, wherever it lies."""
    digest = _stated_digest(one)
    return one == other or (digest is not None and digest == _stated_digest(other))


def stated_path(name: str) -> Path:
    """Where the file that a name means lies, or lay."""
    written = _parts(name)["path"] or ""
    try:
        return Path(written).expanduser().absolute()
    except RuntimeError as error:
        raise TokenizerUnreadableError(
            f"Nobody knows the home folder that {written} names.", _HINT
        ) from error


class FileTokenizer:
    """The tokenizer in a ``tokenizer.json``, its truncation and padding switched off.

    A ``name`` that states the content's digest keeps it; the file may lie elsewhere by now, at ``place``.
    Raises :class:`ConfigurationError` if the file is missing, is no tokenizer, or changed since its name was made.
    """

    def __init__(self, name: str, place: str | None = None) -> None:
        path, content = _found(name, place)
        expected = _stated_digest(name)
        self.name = name if expected else f"file:{path}#{_digest(content)}"
        if expected and expected != _digest(content):
            raise TokenizerUnreadableError(
                f"The tokenizer file {path} has changed since the library was built with it.",
                "Put the former file back, or set EMBEDDING_TOKENIZER to the path of a copy of it; `webrag space move` "
                "with other settings moves the library to another tokenizer.",
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


def _found(name: str, place: str | None) -> tuple[Path, bytes]:
    """The file's path and content: what lies at ``place`` if it is the one that is named, else what its name tells."""
    digest = _stated_digest(name)
    if place is not None and digest is not None and is_tokenizer_file(place):
        there = stated_path(place)
        with suppress(TokenizerUnreadableError):  # then only the other place is left
            if _digest(content := _read(there)) == digest:
                return there, content
    path = stated_path(name)
    try:
        return path, _read(path)
    except TokenizerUnreadableError as error:
        if digest is None:
            raise
        raise TokenizerUnreadableError(
            f"{error.message} This library was built with it.",
            "Put the file back, or set EMBEDDING_TOKENIZER to the path at which it, or a copy of it, lies now.",
        ) from error


def _opened(content: bytes, path: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_buffer(content)
        tokenizer.encode("Whether its vocabulary is complete shows only here.")
    except Exception as error:  # the library raises nothing narrower
        raise TokenizerUnreadableError(
            f"The file {path} is not a tokenizer.json that can be used: {' '.join(str(error).split())[:200]}.",
            _HINT,
        ) from error
    return tokenizer


def _stated_digest(name: str) -> str | None:
    return _parts(name)["digest"] if name.startswith("file:") else None


def _parts(name: str) -> dict[str, str | None]:
    match = _NAME.fullmatch(name)
    assert match is not None, "the expression takes any text"
    return match.groupdict()


def _read(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # a pipe would be waited for for ever
        raise TokenizerUnreadableError(f"The tokenizer file {path} is no regular file.", _HINT)
    try:
        content = path.read_bytes()
        is_tokenizer = "model" in json.loads(content)
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        raise TokenizerUnreadableError(
            f"The tokenizer file {path} cannot be read: {reason}.", _HINT
        ) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise TokenizerUnreadableError(
            f"The file {path} is not a tokenizer.json: it does not hold a JSON object.", _HINT
        ) from error
    if not is_tokenizer:
        raise TokenizerUnreadableError(
            f"The file {path} is not a tokenizer.json: nothing in it is named model.", _HINT
        )
    return content


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
