"""The one family of exceptions: each says what happened and what the user can do."""

import errno
from collections.abc import Iterator
from pathlib import Path


class WebragError(Exception):
    """Something went wrong that the user should know about.

    ``message`` says what happened and what is safe; ``hint`` says what to do next. Both are shown as they
    are, so they hold whole sentences, no codes and no secrets.
    """

    default_hint = ""
    transient = False  # whether the same may succeed later, with nothing changed here
    retryable = False  # whether another attempt within seconds may succeed
    retries_until_deadline = False  # whether attempts do not count, only the time
    retry_after: float | None = (
        None  # in how many seconds, as the server named them; None where it named none
    )

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint

    def __reduce__(self) -> tuple[type["WebragError"], tuple[str, str]]:
        return type(self), (self.message, self.hint)


class Cancelled(WebragError):
    """The user cancelled; what was finished before is kept."""


class ConfigurationError(WebragError):
    """A setting is wrong, or settings contradict each other or the existing library."""


class InputError(WebragError, ValueError):
    """What the caller gave cannot be used: an empty question, a malformed address, an unknown id."""


class TextSearchConfigurationError(ConfigurationError, InputError):
    """A setting, or what the caller gave, names a text search configuration that the database does not have."""


class NotFoundError(InputError):
    """No document, version or chunk answers to the given id or address."""


class StackError(WebragError):
    """A part of the local stack is missing or does not run."""


class ResourceError(StackError):
    """This computer has no memory, disk space, process or open file left, or ended a part of the program.

    It says nothing of what was given: the same work may go well later, with nothing changed.
    """

    transient = True
    default_hint = "Everything given is kept. Free some memory or disk space, or close other programs."


class ReaderEndedError(ResourceError):
    """The reading process was ended from outside, could not be started, or had no processor time for very long."""


class DatabaseError(StackError):
    """The database refused, failed or went away."""


class DatabaseUnreachableError(DatabaseError):
    """The database does not answer; nothing can be said of what was asked."""


class DataFolderGoneError(DatabaseUnreachableError):
    """The data folder is no longer where it was opened: it was moved, removed, or another one took its place."""

    @classmethod
    def of(cls, home: Path) -> "DataFolderGoneError":
        """The error for the data folder that was at ``home``."""
        return cls(
            f"The data folder {home} was moved or removed while WebRAG was using it, so nothing more is saved there. "
            "What was saved before is where the folder is now.",
            "Put the folder back, or close WebRAG and start it again with WEBRAG_HOME naming where it is now.",
        )


class ReadOnlyLibraryError(DatabaseError, ResourceError):
    """Something was to be changed in a library that can only be read where it is."""

    def __init__(
        self,
        message: str = "The library can only be read where it is, so nothing was changed.",
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint)

    default_hint = (
        "Make the data folder writable (or the database, where it is another server's), or copy it to a folder of "
        "your own that WEBRAG_HOME names."
    )


class DatabaseResourceError(DatabaseError, ResourceError):
    """The database's computer has no disk space or memory left, or the system refuses it something."""


class DatabaseRefusalError(DatabaseError):
    """The database refused a statement, as it should never: something in the library is not as it has to be."""


class DatabaseConflictError(DatabaseError):
    """Another program changed the same data at the same moment; trying again will do."""

    retryable = True


class MissingExtraError(ConfigurationError, ImportError):
    """A package that the program does not need by itself, and that was asked for, is not installed."""

    @classmethod
    def of(cls, extra: str, package: str) -> "MissingExtraError":
        """The error for ``package``, as its makers call it, which ``extra`` of our own package brings."""
        return cls(
            f"{package} is not installed, or not whole.",
            f"Install it with WebRAG's extra: pip install 'webrag-desktop[{extra}]'",
        )


class IngestionError(WebragError):
    """A page or file could not be captured or read."""


class FetchError(IngestionError):
    """The address did not give a page.

    ``address`` is whose site named ``retry_after``, where a redirect may have led away from the one that was requested.
    """

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        *,
        transient: bool = False,
        retryable: bool | None = None,
        retry_after: float | None = None,
        address: str | None = None,
    ) -> None:
        """It is ``retryable`` where ``retry_after`` is given, unless said otherwise."""
        super().__init__(message, hint)
        self.transient = transient
        self.retryable = retry_after is not None if retryable is None else retryable
        self.retry_after = retry_after
        self.address = address

    def __reduce__(self) -> tuple[type["FetchError"], tuple[str, str], dict[str, object]]:  # type: ignore[override]
        return type(self), (self.message, self.hint), dict(vars(self))


class TooLargeError(FetchError):
    """What is fetched is larger than it may be."""


class SiteAtRestError(FetchError):
    """The page was not asked for, so it goes on waiting.

    A redirect leads to a site that asked before to be left alone, or a site does not say what programs may fetch.
    """


class ForbiddenToProgramsError(FetchError):
    """A link leads to an address that its site asks programs not to fetch; nobody asked for it."""


class UnsafeAddressError(FetchError):
    """A public page led to an address inside this computer or its network."""


class ExtractionError(IngestionError):
    """The bytes were captured, but no text could be read from them."""


class EmbeddingError(WebragError):
    """The embedding model refused, failed or answered with vectors that cannot be used."""


class IndexingError(WebragError):
    """A document could not be indexed; what was indexed before is unchanged."""


class ChatError(WebragError):
    """The chat model refused, failed, or gave an answer that cannot be used."""

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        *,
        transient: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.transient = self.retryable = transient
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[type["ChatError"], tuple[str, str], dict[str, object]]:  # type: ignore[override]
        return type(self), (self.message, self.hint), dict(vars(self))


# -- What this computer had too little of ---------------------------------------------------------------------

_MEMORY = "too little memory left"
_SHORT_OF = {
    errno.ENOMEM: _MEMORY,
    errno.ENOBUFS: _MEMORY,
    errno.ENOSPC: "no space left on the disk",
    errno.EDQUOT: "no space left on the disk for this user",
    errno.EMFILE: "too many files open in the program",
    errno.ENFILE: "too many files open",
}
_SHORT_ON_WINDOWS = frozenset(
    {8, 14, 1450, 1455, 1816}
)  # codes of memory and paging file, which have no errno
_OTHER_NUMBERS = frozenset({"socket", "ssl"})  # modules of OSErrors whose numbers are not the system's
_NO_THREAD = frozenset({"can't start new thread", "unable to start watchdog thread"})
_NO_MEMORY_IN_LIBRARIES = ("bad_alloc", "allocate memory")  # as onnxruntime says it, in errors of its own


def resource_error(error: BaseException) -> ResourceError | None:
    """What this computer lacked where that is behind ``error``, directly or as its cause; None where nothing is."""
    for link in _chain(error):
        if isinstance(link, ResourceError):
            return link
        lacking = _lacking(link)
        if lacking is not None:
            return ResourceError(f"This computer has {lacking} at present.")
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and what it came from, also where a library cut that off with ``from None``."""
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__ or link.__context__


def _lacking(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return _MEMORY
    if isinstance(error, OSError) and type(error).__module__ not in _OTHER_NUMBERS:
        if getattr(error, "winerror", None) in _SHORT_ON_WINDOWS:
            return _MEMORY
        return _SHORT_OF.get(error.errno or 0)
    if isinstance(error, RuntimeError) and str(error) in _NO_THREAD:
        return "no room for another process or thread"
    of_a_library = type(error).__module__.startswith("onnxruntime")
    return _MEMORY if of_a_library and any(words in str(error) for words in _NO_MEMORY_IN_LIBRARIES) else None
