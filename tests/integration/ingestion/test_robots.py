"""What sites let a program fetch that follows links, asked from a real server."""

from collections.abc import Iterator

import pytest

from tests.support.pages import Page, PageServer, RequestHandler, Served
from webrag_desktop.errors import Cancelled, FetchError, InputError, SiteAtRestError, UnsafeAddressError
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.fetching.politeness import LARGEST_FILE, Robots
from webrag_desktop.progress import CancelToken

OPTIONS = FetchOptions(connect_seconds=2, read_seconds=0.5, total_seconds=10)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def robots(clock: Clock) -> Robots:
    return Robots(OPTIONS, clock=clock)


def rules(text: str) -> Page:
    return Page(text, headers=(("Content-Type", "text/plain"),))


def test_what_is_forbidden_is_not_fetched_and_the_rest_is(server: PageServer, robots: Robots) -> None:
    server.pages["/robots.txt"] = rules(
        "User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /*.zip$\nCrawl-delay: 7\n"
    )
    asked = ["/", "/private/x", "/private/open/x", "/a/b.zip", "/a/b.zip?x"]
    assert [robots.may_fetch(server.url(path)) for path in asked] == [True, False, True, False, True]
    assert robots.crawl_delay(server.url("/")) == 7
    assert [request.path for request in server.requests] == ["/robots.txt"], "it is asked once"


def test_rules_for_us_by_name_count_before_those_for_all(server: PageServer, robots: Robots) -> None:
    server.pages["/robots.txt"] = rules(
        "User-agent: *\nDisallow:\n\nUser-agent: webrag-desktop\nDisallow: /\n"
    )
    assert not robots.may_fetch(server.url("/x"))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_site_without_rules_allows_all(server: PageServer, robots: Robots, status: int) -> None:
    server.pages["/robots.txt"] = Page(status=status)
    assert robots.may_fetch(server.url("/x"))


def problem(robots: Robots, url: str) -> FetchError:
    with pytest.raises(FetchError) as caught:
        robots.may_fetch(url)
    return caught.value


@pytest.mark.parametrize(
    ("answer", "rest", "kept"),
    [
        (Page(status=500), 0, 60),
        (Page(status=503), 0, 60),
        (Page(status=429), 60, 60),
        (Page(status=429, headers=(("Retry-After", "600"),)), 600, 600),
        (Page(status=503, headers=(("Retry-After", "600"),)), 600, 600),
        (lambda handler: handler.wait(30), 0, 60),
        (lambda handler: handler.connection.close(), 0, 60),
    ],
    ids=["500", "503", "429", "429 with a time", "503 with a time", "silence", "hangs up"],
)
def test_of_a_site_that_cannot_say_it_is_not_known_for_now(
    server: PageServer, robots: Robots, clock: Clock, answer: Served, rest: float, kept: float
) -> None:
    server.pages["/robots.txt"] = answer
    reported = problem(robots, server.url("/x"))
    assert isinstance(reported, SiteAtRestError)
    assert (reported.transient, reported.retryable, reported.retry_after or 0) == (True, True, rest)
    assert reported.address is not None
    assert reported.message.startswith("The site's robots.txt cannot be had: ")
    server.pages["/robots.txt"] = rules("User-agent: *\nDisallow: /no\n")
    clock.now += kept - 1
    assert problem(robots, server.url("/x")).message == reported.message
    assert len(server.requests) == 1, "the next pages of the site need not wait for it, too"
    clock.now += 2
    assert [robots.may_fetch(server.url(path)) for path in ("/x", "/no")] == [True, False]


def test_of_a_site_that_cannot_be_reached_it_is_not_known_for_now(server: PageServer, robots: Robots) -> None:
    url = server.url("/x")
    server.stop()
    assert problem(robots, url).transient
    assert "refused the connection" in problem(robots, url).message
    for ask in (robots.crawl_delay, robots.sitemaps):
        with pytest.raises(SiteAtRestError):
            ask(url)


