"""What pages offer to do, what they show twice, and notes that are content although they are repeated."""

import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

NOTE = "This function is available since version 2.4."
MENU = (
    "<ul>"
    + "".join(f"<li><a href='/{number}'>Menu entry {number}</a></li>" for number in range(20))
    + "</ul>"
)


def read(body: str, head: str = '<meta property="og:type" content="article">') -> NormalizedDocument:
    top = f"<html><head><title>The harbour</title>{head}</head><body><div>{MENU}</div>"
    document = extract(page_capture(f"{top}{body}<div>{MENU}</div></body></html>"))
    check_document(document)
    return document


@pytest.mark.parametrize(
    "note", ["<p>{}</p>", "<div class=since>{}</div>", "<aside>{}</aside>", "<div><span>{}</span></div>"]
)
@pytest.mark.parametrize("first", [True, False])
def test_notes_that_are_repeated_are_kept_at_each_place(note: str, first: bool) -> None:
    parts = []
    for number in range(12):
        words = (
            f"<p>Reads the gauge of number {number} of the harbour and gives its level above the chart.</p>"
        )
        both = (note.format(NOTE), words) if first else (words, note.format(NOTE))
        parts += [f"<h3>gauge_{number}()</h3>", *both]
    document = read(f"<div class=content><h1>The harbour</h1>{''.join(parts)}</div>")
    assert document.markdown.count(NOTE) == 12
    assert "Menu entry" not in document.markdown


STORY = "".join(
    f"<p>On day {day} the keeper read the staff at noon and wrote the level of the water down in his book.</p>"
    for day in range(6)
)


@pytest.mark.parametrize(
    "controls",
    [
        "<div><span>Like</span> <span>12</span> <span>Share</span> <span>Save</span></div>",
        "<div>Share</div>",
        "<p><a href=/s>Share on Facebook</a> | <a href=/t>Tweet</a></p>",
        "<ul><li>Reply</li><li>Quote</li><li>Report</li></ul>",
    ],
)
@pytest.mark.parametrize("posts", [True, False])
def test_controls_are_no_text(controls: str, posts: bool) -> None:
    head = "" if posts else '<meta property="og:type" content="article">'
    around = (
        '<div class="postbody"><div class="content">{}</div></div>' if posts else "<div class=story>{}</div>"
    )
    document = read(
        f"<h1>The harbour</h1>{around.format(STORY + controls + STORY.replace('day', 'night'))}", head
    )
    assert "On night 5" in document.markdown
    for words in ("Share", "Reply", "Tweet", "Like"):
        assert words not in document.markdown


def test_words_that_only_begin_like_controls_stay() -> None:
    remark = "<p>Share prices fell in the harbour office that day.</p>"
    document = read(f"<div class=story><h1>The harbour</h1>{STORY}{remark}</div>")
    assert "Share prices fell" in document.markdown


CHAPTERS = "".join(f"<li>0{number}:15 Chapter {number} of the film on gauges</li>" for number in range(5))


def test_chapters_that_a_page_shows_twice_are_kept_once() -> None:
    body = f'<div class="postbody"><div class="content">{STORY}<ol>{CHAPTERS}</ol></div></div>'
    body += f"<div><ol>{CHAPTERS}</ol></div>"
    document = read(f"<h1>The harbour</h1>{body}", "")
    assert document.markdown.count("Chapter 3") == 1
    boxes = CHAPTERS.replace("li>", "div>")
    body = f'<div class="postbody"><div class="content">{STORY}{boxes}</div></div><section>{boxes}</section>'
    assert read(f"<h1>The harbour</h1>{body}", "").markdown.count("Chapter 3") == 1


def test_what_is_quoted_from_another_post_stays() -> None:
    quoted = f"<blockquote>{STORY}</blockquote>"
    post = '<div class="postbody"><div class="content">{}</div></div>'
    body = post.format(STORY) + post.format(f"{quoted}<p>I have read the same.</p>")
    assert read(f"<h1>The harbour</h1>{body}", "").markdown.count("On day 3") == 2


@pytest.mark.parametrize("entry", ["<p class=i>{}</p>", "<ul><li>{}</li></ul>"])
def test_words_of_an_index_that_name_actions_stay(entry: str) -> None:
    words = ["rain", "reading", "record", "reply", "report", "reservoir", "river", "rock", "tide"]
    index = "".join(entry.format(word) for word in words)
    markdown = read(f"<div class=postbody><div class=content>{STORY}{index}</div></div>", head="").markdown
    assert all(word in markdown for word in words)
