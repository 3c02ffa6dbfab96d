"""Asking for a page only if it changed: what the copy that is here tells the server (RFC 9110, section 13)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

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
