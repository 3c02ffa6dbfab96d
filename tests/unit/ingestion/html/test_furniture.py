"""What of a page's main content is taken for furniture, by role, name and links; and what only looks like it."""

import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.ingestion.extract import extract

SENTENCES = [
    "The harbour gauge was rebuilt after the storm of 1953 and has recorded every tide since then.",
    "Its keeper climbed down twice a day, in all weathers, to read the staff by lantern light.",
    "When the float stuck, the record shows a flat line that historians first took for a calm week.",
    "Only the letters to the mainland office, found decades later, explained the missing high water.",
]
PROSE = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
LINKS = "".join(f"<a href=/{n}>Entry {n}</a> " for n in range(4))
LIST = "<ul>" + "".join(f"<li><a href=/{n}>Entry {n}</a></li>" for n in range(4)) + "</ul>"
PAIR = "<a href=/p>Entry before</a> <a href=/n>Entry after</a>"


def read(inside: str) -> str:
    document = extract(page_capture(f"<meta name=generator content=Sphinx><body><main>{inside}</main>"))
    check_document(document)
    return document.markdown


def framed(part: str) -> str:
    return read(f"<h1>Gauge</h1>{PROSE}{part}{PROSE}")


@pytest.mark.parametrize(
    "part",
    [
        f"<div class=theme-doc-breadcrumbs>{LINKS}</div>",
        f"<div class=breadcrumbsContainer_Z_bl>{LINKS}</div>",
        f"<div class='td-toc'>{LIST}</div>",
        f"<div class=tocCollapsible>{LIST}</div>",
        f"<ul class=paginator>{LIST}</ul>",
        "<a class=edit-this-page href=/e>Entry to edit</a>",
        "<p class=last-updated>Entry changed on 3 May</p>",
        "<div class=page-feedback>Is this Entry useful? Yes No</div>",
        "<div class=version-switcher>Entry 1.2 Entry 1.1</div>",
        "<div class=skipLink><a href='#c'>Entry to content</a></div>",
        f"<div id=sidebar>{LIST}</div>",
        f"<hr><aside class=widget><h3 class=sidebar-title>More</h3>{LIST}</aside>",
        f"<hr><aside class='sidebar related'><p class=sidebar-title>Related</p>{LIST}</aside>",
        "<hr><aside class=blog-sidebar><h3 class=sidebar-title>About me</h3><p>Entry of a life.</p></aside>",
        f"<menu>{LINKS}</menu>",
        "<div class=page-footer>Entry of the makers</div>",
        "<div class='footer'>Entry of the makers</div>",
        "<div class=t-navbar><table><tr><td><a href=/x>Entry x</a></table></div>",
        "<div class=language-sh><span class=lang>Entry</span><pre>$ tide</pre></div>",
    ],
)
def test_parts_named_like_furniture_go(part: str) -> None:
    assert "Entry" not in framed(part)


@pytest.mark.parametrize(
    "part",
    [
        "<aside class='helpful admonition'><p>Entry that helps.</p></aside>",
        "<hr><aside class=sidebar><p class=sidebar-title>Tutorial</p><p>Entry for <a href=/b>some</a>.</p></aside>",
        "<div class=sidebar><p class='first sidebar-title'>Tutorial</p><p>Entry for beginners.</p></div>",
        "<ul class=toc><li>Entry one is a value<li>Entry two is another</ul>",
        "<menu><li>Entry one is a value<li>Entry two is another</menu>",
        f"<ul class=section-toc>{LIST}</ul>",
        f"<div class=menu>{LIST}</div>",
        "<h2 class=pager>Entry of the pager</h2>",
        "<h2 id=footer>Entry of the footer</h2><p>x</p>",
        "<section id=menu><h2>Entry menu</h2><p>What stands in it.</p></section>",
        "<section class=feedback><h2>Entry feedback</h2><p>How readers are asked.</p></section>",
        "<h2><a class=toc-backref href='#i1'>Entry heading</a></h2>",
        "<div class=pagination-example><pre>Entry</pre></div>",
        f"<div class=docs-footer><p>Entry {SENTENCES[0]} {SENTENCES[1]} {SENTENCES[2]}</p></div>",
        "<div class=footnote>Entry in a note</div>",
        "<table class=sidebar><tr><td><div class=sidebar><p>Entry in a box</p></div></table>",
        "<p>x</p><span class=lang>Entry</span> is a word",
        "<article class=feedback><p>Entry that a reader sent.</p></article>",
        "<dl><dt class=pager>Entry</dt><dd>A thing that turns pages.</dd></dl>",
        "<dl><dt>v1</dt><dd class=last-modified>Entry of May</dd></dl>",
        "<div><code class=pager>Entry</code></div>",
        "<h2>Of the <span class=pager>Entry</span></h2>",
        "<pre>a = <b><span class=pager>Entry</span></b></pre>",
        "<p>The field <span class=last-updated>Entry</span> is set by hand.</p>",
        "<p>Fill in the <b><a class=feedback href=/f>Entry</a></b></p>",
        "<p>Fill in the <i>long</i> <a class=feedback href=/f>Entry</a></p>",
        "<ul><li>One is a value<li class=feedback>Entry two is another</ul>",
    ],
)
def test_parts_that_only_sound_like_it_stay(part: str) -> None:
    assert "Entry" in framed(part)


