"""Documents are looked at again by themselves: seldom, little by little, and never to their harm."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import accepted, article, assert_sound, row
from webrag_desktop.errors import Cancelled
from webrag_desktop.jobs.feed import (
    REFRESH_CHECK_SECONDS,
    Feed,
    ScheduledRefresh,
    queue_due,
)
from webrag_desktop.library.parts import RefreshSchedule
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.queue import FEW, NEVER
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database

Work = Callable[..., int]
WEEK, DAY = timedelta(days=7), timedelta(days=1)


def looked_at(database: Database, ago: timedelta, source_id: UUID | None = None) -> None:
    """Have documents looked at so long ago."""
    with database.connection() as conn:
        conn.execute(
            "UPDATE sources SET checked_at = now() - %(ago)s, refresh_not_before = NULL"
            " WHERE %(id)s::uuid IS NULL OR id = %(id)s",
            {"ago": ago, "id": source_id},
        )


@pytest.fixture
def both(library: StoredLibrary, pages: PageServer, work: Work) -> list[UUID]:
    """Two pages that are ready."""
    ids = [accepted(one).source_id for one in library.add([pages.url("/rhine"), pages.url("/elbe")])]
    work()
    pages.requests.clear()
    return ids


def states(library: StoredLibrary, ids: list[UUID]) -> list[str]:
    return [row(library, id_).state for id_ in ids]


def test_nothing_is_looked_at_unless_that_was_asked_for(database: Database, both: list[UUID]) -> None:
    looked_at(database, timedelta(days=4000))
    assert queue_due(database) == []
    found = RefreshSchedule(database).now()
    assert (found.every, found.own, found.due, found.next_at) == (None, (), 0, None)


def test_what_is_due_is_fetched_politely_and_stays_as_it_is(
    database: Database, library: StoredLibrary, pages: PageServer, both: list[UUID], work: Work
) -> None:
    RefreshSchedule(database).set(WEEK)
    assert queue_due(database) == []
    found = RefreshSchedule(database).now()
    assert found.next_at is not None
    assert timedelta(days=6) < found.next_at - datetime.now(UTC) < WEEK
    looked_at(database, WEEK, both[0])
    assert RefreshSchedule(database).now().due == 1
    assert queue_due(database) == [both[0]]
    assert queue_due(database) == []
    assert row(library, both[0]).priority == -1
    assert work() == 1
    assert [request.path for request in pages.requests if request.path != "/robots.txt"] == ["/rhine"]
    assert states(library, both) == ["ready", "ready"]
    assert queue_due(database) == []
    assert_sound(database)


def test_only_so_many_wait_at_once_and_the_longest_unseen_comes_first(
    database: Database, both: list[UUID]
) -> None:
    RefreshSchedule(database).set(DAY)
    looked_at(database, 2 * DAY)
    looked_at(database, 3 * DAY, both[1])
    assert queue_due(database, most=1) == [both[1]]
    assert queue_due(database, most=1) == []
    assert queue_due(database, most=2) == [both[0]]


def test_documents_may_differ_from_the_library(database: Database, both: list[UUID]) -> None:
    RefreshSchedule(database).set(DAY)
    RefreshSchedule(database).set(NEVER, [both[0]])
    RefreshSchedule(database).set(30 * DAY, [both[1]])
    looked_at(database, 20 * DAY)
    assert queue_due(database) == []
    assert [(one.id, one.every) for one in RefreshSchedule(database).now().own] == [
        (both[0], NEVER),
        (both[1], 30 * DAY),
    ]
    RefreshSchedule(database).set(None, both)
    assert RefreshSchedule(database).now().own == ()
    assert sorted(queue_due(database)) == sorted(both)


def test_a_pause_holds_it_back_and_off_lets_go_what_waits(
    database: Database, library: StoredLibrary, both: list[UUID]
) -> None:
    RefreshSchedule(database).set(DAY)
    looked_at(database, 2 * DAY)
    library.queue.pause()
    assert queue_due(database) == []
    library.queue.resume()
    assert len(queue_due(database)) == 2
    assert states(library, both) == ["queued", "queued"]
    RefreshSchedule(database).set(None)
    assert states(library, both) == ["ready", "ready"]
    assert library.queue.unfinished() == []
    assert_sound(database)


def test_a_clock_that_was_wrong_does_no_harm(database: Database, both: list[UUID], work: Work) -> None:
    RefreshSchedule(database).set(DAY)
    looked_at(database, -4000 * DAY)  # looked at when the clock was years ahead
    with database.connection() as conn:
        conn.execute("UPDATE sources SET refresh_not_before = now() + interval '10 years'")
        conn.execute("UPDATE queue_control SET refresh_rests_until = now() + interval '10 years'")
    assert sorted(queue_due(database)) == sorted(both)
    work()
    assert queue_due(database) == []  # once, and not for ever


@pytest.mark.parametrize("served", [Page("", status=404), Page("<html><body></body></html>")])
def test_what_fails_leaves_the_document_ready_with_a_note(
    database: Database, library: StoredLibrary, pages: PageServer, both: list[UUID], work: Work, served: Page
) -> None:
    text = library.documents.text(both[0])
    pages.pages["/rhine"] = served
    RefreshSchedule(database).set(DAY)
    looked_at(database, 2 * DAY, both[0])
    assert queue_due(database) == [both[0]]
    work()
    after = row(library, both[0])
    assert after.state == "ready"
    assert (after.state_reason or "").startswith("Due for a refresh, but not refreshed: ")
    assert after.state_hint == "The text is as it was. It is tried again automatically."
    assert library.documents.text(both[0]) == text
    assert queue_due(database) == []
    assert_sound(database)
    pages.pages["/rhine"] = article("Rhine")
    looked_at(database, 2 * DAY, both[0])
    queue_due(database)
    work()
    assert row(library, both[0]).state_reason is None


@pytest.fixture
def unrefreshed(library: StoredLibrary, pages: PageServer, both: list[UUID], work: Work) -> UUID:
    """A page that shows a text, and could not be refreshed when the user asked for it."""
    pages.pages["/rhine"] = Page("", status=404)
    library.documents.refresh([both[0]])
    work()
    return both[0]


def test_what_could_not_be_refreshed_is_looked_at_too_and_is_ready_when_that_goes_well(
    database: Database, library: StoredLibrary, pages: PageServer, unrefreshed: UUID, work: Work
) -> None:
    before = row(library, unrefreshed)
    assert before.state == "failed"
    RefreshSchedule(database).set(DAY)
    for attempt in (1, 2):
        looked_at(database, 2 * DAY, unrefreshed)
        assert RefreshSchedule(database).now().due == 1, attempt
        assert queue_due(database) == [unrefreshed]
        work()
        after = row(library, unrefreshed)
        assert (after.state, after.state_reason, after.state_hint) == (
            "failed",
            before.state_reason,
            before.state_hint,
        )
        assert queue_due(database) == []
    pages.pages["/rhine"] = article("Rhine", "The river is a meadow now.")
    looked_at(database, 2 * DAY, unrefreshed)
    queue_due(database)
    work()
    assert (row(library, unrefreshed).state, row(library, unrefreshed).state_reason) == ("ready", None)
    text = library.documents.text(unrefreshed)
    assert text is not None
    assert "meadow" in text.markdown
    assert_sound(database)


@pytest.mark.parametrize("by_the_user", [True, False])
def test_what_had_failed_has_failed_again_when_the_look_is_let_go(
    database: Database, library: StoredLibrary, unrefreshed: UUID, by_the_user: bool
) -> None:
    before = row(library, unrefreshed)
    RefreshSchedule(database).set(DAY)
    looked_at(database, 2 * DAY, unrefreshed)
    assert queue_due(database) == [unrefreshed]
    if by_the_user:
        library.queue.cancel([unrefreshed])
    else:
        RefreshSchedule(database).set(None)
    after = row(library, unrefreshed)
    assert (after.state, after.state_reason, after.state_hint) == (
        "failed",
        before.state_reason,
        before.state_hint,
    )
    assert_sound(database)


def test_without_a_text_nothing_is_looked_at(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    pages.pages["/gone"] = Page("", status=404)
    failed = accepted(library.add([pages.url("/gone")])[0]).source_id
    work()
    RefreshSchedule(database).set(DAY)
    looked_at(database, 2 * DAY)
    with database.connection() as conn:
        conn.execute("UPDATE sources SET added_at = now() - interval '3 days'")
    assert queue_due(database) == []
    assert row(library, failed).state == "failed"


def test_what_the_user_asks_for_meanwhile_may_be_seen_to_fail(
    database: Database, library: StoredLibrary, pages: PageServer, both: list[UUID], work: Work
) -> None:
    pages.pages["/rhine"] = Page("", status=404)
    RefreshSchedule(database).set(DAY)
    looked_at(database, 2 * DAY, both[0])
    queue_due(database)
    library.documents.refresh([both[0]])
    work()
    assert row(library, both[0]).state == "failed"


def test_what_the_user_asks_for_meanwhile_stays_when_the_schedule_goes(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    """Many are as little urgent as what is due, so that nothing but the wish itself tells them apart."""
    many = [f"/page{number}" for number in range(FEW + 1)]
    pages.pages |= {path: article(path[1:]) for path in many}
    ids = [accepted(one).source_id for one in library.add([pages.url(path) for path in many])]
    work()
    RefreshSchedule(database).set(DAY)
    looked_at(database, 2 * DAY)
    assert sorted(queue_due(database)) == sorted(ids)
    library.documents.refresh(ids)
    RefreshSchedule(database).set(None)
    assert sorted(one.id for one in library.documents.all() if one.state == "queued") == sorted(ids)
    pages.pages["/page0"] = Page("", status=404)
    work()
    assert states(library, ids) == ["failed"] + ["ready"] * FEW
    assert_sound(database)


def test_without_a_network_nothing_is_tried_in_vain(
    database: Database, library: StoredLibrary, work: Work
) -> None:
    with PageServer({f"/{number}": article(f"Page {number}") for number in range(6)}) as server:
        hosts = ("127.0.0.1", "localhost")
        urls = [server.url(f"/{number}").replace("127.0.0.1", hosts[number % 2]) for number in range(6)]
        ids = [accepted(one).source_id for one in library.add(urls)]
        work()
    assert states(library, ids) == ["ready"] * 6
    RefreshSchedule(database).set(DAY)
    for number, id_ in enumerate(ids):
        looked_at(database, (10 - number) * DAY, id_)
    assert queue_due(database) == ids
    work()
    assert states(library, ids) == ["ready"] * 6
    assert library.queue.unfinished() == []
    tried = [id_ for id_ in ids if row(library, id_).state_reason]
    assert tried == ids[:2]  # one of each site
    assert RefreshSchedule(database).now().rests_until is not None
    assert queue_due(database) == []
    with database.connection() as conn:
        conn.execute("UPDATE queue_control SET refresh_rests_until = now()")
    assert queue_due(database) == ids[2:]
    assert_sound(database)


def test_files_are_read_where_they_still_are(
    database: Database, library: StoredLibrary, tmp_path: Path, work: Work
) -> None:
    kept, changed, gone = (tmp_path / name for name in ("kept.txt", "changed.txt", "gone.txt"))
    for file in (kept, changed, gone):
        file.write_text(f"The text of {file.name}, about rivers.", encoding="utf-8")
    ids = [accepted(one).source_id for one in library.add([str(kept), str(changed), str(gone)])]
    work()
    before = [library.documents.text(id_) for id_ in ids]
    changed.write_text("Another text, about mountains.", encoding="utf-8")
    gone.unlink()
    RefreshSchedule(database).set(DAY)
    looked_at(database, 2 * DAY)
    assert len(queue_due(database)) == 3
    work()
    assert states(library, ids) == ["ready"] * 3
    after = [library.documents.text(id_) for id_ in ids]
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1] is not None
    assert "mountains" in after[1].markdown
    assert "gone.txt" in (row(library, ids[2]).state_reason or "")
    assert_sound(database)


def test_it_is_looked_for_once_a_minute(database: Database, both: list[UUID]) -> None:
    now = [100.0]
    looking = ScheduledRefresh(database, lambda: now[0])
    RefreshSchedule(database).set(DAY)
    assert looking.check() == []
    looked_at(database, 2 * DAY)
    now[0] += REFRESH_CHECK_SECONDS / 2
    assert looking.check() == []
    now[0] += REFRESH_CHECK_SECONDS
    assert sorted(looking.check()) == sorted(both)


class _NoWorker:
    """A supervisor that starts nothing."""

    def begin(self) -> None: ...
    def progressed(self) -> None: ...
    def keep_working(self, _conn: object) -> None: ...


def test_an_open_window_queues_what_is_due(
    database: Database, library: StoredLibrary, both: list[UUID]
) -> None:
    RefreshSchedule(database).set(DAY)
    looked_at(database, 2 * DAY)
    cancel, queued = CancelToken(), threading.Event()

    def heard(_news: object) -> None:
        if set(library.queue.unfinished()) == set(both):
            queued.set()
            cancel.cancel()

    feed = Feed(database, _NoWorker(), lambda _cancel: None)  # type: ignore[arg-type]

    def follow() -> None:
        with pytest.raises(Cancelled):
            feed.follow(heard, cancel)

    thread = threading.Thread(target=follow)
    thread.start()
    assert queued.wait(30)
    thread.join()
