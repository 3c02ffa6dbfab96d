"""What a page says about itself: title, language, dates, canonical address, and whether it is an article."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from enum import IntEnum
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from turbohtml import Document, Element

from webrag_desktop.ingestion.dates import LONGEST_DATE, stated_date
from webrag_desktop.ingestion.guessed_dates import guess_dates
from webrag_desktop.ingestion.html.bibliography import read_bibliography, usual_name, without_others
from webrag_desktop.ingestion.html.builders import PageNames
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.metadata import DocumentMetadata, FactSource
from webrag_desktop.text.language import is_language_tag
from webrag_desktop.text.links import site_of

_LONGEST = 2000  # characters of a description
_MOST_OBJECTS = 10_000  # of linked data; what a page says of itself comes first
_SLASHES = re.compile(r"(?<=\d)/(?=\d{2}(?:/\d{2})?$)")  # 2021/05, as these elements are to be written
_CITED = ("citation_publication_date", "citation_date", "citation_online_date")
_PUBLISHED = (
    "article:published_time", "og:published_time", "og:article:published_time", "datepublished", "dc.date.issued",
    "dcterms.issued", "dc.date", "dcterms.date", "dc.date.created", "dcterms.created", "dc.created",
    "publish_date", "publication_date", "pubdate",
    "date", "parsely-pub-date", "sailthru.date", "datecreated", "prism.publicationdate",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time", "og:updated_time", "og:article:modified_time", "datemodified", "dcterms.modified",
    "dc.date.modified", "dc.modified", "last-modified", "lastmod", "revised", "dateupdated",
)  # fmt: skip
_CANONICAL = 'link[rel~="canonical" i][href]'
_DATED = "time,[itemprop^=date]"
_SAYS_WHEN = re.compile(r"\b(?:date)?(published|modified|updated|created)\b", re.IGNORECASE)
_COMMENT = "[itemprop=comment],.comment,.comments,#comments"
_UPDATED = (
    ".lastupdated", ".last-updated", ".theme-last-updated time", ".VPLastUpdated time",
    ".git-revision-date-localized-plugin", "#footer-info-lastmod", "#footer-text", "#lastUpdate",
)  # fmt: skip
_DATE_IN_WORDS = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?: ?(?:UTC|GMT|Z|[+-]\d\d:?\d\d))?)?"
    r"|\d{1,2}\.? [^\W\d_]{3,9}\.?,? \d{4}|[^\W\d_]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
)
_LONGEST_UPDATED = 400  # characters of what a page says of its last change
# Between a page's name and its site's. A colon parts a name itself; East Asian titles have no blanks around signs, and
# some manuals are in parentheses at the end.
_PARTED = re.compile(
    r"\s+(?:[-–—―_·•∙⋅»«›‹]|::)\s+|\s*[|¦‖｜－]\s*|(?<=[\u2e80-\uffef])[-–—_]|\s+\((?=[^()]*\)$)|\)$"
)
_DESCRIPTIONS = ("description", "og:description", "twitter:description", "dc.description", "dcterms.abstract")


def read_metadata(
    document: Document, names: PageNames, headlines: Sequence[Element], url: str, not_after: datetime
) -> DocumentMetadata:
    """What a page found at ``url``, with these ``names``, states; must run before the tree is cleaned.

    ``headlines`` are the headings that may name it. Times after ``not_after``, when it was fetched, are not believed.
    """
    named = named_values(document)
    objects = without_others([*islice(linked_objects(document), _MOST_OBJECTS)])
    linked = _linked_data(objects)
    dated = _dated_elements(document)
    published = [
        *_stated("citation meta", (_SLASHES.sub("-", text) for text in _all(named, _CITED))),
        *_stated("json-ld", _all(linked, ("datepublished",))),
        *_sourced(named, _PUBLISHED),
        *_stated("microdata", dated["published"]),
    ]
    modified = [
        *_stated("json-ld", _all(linked, ("datemodified",))),
        *_sourced(named, _MODIFIED),
        *_stated("microdata", dated["modified"]),
    ]
    facts = read_bibliography(document, objects, headlines, url)
    facts.state_time("published_time", *_date(published, not_after))
    facts.state_time("modified_time", *_date(modified, not_after))
    facts.state_time("modified_time", *_date(_stated("text", _last_change(document, names)), not_after))
    return facts.added_to(
        DocumentMetadata(
            title=_title(document, named, headlines),
            description=_clip(next(iter(_all(named, _DESCRIPTIONS)), None) or linked.get("description")),
            language=_language(document, named, linked),
        )
    )


def with_guesses(stated: DocumentMetadata, document: Document, capture: Capture) -> DocumentMetadata:
    """The metadata with guessed dates where a page states none at all; must run before the tree is cleaned."""
    if stated.published_time or stated.modified_time:
        return stated
    published, modified = guess_dates(document, capture)
    return replace(
        stated,
        published_time=published,
        published_guessed=published is not None,
        modified_time=modified,
        modified_guessed=modified is not None,
    )


def names_its_address(document: Document) -> bool:
    """Whether a page names an address as its own, believable or not."""
    return document.select_one(_CANONICAL) is not None


def canonical_address(document: Document, url: str) -> str | None:
    """The address a page names as its own, if it may be believed.

    Only an address of the same site (ignoring the scheme and ``www.``) counts: a page must not take over
    another site's identity. The site's start page is no address for a page below it, since broken templates
    put it everywhere.
    """
    link = document.select_one(_CANONICAL)
    if link is None:
        return None
    try:
        address = urljoin(document.base_url(url), (link.attr("href") or "").strip())
    except ValueError:
        return None
    return address.partition("#")[0] if may_be_canonical(address, url) else None


def may_be_canonical(address: str, url: str) -> bool:
    """Whether a page found at ``url`` may call ``address`` its own, see :func:`canonical_address`."""
    try:
        named, real = urlsplit(address), urlsplit(url)
        same_site = site_of(address) == site_of(url) and _port(named.port) == _port(real.port)
    except ValueError:
        return False
    if named.scheme not in {"http", "https"} or "@" in named.netloc or not same_site:
        return False
    return named.path not in {"", "/"} or real.path in {"", "/"}


def _port(port: int | None) -> int | None:
    return None if port in {80, 443} else port


def named_values(document: Document) -> dict[str, str]:
    """What the page states in ``meta`` elements, by lower-case name; the first statement counts."""
    values: dict[str, str] = {}
    for meta in document.select("meta[content]"):
        name = meta.attr("property") or meta.attr("name") or meta.attr("itemprop") or meta.attr("http-equiv")
        content = " ".join((meta.attr("content") or "").split())
        if name and content:
            values.setdefault(usual_name(name), content)
    return values


def whole_title(document: Document) -> str:
    """The words of the ``title`` element."""
    element = document.select_one("title")
    return " ".join(element.text.split()) if element is not None else ""


def _title(document: Document, named: dict[str, str], headlines: Sequence[Element]) -> str | None:
    whole = whole_title(document)
    words = [heading_words(headline.text) for headline in headlines]
    for headline in words:
        if headline == _part_with(headline, whole):
            return headline
    stated = named.get("og:title") or named.get("citation_title") or named.get("dc.title") or whole
    parts = (_part_with(headline, stated) for headline in words)
    return _clip(next(filter(None, parts), stated) or next(iter(words), None))


def _part_with(words: str, title: str) -> str:
    """What is between the signs that part a title from names of sites, around these words; "" without them.

    Words count where they are as such: "All" is not in "Allgemeines".
    """
    title = title[:_LONGEST]
    signs = [(sign.start(), sign.end()) for sign in _PARTED.finditer(title)]
    parts = []
    for begins in _places_of(words, title):
        start = max((end for _, end in signs if end <= begins), default=0)
        stop = min((start for start, _ in signs if start >= begins + len(words)), default=len(title))
        parts.append(title[start:stop].strip())
    return words if words in parts else next(iter(parts), "")


def _places_of(words: str, title: str) -> Iterator[int]:
    """Where words begin in a title, each place with no letter or digit beside them."""
    place = title.find(words) if words else -1
    while place >= 0:
        end = place + len(words)
        whole = not title[max(0, place - 1) : place].isalnum() and not title[end : end + 1].isalnum()
        if whole:
            yield place
        place = title.find(words, end if whole else place + 1)


def heading_words(text: str) -> str:
    """The words of a heading without the signs that link to it."""
    return " ".join(text.split()).rstrip("¶#§ ")


def _language(document: Document, named: dict[str, str], linked: dict[str, str]) -> str | None:
    root = document.root
    stated = (
        (root.attr("lang") or root.attr("xml:lang")) if root is not None else "",
        named.get("content-language"),
        named.get("og:locale"),
        named.get("dc.language"),
        named.get("dcterms.language"),
        linked.get("inlanguage"),
    )
    codes = ((text or "").strip().replace("_", "-") for text in stated)
    return next((code for code in codes if is_language_tag(code)), None)


def _dated_elements(document: Document) -> dict[str, list[str]]:
    """What elements in the page state, such as ``<time itemprop=datePublished datetime=…>`` or microformats."""
    found: dict[str, list[str]] = {"published": [], "modified": []}
    for element in document.select(_DATED):
        pubdate = "published" if element.attr("pubdate") is not None else ""
        named = _SAYS_WHEN.search(f"{element.attr('itemprop') or ''} {element.attr('class') or ''} {pubdate}")
        if named is None or element.tag == "meta" or element.closest(_COMMENT) is not None:
            continue
        kind = "published" if named[1].lower() in {"published", "created"} else "modified"
        value = element.attr("datetime") or element.attr("content") or element.attr("title")
        found[kind].append(value or element.text[: LONGEST_DATE + 1])
    return found


def _last_change(document: Document, names: PageNames) -> list[str]:
    """The dates in what documentation builders and wikis say of a page's last change."""
    found = []
    selector = names.narrowed(_UPDATED)
    for element in document.select(selector) if selector else ():
        text = " ".join(element.text[:_LONGEST_UPDATED].split())
        found += [stated for stated in (element.attr("datetime"),) if stated]
        found += _DATE_IN_WORDS.findall(text)
    return found


