"""Notes: within a sentence, hidden beside it, outside of the article; each mark once in each place."""

import pytest

from tests.support.captures import check_document, extracted, page_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

LATEXML = (
    '<span class="ltx_note ltx_role_footnote" id="footnote1"><sup class="ltx_note_mark">1</sup>'
    '<span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">1</sup>'
    '<span class="ltx_tag ltx_tag_note">1</span>The gauge at the <i>lock</i>.</span></span></span>'
)


def test_a_note_within_a_sentence_follows_its_paragraph_with_its_mark_once() -> None:
    markdown = extracted(f"<p>The level{LATEXML} rose.</p><p>It fell.</p>").markdown
    assert markdown.startswith("The level^1 rose.\n\n^1 The gauge at the *lock*.\n\nIt fell.")


def test_several_notes_keep_their_order() -> None:
    second = LATEXML.replace(">1<", ">2<").replace("lock", "pier")
    markdown = extracted(f"<p>The level{LATEXML} rose{second} much.</p>").markdown
    assert markdown.startswith(
        "The level^1 rose^2 much.\n\n^1 The gauge at the *lock*.\n\n^2 The gauge at the *pier*."
    )


@pytest.mark.parametrize(
    "note",
    [
        '<label for="sn" class="margin-toggle"></label><input type="checkbox" id="sn" class="margin-toggle">'
        '<span class="sidenote">Read by lantern light.</span>',
        '<span class="footnote" style="display:none">Read by lantern light.</span>',
        '<span class="footnote-content" hidden>Read by lantern light.</span>',
        '<span class="footnote">\n<br>Read by lantern light.<br>\n</span>',  # AsciiDoc's
    ],
)
def test_hidden_and_marginal_notes_are_kept_behind_their_paragraph(note: str) -> None:
    markdown = extracted(f"<p>The level{note} rose.</p><p>It fell.</p>").markdown
    assert markdown.startswith("The level rose.\n\nRead by lantern light.\n\nIt fell.")


def test_a_picture_at_the_end_of_a_note_stays() -> None:
    note = '<span class="footnote">See the map: <img src=/map.png alt=map><br></span>'
    markdown = extracted(f"<p>The level{note} rose.</p>").markdown
    assert markdown.startswith("The level rose.\n\nSee the map: ![map](")


def test_an_item_says_its_number_once() -> None:
    items = "".join(f"<li id=n{number}><p><sup>{number}</sup> Note {number}.</p></li>" for number in (1, 2))
    assert "1. Note 1.\n2. Note 2." in extracted(f"<p>It rose.</p><ol>{items}</ol>").markdown
    assert "1. ^7 Note." in extracted("<p>It rose.</p><ol><li id=n><sup>7</sup> Note.</li></ol>").markdown


STORY = "".join(
    f"<p>On day {day} the keeper read the staff at noon and wrote the level of the water down in his book.{mark}</p>"
    for day, mark in enumerate(
        ["", '<sup><a href="#fn1">1</a></sup>', "", '<a class="ref" href="#fn2">[2]</a>', "", "", "", ""]
    )
)
NOTES = (
    '<ol><li id="fn1">The book is kept at the office. <a href="#r1">↩</a></li>'
    '<li id="fn2">Noon by the church. <a href="#r2">↩</a></li></ol>'
)
MENU = (
    "<ul>" + "".join(f"<li><a href='/{number}'>Menu entry {number}</a></li>" for number in range(9)) + "</ul>"
)


def article(body: str) -> NormalizedDocument:
    head = '<meta property="og:type" content="article"><title>The gauge of the north pier</title>'
    document = extract(
        page_capture(f"<html><head>{head}</head><body>{MENU}{body}<div>{MENU}</div></body></html>")
    )
    check_document(document)
    return document


@pytest.mark.parametrize(
    "body",
    [
        f'<div class="entry-content"><h1>The gauge of the north pier</h1>{STORY}</div>'
        f'<div class="footnotes">{NOTES}</div>',
        f"<article><h1>The gauge of the north pier</h1>{STORY}</article><section><h3>Notes</h3>{NOTES}</section>",
        f"<main><h1>The gauge of the north pier</h1>{STORY}<aside>{NOTES}</aside></main>",
        f"<div class=post><h1>The gauge of the north pier</h1>{STORY}</div><div class=end>{NOTES}</div>",
    ],
)
def test_notes_outside_of_the_article_belong_to_it(body: str) -> None:
    markdown = article(body).markdown
    assert "On day 7" in markdown
    assert "The book is kept at the office." in markdown
    assert "Noon by the church." in markdown
    assert "↩" not in markdown
    assert "Menu entry" not in markdown


def test_what_only_words_lead_to_does_not_come_with_it() -> None:
    linked = STORY.replace("[2]", "the comments below")
    comments = '<div id="fn2"><p>A first comment of a reader about the gauge.</p></div>'
    markdown = article(f"<article><h1>The gauge of the north pier</h1>{linked}</article>{comments}").markdown
    assert "A first comment" not in markdown


@pytest.mark.parametrize("entry", ["<code>^</code>", "<kbd>↑</kbd>", "(^)"])
def test_an_index_keeps_its_operators_and_keys(entry: str) -> None:
    mark = 'The level<sup id="m1"><a href="#n1">*</a></sup> rose.'
    back = '<ol><li id="n1"><a href="#m1">^</a> The gauge.</li></ol>'
    index = f'<p>See <a href="#power">{entry}</a> below. {mark}</p><p id="power">Power.</p>'
    markdown = extracted(index + back).markdown
    assert "See [" in markdown
    assert "[^](" not in markdown
    assert "1. The gauge." in markdown
