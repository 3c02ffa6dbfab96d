"""Text that a page holds elsewhere than where it is shown: streamed fragments, hidden parts, templates, JSON."""

import json

import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import NormalizedDocument

LINES = [
    f"On day {day} the keeper read the staff at noon and wrote the level of the water down."
    for day in range(60)
]
STORY = "".join(f"<p>{line}</p>" for line in LINES)
MENU = "<ul>" + "".join(f"<li><a href='/{n}'>Menu entry {n}</a></li>" for n in range(12)) + "</ul>"


def read(body: str, head: str = "<title>The gauge</title>") -> NormalizedDocument:
    document = extract(
        page_capture(f"<!DOCTYPE html><html lang=en><head>{head}</head><body>{body}</body></html>")
    )
    check_document(document)
    return document


def assert_story(document: NormalizedDocument) -> None:
    assert "\n\n".join(LINES) in document.markdown
    assert document.incomplete is None


BOUNDARY = '<!--$?--><template id="B:0"></template><p>Loading the report…</p><!--/$-->'


def test_a_streamed_fragment_takes_the_place_of_what_stood_in_for_it() -> None:
    document = read(
        f"<nav>{MENU}</nav><main><h1>The gauge</h1>{BOUNDARY}<p>The end of the report.</p></main>"
        f'<div hidden id="S:0"><div>{STORY}</div></div><script>$RC("B:0","S:0")</script>'
    )
    assert_story(document)
    assert "Loading" not in document.markdown
    assert document.markdown.startswith("# The gauge\n\nOn day 0")
    assert document.markdown.endswith("The end of the report.")


def test_boundaries_within_what_stands_in_end_where_they_end() -> None:
    inner = '<!--$?--><template id="B:1"></template><i>Wait</i><!--/$-->'
    document = read(
        f'<main><!--$?--><template id="B:0"></template><p>Loading</p>{inner}<p>more</p><!--/$--><p>Kept behind.</p>'
        f'</main><div hidden id="S:0">{STORY}</div><script>$RC("B:0","S:0")</script>'
    )
    assert_story(document)
    assert "Kept behind." in document.markdown
    assert "more" not in document.markdown


def test_segments_come_to_their_placeholders_in_any_depth() -> None:
    document = read(
        f"<main><h1>The gauge</h1>{BOUNDARY}</main>"
        '<div hidden id="S:0"><h2>Log</h2><template id="P:1"></template><p>Signed by the keeper.</p></div>'
        f'<div hidden id="S:1">{STORY}</div><script>$RS("S:1","P:1")</script>'
        '<script>$RR("B:0","S:0",[["/style.css","high"]])</script>'
    )
    assert_story(document)
    assert document.markdown.index("## Log") < document.markdown.index("On day 0")
    assert document.markdown.endswith("Signed by the keeper.")


def test_a_fragment_without_its_call_is_shown_where_it_is() -> None:
    assert_story(read(f'<main><p>Next to nothing here.</p></main><div hidden id="S:0">{STORY}</div>'))


def test_fragments_that_contain_their_own_place_do_no_harm() -> None:
    document = read(
        f'<main>{STORY}</main><div hidden id="S:0"><template id="B:0"></template><p>Round and round.</p></div>'
        '<script>$RC("B:0","S:0");$RC("B:0","S:0");$RC("B:9","S:0")</script>'
    )
    assert "On day 59" in document.markdown


@pytest.mark.parametrize(
    "hiding",
    ["hidden", 'style="display:none"', 'style="color:red; visibility : hidden"', 'aria-hidden="true"'],
)
def test_what_is_hidden_is_kept_where_it_is_the_text_of_the_page(hiding: str) -> None:
    document = read(f"<div>FPS: -- <a href='/x'>Settings</a></div><main {hiding}>{STORY}</main>")
    assert_story(document)


def test_sections_hidden_from_screen_readers_count_together() -> None:
    half = len(LINES) // 2
    parts = ("".join(f"<p>{line}</p>" for line in some) for some in (LINES[:half], LINES[half:]))
    shown = "".join(f'<section aria-hidden="true">{part}</section>' for part in parts)
    assert_story(read(f"<p>FPS: --</p>{shown}"))


def test_hidden_parts_beside_the_text_go() -> None:
    extra = "<p>A dialog about cookies that nobody has to read again and again.</p>" * 10
    document = read(
        f'<main>{STORY}</main><div hidden>{extra}</div><div aria-hidden="true">{extra}</div>'
        f'<div style="display:none">{extra}</div>'
    )
    assert_story(document)
    assert "cookies" not in document.markdown


def test_hidden_teasers_longer_than_the_article_go() -> None:
    other = "".join(
        f"<p>Another story of number {number} that waits for a click of the reader.</p>"
        for number in range(120)
    )
    assert_story(document := read(f"<main>{STORY}</main><div class=rest hidden>{other}</div>"))
    assert "Another story" not in document.markdown


def test_a_long_dialog_of_a_short_page_goes() -> None:
    extra = "<p>A dialog about cookies that nobody has to read again and again.</p>" * 30
    document = read(f'<main><p>{LINES[0]}</p></main><div role="dialog" hidden>{extra}</div>')
    assert document.markdown == LINES[0]


@pytest.mark.parametrize(
    "style", ["--footer-display: none", "--x: a; --card-visibility: hidden", "content-visibility: hidden"]
)
def test_properties_that_only_end_like_hiding_hide_nothing(style: str) -> None:
    assert_story(read(f'<main style="{style}">{STORY}</main>'))


