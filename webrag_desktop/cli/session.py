"""Opening the library for one command."""

from collections.abc import Iterator
from contextlib import contextmanager

from webrag_desktop.cli.steps import showing_steps
from webrag_desktop.config import Settings, load_settings
from webrag_desktop.library import Services, open_services


@contextmanager
def open_library(settings: Settings | None = None, patience: float | None = None) -> Iterator[Services]:
    """The open library, closed at the end; see :func:`webrag_desktop.library.open_services`.

    Raises:
        ConfigurationError: a setting cannot be used.
        StackError: the database does not start or answer.
    """
    with showing_steps() as show:
        services = open_services(settings or load_settings(), show, patience)
    with services:
        yield services
