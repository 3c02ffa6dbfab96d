"""JSON over HTTP to one embedding server, with retries while it is busy."""

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

import httpx

from webrag_desktop.embedding.server_errors import EmbeddingFailures, decoded
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.address import ServerAddress
from webrag_desktop.servers.client import ServerClient, Waits
from webrag_desktop.servers.retries import EMBEDDING, RetryPolicy

# Far above what the largest batch of the longest vectors takes; one that sends more would use up our memory.
MOST_ANSWER_BYTES = 256 * 1024 * 1024

Clock = Callable[[], float]
Turn = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Timed:
    """An answer's JSON, and the seconds its request took, without waits before it."""

    body: object
    seconds: float


class EmbeddingClient(ServerClient[EmbeddingFailures]):
    """One server's JSON endpoints; may be used from several threads, and keeps its connections.

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
        retry: RetryPolicy = EMBEDDING,
        clock: Clock = time.monotonic,
        ollama: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        failures = EmbeddingFailures(address, key, ollama)
        super().__init__(
            address, key, failures, most_bytes=MOST_ANSWER_BYTES, keep_alive=True, transport=transport
        )
        self.timeout = timeout
        self._retry = retry
        self._clock = clock

    def get(self, url: str) -> object:
        """The JSON at ``url``, requested once."""
        return self._json(url, None, CancelToken())

    def post(
        self,
        url: str,
        payload: dict[str, object],
        *,
        cancel: CancelToken | None = None,
        turn: Turn = nullcontext,
        longest_wait: float = math.inf,
    ) -> Timed:
        """The JSON answer to ``payload``; requested again while the server is busy, unless ``cancel`` is set.

        Every attempt is made inside a new ``turn``; waits in between are outside of it. A server that names more
        than ``longest_wait`` seconds is not waited for.
        """
        token = cancel or CancelToken()

        def attempt(_left: float) -> Timed:
            with turn():
                started = self._clock()
                body = self._json(url, payload, token)
                return Timed(body, self._clock() - started)

        retry = replace(self._retry, longest_wait=min(longest_wait, self._retry.longest_wait))
        return retry.run(attempt, token)

    def _json(self, url: str, payload: dict[str, object] | None, cancel: CancelToken) -> object:
        waits = Waits(self.timeout, 2 * self.timeout, self.timeout)
        return decoded(self.content(url, payload, waits, cancel), self.address)
