"""Who wrote a page, and where it appeared: every place that says so, the most specific first.

The order, for every fact: ``citation_…`` elements (written for indexes of papers), linked data of the page's main
object, Dublin Core, Open Graph, other ``meta`` elements, marked elements of the body (microdata, microformats,
``rel=author``), and for authors at last the words of a byline. An organisation that only repeats the site's name is
taken for the author where no place names anybody else.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from turbohtml import Document, Element

from webrag_desktop.ingestion.author_names import author_names
from webrag_desktop.ingestion.facts import Facts
from webrag_desktop.ingestion.html.bylines import NamedPlaces, spoken_authors
from webrag_desktop.models.metadata import FactName, FactSource

_MOST_OBJECTS = 10_000  # of linked data
_DEEPEST = 8  # levels at which the name of something is
_MAIN = ("Article", "Posting", "Page", "Report", "Book", "Thesis", "Dataset", "Course", "Recipe", "CreativeWork",
         "SoftwareSourceCode", "HowTo", "Review", "Chapter", "VideoObject", "PodcastEpisode")  # fmt: skip
_WEAK = (
    "WebPage",
    "CollectionPage",
    "ItemPage",
    "VideoObject",
    "Review",
    "ProfilePage",
)  # other than the main one
_LONGEST = 5000  # characters of one statement
_OF_OTHERS = ("itemListElement", "review", "reviews", "comment", "isRelatedTo", "citation", "mentions")

_CITATION: dict[FactName, tuple[str, ...]] = {
    "publisher": ("citation_publisher", "citation_technical_report_institution", "citation_dissertation_institution"),
    "journal": ("citation_journal_title", "citation_conference_title", "citation_inbook_title", "citation_conference",
                "bepress_citation_journal_title", "eprints.publication"),
    "volume": ("citation_volume", "bepress_citation_volume", "eprints.volume"),
    "issue": ("citation_issue", "bepress_citation_issue", "eprints.number"),
    "doi": ("citation_doi", "bepress_citation_doi", "citation_doi_url"),
    "isbn": ("citation_isbn",),
    "arxiv_id": ("citation_arxiv_id",),
}  # fmt: skip
_DUBLIN_CORE: dict[FactName, tuple[str, ...]] = {
    "publisher": ("dc.publisher", "dcterms.publisher"),
    "journal": ("prism.publicationname", "dcterms.ispartof", "dc.relation.ispartof"),
    "volume": ("prism.volume", "dc.citation.volume"),
    "issue": ("prism.number", "dc.citation.issue"),
    "doi": ("prism.doi", "dc.identifier", "dc.identifier.doi", "dcterms.identifier"),
    "isbn": ("prism.isbn", "dc.identifier", "dc.identifier.isbn", "dcterms.identifier"),
    "arxiv_id": ("dc.identifier", "dcterms.identifier"),
    "licence": ("dcterms.license", "dc.rights.license", "dc.rights", "dcterms.rights"),
}
_META: dict[FactName, tuple[str, ...]] = {
    "publisher": ("application-name", "publisher", "apple-mobile-web-app-title", "copyright-holder"),
    "doi": ("doi", "dc.doi"),
    "isbn": ("isbn",),
    "licence": ("license", "licence"),
}
_CITED_AUTHORS = ("citation_author", "citation_authors", "bepress_citation_author", "eprints.creators_name")
_CREATORS = ("dc.creator", "dcterms.creator", "dcterm.creator", "dc.contributor.author")
_NAMED_AUTHORS = ("parsely-author", "sailthru.author", "article:author_name", "author_name", "byl", "byline", "author",
                  "dable:author", "cxenseparse:author", "article.author", "vr:author",
                  "shareaholic:article_author_name", "creator")  # fmt: skip


def read_bibliography(
    document: Document, linked: Sequence[dict[str, Any]], headlines: Sequence[Element], url: str
) -> Facts:
    """The facts that a page at ``url`` states; must run before the tree is cleaned.

    ``linked`` are the objects of its linked data, outer ones first; ``headlines`` the headings that may name it.
    """
    said = _statements(document)
    objects = [*islice(linked, _MOST_OBJECTS)]
    main = _main_objects(objects, url)
    known = {one["@id"]: one for one in objects if isinstance(one.get("@id"), str) and len(one) > 1}
    facts = Facts()
    _read_citation(facts, said)
    for one in main:
        _read_linked(facts, one, known)
    _read_named(facts, "dublin core", said, _DUBLIN_CORE)
    _read_pages(facts, said)
    facts.state(
        "publisher", "open graph", *said.get("og:site_name", ()), *said.get("og:article:publisher_name", ())
    )
    facts.state("isbn", "open graph", *said.get("book:isbn", ()), *said.get("books:isbn", ()))
    _read_named(facts, "meta", said, _META)
    for site in (one for one in objects if one.get("@type") == "WebSite"):
        facts.state("publisher", "json-ld", _text(site.get("name")))
    _read_links(facts, document, url)
    _read_authors(facts, document, said, main, known, headlines)
    return facts


def usual_name(name: str) -> str:
    """The name of a ``meta`` element in lower case; Dublin Core and PRISM are written with a dot or with a colon."""
    vocabulary, colon, term = name.strip().lower().partition(":")
    return f"{vocabulary}.{term}" if colon and vocabulary in _VOCABULARIES else name.strip().lower()


_VOCABULARIES = frozenset(("dc", "dcterms", "dcterm", "prism"))


def _statements(document: Document) -> dict[str, list[str]]:
    """What ``meta`` elements state, by lower-case name: every statement, in order."""
    values: dict[str, list[str]] = {}
    for meta in document.select("meta[content]"):
        content = " ".join((meta.attr("content") or "")[:_LONGEST].split())
        names = meta.attr("property") or meta.attr("name") or meta.attr("itemprop") or ""
        for name in names.lower().split() if content else ():
            values.setdefault(usual_name(name), []).append(content)
    return values


def _read_named(
    facts: Facts, source: FactSource, said: dict[str, list[str]], names: dict[FactName, tuple[str, ...]]
) -> None:
    for fact, elements in names.items():
        facts.state(fact, source, *_all(said, elements))


def _all(said: dict[str, list[str]], names: Iterable[str]) -> list[str]:
    return [stated for name in names for stated in said.get(name, ())]


def _read_citation(facts: Facts, said: dict[str, list[str]]) -> None:
    _read_named(facts, "citation meta", said, _CITATION)
    first, last = _all(said, ("citation_firstpage",)), _all(said, ("citation_lastpage",))
    facts.state("pages", "citation meta", page_range(first, last))


def _read_pages(facts: Facts, said: dict[str, list[str]]) -> None:
    first = _all(said, ("prism.startingpage", "dc.citation.spage"))
    last = _all(said, ("prism.endingpage", "dc.citation.epage"))
    facts.state("pages", "dublin core", page_range(first, last))


def page_range(first: Sequence[str], last: Sequence[str]) -> str | None:
    """``12–34``, or the one page that is known; the first of each counts."""
    ends = [one[0].strip() for one in (first, last) if one and one[0].strip()]
    return "–".join(dict.fromkeys(ends)) or None


# -- Linked data ------------------------------------------------------------------------------------------------------


def _kinds(item: dict[str, Any]) -> list[str]:
    stated = item.get("@type")
    return [str(kind).rpartition("/")[2] for kind in (stated if isinstance(stated, list) else [stated])]


def without_others(objects: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The objects of linked data without what a page lists or what visitors said of it, and all that is inside."""
    waiting: list[Any] = [one[name] for one in objects for name in _OF_OTHERS if name in one]
    inside: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict) and id(value) not in inside:
            inside.add(id(value))
            waiting += value.values()
    return [one for one in objects if id(one) not in inside]


