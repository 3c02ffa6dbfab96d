"""Dates: explicit ones at the precision stated, guesses marked as such, wrong ones refused."""

from datetime import UTC, datetime

import pytest
from htmldate import find_date
from hypothesis import given
from hypothesis import strategies as st

from tests.support.captures import FILLER, page_capture
from webrag_desktop.ingestion.dates import moment_of, stated_date, stated_dates
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.guessed_dates import EARLIEST_GUESS, guess_dates
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.models.documents import NormalizedDocument
from webrag_desktop.text.dates import publication_time

READ = datetime(2024, 5, 6, 7, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2021", "2021"),
        ("2021-05", "2021-05"),
        (" 2021-05-03 ", "2021-05-03"),
        ("20210503", "2021-05-03"),
        ("2021/05/03", "2021-05-03"),
        ("2021.05.03", "2021-05-03"),
        ("2021-05-03T10:11:12Z", "2021-05-03T10:11:12Z"),
        ("2021-05-03 10:11 UTC", "2021-05-03T10:11Z"),
        ("2021-05-03 10:11:12 +0200", "2021-05-03T10:11:12+02:00"),
        ("2021-05-03T10:11:12.123456789+02", "2021-05-03T10:11:12.123456+02:00"),
        ("3 May 2021", "2021-05-03"),
        ("May 3rd, 2021", "2021-05-03"),
        ("May 2021", "2021-05"),
        ("May 3, 2021 10:30 PM", "2021-05-03T22:30:00"),
        ("Mon, 03 May 2021 10:00:00 GMT", "2021-05-03T10:00:00+00:00"),
        ("1865", "1865"),
        ("2024-05-07", "2024-05-07"),  # tomorrow, somewhere
    ],
)
def test_dates_are_read_as_exactly_as_they_were_written(written: str, read: str) -> None:
    assert stated_date(written, READ) == read
    assert publication_time(read) is not None


@pytest.mark.parametrize(
    "written",
    [
        "", "last week", "03/04/2021", "202105", "2021/05", "2021-02-30", "2021-13", "2021-05-03T25:00",
        "30 February 2021",
        "2024-05-09", "2025", "June 2024", "9999", "0001-01-01T00:00:00", "0000", "1970-01-01T00:00:00Z", "1900-01-01",
        "0999", "10:30", "99999999999999999 May 2021", "2021" + "x" * 100,
    ],
)  # fmt: skip
def test_what_is_no_date_or_cannot_be_true_is_refused(written: str) -> None:
    assert stated_date(written, READ) is None


@given(st.text(max_size=80))
def test_whatever_is_written_gives_a_date_or_none(written: str) -> None:
    read = stated_date(written, READ)
    if read is not None:
        assert stated_date(read, READ) == read
        assert moment_of(read).year >= 1000


def test_nothing_changes_before_it_is_published() -> None:
    assert stated_dates("2021-05-03", "2021-04-01", READ) == ("2021-05-03", None)
    assert stated_dates("2021-05-03", "2021-05", READ) == ("2021-05-03", "2021-05")
    assert stated_dates("2021-05-03T23:00:00+02:00", "2021-05-03", READ)[1] == "2021-05-03"


def read(head: str, body: str = "", url: str = "https://example.org/dir/page") -> NormalizedDocument:
    page = f"<html><head>{head}</head><body><main><h1>Head line</h1>{body}{FILLER * 3}</main></body></html>"
    return extract(page_capture(page, url))


@pytest.mark.parametrize(
    ("head", "body", "published", "modified"),
    [
        ("<meta name=DC.date.issued content='3 May 2021'>", "", "2021-05-03", None),
        ("<meta name=dcterms.created content=2021-05><meta name=dcterms.modified content=2022>", "", "2021-05", "2022"),
        ("<meta property=og:updated_time content=2022-01-02>", "", None, "2022-01-02"),
        ("", "<time itemprop=datePublished datetime=2021-05-03>last spring</time>", "2021-05-03", None),
        ("", "<span itemprop=dateModified content=2021-05-03>x</span>", None, "2021-05-03"),
        ("", "<time class='entry-date published' datetime=2021-05-03>x</time>", "2021-05-03", None),
        ("", "<time pubdate>May 3, 2021</time>", "2021-05-03", None),
        ("", "<div class=comment><time itemprop=datePublished datetime=2021-05-03>x</time></div>", None, None),
        ("", "<span class=lastupdated>Last updated on Jan 05, 2023.</span>", None, "2023-01-05"),
        ("", "<div id=footer-info-lastmod>This page was last edited on 12 May 2021, at 7:31</div>", None, "2021-05-12"),
        ("<meta name=date content=2031-01-01>", "<time pubdate datetime=2021-05-03>x</time>", "2021-05-03", None),
        ("<meta name=date content=1970-01-01>", "", None, None),
        (
            '<script type="application/ld+json">[{"@type":"Comment","datePublished":"2020-01-01"},{"@type":"WebSite",'
            '"datePublished":"2001-01-02"},{"@type":"NewsArticle","datePublished":"2021-05-03T10:00:00Z"}]</script>',
            "", "2021-05-03T10:00:00Z", None,
        ),
    ],
)  # fmt: skip
def test_a_page_states_its_dates_in_many_ways(
    head: str, body: str, published: str | None, modified: str | None
) -> None:
    document = read(f"<meta name=generator content=Sphinx>{head}", body)
    assert (document.published_time, document.modified_time) == (published, modified)
    assert not document.published_guessed
    assert not document.modified_guessed


