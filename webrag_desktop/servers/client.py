"""The one HTTP client for model servers: whole answers and streams, bounded waits, no other host, cancelled at once."""

import math
import socket
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from ssl import SSLContext
from threading import Lock
from typing import Generic, NamedTuple, Protocol, TypeVar

import httpx

from webrag_desktop.errors import ConfigurationError, WebragError
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.address import ServerAddress
from webrag_desktop.servers.faults import Fault, transport_fault
from webrag_desktop.servers.interruption import Interruption, arriving, directly, interruptibly
from webrag_desktop.version import VERSION

CONNECT_SECONDS = 10.0
_KEPT_HEADERS = ("retry-after", "date", "location")


class Failures(Protocol):
    """Turns what went wrong with a server into an error in the words of its caller."""

    @property
    def server(self) -> str:
        """How messages call the server, such as "chat server"."""

    def transport(
        self, fault: Fault, error: BaseException | None, seconds: float, *, begun: bool = False
    ) -> WebragError:
        """The error for a request without a complete answer; ``begun``: a part of it came."""

    def status(self, response: httpx.Response) -> WebragError:
        """The error for an unsuccessful response."""

    def too_large(self, most_bytes: int) -> WebragError:
        """The error for an answer without end."""


F = TypeVar("F", bound=Failures)


class Splitter(Protocol):
    """Cuts a stream of bytes into events."""

    def feed(self, part: bytes) -> Iterator[bytes]:
        """The events that end in ``part``."""

    def rest(self) -> Iterator[bytes]:
        """What is left at the end."""


class Waits(NamedTuple):
    """Seconds: for each part of an answer (``part``), for all of it (``whole``), and as ``reported`` in errors."""

    part: float
    whole: float
    reported: float

    @classmethod
    def same(cls, seconds: float, reported: float | None = None) -> "Waits":
        """One limit for everything."""
        return cls(seconds, seconds, seconds if reported is None else reported)


class _Connection(NamedTuple):
    """A client of a single connection, and a duplicate of its socket, by which it can be shut down."""

    client: httpx.Client
    handle: socket.socket | None

    def close(self) -> None:
        self.client.close()
        if self.handle is not None:
            self.handle.close()


