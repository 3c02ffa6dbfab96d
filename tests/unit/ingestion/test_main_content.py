"""What of a page counts as content, on pages built like documentation, articles, wikis and landing pages."""

import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models import NormalizedDocument

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
]


@pytest.mark.parametrize("html", SHELLS)
def test_pages_that_need_scripts_are_told_apart(html: str) -> None:
    with pytest.raises(ExtractionError, match="shows its text only with JavaScript") as caught:
        extract(page_capture(html))
    assert "save it" in caught.value.hint


@pytest.mark.parametrize(
    "html", ["", " ", "<html></html>", "<body><img src=x></body>", "<body><hr><br></body>"]
)
def test_pages_without_text(html: str) -> None:
    with pytest.raises(ExtractionError, match="No text was found"):
        extract(page_capture(html))


def test_a_short_page_with_scripts_is_no_shell() -> None:
    assert read("<body><p>Just one line.</p><script>count()</script></body>").markdown == "Just one line."


def test_a_headline_around_the_main_content_is_left_where_it_is() -> None:
    document = extract(page_capture("<h1><main>word</main></h1>"))
    assert document.markdown == "word"
