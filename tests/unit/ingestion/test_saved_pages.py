"""Pages saved to disk: where they came from is a claim, and their parts are put together again."""

import base64
import plistlib
import quopri

import pytest

from tests.support.captures import check_document, page_capture
from tests.support.office_files import file_capture
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import addresses_of, extract
from webrag_desktop.ingestion.saved_pages import claimed_address
from webrag_desktop.models.documents import NormalizedDocument

PROSE = "<p>" + "The keeper climbed down twice a day to read the staff by lantern light. " * 3 + "</p>"
GENERATOR = "<meta name=generator content=Sphinx>"


def read(html: str, name: str = "saved.html") -> NormalizedDocument:
    document = extract(file_capture(html.encode(), name))
    check_document(document)
    return document


def page(note: str, body: str = "", head: str = "") -> str:
    main = f"<main><h1>Head</h1>{PROSE}{body}</main>"
    return f"<!DOCTYPE html>\n{note}<html><head>{GENERATOR}{head}</head><body>{main}</body></html>"


SINGLE_FILE = """<!--
 Page saved with SingleFile\x20
 url: https://example.org/dir/page?x=1&y=2#part
 saved date: Mon Jan 01 2024 10:00:00 GMT+0000 (Coordinated Universal Time)
-->"""
BROWSER = "<!-- saved from url=(0029)https://example.org/dir/a.html -->\n"
SAVE_PAGE = '<meta name="savepage-url" content="https://example.org/dir/a.html">'


@pytest.mark.parametrize(
    ("html", "address"),
    [
        (page(SINGLE_FILE), "https://example.org/dir/page?x=1&y=2"),
        (page(BROWSER), "https://example.org/dir/a.html"),
        (page("", head=SAVE_PAGE), "https://example.org/dir/a.html"),
        (page("<!-- saved from url=(0014)about:internet -->"), None),
        (page("<!-- saved from url=(0022)javascript:alert(1)//a -->"), None),
        (page("<!-- saved from url=(0022)file:///etc/passwd -->"), None),
        (page("<!-- saved from url=(0022)https://user:pw@example.org/ -->"), None),
        (page(""), None),
    ],
)
def test_the_address_a_page_was_saved_from(html: str, address: str | None) -> None:
    assert read(html).saved_from == address


def test_it_is_no_identity_of_the_document() -> None:
    html = page(BROWSER, head="<link rel=canonical href='https://example.org/dir/a.html'>")
    capture = file_capture(html.encode(), "saved.html")
    document = extract(capture)
    assert document.url == document.source_url == capture.url
    assert addresses_of(capture, document) == [(capture.url, "given")]


def test_a_page_of_the_web_claims_nothing() -> None:
    document = extract(
        page_capture(page(BROWSER, "<p><a href=b.html>next</a></p>"), "https://other.example/x/")
    )
    assert document.saved_from is None
    assert [link.url for link in document.links] == ["https://other.example/x/b.html"]


def test_it_is_the_base_of_links_but_not_of_images_saved_along() -> None:
    body = (
        '<p>Go <a href="../up.html">up</a> <img src="./a_files/pic.png" alt="a picture"> '
        '<img src="data:image/png;base64,AAAA" alt="a dot"> <img src="https://example.org/far.png" alt="far"></p>'
        '<p>No <a href="file:///etc/passwd">secret</a></p>'
    )
    document = read(page(BROWSER, body))
    assert (
        "Go [up](https://example.org/up.html) a picture a dot ![far](https://example.org/far.png)"
        in document.markdown
    )
    assert "file:" not in document.markdown + (document.html or "")


SHADOW = (
    "<my-card><template {mark}=open><style>p{{}}</style><h2>Inside</h2>"
    "<p><slot name=a>none</slot> and <slot></slot></p>"
    "<x-y><template {mark}=open><p>deep <slot>fallback</slot></p></template></x-y></template>"
    "<b slot=a>named words</b>light words<i slot=zz>lost</i></my-card>"
)


@pytest.mark.parametrize("mark", ["shadowrootmode", "shadowmode"])
@pytest.mark.parametrize("generator", [GENERATOR, ""])
def test_shadow_trees_are_read_in_their_places(mark: str, generator: str) -> None:
    html = page(SINGLE_FILE, SHADOW.format(mark=mark) + PROSE).replace(GENERATOR, generator)
    words = read(html).markdown
    assert "## Inside\n\n**named words** and light words\n\ndeep fallback\n\nThe keeper" in words
    assert "lost" not in words
    assert "none" not in words


def test_pages_of_the_web_have_shadow_trees_too() -> None:
    html = page("", SHADOW.format(mark="shadowrootmode"))
    assert "**named words** and light words" in extract(page_capture(html)).markdown


