"""Books: one checked expectation per feature."""

import pytest

from tests.support.captures import check_document
from tests.support.office_files import chapter, epub, file_capture, nav, ncx, zipped
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

TWO = {
    "one.xhtml": chapter("<h1>One</h1><p>First words.</p>"),
    "two.xhtml": chapter("<h1>Two</h1><p>Second.</p>"),
}


def read(body: bytes) -> NormalizedDocument:
    document = extract(file_capture(body, "book.epub"))
    check_document(document)
    return document


def test_chapters_follow_the_spine() -> None:
    document = read(epub(dict(reversed(TWO.items()))))
    assert document.markdown == "# Two\n\nSecond.\n\n# One\n\nFirst words."
    assert document.blocks[-1].heading_path == ("One",)
    assert (document.doc_type, document.title) == ("epub", "A book")


def test_a_chapter_listed_twice_is_read_once() -> None:
    package = """<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="one.xhtml"
    media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="a"/></spine></package>"""
    assert read(epub(TWO, parts={"OEBPS/book.opf": package})).markdown == "# One\n\nFirst words."


def test_xhtml_closes_its_elements_itself() -> None:
    body = '<h1 id="top"><a id="anchor"/>Head</h1><p>a&nbsp;b<br/>c <b/>d</p><script/><div/><p>e</p>'
    document = read(epub({"a.xhtml": chapter(body)}))
    assert document.markdown.startswith("# Head\n\na")
    assert document.markdown.endswith("\n\ne")
    assert "d" in document.markdown
    assert document.blocks[0].anchor == "top"


def test_what_is_not_well_formed_is_read_all_the_same() -> None:
    broken = "<html><body><h1>Head</h1><p>one <b>two<p>three</body>"
    words = read(epub({"a.html": broken})).markdown
    assert [word for word in ("Head", "one", "two", "three") if word not in words] == []


def test_links_and_pictures_inside_the_book_are_their_words() -> None:
    body = (
        '<p>See <a href="two.xhtml#x">there</a>, <a href="#here">here</a> and <a href="https://example.org/">out</a> '
        '<img src="../img/map.png" srcset="../img/map2.png 2x" alt="the map"/></p>'
    )
    document = read(epub({"a.xhtml": chapter(body)}))
    assert document.markdown == "See there, here and [out](https://example.org/) the map"
    assert [link.url for link in document.links] == ["https://example.org/"]
    assert "img" not in (document.html or "")


def test_notes_keep_their_numbers_apart_and_lose_the_way_back() -> None:
    body = (
        '<p>Said<a epub:type="noteref" href="#n1">1</a> so.</p>'
        '<aside epub:type="footnote" id="n1"><p>The note. <a href="#r1">↩︎</a></p></aside>'
    )
    assert read(epub({"a.xhtml": chapter(body)})).markdown == "Said\\[1\\] so.\n\nThe note."


def test_page_numbers_of_the_printed_edition_go() -> None:
    body = '<p>before <span epub:type="pagebreak" id="p12">12</span>after</p><hr role="doc-pagebreak"/>'
    assert read(epub({"a.xhtml": chapter(body)})).markdown == "before after"


@pytest.mark.parametrize("make", [nav, ncx])
def test_titles_come_from_the_contents_where_chapters_have_none(make: object) -> None:
    chapters = {
        "a.xhtml": chapter("<p class='t'>The  Start</p><p>Words a.</p>"),
        "b.xhtml": chapter("<p>Words b.</p><p id='mid'>More b.</p>"),
        "c.xhtml": chapter("<h2>Own</h2><p>Words c.</p>"),
    }
    entries = (
        ("a.xhtml", "The Start"),
        ("b.xhtml", "Second"),
        ("b.xhtml#mid", "Middle"),
        ("c.xhtml", "Other"),
    )
    assert callable(make)
    document = read(epub(chapters, contents=make(*entries)))
    assert document.markdown == (
        "# The Start\n\nWords a.\n\n# Second\n\nWords b.\n\n# Middle\n\nMore b.\n\n## Own\n\nWords c."
    )


def test_deeper_contents_make_deeper_headings() -> None:
    contents = chapter(
        '<nav epub:type="toc"><ol><li><a href="a.xhtml">Part</a>'
        '<ol><li><a href="b.xhtml">Inner</a></li></ol></li></ol></nav>'
    )
    chapters = {"a.xhtml": chapter("<p>One.</p>"), "b.xhtml": chapter("<p>Two.</p>")}
    document = read(epub(chapters, contents=contents))
    assert document.blocks[-1].heading_path == ("Part", "Inner")


