"""What happened to a document can be reported, from what is kept anyway, and it stays bounded."""

from collections.abc import Callable
from itertools import pairwise
from uuid import UUID, uuid4

from tests.support.pages import Page, PageServer
from tests.support.queue_work import accepted, article, assert_sound
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.queue import jobs
from webrag_desktop.storage.queue.jobs import KEPT_PER_SOURCE
from webrag_desktop.storage.queue.postponement import postpone

Work = Callable[..., int]


def kinds(library: StoredLibrary, source_id: UUID) -> list[str]:
    return [event.kind for event in library.documents.history(source_id)]


def test_a_page_tells_all_that_happened_to_it(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    work()
    library.documents.refresh([source_id])
    work()
    pages.pages["/rhine"] = article("Rhine", "The river carries granite.")
    library.documents.refresh([source_id])
    work()
    library.documents.reextract([source_id])
    work()
    pages.pages["/rhine"] = Page(status=404)
    library.documents.refresh([source_id])
    work()
    library.queue.retry([source_id])
    library.queue.cancel([source_id])
    assert kinds(library, source_id) == [
        "added", "captured", "text", "ready",
        "refreshed", "unchanged",
        "refreshed", "captured", "text", "ready",
        "reread", "unchanged",
        "refreshed", "failed",
        "retried", "cancelled",
    ]  # fmt: skip
    events = library.documents.history(source_id)
    assert all(before.at <= after.at for before, after in pairwise(events))
    assert events[0].address == events[1].address == pages.url("/rhine")
    assert "404" in (events[13].reason or "")
    texts = [event for event in events if event.kind == "text"]
    assert [event.number for event in texts] == [1, 2]
    shown = library.documents.text(source_id)
    assert shown is not None
    assert (texts[-1].version_id, texts[-1].size) == (shown.id, len(shown.markdown))
    assert_sound(database)


def test_what_waits_says_why_and_until_when(database: Database, library: StoredLibrary) -> None:
    source_id = accepted(library.add(["https://example.org/"])[0]).source_id
    with database.connection() as conn:
        job = jobs.claim(conn)
        assert job is not None
        postpone(conn, job, 600, "model")
        conn.execute("UPDATE sources SET state = 'queued', state_reason = 'The model is away.'")
    waiting = library.documents.history(source_id)[-1]
    assert (waiting.kind, waiting.reason) == ("waiting", "The model is away.")
    assert waiting.until is not None
    assert waiting.until > waiting.at


def test_what_is_given_again_and_what_another_address_led_to_is_reported(
    library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    first = accepted(library.add([pages.url("/oder")])[0]).source_id
    work()
    pages.pages |= {"/oder": article("Oder"), "/alias": Page.redirect("/oder")}
    library.add([pages.url("/alias")])
    work()
    assert kinds(library, first) == ["added", "failed", "captured", "joined", "text", "ready"]


def test_nothing_is_known_of_what_is_not_there(library: StoredLibrary) -> None:
    assert library.documents.history(uuid4()) == []


def test_of_work_only_the_last_is_kept_and_of_texts_all(
    database: Database, library: StoredLibrary, pages: PageServer, work: Work
) -> None:
    source_id = accepted(library.add([pages.url("/rhine")])[0]).source_id
    other = accepted(library.add([pages.url("/elbe")])[0]).source_id
    work()
    with database.connection() as conn:
        for _ in range(KEPT_PER_SOURCE + 5):
            jobs.enqueue(conn, source_id, wish="refreshed")
            job = jobs.claim(conn)
            assert job is not None
            jobs.finish(conn, job, "unchanged")
        count = conn.execute("SELECT count(*) FROM jobs WHERE source_id = %s", [source_id]).fetchone()
        assert count == (KEPT_PER_SOURCE,)
    reported = kinds(library, source_id)
    assert reported[:3] == ["added", "captured", "text"]
    assert reported.count("refreshed") == reported.count("unchanged") == KEPT_PER_SOURCE
    assert kinds(library, other) == ["added", "captured", "text", "ready"]
    assert_sound(database)
