"""Which links are followed first, why, and that traps are bounded."""

import hashlib
import re

import pytest

from webrag_desktop.expansion.contracts import LinkCandidate
from webrag_desktop.expansion.question_words import QuestionWords
from webrag_desktop.expansion.scoring import score_links
from webrag_desktop.expansion.url_shapes import (
    LONGEST_PATH,
    MOST_NUMBERED,
    MOST_OF_A_SHAPE,
    most_of,
    url_shape,
)

QUESTION = QuestionWords("Which core did the Atlantic cable have?")
SITE = "https://a.test/"


def link(path: str, **given: object) -> LinkCandidate:
    return LinkCandidate(**{"url": SITE + path, "parent_url": SITE, "depth": 1, "passage_score": 0.5} | given)  # type: ignore[arg-type]


def order(*links: LinkCandidate, missing: tuple[str, ...] = ()) -> list[str]:
    return [one.link.url.removeprefix(SITE) for one in score_links(QUESTION, links, missing=missing)]


# -- Signals, in the seed's order --------------------------------------------------------------------------------

BY_SIGNAL = (
    link("described", description="The core of the Atlantic cable"),
    link("named", text="core of the Atlantic cable"),
    link("told", text="see there", sentence="On the core of the Atlantic cable see there."),
    link("under", text="see there", heading="Core of the Atlantic cable"),
    link("atlantic/cable/core", text="see there"),
    link("last", text="see there"),
)


def test_description_goes_before_anchor_sentence_heading_and_address() -> None:
    expected = ["described", "named", "told", "under", "atlantic/cable/core", "last"]
    assert order(*BY_SIGNAL) == expected
    assert order(*reversed(BY_SIGNAL)) == expected
    assert [one.why for one in score_links(QUESTION, BY_SIGNAL)] == [
        "Described as “The core of the Atlantic cable”",
        "Linked as “core of the Atlantic cable”",
        "Linked in “On the core of the Atlantic cable see there.”",
        "Linked under “Core of the Atlantic cable”",
        "Its address says: atlantic, cable, core",
        "No shared terms, but linked where the search came near",
    ]


def test_a_description_that_speaks_of_it_decides_over_the_anchor() -> None:
    weak = link("weak", text="core of the Atlantic cable", description="All about another cable")
    strong = link("strong", text="core of the Atlantic cable")
    assert order(weak, strong) == ["strong", "weak"]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({}, {"is_same_site": False}),
        ({"depth": 1}, {"depth": 2}),
        ({"passage_score": 0.9}, {"passage_score": 0.2}),
        ({"times_cited": 4}, {"times_cited": 1}),
        ({}, {"place": "navigation"}),
        ({}, {"rel": ("nofollow",)}),
    ],
)
def test_each_further_signal_orders_links_that_read_the_same(
    better: dict[str, object], worse: dict[str, object]
) -> None:
    links = [link("a-worse", text="cable core", **worse), link("z-better", text="cable core", **better)]
    first, second = score_links(QUESTION, links)
    assert first.link.url.endswith("z-better")
    assert first.score > second.score


def test_words_that_the_evidence_lacks_count_most() -> None:
    links = [link("x", text="Atlantic cable"), link("y", text="core")]
    assert order(*links) == ["x", "y"]
    assert order(*links, missing=("core",)) == ["y", "x"]


def test_words_that_every_link_holds_count_little() -> None:
    links = [link(f"n{number}", text="Atlantic") for number in range(9)]
    links += [link("a", text="Atlantic core"), link("c", text="core")]
    assert order(*links)[0] == "a"
    assert order(*links).index("c") < order(*links).index("n0")


def test_links_that_tell_nothing_stay_in_the_order_of_their_page() -> None:
    assert order(link("start"), link("guide"), link("about")) == ["start", "guide", "about"]


def test_what_is_near_in_meaning_goes_before_what_only_stands_there() -> None:
    links = [
        link("far", text="Cheese", nearness=0.05),
        link("near", text="Submarine telegraphs", nearness=0.6),
    ]
    assert order(*links) == ["near", "far"]
    assert [one.why for one in score_links(QUESTION, links)] == [
        "Near in meaning: “Submarine telegraphs”",
        "No shared terms, but linked where the search came near",
    ]
    assert order(link("words", text="core of the Atlantic cable", nearness=0.2), *links)[0] == "words"


def test_often_cited_pages_and_guesses_are_reported_as_such() -> None:
    links = [
        link("x", text="the core of the cable in the Atlantic", times_cited=6),
        link("y", text="a core", sentence="", times_cited=1),
        link("z", text="there", times_cited=3),
    ]
    assert {one.link.url.removeprefix(SITE): one.why for one in score_links(QUESTION, links)} == {
        "x": "Cited 6 times in passages you were shown",
        "y": "Few shared terms: core",
        "z": "Cited 3 times in passages you were shown",
    }


