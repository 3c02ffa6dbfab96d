"""JSON over HTTP to one embedding server, with retries while it is busy; which server and key the settings mean."""

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Final

import httpx

from webrag_desktop.embedding.options import DEFAULT_ADDRESSES, EmbeddingOptions
from webrag_desktop.embedding.server_errors import EmbeddingFailures, decoded
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.address import ServerAddress, parse_address
from webrag_desktop.servers.client import ServerClient, Waits
from webrag_desktop.servers.listing import rows_of, tagged
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


# Seconds; a check whether a server is there must not delay a start.
PROBE_TIMEOUT: Final = 3.0


class ServerNotSetError(ConfigurationError):
    """The settings name no server for a library's model, or not the key that it needs; no request is sent."""


def server_address(backend: str, options: EmbeddingOptions) -> ServerAddress:
    """The configured address if it is meant for this backend, else the backend's usual one.

    A library may have come here in a backup, and the environment may hold a key for some other purpose: texts and
    key go out of this computer only where the settings of this one name the server, or OpenAI by its backend.

    Raises:
        ConfigurationError: the address cannot be read.
        ServerNotSetError: the settings name none, and the usual one is not on this computer.
    """
    named = options.base_url if _meant(backend, options) else None
    if named is None and backend == "openai" and options.backend != "openai":
        raise ServerNotSetError(
            "The vectors of this library come from an OpenAI-compatible server, and the settings of this computer name "
            "none, so nothing was sent to any.",
            "Set EMBEDDING_BASE_URL to your server that has its model, or EMBEDDING_BACKEND=openai and "
            "EMBEDDING_API_KEY for OpenAI's own. `webrag space move --reembed` embeds the library with another model.",
        )
    return parse_address(named or DEFAULT_ADDRESSES[backend])


def require_server(model: EmbeddingModel, options: EmbeddingOptions) -> None:
    """Raise what prevents requests to a model's server, as far as the settings say; sends none itself.

    Raises:
        ConfigurationError: the address cannot be read.
        ServerNotSetError: no server is named, or not the key that it needs.
    """
    if model.backend in DEFAULT_ADDRESSES:
        _address_and_key(model.backend, options)


def open_client(
    backend: str,
    options: EmbeddingOptions,
    *,
    timeout: float | None = None,
    retry: RetryPolicy = EMBEDDING,
    clock: Clock = time.monotonic,
) -> EmbeddingClient:
    """A client for the backend's server; the key goes nowhere but to the address it was configured for.

    Raises :class:`ConfigurationError` for an unreadable address, :class:`ServerNotSetError` where none is named, and
    for OpenAI without a key.
    """
    address, key = _address_and_key(backend, options)
    return EmbeddingClient(
        address,
        key=key,
        timeout=timeout or options.timeout,
        retry=retry,
        clock=clock,
        ollama=backend == "ollama",
    )


def _address_and_key(backend: str, options: EmbeddingOptions) -> tuple[ServerAddress, str | None]:
    address = server_address(backend, options)
    goes_to_default = backend == "ollama" and options.base_url is None
    key = options.key if _meant(backend, options) and not goes_to_default else None
    if key is None and address.host == "api.openai.com":
        raise ServerNotSetError(
            "OpenAI needs an API key, and none is set.",
            "Set EMBEDDING_API_KEY, or EMBEDDING_BACKEND=embedded to stay offline.",
        )
    return address, key


def _meant(backend: str, options: EmbeddingOptions) -> bool:
    return options.backend in ("auto", backend)


def ollama_version(client: EmbeddingClient) -> str:
    """The server's version; raises :class:`~webrag_desktop.errors.EmbeddingError` if no Ollama answers."""
    answer = client.get(client.address.ollama("version"))
    found = answer.get("version") if isinstance(answer, dict) else None
    return found if isinstance(found, str) else ""


def ollama_has_model(client: EmbeddingClient, name: str) -> bool:
    """Whether the model was pulled; a name without a tag means ``:latest``, as in Ollama itself."""
    answer = client.get(client.address.ollama("tags"))
    names = {tagged(str(row.get("name", ""))) for row in rows_of(answer, "models")}
    return tagged(name) in names
