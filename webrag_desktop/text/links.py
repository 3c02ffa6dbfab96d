"""Addresses that lead to a section of a page, its own plus an anchor; and the path that a file's address represents."""

import re
import unicodedata
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

# What RFC 3986 allows in a path or query, "%" included since addresses come already encoded.
_ADDRESS_SAFE = "%/:?#[]@!$&'()*+,;="
_FRAGMENT_SAFE = "!$&'()*+,;=:@/?"
_TEXT_SAFE = "!$'()*+;=:@/?"  # the text directive gives "-", "," and "&" a meaning of their own
_WHOLE_QUOTE = 80  # longer quotes are named by their first and last words
_EDGE_WORDS = 5


def is_web(address: str) -> bool:
    """Whether it is the address of a web page: http or https."""
    return address[:8].lower().startswith(("http://", "https://"))


def site_of(address: str) -> str | None:
    """The host of an address without ``www.``, in lower case; None where it has none, as of files.

    Raises:
        ValueError: it is no valid address.
    """
    host = urlsplit(address).hostname
    return (host.removeprefix("www.") or host) if host else None


def slugify(heading: str) -> str:
    """The fragment that documentation generators make of a heading.

    Lower case; letters and digits of every script stay, everything else becomes one hyphen, none at the
    ends.
    """
    text = unicodedata.normalize("NFC", heading).lower()
    kept = ("-" if not (char.isalnum() or unicodedata.category(char)[0] == "M") else char for char in text)
    return re.sub("-+", "-", "".join(kept)).strip("-")


def build_url(
    source_url: str,
    section_heading: str | None = None,
    *,
    anchor: str | None = None,
    text: str | None = None,
) -> str:
    """The page's own address with a fragment that leads to a section.

    The fragment is the page's real ``anchor`` (an id as written in the HTML), else the heading's slug; it
    replaces one that the address already has. With neither the address keeps its own. ``text`` adds a text
    fragment, by which browsers scroll to the quoted words and mark them; its lines may be in several blocks
    or cells of the page.
    """
    parts = urlsplit(source_url)
    fragment = quote(parts.fragment, safe=_ADDRESS_SAFE)
    own = (anchor or "").removeprefix("#") or slugify(section_heading or "")
    if own:
        fragment = quote(own, safe=_FRAGMENT_SAFE)
    if text and text.strip():
        fragment = f"{fragment.partition(':~:')[0]}:~:text={_text_directive(text)}"
    path, query = (quote(part, safe=_ADDRESS_SAFE) for part in (parts.path, parts.query))
    return urlunsplit((parts.scheme, parts.netloc, path, query, fragment))


def _text_directive(text: str) -> str:
    # Browsers search for words within one block of the page; only from one to the other may there be borders.
    lines = [words for words in map(str.split, text.splitlines()) if words]
    first, last = lines[0], lines[-1]
    spans = [first[:_EDGE_WORDS], last[-_EDGE_WORDS:]]
    if len(lines) == 1 and (len(" ".join(first)) <= _WHOLE_QUOTE or len(first) <= 2 * _EDGE_WORDS):
        spans = [first]
    return ",".join(quote(" ".join(span), safe=_TEXT_SAFE).replace("-", "%2D") for span in spans)


def file_path(uri: str) -> Path:
    """The path a ``file://`` URI of :func:`parse_source` represents."""
    path = unquote(urlsplit(uri).path)
    return Path(path[1:] if re.match(r"^/[A-Za-z]:", path) else path)
