"""A TCP port on 127.0.0.1 that leads to a Unix socket, for what must reach the test server by TCP."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class _Door(socketserver.ThreadingTCPServer):
    daemon_threads = True
    behind: str


class _Visitor(socketserver.BaseRequestHandler):
    server: _Door

    def handle(self) -> None:
        with socket.socket(socket.AF_UNIX) as inside:
            inside.connect(self.server.behind)
            outward = threading.Thread(target=_carry, args=(inside, self.request), daemon=True)
            outward.start()
            _carry(self.request, inside)
            outward.join()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def tcp_door(socket_path: str) -> Iterator[int]:
    """The port; it closes at the end."""
    with _Door(("127.0.0.1", 0), _Visitor) as door:
        door.behind = socket_path
        thread = threading.Thread(target=door.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield int(door.server_address[1])
        finally:
            door.shutdown()
            thread.join()