SHELL = '<div id="root"></div><script src="/app.js"></script>'


def state(kind: str, text: object) -> str:
    written = json.dumps({"props": {"slug": "gauge", "page": {"title": "The gauge", "body": text}}})
    return {
        "next": f'<script id="__NEXT_DATA__" type="application/json">{written}</script>',
        "nuxt": f"<script>window.__NUXT__ = {written};</script>",
        "gatsby": f"<script>window.pageData={written};window.other=1</script>",
        "redux": f"<script>window.__PRELOADED_STATE__ = {written}</script>",
        "nested": f"<script>self.__STATE__={json.dumps({'json': written})}</script>",
    }[kind]


@pytest.mark.parametrize("kind", ["next", "nuxt", "gatsby", "redux", "nested"])
def test_the_state_of_an_application_is_read_where_the_page_shows_nothing(kind: str) -> None:
    document = read(SHELL + state(kind, STORY.replace("</p>", "</p >").replace("</p >", "</p>")))
    assert_story(document)
    assert document.title == "The gauge"


def test_texts_in_pieces_are_read_in_their_order() -> None:
    pieces = [{"type": "paragraph", "id": number, "text": line} for number, line in enumerate(LINES)]
    document = read(SHELL + state("next", pieces))
    assert_story(document)
    assert "paragraph" not in document.markdown


def test_what_a_page_states_as_its_article_is_believed_first() -> None:
    stated = {"@context": "https://schema.org", "@type": "NewsArticle", "articleBody": "\n\n".join(LINES)}
    linked = f'<script type="application/ld+json">{json.dumps({"@graph": [stated]})}</script>'
    assert_story(read(f"<main><p>Read the report in our app.</p></main>{linked}"))


def test_a_whole_page_is_not_replaced_by_what_it_states() -> None:
    stated = {"@type": "NewsArticle", "articleBody": "\n\n".join(LINES)}
    linked = f'<script type="application/ld+json">{json.dumps(stated)}</script>'
    document = read(f"<main><h1>The gauge</h1>{STORY}<pre>level = 3</pre></main>{linked}")
    assert_story(document)
    assert "level = 3" in document.markdown


@pytest.mark.parametrize("tag", ["template", "noscript"])
def test_templates_and_what_is_for_browsers_without_scripts_are_looked_into(tag: str) -> None:
    assert_story(read(f"{SHELL}<{tag}>{STORY}</{tag}>"))


def test_a_page_without_any_text_is_still_refused() -> None:
    with pytest.raises(ExtractionError, match="only with JavaScript"):
        read(
            SHELL
            + '<script id="__NEXT_DATA__" type="application/json">{"props":{"title":"The gauge"}}</script>'
        )


BANNER = (
    "<p>We use cookies to measure how often our pages are read. You may refuse them in the settings.</p>" * 10
)
PATTERN = (
    "<p>{{#each items}} The item {{name}} costs {{price}} and is ready to be sent to its buyer.</p>" * 10
)
NOTICE = f"<p>{'Turn JavaScript on in the settings of your browser and load this page again. ' * 8}</p>"
WORDS = {
    f"failure{number}": f"The message of number {number} is shown when it fails." for number in range(40)
}


@pytest.mark.parametrize(
    "beside",
    [
        f'<div hidden class="cookie-banner">{BANNER}</div>',
        f'<div hidden role="dialog">{BANNER}</div>',
        f"<template>{PATTERN}</template>",
        f"<noscript>{NOTICE}</noscript>",
        state("next", {"i18n": WORDS}),
    ],
)
def test_what_is_beside_a_text_is_none(beside: str) -> None:
    with pytest.raises(ExtractionError, match="only with JavaScript"):
        read(SHELL + beside)


def test_a_menu_hidden_from_screen_readers_is_no_text() -> None:
    menu = "<p>Our products are the best of the world, and more of them come each year.</p>" * 30
    document = read(f'<nav aria-hidden="true">{menu}</nav><main><h1>The gauge</h1><p>{LINES[0]}</p></main>')
    assert document.markdown == f"# The gauge\n\n{LINES[0]}"


def test_a_page_marked_as_one_that_asks_about_cookies_keeps_its_hidden_text() -> None:
    assert_story(
        read(f'<div class="has-cookie-banner"><p>x</p><main aria-hidden="true">{STORY}</main></div>')
    )


@pytest.mark.parametrize(
    "stated",
    [
        {"@type": "Product", "review": [{"@type": "Review", "reviewBody": " ".join(LINES)}]},
        {"@type": "NewsArticle", "comment": [{"@type": "Comment", "text": " ".join(LINES)}]},
        {"@type": "Question", "acceptedAnswer": {"@type": "Answer", "text": " ".join(LINES)}},
    ],
)
def test_a_short_text_is_not_replaced_by_what_visitors_wrote(stated: dict[str, object]) -> None:
    linked = f'<script type="application/ld+json">{json.dumps(stated)}</script>'
    assert read(f"<main><p>{LINES[0]}</p></main>{linked}").markdown == LINES[0]


@pytest.mark.parametrize("broken", ['{"a":', "[" * 100_000, '"' + "x" * 300 + '"', "null"])
def test_broken_states_hold_nothing(broken: str) -> None:
    with pytest.raises(ExtractionError, match="only with JavaScript"):
        read(f'{SHELL}<script type="application/json">{broken}</script>')