def _is_at(one: dict[str, Any], url: str) -> bool:
    page = one.get("mainEntityOfPage")
    stated = (one.get("url"), one.get("@id"), page.get("@id") if isinstance(page, dict) else page)
    own = url.partition("#")[0].rstrip("/")
    return any(isinstance(text, str) and text.partition("#")[0].rstrip("/") == own for text in stated)


def _main_objects(objects: Sequence[dict[str, Any]], url: str) -> list[dict[str, Any]]:
    """What linked data says of the page itself: articles before pages before anything that is not in the list.

    Of several articles it is the one at the page's address, else the first.
    """
    works = [one for one in objects if any(kind.endswith(_MAIN) for kind in _kinds(one))]
    strong: list[dict[str, Any]] = []
    weak: list[dict[str, Any]] = []
    for one in works:
        (weak if any(kind in _WEAK for kind in _kinds(one)) else strong).append(one)
    own = next((one for one in strong if _is_at(one, url)), None)
    return [*([own] if own is not None else strong[:1]), *weak][:3]


def _resolved(value: Any, known: dict[str, dict[str, Any]]) -> Any:
    if isinstance(value, dict) and "name" not in value and isinstance(value.get("@id"), str):
        return known.get(value["@id"], value)
    return value


def _text(value: Any, depth: int = 0) -> str | None:
    if depth > _DEEPEST:
        return None
    if isinstance(value, list):
        return next((text for one in value if (text := _text(one, depth + 1))), None)
    if isinstance(value, dict):
        return _text(value.get("name") or value.get("@value"), depth + 1)
    return str(value)[:_LONGEST] if isinstance(value, str | int) and not isinstance(value, bool) else None


def _identifiers(item: dict[str, Any]) -> Iterator[str]:
    for name in ("identifier", "sameAs", "@id", "url", "doi"):
        values = item.get(name)
        for value in values if isinstance(values, list) else [values]:
            stated = (value.get("value") or value.get("@id")) if isinstance(value, dict) else value
            if isinstance(stated, str):
                yield stated[:_LONGEST]


