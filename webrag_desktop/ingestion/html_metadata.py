"""What a page says about itself: title, description, language, dates, canonical address."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from turbohtml import Document, Element

_LONGEST = 2000  # characters of a description
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_LANGUAGE = re.compile(r"^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$", re.IGNORECASE)
_PUBLISHED = (
    "article:published_time", "og:published_time", "datepublished", "dc.date", "dc.date.issued", "dcterms.created",
    "dcterms.issued", "citation_publication_date", "citation_date", "publish_date", "pubdate", "date",
    "parsely-pub-date",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "dc.date.modified", "last-modified",
    "lastmod", "revised",
)  # fmt: skip
_DESCRIPTIONS = ("description", "og:description", "twitter:description", "dc.description", "dcterms.abstract")


@dataclass(frozen=True)
class Metadata:
    """Explicit statements only; nothing here is guessed. Times are as the page writes them."""

    title: str | None = None
    description: str | None = None
    language: str | None = None
    published_time: str | None = None
    modified_time: str | None = None


def read_metadata(document: Document, headlines: Sequence[Element]) -> Metadata:
    """Metadata of a page; must run before the tree is cleaned. ``headlines`` are the headings that may name it."""
    named = named_values(document)
    linked = _linked_data(document)
    return Metadata(
        title=_title(document, named, headlines),
        description=_clip(_first(named, _DESCRIPTIONS)),
        language=_language(document, named),
        published_time=_time(_first(named, _PUBLISHED) or linked.get("datePublished")),
        modified_time=_time(_first(named, _MODIFIED) or linked.get("dateModified")),
    )


def canonical_address(document: Document, url: str) -> str | None:
    """The address a page names as its own, if it may be believed.

    Only an address of the same site (scheme aside, ``www.`` aside) counts: a page must not take over
    another site's identity. The site's start page is no address for a page below it, since broken templates
    put it everywhere.
    """
    link = document.select_one('link[rel~="canonical" i][href]')
    if link is None:
        return None
    try:
        address = urljoin(document.base_url(url), (link.attr("href") or "").strip())
        named, real = urlsplit(address), urlsplit(url)
        same_site = _site(named.hostname, named.port) == _site(real.hostname, real.port)
    except ValueError:
        return None
    if named.scheme not in {"http", "https"} or not same_site:
        return None
    if named.path in {"", "/"} and real.path not in {"", "/"}:
        return None
    return address.partition("#")[0]


def _site(host: str | None, port: int | None) -> tuple[str, int | None]:
    return (host or "").lower().removeprefix("www."), None if port in {80, 443} else port


def named_values(document: Document) -> dict[str, str]:
    """What the page states in ``meta`` and dated elements, by lower-case name; the first statement counts."""
    values: dict[str, str] = {}
    for meta in document.select("meta[content]"):
        name = meta.attr("property") or meta.attr("name") or meta.attr("itemprop") or meta.attr("http-equiv")
        content = " ".join((meta.attr("content") or "").split())
        if name and content:
            values.setdefault(name.strip().lower(), content)
    for dated in document.select("time[itemprop][datetime],time[pubdate][datetime]"):
        name = dated.attr("itemprop") or "datePublished"
        values.setdefault(name.lower(), (dated.attr("datetime") or "").strip())
    return values


def whole_title(document: Document) -> str:
    """The words of the ``title`` element."""
    element = document.select_one("title")
    return " ".join(element.text.split()) if element is not None else ""


def _title(document: Document, named: dict[str, str], headlines: Sequence[Element]) -> str | None:
    whole = whole_title(document)
    words = [heading_words(headline.text) for headline in headlines]
    for headline in words:
        if headline in whole:
            return headline
    social = named.get("og:title") or named.get("citation_title") or named.get("dc.title")
    return _clip(social or whole or next(iter(words), None))


def heading_words(text: str) -> str:
    """The words of a heading without the signs that link to it."""
    return " ".join(text.split()).rstrip("¶#§ ")


def _language(document: Document, named: dict[str, str]) -> str | None:
    root = document.root
    stated = (root.attr("lang") or root.attr("xml:lang") or "") if root is not None else ""
    code = (stated or named.get("content-language") or named.get("og:locale") or "").strip().replace("_", "-")
    return code if _LANGUAGE.match(code) else None


def _linked_data(document: Document) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in _objects(document.json_ld()):
        for name in ("datePublished", "dateModified"):
            value = item.get(name)
            if isinstance(value, str):
                found.setdefault(name, value)
    return found


def _objects(data: Any) -> Iterator[dict[str, Any]]:
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(reversed(item))
        elif isinstance(item, dict):
            yield item
            waiting.extend(value for value in item.values() if isinstance(value, list | dict))


def _first(values: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((values[name] for name in names if values.get(name)), None)


def _time(text: str | None) -> str | None:
    return text if text and len(text) <= 64 and _YEAR.search(text) else None


def _clip(text: str | None) -> str | None:
    return text[:_LONGEST].strip() or None if text else None
