"""Capturing sites: by their links, a section of them, or what they list, on loopback and by a worker process."""

import gzip
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import count
from uuid import UUID, uuid4

import pytest

from tests.support.fused_model import prepared_home
from tests.support.pages import Page, PageServer
from tests.support.queue_work import assert_sound
from tests.support.sites import NOUNS, EndlessSite, Topic, large, manual, robots, site, slowly
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import Library, open_library
from webrag_desktop.errors import FetchError, InputError
from webrag_desktop.jobs import run_pages, worker_process
from webrag_desktop.jobs.site_capturing import LEAST_OF_A_SHAPE, MOST_FOUND, SiteCapturing
from webrag_desktop.models.links import CaptureLimits, Scope, SiteCapture
from webrag_desktop.models.sources import Labels
from webrag_desktop.progress import CancelToken, NoIdleTask
from webrag_desktop.storage.database import Connection
from webrag_desktop.storage.library import expansions, visits
from webrag_desktop.storage.library.visits import VisitRow


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
    opened.queue.resume()
    opened.queue.cancel()
    opened.documents.delete_all(
        [row.id for row in opened.documents.all()]
    )  # else the next site is removed, too
    assert_sound(opened.database)


@pytest.fixture
def pages() -> Iterator[PageServer]:
    with PageServer(site(manual())) as server:
        yield server


def asked(pages: PageServer) -> list[str]:
    own = ("/robots.txt", "/sitemap")
    return [request.path for request in pages.requests if not request.path.startswith(own)]


def captured(library: Library, capture: SiteCapture) -> SiteCapture:
    for _step in library.sites.watch(capture.id):
        pass
    return library.sites.get(capture.id)


def listing(*paths: str) -> str:
    found = "".join(f"<url><loc>{path}</loc></url>" for path in paths)
    return (
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{found}</urlset>'
    )


def test_a_whole_site_is_captured_once_each_with_its_depths(library: Library, pages: PageServer) -> None:
    ended = captured(library, library.sites.begin(pages.url("/"), "site", labels=Labels.of(["ship"])))
    assert (ended.reason, ended.visited, ended.failed, ended.waiting) == ("done", len(manual()), 0, 0)
    assert sorted(asked(pages)) == sorted(topic.path for topic in manual())
    depths = {row.url: row.depth for row in library.documents.all()}
    assert [depths[pages.url(path)] for path in ("/", "/engine/", "/engine/fuel")] == [0, 1, 2]
    assert {label.name: label.documents for label in library.labels.tags()} == {"ship": len(manual())}


def test_a_section_is_what_lies_below_the_folder_of_the_address(library: Library, pages: PageServer) -> None:
    ended = captured(library, library.sites.begin(pages.url("/engine/"), "section"))
    assert ended.prefix == "/engine/"
    assert sorted(asked(pages)) == ["/engine/", "/engine/cooling", "/engine/fuel", "/engine/oil"]


@pytest.mark.parametrize(
    ("limits", "visited", "reason"),
    [
        ({"pages": 4}, 4, "limits"),
        ({"depth": 1}, 7, "done"),
        ({"depth": 0}, 1, "done"),
        ({"bytes": 1}, 1, "limits"),
    ],
)
def test_limits_hold(
    library: Library, pages: PageServer, limits: dict[str, int], visited: int, reason: str
) -> None:
    ended = captured(library, library.sites.begin(pages.url("/"), "site", CaptureLimits(**limits)))
    assert (ended.visited, ended.reason) == (visited, reason)
    assert len(asked(pages)) == visited


def test_the_page_that_meets_the_limit_of_bytes_is_the_last(library: Library) -> None:
    paths = [f"/{name}" for name in NOUNS[:10]]
    with PageServer(site(large(paths, "An otter sleeps. " * 6000))) as pages:
        ended = captured(library, library.sites.begin(pages.url("/"), "site", CaptureLimits(bytes=150_000)))
        assert (ended.reason, ended.visited, ended.failed) == ("limits", 3, 0)
        assert (ended.found, ended.waiting) == (11, 8), "what is left is still reported"
        assert len(asked(pages)) == 3
        assert len(library.documents.all()) == 3