def test_shadow_trees_inside_each_other_end() -> None:
    nested = "<x-y><template shadowrootmode=open><p>level</p>" * 400 + "</template></x-y>" * 400
    assert read(page("", nested)).markdown.count("level") in range(10, 401)


def mhtml(html: str, *, encoding: str = "quoted-printable", headers: str = "", parts: str = "") -> str:
    encode = quopri.encodestring if encoding == "quoted-printable" else base64.encodebytes
    body = encode(html.encode()).decode()
    text = (
        "From: <Saved by Blink>\nSnapshot-Content-Location: https://example.org/a/b.html\nSubject: Words\n"
        f'MIME-Version: 1.0\nContent-Type: multipart/related;\n\ttype="text/html";{headers}\n\tboundary="--b--"\n\n\n'
        f"{parts}----b--\nContent-Type: text/html\nContent-ID: <root@x>\nContent-Transfer-Encoding: {encoding}\n"
        f"Content-Location: https://example.org/a/b.html\n\n{body}\n----b----\n"
    )
    return text.replace("\n", "\r\n")


PAGE = page(
    "", "<p>Größe <a href=c.html>next</a> <img src=cid:x alt='a picture'></p>", "<meta charset=utf-8>"
)
OTHER = (
    "----b--\nContent-Type: text/html\nContent-Location: https://ads.example/\n\n<p>An advertisement.</p>\n"
)


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64"])
@pytest.mark.parametrize("name", ["saved.mhtml", "saved.mht", "renamed.html", "nameless"])
def test_mime_messages(encoding: str, name: str) -> None:
    document = read(mhtml(PAGE, encoding=encoding), name)
    assert document.doc_type == "html"
    assert document.saved_from == "https://example.org/a/b.html"
    assert document.markdown.endswith("Größe [next](https://example.org/a/c.html) a picture")


@pytest.mark.parametrize("headers", ["", '\n\tstart="<root@x>";'])
def test_the_page_among_the_parts_is_found(headers: str) -> None:
    words = read(mhtml(PAGE, headers=headers, parts=OTHER)).markdown
    assert "Größe" in words
    assert "advertisement" not in words


def test_a_message_of_the_web_names_no_addresses_either() -> None:
    capture = page_capture(mhtml(PAGE), "https://files.example/x.mhtml", "multipart/related")
    document = extract(capture)
    assert document.saved_from == "https://example.org/a/b.html"
    assert document.source_url == "https://files.example/x.mhtml"
    assert addresses_of(capture, document) == [("https://files.example/x.mhtml", "given")]


@pytest.mark.parametrize(
    "text",
    [
        mhtml("").replace("text/html", "text/css"),
        mhtml(PAGE, parts="Content-Type: multipart/mixed\r\n" * 30),
        mhtml(PAGE).partition("<!DOCTYPE")[0],
        'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="' + "b" * 3000 + '"\n\nwords',
    ],
)
def test_messages_without_a_page(text: str) -> None:
    with pytest.raises(ExtractionError, match="No page was found") as caught:
        read(text, "saved.mhtml")
    assert "save it as HTML" in caught.value.hint


def web_archive(**changes: object) -> bytes:
    main = {
        "WebResourceData": PAGE.encode("latin-1"),
        "WebResourceMIMEType": "text/html",
        "WebResourceTextEncodingName": "ISO-8859-1",
        "WebResourceURL": "https://example.org/a/b.html",
    }
    return plistlib.dumps({"WebMainResource": {**main, **changes}}, fmt=plistlib.FMT_BINARY)


def test_web_archives() -> None:
    document = extract(file_capture(web_archive(), "saved.webarchive"))
    check_document(document)
    assert document.saved_from == "https://example.org/a/b.html"
    assert document.markdown.endswith("Größe [next](https://example.org/a/c.html) a picture")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (web_archive(WebResourceMIMEType="image/png"), "No page was found"),
        (web_archive()[:-40], "damaged"),
        (web_archive()[:-24] + (2**60).to_bytes(8, "big") + web_archive()[-16:], "damaged"),
        (plistlib.dumps({"WebMainResource": "words"}, fmt=plistlib.FMT_BINARY), "damaged"),
    ],
)
def test_web_archives_without_a_page(body: bytes, reason: str) -> None:
    with pytest.raises(ExtractionError, match=reason):
        extract(file_capture(body, "saved.webarchive"))


@pytest.mark.parametrize(
    ("claim", "address"),
    [
        ("https://example.org/a#b", "https://example.org/a"),
        ("example.org/a", None),
        ("https://", None),
        ("https://example.org/\nx", None),
        ("x" * 9000, None),
        ("ftp://example.org/a", None),
    ],
)
def test_only_web_addresses_are_believed_to_be_ones(claim: str, address: str | None) -> None:
    assert claimed_address(claim) == address
