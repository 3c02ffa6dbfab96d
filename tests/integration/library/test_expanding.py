"""Following links until a question is answered, on real sites on loopback, with a worker process of its own."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event
from uuid import uuid4

import psycopg
import pytest

from tests.support.fused_model import prepared_home
from tests.support.pages import Page, PageServer
from tests.support.queue_work import assert_sound
from tests.support.sites import (
    ANSWER,
    NOUNS,
    QUESTION,
    EndlessSite,
    Topic,
    held,
    large,
    manual,
    robots,
    site,
    slowly,
)
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import Library, open_library
from webrag_desktop.errors import InputError
from webrag_desktop.expansion.contracts import CandidateLink
from webrag_desktop.expansion.events import (
    Candidates,
    Ended,
    Expansion,
    ExpansionEvent,
    Judged,
    Started,
    Visited,
)
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.library import expansions

AWAY = "What does the heliograph of the observatory measure?"


@pytest.fixture(scope="module")
def opened() -> Iterator[Library]:
    with (
        prepared_home() as home,
        open_library(home, EMBEDDING_BACKEND="embedded", EMBEDDING_MODEL=TESTED_MODEL) as library,
        library.database.dedicated() as conn,
    ):
        assert expansions.hold_run(conn, uuid4())  # a worker stays as long as somebody may need it again
        yield library
        library.worker.stop(3)


@pytest.fixture
def library(opened: Library) -> Iterator[Library]:
    """One library for all tests of the module, empty again after each."""
    yield opened
    opened.queue.cancel()
    opened.documents.delete_all([row.id for row in opened.documents.all()])
    assert_sound(opened.database)


@pytest.fixture
def pages() -> Iterator[PageServer]:
    with PageServer(site(manual())) as server:
        yield server


def begin(library: Library, pages: PageServer, path: str = "/") -> None:
    library.wait([one.source_id for one in library.add([pages.url(path)])])  # type: ignore[union-attr]


def asked(pages: PageServer) -> list[str]:
    return [request.path for request in pages.requests if request.path != "/robots.txt"]


def run(events: Iterator[ExpansionEvent]) -> tuple[list[ExpansionEvent], Expansion]:
    reported = list(events)
    assert isinstance(reported[0], Started)
    assert isinstance(reported[-1], Ended)
    return reported, reported[-1].run


def test_a_question_that_is_answered_two_links_away_is_answered(library: Library, pages: PageServer) -> None:
    begin(library, pages)
    reported, ended = run(library.expand(QUESTION))
    assert ended.reason == "covered"
    answer = next(visit for visit in ended.visits if visit.url == pages.url(ANSWER))
    assert (answer.outcome, answer.depth, answer.parent_url) == ("new", 2, pages.url("/engine/"))
    assert answer.gave_evidence
    found = library.search(QUESTION, mode="chunk")
    assert "412 hours" in found.chunks[0].chunk_text
    assert {row.url: row.depth for row in library.documents.all()}[pages.url(ANSWER)] == 2
    assert ended.coverage_before.verdict != "covered"
    assert ended.coverage_after is not None
    assert ended.coverage_after.verdict == "covered"
    assert len(asked(pages)) < len(manual()), "not the whole site was fetched"
    assert len(asked(pages)) == len(set(asked(pages))), "nothing was fetched twice"
    assert {type(event) for event in reported} == {Started, Candidates, Visited, Judged, Ended}
    assert library.expansions.get(ended.id) == ended
    drawn = ended.diagram()
    assert "engine" in drawn
    assert "[✓]" in drawn


def test_nothing_is_fetched_where_the_library_covers_the_question(
    library: Library, pages: PageServer
) -> None:
    begin(library, pages, ANSWER)
    _reported, ended = run(library.expand(QUESTION))
    assert ended.reason == "covered"
    assert ended.visits == ()
    assert asked(pages) == [ANSWER]


def test_a_preview_fetches_nothing(library: Library, pages: PageServer) -> None:
    begin(library, pages)
    coverage, links = library.expansion_preview(QUESTION)
    assert coverage.verdict != "covered"
    assert links[0].url == pages.url("/engine/")
    assert all(link.why for link in links)
    assert asked(pages) == ["/"]
    assert library.expansions.all() == [] or library.expansions.all()[0].question != "preview"


def test_links_that_share_no_word_are_chosen_by_their_meaning(library: Library) -> None:
    named = {"cheese": "Dairy farming", "carpets": "Weaving", "telegraphs": "Submarine telegraphs"}
    listed = "".join(f'<li><a href="/{path}">{name}</a></li>' for path, name in named.items())
    with PageServer(
        {"/": f"<main><h1>Museum</h1><p>Our halls are these.</p><ul>{listed}</ul></main>"}
    ) as hall:
        begin(library, hall)
        _coverage, links = library.expansion_preview("Which ship laid the first cable under the ocean?")
    assert links[0].url == hall.url("/telegraphs")
    assert links[0].why == "Near in meaning: “Submarine telegraphs”"
    assert [link.why for link in links[1:]] == ["No shared terms, but linked where the search came near"] * 2


def test_the_user_chooses_what_is_followed(library: Library, pages: PageServer) -> None:
    begin(library, pages)
    offered: list[Sequence[CandidateLink]] = []

    def choose(links: Sequence[CandidateLink]) -> list[str]:
        offered.append(links)
        return [pages.url("/galley/")] if len(offered) == 1 else []

    _reported, ended = run(library.expand(AWAY, choose=choose))
    assert ended.reason == "stopped"
    assert asked(pages) == ["/", "/galley/"]
    assert pages.url("/galley/bread") in {link.url for link in offered[1]}


def test_a_page_that_is_there_is_looked_at_again_when_it_is_chosen(
    library: Library, pages: PageServer
) -> None:
    pages.pages["/anchor/"] = Page(Topic("/anchor/", "Anchor", "Old words.", (("/", "Start"),)).html)
    begin(library, pages)
    begin(library, pages, "/anchor/")
    begin(library, pages, "/paint/")
    pages.pages["/anchor/"] = Page(Topic("/anchor/", "Anchor", "The windlass has a new chain.").html)
    wanted = [pages.url("/anchor/"), pages.url("/paint/")]
    answers = iter([wanted, []])
    _reported, ended = run(library.expand(AWAY, choose=lambda _links: next(answers)))
    outcomes = {visit.url: visit.outcome for visit in ended.visits}
    assert [outcomes[url] for url in wanted] == ["changed", "unchanged"]
    assert len(library.documents.all()) == 3


@pytest.mark.parametrize(
    ("limits", "most"),
    [({"pages": 3}, 3), ({"depth": 1}, 6), ({"bytes": 1}, 1)],
)
def test_limits_hold(library: Library, pages: PageServer, limits: dict[str, int], most: int) -> None:
    begin(library, pages)
    everything = {"choose": lambda links: [link.url for link in links]}
    _reported, ended = run(library.expand(AWAY, ExpansionLimits(**limits), **everything))  # type: ignore[arg-type]
    assert ended.reason in ("limits", "nothing_to_follow")
    assert 0 < len(asked(pages)) - 1 <= most
    assert all(visit.depth <= ended.limits.depth for visit in ended.visits)


@pytest.mark.parametrize("readable", [True, False])
def test_the_page_that_meets_the_limit_of_bytes_is_the_last_whether_it_can_be_read_or_not(
    library: Library, readable: bool
) -> None:
    paths = [f"/{name}" for name in NOUNS[:6]]
    text = "An otter sleeps. " * 6000 if readable else f"<script>{'x' * 100_000}</script>"
    with PageServer(site(large(paths, text))) as pages:
        if not readable:
            pages.pages |= dict.fromkeys(paths, f"<html><body>{text}</body></html>")
        begin(library, pages)
        limits = ExpansionLimits(bytes=150_000)
        _reported, ended = run(
            library.expand(AWAY, limits, choose=lambda links: [link.url for link in links])
        )
        assert ended.reason == "limits"
        assert len(asked(pages)) == 3, "the start, and two of which the second meets the limit"
        outcome = "new" if readable else "failed"
        assert [visit.outcome for visit in ended.visits if visit.depth] == [outcome] * 2
        assert len(library.documents.all()) == (3 if readable else 1)
        assert library.queue.unfinished() == []


def test_what_the_user_gives_while_a_run_has_it_under_way_goes_on_when_that_is_stopped(
    library: Library, pages: PageServer
) -> None:
    begin(library, pages)
    topics = {topic.path: topic for topic in manual()}
    released = Event()
    # The engine is fetched behind the galley, which ranks above it.
    pages.pages["/engine/"] = held(topics["/engine/"], released)
    wanted = [pages.url("/galley/"), pages.url("/engine/"), pages.url("/paint/")]
    cancel = CancelToken()
    for event in library.expand(AWAY, choose=lambda _links: wanted, cancel=cancel):
        if isinstance(event, Visited) and event.url == wanted[0]:
            (given,) = library.add([wanted[1]])
            cancel.cancel()
    released.set()
    library.wait([given.source_id])  # type: ignore[union-attr]
    states = {row.url: (row.state, row.depth) for row in library.documents.all()}
    assert states.pop(wanted[2], ("ready", 1)) == ("ready", 1)  # it may have come in before the stop
    assert states == {pages.url("/"): ("ready", 0), wanted[0]: ("ready", 1), wanted[1]: ("ready", 0)}


def test_pages_of_a_capture_go_on_when_a_run_that_wanted_them_too_ends(
    library: Library, pages: PageServer
) -> None:
    begin(library, pages)
    topics = {topic.path: topic for topic in manual()}
    released = Event()
    pages.pages["/engine/"] = held(topics["/engine/"], released)
    capture = library.sites.begin(pages.url("/"), "site")
    next(step for step in library.sites.watch(capture.id) if step.under_way == 6)
    everything = {"choose": lambda links: [link.url for link in links]}
    _reported, ended = run(library.expand(AWAY, ExpansionLimits(seconds=3), **everything))  # type: ignore[arg-type]
    assert ended.reason == "limits"
    assert library.sites.get(capture.id).under_way == 6
    released.set()
    for _step in library.sites.watch(capture.id):
        pass
    done = library.sites.get(capture.id)
    assert (done.reason, done.visited, done.failed) == ("done", len(manual()), 0)
    assert len(library.documents.all()) == len(manual())


def test_after_the_time_is_up_nothing_more_is_fetched(library: Library, pages: PageServer) -> None:
    begin(library, pages)
    for topic in manual():
        if topic.path == "/galley/":
            pages.pages[topic.path] = slowly(topic, 60)
    answers = iter([[pages.url("/galley/"), pages.url("/rigging/"), pages.url("/paint/")]])
    _reported, ended = run(
        library.expand(AWAY, ExpansionLimits(seconds=3), choose=lambda _links: next(answers, []))
    )
    assert ended.reason == "limits"
    assert pages.url("/galley/") not in {visit.url for visit in ended.visits}
    assert pages.url("/galley/") not in {row.url for row in library.documents.all()}, (
        "nobody asked for it himself"
    )


def test_what_robots_txt_forbids_is_not_fetched_and_reported(library: Library, pages: PageServer) -> None:
    pages.pages["/robots.txt"] = robots("User-agent: *\nDisallow: /engine/\n")
    begin(library, pages)
    _reported, ended = run(library.expand(QUESTION))
    assert ended.reason in ("no_gain", "nothing_to_follow", "limits")
    forbidden = [visit for visit in ended.visits if visit.outcome == "forbidden"]
    assert [visit.url for visit in forbidden] == [pages.url("/engine/")]
    assert "robots.txt" in (forbidden[0].problem or "")
    assert not any(path.startswith("/engine/") for path in asked(pages))
    assert pages.url("/engine/") not in {row.url for row in library.documents.all()}


def test_what_the_user_removed_stays_in_the_bin_and_is_reported(library: Library, pages: PageServer) -> None:
    begin(library, pages)
    _reported, _ended = run(library.expand(QUESTION))
    (removed,) = (row.id for row in library.documents.all() if row.url == pages.url(ANSWER))
    library.documents.remove(removed)
    reported, ended = run(library.expand(QUESTION))
    left = [visit for visit in ended.visits if visit.outcome == "in_bin"]
    assert [(visit.url, visit.document_id) for visit in left] == [(pages.url(ANSWER), None)]
    seen = [event.url for event in reported if isinstance(event, Visited) and event.outcome == "in_bin"]
    assert seen == [pages.url(ANSWER)], "and is not chosen again"
    assert [row.id for row in library.bin.all()] == [removed]


def test_while_robots_txt_cannot_be_had_a_run_says_so_and_goes_on_later(
    library: Library, pages: PageServer
) -> None:
    pages.pages["/robots.txt"] = Page(status=500)
    begin(library, pages)
    reported, ended = run(library.expand(QUESTION))
    assert ended.reason == "failed"
    assert "robots.txt cannot be had" in (ended.problem or "")
    assert "fault of its own (500)" in (ended.problem or "")
    assert {event.outcome for event in reported if isinstance(event, Visited)} == {"failed"}
    assert not any(visit.depth for visit in ended.visits)
    assert asked(pages) == ["/"]
    assert len(pages.requests) == 2, "a site that does not answer is asked once"
    del pages.pages["/robots.txt"]
    _reported, ended = run(library.expansions.resume(ended.id))
    assert ended.reason == "covered"
    assert ended.problem is None


def test_stopping_keeps_what_is_there(library: Library, pages: PageServer) -> None:
    begin(library, pages)
    cancel = CancelToken()
    reported: list[ExpansionEvent] = []
    for event in library.expand(AWAY, cancel=cancel):
        reported.append(event)
        if isinstance(event, Visited):
            cancel.cancel()
    assert isinstance(reported[-1], Ended)
    ended = reported[-1].run
    assert ended.reason == "stopped"
    had = {visit.url for visit in ended.visits if visit.outcome == "new"}
    assert had
    assert {row.url for row in library.documents.all()} == had | {pages.url("/")}
    assert library.queue.unfinished() == []
    assert library.expansions.get(str(ended.id)[:8]).reason == "stopped"


def test_closing_the_iterator_stops_it(library: Library, pages: PageServer) -> None:
    begin(library, pages)
    with closing(library.expand(AWAY)) as events:  # type: ignore[type-var]
        first = next(event for event in events if isinstance(event, Visited))
    newest = library.expansions.all()[0]
    assert newest.reason == "stopped"
    assert first.url in {visit.url for visit in newest.visits}
    assert library.queue.unfinished() == []


def test_what_was_stopped_goes_on_and_ends_as_it_would_have(library: Library, pages: PageServer) -> None:
    begin(library, pages)
    with closing(library.expand(QUESTION)) as events:  # type: ignore[type-var]
        next(event for event in events if isinstance(event, Visited))
    kept = library.expansions.all()[0]
    _reported, ended = run(library.expansions.resume(kept.id))
    assert ended.id == kept.id
    assert ended.reason == "covered"
    assert len(asked(pages)) == len(set(asked(pages)))
    with pytest.raises(InputError, match="its own end"):
        library.expansions.resume(kept.id)


def test_a_run_is_in_one_process_at_a_time(library: Library, pages: PageServer) -> None:
    begin(library, pages)
    events = library.expand(AWAY)
    started = next(events)
    assert isinstance(started, Started)
    with pytest.raises(InputError, match="running"):
        list(library.expansions.resume(started.run_id))
    with pytest.raises(InputError, match="running"):
        library.expansions.remove(started.run_id)
    assert isinstance(list(events)[-1], Ended)
    library.expansions.remove(started.run_id)


def test_a_run_that_ended_can_be_had_at_once_even_if_connections_end_later(
    library: Library, pages: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(library, pages)
    with ExitStack() as ending:

        def close_later(conn: psycopg.Connection[object]) -> None:
            ending.callback(closed, conn)

        closed = psycopg.Connection.close
        monkeypatch.setattr(psycopg.Connection, "close", close_later)
        run_id = run(library.expand(QUESTION))[1].id
        library.expansions.remove(run_id)
        monkeypatch.undo()


def test_pages_that_fail_leave_no_trace_but_in_the_run(library: Library, pages: PageServer) -> None:
    pages.pages["/engine/"] = Page("Nothing.", status=404)
    begin(library, pages)
    _reported, ended = run(library.expand(QUESTION))
    failed = next(visit for visit in ended.visits if visit.url == pages.url("/engine/"))
    assert failed.outcome == "failed"
    assert failed.problem == (
        "The site has no page at this address (404). Check the address for typing mistakes."
    )
    assert pages.url("/engine/") not in {row.url for row in library.documents.all()}


def test_a_page_that_was_moved_is_drawn_where_it_was_found(library: Library, pages: PageServer) -> None:
    links = (("/old", "Impeller of the cooling water pump"),)
    pages.pages["/"] = Topic("/", "Start", "The impeller.", links).html
    pages.pages["/old"] = Page.redirect(ANSWER)
    begin(library, pages)
    _reported, ended = run(library.expand(QUESTION))
    assert [visit.url for visit in ended.visits] == [pages.url("/"), pages.url("/old")]
    assert ended.visits[1].source_url == pages.url(ANSWER)
    assert ended.diagram() == f"127.0.0.1:{pages.port} → {ANSWER} [✓]"


@pytest.mark.parametrize("kind", ["deeper", "calendar", "sessions", "sorting"])
def test_a_trap_is_bounded(library: Library, kind: str) -> None:
    counter = iter(range(10_000))

    def links(path: str) -> list[str]:
        bare = path.partition("?")[0].rstrip("/")
        match kind:
            case "deeper":
                return [f"{bare}/more/", f"{bare}/more/more/"]
            case "calendar":
                return [f"/calendar/{2000 + next(counter) // 12}/{next(counter) % 12 + 1}" for _ in range(30)]
            case "sessions":
                return [f"/shop?PHPSESSID={next(counter):032x}" for _ in range(30)]
            case _:
                return [f"/list?sort={order}&dir={way}" for order in "abcdefghij" for way in ("asc", "desc")]

    with EndlessSite(links) as trap:
        begin(library, trap)
        limits = ExpansionLimits(pages=50, depth=8)
        reported, ended = run(
            library.expand("Is anything to be seen on the page of the trap?", limits, choose=all_new)
        )
        assert ended.reason == "nothing_to_follow"
        assert len(asked(trap)) <= 14
        left_out = max(event.left_out for event in reported if isinstance(event, Candidates))
        assert (left_out > 0) == (kind != "sessions")  # those are the same page again


def all_new(links: Sequence[CandidateLink]) -> list[str]:
    return [link.url for link in links if not link.known]


def test_a_link_of_a_loopback_page_to_another_server_there_is_not_followed(
    library: Library, pages: PageServer
) -> None:
    with PageServer({"/secret": Topic("/secret", "Impeller", "The impeller pump hours.").html}) as other:
        pages.pages["/"] = Topic(
            "/", "Start", "The impeller.", ((other.url("/secret"), "Impeller of the cooling water pump"),)
        ).html
        begin(library, pages)
        _reported, ended = run(library.expand(QUESTION, ExpansionLimits(same_site=False)))
        assert other.requests == []
        assert [visit.outcome for visit in ended.visits if visit.depth] == ["forbidden"]


def test_while_indexing_is_paused_nothing_is_begun_and_it_goes_on_later(
    library: Library, pages: PageServer
) -> None:
    begin(library, pages)
    library.queue.pause()
    _reported, ended = run(library.expand(f"{QUESTION}\ud800"))
    library.queue.resume()
    assert ended.reason == "failed"
    assert "paused" in (ended.problem or "")
    assert asked(pages) == ["/"]
    _reported, ended = run(library.expansions.resume(ended.id))
    assert ended.reason == "covered"


def test_a_round_that_never_began_or_brought_nothing_is_none_without_gain(
    library: Library, pages: PageServer
) -> None:
    begin(library, pages)
    library.queue.pause()
    _reported, ended = run(library.expand(QUESTION))
    for _attempt in range(3):
        reported, ended = run(library.expansions.resume(ended.id))
        assert not any(isinstance(event, Judged) for event in reported), (
            "nothing came in that could be judged"
        )
    library.queue.resume()
    topics = {topic.path: topic for topic in manual()}
    for path in ("/engine/", "/anchor/", "/crew/", "/galley/", "/rigging/", "/paint/"):
        pages.pages[path] = Page("Nothing.", status=404)
    _reported, ended = run(library.expansions.resume(ended.id))
    assert (ended.reason, ended.limit_met) == ("nothing_to_follow", None), (
        "a page that fails is no evidence either way"
    )
    assert len([visit for visit in ended.visits if visit.outcome == "failed"]) == 6
    start = topics["/"]
    pages.pages["/"] = Topic("/", start.title, start.text, (*start.links, (ANSWER, "Cooling"))).html
    ids = [row.id for row in library.documents.all()]
    library.documents.refresh(ids)
    library.wait(ids)
    _reported, ended = run(library.expansions.resume(ended.id))
    assert ended.reason == "covered"


def test_a_run_that_met_a_limit_names_it_and_goes_on_within_others(
    library: Library, pages: PageServer
) -> None:
    begin(library, pages)
    _reported, ended = run(library.expand(QUESTION, ExpansionLimits(pages=1)))
    assert (ended.reason, ended.limit_met) == ("limits", "pages")
    _reported, ended = run(library.expansions.resume(ended.id))
    assert (ended.reason, ended.limit_met, len(asked(pages))) == ("limits", "pages", 2)
    further = ended.limits_to_go_on()
    assert further == ExpansionLimits(pages=2)
    _reported, ended = run(library.expansions.resume(ended.id, ExpansionLimits(pages=9)))
    assert (ended.reason, ended.limit_met, ended.limits.pages) == ("covered", None, 9)


def test_whether_the_user_chose_each_round_is_kept(library: Library, pages: PageServer) -> None:
    begin(library, pages)
    _reported, ended = run(library.expand(AWAY, choose=lambda _links: []))
    assert ended.chosen_by_user
    assert library.expansions.get(ended.id).chosen_by_user
    _reported, ended = run(library.expansions.resume(ended.id, ExpansionLimits(pages=1)))
    assert not ended.chosen_by_user


def test_an_empty_library_has_nothing_to_follow(library: Library, tmp_path: Path) -> None:
    _reported, ended = run(library.expand(QUESTION))
    assert ended.reason == "nothing_to_follow"
    assert ended.coverage_before.verdict == "missing"
