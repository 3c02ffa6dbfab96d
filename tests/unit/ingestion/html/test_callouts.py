"""Callouts: keyword line and text in the markdown, their class in the HTML, their flag on each part."""

import pytest

from tests.support.captures import FILLER, extracted, text_of
from webrag_desktop.models.documents import Block, NormalizedDocument

GRAPHICS = (
    '<div class="{kind}"><table border="0" summary="{title}"><tr><td rowspan="2" align="center" valign="top">'
    '<img alt="[{title}]" src="images/{kind}.png"></td><th align="left">{title}</th></tr>'
    '<tr><td align="left" valign="top">{text}</td></tr></table></div>'
)
TITLED = '<div class="{kind}"><h3 class="title">{title}</h3>{text}</div>'
KINDS = [
    ("note", "Note"),
    ("warning", "Warning"),
    ("tip", "Tip"),
    ("important", "Important"),
    ("caution", "Caution"),
]


def blocks_with(document: NormalizedDocument, words: str) -> list[Block]:
    return [block for block in document.blocks if words in text_of(document, block)]


def only(document: NormalizedDocument, words: str) -> Block:
    (block,) = blocks_with(document, words)
    return block


@pytest.mark.parametrize("layout", [TITLED, GRAPHICS])
@pytest.mark.parametrize(("kind", "title"), KINDS)
def test_notes_of_docbook_are_a_keyword_line_and_text(layout: str, kind: str, title: str) -> None:
    note = layout.format(kind=kind, title=title, text="<p>Never go <b>alone</b>.</p>")
    document = extracted(f"<h1>Gauges</h1>{FILLER}<h2>Reading</h2>{note}{FILLER}")
    block = only(document, "Never go")
    assert text_of(document, block) == f"{title}\n\nNever go **alone**."
    assert block.heading_path == ("Gauges", "Reading")
    assert block.flags.has_admonition
    assert not block.flags.has_table
    assert (
        block.html == f'<div class="{kind}"><p class="title">{title}</p><p>Never go <b>alone</b>.</p></div>'
    )
    assert {path for one in document.blocks for path in one.heading_path} == {"Gauges", "Reading"}


@pytest.mark.parametrize("layout", [TITLED, GRAPHICS])
def test_a_title_of_their_own_is_no_heading_either(layout: str) -> None:
    note = layout.format(kind="note", title="Über Pegel", text="<p>Zweimal am Tag.</p>")
    document = extracted(f"<h1>Gauges</h1>{note}")
    assert text_of(document, only(document, "Zweimal")) == "Über Pegel\n\nZweimal am Tag."


def test_what_a_note_holds_stays_whole() -> None:
    inner = "<p>Like this:</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    document = extracted(f"<h1>Gauges</h1>{GRAPHICS.format(kind='tip', title='Tip', text=inner)}")
    table = only(document, "| a | b |")
    assert text_of(document, table) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert (table.flags.has_table, table.flags.has_admonition) == (True, True)
    assert '<div class="tip">' in (table.html or "")


def test_links_in_a_note_stay_links_behind_a_target_that_was_never_closed() -> None:
    note = GRAPHICS.format(
        kind="note", title="Note", text='<p>See <a href="https://example.org/x">this</a>.</p>'
    )
    document = extracted(f'<h1>Gauges</h1>{FILLER}<a id="here"/>{note}')
    block = only(document, "See")
    assert text_of(document, block) == "Note\n\nSee [this](https://example.org/x)."
    assert '<a href="https://example.org/x">this</a>' in (block.html or "")
    assert block.anchor == "here"


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><td>1</td><th>Note</th></tr><tr><td>a</td><td>b</td></tr></table>",
        "<table><tr><td rowspan=2>1</td><th>Note</th></tr><tr><td>a</td></tr><tr><td>b</td><td>c</td></tr></table>",
        "<table><tr><td rowspan=2>1</td><th>Note</th></tr><tr><td>a</td></tr></table>",
        "<table><tr><td rowspan=2></td><th>Note</th><th>b</th></tr><tr><td>a</td></tr></table>",
        "<table><thead><tr><th></th><th>b</th></tr></thead>"
        "<tr><td rowspan=2></td><th>Note</th></tr><tr><td>a</td></tr></table>",
    ],
)
def test_a_table_of_data_in_a_note_stays_one(table: str) -> None:
    document = extracted(f'<h1>Gauges</h1><div class="note">{table}</div>')
    block = only(document, "| Note ")
    assert (block.flags.has_table, block.flags.has_admonition) == (True, True)


