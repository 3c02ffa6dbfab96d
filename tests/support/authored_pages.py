"""A hundred small pages as sites of many kinds make them, each with what is true of it: authors, dates and the rest.

Every maker is a pattern of the real web, called with three casts of people and dates.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cast:
    """Who wrote a page and when: the same in each pattern, so that only the pattern decides."""

    authors: tuple[str, ...]
    inverted: tuple[str, ...]
    published: str
    modified: str
    site: str


CASTS = (
    Cast(("Jane Doe",), ("Doe, Jane",), "2021-05-03", "2022-01-31", "The Shore Times"),
    Cast(
        ("Ángela Ruiz", "John Roe"),
        ("Ruiz, Ángela", "Roe, John"),
        "2019-11-30T08:15:00Z",
        "2020-02-29T10:00:00Z",
        "Küstenblatt",
    ),
    Cast(
        ("Jan van der Berg", "Wei Zhang", "Mary-Ann O’Neil"),
        ("van der Berg, Jan", "Zhang, Wei", "O’Neil, Mary-Ann"),
        "2015-08-09T21:05:00+02:00",
        "2016-03-01T07:30:00+01:00",
        "Journal of Tides",
    ),
)


@dataclass(frozen=True)
class AuthoredPage:
    """A page, the address it was found at, and the fields that are true of it."""

    name: str
    html: str
    url: str
    truth: dict[str, Any] = field(default_factory=dict)


BODY = (
    "<p>The tide rises twice a day, and falls as often, since the moon pulls at the sea and the earth turns below it."
    "</p><p>Along a flat shore the water comes in faster than a child can walk, so that nobody should be out on the "
    "sands when it turns.</p><p>Tables of the tides are printed a year ahead, for every harbour of the coast.</p>"
)
Made = tuple[str, dict[str, Any]]


def page(
    head: str, *, title: str = "The tide", above: str = "", below: str = "", main: str = "article"
) -> str:
    """A page with an article of three paragraphs."""
    text = f"<{main}><h1>{title}</h1>{above}{BODY}{below}</{main}>"
    start = f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{head}</head>"
    footer = "<footer>© Somebody Else</footer>"
    return f"{start}<body><nav><a href=/a>Home</a></nav>{text}{footer}</body></html>"


def linked(data: Any) -> str:
    """A script of linked data."""
    return f"<script type='application/ld+json'>{json.dumps(data)}</script>"


def meta(name: str, *contents: str, by: str = "name") -> str:
    """An element for each of the contents."""
    return "".join(f'<meta {by}="{name}" content="{content}">' for content in contents)


def person(name: str) -> dict[str, Any]:
    """A person of linked data."""
    return {"@type": "Person", "name": name}


def dated(cast: Cast, **more: Any) -> dict[str, Any]:
    """What is true of a page that states its authors and both dates."""
    return {"authors": cast.authors, "published_time": cast.published, "modified_time": cast.modified, **more}


def news_article(cast: Cast) -> Made:
    data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": "The tide",
        "author": [person(name) for name in cast.authors],
        "publisher": {"@type": "Organization", "name": cast.site},
        "datePublished": cast.published,
        "dateModified": cast.modified,
    }
    return page(linked(data)), dated(cast, publisher=cast.site)


def schema_graph(cast: Cast) -> Made:
    people = [
        {"@type": "Person", "@id": f"https://s.example/#{at}", "name": name}
        for at, name in enumerate(cast.authors)
    ]
    graph = [
        {"@type": "WebSite", "@id": "https://s.example/#site", "name": cast.site},
        {"@type": "Organization", "@id": "https://s.example/#org", "name": cast.site},
        {"@type": "WebPage", "@id": "https://s.example/p", "isPartOf": {"@id": "https://s.example/#site"}},
        *people,
        {
            "@type": "BlogPosting",
            "author": [{"@id": one["@id"]} for one in people],
            "publisher": {"@id": "https://s.example/#org"},
            "datePublished": cast.published,
            "dateModified": cast.modified,
        },
    ]
    return page(linked({"@context": "https://schema.org", "@graph": graph})), dated(cast, publisher=cast.site)


def author_as_text(cast: Cast) -> Made:
    data = {"@type": "Article", "author": " and ".join(cast.authors), "datePublished": cast.published}
    head = linked(data) + meta("og:site_name", cast.site, by="property")
    return page(head), {"authors": cast.authors, "published_time": cast.published, "publisher": cast.site}


def linked_in_cdata(cast: Cast) -> Made:
    data = {"@type": "Article", "creator": [*cast.authors], "datePublished": cast.published}
    head = f"<script type='application/ld+json'>\n//<![CDATA[\n{json.dumps(data)}\n//]]>\n</script>"
    return page(head), {"authors": cast.authors, "published_time": cast.published}


def organisation_repeats_site(cast: Cast) -> Made:
    data = {
        "@type": "NewsArticle",
        "author": {"@type": "Organization", "name": cast.site},
        "publisher": {"name": cast.site},
    }
    byline = f"<p class=byline>By {' and '.join(cast.authors)}</p>"
    return page(linked(data), above=byline), {
        "authors": cast.authors,
        "publisher": cast.site,
        "source": "byline",
    }


def paper_in_journal(cast: Cast) -> Made:
    head = (
        meta("citation_title", "The tide")
        + meta("citation_author", *cast.inverted)
        + meta("citation_publication_date", cast.published[:10].replace("-", "/"))
        + meta("citation_journal_title", "Journal of Tides & Waves".replace("&", "&amp;"))
        + meta("citation_volume", "12")
        + meta("citation_issue", "3")
        + meta("citation_firstpage", "101")
        + meta("citation_lastpage", "118")
        + meta("citation_doi", "10.1234/JTide.2021.0042")
        + meta("citation_publisher", "Harbour Press")
        + meta("og:site_name", "SeaDirect", by="property")
    )
    return page(head), {
        "authors": cast.authors,
        "published_time": cast.published[:10],
        "journal": "Journal of Tides & Waves",
        "volume": "12",
        "issue": "3",
        "pages": "101–118",
        "doi": "10.1234/jtide.2021.0042",
        "publisher": "Harbour Press",
        "source": "citation meta",
    }


def arxiv(cast: Cast) -> Made:
    head = (
        meta("citation_author", *cast.inverted)
        + meta("citation_date", cast.published[:10].replace("-", "/"))
        + meta("citation_online_date", "2023/08/02")
        + meta("citation_arxiv_id", "1706.03762")
        + meta("og:site_name", "arXiv.org", by="property")
    )
    return page(
        head, below="<a rel=license href='http://creativecommons.org/licenses/by/4.0/'>view license</a>"
    ), {
        "authors": cast.authors,
        "published_time": cast.published[:10],
        "arxiv_id": "1706.03762",
        "licence": "CC BY 4.0",
        "publisher": "arXiv.org",
    }


def pubmed(cast: Cast) -> Made:
    year, month, day = cast.published[:10].split("-")
    head = (
        meta("citation_authors", ";".join(cast.authors) + ";")
        + meta("citation_date", f"{month}/{day}/{year}")
        + meta("citation_publication_date", year)
        + meta("citation_doi", "doi:10.1016/j.sea.2020.01.005")
        + meta("citation_journal_title", "Coast")
        + meta("citation_volume", "395")
        + meta("citation_firstpage", "e12")
    )
    return page(head), {
        "authors": cast.authors,
        "published_time": year,
        "doi": "10.1016/j.sea.2020.01.005",
        "journal": "Coast",
        "volume": "395",
        "pages": "e12",
    }


def repository(cast: Cast) -> Made:
    head = (
        meta("DC.creator", *cast.inverted)
        + meta("DCTERMS.issued", cast.published[:7])
        + meta("DC.publisher", "University of the Coast")
        + meta("DC.identifier", "https://doi.org/10.5555/12345678")
        + meta("DC.identifier", "ISBN 978-3-16-148410-0")
        + meta("DC.rights", "https://creativecommons.org/licenses/by-nc-sa/3.0/de/")
    )
    return page(head), {
        "authors": cast.authors,
        "published_time": cast.published[:7],
        "publisher": "University of the Coast",
        "doi": "10.5555/12345678",
        "isbn": "9783161484100",
        "licence": "CC BY-NC-SA 3.0 DE",
        "source": "dublin core",
    }


def dublin_core_property(cast: Cast) -> Made:
    head = meta("dc:creator", *cast.authors, by="property") + meta(
        "dcterms:issued", cast.published[:4], by="property"
    )
    return page(head), {"authors": cast.authors, "published_time": cast.published[:4]}


def scholarly_linked(cast: Cast) -> Made:
    journal = {"@type": "Periodical", "name": "Tidal Review", "issn": "1234-5679"}
    volume = {"@type": "PublicationVolume", "volumeNumber": 7, "isPartOf": journal}
    data = {
        "@type": "ScholarlyArticle",
        "author": [
            {"@type": "Person", "givenName": name.partition(" ")[0], "familyName": name.partition(" ")[2]}
            for name in cast.authors
        ],
        "isPartOf": {"@type": "PublicationIssue", "issueNumber": "2", "isPartOf": volume},
        "pageStart": "9",
        "pageEnd": "21",
        "sameAs": "https://doi.org/10.1000/TR.7.2",
        "datePublished": cast.published[:7],
        "license": "https://creativecommons.org/publicdomain/zero/1.0/",
    }
    return page(linked(data)), {
        "authors": cast.authors,
        "published_time": cast.published[:7],
        "journal": "Tidal Review",
        "volume": "7",
        "issue": "2",
        "pages": "9–21",
        "doi": "10.1000/tr.7.2",
        "licence": "CC0 1.0",
    }


def social_profile(cast: Cast) -> Made:
    """``article:author`` is an address of a profile, as it was meant to be; the byline names the author."""
    head = meta("article:author", "https://social.example/jane.doe.9", by="property") + meta(
        "article:published_time", cast.published, by="property"
    )
    byline = f"<div class='post-meta'><span class=author>{', '.join(cast.authors)}</span></div>"
    return page(head, above=byline), {
        "authors": cast.authors,
        "published_time": cast.published,
        "source": "byline",
    }


def social_name(cast: Cast) -> Made:
    head = (
        meta("article:author", *cast.authors, by="property")
        + meta("article:published_time", cast.published, by="property")
        + meta("article:modified_time", cast.modified, by="property")
        + meta("og:site_name", cast.site, by="property")
    )
    return page(head), dated(cast, publisher=cast.site, source="open graph")


def wordpress(cast: Cast) -> Made:
    names = "".join(
        f"<span class='author vcard'><a class='url fn n' rel=author href=/author/x title='Posts by {name}'>{name}"
        f"</a></span> "
        for name in cast.authors
    )
    times = (
        f"<time class='entry-date published' datetime='{cast.published}'>May</time>"
        f"<time class=updated datetime='{cast.modified}'>June</time>"
    )
    comment = "<article class=comment-body><b class='fn'>Some Reader</b> wrote</article>"
    return page(
        meta("generator", "WordPress 6.4"),
        above=f"<p>{times} by {names}</p>",
        below=f"<div id=comments>{comment}</div>",
    ), dated(cast)


def itemprop(cast: Cast) -> Made:
    names = ", ".join(
        f"<span itemprop=author itemscope itemtype='https://schema.org/Person'><span itemprop=name>{name}</span></span>"
        for name in cast.authors
    )
    when = f"<meta itemprop=datePublished content='{cast.published}'>"
    return page("", above=f"<p>{when}{names}</p>"), {
        "authors": cast.authors,
        "published_time": cast.published,
        "source": "microdata",
    }


def h_entry(cast: Cast) -> Made:
    names = " ".join(f"<a class='p-author h-card' href=/me>{name}</a>" for name in cast.authors)
    when = f"<time class=dt-published datetime='{cast.published}'>then</time>"
    html = page("", above=f"<p>{names} {when}</p>").replace("<article>", "<article class=h-entry>")
    return html, {"authors": cast.authors}


def plain_byline(cast: Cast) -> Made:
    names = (
        cast.authors[0]
        if len(cast.authors) == 1
        else f"{', '.join(cast.authors[:-1])} and {cast.authors[-1]}"
    )
    return page("", above=f"<p>By {names}, Staff Writer</p>"), {"authors": cast.authors, "source": "byline"}


def byline_with_date(cast: Cast) -> Made:
    names = " &amp; ".join(cast.authors)
    line = f"<div class=article__byline>By <strong>{names}</strong><br>May 3, 2021 at 6:01 am</div>"
    return page("", above=line), {"authors": cast.authors}


def german_byline(cast: Cast) -> Made:
    names = (
        " und ".join((", ".join(cast.authors[:-1]), cast.authors[-1]))
        if len(cast.authors) > 1
        else cast.authors[0]
    )
    head = meta("date", cast.published)
    return page(head, above=f"<p class=autor>Von {names}</p>"), {
        "authors": cast.authors,
        "published_time": cast.published,
    }


def spanish_byline(cast: Cast) -> Made:
    names = " y ".join(cast.authors)
    return page("", above=f"<p><em>Por {names}</em></p>"), {"authors": cast.authors}


def meta_author(cast: Cast) -> Made:
    head = meta("author", "; ".join(cast.authors)) + meta("application-name", cast.site)
    return page(head), {"authors": cast.authors, "publisher": cast.site, "source": "meta"}


def parsely(cast: Cast) -> Made:
    head = meta("parsely-author", *cast.authors) + meta("parsely-pub-date", cast.published)
    return page(head), {"authors": cast.authors, "published_time": cast.published}


def meta_author_is_admin(cast: Cast) -> Made:
    head = meta("author", "admin")
    return page(head, above=f"<span class=author-name>{cast.authors[0]}</span>"), {
        "authors": cast.authors[:1],
        "source": "byline",
    }


def meta_author_is_site(cast: Cast) -> Made:
    head = meta("author", cast.site) + meta("og:site_name", cast.site, by="property")
    names = ", ".join(f"<a rel=author href=/p>{name}</a>" for name in cast.authors)
    return page(head, above=f"<div>{names}</div>"), {"authors": cast.authors, "source": "microdata"}


def credentials(cast: Cast) -> Made:
    names = " and ".join(f"{name}, PhD" for name in cast.authors)
    return page("", above=f"<p class=byline>Written by {names}</p>"), {"authors": cast.authors}


def list_of_articles(cast: Cast) -> Made:
    """A start page with teasers names many, none of whom wrote it."""
    teasers = "".join(
        f"<article><h2>Of tides {at}</h2><p class=byline>By {name}</p>{BODY}</article>"
        for at, name in enumerate((*cast.authors, "Another One"))
    )
    html = page("", main="section").replace("</section>", f"</section>{teasers}")
    return html, {"authors": ()}


def github(cast: Cast) -> Made:
    head = meta("og:site_name", "GitHub", by="property") + meta("og:type", "object", by="property")
    owner = "<span class=author itemprop=author><a class='url fn' rel=author href='/shoretools'>shoretools</a></span>"
    return page(head, above=owner), {"authors": ("shoretools",), "publisher": "GitHub"}


def sphinx(cast: Cast) -> Made:
    head = meta("generator", "Docutils 0.20") + "<script src='_static/documentation_options.js'></script>"
    last = "<div class=footer>Last updated on Jan 31, 2022. Created using Sphinx 7.</div>"
    return page(head, main="div", below=last), {"authors": (), "publisher": None, "doi": None}


def wikipedia(cast: Cast) -> Made:
    data = {
        "@type": "Article",
        "author": {"@type": "Organization", "name": "Contributors to Wikimedia projects"},
        "publisher": {"@type": "Organization", "name": "Wikimedia Foundation, Inc."},
        "datePublished": cast.published,
        "dateModified": cast.modified,
    }
    below = (
        "<ol><li><cite>Roe, Richard. <a href='https://doi.org/10.9999/other'>Another work</a>. By Somebody Else."
        "</cite></li></ol><a rel=license href='https://creativecommons.org/licenses/by-sa/4.0/'>CC</a>"
    )
    return page(linked(data), below=below), {
        "authors": (),
        "published_time": cast.published,
        "modified_time": cast.modified,
        "publisher": "Wikimedia Foundation, Inc.",
        "licence": "CC BY-SA 4.0",
        "doi": None,
    }


def book(cast: Cast) -> Made:
    head = (
        meta("book:author", *cast.authors, by="property")
        + meta("book:isbn", "0-306-40615-2", by="property")
        + meta("og:type", "book", by="property")
    )
    return page(head), {"authors": cast.authors, "isbn": "9780306406157"}


def wrong_isbn(cast: Cast) -> Made:
    data = {"@type": "Book", "author": [person(name) for name in cast.authors], "isbn": "978-3-16-148410-1"}
    return page(linked(data)), {"authors": cast.authors, "isbn": None}


def impossible_date(cast: Cast) -> Made:
    data = {"@type": "Article", "author": cast.authors[0], "datePublished": "1970-01-01T00:00:00Z"}
    return page(linked(data) + meta("date", "0000-00-00")), {
        "authors": cast.authors[:1],
        "published_time": None,
    }


def medium(cast: Cast) -> Made:
    name = cast.authors[0]
    head = (
        meta("article:author", "https://medium.example/@somebody", by="property")
        + meta("author", name)
        + meta("og:site_name", "Medium", by="property")
        + meta("article:published_time", cast.published, by="property")
    )
    return page(head), {
        "authors": (name,),
        "publisher": "Medium",
        "published_time": cast.published,
        "source": "meta",
    }


def no_author(cast: Cast) -> Made:
    related = f"<aside class=related><p class=byline>By {cast.authors[0]}</p></aside>"
    quote = f"<blockquote><p>By {cast.authors[-1]}</p></blockquote>"
    return page(meta("author", "{{ page.author }}"), below=related + quote), {
        "authors": (),
        "published_time": None,
    }


MAKERS: tuple[Callable[[Cast], Made], ...] = (
    news_article, schema_graph, author_as_text, linked_in_cdata, organisation_repeats_site, paper_in_journal, arxiv,
    pubmed, repository, dublin_core_property, scholarly_linked, social_profile, social_name, wordpress, itemprop,
    h_entry, plain_byline, byline_with_date, german_byline, spanish_byline, meta_author, parsely,
    meta_author_is_admin, meta_author_is_site, credentials, list_of_articles, github, sphinx, wikipedia, book,
    wrong_isbn, impossible_date, medium, no_author,
)  # fmt: skip


def authored_pages() -> Iterator[AuthoredPage]:
    """Every pattern with every cast: 102 pages."""
    for make in MAKERS:
        for at, cast in enumerate(CASTS):
            html, truth = make(cast)
            address = (
                "https://arxiv.org/abs/1706.03762v5" if make is arxiv else "https://shore.example/2/the-tide"
            )
            yield AuthoredPage(f"{make.__name__}-{at}", html, address, truth)
