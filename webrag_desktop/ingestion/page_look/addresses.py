"""The addresses that a page or a stylesheet loads files from, each replaced by the name of what is kept of it."""

import hashlib
import re
from urllib.parse import urljoin, urlsplit

from webrag_desktop.models.markup import Reference
from webrag_desktop.models.subresources import SubresourceKind

LONGEST_ADDRESS = 4000  # characters; longer ones are left out
MOST_REFERENCES = 10_000  # of one page or stylesheet; what is beyond is left out
NOTHING = "data:,"
_DATA = re.compile(r"data:(?:image/|font/|application/(?:x-)?font-)", re.IGNORECASE)
_EDGES = "\t\n\f\r "


def name_of(url: str) -> str:
    """The name by which markup refers to what is kept of an address."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Addresses:
    """Collects the references of one page or stylesheet."""

    def __init__(self, base: str) -> None:
        """Resolve relative addresses against ``base``."""
        self._base = base
        self._found: dict[str, Reference] = {}
        self._named: dict[tuple[str, SubresourceKind], str | None] = {}

    def name(self, written: str, kind: SubresourceKind) -> str | None:
        """What to write instead of an address; None where nothing may be loaded from it.

        A picture or font that is in the address itself, and a place of the page itself, stay as they are.
        """
        key = written, kind
        if key not in self._named:
            self._named[key] = self._name(written.strip(_EDGES), kind)
        return self._named[key]

    def _name(self, address: str, kind: SubresourceKind) -> str | None:
        if address.startswith("#"):
            return address
        if _DATA.match(address) and kind != "stylesheet":
            return address
        url, fragment = self._absolute(address)
        if url is None:
            return None
        if url not in self._found:
            if len(self._found) >= MOST_REFERENCES:
                return None
            self._found[url] = Reference(url=url, kind=kind)
        return name_of(url) + fragment

    def _absolute(self, address: str) -> tuple[str | None, str]:
        if not address or len(address) > LONGEST_ADDRESS:
            return None, ""
        try:
            url, mark, fragment = urljoin(self._base, address).partition("#")
            parts = urlsplit(url)
            fits = parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc
        except ValueError:
            return None, ""
        if not fits or len(url) > LONGEST_ADDRESS or not url.isprintable():
            return None, ""
        return url, mark + fragment

    @property
    def references(self) -> tuple[Reference, ...]:
        """All that were named, stylesheets first."""
        return tuple(sorted(self._found.values(), key=lambda one: one.kind != "stylesheet"))
