"""Facts of a page are those of the page: not of what it lists, of visitors, of pictures, or of its first sentence."""

import json

import pytest

from tests.support.captures import FILLER, page_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

OTHER = {"@type": "NewsArticle", "headline": "Other", "author": "Other Person", "datePublished": "2001-01-01"}
OWN = {"@type": "NewsArticle", "author": "Jane Doe", "datePublished": "2020-05-03"}


def read(body: str = "", *linked: object, url: str = "https://example.org/dir/page") -> NormalizedDocument:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in linked)
    head = f"<head><title>Tides</title>{scripts}</head>"
    return extract(
        page_capture(f"<html>{head}<body><article><h1>Tides</h1>{body}{FILLER * 3}</article></body>", url)
    )


@pytest.mark.parametrize(
    "listing",
    [
        {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": OTHER}]},
        {
            "@type": "Product",
            "review": [{"@type": "Review", **{k: OTHER[k] for k in ("author", "datePublished")}}],
        },
    ],
)
def test_what_a_page_lists_has_its_own_authors_and_dates(listing: object) -> None:
    document = read("", listing)
    assert document.authors == ()
    assert document.fact_sources.get("published_time") in {None, "guess"}  # of all words of the page
    document = read("", listing, OWN)
    assert (document.authors, document.published_time) == (("Jane Doe",), "2020-05-03")


def test_of_several_articles_the_one_at_the_address_counts() -> None:
    own = {**OWN, "mainEntityOfPage": {"@id": "https://example.org/dir/page/"}}
    assert read("", [OTHER, own]).authors == ("Jane Doe",)


@pytest.mark.parametrize(
    "body",
    [
        "<p>By Monday morning, crowds had gathered in the streets of the city.</p>",
        '<section class="more-stories"><span class="byline">By Other Person</span></section>',
    ],
)
def test_what_only_looks_like_a_byline_is_none(body: str) -> None:
    assert read(body).authors == ()


def test_a_licence_of_a_picture_is_not_that_of_its_page() -> None:
    by = "https://creativecommons.org/licenses/by/2.0/"
    assert read(f"<figure><img src=a.jpg><a rel=license href={by}>CC BY</a></figure>").licence is None
    assert read(f"<p><a rel=license href={by}>CC BY</a></p>").licence == "CC BY 2.0"
    assert read("<p><a rel=license href=/terms>Terms</a></p>").licence == "https://example.org/terms"


@pytest.mark.parametrize("behind", ["", "/pdf", "/full?download=true", "#section-2", "/tab/figures"])
def test_an_address_goes_on_behind_its_doi(behind: str) -> None:
    assert read(url=f"https://journals.example/doi/10.1000/tides.7{behind}").doi == "10.1000/tides.7"
