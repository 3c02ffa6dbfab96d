"""What of a page counts as content, on pages built like documentation, articles, wikis and landing pages."""

import re

import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

SENTENCES = [
    "The harbour gauge was rebuilt after the storm of 1953 and has recorded every tide since then.",
    "Its keeper climbed down twice a day, in all weathers, to read the staff by lantern light.",
    "When the float stuck, the record shows a flat line that historians first took for a calm week.",
    "Only the letters to the mainland office, found decades later, explained the missing high water.",
]
NAVIGATION = "<ul>" + "".join(f"<li><a href='/{n}'>Menu entry {n}</a></li>" for n in range(12)) + "</ul>"
PROSE = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)


def read(html: str) -> NormalizedDocument:
    document = extract(page_capture(html))
    check_document(document)
    return document


DOCUMENTATION = f"""<html><head><meta name=generator content="Docusaurus v3"><title>Gauges | Manual</title></head><body>
<header><nav>{NAVIGATION}</nav></header><aside class=sidebar>{NAVIGATION}</aside>
<main><nav aria-label=breadcrumb>Home / Manual</nav><h1>Gauges</h1>{PROSE}
<aside><p>An aside with a remark between the prose.</p></aside>
<h2>Reading</h2>{PROSE}<div class="toc">{NAVIGATION}</div>
<ul class=pager><li><a href=/p>Previous chapter</a><li><a href=/n>Next chapter</a></ul></main>
<footer>Copyright the office <a href=/i>Imprint</a></footer></body></html>"""


def test_documentation_keeps_content_and_drops_furniture() -> None:
    document = read(DOCUMENTATION)
    assert document.title == "Gauges"
    assert document.markdown.startswith("# Gauges\n\nThe harbour gauge")
    assert document.markdown.count(SENTENCES[3]) == 2
    assert "An aside with a remark" in document.markdown
    for words in ("Menu entry", "Home / Manual", "Copyright", "Next chapter"):
        assert words not in document.markdown


ARTICLE = f"""<html><head><title>The tide gauge - The Daily</title></head><body>
<div class=top>{NAVIGATION}</div>
<div class=page><div class=story><h1>The tide gauge</h1><p>By A. Writer, 3 May</p>{PROSE}{PROSE.replace("The", "A")}
</div><div class=rail><h3>More stories</h3>{NAVIGATION}
<p><a href=/sub>Subscribe now for nine a month</a></p></div></div>
<div class=bottom>All rights reserved by The Daily.</div></body></html>"""


def test_articles_keep_the_story() -> None:
    document = read(ARTICLE)
    assert document.markdown.startswith("# The tide gauge")
    for sentence in SENTENCES:
        assert sentence in document.markdown
    for words in ("Menu entry", "Subscribe now", "More stories"):
        assert words not in document.markdown


def test_blocks_of_articles_keep_their_own_html_and_anchor() -> None:
    document = read(ARTICLE.replace("<p>Its keeper", "<p id=keeper>Its <em>old</em> keeper"))
    block = next(block for block in document.blocks if block.anchor == "keeper")
    assert document.markdown[block.char_start : block.char_end].startswith("Its *old* keeper")
    assert (block.html or "").startswith('<p id="keeper">Its <em>old</em> keeper')


WIKI = f"""<html><head><title>Tide gauge - Wikipedia</title></head><body class=mediawiki>
<div class=vector-header>{NAVIGATION}</div><div class=mw-page-container><main id=content class=mw-body>
<h1 id=firstHeading><span class=mw-page-title-main>Tide gauge</span></h1><div id=siteSub>From the encyclopedia</div>
<div id=mw-content-text><div class=mw-parser-output><div class="hatnote">For the film, see elsewhere.</div>
<table class=infobox><tr><th>Built<td>1953<tr><th>Keeper<td>A. Writer</table>{PROSE}
<div id=toc class=toc>{NAVIGATION}</div>
<div class="mw-heading mw-heading2"><h2 id=History>History</h2>
<span class=mw-editsection>[<a href=/e>edit</a>]</span></div>
{PROSE}<div class=navbox>{NAVIGATION}</div></div></div><div id=catlinks class=catlinks>Categories: x</div></main></div>
</body></html>"""


