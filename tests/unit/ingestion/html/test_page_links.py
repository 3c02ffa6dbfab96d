"""All links of a page are data: those of its text, and apart from them those around it, within bounds."""

from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.captures import check_document, page_capture
from tests.support.office_files import file_capture
from webrag_desktop.ingestion.assembly import (
    LONGEST_ADDRESS,
    LONGEST_WORDS,
    MOST_CONTENT_LINKS,
    MOST_NAVIGATION_LINKS,
    leads_to_the_web,
)
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.html.main_content import Base
from webrag_desktop.ingestion.reading_process.protocol import Answer
from webrag_desktop.models.documents import Link, NormalizedDocument

HERE = "https://example.org/dir/page"
PROSE = "".join(f"<p>The gauge stood in the harbour and was read at hour {hour}.</p>" for hour in range(8))


def page(around: str, text: str = "", head: str = "") -> NormalizedDocument:
    """A page with links around its text."""
    document = extract(
        page_capture(
            f"<html><head><title>Gauges</title>{head}</head><body>{around}"
            f"<main><h1>Gauges</h1>{PROSE}{text}</main></body></html>"
        )
    )
    check_document(document)
    return document


def navigation(document: NormalizedDocument) -> list[Link]:
    return [link for link in document.links if link.place == "navigation"]


def test_links_around_the_text_are_navigation_in_the_order_of_the_page() -> None:
    document = page(
        "<header><a href=/>Home</a></header>"
        "<nav><a href='/dir/tides#low' rel='Nofollow  ME'> Low <b>tides</b> </a></nav>"
        "<aside><a href=charts>Charts</a></aside><footer><a href='https://else.example/'>Else</a></footer>"
    )
    assert [(link.url, link.text, link.rel) for link in navigation(document)] == [
        ("https://example.org/", "Home", ()),
        ("https://example.org/dir/tides#low", "Low tides", ("nofollow", "me")),
        ("https://example.org/dir/charts", "Charts", ()),
        ("https://else.example/", "Else", ()),
    ]


def test_links_of_the_text_tell_their_heading_and_types() -> None:
    document = page(
        "", "<h2>Makers</h2><p>Many were made by <a rel=external href=kelvin>Lord Kelvin</a> himself.</p>"
    )
    assert [(link.url, link.place, link.heading, link.rel) for link in document.links] == [
        ("https://example.org/dir/kelvin", "content", "Makers", ("external",))
    ]


def test_what_the_text_links_to_is_not_navigation_too() -> None:
    document = page(
        "<nav><a href=kelvin>Kelvin</a><a href=tides>Tides</a></nav>",
        "<p>Many were made by <a href=kelvin>Lord Kelvin</a> himself.</p>",
    )
    assert [(link.text, link.place) for link in document.links] == [
        ("Lord Kelvin", "content"),
        ("Tides", "navigation"),
    ]


def test_the_head_tells_what_comes_next() -> None:
    head = (
        "<link rel=next href=2 title='Part two'><link rel='Prev' href=0><link rel=stylesheet href=look.css>"
        "<link rel='alternate' href=feed><link rel=contents href=/all>"
    )
    assert [(link.url, link.text, link.rel) for link in navigation(page("", head=head))] == [
        ("https://example.org/dir/2", "Part two", ("next",)),
        ("https://example.org/dir/0", "", ("prev",)),
        ("https://example.org/all", "", ("contents",)),
    ]


def test_a_link_without_words_is_reported_by_its_picture_or_title_and_each_address_once() -> None:
    menu = (
        "<nav><a href=logo><img src=x.png alt='The harbour'></a><a href=up title=Upwards></a>"
        "<a href=twice></a><a href=twice>Twice</a><a href=twice>Again</a></nav>"
    )
    assert [(link.url.rpartition("/")[2], link.text) for link in navigation(page(menu))] == [
        ("logo", "The harbour"),
        ("up", "Upwards"),
        ("twice", "Twice"),
    ]


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "  JavaScript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<b>x</b>",
        "mailto:ada@example.org",
        "tel:123",
        "file:///etc/passwd",
        "ftp://example.org/",
        "#low",
        "",
        "page",
        HERE + "#low",
        "http://",
        "http://[",
        "http://[::1",
        "https://example.org:99999/",
        "https://user:secret@example.org/",
        "https://example.org/\x1fx",
        "https://example.org/" + "x" * 3000,
    ],
)
def test_what_leads_nowhere_else_is_no_link(href: str) -> None:
    document = page(f"<nav><a href='{href}'>there</a><a href=good>good</a></nav>")
    assert [link.text for link in navigation(document)] == ["good"]


