"""The links of a page outside of its main content: menus, sidebars, footers, and what its head says comes next."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import urljoin

from turbohtml import Document, Element

from webrag_desktop.ingestion.assembly import LONGEST_ADDRESS, LONGEST_WORDS, leads_to_the_web
from webrag_desktop.ingestion.html.cleaning import base_address
from webrag_desktop.models.documents import Link

_MOST_LOOKED_AT = 20_000  # elements; a page of more is no menu
_ELEMENTS = ("a[href]", "area[href]")
_OF_THE_HEAD = frozenset(
    "next prev previous up contents toc index start first last top chapter section appendix glossary help".split()
)
# A path downwards, or from the root: joined by hand, since a page may have hundreds and urljoin takes its time.
_DOWNWARDS = re.compile(
    r"(?:[\w-][\w.-]*+/)*+(?:[\w-][\w.-]*+)?+(?:\?[\w%=&.-]++)?+(?:#[\w%.-]++)?+", re.ASCII
)
_PLAIN_BASE = re.compile(r"(https?://[\w.:-]+)(/(?:[\w-][\w.-]*+/)*+)[^/?#\s]*+", re.ASCII)
_BLANKS = str.maketrans("", "", "\t\n\r")  # browsers drop them wherever they stand in an address


class FoundLink(NamedTuple):
    """A link as the page has it, before the page is cleaned: absolute address, words, types in lower case."""

    url: str
    text: str
    rel: tuple[str, ...]


def found_links(document: Document, url: str) -> list[FoundLink]:
    """Every link of a page that leads to another one, each address once, in the order of the page.

    Must run before the tree is cleaned. Of two links to one address the first that has words is returned.
    """
    base = base_address(document, url)
    own = url.partition("#")[0]
    found: dict[str, FoundLink] = {}
    joined: dict[str, str | None] = {}
    against = Base(base)
    for element in _elements(document):
        stated = element.attr("href") or ""
        if stated not in joined:
            joined[stated] = _address(stated, against, own)
        address = joined[stated]
        if address is not None and not (address in found and found[address].text):
            found[address] = FoundLink(address, _words(element), link_types(element))
    return list(found.values())


def link_types(element: Element) -> tuple[str, ...]:
    """The types that a link states, each once, in lower case."""
    stated = element.attr("rel")
    return tuple(dict.fromkeys(stated.lower()[:LONGEST_WORDS].split())) if stated else ()


def navigation(found: Iterable[FoundLink], content: Iterable[Link]) -> tuple[Link, ...]:
    """Those of the links found that the main content does not hold."""
    known = {link.url for link in content}
    return tuple(
        Link(url=url, text=text, place="navigation", rel=rel) for url, text, rel in found if url not in known
    )


def _elements(document: Document) -> Iterator[Element]:
    for element in document.select("link[rel][href]")[:_MOST_LOOKED_AT]:
        if not _OF_THE_HEAD.isdisjoint(link_types(element)):
            yield element
    for selector in _ELEMENTS:
        yield from document.select(selector)[:_MOST_LOOKED_AT]


class Base:
    """What relative addresses stand against, cut once; ``joined`` gives what ``urljoin`` would."""

    def __init__(self, base: str) -> None:
        """Cut ``base``, which may be any address."""
        self._base = base
        plain = _PLAIN_BASE.fullmatch(base)
        self._root = plain[1] if plain else None
        self._folder = plain[1] + plain[2] if plain else ""

    def joined(self, stated: str) -> str:
        """An address as it is written, made absolute; raises ValueError where it is none."""
        if self._root is not None and stated and stated[0] not in "?#":
            if stated[0] != "/" and _DOWNWARDS.fullmatch(stated):
                return self._folder + stated
            if stated[0] == "/" and _DOWNWARDS.fullmatch(stated, 1):
                return self._root + stated
        return urljoin(self._base, stated)


def _address(stated: str, base: Base, own: str) -> str | None:
    """Where a link leads; None where that is nowhere, or the page itself."""
    if stated.startswith("#") or len(stated) > LONGEST_ADDRESS:
        return None
    try:
        address = base.joined(stated.strip().translate(_BLANKS))
    except ValueError:  # not an address
        return None
    if address.partition("#")[0] == own or not leads_to_the_web(address):
        return None
    return address


def _words(element: Element) -> str:
    words = " ".join(element.text.split())
    if not words:
        pictured = element.select_one("img[alt]")
        words = (pictured.attr("alt") if pictured is not None else None) or ""
        words = words or element.attr("title") or element.attr("aria-label") or ""
    return " ".join(words[:LONGEST_WORDS].split())