def _linked_data(objects: Sequence[dict[str, Any]]) -> dict[str, str]:
    """What linked data says of the page, by lower-case name; articles and pages before anything else."""
    found: dict[str, str] = {}
    others: dict[str, str] = {}
    for item in objects:
        kinds = item.get("@type")
        kind = " ".join(map(str, kinds)) if isinstance(kinds, list) else str(kinds or "")
        if kind in {"Comment", "Answer", "Review", "Person", "Organization", "ImageObject", "VideoObject"}:
            continue
        into = found if kind.endswith(("Article", "Posting", "Page", "Report", "Book")) else others
        for name in ("datePublished", "dateModified", "inLanguage", "description"):
            value = item.get(name)
            if isinstance(value, str) and value.strip():
                into.setdefault(name.lower(), value.strip())
    dates = {name: value for name, value in others.items() if name.startswith("date")}
    return dates | found


def linked_objects(document: Document) -> Iterator[dict[str, Any]]:
    """Every object of the page's linked data, outer ones first."""
    waiting: list[Any] = [[*_linked_scripts(document)]]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(reversed(item))
        elif isinstance(item, dict):
            yield item
            waiting.extend(value for value in item.values() if isinstance(value, list | dict))


def _linked_scripts(document: Document) -> Iterator[Any]:
    """What each script of linked data holds; signs of XHTML around it say nothing, and what is no JSON either."""
    for script in document.select('script[type^="application/ld+json" i]'):
        try:
            yield json.loads(_AROUND_DATA.sub("", script.text.strip()), strict=False)
        except (ValueError, RecursionError):
            continue


