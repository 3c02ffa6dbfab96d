"""Asking again: only for what changed, and when a site could not give a page."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tests.support.pages import Page, PageServer, RequestHandler
from webrag_desktop.errors import Cancelled, FetchError
from webrag_desktop.ingestion.fetching.fetch import fetch, fetch_if_changed
from webrag_desktop.ingestion.fetching.options import FetchOptions, Validators, validators_of
from webrag_desktop.progress import CancelToken, Step

ONCE = FetchOptions(read_seconds=2, total_seconds=20, retry_seconds=0)
AGAIN = FetchOptions(read_seconds=2, total_seconds=20, retry_seconds=20)
DATE = "Sat, 03 Oct 2026 14:02:00 GMT"


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        yield running


def with_etag(handler: RequestHandler) -> None:
    """Answers as a server that knows the page's entity tag."""
    if handler.headers.get("If-None-Match") == '"v1"':
        handler.send_page(Page(status=304, headers=(("ETag", '"v1"'), ("Content-Length", "0"))))
    else:
        handler.send_page(Page("<p>text</p>", headers=(("ETag", '"v1"'), ("Last-Modified", DATE))))


def test_a_page_that_is_here_already_is_asked_for_by_what_names_it(server: PageServer) -> None:
    server.pages["/x"] = with_etag
    first = fetch(server.url("/x"), ONCE)
    known = validators_of(first.final_url, first.headers)
    assert known == Validators(server.url("/x"), '"v1"', DATE)
    assert fetch_if_changed(server.url("/x"), ONCE, known) is None
    sent = server.requests[-1].headers
    assert (sent["if-none-match"], sent["if-modified-since"]) == ('"v1"', DATE)


def test_a_changed_page_comes_whole(server: PageServer) -> None:
    server.pages["/x"] = with_etag
    changed = fetch_if_changed(server.url("/x"), ONCE, Validators(server.url("/x"), '"v0"'))
    assert changed is not None
    assert changed.body == b"<p>text</p>"


def test_only_the_address_that_gave_the_copy_hears_of_it(server: PageServer) -> None:
    server.pages |= {"/a": Page.redirect("/x"), "/x": with_etag}
    first = fetch(server.url("/a"), ONCE)
    known = validators_of(first.final_url, first.headers)
    assert fetch_if_changed(server.url("/a"), ONCE, known) is None
    assert ["if-none-match" in request.headers for request in server.requests[-2:]] == [False, True]


def test_a_way_that_leads_elsewhere_now_is_walked_as_if_nothing_were_known(server: PageServer) -> None:
    server.pages |= {"/a": Page.redirect("/y"), "/y": "<p>other</p>"}
    found = fetch_if_changed(server.url("/a"), ONCE, Validators(server.url("/x"), '"v1"'))
    assert found is not None
    assert found.body == b"<p>other</p>"


def test_what_was_not_asked_for_by_a_name_cannot_be_as_it_was(server: PageServer) -> None:
    server.pages |= {"/a": Page.redirect("/y"), "/y": Page(status=304, headers=(("Content-Length", "0"),))}
    with pytest.raises(FetchError, match=r"refused to send the page \(304\)"):
        fetch_if_changed(server.url("/a"), ONCE, Validators(server.url("/x"), '"v1"'))


def test_not_modified_without_being_asked_is_a_refusal(server: PageServer) -> None:
    server.pages["/x"] = Page(status=304, headers=(("Content-Length", "0"),))
    with pytest.raises(FetchError, match=r"refused to send the page \(304\)"):
        fetch(server.url("/x"), ONCE)


# -- Again, and again ---------------------------------------------------------------------------------------


def serve_in_turn(server: PageServer, pages: list[Page]) -> None:
    def answer(handler: RequestHandler) -> None:
        handler.send_page(pages.pop(0))

    server.pages["/x"] = answer


def test_a_site_that_falters_once_is_asked_again(server: PageServer) -> None:
    steps: list[Step] = []
    serve_in_turn(server, [Page(status=503, headers=(("Retry-After", "0"),)), Page("<p>here</p>")])
    assert fetch(server.url("/x"), AGAIN, progress=steps.append).body == b"<p>here</p>"
    assert steps[0] == Step("fetching", detail="Waiting for the site")


@pytest.mark.parametrize("status", [408, 425, 500, 502, 503, 504])
def test_what_may_pass_at_any_moment_says_so(server: PageServer, status: int) -> None:
    server.pages["/x"] = Page(status=status)
    with pytest.raises(FetchError) as caught:
        fetch(server.url("/x"), ONCE)
    assert (caught.value.transient, caught.value.retryable, caught.value.retry_after) == (True, True, None)


def test_a_connection_that_breaks_off_is_made_again(server: PageServer) -> None:
    serve_in_turn(server, [Page(b"<p>half", headers=(("Content-Length", "99"),)), Page("<p>whole</p>")])
    assert fetch(server.url("/x"), AGAIN).body == b"<p>whole</p>"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_a_plain_no_is_heard_once(server: PageServer, status: int) -> None:
    server.pages["/x"] = Page(status=status)
    with pytest.raises(FetchError):
        fetch(server.url("/x"), AGAIN)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ((("Retry-After", "3600"),), 3600),
        (
            (
                ("Retry-After", format_datetime(datetime(2026, 10, 3, 14, 7, tzinfo=UTC), usegmt=True)),
                ("Date", DATE),
            ),
            300,
        ),
        ((), 30),
        ((("Retry-After", "soon"),), 30),
    ],
    ids=["seconds", "a date, by the site's clock", "unstated", "nonsense"],
)
def test_a_long_rest_is_left_to_whoever_asked(
    server: PageServer, headers: tuple[tuple[str, str], ...], seconds: float
) -> None:
    def answer(handler: RequestHandler) -> None:
        handler.send_response_only(429)  # adds no Date of its own
        for name, value in (*headers, ("Content-Length", "0")):
            handler.send_header(name, value)
        handler.end_headers()

    server.pages["/x"] = answer
    with pytest.raises(FetchError, match="come back later") as caught:
        fetch(server.url("/x"), AGAIN)
    assert caught.value.retry_after == seconds
    assert caught.value.transient
    assert len(server.requests) == 1


def test_a_date_that_has_passed_means_now(server: PageServer) -> None:
    past = format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)
    server.pages["/x"] = Page(status=503, headers=(("Retry-After", past),))
    with pytest.raises(FetchError) as caught:
        fetch(server.url("/x"), ONCE)
    assert caught.value.retryable
    assert caught.value.retry_after is None


def test_waiting_ends_the_moment_it_is_cancelled(server: PageServer) -> None:
    server.pages["/x"] = Page(status=503, headers=(("Retry-After", "19"),))
    cancel = CancelToken()

    def cancel_while_waiting(step: Step) -> None:
        if step.detail:
            threading.Thread(target=cancel.cancel).start()

    with pytest.raises(Cancelled):
        fetch(server.url("/x"), AGAIN, progress=cancel_while_waiting, cancel=cancel)
    assert len(server.requests) == 1