def test_wikis_keep_the_infobox_and_drop_boxes_of_links() -> None:
    document = read(WIKI)
    assert document.title == "Tide gauge"
    assert document.markdown.startswith("# Tide gauge\n\nFor the film, see elsewhere.\n\n| Built | 1953 |")
    assert next(b for b in document.blocks if b.heading_path[-1] == "History").anchor == "History"
    for words in ("Menu entry", "edit", "Categories", "From the encyclopedia"):
        assert words not in document.markdown


def test_a_headline_outside_the_main_element_is_kept() -> None:
    code = "<pre>a</pre><pre>b</pre><pre>c</pre>"
    page = f"<body><header><h1>Outside</h1>{NAVIGATION}</header><main>{code}{PROSE}</main>"
    assert read(page).markdown.startswith("# Outside\n\n```\na")


def test_furniture_names_do_not_swallow_the_page() -> None:
    page = f"<meta name=generator content=Sphinx><body><div class='sidebar navigation'>{PROSE}</div>"
    assert SENTENCES[0] in read(page).markdown


def test_a_page_of_links_is_still_a_page() -> None:
    page = f"<body><main><h1>Index</h1><h2>All</h2>{NAVIGATION}<h2>More</h2>{NAVIGATION}</main></body>"
    document = read(page)
    assert "Menu entry 3" in document.markdown
    assert len(document.links) == 24


SHELLS = [
    "<body><div id=root></div><script src=app.js></script></body>",
    "<body><noscript>You need to enable JavaScript to run this app.</noscript><div></div><script></script></body>",
    "<body><div id=__next><p>Loading…</p></div><script>1</script></body>",
    "<body><shop-front></shop-front><script type=module src=app.js></script></body>",
    "<body><noscript><iframe src=/count></iframe></noscript><noscript>Turn on JavaScript</noscript>"
    "<p>Wait.</p><script>1</script></body>",
    "<body><div class=spinner>Loading...</div><script>1</script></body>",
]


@pytest.mark.parametrize("html", SHELLS)
def test_pages_that_need_scripts_are_distinguished(html: str) -> None:
    with pytest.raises(ExtractionError, match="shows its text only with JavaScript") as caught:
        extract(page_capture(html))
    assert "save it" in caught.value.hint


@pytest.mark.parametrize(
    "html", ["", " ", "<html></html>", "<body><img src=x></body>", "<body><hr><br></body>"]
)
def test_pages_without_text(html: str) -> None:
    with pytest.raises(ExtractionError, match="No text was found"):
        extract(page_capture(html))


@pytest.mark.parametrize("line", ["Just one line.", "Loading docks of the port."])
def test_a_short_page_with_scripts_is_no_shell(line: str) -> None:
    assert read(f"<body><p>{line}</p><script>count()</script></body>").markdown == line


@pytest.mark.parametrize(
    ("content", "address"),
    [
        ("0; url=/en/latest/", "https://example.org/en/latest/"),
        ("0;URL='https://example.com/a'", "https://example.com/a"),
        ("3, ../b#c", "https://example.org/b#c"),
    ],
)
def test_a_page_that_only_leads_on_names_where_to(content: str, address: str) -> None:
    page = f'<meta http-equiv="Refresh" content="{content}"><title>Redirecting</title><script>1</script>'
    with pytest.raises(ExtractionError, match="only leads on to another one") as caught:
        extract(page_capture(page, "https://example.org/docs/"))
    assert f"“{address}”" in caught.value.hint


