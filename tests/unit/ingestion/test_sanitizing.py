"""Sanitising many blocks in one walk gives what sanitising each by itself gives, and what is stored stays so."""

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from tests.support.captures import check_document, extracted, page_capture
from tests.support.fidelity import fidelity_document, page_names
from tests.support.office_files import chapter, docx, epub, file_capture, paragraph, table
from tests.support.pages import PAGES_DIRECTORY
from tests.support.pdf_files import PdfPage, pdf_bytes, pdf_capture
from webrag_desktop.ingestion import sanitizing
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.html_parsing import parse_html
from webrag_desktop.ingestion.sanitizing import is_harmless, sanitize, sanitize_elements, settle
from webrag_desktop.models.documents import Capture

PIECES = st.sampled_from(
    [
        "<p>", "</p>", "<div data-webrag-block=1>", "</div>", "<b onclick=x()>", "</b>", "<script>a</script>", "text",
        "<math><mi>", "</mi></math>", "<x-y>", "</x-y>", "<img src=javascript:x onerror=y>", "<a href='data:x'>",
        "</a>",
        "<style>b</style>", "<svg><p>", "</svg>", "&lt;i&gt;", "<table><tr><td>", "</table>", "<pre>\n\nx", "</pre>",
        "<!-- c -->", "<form id=a>", "</form>", "<ul><li>", "</ul>", "<h2 id=t class=k style='x'>", "</h2>",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_what_one_walk_gives_is_safe_to_the_other_library(html: str) -> None:
    body = turbohtml.parse(f"<body>{html}").select_one("body")
    assert body is not None
    blocks = [child for child in body.children if isinstance(child, turbohtml.Element)]
    written = [safe for safe in sanitize_elements(body, blocks) if safe is not None]
    for safe in settle(written):
        assert safe == sanitize(safe)
        assert "data-webrag" not in safe


@pytest.mark.parametrize("name", ["sklearn_ensemble", "python_glossary", "encyclopaedia"])
def test_real_pages_come_out_the_same(name: str) -> None:
    body = parse_html(page_capture((PAGES_DIRECTORY / f"{name}.html").read_bytes())).select_one("body")
    assert body is not None
    chosen = body.select("p,pre,table,ul,h1,h2,h3,dt")
    among = set(chosen)
    blocks = [block for block in chosen if among.isdisjoint(block.ancestors)]
    expected = [sanitize(block.html) for block in blocks]
    assert len(blocks) > 50
    assert sanitize_elements(body, blocks) == expected


def test_formulas_survive_wrappers_that_go() -> None:
    body = turbohtml.parse("<p><x-math><math><mi>a</mi></math></x-math>").select_one("body")
    assert body is not None
    assert sanitize_elements(body, body.select("p")) == ["<p><math><mi>a</mi></math></p>"]


def test_what_goes_altogether_is_reported() -> None:
    body = turbohtml.parse("<p>a</p><x-y>b</x-y>").select_one("body")
    assert body is not None
    assert sanitize_elements(body, body.select("p,x-y")) == ["<p>a</p>", None]


def test_addresses_of_files_stay_in_local_documents_only() -> None:
    html = "<p><a href='file:///a'>x</a><a href='file://host/a'>y</a></p>"
    for local, expected in (
        (True, '<p><a href="file:///a">x</a><a>y</a></p>'),
        (False, "<p><a>x</a><a>y</a></p>"),
    ):
        body = turbohtml.parse(html).select_one("body")
        assert body is not None
        assert sanitize_elements(body, body.select("p"), local=local) == [expected]


# What may stand in an address: hosts that are none, schemes in disguise, signs that some reader drops.
ADDRESSES = (
    "http://&lt;servername&gt;/x.git", "http://[::1]/a", "http://[::1", "http://a b/c", " http://a/b ", "HTTP://a/b",
    "JaVaScript:x", "java&#115;cript:x", "&#x6A;avascript:x", "javascript&colon;x", "java\tscript:x",
    "\x01javascript:x", "http://é.example/", "http://xn--a/", "http://a%00b/", "http://a%zz/", "http://a/%zz",
    "http:", "http:a", "//host/x", "mailto:a b@c", "http://a:99999/", "http://a:b/", "http://user:p@a/", "file:///a", "file://h/a",
    "data:x", "x:y",
    "http://exa&quot;mple/", "http://a/&quot;'`", "https:\\\\a\\b", "ht\ntp://a", "http://a^b/",
    "http://256.256.256.256/",
    "http://a..b/", "http://a/\x7f", "http://\xad/", "http://[v1.x]/", "http://{host}/x", "vbscript:x", "", " ", ":",
)  # fmt: skip
_TAGS = st.sampled_from(
    "a b blockquote br caption code dd details div dl dt em h1 h2 hr img li math mi mtext annotation-xml svg title "
    "style foreignObject ol p pre q ruby rt section select option span table tbody td textarea th tr ul form button "
    "nobr font template noscript xmp script html head object mglyph".split()
)
_ATTRIBUTES = st.one_of(
    st.sampled_from(
        ["", " class=x", " onclick=x", " title='&lt;b&gt;&amp;'", ' id="a\'b"', " dir=rtl style=x"]
    ),
    st.builds('{1}="{0}"'.format, st.sampled_from(ADDRESSES), st.sampled_from([" href", " src"])),
)
_WORDS = st.sampled_from(
    [
        "text ",
        "\n",
        "\n\nx",
        "&lt;b&gt;",
        "\0",
        "\r\n",
        "<!-- c -->",
        "<![CDATA[x]]>",
        "&nbsp;",
        "é",
        "&#13;x",
        "\u2028",
    ]
)
ODD = st.lists(
    st.one_of(
        st.builds("<{}{}>".format, _TAGS, _ATTRIBUTES),
        st.builds("</{}>".format, _TAGS),
        _WORDS,
        st.just("<p>"),
    ),
    max_size=25,
).map("".join)


@given(ODD, st.booleans())
def test_sanitising_again_changes_nothing(html: str, local: bool) -> None:
    once = sanitize(html, local=local)
    assert sanitize(once, local=local) == once
    assert is_harmless(once, local=local)


@given(ODD)
def test_what_a_page_gives_is_stored_as_sanitising_leaves_it(html: str) -> None:
    check_document(extracted(f"<p>Some words that stand here.</p>{html}<p>Other words.</p>"))


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("html", ['<p><a href="{}">x</a></p>', '<ul><li><img src="{}" alt=y>z</ul>'])
def test_odd_addresses_are_stored_as_sanitising_leaves_them(html: str, address: str) -> None:
    once = sanitize(html.format(address))
    assert sanitize(once) == once
    assert "script:" not in once.lower()
    check_document(extracted(html.format(address)))


@pytest.mark.parametrize("name", page_names())
def test_real_pages_are_stored_as_sanitising_leaves_them(name: str) -> None:
    check_document(fidelity_document(name))


ODD_CHAPTER = chapter(
    '<p>See <a href="http://&lt;host&gt;/x">the server</a> by its name.</p><p>\xa0<b> y</b></p>'
)
OF_EACH_KIND = {
    "docx": file_capture(
        docx(paragraph("Words &lt;b&gt; of it.") + table(("a &lt;", "b"), ("c", "d"))), "a.docx"
    ),
    "epub": file_capture(epub({"one.xhtml": ODD_CHAPTER}), "a.epub"),
    "pdf": pdf_capture(pdf_bytes([PdfPage().text("Words <b> of it.")])),
    "markdown": file_capture(b"# T\n\n<a href='http://<h>/' onclick=x>a</a>\n", "a.md", "text/markdown"),
    "text": file_capture(b"<script>x</script> words\n", "a.txt", "text/plain"),
}


@pytest.mark.parametrize("kind", OF_EACH_KIND)
def test_every_kind_is_stored_as_sanitising_leaves_it(kind: str) -> None:
    capture: Capture = OF_EACH_KIND[kind]
    document = extract(capture)
    assert document.doc_type == kind
    check_document(document)


def test_what_never_reads_back_as_written_keeps_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    html = "<p>a<table><tr><td>b</table><script>c</script>&#13;d</p>"
    monkeypatch.setattr(sanitizing, "_ROUNDS", 1)
    words = sanitize(html)
    assert words == "ab\nd"


@pytest.mark.parametrize(
    "html",
    [
        "<script>x</script>", '<p onclick="x">a</p>', '<a href="javascript:x">a</a>', "<!-- c -->",
        '<p style="x">a</p>',
        '<a href="java\tscript:x">a</a>', '<img src="file:///a">', "<svg><p>a</p></svg>",
        '<iframe srcdoc="x"></iframe>',
        '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=x&gt;">',
    ],
)  # fmt: skip
def test_what_runs_or_loads_is_no_harmless_html(html: str) -> None:
    assert not is_harmless(html)


@pytest.mark.parametrize(
    "html",
    [
        '<p><a href="http://&lt;servername&gt;/x.git">x</a></p>',  # what older versions stored
        "<p><mtext></mtext>é</p>",
        '<p><a href="https://a.example/">x</a></p>',
    ],
)
def test_an_address_that_leads_nowhere_harms_nobody(html: str) -> None:
    assert is_harmless(html)


@pytest.mark.parametrize(
    "html",
    [
        "<p>" + "&amp;bogus" * 3_000 + "</p>",
        "<pre>\n" + "a &lt; b &amp;&amp; c\n" * 3_000 + "</pre>",
        '<p title="' + "a>b&amp;'c" * 3_000 + '">' + "x&nbsp;" * 3_000 + "<b>y</b>" + "&amp;" * 300 + "</p>",
        "<table><tbody><tr><td>" + "&amp;x" * 3_000 + "</td></tr></tbody></table>",
        "<math><mi>" + "&amp;x" * 3_000 + "</mi></math>",
        "a &amp; b <script>" + "&amp;x" * 3_000 + "</script>",
        "<xmp>" + "&amp;x" * 3_000 + "</xmp>",
        "&lt;b" * 3_000 + '<a href="/?a&amp;b">c</a>',
    ],
)
def test_many_references_are_cleaned_as_few_are(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = sanitize(html), settle([html]), is_harmless(html)
    assert "<!--" not in quick[0] + quick[1][0]
    monkeypatch.setattr(sanitizing, "_MANY_REFERENCES", len(html))
    assert quick == (sanitize(html), settle([html]), is_harmless(html))


LADEN = "&amp;bogus" * 10_001
BEARABLE = "&amp;bogus" * 10_000


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'<p><a class="k" href="x?{LADEN}">x</a></p>', '<p><a class="k">x</a></p>'),
        (f'<p><img src="i.png" alt="{LADEN}"></p>', '<p><img src="i.png"></p>'),
        (f'<h2 id="{LADEN}" lang="en">x</h2>', '<h2 lang="en">x</h2>'),
        (f'<p class="a {LADEN}">x</p>', "<p>x</p>"),
        (f'<p title="{"&quot;" * 10_001}">x</p>', "<p>x</p>"),
        (f'<p title="{"&nbsp;" * 10_001}">x</p>', "<p>x</p>"),
    ],
)
def test_an_attribute_of_too_many_references_goes_alone(before: str, after: str) -> None:
    assert sanitize(before) == after == sanitize(after)
    assert list(settle([before, "<p>y</p>"])) == [after, "<p>y</p>"]
    assert is_harmless(before), "older versions stored it, and it runs nothing"


def test_older_html_with_such_an_attribute_is_still_looked_at() -> None:
    assert not is_harmless(f'<p title="{LADEN}"><a href="javascript:x()">x</a></p>')


@pytest.mark.parametrize(
    "html",
    [
        f'<p><a href="x?{BEARABLE}">x</a></p>',
        f'<p title="{BEARABLE}">x</p>\n<p title="{BEARABLE}">y</p>',
        "<p>" + LADEN + "</p>",
        '<p><a href="/?a&amp;b" title="&quot;c&quot;">d &lt; e</a></p>' * 5_000,
        "<xmp>" + LADEN + "</xmp>",
        '<p>\n<pre>\n\na &lt; b</pre><td x=">">&nbsp;' * 5_001,  # as no library writes it
    ],
)
def test_pages_of_many_references_elsewhere_stay_as_they_are(
    html: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = sanitize(html), list(settle([html])), is_harmless(html)
    assert now[0] == sanitize(now[0])
    monkeypatch.setattr(sanitizing, "_MOST_REFERENCES", len(html))
    assert now == (sanitize(html), list(settle([html])), is_harmless(html))