def test_cover_and_lists_of_contents_are_left_out() -> None:
    listed = '<p>Contents</p><ul><li><a href="one.xhtml">One</a></li></ul>'
    chapters = {
        "cover.xhtml": chapter('<img src="c.jpg" alt="Cover picture"/>'),
        "list.xhtml": chapter(listed),
        **TWO,
    }
    guide = '<reference type="toc" href="list.xhtml"/>'
    assert read(epub(chapters, guide=guide)).markdown.startswith("# One")
    landmarks = '<li><a epub:type="toc" href="list.xhtml">Contents</a></li>'
    contents = nav(("one.xhtml", "One"), landmarks=landmarks)
    assert read(epub(chapters, contents=contents)).markdown.startswith("# One")
    assert "Contents" in read(epub(chapters)).markdown  # nothing calls it so


def test_a_chapter_that_is_wrongly_called_contents_stays() -> None:
    guide = '<reference type="toc" href="one.xhtml"/>'
    long = {"one.xhtml": chapter(f"<h1>One</h1><p>{'Words of prose. ' * 60}</p>")}
    assert read(epub(long, guide=guide)).markdown.startswith("# One")


def test_formulas_and_tables_survive() -> None:
    body = (
        '<p>Take <math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>x</mi><annotation encoding='
        '"application/x-tex">x^2</annotation></semantics></math></p><table><tr><th>A</th></tr><tr><td>b</td></tr></table>'
    )
    document = read(epub({"a.xhtml": chapter(body)}))
    assert document.markdown == "Take $x^2$\n\n| A |\n| --- |\n| b |"
    assert document.blocks[0].flags.has_math
    assert "<math" in (document.html or "")
    assert document.blocks[1].flags.has_table


@pytest.mark.parametrize(
    ("stated", "language"), [("C", None), ("POSIX", None), ("de-AT", "de-AT"), ("", None)]
)
def test_the_name_of_a_locale_is_no_language(stated: str, language: str | None) -> None:
    book = epub(TWO, metadata=f"<dc:title>Tides</dc:title><dc:language>{stated}</dc:language>")
    assert read(book).language == language


def test_metadata() -> None:
    metadata = (
        "<dc:title>Tides</dc:title><dc:creator>A. Author</dc:creator><dc:language>en-GB</dc:language>"
        "<dc:description>&lt;p&gt;About &lt;b&gt;tides&lt;/b&gt;.&lt;/p&gt;</dc:description>"
        '<dc:date opf:event="modification">2020-01-01</dc:date><dc:date>2019-05-03</dc:date>'
        '<meta property="dcterms:modified">2021-01-02T03:04:05Z</meta>'
    )
    document = read(epub(TWO, metadata=metadata))
    assert (document.title, document.language, document.description) == ("Tides", "en-GB", "About tides.")
    assert document.published_time == "2019-05-03"
    assert (document.modified_time or "").startswith("2021-01-02")
    assert read(epub(TWO, metadata="")).title == "book"


def test_who_wrote_a_book() -> None:
    metadata = (
        '<dc:title>Tides</dc:title><dc:creator id="a">Doe, Jane</dc:creator><dc:creator id="b">John Roe</dc:creator>'
        '<dc:creator opf:role="ill">A. Painter</dc:creator><dc:creator id="t">A. Translator</dc:creator>'
        '<meta refines="#a" property="role">aut</meta><meta refines="#t" property="role">trl</meta>'
        "<dc:publisher>Harbour Press</dc:publisher><dc:identifier>urn:uuid:1</dc:identifier>"
        "<dc:identifier>urn:isbn:0306406152</dc:identifier>"
        "<dc:rights>https://creativecommons.org/licenses/by-sa/4.0/</dc:rights>"
    )
    document = read(epub(TWO, metadata=metadata))
    assert document.authors == ("Jane Doe", "John Roe")
    assert (document.publisher, document.isbn, document.licence) == (
        "Harbour Press",
        "9780306406157",
        "CC BY-SA 4.0",
    )
    assert set(document.fact_sources.values()) == {"epub"}


def encryption(method: str, uri: str) -> str:
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
        f'<e:EncryptedData><e:EncryptionMethod Algorithm="{method}"/><e:CipherData><e:CipherReference URI="{uri}"/>'
        "</e:CipherData></e:EncryptedData></encryption>"
    )


def test_a_locked_book_is_distinguished_from_one_with_disguised_fonts() -> None:
    aes = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
    locked = epub(TWO, parts={"META-INF/encryption.xml": encryption(aes, "OEBPS/two.xhtml")})
    with pytest.raises(ExtractionError, match="protected against copying"):
        read(locked)
    font = encryption("http://www.idpf.org/2008/embedding", "OEBPS/font.otf")
    assert read(epub(TWO, parts={"META-INF/encryption.xml": font})).markdown.startswith("# One")