def test_a_few_words_around_the_link_that_is_followed_anyway_are_no_text() -> None:
    page = (
        "<title>Redirecting</title><link rel=canonical href=latest/><noscript>"
        "<meta http-equiv=refresh content='1; url=latest/'></noscript><script>1</script>"
        "<body>Redirecting to <a href='latest/'>latest/</a>..."
    )
    with pytest.raises(ExtractionError, match="only leads on to another one"):
        extract(page_capture(page, "https://example.org/docs/"))


@pytest.mark.parametrize("link", ["/other", "/b"])
def test_a_page_with_a_text_of_its_own_may_lead_on(link: str) -> None:
    text = PROSE if link == "/b" else "A few words."
    page = f"<meta http-equiv=refresh content='9; url=/b'><main>{text}<p>See <a href={link}>there</a>.</main>"
    assert "See [there]" in read(page).markdown


@pytest.mark.parametrize(
    "content", ["5", "0; url=javascript:alert(1)", "0;url=#top", "0;" + " " * 300_000, "0; url=file:///x"]
)
def test_a_page_that_leads_nowhere_else_has_no_text(content: str) -> None:
    with pytest.raises(ExtractionError, match="No text was found"):
        extract(page_capture(f'<meta http-equiv=refresh content="{content}">', "https://example.org/docs/"))


def test_a_headline_around_the_main_content_is_left_where_it_is() -> None:
    document = extract(page_capture("<h1><main>word</main></h1>"))
    assert document.markdown == "word"


def test_headings_in_headers_of_articles_are_kept() -> None:
    post = f"<article><header><h2>My post headline</h2><p>3 May</p></header>{PROSE}</article>"
    linked = post.replace("My post headline", "<a href=/two>The second post</a>")
    site = f"<header><h2><a href=/>The site</a></h2>{NAVIGATION}</header>"
    document = read(f"<meta name=generator content=Hugo-book><body>{site}<main>{post}{linked}{post}</main>")
    assert "## My post headline" in document.markdown
    assert "The second post" in document.markdown
    assert "The site" not in document.markdown
    assert "Menu entry" not in document.markdown


LINKS = "<ul><li><a href=/one>The first thing</a><li><a href=/two>The second thing</a></ul>"


@pytest.mark.parametrize(
    "introduction",
    ["<h2>See also</h2>", "<div class=mw-heading><h2>See also</h2></div>", "<p>See also:</p>"],
)
def test_a_last_list_with_a_heading_is_kept(introduction: str) -> None:
    document = read(
        f"<meta name=generator content=Sphinx><main><h1>T</h1>{PROSE}{introduction}{LINKS}</main>"
    )
    assert "The second thing" in document.markdown
    bare = read(f"<meta name=generator content=Sphinx><main><h1>T</h1>{PROSE}<p>End.</p>{LINKS}</main>")
    assert "The second thing" not in bare.markdown


def test_the_last_list_of_an_index_is_kept() -> None:
    parts = "".join(f"<h2>{letter}</h2>{LINKS.replace('thing', letter)}" for letter in "ABCDEFGH")
    document = read(f"<meta name=generator content=Sphinx><main><h1>Index</h1>{parts}</main>")
    assert "The second H" in document.markdown


def aside_page(aside: str, before: str = "") -> str:
    head = "<meta name=generator content=Sphinx><title>T</title>"
    cited = "<p>As [<a href='#w1992'>W1992</a>] shows.</p>"
    return f"{head}<main><h1>T</h1>{PROSE}{cited}<div>{before}{aside}</div></main>"


@pytest.mark.parametrize(
    ("before", "aside", "kept"),
    [
        ("", "<aside class=topic><p>Examples</p><ul><li><a href=/e>A linked example</a></ul></aside>", True),
        ("<p>x</p>", "<aside><p>One remark</p></aside><aside><p>A second remark</p></aside>", True),
        ("<div>x</div>", "<aside><p>A remark</p></aside>", True),
        ("<section>x</section>", "<aside><p>A remark</p></aside>", True),
        ("", "<aside><div id=w1992><p>W., Stacked generalisation.</p></div></aside>", True),
        ("", "<aside id=w1992><p>W., Stacked generalisation.</p></aside>", True),
        ("", "<aside><div id=other><p>Subscribe today.</p></div></aside>", False),
        ("<p>x</p>", "<aside><a href=/more>More of our stories</a></aside>", False),
    ],
)
def test_asides(before: str, aside: str, kept: bool) -> None:
    words = re.findall(r">([A-Z][^<]{5,})<", aside)
    markdown = read(aside_page(aside, before)).markdown
    assert words
    assert all((word in markdown) is kept for word in words)


