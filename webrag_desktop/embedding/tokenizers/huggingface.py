"""Tokenizers as HuggingFace keeps them: in a folder, or under a name in its cache on this computer or on its hub.

Whatever is loaded is loaded from local files, and no code that comes with a tokenizer is ever run. Only
:func:`download` goes to the network.
"""

import hashlib
import json
import logging
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from webrag_desktop.errors import ConfigurationError
from webrag_desktop.errors.opening import file_content, why

if TYPE_CHECKING:
    from types import ModuleType

    from tokenizers import Tokenizer

log = logging.getLogger(__name__)

PREFIX: Final = "hf:"
LARGEST: Final = (
    256 * 1024 * 1024
)  # bytes of a file; vocabularies of a quarter of a million pieces take 35 MB
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
_FILE_ENDINGS = (".json", ".txt", ".model")
_DIGEST = re.compile(r"#[0-9a-f]{16}$")

_MAIN_FILE: Final = "tokenizer.json"
_VOCABULARIES: Final = ("merges.txt", "vocab.txt", "vocab.json")  # and *.model
_ADDITIONS: Final = ("added_tokens.json", "special_tokens_map.json", "tokenizer_config.json")
_MODEL_CONFIG: Final = "config.json"
_KIND_KEYS: Final = ("model_type", "tokenizer_class")  # all that a tokenizer takes from it
# What a vocabulary is of where no other file says it.
_KINDS: Final = {"vocab.txt": "bert", "sentencepiece.bpe.model": "xlm-roberta"}

_SECONDS = 20.0  # for each wait for the hub
# Libraries that send usage data, print advice or fetch from further servers unless forbidden before they are loaded.
_QUIET: Final = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_VERBOSITY": "error",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}
T = TypeVar("T")


class TokenizerUnreadableError(ConfigurationError):
    """A tokenizer is not where it was, or cannot be used there."""


class TokenizerNotHereError(TokenizerUnreadableError):
    """The tokenizer of that name is not in HuggingFace's cache; ``repository`` is where the hub may have it."""

    def __init__(self, message: str, hint: str | None = None, *, repository: str = "") -> None:
        super().__init__(message, hint)
        self.repository = repository

    def __reduce__(self) -> tuple[type["TokenizerNotHereError"], tuple[str, str], dict[str, object]]:  # type: ignore[override]
        return type(self), (self.message, self.hint), {"repository": self.repository}


# -- Names -------------------------------------------------------------------------------------------------------------


def is_repository_name(name: str) -> bool:
    """Whether it is written as the hub's names are, ``owner/model``; a relative path may be, too."""
    return name.startswith(PREFIX) or (
        _NAME.fullmatch(name) is not None and not name.lower().endswith(_FILE_ENDINGS)
    )


def repository(name: str) -> str | None:
    """The model on the hub that a setting or a stored name means; None for a path, also where it looks the same."""
    if name.startswith(PREFIX):
        return _DIGEST.sub("", name).removeprefix(PREFIX)
    return name if is_repository_name(name) and not Path(name).exists() else None


def site() -> str:
    """The hub's address, as the environment says it."""
    address: str = _hub_constants().ENDPOINT
    return address


def is_offline() -> bool:
    """Whether the environment forbids to ask the hub."""
    return bool(_hub_constants().HF_HUB_OFFLINE)


# -- Finding -----------------------------------------------------------------------------------------------------------


def cached_folder(repository: str) -> Path:
    """Where HuggingFace's cache has the tokenizer of a model.

    Raises:
        TokenizerNotHereError: it is not there, or not all of it.
    """
    storage = _storage(repository)
    try:
        commit = (storage / "refs" / "main").read_text("utf-8").strip()
    except (OSError, ValueError):
        commit = ""
    folder = storage / "snapshots" / commit
    if commit and _vocabulary(_names(folder)):
        return folder
    raise TokenizerNotHereError(
        f"The tokenizer {repository} is not on this computer: HuggingFace's cache, {storage.parent}, does not hold it.",
        f"Where EMBEDDING_TOKENIZER is {repository}, the next document that is added, or `webrag space move`, "
        f"downloads it from {site()}. It can also be the path of a folder or a tokenizer.json.",
        repository=repository,
    )


