"""A TCP port on 127.0.0.1 that leads to a Unix socket, for what must reach the test server by TCP, or by TLS.

The server of the wheel is built without TLS, so the door speaks it: it answers the client's request as a server does.
"""

import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_TLS_REQUEST = bytes.fromhex("0000000804d2162f")


class _Door(socketserver.ThreadingTCPServer):
    daemon_threads = True
    behind: str
    tls: ssl.SSLContext | None


class _Visitor(socketserver.BaseRequestHandler):
    server: _Door

    def handle(self) -> None:
        inside = socket.socket(socket.AF_UNIX)
        with inside, suppress(ConnectionError, ssl.SSLError), self._greeted() as visitor:
            inside.connect(self.server.behind)
            outward = threading.Thread(target=_carry, args=(inside, visitor), daemon=True)
            outward.start()
            _carry(visitor, inside)
            outward.join()

    def _greeted(self) -> socket.socket:
        visitor: socket.socket = self.request
        if self.server.tls is None:
            return visitor
        if visitor.recv(len(_TLS_REQUEST), socket.MSG_PEEK | socket.MSG_WAITALL) != _TLS_REQUEST:
            return visitor
        visitor.recv(len(_TLS_REQUEST))
        visitor.sendall(b"S")
        return self.server.tls.wrap_socket(visitor, server_side=True)


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def tcp_door(socket_path: str, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """The port; it closes at the end."""
    with _Door(("127.0.0.1", 0), _Visitor) as door:
        door.behind, door.tls = socket_path, tls
        thread = threading.Thread(target=door.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield int(door.server_address[1])
        finally:
            door.shutdown()
            thread.join()
