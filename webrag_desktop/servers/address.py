"""Reading a server's address as people write it: with or without scheme, with or without ``/v1``."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

import httpx

from webrag_desktop.errors import ConfigurationError

_HINT = "Set EMBEDDING_BASE_URL to something like http://localhost:11434 or https://api.openai.com/v1."
_VERSION = re.compile(r"/v\d+[a-z0-9]*(/|$)")
_ENDPOINT = re.compile(r"(/v1)?/(embeddings|models)$")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A server's root without trailing slash, and whether it is this computer or its private network."""

    root: str
    path: str
    host: str
    is_private: bool

    def openai(self, endpoint: str) -> str:
        """The address of an OpenAI endpoint such as ``embeddings``."""
        versioned = self.path if _VERSION.search(self.path) else f"{self.path}/v1"
        return f"{self.root}{versioned}/{endpoint}"

    def ollama(self, endpoint: str) -> str:
        """The address of one of Ollama's own endpoints such as ``tags``."""
        return self.plain(f"api/{endpoint}")

    def plain(self, endpoint: str) -> str:
        """The address of an endpoint beside ``/v1``, such as llama.cpp's ``props``."""
        return f"{self.root}{self.path.removesuffix('/v1')}/{endpoint}"

    def __str__(self) -> str:
        return f"{self.root}{self.path}"


def parse_address(text: str) -> ServerAddress:
    """Read the address; without a scheme it is ``http`` for private hosts and ``https`` for all others.

    Raises :class:`ConfigurationError` for anything else than a host with an optional port and path.
    """
    written = text.strip()
    parts = _split(written if "://" in written else f"//{written}")
    host = parts.hostname or ""
    private = _is_private(host)
    scheme = parts.scheme or ("http" if private else "https")
    netloc = parts.netloc.lower()
    path = _ENDPOINT.sub(r"\1", parts.path.rstrip("/"))
    _check_host(f"{scheme}://{netloc}")
    return ServerAddress(root=f"{scheme}://{netloc}", path=path, host=host, is_private=private)


def _split(written: str) -> SplitResult:
    try:
        parts = urlsplit(written)
        usable = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise ConfigurationError("The embedding server's address cannot be read.", _HINT) from error
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError(
            "The embedding server's address holds a user name or password, where it could end up in logs.",
            "Put the key into EMBEDDING_API_KEY and only the host into EMBEDDING_BASE_URL.",
        )
    unusable_extras = parts.query or parts.fragment or parts.scheme not in ("", "http", "https")
    if not usable or unusable_extras or re.search(r"\s", written):
        raise ConfigurationError("The embedding server's address is not a web address.", _HINT)
    return parts


def _check_host(root: str) -> None:
    try:
        httpx.URL(root)
    except httpx.InvalidURL as error:
        raise ConfigurationError("The embedding server's address names no valid host.", _HINT) from error


def _is_private(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".lan", ".internal"))
    return address.is_loopback or address.is_private or address.is_link_local