def test_an_article_without_a_stated_date_has_a_guessed_one() -> None:
    document = read("", "<p class=byline>Posted on 3 May 2021 by Ada</p>")
    assert document.published_time == "2021-05-03"
    assert document.published_guessed
    by_address = read("", url="https://example.org/2021/05/03/rivers.html")
    assert (by_address.published_time, by_address.published_guessed) == ("2021-05-03", True)


def test_nothing_is_guessed_where_something_is_stated_or_on_documentation() -> None:
    url = "https://example.org/2021/05/03/rivers.html"
    stated = read("<meta name=lastmod content=2022>", url=url)
    assert (stated.published_time, stated.modified_time, stated.modified_guessed) == (None, "2022", False)
    documentation = read("<meta name=generator content=Sphinx>", url=url)
    assert documentation.published_time is None


@pytest.mark.parametrize("address", ["https://example.org/1989/05/03/x", "https://example.org/2031/05/03/x"])
def test_a_guess_older_than_the_web_or_from_the_future_is_refused(address: str) -> None:
    assert read("", url=address).published_time is None


def test_an_element_of_countless_attributes_keeps_nobody_waiting() -> None:
    """Guessing on this would take minutes."""
    bomb = f"<p {' '.join(f'a{number}' for number in range(120_000))}>x</p>"
    capture = page_capture(bomb, "https://example.org/2021/05/03/x")
    assert guess_dates(parse_html(capture), capture) == (None, None)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("<meta name=pubdate content=2020-01-02><meta property=og:updated_time content=2021-03-04>", ""),
        ('<script type="application/ld+json">{"datePublished":"2020-01-02","dateModified":"2021-03-04"}</script>', ""),
        ("", "<abbr class=published title=2020-01-02>x</abbr><abbr class=date-published title=2021-03-04>y</abbr>"),
        ("", "<time datetime=2020-01-02>x</time><p>and</p><time datetime=2021-03-04>y</time>"),
        ("", "<div class=byline>Posted on 3 May 2021</div><iframe>2020</iframe><time datetime=2020-01-02>x</time>"),
        ("<title>Rivers, 3 May 2021</title>", "<time datetime=2020-01-02>x</time>"),
        ("<meta property=og:image content=https://example.org/2021/05/03/x.png>", "<p>Rivers</p>"),
        ("", "<p>Updated: 03.05.2021</p>"),
        ("", "<p>Data of 2021-05-03T10:00:00Z</p>"),
        ("", "<script>var a = '2020-01-02'</script><p>It was 2021-05-03 there.</p>"),
        ("", "<object><time datetime=2020-01-02>x</time></object><p>&#1;Rivers</p>"),
        ("", "<p>Rivers</p>"),
    ],
)  # fmt: skip
def test_one_search_finds_both_dates_that_the_library_finds_in_two(head: str, body: str) -> None:
    capture = page_capture(
        f"<html><head>{head}</head><body>{body}{FILLER}</body></html>", "https://example.org/x"
    )
    found = [
        find_date(
            capture.body.decode(),
            extensive_search=False,
            original_date=original,
            url=capture.final_url,
            min_date=EARLIEST_GUESS,
            max_date=f"{capture.fetched_at:%Y-%m-%d}",
        )
        for original in (True, False)
    ]
    published, modified = guess_dates(parse_html(capture), capture)
    assert [published, modified or published] == found


def test_what_linked_data_says_of_a_page_stands_in() -> None:
    data = '{"@type":"Article","inLanguage":"de-AT","description":"Worüber es geht."}'
    document = read(f'<script type="application/ld+json">{data}</script>')
    assert (document.language, document.description) == ("de-AT", "Worüber es geht.")
