"""Input made to break things: each case has an outcome, and none of them is a crash."""

import json
import time
from contextlib import suppress

import pytest
import turbohtml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.captures import check_document, page_capture
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import addresses_of, extract
from webrag_desktop.models.documents import NormalizedDocument

DEEP = 200_000
FORBIDDEN_TAGS = frozenset(
    (
        "script",
        "style",
        "iframe",
        "object",
        "embed",
        "form",
        "button",
        "input",
        "svg",
        "base",
        "link",
        "meta",
        "noscript",
    )
)


def read(html: str | bytes, **kwargs: str) -> NormalizedDocument:
    capture = page_capture(html, **kwargs)
    document = extract(capture)
    check_document(document)
    addresses_of(capture, document)
    return document


@pytest.mark.parametrize(
    "tag",
    [
        "div",
        "span",
        "b",
        "ul><li",
        "ol><li",
        "blockquote",
        "table><tr><td",
        "dl><dd",
        "a href=x",
        "section",
        "font",
        "em",
        "details",
        "math",
        "svg",
        "sup",
        "webrag-math",
        "button",
        "form",
        "p",
        "h1",
        "pre",
    ],
)
def test_nesting_without_end_keeps_the_text(tag: str) -> None:
    document = read(f"<p>before</p>{f'<{tag}>' * DEEP}inside<p>after")
    assert "before" in document.markdown
    assert len(document.markdown) < 1_000_000


@pytest.mark.parametrize(
    "html",
    [
        "<p>x" * 50_000,
        "<p>" + "word " * 400_000,
        "<a href=x>y</a>" * 20_000,
        "<br>" * 100_000 + "x",
        "<table>" + "<tr><td>x" * 20_000,
        "<table><tr>" + "<td>x" * 20_000,
        "<table><tr><td colspan=99999 rowspan=99999>x" + "<tr><td>y" * 50,
        "<table>" + "<tr><td rowspan=60000>x" * 500,
        "<ul>" + "<li>x" * 50_000,
        "<dl>" + "<dt>t<dd>d" * 80_000,
        "<pre>" + "`" * 500_000,
        "<p>" + "*_`[]()<>#|\\" * 30_000,
        "<p>" + "&amp;" * 300_000,
        "<p " + " ".join(f"a{n}=b" for n in range(20_000)) + ">x",
        "<p class='" + "c " * 200_000 + "'>x",
        "<h1>" + "h" * 500_000 + "</h1><p>x",
        "<ol start=999999999999999999999><li>x</ol>",
        "<ol start=-5>" + "<li>item" * 2_000,
        "<base href='http://" + "a" * 100_000 + "/'><a href=x>y</a>",
        "<base href='javascript:alert(1)'><a href=x>y</a>",
        "<base href='http://[broken'><a href=x>y</a><link rel=canonical href='//['>",
        "<a href='http://[::bad'>x</a><img src='http://[' alt=i>",
        "<script type='application/ld+json'>" + "[" * 100_000 + "</script><p>x",
        "<script type='application/ld+json'>" + '{"a":' * 50_000 + "1" + "}" * 50_000 + "</script><p>x",
        "<p>x<!--" + "-" * 200_000,
        "<!DOCTYPE " + "x" * 200_000 + "><p>y",
        "<title>" + "t" * 300_000 + "</title><p>x",
        "<svg><foreignObject><p>x</p></foreignObject></svg><p>y",
        "<template><p>hidden</p></template><p>x",
        "<p>x</p><plaintext><script>alert(1)</script>",
        "<select><option><p>x</select><p>y",
        "<webrag-math display=block>x</webrag-math>",
        "<dl><dl><dl><dt>x</dl></dl></dl>",
        "<li>stray<dd>stray<td>stray<tr>stray<caption>stray",
        "<main><main><main><article><article>x",
        "".join(f"<div class=x{n}-toc><p>Some words number {n}</p></div>" for n in range(60_000)),
        "<main><p>" + "<a class=feedback href=x></a>" * 40_000 + "x",
        "<main><ul>" + "<li class=feedback>x" * 40_000 + "<li>y",
        "<main>" + "<div class=x-toc>" * 20_000 + "x",
        "<p>\u202eright to left override\u202c \u200b\u2060x",
    ],
)
def test_pages_made_to_hurt(html: str) -> None:
    started = time.process_time()
    document = read("<meta name=generator content=Sphinx>" + html)
    assert len(document.markdown) <= 20 * len(html) + 100_000
    assert time.process_time() - started < 60


