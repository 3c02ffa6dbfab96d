"""A tokenizer that the user brings, for models whose own is not shipped: a ``tokenizer.json``, or HuggingFace's."""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from tokenizers import Encoding, Tokenizer

from webrag_desktop.embedding.catalog import SHIPPED_REPOSITORIES, SHIPPED_TOKENIZERS
from webrag_desktop.embedding.tokenizers.huggingface import (
    LARGEST,
    PREFIX,
    TokenizerNotHereError,
    TokenizerUnreadableError,
    cached_folder,
    folder_digest,
    open_folder,
    repository,
)
from webrag_desktop.errors.opening import file_content, why

__all__ = [
    "FileTokenizer",
    "TokenizerNotHereError",
    "TokenizerUnreadableError",
    "is_tokenizer_file",
    "same_tokenizer",
    "shipped_name",
    "stated_place",
    "tokenizer_file_name",
]

_HINT = (
    "Set EMBEDDING_TOKENIZER to the path of the tokenizer.json that belongs to the model, to its name on "
    f"huggingface.co, or to {' or '.join(SHIPPED_TOKENIZERS)} if it counts with that."
)
_NAME = re.compile(r"(?:file:|hf:)?(?P<path>.*?)(?:#(?P<digest>[0-9a-f]{16}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Found:
    """Files of a tokenizer: what they are called in messages, the digest of their content, and what opens them."""

    words: str
    place: str
    digest: str
    open: Callable[[], Tokenizer]


def shipped_name(name: str) -> str:
    """The name of the shipped tokenizer where the hub's name of the same one is given, else the name as it is."""
    return SHIPPED_REPOSITORIES.get((repository(name) or "").lower(), name)


def is_tokenizer_file(name: str) -> bool:
    """Whether the name means files that do not come with the program: by how it is written, or as there are some.

    They are a ``tokenizer.json``, a folder as HuggingFace's, or what its hub has under a name.
    """
    if name in SHIPPED_TOKENIZERS:
        return False
    path = name.partition("#")[0]
    written_so = name.startswith(("file:", PREFIX)) or path.lower().endswith(".json")
    return written_so or len(Path(name).parts) > 1 or Path(name).exists()


def tokenizer_file_name(name: str) -> str:
    """The name that stays true: place and first 16 digits of the content's sha256.

    It is ``file:ABSOLUTE-PATH#…`` of a file or folder, and ``hf:OWNER/MODEL#…`` of what HuggingFace's cache holds.
    """
    found = _look(name)
    return f"{found.place}#{found.digest}"


def same_tokenizer(one: str, other: str) -> bool:
    """Whether two names mean one tokenizer: files are known by their content, wherever they lie."""
    digest = _stated_digest(one)
    return one == other or (digest is not None and digest == _stated_digest(other))


def stated_place(name: str) -> str:
    """Where the files that a name means lie, or lay: in words, for a message."""
    hub = repository(name)
    return str(_stated_path(name)) if hub is None else f"HuggingFace's {hub}"


def _stated_path(name: str) -> Path:
    """The path of the file or folder that a name means, which may be gone."""
    written = _parts(name)["path"] or ""
    try:
        return Path(written).expanduser().absolute()
    except RuntimeError as error:
        raise TokenizerUnreadableError(f"The home folder that {written} names is unknown.", _HINT) from error


class FileTokenizer:
    """A tokenizer of the user's, its truncation and padding switched off.

    A ``name`` that states the content's digest keeps it; the files may lie elsewhere by now, at ``place``.
    Raises :class:`ConfigurationError` if they are missing, are no tokenizer, or changed since the name was made.
    """

    def __init__(self, name: str, place: str | None = None) -> None:
        found = _found(name, place)
        expected = _stated_digest(name)
        self.name = name if expected else f"{found.place}#{found.digest}"
        if expected and expected != found.digest:
            raise TokenizerUnreadableError(
                f"{found.words} has changed since the library was built with it.",
                "Put the former one back, or set EMBEDDING_TOKENIZER to the path of a copy of it; `webrag space move` "
                "with other settings moves the library to another tokenizer.",
            )
        self._tokenizer = found.open()
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


def _found(name: str, place: str | None) -> _Found:
    """The tokenizer at ``place`` if it is the one that is named, else the one that its name says."""
    digest = _stated_digest(name)
    if place is not None and digest is not None and is_tokenizer_file(place):
        with suppress(TokenizerUnreadableError):  # then only the other place is left
            if (there := _look(place)).digest == digest:
                return there
    try:
        return _look(name)
    except TokenizerNotHereError:  # its message says how to get it
        raise
    except TokenizerUnreadableError as error:
        if digest is None:
            raise
        raise TokenizerUnreadableError(
            f"{error.message} This library was built with it.",
            "Put it back, or set EMBEDDING_TOKENIZER to the path at which it, or a copy of it, is now.",
        ) from error


def _look(name: str) -> _Found:
    """What there is under a name; a folder's tokenizer is not opened yet, which takes a second."""
    hub = repository(name)
    if hub is not None:
        folder = cached_folder(hub)
        words = f"The tokenizer {hub} in HuggingFace's cache"
        return _Found(words, f"{PREFIX}{hub}", folder_digest(folder), partial(_checked_folder, folder))
    path = _stated_path(name)
    if path.is_dir():
        words = f"The tokenizer in the folder {path}"
        return _Found(words, f"file:{path}", folder_digest(path), partial(_checked_folder, path))
    content = _read(path)
    return _Found(
        f"The tokenizer file {path}", f"file:{path}", _digest(content), partial(_opened, content, path)
    )


def _opened(content: bytes, path: Path) -> Tokenizer:
    try:
        return _checked(Tokenizer.from_buffer(content))
    except Exception as error:  # the library raises nothing narrower
        raise TokenizerUnreadableError(
            f"The file {path} is not a tokenizer.json that can be used: {' '.join(str(error).split())[:200]}.",
            _HINT,
        ) from error


def _checked_folder(folder: Path) -> Tokenizer:
    tokenizer = open_folder(folder)
    try:
        return _checked(tokenizer)
    except Exception as error:  # the library raises nothing narrower
        raise TokenizerUnreadableError(
            f"The tokenizer in the folder {folder} cannot be used: {' '.join(str(error).split())[:200]}.",
            _HINT,
        ) from error


def _checked(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.encode("Whether its vocabulary is complete shows only here.")
    return tokenizer


def _stated_digest(name: str) -> str | None:
    return _parts(name)["digest"] if name.startswith(("file:", PREFIX)) else None


def _parts(name: str) -> dict[str, str | None]:
    match = _NAME.fullmatch(name)
    assert match is not None, "the expression takes any text"
    return match.groupdict()


def _read(path: Path) -> bytes:
    try:
        content = file_content(path, LARGEST)
        is_tokenizer = "model" in json.loads(content)
    except OSError as error:
        raise TokenizerUnreadableError(
            f"The tokenizer file {path} cannot be read: {why(error)}.", _HINT
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
