"""A site that wants to be left alone is, while the queue goes on with others."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

import pytest

from tests.support.pages import Page, PageServer, RequestHandler
from tests.support.queue_work import accepted, article, assert_sound, row
from webrag_desktop.errors import FetchError, SiteAtRestError
from webrag_desktop.ingestion.fetching import politeness
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.ingestion.fetching.politeness import SiteSchedule, site_of_address
from webrag_desktop.jobs import fetching
from webrag_desktop.jobs.feed import Watch
from webrag_desktop.jobs.fetching import PageFetcher
from webrag_desktop.jobs.postponement import MOST_POSTPONEMENTS, seconds_before_fetch
from webrag_desktop.jobs.worker_process import WorkerProcess, WorkerSupervisor
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.progress import CancelToken, no_progress
from webrag_desktop.servers import retries
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs, queue_control


def busy(seconds: int) -> Page:
    return Page(status=429, headers=(("Retry-After", str(seconds)),))


def set_due(database: Database, seconds: float) -> None:
    """Let what was put off be due in so many seconds."""
    with database.connection() as conn:
        conn.execute(
            "UPDATE jobs SET not_before = clock_timestamp() + make_interval(secs => %s) WHERE finished_at IS NULL",
            [seconds],
        )


def test_a_page_is_put_off_while_the_queue_goes_on(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/oder"] = busy(3600)
    waiting, ready = (
        accepted(one).source_id for one in library.add([pages.url("/oder"), pages.url("/rhine")])
    )
    assert work() == 1
    assert row(library, ready).state == "ready"
    put_off = row(library, waiting)
    assert (put_off.state, put_off.state_reason) == ("queued", "The site asks to come back later (429)")
    assert put_off.waits_until is not None
    assert (put_off.waits_until - put_off.added_at).total_seconds() > 3000
    assert library.queue.positions() == {}
    assert_sound(database)


def test_it_is_taken_up_again_when_its_time_has_come_also_by_another_worker(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/oder"] = busy(3600)
    added = accepted(library.add([pages.url("/oder")])[0]).source_id
    assert work() == 0
    assert work() == 0
    assert len(pages.requests) == 1
    pages.pages["/oder"] = article("Oder")
    set_due(database, -1)
    assert work() == 1
    after = row(library, added)
    assert (after.state, after.state_reason, after.waits_until) == ("ready", None, None)
    assert_sound(database)


def test_a_worker_stays_for_what_is_due_soon(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/oder"] = busy(3600)
    added = accepted(library.add([pages.url("/oder")])[0]).source_id
    work()
    pages.pages["/oder"] = article("Oder")
    set_due(database, 0.5)
    assert work() == 1
    assert row(library, added).state == "ready"


@contextmanager
def resting_worker(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int], seconds: float
) -> Iterator[list[int]]:
    """A worker that waits for a page which is due in so many seconds; what it returned stands in the list."""
    pages.pages["/oder"] = busy(3600)
    library.add([pages.url("/oder")])
    work()
    set_due(database, seconds)
    cancel, closed = CancelToken(), list[int]()
    thread = threading.Thread(target=lambda: closed.append(work(cancel)))
    thread.start()
    try:
        yield closed
    finally:
        cancel.cancel()
        thread.join()


def test_a_resting_worker_takes_what_is_added_meanwhile(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    asked = threading.Event()

    def answer(handler: RequestHandler) -> None:
        asked.set()
        handler.send_page(article("Weser"))

    pages.pages["/weser"] = answer
    with resting_worker(database, library, pages, work, 600):
        library.add([pages.url("/weser")])
        assert asked.wait(30)


def test_a_resting_worker_ends_when_it_is_stopped(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    with resting_worker(database, library, pages, work, 600) as closed:
        pass
    assert closed == [0]


def test_no_worker_is_wanted_for_what_is_put_off_for_long(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/oder"] = busy(3600)
    library.add([pages.url("/oder")])
    work()
    with database.connection() as conn:
        assert not queue_control.work_waits(conn)
        set_due(database, jobs.PATIENCE_SECONDS - 60)
        assert queue_control.work_waits(conn)


def test_a_site_that_always_sends_us_away_fails_its_page(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/oder"] = busy(60 * 60)
    added = accepted(library.add([pages.url("/oder")])[0]).source_id
    for _ in range(MOST_POSTPONEMENTS):
        assert work() == 0
        set_due(database, -1)
    assert work() == 1
    failed = row(library, added)
    assert (failed.state, failed.state_reason) == ("failed", "The site asks to come back later (429)")
    assert library.queue.retry_failed() == 1
    assert_sound(database)


def test_what_is_put_off_can_be_stopped_and_removed(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages |= {"/oder": busy(3600), "/neisse": busy(3600)}
    stopped, removed = (
        accepted(one).source_id for one in library.add([pages.url("/oder"), pages.url("/neisse")])
    )
    work()
    assert library.queue.cancel([stopped]) == [stopped]
    assert row(library, stopped).state == "cancelled"
    assert library.documents.remove(removed)
    assert_sound(database)


@pytest.mark.parametrize(
    ("after", "postponed", "rest"),
    [(None, 0, None), (0, 0, None), (5, 0, 30), (5, 2, 120), (600, 1, 600), (90_000, 0, None), (60, 3, None)],
)
def test_a_rest_is_as_long_as_the_site_wants_within_reason(
    after: float | None, postponed: int, rest: float | None
) -> None:
    assert seconds_before_fetch(FetchError("Busy", retry_after=after), postponed) == rest


def test_who_was_not_asked_goes_on_waiting() -> None:
    assert seconds_before_fetch(SiteAtRestError("Busy", retry_after=600), MOST_POSTPONEMENTS) == 600
    assert seconds_before_fetch(SiteAtRestError("Busy", retry_after=90_000), 0) is None
    no_rules = SiteAtRestError("No robots.txt", transient=True, retryable=True)
    assert {seconds_before_fetch(no_rules, times) for times in (0, 1, 100)} == {600}


# -- Taking turns --------------------------------------------------------------------------------------------


def test_pages_of_a_resting_site_are_passed_over(database: Database, library: StoredLibrary) -> None:
    first, second, other = (
        accepted(one).source_id
        for one in library.add(
            ["https://www.example.org/1", "http://example.org:8080/2", "https://example.com/3"]
        )
    )
    with database.connection() as conn:
        job = jobs.claim(conn, ["example.org"])
        assert job is not None
        assert (job.source_id, job.site) == (other, "example.com")
        assert jobs.claim(conn, ["example.org"]) is None
        assert jobs.next_due(conn) == 0
        assert [found.source_id for found in iter(lambda: jobs.claim(conn), None)] == [first, second]
        assert jobs.next_due(conn) is None


def test_another_site_gets_its_turn_while_one_rests(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count()  # a clock that goes on only when it is looked at
    monkeypatch.setattr(politeness, "on_this_computer", lambda _site: False)
    monkeypatch.setattr(fetching, "SiteSchedule", lambda _delay: SiteSchedule(3, lambda: float(next(ticks))))
    library.add([pages.url("/rhine"), pages.url("/elbe"), pages.url("/weser", host="localhost")])
    assert work() == 3
    assert [request.path for request in pages.requests] == ["/rhine", "/weser", "/elbe"]


def test_every_site_on_the_way_rests_after_a_visit(
    pages: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(politeness, "on_this_computer", lambda _site: False)
    pages.pages["/oder"] = Page.redirect(pages.url("/rhine", host="localhost"))
    fetcher = PageFetcher(FetchOptions(host_delay_seconds=600))
    fetcher.fetch(pages.url("/oder"), None, progress=no_progress, cancel=CancelToken())
    assert fetcher.schedule.resting().keys() == {"127.0.0.1", "localhost"}


@pytest.mark.parametrize("status", [429, 503])
def test_a_site_that_a_redirect_led_to_rests_as_it_asks(
    pages: PageServer, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(politeness, "on_this_computer", lambda _site: False)
    pages.pages |= {
        "/oder": Page.redirect(pages.url("/busy", host="localhost")),
        "/busy": Page(status=status, headers=(("Retry-After", "600"),)),
    }
    fetcher = PageFetcher(FetchOptions(host_delay_seconds=1))
    with pytest.raises(FetchError) as caught:
        fetcher.fetch(pages.url("/oder"), None, progress=no_progress, cancel=CancelToken())
    assert (caught.value.retry_after, caught.value.address) == (600, pages.url("/busy", host="localhost"))
    resting = fetcher.schedule.resting()
    assert resting["localhost"] > 500
    assert resting["127.0.0.1"] <= 1


def test_no_redirect_is_followed_to_a_site_that_rests(
    pages: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(politeness, "on_this_computer", lambda _site: False)
    pages.pages |= {
        "/oder": Page.redirect(pages.url("/rhine", host="localhost")),
        "/weser": Page.redirect("/elbe"),
    }
    fetcher = PageFetcher(FetchOptions(host_delay_seconds=1))
    fetcher.schedule.pause_site("localhost", 600)
    with pytest.raises(SiteAtRestError) as caught:
        fetcher.fetch(pages.url("/oder"), None, progress=no_progress, cancel=CancelToken())
    assert [request.path for request in pages.requests] == ["/oder"]
    assert caught.value.retry_after is not None
    assert 500 < caught.value.retry_after <= 600
    assert fetcher.fetch(pages.url("/weser"), None, progress=no_progress, cancel=CancelToken()) is not None


def test_a_visit_alone_keeps_no_redirect_from_being_followed(
    pages: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(politeness, "on_this_computer", lambda _site: False)
    pages.pages["/oder"] = Page.redirect(pages.url("/rhine", host="localhost"))
    fetcher = PageFetcher(FetchOptions(host_delay_seconds=600))
    fetcher.schedule.visited("localhost")
    assert fetcher.fetch(pages.url("/oder"), None, progress=no_progress, cancel=CancelToken()) is not None


def test_waiting_for_a_site_that_was_not_asked_fails_no_page(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr(politeness, "on_this_computer", lambda _site: False)
    schedule = SiteSchedule(0, lambda: now[0])
    schedule.pause_site("localhost", 3600)
    monkeypatch.setattr(fetching, "SiteSchedule", lambda _delay: schedule)
    pages.pages["/oder"] = Page.redirect(pages.url("/rhine", host="localhost"))
    added = accepted(library.add([pages.url("/oder")])[0]).source_id
    for _ in range(MOST_POSTPONEMENTS + 2):
        assert work() == 0
        assert row(library, added).state == "queued"
        set_due(database, -1)
    now[0] = 3601
    assert work() == 1
    assert row(library, added).state == "ready"
    assert_sound(database)


def test_of_a_site_in_trouble_the_next_page_is_asked_for_once(
    pages: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = replace(retries.WEB_SITES, first_wait=0.0, jitter=0.0)
    monkeypatch.setattr(retries, "WEB_SITES", at_once)
    pages.pages |= {"/oder": Page(status=503), "/weser": Page(status=503)}
    fetcher = PageFetcher(FetchOptions())
    for path, asked in (("/oder", 4), ("/weser", 1)):
        pages.requests.clear()
        with pytest.raises(FetchError):
            fetcher.fetch(pages.url(path), None, progress=no_progress, cancel=CancelToken())
        assert len(pages.requests) == asked


@pytest.mark.parametrize(
    "url",
    [
        "https://www.example.org/x", "http://EXAMPLE.org:8080", "http://[2001:db8::1]:80/x", "https://xn--bcher-kva.example/",
        "http://127.0.0.1:8000/", "https://www.www.example.org/?a=b@c", "https://example.org?x=y",
    ],
)  # fmt: skip
def test_a_site_is_the_same_to_the_schedule_and_to_the_database(database: Database, url: str) -> None:
    with database.connection() as conn:
        assert conn.execute("SELECT webrag_host(%s)", [url]).fetchone() == (site_of_address(url),)


def test_nobody_follows_what_is_put_off_for_long(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    def start() -> WorkerProcess:
        raise AssertionError("no worker is wanted")

    pages.pages["/oder"] = busy(3600)
    added = accepted(library.add([pages.url("/oder")])[0]).source_id
    work()
    watch = Watch(database, WorkerSupervisor(start), CancelToken())
    assert [source.waits_until is not None for source in watch.follow([added])] == [True]
