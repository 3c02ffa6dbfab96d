"""Leaving a request under way."""

import socket
import ssl
from collections.abc import Iterator
from threading import Event

import pytest

from webrag_desktop.errors import Cancelled
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.interruption import Interruption, interruptibly


class Stream:
    """What the driver tells of a connection."""

    def __init__(self, connected: socket.socket) -> None:
        self._connected = connected

    def get_extra_info(self, name: str) -> socket.socket | None:
        return self._connected if name == "socket" else None


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    far.settimeout(30)
    with near, far:
        yield near, far


def connected(line: socket.socket, interruption: Interruption) -> None:
    """Tell of a connection as the driver does."""
    interruption.trace("connection.connect_tcp.complete", {"return_value": Stream(line)})


@pytest.mark.parametrize("before", [False, True])
def test_an_encrypted_connection_is_shut_down_and_nothing_goes_over_it_in_the_clear(
    ends: tuple[socket.socket, socket.socket], before: bool
) -> None:
    near, far = ends
    interruption = Interruption()
    if before:
        interruption.stop()
    connected(near, interruption)
    context = ssl.create_default_context()
    with context.wrap_socket(near, server_hostname="localhost", do_handshake_on_connect=False) as wrapped:
        interruption.stop()
        assert far.recv(1) == b""
        # It has ended, but still encrypts; a ValueError would say that it does not.
        assert wrapped.read(1) == b""
        with pytest.raises((BrokenPipeError, ssl.SSLError)):
            wrapped.sendall(b"question")
    interruption.close()


def test_a_request_that_is_over_lets_go_of_its_connection(ends: tuple[socket.socket, socket.socket]) -> None:
    near, far = ends
    interruption = Interruption()

    def request() -> None:
        connected(near, interruption)
        near.close()

    assert interruptibly(request, interruption, 3600, CancelToken()) is None
    assert far.recv(1) == b""


def test_what_a_request_gives_or_raises_comes_back() -> None:
    assert interruptibly(lambda: "answer", Interruption(), 3600, CancelToken()) == "answer"

    def failing() -> None:
        raise LookupError("No such thing.")

    with pytest.raises(LookupError, match="No such thing"):
        interruptibly(failing, Interruption(), 3600, CancelToken())


def test_nobody_waits_for_a_request_that_takes_too_long_or_is_not_wanted(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    near, far = ends
    interruption = Interruption()
    released, ended, cancel = Event(), Event(), CancelToken()

    def lasting() -> None:
        released.wait(30)
        ended.set()

    def connected_and_lasting() -> None:
        connected(near, interruption)
        lasting()

    def cancelled_meanwhile() -> None:
        cancel.cancel()
        lasting()

    with pytest.raises(TimeoutError):
        interruptibly(connected_and_lasting, interruption, 0.01, CancelToken())
    assert far.recv(1) == b""
    with pytest.raises(Cancelled):
        interruptibly(cancelled_meanwhile, Interruption(), 3600, cancel)
    asked = Event()
    with pytest.raises(Cancelled):
        interruptibly(asked.set, Interruption(), 3600, cancel)
    assert not asked.is_set()
    assert not ended.is_set()
    released.set()
