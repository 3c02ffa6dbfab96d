"""A real HTTP server on loopback that serves test pages and remembers what it was asked for."""

import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from types import TracebackType
from typing import Self

PAGES_DIRECTORY = Path(__file__).parent.parent / "data" / "pages"


@dataclass(frozen=True)
class Page:
    """One answer: status, headers and body. A Content-Length is added unless the headers set the framing."""

    body: bytes | str = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)

    @classmethod
    def redirect(cls, location: str, status: int = 302) -> Self:
        """An answer that sends the client elsewhere."""
        return cls(status=status, headers=(("Location", location),))


@dataclass(frozen=True)
class Request:
    """What a client asked for; header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]


Responder = Callable[["RequestHandler"], None]
Served = Page | bytes | str | Responder


class RequestHandler(BaseHTTPRequestHandler):
    """Answers from the server's pages; responders may write to ``wfile`` as they like."""

    server: "_Server"

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.owner.requests.append(Request(self.command, self.path, headers))
        served = self.server.owner.find(self.path)
        if callable(served):
            served(self)
        else:
            self.send_page(served)

    def send_page(self, served: Page | bytes | str) -> None:
        """Send one whole answer."""
        page = served if isinstance(served, Page) else Page(served)
        body = page.body.encode() if isinstance(page.body, str) else page.body
        self.send_response(page.status)
        names = {name.lower() for name, _ in page.headers}
        for name, value in page.headers:
            self.send_header(name, value)
        if not names & {"content-length", "transfer-encoding"}:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def wait(self, seconds: float) -> bool:
        """Wait that long, or until the server is stopped; tells whether it was stopped."""
        return self.server.owner.stopping.wait(seconds)

    def log_message(self, *_args: object) -> None:
        """Keep the test output quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, owner: "PageServer") -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), RequestHandler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up early are part of the tests."""


class PageServer:
    """Serves a directory, a mapping of paths, or both; the mapping wins and may be changed while it runs.

    Use it as a context manager, or call :meth:`stop`. ``tls`` is a server-side context for https.
    """

    def __init__(
        self,
        pages: Mapping[str, Served] | None = None,
        *,
        directory: Path | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.pages: dict[str, Served] = dict(pages or {})
        self.requests: list[Request] = []
        self.stopping = threading.Event()
        self._directory = directory
        self._scheme = "https" if tls else "http"
        self._server = _Server(self)
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        serve = self._server.serve_forever
        self._thread = threading.Thread(target=serve, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The TCP port on 127.0.0.1."""
        return self._server.server_address[1]

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """The address of a path on this server."""
        return f"{self._scheme}://{host}:{self.port}{path}"

    def find(self, path: str) -> Served:
        """What is served at a request path, query included; a 404 page where there is nothing."""
        if path in self.pages:
            return self.pages[path]
        bare = path.partition("?")[0]
        if bare in self.pages:
            return self.pages[bare]
        return self._file(bare) or Page("<p>Nothing here.</p>", status=404)

    def _file(self, path: str) -> Page | None:
        if self._directory is None:
            return None
        file = (self._directory / path.lstrip("/")).resolve()
        if not file.is_relative_to(self._directory.resolve()) or not file.is_file():
            return None
        kind = guess_type(file.name)[0] or "application/octet-stream"
        return Page(file.read_bytes(), headers=(("Content-Type", kind),))

    def stop(self) -> None:
        """Stop answering and free the port; calling it again changes nothing."""
        if self.stopping.is_set():
            return
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