_LONG = 2_500_000  # characters


def _of(piece: str) -> str:
    return piece * (_LONG // len(piece))


_STATE = '<div id=root></div><script id=__NEXT_DATA__ type="application/json">'


@pytest.mark.parametrize(
    "html",
    [
        _STATE + json.dumps([_of("words without a stop ")]) + "</script>",
        _STATE + json.dumps(["Words that end in a stop, as a sentence does. {" + _of(":a")]) + "</script>",
        "<div id=root></div><script>" + _of("window.__STATE__=[") + "</script>",
        "<div id=root></div><script>" + _of('self.__next_f.push([1,"') + "</script>",
        "<p>" + _of("\\("),
        "<p>" + _of("\\["),
        "<p>" + _of("\\begin{align}"),
        "<h1>x</h1>" + _of("<span class=author>Jane</span>"),
        "<p>x<script type='application/ld+json'>"
        + json.dumps({"@type": "Article", "author": ["a" * 4_900] * (_LONG // 4_900)})
        + "</script>",
        "<p>x<script type='application/ld+json'>"
        + '{"@type":"Article","publisher":'
        + "[" * 900
        + '"x"'
        + "]" * 900
        + "}</script>",
        f"<main><p>x <a href='#n'>{' ' * 100_000}12x</a></main><p id=n>A note",
    ],
    ids=[
        "prose",
        "braces",
        "states",
        "pushes",
        "inline",
        "display",
        "environment",
        "bylines",
        "names",
        "nested",
        "blanks",
    ],
)
def test_what_is_read_beside_the_text_takes_time_by_its_length(html: str) -> None:
    started = time.process_time()
    with suppress(ExtractionError):
        read(html)
    assert time.process_time() - started < 30


@pytest.mark.parametrize(
    "body",
    [
        b"<p>a\0b\0</p>",
        b"<p>\xed\xa0\x80\xed\xb0\x80 x</p>",
        b"<p>&#xD800;&#0;&#x110000; x</p>",
        b"<p>\xff\xfe\xfa x</p>",
        b"\xff\xfe<\0p\0>\0x\0\x00\xd8",
        b"<p>x\x1b[31m\x07\x7f",
        b"<p>\xef\xbf\xbe\xef\xbf\xbf x",
        b"\xef\xbb\xbf\xef\xbb\xbf<p>x",
        b"<meta charset=utf-7><p>+ADw-script+AD4- x",
        b"<meta charset=utf-16><p>x",
        b"<p>x" + b"\r" * 50,
        b"<p>\xc0\x80x",
    ],
)
def test_bytes_that_are_no_clean_text(body: bytes) -> None:
    document = read(body)
    assert "x" in document.markdown or "b" in document.markdown
    assert not any("\ud800" <= character <= "\udfff" for character in document.markdown)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"%PDF-1.7 ...", "text/html"),
        (b"%PDF-1.7 ...", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0", "text/html"),
        (b"PK\x03\x04....", "text/html"),
        (b"GIF89a<script>", "text/html"),
        (b'{"a": 1}', "application/json"),
        (b"\0\0\0\x18ftypmp42", "video/mp4"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
    ],
)
def test_lying_and_unknown_types(body: bytes, content_type: str) -> None:
    with pytest.raises(ExtractionError, match=r"cannot be read|is damaged"):
        extract(page_capture(body, content_type=content_type))


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("", "html"),
        ("application/octet-stream", "html"),
        ("text/html;charset=", "html"),
        ("text/plain", "html"),
    ],
)
def test_missing_types_are_sniffed(content_type: str, kind: str) -> None:
    assert read("<!doctype html><p>text of the page</p>", content_type=content_type).doc_type == kind


def test_nothing_dangerous_survives_in_stored_html() -> None:
    vectors = [
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "<math><mtext><table><mglyph><style><!--</style>"
        "<img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
        "<a href='java&#10;script:alert(1)'>x</a>",
        "<a href='data:text/html,x'>x</a>",
        "<iframe src=//evil.test>",
        "<object data=x>",
        "<p style='background:url(x)'>",
        "<form action=//evil.test><button>x</button></form>",
        "<math href='javascript:x'><mi xlink:href='javascript:x'>y",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
        '<a href=" javascript:alert(1)">x</a>',
        "<webrag-math onclick=x><script>y</script></webrag-math>",
        "<base href='javascript:/'><a href=x>y</a>",
    ]
    for vector in vectors:
        stored = turbohtml.parse_fragment(read(f"<p>text</p>{vector}<p>end</p>").html or "")
        for element in stored.iter_elements():
            assert element.tag not in FORBIDDEN_TAGS, vector
            for name, value in element.attrs.items():
                assert not name.startswith("on"), vector
                assert name not in {"style", "action", "srcset", "xlink:href"}, vector
                assert name not in {"href", "src"} or str(value).startswith(("https://", "http://")), vector


FRAGMENTS = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<div id=a>",
        "</div>",
        "<ul>",
        "<li>",
        "</ul>",
        "<ol start=3>",
        "</ol>",
        "<table>",
        "<tr>",
        "<td>",
        "<th>",
        "</table>",
        "<dl>",
        "<dt id=t>",
        "<dd>",
        "</dl>",
        "<pre>",
        "</pre>",
        "<code>",
        "</code>",
        "<b>",
        "</b>",
        "<i>",
        "</i>",
        "<h1>",
        "</h1>",
        "<h2 id=h>",
        "</h2>",
        "<h3>",
        "<blockquote>",
        "</blockquote>",
        "<a href=/x>",
        "</a>",
        "<br>",
        "<hr>",
        "<img src=i.png alt=pic>",
        "<span>",
        "</span>",
        "<section id=s>",
        "</section>",
        "<figure>",
        "<figcaption>",
        "</figure>",
        "<details>",
        "<summary>",
        "</details>",
        "<math>",
        "<mi>",
        "</math>",
        "<span class=math>\\(",
        "\\)</span>",
        "<main>",
        "<article>",
        "<nav>",
        "</nav>",
        "<div class='admonition note'>",
        "<sup>",
        "</sup>",
        "<!--c-->",
        "<script>",
        "</script>",
        "&amp;",
        "\0",
        "\n",
        " ",
        "\u2028",
        "word",
        "two words.",
        "日本語",
        "🧭",
        "*",
        "# ",
        "1. ",
        "- ",
        "```",
        "|",
        "\\",
        "<x-y>",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(FRAGMENTS, max_size=60).map("".join), st.booleans())
