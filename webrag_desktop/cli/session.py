"""Opening the library for one command."""

from collections.abc import Iterator
from contextlib import contextmanager

from webrag_desktop import DataFolder, Library
from webrag_desktop.cli.steps import showing_steps


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
