"""A page whose site does not answer is asked for again by itself, some times more, and at once when the user wishes."""

from collections.abc import Callable

import pytest

from tests.support.pages import Page, PageServer, RequestHandler
from tests.support.queue_work import accepted, article, assert_sound, row
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.jobs.postponement import SITE_RETRY_SECONDS, seconds_before_fetch
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs, queue_control


def set_due(database: Database) -> None:
    """Let what was put off be due."""
    with database.connection() as conn:
        conn.execute("UPDATE jobs SET not_before = clock_timestamp() WHERE finished_at IS NULL")


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker ends when all that is left was put off."""
    monkeypatch.setattr(jobs, "PATIENCE_SECONDS", 60.0)


def hang_up(handler: RequestHandler) -> None:
    handler.close_connection = True


@pytest.mark.usefixtures("no_patience")
@pytest.mark.parametrize("trouble", [Page(status=503), Page(status=500), Page(status=408), hang_up, None])
def test_a_page_whose_site_does_not_answer_waits_and_is_asked_for_again(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    work: Callable[..., int],
    trouble: Page | Callable[[RequestHandler], None] | None,
) -> None:
    url = pages.url("/oder") if trouble is not None else "http://127.0.0.1:9/refused"
    pages.pages["/oder"] = trouble or b""
    added = accepted(library.add([url])[0]).source_id
    assert work() == 0
    waiting = row(library, added)
    assert (waiting.state, waiting.waits_for) == ("queued", "site")
    assert waiting.state_reason
    reported = library.documents.history(added)[-1]
    assert (reported.kind, reported.reason, reported.until) == (
        "waiting",
        waiting.state_reason,
        waiting.waits_until,
    )
    with database.connection() as conn:
        assert not queue_control.may_begin_soon(conn, [added])  # nobody need sit and wait for it
    assert library.queue.backlog().postponed == 1
    assert_sound(database)
    if trouble is not None:
        pages.pages["/oder"] = article("Oder")
        set_due(database)
        assert work() == 1
        assert row(library, added).state == "ready"
        assert_sound(database)


@pytest.mark.usefixtures("no_patience")
def test_a_site_that_never_answers_fails_its_page_after_some_hours(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int]
) -> None:
    pages.pages["/oder"] = Page(status=503)
    added = accepted(library.add([pages.url("/oder")])[0]).source_id
    for _ in SITE_RETRY_SECONDS:
        assert work() == 0
        set_due(database)
    assert work() == 1
    assert row(library, added).state == "failed"
    assert len(pages.requests) == len(SITE_RETRY_SECONDS) + 1
    assert library.queue.retry_failed() == 1
    assert_sound(database)


@pytest.mark.usefixtures("no_patience")
@pytest.mark.parametrize("again", ["retry", "work", "add"])
def test_the_user_need_not_wait_for_a_site_that_named_no_time(
    database: Database, library: StoredLibrary, pages: PageServer, work: Callable[..., int], again: str
) -> None:
    pages.pages |= {"/oder": Page(status=503), "/weser": Page(status=429, headers=(("Retry-After", "3600"),))}
    silent, named = (
        accepted(one).source_id for one in library.add([pages.url("/oder"), pages.url("/weser")])
    )
    work()
    assert [row(library, one).may_come_sooner for one in (silent, named)] == [True, False]
    pages.pages |= {"/oder": article("Oder"), "/weser": article("Weser")}
    if again == "retry":
        assert library.queue.retry([silent, named]) == 1
    elif again == "work":
        assert library.queue.retry_failed() == 1
    else:
        library.add([pages.url("/oder"), pages.url("/weser")])
    assert work() == 1
    assert [row(library, one).state for one in (silent, named)] == ["ready", "queued"]
    assert_sound(database)


@pytest.mark.parametrize("status", [404, 410, 403, 451])
def test_a_page_that_is_not_there_fails_at_once(
    library: StoredLibrary, pages: PageServer, work: Callable[..., int], status: int
) -> None:
    pages.pages["/oder"] = Page(status=status)
    added = accepted(library.add([pages.url("/oder")])[0]).source_id
    assert work() == 1
    assert row(library, added).state == "failed"
    assert len(pages.requests) == 1


def test_rests_of_a_site_that_does_not_answer_grow_to_hours_and_end() -> None:
    silent = fetch_errors.too_slow(30)
    rests = [seconds_before_fetch(silent, postponed) for postponed in range(5)]
    assert rests == [120, 600, 3600, 10_800, None]
