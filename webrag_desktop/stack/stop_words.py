"""The words that the server's text search leaves out of texts, as the installed server keeps them."""

from collections.abc import Mapping
from functools import cache

from webrag_desktop.stack.postgres.binaries import text_search_folder

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
