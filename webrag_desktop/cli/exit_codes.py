"""What the exit code of a command says."""

from enum import IntEnum

from webrag_desktop.errors import (
    Cancelled,
    ConfigurationError,
    EmbeddingError,
    InputError,
    StackError,
    WebragError,
)


class ExitCode(IntEnum):
    """Exit codes, the same for every command; ``docs/cli.md`` and ``webrag --help`` list them."""

    OK = 0
    FAILED = 1
    USAGE = 2
    UNAVAILABLE = 3
    CONFIGURATION = 4
    DAMAGED = 5
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        """The code in words."""
        return _MEANINGS[self]


_MEANINGS = {
    ExitCode.OK: "All is well; what was in the library already counts as well.",
    ExitCode.FAILED: "Some or all documents failed, were cancelled or still wait; the report says which and why. "
    "Also a quotation that is not verified, a question that nothing answers, no move to steer, or a fault of the "
    "program itself.",
    ExitCode.USAGE: "The command line is wrong, or nothing of what was given can be used.",
    ExitCode.UNAVAILABLE: "The database or another part of the stack cannot be used, a model failed, or indexing is "
    "paused.",
    ExitCode.CONFIGURATION: "A setting is wrong, or contradicts the library.",
    ExitCode.DAMAGED: "`webrag doctor` found damage in the library.",
    ExitCode.INTERRUPTED: "Interrupted (Ctrl+C). Nothing that was accepted is lost.",
}

_CODES: tuple[tuple[type[WebragError], ExitCode], ...] = (
    (Cancelled, ExitCode.INTERRUPTED),
    (ConfigurationError, ExitCode.CONFIGURATION),
    (InputError, ExitCode.USAGE),
    (StackError, ExitCode.UNAVAILABLE),
    (EmbeddingError, ExitCode.UNAVAILABLE),
)


def code_of(error: WebragError) -> ExitCode:
    """The exit code for a command that ends in this error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), ExitCode.FAILED)