def test_scores_lie_between_none_and_one() -> None:
    best = link("x", description="core Atlantic cable", passage_score=1.0, times_cited=99)
    scores = [one.score for one in score_links(QUESTION, [best, link("y", passage_score=0.0)])]
    assert 0.9 < scores[0] <= 1.0
    assert scores[1] == 0.0


def test_what_is_known_is_no_candidate_and_the_best_of_an_address_stays() -> None:
    links = [
        link("known", text="cable core", known=True),
        link("x", text="there", parent_url=SITE + "p"),
        link("x", text="cable core"),
    ]
    (kept,) = score_links(QUESTION, links)
    assert kept.link.text == "cable core"


def test_a_page_cannot_break_the_line_that_says_why() -> None:
    (one,) = score_links(QUESTION, [link("x", text="cable\n\x1b[2J core of the Atlantic " + "x" * 200)])
    assert "\n" not in one.why
    assert "\x1b" not in one.why
    assert len(one.why) < 100


def test_endings_and_other_scripts_are_found_in_addresses() -> None:
    question = QuestionWords("Where do submarine cables reach Überlingen?")
    links = [
        LinkCandidate(f"https://a.test/{path}", SITE, 1)
        for path in ("submarine-cable", "%C3%9Cberlingen", "z")
    ]
    whys = {one.link.url: one.why for one in score_links(question, links)}
    assert "cables, submarine" in whys["https://a.test/submarine-cable"]
    assert "überlingen" in whys["https://a.test/%C3%9Cberlingen"]


# -- Traps -------------------------------------------------------------------------------------------------------

TRAPS = {
    "a calendar by folders": [f"cal/{year}/{month}" for year in range(1990, 2030) for month in range(1, 13)],
    "a calendar by parameters": [f"cal?month={m}&year={y}" for y in range(1990, 2030) for m in range(1, 13)],
    "a calendar by names": [
        f"events/{month}-{year}" for year in range(1990, 2030) for month in ("may", "june")
    ],
    "a calendar by one date": [f"events?date=2024-05-{day:02}" for day in range(1, 30)],
    "a calendar by hours": [f"events?at=2024-05-03T{hour:02}:30:00%2B02:00" for hour in range(24)],
    "a calendar by weeks": [f"calendar/2024-W{week:02}" for week in range(1, 53)],
    "a calendar by quarters": [f"report-{year}-Q{q}" for year in range(1950, 2030) for q in (1, 2, 3, 4)],
    "a calendar in words": [
        f"calendar/{year}/{month}" for year in range(1950, 2030) for month in ("may", "June")
    ],
    "events by their dates": [f"event-2024-05-{day:02}" for day in range(1, 30)],
    "files by their dates": [f"log_202405{day:02}.html" for day in range(1, 30)],
    "sessions of ASP.NET": [f"(S({number:024x}))/home.aspx" for number in range(300)],
    "session ids in paths": [f"home.html;jsessionid={number:032X}" for number in range(300)],
    "session ids in parameters": [f"home?PHPSESSID={number:x}" for number in range(300)],
    "orders of a list": [f"list?sort={by}&order={way}" for by in "abcdefg" for way in ("asc", "desc")],
    "filters of a shop": [
        f"shop?colour={colour}&size={size}&brand={brand}"
        for colour in "abcde"
        for size in "smlx"
        for brand in "xyz"
    ],
    "filters put together": [
        f"shop?{'&'.join(f'{name}=on' for bit, name in enumerate('abcdefgh') if number >> bit & 1)}"
        for number in range(256)
        if number.bit_count() > 2
    ],
    "two filters": [f"shop?colour={colour}&size={size}" for colour in "abcdefgh" for size in "smlx"],
    "a link that adds its folder": ["a/" * number for number in range(1, 200)],
    "links that add two folders": ["x/y/" * number for number in range(1, 200)],
    "folders without end": ["/".join(f"f{at}" for at in range(number)) for number in range(13, 200)],
    "random names": [f"r/{hashlib.sha256(bytes([n])).hexdigest()}" for n in range(200)],
    "anchors": [f"page#{number}" for number in range(300)],
    "tracking": [f"page?utm_source={number}" for number in range(300)],
    "answers to a comment": [f"post?replytocom={number}" for number in range(300)],
}


@pytest.mark.parametrize("trap", TRAPS)
def test_traps_are_bounded(trap: str) -> None:
    links = [link(path, text="Atlantic cable core") for path in TRAPS[trap]]
    honest = link("cable-core", text="cable core")
    kept = order(*links, honest)
    assert "cable-core" in kept
    assert 1 <= len(kept) - 1 <= MOST_OF_A_SHAPE + 1  # with the folder itself, where repetition begins
    rest = [one for one in links if one.url.removeprefix(SITE) not in kept]
    assert score_links(QUESTION, rest, visited=[SITE + path for path in kept]) == []