def folder_digest(folder: Path) -> str:
    """The first 16 digits of a sha256 over all that decides how the tokenizer in the folder counts.

    Raises:
        TokenizerUnreadableError: there is none in it, or it cannot be read.
    """
    names = _names(folder)
    vocabulary = _vocabulary(names)
    if not vocabulary:
        raise TokenizerUnreadableError(
            f"The folder {folder} holds no tokenizer: there is neither a {_MAIN_FILE} nor a vocabulary in it.",
            "Set EMBEDDING_TOKENIZER to the folder, or the tokenizer.json, that belongs to the model.",
        )
    total = hashlib.sha256()
    for name in sorted({*vocabulary, *_ADDITIONS} & names):
        content = hashlib.sha256(_content(folder / name)).hexdigest()
        total.update(f"{name} {content}\n".encode())
    if _MODEL_CONFIG in names:
        total.update(json.dumps(_kind(folder / _MODEL_CONFIG)).encode())
    return total.hexdigest()[:16]


def _storage(repository: str) -> Path:
    return Path(_hub_constants().HF_HUB_CACHE) / f"models--{repository.replace('/', '--')}"


def _names(folder: Path) -> set[str]:
    try:
        return {one.name for one in folder.iterdir()}
    except OSError:
        return set()


def _vocabulary(names: set[str]) -> list[str]:
    """The files that hold the vocabulary: ``tokenizer.json`` alone where it is there; none where something lacks."""
    if _MAIN_FILE in names:
        return [_MAIN_FILE]
    found = [name for name in sorted(names) if name in _VOCABULARIES or name.endswith(".model")]
    return [] if found == ["merges.txt"] else found


def _kind(file: Path) -> list[object]:
    config = _config(file)
    return [config.get(key) for key in _KIND_KEYS]


def _config(file: Path) -> dict[str, Any]:
    try:
        config = json.loads(_content(file))
    except (ValueError, RecursionError) as error:
        raise _unusable(file.parent, f"{file.name} is not JSON") from error
    if not isinstance(config, dict):
        raise _unusable(file.parent, f"{file.name} is not a JSON object")
    return config


def _content(file: Path) -> bytes:
    try:
        return file_content(file, LARGEST)
    except OSError as error:
        raise _unusable(file.parent, f"{file.name} cannot be read, {why(error)}") from error


# -- Loading -----------------------------------------------------------------------------------------------------------


def open_folder(folder: Path) -> "Tokenizer":
    """The tokenizer in a folder, as transformers makes it of its files; nothing but these is read.

    Raises:
        TokenizerUnreadableError: it is none that can be used here.
    """
    loaded = _loaded(folder)
    tokenizer: Tokenizer | None = getattr(loaded, "backend_tokenizer", None)
    if tokenizer is None:
        raise _unusable(
            folder, f"{type(loaded).__name__} gives no offsets of its tokens, since it has no fast form"
        )
    # Where a class does not find its vocabulary, it is given one of its markers alone.
    if set(tokenizer.get_vocab()) <= set(loaded.all_special_tokens):
        raise _unusable(folder, f"there is no vocabulary for {type(loaded).__name__} in it")
    return tokenizer


