"""What an answer's ``Link`` headers say of the page, where the page itself cannot: the address it calls its own."""

import re
from urllib.parse import urljoin

from webrag_desktop.ingestion.html.metadata import may_be_canonical
from webrag_desktop.models import Capture

# One link of RFC 8288: an address and its parameters. What httpx parses ends an address at its first semicolon.
_PARAMETER = r"[ \t]*+;[ \t]*+([^\s=;,<>\"]++)(?:[ \t]*+=[ \t]*+(\"(?:[^\"\\]|\\.)*+\"|[^\s;,<>\"]*+))?+"
_LINK = re.compile(rf"<([^<>]*+)>((?:{_PARAMETER})*+)")
_NAMED = re.compile(_PARAMETER)


def canonical_in_headers(capture: Capture) -> str | None:
    """The address of ``Link: <…>; rel="canonical"``, believed by the same rules as an element in the page."""
    stated = [value for name, value in capture.headers if name.lower() == "link"]
    for address, parameters in (match.group(1, 2) for value in stated for match in _LINK.finditer(value)):
        named: dict[str, str] = {}
        for name, value in _NAMED.findall(parameters):
            named.setdefault(name.lower(), value.strip('"'))
        # With an anchor it is said of another page.
        if "canonical" in named.get("rel", "").lower().split() and "anchor" not in named:
            return _believed(address, capture.final_url)
    return None


def _believed(stated: str, url: str) -> str | None:
    try:
        address = urljoin(url, _from_utf8(stated).strip())
    except ValueError:
        return None
    return address.partition("#")[0] if may_be_canonical(address, url) else None


def _from_utf8(text: str) -> str:
    """Headers are bytes, kept as Latin-1; servers write addresses outside ASCII as UTF-8."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text
