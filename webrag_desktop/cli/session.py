"""Opening the library for one command, its steps shown on a terminal, and what Ctrl+C does."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from webrag_desktop import DataFolder, Library
from webrag_desktop.cli.output import one_line
from webrag_desktop.progress import CancelToken, ProgressCallback, no_progress


@contextmanager
def showing_steps(first: str = "Opening the library…") -> Iterator[ProgressCallback]:
    """Show each step on standard error if that is a terminal, ``first`` before any other; leaves no trace."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console  # long to import
    from rich.text import Text

    with Console(stderr=True).status(first) as status:
        yield lambda step: status.update(Text(one_line(f"{step.name}… {step.detail}")))


@contextmanager
def open_library(folder: DataFolder | None = None, patience: float | None = None) -> Iterator[Library]:
    """The open library, closed at the end; see :meth:`.DataFolder.open`.

    Raises:
        ConfigurationError: a setting cannot be used.
        StackError: the database does not start or answer.
    """
    with showing_steps() as show:
        library = (folder or DataFolder.at()).open(show, patience)
    with library:
        yield library


@contextmanager
def stopped_by_ctrl_c() -> Iterator[CancelToken]:
    """Ctrl+C sets the token, and a second one stops the program."""
    cancel = CancelToken()
    before = signal.getsignal(signal.SIGINT)

    def stop(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        cancel.cancel()

    signal.signal(signal.SIGINT, stop)
    try:
        yield cancel
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def ended_by_ctrl_c() -> Iterator[None]:
    """Ctrl+C ends the block at once, as a question at a prompt, whatever it does elsewhere: KeyboardInterrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
