"""What a program fetches that follows links by itself: as the site says, and no further than the link may lead."""

from collections.abc import Callable
from uuid import UUID

import pytest

from tests.integration.library.test_where_addresses_lead import PRIVATE, Town
from tests.support.pages import Page, PageServer, RequestHandler
from tests.support.queue_work import article, assert_sound, drain_queue, row
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.fetching.following import reach_of_link
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.jobs.run_pages import QueuedLink, queue_link
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.documents import AddressClass
from webrag_desktop.models.queue import Priority
from webrag_desktop.models.sources import FollowedWithin
from webrag_desktop.storage.database import Database

Work = Callable[..., int]


def follow(
    database: Database, url: str, followed: FollowedWithin = "site", lies: AddressClass = "loopback"
) -> QueuedLink:
    with database.connection() as conn:
        queued = queue_link(conn, url, depth=1, followed=followed, kind=lies, priority=Priority.ASKED)
    assert queued is not None
    return queued


def robots(text: str) -> Page:
    return Page(text, headers=(("Content-Type", "text/plain"),))


def asked(pages: PageServer) -> list[str]:
    return [request.path for request in pages.requests]


def test_a_page_that_the_site_forbids_is_not_asked_for_and_one_that_the_user_gives_is(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    pages.pages["/robots.txt"] = robots("User-agent: *\nDisallow: /elbe\n")
    followed = follow(database, pages.url("/elbe"))
    work()
    assert "robots.txt" in (row(library, followed.source_id).state_reason or "")
    assert asked(pages) == ["/robots.txt"]
    library.add([pages.url("/elbe")])
    work()
    assert row(library, followed.source_id).state == "ready"
    assert asked(pages) == ["/robots.txt", "/elbe"], "the user's own word is not held against the site's"
    assert_sound(database)


def test_what_the_user_gave_first_is_never_asked_about(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    pages.pages["/robots.txt"] = robots("User-agent: *\nDisallow: /\n")
    library.add([pages.url("/rhine")])
    followed = follow(database, pages.url("/rhine"))
    work()
    assert not followed.added
    assert row(library, followed.source_id).state == "ready"
    assert asked(pages) == ["/rhine"]


@pytest.mark.parametrize(
    ("followed", "host", "problem"),
    [
        ("site", "localhost", "leads to another site"),
        ("web", "localhost", "inside this computer"),
        ("web", "127.0.0.1", "robots.txt"),
    ],
)
def test_a_redirect_is_followed_no_further_than_the_link(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Work,
    followed: FollowedWithin,
    host: str,
    problem: str,
) -> None:
    other = pages.url("/private", host=host)
    pages.pages |= {
        "/robots.txt": robots("User-agent: *\nDisallow: /private\n"),
        "/private": article("Private"),
        "/moved": Page.redirect(other),
    }
    link = follow(database, pages.url("/moved"), followed)
    work()
    assert problem in (row(library, link.source_id).state_reason or "")
    assert "/private" not in asked(pages)


@pytest.fixture
def work_in_town(
    database: Database, make_indexer: Callable[[Database], Indexer], pages: PageServer
) -> tuple[Work, Town]:
    town = Town(pages.port)
    network = Network(town.resolve, town)
    return lambda: drain_queue(database, lambda: make_indexer(database), network=network), town


@pytest.mark.parametrize("inside", [PRIVATE, "127.0.0.1", "169.254.169.254"])
def test_a_link_of_a_public_page_leads_nowhere_inside_the_network(
    database: Database, library: StoredLibrary, work_in_town: tuple[Work, Town], inside: str
) -> None:
    work, town = work_in_town
    town.names["router.test"] = [inside]
    lies = reach_of_link("http://router.test/rhine", "http://rivers.test/", "public")
    link = follow(database, "http://router.test/rhine", "web", lies)
    work()
    assert row(library, link.source_id).state == "failed"
    assert town.asked == [], "not even for its robots.txt"


def test_a_link_inside_the_network_may_lead_to_its_own_server_alone() -> None:
    page = "http://127.0.0.1:8000/docs"
    assert reach_of_link("http://127.0.0.1:8000/guide", page, "loopback") == "loopback"
    assert reach_of_link("http://127.0.0.1:5432/", page, "loopback") == "public"
    assert reach_of_link("http://192.168.1.1/", page, "loopback") == "public"


def test_a_site_is_left_alone_for_as_long_as_it_wants(
    database: Database,
    make_indexer: Callable[[Database], Indexer],
    work_in_town: tuple[Work, Town],
    pages: PageServer,
) -> None:
    from webrag_desktop.ingestion.fetching.options import FetchOptions
    from webrag_desktop.jobs.fetching import PageFetcher
    from webrag_desktop.progress import CancelToken, no_progress

    _work, town = work_in_town
    pages.pages["/robots.txt"] = robots("User-agent: *\nCrawl-delay: 30\n")
    fetcher = PageFetcher(FetchOptions(host_delay_seconds=1, retry_seconds=0), Network(town.resolve, town))
    limits: tuple[tuple[FollowedWithin | None, int, int], ...] = ((None, 0, 1), ("site", 29, 30))
    for followed, least, most in limits:
        fetcher.fetch(
            "http://rivers.test/rhine",
            None,
            progress=no_progress,
            cancel=CancelToken(),
            within="public",
            followed=followed,
        )
        assert least < fetcher.schedule.resting()["rivers.test"] <= most


def test_the_site_that_a_redirect_leads_to_is_left_alone_for_as_long_as_it_wants(
    work_in_town: tuple[Work, Town], pages: PageServer
) -> None:
    from webrag_desktop.ingestion.fetching.options import FetchOptions
    from webrag_desktop.jobs.fetching import PageFetcher
    from webrag_desktop.progress import CancelToken, no_progress

    _work, town = work_in_town
    town.names["lakes.test"] = town.names["rivers.test"]

    def rules(handler: RequestHandler) -> None:
        delay = 30 if handler.headers["Host"] == "lakes.test" else 5
        handler.send_page(robots(f"User-agent: *\nCrawl-delay: {delay}\n"))

    pages.pages |= {"/robots.txt": rules, "/moved": Page.redirect("http://lakes.test/rhine")}
    fetcher = PageFetcher(FetchOptions(host_delay_seconds=1, retry_seconds=0), Network(town.resolve, town))
    fetcher.fetch(
        "http://rivers.test/moved",
        None,
        progress=no_progress,
        cancel=CancelToken(),
        within="public",
        followed="web",
    )
    resting = fetcher.schedule.resting()
    assert 29 < resting["lakes.test"] <= 30
    assert 4 < resting["rivers.test"] <= 5


def test_a_page_joined_to_the_users_own_is_the_users(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    pages.pages |= {
        "/robots.txt": robots("User-agent: *\nDisallow: /elbe\n"),
        "/moved": Page.redirect("/elbe"),
    }
    link = follow(database, pages.url("/rhine"))
    work()
    pages.pages["/to-rhine"] = Page.redirect("/rhine")
    library.add([pages.url("/to-rhine")])
    work()
    assert followed_within(database, link.source_id) is None


def followed_within(database: Database, source_id: UUID) -> str | None:
    from webrag_desktop.storage.library import sources

    with database.connection() as conn:
        return sources.followed_within(conn, source_id)
