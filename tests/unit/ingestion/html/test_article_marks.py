"""What pages claim to be in their metadata."""

import pytest

from tests.support.captures import page_capture
from webrag_desktop.ingestion.html.metadata import Claim, article_claim
from webrag_desktop.ingestion.html_parsing import parse_html


def linked(kind: str) -> str:
    return (
        f'<script type="application/ld+json">{{"@context": "https://schema.org", "@type": {kind}}}</script>'
    )


@pytest.mark.parametrize(
    ("head", "claim"),
    [
        ("", Claim.NONE),
        ("<meta name=description content=x>", Claim.NONE),
        ("<meta property=og:title content=x>", Claim.SHARED),
        ("<meta name=twitter:card content=summary>", Claim.SHARED),
        ("<meta property=og:type content=website>", Claim.SHARED),
        ("<meta property=og:type content=Article>", Claim.SOCIAL),
        ("<meta property=article:published_time content=2021-05-03>", Claim.ARTICLE),
        (linked('"NewsArticle"'), Claim.ARTICLE),
        (linked('["WebPage", "BlogPosting"]'), Claim.ARTICLE),
        (f"<meta property=og:type content=website>{linked('null')}", Claim.SHARED),
        (linked('"WebPage"'), Claim.NONE),
        (linked('"TechArticle"'), Claim.NONE),
        (linked('"DiscussionForumPosting"'), Claim.NONE),
    ],
)
def test_the_head_tells(head: str, claim: Claim) -> None:
    assert article_claim(parse_html(page_capture(f"<head>{head}</head><body><p>x"))) is claim


@pytest.mark.parametrize(
    ("body", "claim"),
    [
        ("<div itemscope itemtype=https://schema.org/NewsArticle>x</div>", Claim.ARTICLE),
        ("<div itemscope itemtype=https://schema.org/Product>x</div>", Claim.NONE),
        ("<div itemprop='text articleBody'>x</div>", Claim.ARTICLE),
        ("<article>x</article>", Claim.NONE),  # teasers and comments stand in such, too
    ],
)
def test_the_body_tells(body: str, claim: Claim) -> None:
    assert article_claim(parse_html(page_capture(f"<body>{body}"))) is claim


def test_a_nested_object_counts() -> None:
    graph = '{"@graph": [{"@type": "WebSite"}, {"@type": "Article", "headline": "x"}]}'
    page = f'<script type="application/ld+json">{graph}</script><p>x'
    assert article_claim(parse_html(page_capture(page))) is Claim.ARTICLE