def test_a_column_beside_the_text_is_no_remark() -> None:
    page = f"<meta name=generator content=Sphinx><body><div><h1>T</h1>{PROSE}</div><aside><p>Rail words</p></aside>"
    assert "Rail words" not in read(page).markdown


def headline_page(title: str, logo: str, inside: str = "", head: str = "") -> NormalizedDocument:
    name = f"<title>{title}</title>" if title else ""
    return read(
        f"<meta name=generator content=Sphinx>{name}{head}<body><header>{logo}</header><main>{inside}{PROSE}</main>"
    )


@pytest.mark.parametrize(
    ("title", "logo", "inside", "head"),
    [
        ("Tide gauges", "<h1>The Harbour Site</h1>", "<h2>Tide gauges</h2>", ""),
        ("Tide gauges", "<h1>The Harbour Site</h1>", "", ""),
        ("Tide gauges - The Harbour Site", "<h1>The Harbour Site</h1>", "<h2>Tide gauges</h2>", ""),
        ("Tide gauges - The Harbour Site", "<h1><a href=/>The Harbour Site</a></h1>", "", ""),
        ("Tide gauges - The Harbour Site", "<a href=/><h1>The Harbour Site</h1></a>", "", ""),
        ("Tide gauges | The Harbour Site", "<h1>The Harbour Site</h1>", "",
         "<meta property=og:site_name content='The Harbour Site'>"),
        ("The Harbour Site: Tide gauges", "<h1>The Harbour Site</h1>", "<h1>Tide gauges</h1>", ""),
    ],
)  # fmt: skip
def test_a_logo_is_neither_heading_nor_title(title: str, logo: str, inside: str, head: str) -> None:
    document = headline_page(title, logo, inside, head)
    assert "The Harbour Site" not in document.markdown
    assert (document.title or "").startswith("Tide gauges") or document.title == title


@pytest.mark.parametrize(
    ("title", "head"),
    [
        ("Tide gauges", ""),
        ("Gauges for the tide - all tide gauges | Site", ""),
        ("", ""),
        ("Site", "<meta property=og:title content='Tide gauges'>"),
    ],
)
def test_a_headline_that_names_the_page_is_moved_inside(title: str, head: str) -> None:
    document = headline_page(title, "<h1>Tide gauges</h1>", "<h2>Gauges</h2>", head)
    assert document.markdown.startswith("# Tide gauges\n\n## Gauges")
    assert document.title in {"Tide gauges", title}


def test_a_headline_of_an_article_is_kept_whatever_the_title() -> None:
    page = f"<title>Home</title><article><h1>Tide gauges</h1><div class=entry-content>{PROSE}</div></article>"
    assert read(page).markdown.startswith("# Tide gauges")


def test_a_table_that_is_the_main_content_is_one() -> None:
    rows = "".join(f"<tr><td>Pier {n}</td><td>19{n}</td></tr>" for n in range(10, 16))
    document = read(
        f"<meta name=generator content=Sphinx><table id=content><tr><th>Pier<th>Level{rows}</table>"
    )
    assert document.markdown.startswith("| Pier | Level |\n| --- | --- |\n| Pier 10 | 1910 |")
    assert [block.flags.has_table for block in document.blocks] == [True]


def test_terms_that_are_the_main_content_are_terms() -> None:
    document = read(
        "<meta name=generator content=Sphinx><dl id=content><dt>Gauge<dd>It shows the level.</dl>"
    )
    assert [block.flags.has_definition_list for block in document.blocks] == [True]