def _loaded(folder: Path) -> Any:
    names = _names(folder)
    said = {_MAIN_FILE, "tokenizer_config.json", _MODEL_CONFIG} & names
    kind = None if said else next((kind for name, kind in _KINDS.items() if name in names), None)
    try:
        return _transformers().AutoTokenizer.from_pretrained(
            str(folder), tokenizer_type=kind, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # whatever its many classes raise
        raise _unusable(folder, " ".join(str(error).split())[:300].rstrip(".")) from error


def _unusable(folder: Path, reason: str) -> TokenizerUnreadableError:
    return TokenizerUnreadableError(
        f"The tokenizer in the folder {folder} cannot be used: {reason}.",
        "Set EMBEDDING_TOKENIZER to the folder, or the tokenizer.json, that belongs to the model.",
    )


# -- Downloading -------------------------------------------------------------------------------------------------------


def with_download(named: str | None, work: Callable[[], T]) -> T:
    """What ``work`` gives, after the download of the tokenizer that it misses if the user ``named`` just that one.

    Raises:
        TokenizerNotHereError: it misses one that was not named.
        ConfigurationError: the download failed.
    """
    try:
        return work()
    except TokenizerNotHereError as error:
        missing = missing_tokenizer(error, named)
        if missing is None:
            raise
        download(missing)
    return work()


def missing_tokenizer(error: ConfigurationError, named: str | None) -> str | None:
    """The tokenizer that an error reports as missing, if it is the one that the user ``named``."""
    missing = error.repository if isinstance(error, TokenizerNotHereError) else None
    return missing if named is not None and repository(named) == missing else None


def download(repository: str) -> None:
    """Bring the tokenizer of a model from the hub into HuggingFace's cache, and say so first.

    Raises:
        TokenizerUnreadableError: the hub does not answer, does not give it, or has none of that name.
    """
    constants = _hub_constants()
    if is_offline():
        raise _not_downloaded(repository, "the environment says HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE")
    log.warning(
        "Downloading the tokenizer %s from %s, as EMBEDDING_TOKENIZER says; it is stored in %s.",
        repository,
        constants.ENDPOINT,
        constants.HF_HUB_CACHE,
    )
    import huggingface_hub
    from huggingface_hub import errors

    try:
        found = huggingface_hub.HfApi().model_info(repository, timeout=_SECONDS)
        _fetch(repository, str(found.sha), {one.rfilename for one in found.siblings or ()})
    except TokenizerUnreadableError:
        raise
    except errors.GatedRepoError as error:
        raise _not_downloaded(
            repository, "its makers give it only to those who accepted their terms", _page(repository)
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise _not_downloaded(repository, "no model of that name is visible there") from error
    except Exception as error:  # of the library, of its HTTP client, of the file system
        raise _not_downloaded(repository, " ".join(str(error).split())[:200].rstrip(".")) from error


def _fetch(repository: str, commit: str, offered: set[str]) -> None:
    from huggingface_hub import hf_hub_download

    vocabulary = _vocabulary(offered)
    if not vocabulary:
        raise _not_downloaded(repository, "it holds no tokenizer")
    for name in sorted({*_ADDITIONS, _MODEL_CONFIG} & offered) + vocabulary:
        hf_hub_download(repository, name, revision=commit)
    # Written last, as it makes the cache know the name: what was broken off is not taken for all of it.
    reference = _storage(repository) / "refs" / "main"
    reference.parent.mkdir(parents=True, exist_ok=True)
    reference.write_text(commit, "utf-8")


def _page(repository: str) -> str:
    return f"Accept them at {site()}/{repository} and log in with `hf auth login`. "


def _not_downloaded(repository: str, reason: str, remedy: str = "") -> TokenizerUnreadableError:
    return TokenizerUnreadableError(
        f"The tokenizer {repository} cannot be downloaded from {site()}: {reason}. Nothing is lost.",
        f"{remedy}Check EMBEDDING_TOKENIZER and the connection and try again, or set it to the path of the "
        "tokenizer.json that belongs to the model.",
    )


# -- Libraries ---------------------------------------------------------------------------------------------------------


def _hub_constants() -> "ModuleType":
    _keep_quiet()
    from huggingface_hub import constants

    return constants


def _transformers() -> "ModuleType":
    _keep_quiet()
    import transformers  # takes a second, and few name a tokenizer that needs it

    return transformers


def _keep_quiet() -> None:
    os.environ.update(_QUIET)
