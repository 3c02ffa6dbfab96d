"""JSON over HTTP to one embedding server: bounded waits, few retries, no other host."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from threading import Event
from typing import Protocol

import httpx

from webrag_desktop.embedding.address import ServerAddress
from webrag_desktop.embedding.server_errors import (
    ServerBusyError,
    answer_too_large,
    decoded,
    status_failure,
    transport_failure,
)
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.version import VERSION


class Pause(Protocol):
    """Waits; tests replace it."""

    def __call__(self, stop: Event, seconds: float, /) -> bool:
        """Wait that long, or until ``stop`` is set; whether it was."""


def _wait(stop: Event, seconds: float, /) -> bool:
    return stop.wait(seconds)


# Far above what the largest batch of the longest vectors takes; one that sends more would use up our memory.
MOST_ANSWER_BYTES = 256 * 1024 * 1024

Clock = Callable[[], float]
Turn = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and when a busy server is asked again: after 0.5, 1 and 2 seconds unless it names a time.

    A server that names more than ``longest_wait`` seconds is not waited for.
    """

    retries: int = 3
    first_wait: float = 0.5
    longest_wait: float = 30.0
    pause: Pause = _wait

    def waits(self) -> Iterator[float]:
        """The waits before each further attempt, in seconds."""
        return (self.first_wait * 2**attempt for attempt in range(self.retries))


@dataclass(frozen=True, slots=True)
class Timed:
    """An answer's JSON, and the seconds its request took, without waits before it."""

    body: object
    seconds: float


@contextmanager
def _environment_errors() -> Iterator[None]:
    try:
        yield
    except (ImportError, ValueError, OSError) as error:  # a kind of proxy or a file that there is not
        raise ConfigurationError(
            "The proxy or the certificates that the environment names cannot be used for the embedding server.",
            "Set HTTPS_PROXY or ALL_PROXY to an HTTP proxy or remove them, and check SSL_CERT_FILE and SSL_CERT_DIR.",
        ) from error


class JsonClient:
    """One server's JSON endpoints; may be used from several threads. Redirects are never followed.

    Every failure is an :class:`~webrag_desktop.errors.EmbeddingError`, and a ConfigurationError where the proxy or the
    certificates that the environment names cannot be used. ``timeout`` is in seconds and holds for each
    wait for the server; a whole answer may take twice as long. ``ollama`` has its remedies named where it fails.
    """

    def __init__(
        self,
        address: ServerAddress,
        *,
        key: str | None,
        timeout: float,
        retry: RetryPolicy | None = None,
        clock: Clock = time.monotonic,
        ollama: bool = False,
    ) -> None:
        self.address = address
        self.timeout = timeout
        self._key = key
        self._ollama = ollama
        self._retry = retry or RetryPolicy()
        self._clock = clock
        headers = {"User-Agent": f"webrag-desktop/{VERSION}"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        with _environment_errors():
            self._http = httpx.Client(
                headers=headers,
                timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
                follow_redirects=False,
                # A proxy from the environment is for the internet; what stays in the house does not pass through it.
                trust_env=not address.is_private,
                # A server in the house may well have a certificate that only SSL_CERT_FILE knows.
                verify=httpx.create_ssl_context() if address.root.startswith("https:") else True,
            )

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of every request; the key among them, so they are never logged."""
        return self._http.headers

    def get(self, url: str) -> object:
        """The JSON at ``url``, asked for once."""
        return self._send("GET", url, None)

    def post(
        self,
        url: str,
        payload: dict[str, object],
        *,
        stop: Event | None = None,
        turn: Turn = nullcontext,
        longest_wait: float = math.inf,
    ) -> Timed:
        """The JSON answer to ``payload``; asked again while the server is busy, unless ``stop`` is set.

        Every attempt is made inside a new ``turn``; waits in between are outside of it. A server that names more
        than ``longest_wait`` seconds is not waited for.
        """
        stop = stop or Event()
        longest_wait = min(longest_wait, self._retry.longest_wait)
        for wait in self._retry.waits():
            try:
                return self._timed(url, payload, turn)
            except ServerBusyError as busy:
                seconds = wait if busy.retry_after is None else busy.retry_after
                if seconds > longest_wait or self._retry.pause(stop, seconds):
                    raise
        return self._timed(url, payload, turn)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _timed(self, url: str, payload: dict[str, object], turn: Turn) -> Timed:
        with turn():
            started = self._clock()
            body = self._send("POST", url, payload)
            return Timed(body, self._clock() - started)

    def _send(self, method: str, url: str, payload: dict[str, object] | None) -> object:
        try:
            with self._http.stream(method, url, json=payload) as arriving:
                response = self._whole(arriving)
        except httpx.RequestError as error:
            raise transport_failure(error, self.address, self.timeout, ollama=self._ollama) from error
        if not response.is_success:
            raise status_failure(response, self.address, self._key, ollama=self._ollama)
        return decoded(response, self.address)

    def _whole(self, arriving: httpx.Response) -> httpx.Response:
        """The response with its body, which a server may also send drop by drop."""
        deadline = time.monotonic() + 2 * self.timeout
        body = bytearray()
        for part in arriving.iter_bytes():
            body += part
            if len(body) > MOST_ANSWER_BYTES:
                raise answer_too_large(self.address, MOST_ANSWER_BYTES)
            if time.monotonic() > deadline:
                raise httpx.ReadTimeout("The answer takes too long.")
        headers = {name: arriving.headers[name] for name in ("retry-after",) if name in arriving.headers}
        return httpx.Response(arriving.status_code, headers=headers, content=bytes(body))