@pytest.mark.parametrize(
    "part",
    [
        "<p><a class=edit-this-page href=/e>Entry to edit</a> | <a class=feedback href=/f>Entry to say</a></p>",
        "<ul><li class=prev-next>Entry before<li class=prev-next>Entry after</ul>",
        "<ul><li class=pager-item><a href=/p>Entry before</a><li><a href=/u>Up</a></ul>",
        "<div>Gauge of the harbour <a class=edit-link href=/e>Entry to edit</a></div>",
        "<ul><li>Gauge of the harbour<div><a class=edit-link href=/e>Entry to edit</a></div></ul>",
        f"<table><tr><td class=NavBarCell1>{LINKS}</td><td>Gauge</table>",
    ],
)
def test_named_words_lists_and_cells_that_lead_elsewhere_go(part: str) -> None:
    assert "Entry" not in framed(part)


@pytest.mark.parametrize(
    "cell",
    [
        "<td class=last-updated>Entry</td>",
        "<th class=last-updated>Entry</th>",
        "<td><span class=last-updated>Entry</span></td>",
        "<td class=toc-page><a href=/e>Entry</a></td>",
    ],
)
def test_a_cell_named_like_furniture_keeps_its_value_and_place(cell: str) -> None:
    table = f"<table><tr><th>Name<th>Changed<th>Size<tr><td>gauge{cell}<td>5 MB</table>"
    row = next(line for line in framed(table).splitlines() if line.startswith("| gauge"))
    name, value, size = row.strip("| ").split(" | ")
    assert (name, "Entry" in value, size) == ("gauge", True, "5 MB")


@pytest.mark.parametrize(
    "part",
    [
        "<div class=customer-feedback><p>Entry {n}: it did what it should, and help came within a day.</p></div>",
        "<h2>Part {n}</h2><ul class=toc-section><li><a href=/{n}>Entry {n} of the handbook</a></ul>",
        "<div class=toc-entry><a href=/{n}>Entry {n} of the handbook</a></div>",
    ],
)
def test_parts_that_are_together_most_of_the_page_stay(part: str) -> None:
    page = "".join(part.replace("{n}", str(number)) for number in range(30))
    assert read(f"<h1>Gauge</h1>{page}").count("Entry") == 30


def test_nested_parts_count_once() -> None:
    part = f"<div class=docs-footer><div class=pager>{SENTENCES[0]}</div></div>"
    assert SENTENCES[0] not in read(f"<h1>Gauge</h1><p>{' '.join(SENTENCES[1:])}</p>{part}")


def test_a_class_that_is_no_plain_name_is_no_selector() -> None:
    markdown = framed(f"<div class='md:sidebar-x'>{LIST}</div><div class='sidebar-nav'>{LIST}</div>")
    assert markdown.count("Entry 1") == 1


def test_the_outermost_part_goes_with_its_heading() -> None:
    assert "Contents" not in framed(f"<div id=toc><h2>Contents</h2><ul class=doctools_toc>{LIST}</ul></div>")


@pytest.mark.parametrize(
    "edge",
    [
        f"<p>[ {PAIR} ]</p>",
        f"<p>« {PAIR} | <b>3</b> »</p>",
        f"<center>{PAIR}</center>",
        f"<div>{PAIR}</div>",
        f"<ul><li>{PAIR}</ul>",
    ],
)
@pytest.mark.parametrize("box", ["{}", "<div><div>{}</div></div>"])
def test_lines_of_links_at_the_edges_go(edge: str, box: str) -> None:
    assert "Entry" not in read(box.format(f"{edge}<h1>Gauge</h1>{PROSE}{edge}"))


def test_a_list_at_the_edge_of_a_part_within_the_page_stays() -> None:
    part = f"<div><ul><li>{PAIR}</ul>{PROSE}<ul><li>{PAIR}</ul></div>"
    assert read(f"<div><h1>Gauge</h1></div>{part}<p>End.</p>").count("Entry before") == 2
    assert "Entry before" not in read(part)


@pytest.mark.parametrize(
    "last",
    [
        "Generated by the gauge on 3 May",
        "This page was automatically generated by gauge 1.2",
        "Last updated 2024-05-03",
        "Built with a tool",
    ],
)
def test_a_credit_at_the_end_goes(last: str) -> None:
    assert last not in read(f"<h1>Gauge</h1>{PROSE}<p>{last}</p>")
    assert last in read(f"<h1>Gauge</h1>{PROSE}<p>{last}</p>{PROSE}")


@pytest.mark.parametrize(
    "last",
    [
        LIST,
        f"<div class=toctree-wrapper><ul><li class=toctree-l1>{PAIR}</ul></div>",
        f"<div><ul><li class=toctree-l1>{PAIR}</ul></div>",
        f"<p>See {PAIR} for what the record says of it.</p>",
        f"<h2>See also</h2><p>{PAIR}</p>",
    ],
)
def test_lists_of_pages_at_the_end_stay(last: str) -> None:
    assert "Entry" in read(f"<h1>Gauge</h1>{PROSE}{last}")


def test_an_index_of_nothing_but_links_keeps_them() -> None:
    assert read(f"<h1>Gauge</h1><p>All pages.</p>{LIST}").count("Entry") == 4


def test_white_space_of_the_markup_has_no_weight() -> None:
    menu = "".join(f"<li>\n{' ' * 80}<a href=/{n}>Entry {n}</a>\n{' ' * 80}</li>" for n in range(9))
    text = f"<h1>Gauge</h1>{PROSE}<pre>a</pre><pre>b</pre><pre>c</pre>"
    page = f"<body><div>{menu}</div><div id=main-content>{text}</div>"
    markdown = extract(page_capture(page)).markdown
    assert markdown.startswith("# Gauge")
    assert "Entry" not in markdown
