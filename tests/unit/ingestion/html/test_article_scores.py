"""The article of a page by our own scores: what is beside it, what goes on with it, and where they are not sure."""

import pytest

from tests.support.captures import check_document, page_capture
from webrag_desktop.ingestion.extract import extract

STORY = [
    "The harbour gauge was rebuilt after the storm, and it has recorded every tide of the bay since then.",
    "Its keeper climbed down twice a day, in all weathers, to read the staff by the light of a lantern.",
    "When the float stuck, the record shows a flat line, which historians first took for a calm week.",
    "Only the letters to the mainland office, found decades later, explained the missing high water.",
]
BESIDE = [
    "The ferry stayed in port for a week, and the baker, who had no flour left, closed his shop early.",
    "A new bridge across the lock opens in spring, says the council, at a cost that nobody will name.",
    "The choir of the island sings on Sunday, weather permitting, and tea is served in the vestry.",
]
MENU = "".join(f"<li><a href='/{n}'>Menu entry {n}</a></li>" for n in range(9))
SHARED = "<meta property=og:title content='Tides'>"
PUBLISHED = "<meta property=article:published_time content=2021-05-03>"
FRAME = f"{SHARED}<script></script><nav><ul>{MENU}</ul></nav>"


def paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def read(body: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The markdown of a page; the library must not be asked."""

    def asked(_html: str, **_options: object) -> str:
        raise AssertionError("the scores were not sure")

    monkeypatch.setattr("trafilatura.extract", asked)
    document = extract(page_capture(f"<html><head></head><body>{FRAME}{body}</body></html>"))
    check_document(document)
    return document.markdown


@pytest.mark.parametrize(
    "name",
    [
        "comments", "comment-list", "relatedPosts", "more-from-us", "newsletter-box", "sidebar", "promo", "authorBio",
        "most-read", "kommentare", "comentarios", "a-lire-aussi",
    ],
)  # fmt: skip
@pytest.mark.parametrize("named", ["class", "id"])
def test_parts_that_name_themselves_something_else_go(
    name: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        f"<div><div class=story>{paragraphs(STORY)}</div><div {named}={name}>{paragraphs(BESIDE)}</div></div>"
    )
    assert read(body, monkeypatch) == "\n\n".join(STORY)


def test_comments_go_although_they_are_most_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    comments = "".join(f"<li><p>{line} {n}.</p></li>" for n in range(9) for line in BESIDE)
    body = (
        f"<div><div class=story>{paragraphs(STORY)}</div><div class=comments><ol>{comments}</ol></div></div>"
    )
    assert read(body, monkeypatch) == "\n\n".join(STORY)


@pytest.mark.parametrize("name", ["has-sidebar", "no-comments", "content-sidebar-wrap", "theNewsletter"])
def test_a_name_that_only_holds_such_a_word_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = f"<div class={name}><h1>Tides of the bay</h1><div>{paragraphs(STORY)}</div></div>"
    assert all(line in read(body, monkeypatch) for line in STORY)


def test_a_paragraph_behind_a_paywall_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    body = f"<div class=story>{paragraphs(STORY).replace('<p>', '<p class=paywall>')}</div>"
    assert read(body, monkeypatch) == "\n\n".join(STORY)


def test_an_article_in_parts_with_advertisements_between_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    part = "<div class=chunk><div>{}</div></div>"
    advertisement = f"<div class=ad-slot><div class=ad>{paragraphs(BESIDE[:1])}</div></div>"
    parts = advertisement.join(
        part.format(paragraphs([f"{line} In year {n}." for line in STORY])) for n in range(3)
    )
    text = read(f"<article><h1>Tides of the bay</h1>{parts}</article>", monkeypatch)
    assert [n for n in range(3) for line in STORY if f"{line} In year {n}." in text] == [
        n for n in range(3) for _ in STORY
    ]
    assert BESIDE[0] not in text


def test_what_is_outside_the_container_of_the_headline_is_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    article = f"<div class=left><h1>Tides of the bay</h1><div>{paragraphs(STORY)}</div></div>"
    other = f"<div class=other><div>{paragraphs(BESIDE)}</div></div>"
    assert read(f"<div>{article}{other}</div>", monkeypatch) == "\n\n".join(STORY)


def test_a_teaser_in_the_midst_of_the_article_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    teaser = f"<div class=item><h4><a href=/bridge>The new bridge</a></h4><p>{BESIDE[1]}</p></div>"
    body = f"<div class=story>{paragraphs(STORY[:2])}{teaser}{paragraphs(STORY[2:])}</div>"
    assert read(body, monkeypatch) == "\n\n".join(STORY)


def test_an_endless_list_of_teasers_behind_an_article_makes_it_no_less_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    teaser = "<li><div><h3><a href=/{0}>Story {0} of the bay</a></h3><p>{1} {0}.</p></div></li>"
    stream = "".join(teaser.format(n, line) for n in range(9) for line in BESIDE)
    body = f"{PUBLISHED}<div class=body>{paragraphs(STORY)}</div><div><ul>{stream}</ul></div>"
    assert read(body, monkeypatch) == "\n\n".join(STORY)


def test_a_linked_headline_of_the_article_is_no_teaser(monkeypatch: pytest.MonkeyPatch) -> None:
    header = "<header><h1><a href=.>Tides of the bay, told by those who read them</a></h1></header>"
    body = (
        f"<article>{header}<div>{paragraphs(STORY[:2])}<h2>Later</h2>{paragraphs(STORY[2:])}</div></article>"
    )
    text = read(body, monkeypatch)
    assert text.startswith("# [Tides of the bay, told by those who read them]")
    assert "## Later" in text


def test_sentences_between_the_headline_and_the_text_are_the_articles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    byline = "<div>By Ada Lovelace, keeper of the tide gauge in the bay since the storm</div>"
    head = f"<header><h1>Tides of the bay</h1><p>{BESIDE[0]}</p>{byline}</header>"
    menu = f"<div><p>{BESIDE[1]}</p></div>"
    text = read(f"{menu}<article>{head}<div>{paragraphs(STORY)}</div></article>", monkeypatch)
    assert text == "\n\n".join([BESIDE[0], *STORY])


def test_links_between_paragraphs_stay_and_those_behind_the_last_go(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "<p><a href=/{0}>Read what the {0} says of it</a></p>"
    listed = (
        "<ul>" + "".join(f"<li><a href=/{n}>Tide table {n}</a> of the bay</li>" for n in range(9)) + "</ul>"
    )
    middle = line.format("keeper") + listed
    end = line.format("council") + listed.replace("Tide table", "Another page")
    body = f"<div class=story>{paragraphs(STORY[:2])}{middle}{paragraphs(STORY[2:])}{end}</div>"
    text = read(body, monkeypatch)
    assert "Read what the keeper says" in text
    assert "Tide table 8" in text
    assert "council" not in text
    assert "Another page" not in text


def test_a_long_list_of_the_article_stays_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    items = "".join(f"<li>Point {n}: {line}</li>" for n in range(6) for line in STORY)  # cut into pieces
    story = f"<div class=story>{paragraphs(STORY)}<ul>{items}</ul><p>{BESIDE[0]}</p></div>"
    text = read(f"<div>{story}<div>{paragraphs(BESIDE[1:])}</div></div>", monkeypatch)
    assert all(f"Point {n}: {line}" in text for n in range(6) for line in STORY)


def test_structure_of_the_article_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    table = "<table><tr><th>Year<th>Metres<tr><td>1953<td>3.4</table>"
    code = "<figure><pre><code>read(staff)</code></pre></figure>"
    picture = "<figure><img src=/a.png alt=Staff><figcaption>The staff at low water</figcaption></figure>"
    body = f"<div class=story>{paragraphs(STORY[:2])}{table}{code}{picture}<h2>Later</h2>{paragraphs(STORY[2:])}</div>"
    text = read(body, monkeypatch)
    for kept in ("| Year | Metres |", "read(staff)", "The staff at low water", "## Later"):
        assert kept in text


def test_signs_that_are_whole_words_weigh_as_words_do(monkeypatch: pytest.MonkeyPatch) -> None:
    story = ["港の検潮所は嵐のあとに建て直され、それからずっと潮の高さを記録している。"] * 5
    lines = [f"{number}{line}" for number, line in enumerate(story)]
    body = f"<div class=story>{paragraphs(lines)}</div><div class=related>{paragraphs(BESIDE)}</div>"
    assert read(body, monkeypatch) == "\n\n".join(lines)


@pytest.mark.parametrize(
    "body",
    [
        f"<div class=story>{paragraphs(STORY[:2])}</div>",  # too little
        "".join(  # as much elsewhere
            f"<div class='c{n}'><div class='d{n}'><h2><a href=/{n}>Place {n}</a></h2>{paragraphs(BESIDE)}</div></div>"
            for n in range(5)
        ),
    ],
)
def test_the_library_is_asked_where_the_scores_are_not_sure(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("trafilatura.extract", lambda html, **_options: asked.append(html))
    extract(page_capture(f"<html><head></head><body>{FRAME}{body}{'<p>Short line</p>' * 9}</body></html>"))
    assert len(asked) == 1


@pytest.mark.parametrize(("head", "times"), [("", 1), (SHARED, 1), (SHARED + PUBLISHED, 0)])
def test_most_words_of_a_page_must_be_chosen_unless_it_says_that_it_is_an_article(
    head: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("trafilatura.extract", lambda html, **_options: asked.append(html))
    index = "".join(f"<li><a href=/{n}>Directive number {n}</a></li>" for n in range(99))
    frame = "<script></script>" * 9
    body = f"{frame}<div id=preamble>{paragraphs(STORY)}</div><div id=directive-list><ul>{index}</ul></div>"
    markdown = extract(page_capture(f"<html><head>{head}</head><body>{body}</body></html>")).markdown
    assert STORY[0] in markdown
    assert len(asked) == times
    assert ("Directive number 98" in markdown) == (times == 1)


def test_a_page_too_large_for_the_library_is_still_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webrag_desktop.ingestion.html.articles.LARGEST_PAGE", 100)
    body = f"<div class=story>{paragraphs(STORY)}</div><div class=related>{paragraphs(BESIDE)}</div>"
    assert read(body, monkeypatch) == "\n\n".join(STORY)


@pytest.mark.parametrize(
    ("short", "kept"),
    [
        ("<h2>Steps</h2><ol><li>Stir it.</li><li>Wait.</li></ol>", "1. Stir it.\n2. Wait."),
        ("<pre>level = read(1)</pre>", "level = read(1)"),
        ("<table><tr><th>Pier</th><th>Level</th></tr><tr><td>North</td><td>19</td></tr></table>", "| North | 19 |"),
    ],
)  # fmt: skip
def test_a_short_part_with_structure_behind_the_text_stays(
    short: str, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        f"<main><h1>Tides of the bay</h1><div>{paragraphs(STORY)}</div><div class=box>{short}</div>"
        f"<div class=steps><p>Read it all.</p></div><div class=also><ol><li><a href=/1>A tale</a></ol></div></main>"
    )
    markdown = read(body, monkeypatch)
    assert kept in markdown
    assert "A tale" not in markdown


SECTION = "<section id={} class=level2><h2>{}</h2>{}</section>"


def test_sections_named_by_their_headings_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = "".join(
        SECTION.format(name.lower().replace(" ", "-"), name, paragraphs([line]))
        for name, line in zip(("Gauges", "Related work", "Author guidelines"), STORY, strict=False)
    )
    body = f"<main><h1>Tides of the bay</h1><div>{paragraphs(STORY[3:])}{parts}</div></main>"
    assert all(line in read(body, monkeypatch) for line in STORY)


def test_parts_named_by_their_headings_with_no_section_beside_them_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = "".join(
        SECTION.format(name.lower(), name, paragraphs([line]))
        for name, line in zip(("Comments", "Newsletter"), BESIDE, strict=False)
    )
    body = f"<main><h1>Tides of the bay</h1><div><div>{paragraphs(STORY)}</div>{parts}</div></main>"
    markdown = read(body, monkeypatch)
    assert not any(line in markdown for line in BESIDE)


def test_pictures_of_the_articles_own_gallery_keep_their_captions(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = "".join(
        f"<figure><img src=/{n}.jpg><figcaption>The bay in year {n}, with the old staff.</figcaption></figure>"
        for n in (3, 4)
    )
    body = f"<main><h1>Tides</h1>{paragraphs(STORY)}<div class=gallery>{pictures}</div>{paragraphs(BESIDE)}</main>"
    assert "The bay in year 4, with the old staff." in read(body, monkeypatch)


def test_code_is_no_control_whatever_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "<pre class='language-c print' id=poll>poll(fds, 1, timeout);</pre>"
    body = f"<main><h1>Tides</h1>{paragraphs(STORY)}{code}{paragraphs(BESIDE)}</main>"
    assert "poll(fds, 1, timeout);" in read(body, monkeypatch)


@pytest.mark.parametrize(
    ("address", "words", "stays"),
    [
        ("https://archive.example.net/{}", "The gauge book of the year {}", True),
        ("https://example.org/{}", "The gauge book of the year {}", False),
        ("https://network.example.net/{}", "Network {}", False),
    ],
)
def test_sources_of_an_article_stay(
    address: str, words: str, stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = "".join(
        f"<li><a href='{address.format(n)}'>{words.format(n)}</a></li>" for n in range(1950, 1956)
    )
    body = f"<main><h1>Tides</h1>{paragraphs(STORY)}<h2>See there</h2><ul>{items}</ul></main>"
    assert (words.format(1952) in read(body, monkeypatch)) is stays