def test_what_a_site_lists_is_captured_from_indexes_packed_or_not(
    library: Library, pages: PageServer
) -> None:
    packed = gzip.compress(listing(pages.url("/engine/fuel"), pages.url("/galley/bread")).encode())
    pages.pages |= {
        "/robots.txt": robots(
            f"User-agent: *\nDisallow: /engine/oil\nSitemap: {pages.url('/sitemaps.xml')}\n"
        ),
        "/sitemaps.xml": Page(
            f"<sitemapindex><sitemap><loc>{pages.url('/sitemap-1.xml.gz')}</loc></sitemap>"
            f"<sitemap><loc>{pages.url('/sitemap-2.txt')}</loc></sitemap>"
            f"<sitemap><loc>https://elsewhere.example/sitemap.xml</loc></sitemap></sitemapindex>"
        ),
        "/sitemap-1.xml.gz": Page(packed, headers=(("Content-Type", "application/gzip"),)),
        "/sitemap-2.txt": Page(
            f"{pages.url('/engine/oil')}\n{pages.url('/engine/fuel')}\nhttps://elsewhere.example/x\n"
        ),
    }
    preview = library.sites.preview(pages.url("/"), "sitemap")
    assert (preview.found, preview.known, preview.forbidden) == (3, 0, 1)
    assert preview.examples == (
        pages.url("/engine/fuel"),
        pages.url("/galley/bread"),
        pages.url("/engine/oil"),
    )
    assert asked(pages) == []
    requests = len(pages.requests)
    begun = library.sites.begin(pages.url("/"), "sitemap", seen=preview)
    read_again = [one.path for one in pages.requests[requests:] if one.path.startswith("/sitemap")]
    assert read_again == []
    ended = captured(library, begun)
    assert (ended.reason, ended.found, ended.forbidden) == ("done", 4, 1)
    assert sorted(asked(pages)) == ["/", "/engine/fuel", "/galley/bread"]
    section = library.sites.preview(pages.url("/engine/"), "sitemap")
    assert (section.found, section.known) == (2, 1)


@pytest.mark.parametrize("served", ["<html><body>No map.</body></html>", "words", "<urlset>" * 300])
def test_what_is_no_sitemap_is_said_to_be_none(library: Library, pages: PageServer, served: str) -> None:
    pages.pages["/sitemap.xml"] = served
    with pytest.raises(FetchError, match="no sitemap"):
        library.sites.preview(pages.url("/"), "sitemap")
    pages.pages["/sitemap.xml"] = Page(status=404)
    with pytest.raises(FetchError, match="no page at this address"):
        library.sites.begin(pages.url("/"), "sitemap")
    assert library.documents.all() == []


def test_a_preview_fetches_the_start_page_alone_and_adds_nothing(library: Library, pages: PageServer) -> None:
    preview = library.sites.preview(pages.url("/"), "site")
    assert (preview.found, preview.follows_links) == (6, True)
    assert asked(pages) == ["/"]
    assert library.documents.all() == []
    with pytest.raises(InputError, match="scope"):
        library.sites.preview(pages.url("/"), "planet")  # type: ignore[arg-type]


def test_it_can_be_stopped_and_keeps_what_it_has(library: Library, pages: PageServer) -> None:
    galley = next(topic for topic in manual() if topic.path == "/galley/")
    pages.pages["/galley/"] = slowly(galley, 60)
    capture = library.sites.begin(pages.url("/"), "site")
    for step in library.sites.watch(capture.id):
        if step.ready:
            break
    stopped = library.sites.cancel(capture.id)
    assert stopped.reason == "cancelled"
    assert stopped.ended_at is not None
    assert library.queue.unfinished() == []
    rows = library.documents.all()
    assert pages.url("/") in {row.url for row in rows}
    assert {row.state for row in rows} == {"ready"}


def test_stopping_all_work_stops_it(library: Library, pages: PageServer) -> None:
    library.queue.pause()
    capture = library.sites.begin(pages.url("/"), "site")
    assert [one.id for one in library.sites.all(is_open=True)] == [capture.id]
    assert library.status().queue.waiting == 1
    library.queue.cancel()
    assert library.sites.get(capture.id).reason == "cancelled"


