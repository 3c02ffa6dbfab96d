"""Which first-level heading names the page, and which one only names the site."""

import re
from urllib.parse import urljoin, urlsplit

from turbohtml import Document, Element

from webrag_desktop.ingestion.html.metadata import heading_words, named_values, whole_title

_CONTENT = "main,article,[role=main]"
_FIRST_HEADING = f":is({_CONTENT},#content,#main,#main-content) :is(h1,h2)"
_MOST = 5  # first-level headings looked at
_START_PAGE = re.compile(r"(?:index|default|home)\.\w+$")
_WORD = re.compile(r"\w+")


def page_headlines(document: Document, url: str) -> list[Element]:
    """First-level headings that may stand for the page at ``url``; must run before the tree is cleaned.

    Inside the main content any does. Outside it, the page's title has to hold its words, and it must not be
    the site's name: no link to the start page, and no better match at the head of the main content.
    """
    named = named_values(document)
    titles = [title for title in (whole_title(document), named.get("og:title")) if title]
    site = named.get("og:site_name", "")
    first = next((h for h in document.select(_FIRST_HEADING) if h.text.strip()), None)
    found = []
    for heading in document.select("h1")[:_MOST]:
        words = heading_words(heading.text)
        if heading.closest(_CONTENT) is not None or (
            not _leads_home(heading, document.base_url(url), url)
            and not (words.casefold() == site.casefold() and words not in titles)
            and _names_page(words, first, titles)
        ):
            found.append(heading)
    return [heading for heading in found if heading_words(heading.text)]


def _names_page(words: str, first: Element | None, titles: list[str]) -> bool:
    if not titles:
        return True
    own = _words(words)
    if not any(own <= _words(title) for title in titles):
        return False
    rival = _words(first.text) if first is not None else frozenset()
    return rival <= own or not any(rival <= _words(title) for title in titles)


def _leads_home(heading: Element, base: str, url: str) -> bool:
    link = heading.select_one("a[href]") or heading.closest("a[href]")
    if link is None:
        return False
    try:
        target = urlsplit(urljoin(base, (link.attr("href") or "").strip()))
        return not target.fragment and _is_above(target.path, urlsplit(url).path)
    except ValueError:  # not an address
        return False


def _is_above(path: str, page: str) -> bool:
    """Whether a path is the start page of the site, or of a folder that the page stands in."""
    folder, _, name = path.rpartition("/")
    if name and not _START_PAGE.match(name):
        return False
    inside = page.rpartition("/")[0]
    return page not in {path, f"{folder}/"} and (inside == folder or inside.startswith(f"{folder}/"))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