def test_the_base_of_the_page_is_minded_and_cannot_lead_astray() -> None:
    menu = "<nav><a href=tides>Tides</a></nav>"
    for base, expected in [
        ("/other/", "https://example.org/other/tides"),
        ("https://else.example/", "https://else.example/tides"),
        ("x" * 5000, "https://example.org/dir/tides"),
    ]:
        found = navigation(page(menu, head=f"<base href='{base}'>"))
        assert [link.url for link in found] == [expected]
    for base in ("javascript:alert(1)//", "data:text/html,x", "http://[", "file:///etc/"):
        assert all(
            link.url.startswith("https://example.org/")
            for link in navigation(page(menu, head=f"<base href='{base}'>"))
        )


BASES = (
    "https://e.org/", "https://e.org", "https://e.org/d/p", "http://e.org:8080/x/y.html", "https://e.org/a/../b",
    "https://e.org/a?x=/y", "http://[::1]/a/", "https://e.org//x", "file:///home/a.html",
)  # fmt: skip
PARTS = (
    "a",
    "b.html",
    "..",
    "../",
    "../../",
    ".",
    "/",
    "?",
    "#",
    " ",
    "%20",
    "é",
    ":",
    "https://h/",
    "http://H.example:8080",
    "?q=a/../b",
    "#f",
    "#a(b, c);d/../e",
    "(a),+",
    "%",
    "-x",
    "=",
    ";p",
    "&",
    "_",
)


@given(base=st.sampled_from(BASES), parts=st.lists(st.sampled_from(PARTS), max_size=7))
def test_addresses_are_joined_as_urljoin_does_it(base: str, parts: list[str]) -> None:
    stated = "".join(parts)
    assert Base(base).joined(stated) == urljoin(base, stated)


def test_hosts_and_paths_beyond_ascii_are_kept_as_written() -> None:
    menu = (
        "<nav><a href='https://bücher.example/größe?ü=1'>Bücher</a><a href='https://例え.jp/'>例え</a></nav>"
    )
    assert [link.url for link in navigation(page(menu))] == [
        "https://bücher.example/größe?ü=1",
        "https://例え.jp/",
    ]


def test_nul_in_an_address_is_stored_as_no_character() -> None:
    document = page(
        "<nav><a href='/a\0b'>x\0y</a></nav>", "<p>See <a href='/c\0d' rel='a\0b'>z\0</a> too.</p>"
    )
    assert len(document.links) == 2
    assert "\0" not in Answer(document=document).json_bytes().decode().replace("\\u0000", "\0")


def test_a_hundred_thousand_links_are_bounded_and_counted() -> None:
    menu = "<nav>" + "".join(f"<a href=/m{number}>{number}</a>" for number in range(15_000)) + "</nav>"
    items = "".join(f"<li>A gauge of <a href=/t{number}>{number}</a></li>" for number in range(85_000))
    document = page(menu, f"<ul>{items}</ul>")
    places = [link.place for link in document.links]
    assert (places.count("content"), places.count("navigation")) == (
        MOST_CONTENT_LINKS,
        MOST_NAVIGATION_LINKS,
    )
    assert document.links_left_out == 100_000 - MOST_CONTENT_LINKS - MOST_NAVIGATION_LINKS


def test_words_and_addresses_are_bounded() -> None:
    menu = f"<nav><a href=/long>{'word ' * 5000}</a><a href='/{'y' * LONGEST_ADDRESS}'>y</a></nav>"
    text = f"<p>See <a href='/z'>{'word ' * 5000}</a> and <a href='/{'q' * LONGEST_ADDRESS}'>q</a>.</p>"
    document = page(menu, text)
    assert {link.url.rpartition("/")[2] for link in document.links} == {"long", "z"}
    assert all(len(link.text) <= LONGEST_WORDS for link in document.links)


def test_no_text_changes_by_the_links_around_it() -> None:
    bare, linked = page(""), page("<nav><a href=/>Home</a></nav>")
    assert (bare.markdown, bare.html) == (linked.markdown, linked.html)


@pytest.mark.parametrize(
    ("address", "leads"),
    [
        ("https://example.org/", True),
        ("HTTP://EXAMPLE.org", True),
        ("https://[::1]:8080/x", True),
        ("https://", False),
        ("//example.org", False),
        ("https://example.org:x/", False),
        ("https://exa\udc80mple.org/", False),
        ("", False),
    ],
)
def test_which_addresses_lead_to_the_web(address: str, leads: bool) -> None:
    assert leads_to_the_web(address) is leads


def test_links_of_markdown_files_come_in_their_order_with_their_heading() -> None:
    text = b"# Notes\n\nFirst <https://a.example/>, then [B](https://b.example/x).\n\n## More\n\n[C](https://c.example)\n"
    document = extract(file_capture(text, "notes.md"))
    assert [(link.url, link.text, link.heading) for link in document.links] == [
        ("https://a.example/", "https://a.example/", "Notes"),
        ("https://b.example/x", "B", "Notes"),
        ("https://c.example", "C", "More"),
    ]
