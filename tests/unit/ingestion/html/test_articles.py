"""Which blocks of an article's page are kept, and which pages are articles at all."""

from collections import Counter

import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.html.articles import _drop_repeats
from webrag_desktop.models.documents import NormalizedDocument

SENTENCES = [
    "The harbour gauge was rebuilt after the storm of 1953 and has recorded every tide since then.",
    "Its keeper climbed down twice a day, in all weathers, to read the staff by lantern light.",
    "When the float stuck, the record shows a flat line that historians first took for a calm week.",
    "Only the letters to the mainland office, found decades later, explained the missing high water.",
]
STORY = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
MENU = "<ul>" + "".join(f"<li><a href='/{n}'>Menu entry {n}</a></li>" for n in range(12)) + "</ul>"
TEASERS = "".join(
    f"<div class=teaser><h3>Teaser {n}</h3><p>Readers of page {n} learn what the lock keeper thinks of the "
    f"new bridge, which opens in spring and costs {n} million.</p></div>"
    for n in range(20)
)
POSTS = "".join(
    f"<div class=post><p>Reply {n}: at our end of the bay the water stood {n} inches above the mark, and "
    "the sluice stayed shut until noon because nobody had the key.</p></div>"
    for n in range(12)
)
SHARED = "<meta property=og:title content='The tide gauge'>"
PUBLISHED = "<meta property=article:published_time content=2021-05-03>"


def page(body: str, head: str = SHARED) -> NormalizedDocument:
    document = extract(page_capture(f"<html><head>{head}</head><body>{body}</body></html>"))
    check_document(document)
    return document


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> "Chosen":
    return Chosen(monkeypatch)


