"""JSON over HTTP to one embedding server: bounded waits, few retries, no other host."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Event
from typing import Protocol

import httpx

from webrag_desktop import __version__
from webrag_desktop.embedding.address import ServerAddress
from webrag_desktop.embedding.server_errors import ServerBusyError, decoded, status_failure, transport_failure


class Pause(Protocol):
    """Waits; tests replace it."""

    def __call__(self, stop: Event, seconds: float, /) -> bool:
        """Wait that long, or until ``stop`` is set; whether it was."""


def _wait(stop: Event, seconds: float, /) -> bool:
    return stop.wait(seconds)


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


class JsonClient:
    """One server's JSON endpoints; may be used from several threads. Redirects are never followed.

    Every failure is an :class:`~webrag_desktop.errors.EmbeddingError`. ``timeout`` is in seconds.
    """

    def __init__(
        self, address: ServerAddress, *, key: str | None, timeout: float, retry: RetryPolicy | None = None
    ) -> None:
        self.address = address
        self._key = key
        self._timeout = timeout
        self._retry = retry or RetryPolicy()
        headers = {"User-Agent": f"webrag-desktop/{__version__}"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        self._http = httpx.Client(
            headers=headers,
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
            follow_redirects=False,
            # A proxy from the environment is for the internet; what stays in the house does not pass through it.
            trust_env=not address.is_private,
        )

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of every request; the key among them, so they are never logged."""
        return self._http.headers

    def get(self, url: str) -> object:
        """The JSON at ``url``, asked for once."""
        return self._send("GET", url, None)

    def post(self, url: str, payload: dict[str, object], stop: Event | None = None) -> object:
        """The JSON answer to ``payload``; asked again while the server is busy, unless ``stop`` is set."""
        stop = stop or Event()
        for wait in self._retry.waits():
            try:
                return self._send("POST", url, payload)
            except ServerBusyError as busy:
                seconds = wait if busy.retry_after is None else busy.retry_after
                if seconds > self._retry.longest_wait or self._retry.pause(stop, seconds):
                    raise
        return self._send("POST", url, payload)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _send(self, method: str, url: str, payload: dict[str, object] | None) -> object:
        try:
            response = self._http.request(method, url, json=payload)
        except httpx.RequestError as error:
            raise transport_failure(error, self.address, self._timeout) from error
        if not response.is_success:
            raise status_failure(response, self.address, self._key)
        return decoded(response, self.address)
