"""Types of settings that are read in their own way, and the fingerprint of settings, which holds no secret."""

import hashlib
import re
import stat
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from webrag_desktop.models.questions import CONFIGURATION_NAME

if TYPE_CHECKING:
    from webrag_desktop.embedding.options import EmbeddingOptions


SETTINGS_FILE = ".env"
FOLDER = "folder"


def _home(written: str) -> Path:
    """The worker has another current folder; a relative path would lead it to another library."""
    home = _absolute(Path(written))
    if (file := _in_the_way(home)) is not None:
        raise ValueError(f"{file} is a file, not a folder")
    return home


def _file(written: str) -> Path:
    """Other processes have another current folder."""
    return _absolute(Path(written))


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        raise ValueError("that user's home folder is unknown") from None


def file_path(text: str, folder: Path) -> str:
    """A file's path as the settings file in that ``folder`` means it."""
    return text if text.startswith("~") else str(folder / text)


def tokenizer_path(text: str, folder: Path | None = None) -> str:
    """The name of one that comes with the program or of a model on HuggingFace's hub, or an absolute path.

    The worker's current folder is another. A ``folder`` is where a relative path counts from, instead of the current
    one; where there is something at that path, or the folder around it, it is no name: the hub is not queried for a
    path with a typing error.
    """
    from webrag_desktop.embedding.catalog import SHIPPED_TOKENIZERS  # few set this
    from webrag_desktop.embedding.tokenizers.huggingface import is_repository_name

    path = text.removeprefix("file:")
    if text in SHIPPED_TOKENIZERS or (folder is not None and path.startswith("~")):
        return text
    absolute = _absolute((folder or Path()) / path)
    there = absolute.exists() or ("/" in path and absolute.parent.is_dir())
    return text if is_repository_name(text) and not there else str(absolute)


def _in_the_way(folder: Path) -> Path | None:
    """The file that is where this folder or one around it would have to be."""
    for place in (folder, *folder.parents):
        try:
            status = place.stat()
        except OSError:  # missing or not readable: making the folder reports it
            continue
        return None if stat.S_ISDIR(status.st_mode) else place
    return None


def _configuration_name(text: str) -> str:
    if not CONFIGURATION_NAME.fullmatch(text):
        raise ValueError("it must be the name of a text search configuration, such as english or simple")
    return text


def _server(text: str) -> str:
    """What is no web address is refused here; the rest of an address is read at the first request."""
    scheme, separator, _ = text.strip().partition("://")
    if separator and scheme.lower() not in ("http", "https"):
        raise ValueError("it must be the address of a server, such as http://localhost:11434")
    return text


def _sites(text: str) -> str:
    from webrag_desktop.ingestion.fetching.options import are_sites  # few set this

    if not are_sites(text):
        raise ValueError(
            "it must be hosts such as example.org, with a minus sign before those to be left out"
        )
    return text


# Where a type has a function, it reads what is written, or raises a ValueError that says what it must be.
Home = Annotated[Path, _home, FOLDER]
File = Annotated[Path, _file]
TokenizerName = Annotated[str, tokenizer_path]
ConfigurationName = Annotated[str, _configuration_name]
ServerAddress = Annotated[str, _server]
Sites = Annotated[str, _sites]

_UNTOLD = frozenset({"api_key", "base_url", "locks", "model_folder"})  # secret, or of no account
_CREDENTIALS = re.compile(r"//[^/]*@|\?.*")


def settings_fingerprint(options: "EmbeddingOptions", *others: str) -> str:
    """An identity of these settings; no secret goes into it."""
    said = [f"{one.name}={getattr(options, one.name)}" for one in fields(options) if one.name not in _UNTOLD]
    address = _CREDENTIALS.sub("", options.base_url or "")
    parts = [*said, address, f"key={options.key is not None}", *others]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
