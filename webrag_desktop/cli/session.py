"""Opening the library for one command, telling on a terminal what takes time."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status
from rich.text import Text

from webrag_desktop.bootstrap import Services, open_services
from webrag_desktop.cli.output import one_line
from webrag_desktop.config import Settings, load_settings
from webrag_desktop.progress import Step


@contextmanager
def open_library(settings: Settings | None = None) -> Iterator[Services]:
    """The open library, closed at the end.

    Raises:
        ConfigurationError: a setting cannot be used.
        StackError: the database does not start or answer.
    """
    with _Steps() as steps:
        services = open_services(settings or load_settings(), steps.show)
    with services:
        yield services


class _Steps:
    """Shows the step that is being waited for, on standard error if that is a terminal; leaves no trace."""

    def __init__(self) -> None:
        self._status: Status | None = None

    def __enter__(self) -> "_Steps":
        return self

    def __exit__(self, *_error: object) -> None:
        if self._status is not None:
            self._status.stop()

    def show(self, step: Step) -> None:
        """Show one step."""
        if not sys.stderr.isatty():
            return
        words = Text(one_line(f"{step.name}… {step.detail}"))
        if self._status is None:
            self._status = Status(words, console=Console(stderr=True))
            self._status.start()
        self._status.update(words)
