"""Opened libraries: one is closed once nobody uses it any more, and nobody begins to use one that is being closed."""

from threading import Event, Thread
from typing import cast

import pytest

from webrag_desktop import Library
from webrag_desktop.gui.session.open_libraries import LibraryLeftError, OpenLibraries


class Closable:
    """Stands for a library."""

    def __init__(self) -> None:
        self.closed = Event()

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def one() -> Closable:
    return Closable()


@pytest.fixture
def libraries(one: Closable) -> OpenLibraries:
    made = OpenLibraries()
    made.add(cast("Library", one))
    return made


def test_a_library_is_closed_once_its_users_have_left_and_nobody_comes_meanwhile(
    libraries: OpenLibraries, one: Closable
) -> None:
    library = cast("Library", one)
    closing = Thread(target=libraries.close, args=[library, 60.0])
    with libraries.used(library), libraries.used(library):
        closing.start()
        while not _is_being_closed(libraries, library):
            pass
        assert not one.closed.is_set()
    closing.join()
    assert one.closed.is_set()


def _is_being_closed(libraries: OpenLibraries, library: Library) -> bool:
    try:
        with libraries.used(library):
            return False
    except LibraryLeftError:
        return True


def test_who_does_not_leave_holds_a_library_no_longer_than_the_patience(
    libraries: OpenLibraries, one: Closable
) -> None:
    library = cast("Library", one)
    with libraries.used(library):
        libraries.close(library)
        assert one.closed.is_set()
    with pytest.raises(LibraryLeftError), libraries.used(library):
        pytest.fail("it is closed")