NUMBERED = ("node/{}", "?p={}", "abs/2401.{:05}", "item{}", "photo-{:04}.jpg", "ch{:02}s02.html", "rfc{}.txt",
            "list/page-{}", "viewtopic.php?f=3&t={}", "v{}/guide", "order?view={}")  # fmt: skip


@pytest.mark.parametrize("path", NUMBERED)
def test_more_are_visited_where_plain_numbers_alone_differ(path: str) -> None:
    links = [link(path.format(number), text="Atlantic cable core") for number in range(1, 300)]
    assert len(score_links(QUESTION, links)) == MOST_NUMBERED
    assert len(score_links(QUESTION, links, most_numbered=200)) == 200


def test_whoever_follows_many_pages_may_allow_more_of_a_shape() -> None:
    links = [link(f"day?date=2024-05-{number}", text="cable") for number in range(10, 29)]
    assert len(score_links(QUESTION, links)) == MOST_OF_A_SHAPE
    assert len(score_links(QUESTION, links, most_of_a_shape=15)) == 15


@pytest.mark.parametrize("name", ["view", "order", "mode", "next", "display"])
def test_parameters_that_may_name_pages_are_not_taken_for_orders_of_one_page(name: str) -> None:
    paths = [f"q?{name}=anchor", f"q?{name}=basalt"]
    assert sorted(order(*[link(path) for path in paths])) == paths
    assert len(order(*[link(f"q?{name}=x{letter}") for letter in "abcdefgh"])) == MOST_OF_A_SHAPE


@pytest.mark.parametrize(
    "paths",
    [
        ["wiki/Cable", "wiki/Core", "wiki/Atlantic"],
        ["w?title=Cable", "w?title=Core"],
        ["2024/05/06/core", "2024/05/07/cable"],
        ["docs/a/docs/b", "docs/a/docs"],
        ["How-To-Install-Python-3-On-Debian-12", "How-To-Install-Python-3-On-Debian-11"],
        ["a.html", "a.pdf"],
    ],
)
def test_pages_that_people_named_are_not_taken_for_one(paths: list[str]) -> None:
    assert len({url_shape(SITE + path) for path in paths}) == len(paths)


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("calendar/2024/05/", "a.test/calendar/{date}/{date}"),
        ("a/a/a", "a.test/a/{again}"),
        ("x?sid=7&sort=up#top", "a.test/x"),
        ("c/550e8400-e29b-41d4-a716-446655440000", "a.test/c/{id}"),
        ("c/550e8400-2dec-41d4-a716-446655440000", "a.test/c/{id}"),
        ("2024-05-06.html", "a.test/{date}.html"),
        ("w?b=up&a=2", "a.test/w?a={value}&b={value}"),
        ("w?b=1&a=2", "a.test/w?a={number}&b={number}"),
        ("w?month=5", "a.test/w?month={date}"),
        ("abs/2401.01234", "a.test/abs/{number}"),
        ("3.12/library/os.html", "a.test/{number}/library/os.html"),
        ("2024.1/guide", "a.test/{number}/guide"),
        ("item123", "a.test/item{number}"),
        ("may/be", "a.test/may/be"),
        ("market-12", "a.test/market-{number}"),
    ],
)
def test_shapes(path: str, shape: str) -> None:
    assert url_shape(SITE + path) == shape
    others = set(re.findall(r"{\w+}", shape))
    assert most_of(shape) == (MOST_NUMBERED if others == {"{number}"} else MOST_OF_A_SHAPE if others else 1)


def test_the_same_address_by_another_scheme_or_user_has_one_shape() -> None:
    assert url_shape("http://user:secret@A.test/x/") == url_shape("https://a.test/x")
    assert url_shape("https://[broken") == "https://[broken"


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("1" * 5_000 + "x", "1" * 5_000 + "x"),
        ("1-" * 2_500, "1-" * 2_500),
        ("a/" * 4_000, "a/{again}"),
        ("a1b/c2d/" * 1_000 + "e", "a1b/c2d/{again}/e"),
        ("/".join(map(str, range(2_000))), "/".join(["{number}"] * LONGEST_PATH + ["{again}"])),
        ("aB1" * 2_000 + "-", "aB1" * 2_000 + "-"),
        ("1jan" * 2_000, "1jan" * 2_000),
        ("2024-05-" * 1_000, "-".join(["{date}"] * 1_000) + "-"),
        ("2024-05-03T10:00:00." + "0" * 8_000, "{date}." + "0" * 8_000),
        ("xy12" * 2_000, "xy12" * 2_000),
        ("a1" + "-11" * 2_500 + "x", "a1" + "-11" * 2_500 + "x"),
        ("(S(" * 2_000, "(S(" * 2_000),
    ],
)
def test_an_address_made_to_do_harm_is_read_like_any_other(path: str, shape: str) -> None:
    assert url_shape(SITE + path) == "a.test/" + shape  # one that is read in many ways would not end