class Chosen:
    """Stands for the library, asked where our own scores are not sure: it takes these lines for the article."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def read(self, lines: list[str], body: str, head: str = SHARED) -> str:
        self._monkeypatch.setattr("webrag_desktop.ingestion.html.articles.scored_article", lambda *_: None)
        self._monkeypatch.setattr("trafilatura.extract", lambda _html, **_options: "\n".join(lines))
        return page(body, head).markdown


def test_the_library_finds_the_article_and_its_headline() -> None:
    more = f"<div class=related><h3>More stories</h3>{MENU}</div>"
    markdown = page(
        f"<nav>{MENU}</nav><article><h1>The tide gauge</h1>{STORY}{STORY}</article>{more}"
    ).markdown
    assert markdown.startswith(f"# The tide gauge\n\n{SENTENCES[0]}")
    assert "Menu entry" not in markdown
    assert "More stories" not in markdown


def test_an_article_that_fills_a_container_needs_to_say_nothing(chosen: Chosen) -> None:
    markdown = chosen.read(SENTENCES, f"<div class=story>{STORY}</div><div>{TEASERS}</div>")
    assert markdown == "\n\n".join(SENTENCES)


@pytest.mark.parametrize("head", ["", SHARED])
def test_a_thread_is_kept_whole(chosen: Chosen, head: str) -> None:
    frame = "<script></script>" * 9  # no page written by hand
    body = f"{frame}<div class=page><div class=post>{STORY}</div>{POSTS}</div>"
    markdown = chosen.read(SENTENCES, body, head)
    assert all(f"Reply {n}:" in markdown for n in range(12))
    assert all(sentence in markdown for sentence in SENTENCES)


def test_a_page_of_many_parts_is_kept_whole(chosen: Chosen) -> None:
    parts = "".join(
        f"<section><h2>Part {n}</h2><div>{STORY.replace('1953', f'19{n}')}</div></section>"
        for n in range(50, 56)
    )
    markdown = chosen.read(
        [sentence.replace("1953", "1950") for sentence in SENTENCES], f"<main>{parts}</main>"
    )
    assert [line for line in markdown.split("\n") if line.startswith("## ")] == [
        f"## Part {n}" for n in range(50, 56)
    ]


def test_a_page_not_made_for_sharing_keeps_its_lists_of_links(chosen: Chosen) -> None:
    frame = "<script></script>" * 9
    links = "".join(
        f"<li><a href='/{n}.html'>Chapter {n} of the gauge keeper's handbook</a></li>" for n in range(30)
    )
    body = f"{frame}<div class=chapter>{STORY}<ul>{links}</ul></div>"
    assert "Chapter 29" in chosen.read(SENTENCES, body, "")
    assert "Chapter 29" not in chosen.read(SENTENCES, body, SHARED)


def test_what_the_page_calls_an_article_may_be_a_small_part_of_it(chosen: Chosen) -> None:
    body = f"<div class=post>{STORY}</div>{POSTS}"
    assert "Reply" in chosen.read(SENTENCES, body, SHARED)
    assert chosen.read(SENTENCES, body, PUBLISHED) == "\n\n".join(SENTENCES)


OTHER = [
    f"On day {n} the ferry stayed in port, and the baker sold out before the first bell of the morning."
    for n in range(12)
]


def test_the_fullest_part_of_a_page_is_no_rest(chosen: Chosen) -> None:
    rest = "".join(f"<p>{line}</p>" for line in OTHER)
    summary = f"<div class=summary>{STORY}</div><div class=text>{rest}</div>"
    assert OTHER[-1] in chosen.read(SENTENCES, summary)
    article = f"<div><article>{STORY}</article></div><div class=text>{rest}</div>"
    assert chosen.read(SENTENCES, article) == "\n\n".join(SENTENCES)


def test_a_long_list_of_comments_is_a_rest(chosen: Chosen) -> None:
    comments = "".join(f"<li>{line}</li>" for line in OTHER)
    body = f"<div class=page><div class=story>{STORY}</div><ol>{comments}</ol></div>"
    assert chosen.read(SENTENCES, body) == "\n\n".join(SENTENCES)


def test_too_little_is_no_article(chosen: Chosen) -> None:
    line = "Please note that the gauge is being repaired today."
    assert "Reply 3:" in chosen.read([line], f"<p>{line}</p>{POSTS}", PUBLISHED)


def test_headings_stay_where_they_open_a_part_of_the_article(chosen: Chosen) -> None:
    story = (
        f"<h2>Before the storm</h2>{STORY}<h2>After the storm</h2><figure><img src=/a.png>"
        f"<figcaption>The staff</figcaption></figure><p>{SENTENCES[0]} Again.</p>"
        f"<h3>More on this</h3>{MENU}<h3>Comments</h3>"
    )
    lines = [*SENTENCES, f"{SENTENCES[0]} Again.", "Before the storm", "More on this", "Comments"]
    markdown = chosen.read(lines, f"<div class=story>{story}</div>", PUBLISHED)
    headings = [line for line in markdown.split("\n") if line.startswith("#")]
    assert headings == ["## Before the storm", "## After the storm"]


@pytest.mark.parametrize(
    "related",
    [
        f"<h3><a href=/r>The lock keeper</a></h3><p>{SENTENCES[2]}</p>",
        f"<h3>The lock keeper</h3><p>Read more</p><p>{SENTENCES[2]}</p><p>{SENTENCES[3]}</p>",
    ],
)
def test_headings_that_lead_to_other_articles_stay_out(chosen: Chosen, related: str) -> None:
    first = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES[:2])
    markdown = chosen.read(SENTENCES, f"<article><h1>Gauge</h1>{first}{related}</article>", PUBLISHED)
    assert SENTENCES[2] in markdown
    assert "lock keeper" not in markdown


def test_a_heading_above_a_kept_heading_stays(chosen: Chosen) -> None:
    story = f"<p>{SENTENCES[3]} At first.</p><h2>The gauge</h2><h3>Its keeper</h3>{STORY}"
    lines = [f"{SENTENCES[3]} At first.", "The gauge", "Its keeper", *SENTENCES]
    markdown = chosen.read(lines, f"<div class=story>{story}</div>", PUBLISHED)
    assert "## The gauge\n\n### Its keeper\n\n" in markdown


def test_headings_of_posts_stay_above_their_bylines(chosen: Chosen) -> None:
    posts = "".join(
        f"<article class=post><h2><a href=/{n}>Post {n}</a></h2><p>By Ada</p>"
        f"<p>{SENTENCES[0]} {n}.</p><p>{SENTENCES[1]} {n}.</p></article>"
        for n in range(3)
    )
    related = (
        f"<article class=box><h2><a href=/r>Related</a></h2><p>By Bob</p><p>{SENTENCES[2]}</p></article>"
    )
    lines = [f"{sentence} {n}." for n in range(3) for sentence in SENTENCES[:2]]
    markdown = chosen.read([*lines, SENTENCES[2]], f"<main>{posts}{related}</main>", PUBLISHED)
    headings = [line.partition("]")[0] for line in markdown.split("\n") if line.startswith("#")]
    assert headings == ["## [Post 0", "## [Post 1", "## [Post 2"]


def test_a_text_that_stands_twice_is_kept_where_the_article_is(chosen: Chosen) -> None:
    teaser = f"<div class=first><p>{SENTENCES[0]}</p></div>{MENU}"
    markdown = chosen.read(SENTENCES, f"{teaser}<p>Today.</p><div class=story>{STORY}</div>", PUBLISHED)
    assert markdown == "\n\n".join(SENTENCES)


def test_a_text_that_the_article_repeats_is_kept_twice(chosen: Chosen) -> None:
    lines = [*SENTENCES, SENTENCES[0]]
    markdown = chosen.read(lines, f"<div class=story>{STORY}<p>{SENTENCES[0]}</p></div>", PUBLISHED)
    assert markdown.count(SENTENCES[0]) == 2


def test_the_article_is_not_searched_for_texts_that_stand_once() -> None:
    class Article(str):
        def count(self, *_: object) -> int:
            raise AssertionError("takes the length of the article, for every block of the page")

    keys = [f"{number} {sentence}" for number, sentence in enumerate(SENTENCES)]
    chosen = [True] * len(keys)
    _drop_repeats(keys, chosen, Counter(), Article("".join(keys)))
    assert all(chosen)


def test_tables_and_code_inside_the_article_stay(chosen: Chosen) -> None:
    table = "<table><tr><th>Year<th>Metres<tr><td>1953<td>3.4</table>"
    story = f"{STORY}{table}<p>{SENTENCES[1]} Always.</p><pre>read(staff)</pre><p>{SENTENCES[2]} Later.</p>"
    lines = [*SENTENCES, f"{SENTENCES[1]} Always.", f"{SENTENCES[2]} Later."]
    markdown = chosen.read(lines, f"<div class=story>{story}</div><div>{TEASERS}</div>", PUBLISHED)
    assert "| Year | Metres |" in markdown
    assert "```\nread(staff)\n```" in markdown


def test_teasers_far_behind_the_article_go(chosen: Chosen) -> None:
    others = "".join(f"<p>Box {n}</p>" for n in range(4))
    body = (
        f"<div class=story>{STORY}</div>{others}<div class=more><p>Why the lock keeper now sails.</p></div>"
    )
    assert chosen.read([*SENTENCES, "Why the lock keeper now sails."], body, PUBLISHED) == "\n\n".join(
        SENTENCES
    )


def test_an_article_in_two_parts_goes_on(chosen: Chosen) -> None:
    others = "".join(f"<p>Box {n}</p>" for n in range(4))
    rest = [f"{SENTENCES[0]} So they say.", f"{SENTENCES[1]} So they say."]
    second = "".join(f"<p>{line}</p>" for line in rest)
    body = f"<div class=story>{STORY}{STORY.replace('The', 'A')}</div>{others}<div class=rest>{second}</div>"
    lines = [*SENTENCES, *(line.replace("The", "A") for line in SENTENCES), *rest]
    markdown = chosen.read(lines, body, PUBLISHED)
    assert all(line in markdown for line in rest)
    assert "Box" not in markdown


def test_lines_of_a_menu_far_before_the_article_go_and_its_summary_stays(chosen: Chosen) -> None:
    others = "".join(f"<p>Box {n}</p>" for n in range(12))
    summary = "How a rebuilt gauge came to tell more than it was meant to."
    body = f"<p>Travel</p><div><p>{summary}</p></div>{others}<div class=story>{STORY}</div>"
    assert chosen.read(["Travel", summary, *SENTENCES], body, PUBLISHED) == "\n\n".join([summary, *SENTENCES])


@pytest.mark.parametrize(
    ("heading", "title", "kept"),
    [
        ("How the gauge was rebuilt", "The gauge was rebuilt - Daily", True),
        ("Travel and weather", "The gauge was rebuilt - Daily", False),  # names a part of the site
        ("The gauge was rebuilt", "The gauge was rebuilt", False),  # the title of the document
    ],
)
def test_a_headline_the_library_leaves_out_stays_if_it_says_more(
    chosen: Chosen, heading: str, title: str, kept: bool
) -> None:
    head = f"{PUBLISHED}<title>{title}</title><meta property=og:title content='{title}'>"
    markdown = chosen.read(SENTENCES, f"<h1>{heading}</h1><div class=story>{STORY}</div>", head)
    assert markdown.startswith(f"# {heading}\n\n" if kept else SENTENCES[0])


def test_blanks_of_the_markup_do_not_count_as_text(chosen: Chosen) -> None:
    wide = TEASERS.replace(" ", " " * 40)
    markdown = chosen.read(SENTENCES, f"<div class=story>{STORY}</div><div class=all>{wide}</div>")
    assert markdown == "\n\n".join(SENTENCES)


DEFINITIONS = "".join(f"<dt>Place {n}<dd>Where the water stands {n} metres high." for n in range(12))


@pytest.mark.parametrize(
    "body",
    [
        f"<p>{'<code>tide</code> ' * 20}</p>{STORY}",
        f"{STORY}<dl>{DEFINITIONS}</dl>",
    ],
)
def test_a_page_that_looks_technical_may_say_that_it_is_an_article(chosen: Chosen, body: str) -> None:
    whole = f"{body}<div>{TEASERS}</div>"
    assert "lock keeper" in chosen.read(SENTENCES, whole, SHARED)
    assert "lock keeper" not in chosen.read(SENTENCES, whole, PUBLISHED)


def test_a_mark_of_a_documentation_program_may_stand_on_an_article(chosen: Chosen) -> None:
    body = f"<div id=module-header>Site</div><div id=content><p>News of the day.</p></div><div>{STORY}</div>"
    assert chosen.read(SENTENCES, body, SHARED) == "News of the day."
    assert chosen.read(SENTENCES, body, PUBLISHED) == "\n\n".join(SENTENCES)


def test_what_is_written_by_a_documentation_program_is_documentation(chosen: Chosen) -> None:
    head = f"{PUBLISHED}<meta name=generator content=Sphinx>"
    assert "lock keeper" in chosen.read(SENTENCES, f"<div>{STORY}</div><div>{TEASERS}</div>", head)


@pytest.mark.parametrize(
    "mark",
    [
        "<dl class=details><dt>Price<dd>Nothing</dl>",
        "<pre class=prettyprint>read(staff)</pre>",
        "<a class=header-anchor href='#a'>#</a>",
        "<i class=hash-link></i>",
        "<div class=td-content>By Ada</div>",
    ],
)
def test_a_mark_that_others_use_too_yields_to_what_the_page_says(chosen: Chosen, mark: str) -> None:
    body = f"<div class=story>{STORY}</div>{mark}<div>{TEASERS}</div>"
    assert "lock keeper" in chosen.read(SENTENCES, body, SHARED)
    assert "lock keeper" not in chosen.read(SENTENCES, body, PUBLISHED)


ANSWER = "<div itemscope itemtype=https://schema.org/Answer><p>In winter, the keeper thinks.</p></div>"
QUESTION = f"<div itemscope itemtype=https://schema.org/Question><h3>When?</h3>{ANSWER}</div>"


@pytest.mark.parametrize(
    "box",
    [
        f"<section itemscope itemtype=https://schema.org/FAQPage>{QUESTION}</section>",
        f"<section itemscope itemtype=https://schema.org/FAQPage>{QUESTION.replace(ANSWER, ANSWER * 2)}</section>",
        f"<section itemscope itemtype=https://schema.org/FAQPage>{QUESTION.replace('Question', 'QAPage')}</section>",
        f"<section>{QUESTION * 3}</section>",
        f"<section>{ANSWER * 2}</section>",
    ],
)
def test_a_box_of_questions_on_an_article_makes_it_no_thread(chosen: Chosen, box: str) -> None:
    body = f"<div class=story>{STORY}</div>{box}<div>{TEASERS}</div>"
    assert "lock keeper" not in chosen.read(SENTENCES, body, PUBLISHED)


def test_terms_in_a_menu_make_no_glossary(chosen: Chosen) -> None:
    menu = "<dl>" + "".join(f"<dt><a href=/{n}>{n}</a>" for n in range(12)) + "</dl>"
    body = f"{menu}<div class=story>{STORY}</div><div>{TEASERS}</div>"
    assert chosen.read(SENTENCES, body) == "\n\n".join(SENTENCES)


def test_a_page_without_a_frame_is_kept_whole(chosen: Chosen) -> None:
    body = f"{STORY}<p>Written at home, with no thought of menus, by somebody who has since moved away.</p>"
    assert "moved away" in chosen.read(SENTENCES, body, "")
