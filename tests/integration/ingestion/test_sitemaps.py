"""Reading what a site lists of its own pages, from a real server: as politely as its pages are fetched."""

from collections.abc import Iterator

import pytest

from tests.integration.library.test_where_addresses_lead import PUBLIC, Town
from tests.support.pages import Page, PageServer, RequestHandler, Served
from tests.support.sites import robots
from webrag_desktop.errors import Cancelled, FetchError
from webrag_desktop.ingestion.fetching.following import LinkRules
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.fetching.politeness import SiteSchedule
from webrag_desktop.ingestion.fetching.sitemaps import SitemapReader
from webrag_desktop.progress import CancelToken

SITE = "http://rivers.test"
OPTIONS = FetchOptions(retry_seconds=0)


def index(*paths: str) -> str:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{SITE}{one}</loc></sitemap>' for one in paths)}</sitemapindex>"


@pytest.fixture
def pages() -> Iterator[PageServer]:
    served: dict[str, Served] = {
        "/robots.txt": robots(f"User-agent: *\nCrawl-delay: 30\nDisallow: /no\nSitemap: {SITE}/all.xml\n"),
        "/all.xml": index("/1.txt", "/2.txt"),
        "/1.txt": f"{SITE}/rhine",
        "/2.txt": f"{SITE}/elbe",
    }
    with PageServer(served) as server:
        yield server


class Rests:
    """Keeps for how long it was to be waited, and does not wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float, _cancel: CancelToken | None) -> None:
        self.seconds.append(seconds)


def reader(pages: PageServer) -> SitemapReader:
    town = Town(pages.port)
    town.names["lakes.test"] = [PUBLIC]
    network = Network(town.resolve, town)
    schedule = SiteSchedule(OPTIONS.host_delay_seconds)
    return SitemapReader(OPTIONS, LinkRules(OPTIONS, network), schedule, network=network)


def asked(pages: PageServer) -> list[str]:
    return [request.path for request in pages.requests if request.path != "/robots.txt"]


def test_between_two_sitemaps_the_site_rests_as_between_two_pages(pages: PageServer) -> None:
    polite, rests = reader(pages), Rests()
    polite.rest = rests
    assert list(polite.addresses(SITE)) == [f"{SITE}/rhine", f"{SITE}/elbe"]
    assert rests.seconds[0] == 0
    assert len(rests.seconds) == 3
    assert all(29 < seconds <= 30 for seconds in rests.seconds[1:])


def test_the_rest_can_be_cancelled(pages: PageServer) -> None:
    cancel = CancelToken()

    def answer(handler: RequestHandler) -> None:
        handler.send_page(index("/1.txt"))
        cancel.cancel()

    pages.pages["/all.xml"] = answer
    with pytest.raises(Cancelled):
        list(reader(pages).addresses(SITE, cancel))
    assert asked(pages) == ["/all.xml"]


@pytest.mark.parametrize(
    ("target", "problem"), [("/no/all.xml", "robots.txt"), ("http://lakes.test/all.xml", "another site")]
)
def test_a_redirect_leads_neither_where_the_site_forbids_nor_to_another_site(
    pages: PageServer, target: str, problem: str
) -> None:
    pages.pages |= {"/all.xml": Page.redirect(target), "/no/all.xml": f"{SITE}/rhine"}
    with pytest.raises(FetchError, match=problem):
        list(reader(pages).addresses(SITE))
    assert asked(pages) == ["/all.xml"]


def test_a_site_that_asks_to_come_back_later_is_asked_for_no_further_sitemap(pages: PageServer) -> None:
    pages.pages["/1.txt"] = Page(status=429, headers=(("Retry-After", "600"),))
    polite = reader(pages)
    polite.rest = Rests()
    with pytest.raises(FetchError, match="come back later"):
        list(polite.addresses(SITE))
    assert asked(pages) == ["/all.xml", "/1.txt"]
