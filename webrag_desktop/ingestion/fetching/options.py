"""Options of fetching, and the conditions of a request that asks for a page only if it changed (RFC 9110).

Apart from fetching itself, whose HTTP library takes long to import.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from webrag_desktop.bounds import bounded, check_settings
from webrag_desktop.errors import ConfigurationError

LONGEST_HOST_DELAY = 600  # seconds


@dataclass(frozen=True)
class FetchOptions:
    """Limits of one capture; times in seconds, sizes in bytes after decompression.

    ``total_seconds`` bounds the whole fetch with its redirects (a name lookup in progress cannot be cut
    short). ``allow_private`` says that the user gave the address himself, so it may be on this computer or in
    its network, and redirects may stay in that same class of addresses; without it, and behind every public
    page, only public addresses are opened. Proxies and cookies of the environment are ignored: ``proxy`` is
    the one to use, as ``http://host:port``; names are then resolved by the proxy, so only addresses written
    as numbers can be checked. ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` are honoured.

    A page that a site could not deliver is requested again, at most three times, while less than ``retry_seconds`` have
    passed since the first request; each request has ``total_seconds`` of its own. At least ``host_delay_seconds`` pass
    between requests for two pages of one site.
    """

    connect_seconds: float = 10.0
    read_seconds: float = 30.0
    total_seconds: float = bounded(120.0, above=0)
    retry_seconds: float = 20.0
    host_delay_seconds: float = bounded(1.0, least=0, most=LONGEST_HOST_DELAY)
    max_bytes: int = bounded(50_000_000, above=0)
    max_redirects: int = 10
    user_agent: str = "Mozilla/5.0 (compatible; WebRAG-Desktop; personal research archive)"
    allow_private: bool = True
    proxy: str | None = None

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by the names of their settings."""
        check_settings(self, "FETCH", {"total_seconds": "FETCH_TIMEOUT"})


@dataclass(frozen=True)
class SubresourceOptions:
    """Whether stylesheets, images and fonts of fetched pages are kept, and within which limits; sizes in bytes.

    ``keep`` is for all sites but those in ``sites``: hosts with all below them. Of one with a minus sign before it
    nothing is kept, of the others everything, whatever ``keep`` says. The longest name that fits decides.
    """

    keep: bool = False
    sites: str | None = None
    file_bytes: int = bounded(5_000_000, least=1000, most=100_000_000)
    page_bytes: int = bounded(30_000_000, least=1000, most=1_000_000_000)
    files: int = bounded(300, least=1, most=5000)

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by the names of their settings."""
        check_settings(self, "FETCH_SUBRESOURCE", _SUBRESOURCE_NAMES)
        if not are_sites(self.sites):
            raise ConfigurationError(
                "FETCH_SUBRESOURCES_SITES names what is no site.",
                "Write hosts such as example.org, with a minus sign before those to be left out.",
            )

    def are_kept(self, site: str | None) -> bool:
        """Whether they are kept of pages of a site (a host without ``www.``)."""
        fitting = [name for name in split_sites(self.sites) if _is_within(site or "", name.removeprefix("-"))]
        decides = max(fitting, key=lambda name: (len(name.removeprefix("-")), name), default=None)
        return self.keep if decides is None else not decides.startswith("-")


_SUBRESOURCE_NAMES = {
    "file_bytes": "FETCH_SUBRESOURCE_BYTES",
    "files": "FETCH_SUBRESOURCES_COUNT",
    "page_bytes": "FETCH_SUBRESOURCES_PAGE_BYTES",
}
_SITE = re.compile(r"[^\s/:@,*-][^\s/:@,*]*")


def split_sites(written: str | None) -> list[str]:
    """The names in a list of sites, in lower case and without ``www.``."""
    names = re.split(r"[\s,;]+", (written or "").lower())
    return [re.sub(r"^(-?)www\.", r"\1", name) for name in names if name]


def are_sites(written: str | None) -> bool:
    """Whether a list of sites names nothing but hosts, with a minus sign before them or not."""
    return all(_SITE.fullmatch(name.removeprefix("-")) for name in split_sites(written))


def _is_within(site: str, name: str) -> bool:
    return site == name or site.endswith(f".{name}")


Header = tuple[bytes, bytes]

_ENTITY_TAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')
_LONGEST = 1000  # characters; servers' own are below a hundred, and what is sent must not be a burden


@dataclass(frozen=True)
class Validators:
    """What names the copy of a page that is here already, for the address that gave it and for no other."""

    address: str
    etag: str | None = None
    last_modified: str | None = None

    def headers_for(self, address: str) -> list[Header]:
        """The headers that make a request to ``address`` conditional; none where the copy came from elsewhere."""
        if address != self.address:
            return []
        named = ((b"If-None-Match", self.etag), (b"If-Modified-Since", self.last_modified))
        return [(name, value.encode("latin-1")) for name, value in named if value is not None]


def validators_of(address: str, headers: Iterable[tuple[str, str]]) -> Validators | None:
    """What the answer with these headers, which ``address`` gave, can be named by; None where by nothing.

    What is no entity tag or no date by the standard is left out: it would go back to the server as it came.
    """
    first: dict[str, str] = {}
    for name, value in headers:
        first.setdefault(name.lower(), value.strip())
    etag = first.get("etag", "")
    modified = first.get("last-modified", "")
    validators = Validators(
        address,
        etag if len(etag) <= _LONGEST and _ENTITY_TAG.fullmatch(etag) else None,
        modified if len(modified) <= _LONGEST and _is_date(modified) else None,
    )
    return validators if validators.etag or validators.last_modified else None


def _is_date(text: str) -> bool:
    if not text.isascii() or not text.isprintable():
        return False
    try:
        parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # a year or a zone of many digits is the latter
        return False
    return True