def test_rules_are_asked_for_again_after_a_day(server: PageServer, robots: Robots, clock: Clock) -> None:
    server.pages["/robots.txt"] = rules("")
    assert robots.may_fetch(server.url("/x"))
    server.pages["/robots.txt"] = rules("User-agent: *\nDisallow: /\n")
    clock.now += 86_300
    assert robots.may_fetch(server.url("/x"))
    clock.now += 200
    assert not robots.may_fetch(server.url("/x"))


def test_only_the_first_500_kib_count(server: PageServer, robots: Robots) -> None:
    beginning = "User-agent: *\nDisallow: /before\n"
    padding = "#" * (LARGEST_FILE - len(beginning) - 1) + "\n"
    server.pages["/robots.txt"] = rules(beginning + padding + "Disallow: /after\n")
    assert [robots.may_fetch(server.url(path)) for path in ("/before", "/after")] == [False, True]


def test_five_redirects_are_followed_and_no_more(server: PageServer, robots: Robots) -> None:
    server.pages |= {f"/{n}": Page.redirect(f"/{n + 1}") for n in range(1, 5)}
    server.pages |= {"/robots.txt": Page.redirect("/1"), "/5": rules("User-agent: *\nDisallow: /no\n")}
    assert [robots.may_fetch(server.url(path)) for path in ("/no", "/yes")] == [False, True]
    server.pages["/5"] = Page.redirect("/6")
    reported = problem(Robots(OPTIONS), server.url("/yes"))
    assert not reported.transient
    assert "redirects more than 5 times" in reported.message


def test_rules_inside_the_local_network_are_not_asked_for_a_public_page(server: PageServer) -> None:
    guarded = Robots(FetchOptions(allow_private=False))
    assert isinstance(problem(guarded, server.url("/x")), UnsafeAddressError)
    assert server.requests == []


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffUser-agent: *\nDisallow: /x\n",
        "user-agent:*\r\ndisallow:/x\r\n",
        "<html>not a robots.txt</html>\nUser-agent: *\nDisallow: /x",
    ],
    ids=["BOM", "no blanks", "words before"],
)
def test_untidy_rules_are_understood(server: PageServer, robots: Robots, text: str) -> None:
    server.pages["/robots.txt"] = rules(text)
    assert [robots.may_fetch(server.url(path)) for path in ("/x", "/y")] == [False, True]


@pytest.mark.parametrize(
    "path",
    ["//private/x", "/open/%2e%2e/private/x", "/open/.%2E/private/x", "/%70rivate/x"],
)
def test_no_spelling_of_an_address_gets_around_the_rules(
    server: PageServer, robots: Robots, path: str
) -> None:
    server.pages["/robots.txt"] = rules("User-agent: *\nDisallow: /private/\n")
    assert not robots.may_fetch(server.url(path))
    assert robots.may_fetch(server.url("/open/x"))


def test_hostile_rules_take_no_time_to_speak_of(server: PageServer, robots: Robots) -> None:
    stars = "Disallow: /" + "*a" * 200 + "b\n"
    server.pages["/robots.txt"] = rules("User-agent: *\nCrawl-delay: 1e999\n" + stars * 500)
    assert robots.may_fetch(server.url("/" + "a" * 4000))
    assert robots.crawl_delay(server.url("/")) in {None, 60.0}


def test_what_is_no_web_address_may_not_be_fetched(robots: Robots) -> None:
    assert not any(map(robots.may_fetch, ("ftp://example.org/", "javascript:x", "/etc/passwd", "")))
    with pytest.raises(InputError):
        robots.crawl_delay("ftp://example.org/")


def test_it_can_be_cancelled(server: PageServer, robots: Robots) -> None:
    cancel = CancelToken()

    def answer(handler: RequestHandler) -> None:
        cancel.cancel()
        handler.wait(30)

    server.pages["/robots.txt"] = answer
    with pytest.raises(Cancelled):
        robots.may_fetch(server.url("/x"), cancel)