def test_any_soup_of_tags_gives_a_sound_document_or_a_reason(soup: str, documentation: bool) -> None:
    head = "<meta name=generator content=Sphinx>" if documentation else ""
    try:
        document = read(head + soup)
    except ExtractionError:
        return
    assert extract(page_capture(head + soup)) == document


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["Ein Wort", "zwei, Wörter", "drei 🧭", "vier 日本"]), min_size=1, max_size=8)
)
def test_no_word_of_plain_paragraphs_is_lost_or_moved(paragraphs: list[str]) -> None:
    html = "<main>" + "".join(f"<p>{text}</p>" for text in paragraphs) + "</main>"
    document = read(html)
    assert [document.markdown[b.char_start : b.char_end] for b in document.blocks] == paragraphs


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(["text/html", "text/plain", "text/markdown", ""]))
def test_any_bytes_give_a_sound_document_or_a_reason(body: bytes, content_type: str) -> None:
    with suppress(ExtractionError):
        read(body, content_type=content_type)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["text/plain", "text/markdown"]))
def test_text_files_keep_their_words(text: str, content_type: str) -> None:
    try:
        document = read(text.encode("utf-8", "replace"), content_type=content_type)
    except ExtractionError:
        return
    kept = set("".join(document.markdown.split()))
    assert kept <= set(text)
