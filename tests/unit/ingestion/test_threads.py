"""Threads of posts and questions with answers: what everybody wrote is the content, not only the first post."""

import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.ingestion.extract import extract

MENU = (
    "<header><nav><ul>"
    + "".join(f"<li><a href=/{n}>Forum {n}</a></li>" for n in range(9))
    + "</ul></nav></header>"
)
HEAD = "<title>The engine runs hot</title><meta property=og:type content=article>"
FIRST = "".join(
    f"<p>On trip {n} the engine of my boat ran hot after an hour, and although I had cleaned the strainer, "
    "changed the thermostat and bled the whole circuit, no more water came out of the exhaust than before.</p>"
    for n in range(9)
)
REPLIES = [
    f"Reply {number}: the impeller of my pump was worn as well, and the engine ran hot within {number} minutes."
    for number in range(1, 9)
]


def phpbb(reply: str) -> str:
    return (
        "<div class=post><dl class=postprofile><dt>anna</dt><dd>Posts: 12</dd></dl><div class=postbody>"
        "<ul class=post-buttons><li><a href=/q>Quote this</a></li></ul><p class=author>by <b>anna</b></p>"
        f"<div class=content>{reply}</div><div class=signature>Fair winds</div></div></div>"
    )


def answer(reply: str, body: str = "") -> str:
    return (
        f"<div class='answer comment' itemscope itemtype=https://schema.org/Answer><div class=votecell>15</div>"
        f"<div class='{body}' itemprop=text><p>{reply}</p></div>"
        f"<ul class=comments-list><li>Comment on {reply[:7]}: it helped me, too.</li></ul></div>"
    )


def row(reply: str) -> str:
    return (
        "<tr><td><table><tr><td><img src=s.gif width=40></td><td><div>anna</div><br>"
        f"<div class=comment><div class=commtext>{reply}<p>And this I would add.</div></div></td></tr></table>"
    )


def read(inside: str) -> str:
    body = f"{MENU}{inside}<footer><p>Board software</p></footer>"
    page = f"<html><head>{HEAD}</head><body>{body}</body></html>"
    document = extract(page_capture(page))
    check_document(document)
    return document.markdown


def test_a_board_keeps_each_post_without_its_writers_profile() -> None:
    posts = "".join(map(phpbb, [FIRST, *REPLIES]))
    text = read(f"<h1>The engine runs hot</h1><div role=main>{posts}</div>")
    assert all(reply in text for reply in REPLIES)
    assert text.count("by **anna**") == 1 + len(REPLIES)
    assert not any(
        words in text for words in ("Posts: 12", "Quote this", "Fair winds", "Forum 3", "Board software")
    )


def question(kind: str, body: str = "") -> str:
    answers = "".join(answer(reply, body) for reply in REPLIES)
    asked = f"<div class=story>{FIRST}</div><div id=comments>{answers}</div>"
    return f"<main itemscope itemtype='{kind}'><h1>Hot engine</h1>{asked}</main>"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("https://schema.org/QAPage", ""),
        ("https://schema.org/Question", ""),
        ("https://schema.org/DiscussionForumPosting", ""),
        ("", "js-post-body"),
    ],
)
def test_a_question_keeps_its_answers_and_their_comments(kind: str, body: str) -> None:
    text = read(question(kind, body))
    assert all(reply in text for reply in REPLIES)
    assert text.count("it helped me, too") == len(REPLIES)
    assert "15" not in text
    assert "Forum 3" not in text


def test_comments_arranged_in_tables_are_paragraphs() -> None:
    rows = "".join(map(row, REPLIES))
    text = read(f"<h1>Hot engine</h1><div>{FIRST}</div><table class=comment-tree>{rows}</table>")
    assert all(f"{reply}\n\nAnd this I would add." in text for reply in REPLIES)
    assert "| " not in text


def test_the_comments_below_an_article_are_not_its_text() -> None:
    prose = "".join(
        f"<p>Paragraph {n} of a long report about tides, gauges and the keepers of both.</p>"
        for n in range(9)
    )
    comments = "".join(f"<div class=comment><p>Comment {n}: nice report.</p></div>" for n in range(3))
    page = (
        "<meta property='og:type' content=article><meta property='article:published_time' content='2025-03-01'>"
        f"<article><h1>Tides</h1>{prose}</article><section id=comments><h2>Comments</h2>{comments}</section>"
    )
    text = read(page)
    assert "Paragraph 8" in text
    assert "nice report" not in text