def test_a_keyword_as_heading_of_a_callout_begins_no_section() -> None:
    callout = '<div class="bs-callout bs-callout-info"><h4>Tip</h4>Go in the morning.</div>'
    document = extracted(f"<h1>Gauges</h1>{callout}<h3>Note</h3>{FILLER}")
    assert text_of(document, only(document, "morning")) == "Tip\n\nGo in the morning."
    assert text_of(document, only(document, "# Note")) == "### Note"


@pytest.mark.parametrize(
    "card",
    [
        '<div class="info"><h3 class="title">The storm</h3><p>Of six hours.</p></div>',
        '<div class="card"><h3>Note</h3><p>Of six hours.</p></div>',
        '<div class="note"><p>First</p><h3>Note</h3><p>Of six hours.</p></div>',
    ],
)
def test_other_headings_in_boxes_stay(card: str) -> None:
    document = extracted(f"<h1>Gauges</h1>{card}")
    assert "\n### " in document.markdown


@pytest.mark.parametrize(
    "part",
    [
        '<p class="note">Never go alone.</p>',
        '<p class="info">Never go alone.</p>',
        '<p>Words, <span class="note">Never go alone.</span></p>',
        '<div class="callout-info">Never go alone.</div>',
        '<section class="note-box">Never go alone.</section>',
        '<div class="alert_warning"><p>First.</p><p>Never go alone.</p></div>',
        '<ul><li class="tip">Never go alone.</li></ul>',
        '<article class="caution"><p>Never go alone.</p></article>',
    ],
)
def test_the_class_reaches_the_block_whatever_the_element(part: str) -> None:
    document = extracted(f"<h1>Gauges</h1>{part}")
    block = only(document, "Never go alone.")
    assert block.flags.has_admonition
    assert "class=" in (block.html or "")


def test_every_part_of_a_long_callout_is_flagged() -> None:
    long = "".join(f"<p>Paragraph {number}. {'Words of warning. ' * 20}</p>" for number in range(12))
    document = extracted(f'<h1>Gauges</h1><section class="callout-danger">{long}</section>')
    parts = blocks_with(document, "Words of warning.")
    assert len(parts) > 1
    assert all(block.flags.has_admonition for block in parts)
    assert all('<section class="callout-danger">' in (block.html or "") for block in parts)


def test_a_part_of_the_page_with_its_headings_is_no_callout() -> None:
    document = extracted(
        f'<div class="page-info"><h1>Gauges</h1>{FILLER}<h2>Reading</h2><p>Twice a day.</p></div>'
    )
    assert [block for block in document.blocks if block.flags.has_admonition] == []


@pytest.mark.parametrize(
    "table",
    [
        '<table class="note"><tr><td></td><td><p>First.</p><p>Never go alone.</p></td></tr></table>',
        '<table role="presentation"><tr class="note"><td><h3>First.</h3><p>Never go alone.</p></td></tr></table>',
    ],
)
def test_a_table_that_lays_a_callout_out_is_none(table: str) -> None:
    block = only(extracted(f"<h1>Gauges</h1>{table}"), "Never go alone.")
    assert (block.flags.has_admonition, block.flags.has_table) == (True, False)
    assert (block.html or "").startswith('<div class="note">')


@pytest.mark.parametrize(
    "reference",
    [
        '<p>Twice a day.<a class="footnote-reference" href="#f1">[1]</a></p>',
        '<p>Twice a day.<sup class="footnote"><a href="#f1">1</a></sup></p>',
        '<p>Twice a day.<span class="ltx_note ltx_role_footnote">1</span></p>',
        '<p>Twice a day.<a class="noteref" href="#f1">1</a></p>',
        '<aside class="footnote"><p>Twice a day.</p></aside>',
        '<table class="informaltable"><tr><th>a</th><th>b</th></tr><tr><td>Twice a day.</td><td>2</td></tr></table>',
        '<dl class="notes"><dt>Parameters:</dt><dd>Twice a day.</dd></dl>',
    ],
)
def test_references_and_footnotes_are_no_callouts(reference: str) -> None:
    document = extracted(f'<h1>Gauges</h1>{reference}<p id="f1">The foot of it.</p>')
    assert [block for block in document.blocks if block.flags.has_admonition] == []