_AROUND_DATA = re.compile(
    r"^(?:/\*\s*|//\s*)?(?:<!\[CDATA\[|<!--)(?:\s*\*/)?|(?:/\*\s*|//\s*)?(?:\]\]>|-->)(?:\s*\*/)?;?$|;$"
)


def _all(values: dict[str, str], names: tuple[str, ...]) -> list[str]:
    return [values[name] for name in names if values.get(name)]


def _sourced(named: dict[str, str], names: tuple[str, ...]) -> list[tuple[FactSource, str]]:
    return [(_source_of(name), named[name]) for name in names if named.get(name)]


def _source_of(name: str) -> FactSource:
    if name.startswith("citation_"):
        return "citation meta"
    if name.startswith(("dc.", "dcterms.", "prism.")):
        return "dublin core"
    return "open graph" if name.startswith(("og:", "article:")) else "meta"


def _stated(source: FactSource, texts: Iterable[str]) -> list[tuple[FactSource, str]]:
    return [(source, text) for text in texts]


def _date(
    stated: Iterable[tuple[FactSource, str]], not_after: datetime
) -> tuple[FactSource | None, str | None]:
    """The first that is a date which can be true, and where it is stated."""
    return next(
        ((source, date) for source, text in stated if (date := stated_date(text, not_after))), (None, None)
    )


def _clip(text: str | None) -> str | None:
    return " ".join(text[: 2 * _LONGEST].split())[:_LONGEST].strip() or None if text else None


_MOST_ARTICLE_MARKS = 1_000  # of linked data; what a page says of itself comes first
_KINDS = ("Article", "BlogPosting", "Report", "Review")  # ends of the kinds that schema.org knows
_NOT_PROSE = frozenset({"TechArticle", "APIReference"})
_SOCIAL = ("og:", "twitter:")
_BODY = "[itemprop~=articleBody]"


class Claim(IntEnum):
    """From nothing said, over tags for social networks, to an article or a post."""

    NONE = 0
    SHARED = 1
    SOCIAL = 2
    ARTICLE = 3


def article_claim(document: Document) -> Claim:
    """What the page's metadata claim; must be called before the tree is cleaned.

    Tags for social networks say little: many sites call every page of theirs an article there.
    """
    named = named_values(document)
    if named.get("article:published_time") or document.select_one(_BODY) is not None:
        return Claim.ARTICLE
    if any(_is_article(item.get("@type")) for item in islice(linked_objects(document), _MOST_ARTICLE_MARKS)):
        return Claim.ARTICLE
    if any(_is_article(part.attr("itemtype")) for part in document.select("[itemscope][itemtype]")):
        return Claim.ARTICLE
    if named.get("og:type", "").casefold() == "article":
        return Claim.SOCIAL
    return Claim.SHARED if any(name.startswith(_SOCIAL) for name in named) else Claim.NONE


def _is_article(kind: Any) -> bool:
    kinds = kind if isinstance(kind, list) else [kind]
    names = (str(one).rpartition("/")[2] for one in kinds)
    return any(name.endswith(_KINDS) and name not in _NOT_PROSE for name in names)