class ServerClient(Generic[F]):
    """One server's endpoints; may be used from several threads.

    Redirects are never followed and the key goes to this one address. Errors are those of ``failures``. With
    ``keep_alive``, connections are used again until :meth:`close`; else each request has its own.
    """

    def __init__(
        self,
        address: ServerAddress,
        key: str | None,
        failures: F,
        *,
        most_bytes: int,
        keep_alive: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Contacts no server yet.

        Raises:
            ConfigurationError: with ``keep_alive``, where the environment's proxy or certificates cannot be used.
        """
        self.address = address
        self._key = key
        self.failures = failures
        self._most_bytes = most_bytes
        self._keep_alive = keep_alive
        self._transport = transport
        self._idle: list[_Connection] = [self._opened()] if keep_alive else []
        self._lock = Lock()

    @property
    def headers(self) -> httpx.Headers:
        """The headers of every request; the key among them, so they are never logged."""
        authorization = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        return httpx.Headers({"User-Agent": f"webrag-desktop/{VERSION}"} | authorization)

    def response(
        self, url: str, payload: dict[str, object] | None, waits: Waits, cancel: CancelToken
    ) -> httpx.Response:
        """The whole response, successful or not; a GET without ``payload``.

        Raises:
            WebragError: of the ``failures``: there is none.
            ConfigurationError: the proxy or the certificates that the environment names cannot be used.
            Cancelled: ``cancel`` was set.
        """
        interruption = Interruption()
        ends = time.monotonic() + waits.whole

        def request() -> httpx.Response:
            with self._sent(url, payload, waits.part, interruption) as answer:
                return self._whole(answer, interruption, ends)

        try:
            if self._is_connected():  # spares a question the start of a thread
                return directly(request, interruption, cancel)
            return interruptibly(request, interruption, waits.whole, cancel)
        except (httpx.RequestError, TimeoutError) as error:
            raise self._failure(error, waits.reported, interruption) from error

    def content(
        self, url: str, payload: dict[str, object] | None, waits: Waits, cancel: CancelToken
    ) -> httpx.Response:
        """The whole response of a success; raises as :meth:`response` does."""
        response = self.response(url, payload, waits, cancel)
        if not response.is_success:
            raise self.failures.status(response)
        return response

    def events(
        self,
        url: str,
        payload: dict[str, object],
        splitter: Callable[[], Splitter],
        waits: tuple[float, float],
        most_bytes: int,
        cancel: CancelToken,
    ) -> Generator[bytes, None, None]:
        """The events of a streamed answer, as they come; closing the iterator ends the connection.

        ``waits`` are how many seconds the first event and each further one may take. Raises as :meth:`content` does.
        """
        interruption = Interruption()

        def request(pass_on: Callable[[httpx.Response | bytes], None]) -> None:
            with self._sent(url, payload, max(waits), interruption) as answer:
                if not answer.is_success:
                    pass_on(self._whole(answer, interruption))
                    return
                split = splitter()
                for part in self._bounded(answer, most_bytes, interruption):
                    for event in split.feed(part):
                        pass_on(event)
                for event in split.rest():
                    pass_on(event)

        begun = False
        try:
            with closing(arriving(request, interruption, *waits, cancel)) as parts:
                for part in parts:
                    if isinstance(part, httpx.Response):
                        raise self.failures.status(part)
                    begun = True
                    yield part
        except (httpx.RequestError, TimeoutError) as error:
            seconds = waits[1] if begun else waits[0]
            raise self._failure(error, seconds, interruption, begun=begun) from error

    def close(self) -> None:
        """Close the connections that are kept."""
        with self._lock:
            idle, self._idle, self._keep_alive = self._idle, [], False
        for connection in idle:
            connection.close()

    def _is_connected(self) -> bool:
        with self._lock:
            return bool(self._idle) and self._idle[-1].handle is not None

    def _failure(
        self, error: Exception, seconds: float, interruption: Interruption, *, begun: bool = False
    ) -> WebragError:
        fault = transport_fault(error, reached=interruption.reached)
        return self.failures.transport(fault, error, seconds, begun=begun)

    @contextmanager
    def _sent(
        self, url: str, payload: dict[str, object] | None, seconds: float, interruption: Interruption
    ) -> Iterator[httpx.Response]:
        with self._connection(interruption) as client:
            timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
            method = "GET" if payload is None else "POST"
            extensions = {"trace": interruption.trace}
            with client.stream(method, url, json=payload, timeout=timeout, extensions=extensions) as answer:
                yield answer

    @contextmanager
    def _connection(self, interruption: Interruption) -> Iterator[httpx.Client]:
        with self._lock:
            idle = self._idle.pop() if self._idle else None
        client, handle = idle or self._opened()
        interruption.use(handle)
        whole = False
        try:
            yield client
            whole = True
        finally:
            used = _Connection(client, interruption.release())
            with self._lock:
                kept = self._keep_alive and whole and not interruption.stopped
                if kept:
                    self._idle.append(used)
            if not kept:
                used.close()

    def _opened(self) -> _Connection:
        try:
            client = httpx.Client(
                headers=self.headers,
                follow_redirects=False,
                # A proxy from the environment is for the internet; requests to the own network do not pass through it.
                trust_env=not self.address.is_private,
                verify=self._certificates,
                limits=httpx.Limits(max_connections=1),
                transport=self._transport,
            )
        except (ImportError, ValueError, OSError) as error:  # a kind of proxy or a file that does not exist
            raise ConfigurationError(
                "The proxy or the certificates that the environment names cannot be used for the "
                f"{self.failures.server}.",
                "Set HTTPS_PROXY or ALL_PROXY to an HTTP proxy or remove them, and check SSL_CERT_FILE and "
                "SSL_CERT_DIR.",
            ) from error
        return _Connection(client, None)

    @cached_property
    def _certificates(self) -> SSLContext:
        """Those of SSL_CERT_FILE, too, since a server in the own network may have a certificate of its own."""
        encrypted = self.address.root.startswith("https:")
        return httpx.create_ssl_context(trust_env=encrypted or not self.address.is_private)

    def _whole(
        self, answer: httpx.Response, interruption: Interruption, ends: float = math.inf
    ) -> httpx.Response:
        """The response with its body, as far as that is not without end."""
        body = bytearray()
        for part in self._bounded(answer, self._most_bytes, interruption):
            body += part
            if time.monotonic() > ends:
                raise TimeoutError
        kept = [(name, text) for name, text in answer.headers.multi_items() if name in _KEPT_HEADERS]
        return httpx.Response(answer.status_code, headers=kept, content=bytes(body))

    def _bounded(self, answer: httpx.Response, most: int, interruption: Interruption) -> Iterator[bytes]:
        taken = 0
        for part in answer.iter_bytes():
            taken += len(part)
            if taken > most:
                raise self.failures.too_large(most)
            yield part
            if interruption.stopped:
                return
