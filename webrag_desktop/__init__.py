"""WebRAG Desktop: an offline personal research memory with citations exact to the character.

:func:`open_library` is the one door to a library; ``docs/api.md`` describes it, with examples. Data that it
gives and takes is in :mod:`webrag_desktop.models`, what a search is asked and answers in
:mod:`webrag_desktop.retrieval.contracts`, errors in :mod:`webrag_desktop.errors`.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from webrag_desktop.version import VERSION

if TYPE_CHECKING:
    from webrag_desktop.answering.evidence import apply_grounding_policy
    from webrag_desktop.citations.spans import resolve_span
    from webrag_desktop.config import Settings, load_settings, setting_of
    from webrag_desktop.embedding.factory import open_tokenizer
    from webrag_desktop.ingestion.addresses import parse_source
    from webrag_desktop.ingestion.fetching.network import public_address
    from webrag_desktop.jobs.worker_process import lower_own_priority
    from webrag_desktop.library.data_folder import DataFolder, check_backup
    from webrag_desktop.library.library import Library
    from webrag_desktop.retrieval.answer_context import answer_context
    from webrag_desktop.stack.locks import FileLock

__version__ = VERSION
__all__ = [
    "DataFolder",
    "FileLock",
    "Library",
    "Settings",
    "__version__",
    "answer_context",
    "apply_grounding_policy",
    "check_backup",
    "load_settings",
    "lower_own_priority",
    "open_library",
    "open_tokenizer",
    "parse_source",
    "public_address",
    "resolve_span",
    "setting_of",
]
# The module of each: they are imported at their first use, since some take long. Type checkers and the import contracts
# read the imports above.
_PLACES: Final = {
    "DataFolder": "library.data_folder",
    "FileLock": "stack.locks",
    "Library": "library.library",
    "Settings": "config",
    "answer_context": "retrieval.answer_context",
    "apply_grounding_policy": "answering.evidence",
    "check_backup": "library.data_folder",
    "load_settings": "config",
    "open_tokenizer": "embedding.factory",
    "lower_own_priority": "jobs.worker_process",
    "parse_source": "ingestion.addresses",
    "public_address": "ingestion.fetching.network",
    "resolve_span": "citations.spans",
    "setting_of": "config",
}


def open_library(home: "str | Path | None" = None, **settings: object) -> "Library":
    """Open the library of a data folder, starting what it needs; close it, or use it as a context manager.

    ``home`` is the data folder, by default the one that the environment and the platform name. ``settings`` go before
    those of the environment and the folder's file; ``docs/settings.md`` lists them (any case).

    Raises:
        ConfigurationError: a setting cannot be used.
        InputError: there is no setting of that name.
        StackError: the database does not start or answer.
        DatabaseError: it answers, but nothing can be asked of it.
    """
    from webrag_desktop.library.data_folder import DataFolder

    return DataFolder.at(home, **settings).open()


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