BOMB = (
    '<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>&b;</p></body></html>'
)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (epub({"a.xhtml": BOMB}), "not safe to read"),
        (epub({"a.xhtml": chapter("<div>" * 300 + "x" + "</div>" * 300)}), "not safe to read"),
        (epub({"a.xhtml": chapter('<img src="p.png" alt=""/>')}), "No text was found in this book"),
        (epub({}), "No text was found in this book"),
        (epub(TWO, parts={"OEBPS/book.opf": "not xml"}), "damaged"),
        (zipped({"mimetype": "application/epub+zip", "a": "b"}), "damaged"),
        (
            epub(TWO, parts={"META-INF/container.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a/>'}),
            "not safe to read",
        ),
    ],
)
def test_what_cannot_be_read_is_reported(body: bytes, reason: str) -> None:
    with pytest.raises(ExtractionError, match=reason) as caught:
        read(body)
    assert caught.value.hint


def test_nothing_outside_the_book_is_read() -> None:
    package = """<package xmlns="http://www.idpf.org/2007/opf"><manifest>
    <item id="a" href="../../../etc/passwd" media-type="application/xhtml+xml"/>
    <item id="b" href="file:///etc/passwd" media-type="application/xhtml+xml"/>
    <item id="c" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>
    <spine><itemref idref="a"/><itemref idref="b"/><itemref idref="c"/></spine></package>"""
    assert read(epub(TWO, parts={"OEBPS/book.opf": package})).markdown == "# One\n\nFirst words."


def test_headings_stand_as_deep_as_the_contents_list_them() -> None:
    body = "<h1>Chapter 1. Seas</h1><p>a</p><h1>1.1. Tides</h1><p>b</p><h2>Springs</h2><p>c</p><h1>Winds</h1><p>d</p>"
    contents = ncx(("a.xhtml", "1. Seas")).replace(
        "</navPoint>",
        '<navPoint><navLabel><text>1.1. Tides</text></navLabel><content src="a.xhtml#t"/></navPoint></navPoint>'
        '<navPoint><navLabel><text>Winds</text></navLabel><content src="a.xhtml#w"/></navPoint>',
    )
    document = read(epub({"a.xhtml": chapter(body)}, contents=contents))
    assert [line for line in document.markdown.split("\n") if line.startswith("#")] == [
        "# Chapter 1. Seas",
        "## 1.1. Tides",
        "### Springs",
        "# Winds",
    ]


def test_contents_below_the_title_of_the_book_count_from_the_chapters() -> None:
    inner = (
        '<navPoint><navLabel><text>One</text></navLabel><content src="one.xhtml"/></navPoint>'
        '<navPoint><navLabel><text>Two</text></navLabel><content src="two.xhtml"/></navPoint>'
    )
    contents = ncx(("one.xhtml", "A book")).replace("</navPoint>", f"{inner}</navPoint>")
    assert read(epub(TWO, contents=contents)).markdown == "# One\n\nFirst words.\n\n# Two\n\nSecond."


def test_headings_deeper_than_the_contents_list_them_stay() -> None:
    body = "<h3>Deep</h3><p>a</p>"
    assert (
        read(epub({"a.xhtml": chapter(body)}, contents=ncx(("a.xhtml", "Deep")))).markdown == "### Deep\n\na"
    )


def test_lists_of_contents_in_chapters_go_and_lists_of_words_stay() -> None:
    links = '<div class="toc"><p>Contents</p><a href="#a">The first part of it</a> <a href="#b">The second</a></div>'
    words = '<div class="toc"><p>What is to be said of contents.</p></div>'
    document = read(epub({"a.xhtml": chapter(f"<h1>One</h1>{links}{words}<p>Text.</p>")}))
    assert document.markdown == "# One\n\nWhat is to be said of contents.\n\nText."


def test_marks_of_notes_are_bracketed_and_addresses_stand_once() -> None:
    body = (
        '<p>Free software. <a class="footnote-reference brackets" href="#n">3</a> See <a href="https://example.org/">'
        'the list</a><span class="link-target"> [https://example.org/]</span>.</p>'
    )
    text = read(epub({"a.xhtml": chapter(body)})).markdown
    assert text == "Free software. \\[3\\] See [the list](https://example.org/)."


def test_a_description_that_says_nothing_is_none() -> None:
    metadata = "<dc:title>A book</dc:title><dc:description>unknown</dc:description>"
    assert read(epub(TWO, metadata=metadata)).description is None
