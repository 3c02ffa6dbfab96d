"""Which server a backend means under the user's options, and a client for it."""

import time
from typing import Final

from webrag_desktop.embedding.options import DEFAULT_ADDRESSES, EmbeddingOptions
from webrag_desktop.embedding.transport import Clock, EmbeddingClient
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.servers.address import ServerAddress, parse_address
from webrag_desktop.servers.retries import EMBEDDING, RetryPolicy

# Seconds; a look at whether a server is there must not hold up a start.
PROBE_TIMEOUT: Final = 3.0


class ServerNotSetError(ConfigurationError):
    """Nobody chose a server for a library's model here, or gave it the key that it needs; nothing is sent to any."""


def server_address(backend: str, options: EmbeddingOptions) -> ServerAddress:
    """The configured address if it is meant for this backend, else the backend's usual one.

    A library may have come here in a backup, and a key may lie in the environment for some other purpose: texts and
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
            "EMBEDDING_API_KEY for OpenAI's own. `webrag space move --anew` embeds the library with another model.",
        )
    return parse_address(named or DEFAULT_ADDRESSES[backend])


def require_server(model: EmbeddingModel, options: EmbeddingOptions) -> None:
    """Raise what keeps a model's server from being asked, as far as the settings tell; contacts nobody.

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
