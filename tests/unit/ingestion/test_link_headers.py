"""The canonical address in ``Link`` headers: the same rules as for an element in the page, which wins."""

from dataclasses import replace

import pytest

from tests.support.captures import page_capture
from tests.support.office_files import file_capture
from webrag_desktop.ingestion.extract import addresses_of, canonical_in_headers, extract
from webrag_desktop.ingestion.reading_process.process import verified
from webrag_desktop.ingestion.reading_process.protocol import Answer
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.formats import DocType

URL = "https://www.example.org/dir/page?from=feed"
REAL = "https://example.org/real"


def answered(*links: str, body: str = "<p>text</p>", content_type: str = "text/html") -> Capture:
    """A capture whose answer came with these ``Link`` headers."""
    capture = page_capture(body, URL, content_type)
    return capture.model_copy(update={"headers": (*capture.headers, *(("LINK", link) for link in links))})


def canonical(capture: Capture) -> str | None:
    found = [url for url, kind in addresses_of(capture, extract(capture)) if kind == "canonical"]
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize(
    "link",
    [
        f'<{REAL}>; rel="canonical"',
        f"<{REAL}>;rel=canonical",
        f'<{REAL}#part>; rel="Canonical"',
        f'<{REAL}>; rel="shortlink canonical"; title="a, b"',
        f'</style.css>; rel="preload", <{REAL}>; rel="canonical", <https://example.org/3>; rel="next"',
    ],
)
def test_the_header_names_the_page(link: str) -> None:
    assert canonical(answered(link)) == REAL


def test_an_address_may_hold_what_parts_links() -> None:
    address = "https://example.org/real;v=1,2?a=b;c"
    assert canonical(answered(f'</s>; rel=x; title="a;b", <{address}>; rel=canonical')) == address


@pytest.mark.parametrize("unit", ["<", "<a>;", "<a>; b", "<>; rel=", '<a>;b="', "; ", ' ="', "\\"])
def test_long_headers_are_read_to_their_end(unit: str) -> None:
    assert canonical_in_headers(answered(unit * 50_000, "<a>" + unit * 50_000)) is None


def test_any_of_several_headers_may_and_addresses_stand_against_the_page() -> None:
    assert canonical(answered("</s.css>; rel=preload", '<../real?a=1>; rel="canonical"')) == (
        "https://www.example.org/real?a=1"
    )


def test_an_address_beyond_ascii_is_read_as_utf8() -> None:
    link = '<https://example.org/größe>; rel="canonical"'
    assert canonical(answered(link.encode().decode("latin-1"))) == "https://example.org/größe"


@pytest.mark.parametrize(
    "link",
    [
        '<https://victim.example/real>; rel="canonical"',
        '<https://sub.example.org/real>; rel="canonical"',
        '<https://example.org:8443/real>; rel="canonical"',
        '<https://example.org@evil.test/real>; rel="canonical"',
        '<https://www.example.org/>; rel="canonical"',
        '<javascript:alert(1)>; rel="canonical"',
        '<file:///etc/passwd>; rel="canonical"',
        '<https://[broken>; rel="canonical"',
        f'<{REAL}>; rel="canonical-ish"',
        f'<{REAL}>; title="canonical"',
        f'<{REAL}>; rel="canonical"; anchor="/other"',
        f'{REAL}; rel="canonical"',
        f'</a>; title="<{REAL}>; rel=canonical"',
        "canonical",
        "<>;;=;canonical",
    ],
)
def test_what_is_not_believed_of_an_element_is_not_of_a_header(link: str) -> None:
    assert canonical(answered(link)) is None


@pytest.mark.parametrize("own", ["https://example.org/own", "https://victim.example/x", "https://[broken"])
def test_the_pages_own_element_wins_believed_or_not(own: str) -> None:
    head = f'<link rel="canonical" href="{own}">'
    found = canonical(answered(f'<{REAL}>; rel="canonical"', body=f"{head}<p>text</p>"))
    assert found == (own if own.startswith("https://example.org") else None)


def test_files_that_are_no_pages_may_be_named_by_the_header() -> None:
    capture = answered(f'<{REAL}>; rel="canonical"', body="# Tides\n\nText.", content_type="text/markdown")
    assert canonical(capture) == REAL


@pytest.mark.parametrize(
    ("kind", "address", "believed"),
    [
        ("pdf", "https://example.org/papers/tides.pdf", True),
        ("pdf", "https://example.org/papers/TIDES.PDF?v=2", True),
        ("pdf", "https://example.org/papers/tides", False),
        ("pdf", "https://example.org/papers/tides.html", False),
        ("epub", "https://example.org/papers/tides.pdf", False),
        ("docx", "https://example.org/papers/", False),
        ("html", "https://example.org/papers/tides.pdf", False),
        ("text", "https://example.org/papers/tides.html", True),
    ],
)
def test_a_paper_is_not_the_page_that_presents_it(kind: DocType, address: str, believed: bool) -> None:
    capture = answered(f'<{address}>; rel="canonical"')
    document = replace(extract(capture), doc_type=kind)
    assert ((address, "canonical") in addresses_of(capture, document)) is believed


def test_the_reading_process_may_say_so() -> None:
    capture = answered(f'<{REAL}>; rel="canonical"')
    document = extract(capture)
    answer = Answer(document=document, addresses=tuple(addresses_of(capture, document)))
    assert (REAL, "canonical") in verified(capture, answer)[1]


def test_a_file_has_no_header() -> None:
    capture = file_capture(b"# Tides\n\nText.\n", "tides.md")
    assert [kind for _url, kind in addresses_of(capture, extract(capture))] == ["given"]