def test_a_capture_of_a_newer_program_is_left_to_that(
    library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    with library.database.connection() as conn:
        expansions.insert_run(conn, newer := uuid4(), "site", "http://a.test/", '{"shape": 2}')
        assert expansions.site_work_waits(conn)
        assert not run_pages.capture_work_waits(conn)
        assert not worker_process.work_waits(conn)
    capturing = SiteCapturing(library.database, library.fetch_options, NoIdleTask())
    for _ in range(3):
        assert not capturing.step(CancelToken(), CancelToken())
    assert [record.getMessage() for record in caplog.records] == [
        "The capture of a.test was begun by a newer program."
    ]
    library.queue.cancel()
    assert newer not in {one.id for one in library.sites.all()}
    with pytest.raises(InputError, match="newer version"):
        library.sites.cancel(newer)
    with library.database.connection() as conn:
        assert expansions.list_runs(conn, "site", 9, is_open=True)[0].id == newer
    library.sites.remove(newer)


def test_a_pause_holds_it_up_and_it_goes_on_by_itself(library: Library, pages: PageServer) -> None:
    library.queue.pause()
    capture = library.sites.begin(pages.url("/"), "site")
    assert captured(library, capture).ended_at is None
    assert asked(pages) == []
    library.queue.resume()
    assert captured(library, capture).reason == "done"


def test_a_worker_that_was_killed_is_followed_by_one_that_goes_on(
    library: Library, pages: PageServer
) -> None:
    capture = library.sites.begin(pages.url("/"), "site")
    for step in library.sites.watch(capture.id):
        if step.visited in (1, 4):
            worker = library.worker.supervisor._worker
            if worker is not None and worker.running:
                worker._process.kill()
    ended = library.sites.get(capture.id)
    assert (ended.reason, ended.ready) == ("done", len(manual()))


def test_a_capture_that_comes_on_while_it_is_looked_at_is_watched_to_its_end(
    library: Library, pages: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = library.sites.begin(pages.url("/"), "site", CaptureLimits(pages=4))
    under_way = visits.visits_under_way
    looked: list[int] = []

    def slowly_read(conn: Connection, run_id: UUID) -> list[VisitRow]:
        found = under_way(conn, run_id)
        if found and not looked:
            looked.append(len(found))
            while library.sites.get(capture.id).visited < 4:  # a worker is running
                pass
        return found

    watched = library.sites.watch(capture.id)
    while next(watched).visited < 1:
        pass
    monkeypatch.setattr(visits, "visits_under_way", slowly_read)
    assert list(watched)[-1].reason == "limits"
    assert looked


NUMBERED = ("/node/{}", "/?p={}")
PAGES = LEAST_OF_A_SHAPE + 5  # more than may be of one shape that has no end


@pytest.mark.parametrize("path", NUMBERED)
def test_plain_numbers_are_bounded_by_the_limit_of_pages_alone(library: Library, path: str) -> None:
    paths = [path.format(number) for number in range(1, PAGES + 1)]
    topics = [Topic(one, f"Page {one}", f"The page {one} tells of {one}.") for one in paths]
    start = Topic("/", "Start", "All pages.", tuple((one, f"Page {one}") for one in paths))
    with PageServer(site([start, *topics])) as server:
        ended = captured(library, library.sites.begin(server.url("/"), "site"))
        assert (ended.reason, ended.ready, ended.left_out) == ("done", PAGES + 1, 0)
        assert {server.url(one) for one in paths} <= {row.url for row in library.documents.all()}
        less = captured(library, library.sites.begin(server.url("/"), "site", CaptureLimits(pages=52)))
        assert (less.reason, less.visited, less.waiting) == ("limits", 52, PAGES + 1 - 52)


def days() -> Callable[[str], list[str]]:
    seen = count()
    return lambda _path: [f"/calendar/{date(2024, 1, 1) + timedelta(next(seen)):%Y/%m/%d}" for _ in range(20)]


def tokens(_path: str) -> list[str]:
    return [f"/s/{uuid4()}/shop" for _ in range(20)]


def filters(_path: str) -> list[str]:
    return [f"/shop?colour={a}&size={b}&sort=up" for a in "abcdefgh" for b in "abcdefgh"]


@pytest.mark.parametrize("links_of", [days(), tokens, filters], ids=["days", "tokens", "filters"])
def test_addresses_without_end_are_bounded_and_counted(
    library: Library, links_of: Callable[[str], list[str]]
) -> None:
    with EndlessSite(links_of) as trap:
        trap.pages["/honest"] = Topic("/honest", "Honest", "An honest page.").html
        start = [*links_of("/"), "/honest"]
        trap.pages["/"] = Topic("/", "Start", "Begin.", tuple((link, f"To {link}") for link in start)).html
        ended = captured(
            library, library.sites.begin(trap.url("/"), "site", CaptureLimits(pages=120, depth=50))
        )
        assert (ended.reason, ended.waiting) == ("limits", 0)
        assert ended.visited == LEAST_OF_A_SHAPE + 2
        assert len(asked(trap)) == ended.visited
        assert trap.url("/honest") in {row.url for row in library.documents.all()}
        assert 0 < ended.left_out <= 120 * MOST_FOUND
        reported = {trap.url(path) for path in [*asked(trap), "/honest"]}
        assert 0 < len(ended.left_out_examples) <= 5
        assert reported.isdisjoint(ended.left_out_examples)


def test_one_page_in_many_sessions_and_orders_is_one_and_nothing_is_left_out(library: Library) -> None:
    seen = count()

    def links(_path: str) -> list[str]:
        return ["/folder/" * number for number in (1, 2)] + [
            f"/list?{'PHPSESSID' if number % 2 else 'sort'}={number:032x}"
            for number in (next(seen), next(seen))
        ]

    with EndlessSite(links) as trap:
        ended = captured(
            library, library.sites.begin(trap.url("/"), "site", CaptureLimits(pages=100, depth=3))
        )
        lists = [path for path in asked(trap) if path.startswith("/list")]
        assert (ended.reason, len(lists), ended.left_out) == ("done", 1, 0)


def test_pages_further_away_than_the_limit_are_counted(library: Library, pages: PageServer) -> None:
    ended = captured(library, library.sites.begin(pages.url("/"), "site", CaptureLimits(depth=1)))
    deeper = [topic for topic in manual() if topic.path.count("/") == 2 and not topic.path.endswith("/")]
    assert (ended.reason, ended.left_out, ended.too_far) == ("done", 0, len(deeper))


@pytest.mark.parametrize("scope", ["site", "sitemap"])
def test_while_robots_txt_cannot_be_had_a_capture_waits_and_goes_on_when_it_can(
    library: Library, pages: PageServer, scope: Scope
) -> None:
    pages.pages["/sitemap.xml"] = listing(*(pages.url(topic.path) for topic in manual()))
    library.queue.pause()
    capture = library.sites.begin(pages.url("/"), scope)
    pages.pages["/robots.txt"] = Page(status=503)
    library.queue.resume()
    waiting = captured(library, capture)
    assert (waiting.ended_at, waiting.forbidden, waiting.failed) == (None, 0, 0)
    assert waiting.under_way > 0
    assert asked(pages) == ["/"], "nothing is fetched unasked"
    reported = {row.state_reason for row in library.documents.all() if row.state == "queued"}
    assert reported == {"The site's robots.txt cannot be had: The site has a fault of its own (503)"}
    del pages.pages["/robots.txt"]
    if (worker := library.worker.supervisor._worker) is not None:
        worker.stop(3)  # the next one has not heard of the fault
    library.queue.retry_failed()
    ended = captured(library, capture)
    assert (ended.reason, ended.ready) == ("done", len(manual()))


def test_a_preview_without_robots_txt_says_so(library: Library, pages: PageServer) -> None:
    pages.pages["/robots.txt"] = Page(status=503)
    with pytest.raises(FetchError, match=r"robots\.txt cannot be had"):
        library.sites.preview(pages.url("/"), "site")


def test_no_spelling_of_a_link_leads_out_of_the_section_or_around_robots_txt(
    library: Library, pages: PageServer
) -> None:
    pages.pages["/robots.txt"] = robots("User-agent: *\nDisallow: /engine/oil\n")
    links = (
        "/engine/%2e%2e/galley/bread",
        "/engine/x/.%2E/fuel",
        "/engine//oil",
        "/engine/%2e%2e/engine/oil",
    )
    pages.pages["/engine/"] = Topic("/engine/", "Engine", "Of it.", tuple((one, one) for one in links)).html
    ended = captured(library, library.sites.begin(pages.url("/engine/"), "section"))
    assert (ended.found, ended.ready, ended.forbidden) == (3, 2, 1)
    assert asked(pages) == ["/engine/", "/engine/fuel"]