def _read_linked(facts: Facts, item: dict[str, Any], known: dict[str, dict[str, Any]]) -> None:
    source: FactSource = "json-ld"
    facts.state("publisher", source, _text(_resolved(item.get("publisher"), known)))
    facts.state("doi", source, *_identifiers(item))
    facts.state("isbn", source, _text(item.get("isbn")))
    facts.state("arxiv_id", source, *(one for one in _identifiers(item) if "arxiv" in one.lower()))
    licence = item.get("license")
    facts.state(
        "licence", source, _text(licence), *(_identifiers(licence) if isinstance(licence, dict) else ())
    )
    for part in _containers(item, known):
        if any(kind in {"Periodical", "Journal", "Newspaper", "Magazine"} for kind in _kinds(part)):
            facts.state("journal", source, _text(part.get("name")))
        facts.state("volume", source, _text(part.get("volumeNumber")))
        facts.state("issue", source, _text(part.get("issueNumber")))
    first, last = _text(item.get("pageStart")), _text(item.get("pageEnd"))
    facts.state("pages", source, page_range([first or ""], [last or ""]), _text(item.get("pagination")))


def _containers(item: dict[str, Any], known: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """An article and what it is a part of: an issue, a volume, a journal; a few levels and no circle."""
    waiting, seen = [item], 0
    while waiting and seen < 8:
        one = waiting.pop()
        seen += 1
        yield one
        parts = one.get("isPartOf")
        for part in parts if isinstance(parts, list) else [parts]:
            resolved = _resolved(part, known)
            if isinstance(resolved, dict) and resolved is not one:
                waiting.append(resolved)


def _linked_authors(item: dict[str, Any], known: dict[str, dict[str, Any]]) -> Iterator[tuple[str, bool]]:
    """Names, and whether each is an organisation's."""
    stated = item.get("author") or item.get("creator")
    for one in stated if isinstance(stated, list) else [stated]:
        resolved = _resolved(one, known)
        organisation = isinstance(resolved, dict) and "Organization" in " ".join(_kinds(resolved))
        names = resolved.get("name") if isinstance(resolved, dict) else resolved
        if isinstance(resolved, dict) and not names:
            names = " ".join(
                filter(None, (_text(resolved.get("givenName")), _text(resolved.get("familyName"))))
            )
        for name in names if isinstance(names, list) else [names]:
            if isinstance(name, str):
                yield name[:_LONGEST], organisation


# -- Links ------------------------------------------------------------------------------------------------------------


def _absolute(address: str, url: str) -> str:
    try:
        return urljoin(url, address.strip())
    except ValueError:
        return ""


def _read_links(facts: Facts, document: Document, url: str) -> None:
    for element in document.select("link[rel~=license i][href],a[rel~=license i][href]"):
        if "licence" in facts.values:
            break
        if element.closest("figure,figcaption") is None:  # of a picture alone
            facts.state("licence", "microdata", _absolute(element.attr("href") or "", url), element.text)
    facts.state("arxiv_id", "address", url)
    canonical = document.select_one('link[rel~="canonical" i][href]')
    address = canonical.attr("href") if canonical is not None else ""
    facts.state(
        "doi", "address", address if "doi" in (address or "") else None, url if "doi" in url else None
    )


# -- Authors ----------------------------------------------------------------------------------------------------------


def _read_authors(
    facts: Facts,
    document: Document,
    said: dict[str, list[str]],
    main: Sequence[dict[str, Any]],
    known: dict[str, dict[str, Any]],
    headlines: Sequence[Element],
) -> None:
    facts.state_authors("citation meta", _all(said, _CITED_AUTHORS), inverted=True)
    linked = next(filter(None, ([*_linked_authors(one, known)] for one in main)), [])
    site = {
        name.casefold() for name in (facts.values.get("publisher"), *said.get("og:site_name", ())) if name
    }
    facts.state_authors(
        "json-ld", (name for name, organisation in linked if not organisation and not _is(name, site))
    )
    facts.state_authors("dublin core", _all(said, _CREATORS), inverted=True)
    graph = [*said.get("article:author", ()), *said.get("og:author", ()), *said.get("og:article:author", ()),
             *said.get("book:author", ())]  # fmt: skip
    facts.state_authors("open graph", (name for name in graph if not _is(name, site)))
    for name in _NAMED_AUTHORS:
        facts.state_authors("meta", (one for one in said.get(name, ()) if not _is(one, site)))
    if "authors" not in facts.values:  # most pages have said so by now, and the body is large
        places = NamedPlaces(document)
        facts.state_authors("microdata", places.marked())
        facts.state_authors("byline", places.named())
    if "authors" not in facts.values:
        facts.state_authors("byline", spoken_authors(document, headlines))
    facts.state_authors("json-ld", (name for name, _organisation in linked))
    facts.state_authors("open graph", graph)
    facts.state_authors("meta", _all(said, ("author",)))


def _is(name: str, site: set[str]) -> bool:
    """Whether a statement names nobody but the site."""
    names = author_names([name])
    return bool(names) and all(one.casefold() in site for one in names)
