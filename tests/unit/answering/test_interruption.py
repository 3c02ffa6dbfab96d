"""Breaking off a request under way."""

import socket
import ssl
from collections.abc import Iterator

import pytest

from webrag_desktop.answering.interruption import Interruption


class Stream:
    """What the driver tells of a connection."""

    def __init__(self, connected: socket.socket) -> None:
        self._connected = connected

    def get_extra_info(self, name: str) -> socket.socket | None:
        return self._connected if name == "socket" else None


@pytest.fixture
def ends() -> Iterator[tuple[ssl.SSLSocket, socket.socket]]:
    near, far = socket.socketpair()
    context = ssl.create_default_context()
    with (
        far,
        context.wrap_socket(near, server_hostname="localhost", do_handshake_on_connect=False) as wrapped,
    ):
        yield wrapped, far


@pytest.mark.parametrize("before", [False, True])
def test_an_encrypted_connection_is_shut_down_and_nothing_goes_over_it_in_the_clear(
    ends: tuple[ssl.SSLSocket, socket.socket], before: bool
) -> None:
    near, far = ends
    interruption = Interruption()
    if before:
        interruption.stop()
    interruption.trace("connection.start_tls.complete", {"return_value": Stream(near)})
    interruption.stop()
    assert far.recv(1) == b""
    # It has ended, but still encrypts; a ValueError would say that it does not.
    assert near.read(1) == b""
    with pytest.raises((BrokenPipeError, ssl.SSLError)):
        near.sendall(b"question")
