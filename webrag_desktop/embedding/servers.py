"""Which server a backend means under the user's options, and a client for it."""

import time
from typing import Final

from webrag_desktop.embedding.address import ServerAddress, parse_address
from webrag_desktop.embedding.options import DEFAULT_ADDRESSES, EmbeddingOptions
from webrag_desktop.embedding.transport import Clock, JsonClient, RetryPolicy
from webrag_desktop.errors import ConfigurationError

# Seconds; a look at whether a server is there must not hold up a start.
PROBE_TIMEOUT: Final = 3.0


def server_address(backend: str, options: EmbeddingOptions) -> ServerAddress:
    """The configured address if it is meant for this backend, else the backend's usual one."""
    return parse_address((_meant(backend, options) and options.base_url) or DEFAULT_ADDRESSES[backend])


def open_client(
    backend: str,
    options: EmbeddingOptions,
    *,
    timeout: float | None = None,
    retry: RetryPolicy | None = None,
    clock: Clock = time.monotonic,
) -> JsonClient:
    """A client for the backend's server; the key goes nowhere but to the address it was configured for.

    Raises :class:`ConfigurationError` for an unreadable address, and for OpenAI without a key.
    """
    address = server_address(backend, options)
    goes_to_default = backend == "ollama" and options.base_url is None
    key = options.key if _meant(backend, options) and not goes_to_default else None
    if key is None and address.host == "api.openai.com":
        raise ConfigurationError(
            "OpenAI needs an API key, and none is set.",
            "Set EMBEDDING_API_KEY, or EMBEDDING_BACKEND=embedded to stay offline.",
        )
    return JsonClient(
        address,
        key=key,
        timeout=timeout or options.timeout,
        retry=retry,
        clock=clock,
        ollama=backend == "ollama",
    )


def _meant(backend: str, options: EmbeddingOptions) -> bool:
    return options.backend in ("auto", backend)
