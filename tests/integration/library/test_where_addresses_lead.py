"""An address that is asked for again leads no further into the user's network than it did when it was added."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from uuid import UUID

import httpcore
import pytest

from tests.support.pages import Page, PageServer
from tests.support.queue_work import accepted, article, assert_sound, drain_queue, row
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.jobs import postponement
from webrag_desktop.jobs.feed import queue_due
from webrag_desktop.library.parts import RefreshSchedule
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.storage.database import Database

PUBLIC, PRIVATE, OTHER_PRIVATE = "93.184.216.34", "192.168.1.20", "192.168.1.1"
NAME = "http://rivers.test/rhine"


class Town(httpcore.NetworkBackend):
    """A network whose names lead where a test says; every computer in it serves the pages of one server."""

    def __init__(self, port: int) -> None:
        self.names = {"rivers.test": [PUBLIC], "other.test": [OTHER_PRIVATE]}
        self.asked: list[str] = []
        self._port = port
        self._real = httpcore.SyncBackend()

    def resolve(self, host: str, _port: int) -> Sequence[str]:
        return self.names.get(host, [host])

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        self.asked.append(host)
        return self._real.connect_tcp("127.0.0.1", self._port, timeout, local_address, socket_options)


Work = Callable[[], int]


@pytest.fixture
def town(pages: PageServer) -> Town:
    return Town(pages.port)


@pytest.fixture
def work_in_town(database: Database, make_indexer: Callable[[Database], Indexer], town: Town) -> Work:
    """Drain the queue as the worker does, in that network."""
    network = Network(town.resolve, town)
    return lambda: drain_queue(database, lambda: make_indexer(database), network=network)


@pytest.fixture
def second_server() -> Iterator[PageServer]:
    with PageServer({"/rhine": article("Rhine")}) as server:
        yield server


def added(library: StoredLibrary, address: str) -> UUID:
    return accepted(library.add([address])[0]).source_id


def text_of(library: StoredLibrary, source_id: UUID) -> str:
    text = library.documents.text(source_id)
    assert text is not None
    return text.markdown


@pytest.mark.parametrize(
    "inside",
    [
        PRIVATE,
        "127.0.0.1",
        "0.0.0.0",
        "100.64.1.1",
        "169.254.169.254",
        "::1",
        "fd00::1",
        f"::ffff:{PRIVATE}",
        f"64:ff9b::{PRIVATE}",
    ],
)
def test_a_name_of_the_internet_that_leads_inside_now_is_not_asked(
    database: Database,
    library: StoredLibrary,
    town: Town,
    pages: PageServer,
    work_in_town: Work,
    inside: str,
) -> None:
    source_id = added(library, NAME)
    work_in_town()
    before = text_of(library, source_id)
    town.names["rivers.test"] = [inside]
    pages.pages["/rhine"] = article("Router", "The password of this router is a secret.")
    library.documents.refresh([source_id])
    work_in_town()
    now = row(library, source_id)
    assert town.asked == [PUBLIC]
    assert text_of(library, source_id) == before
    assert "rivers.test now leads to an address inside this computer or its network" in (
        now.state_reason or ""
    )
    assert "The text that was read before stays." in (now.state_hint or "")
    assert now.searchable
    assert_sound(database)


def test_a_look_on_schedule_leaves_it_ready_with_a_note(
    database: Database, library: StoredLibrary, town: Town, work_in_town: Work
) -> None:
    source_id = added(library, NAME)
    work_in_town()
    town.names["rivers.test"] = [PRIVATE]
    RefreshSchedule(database).set(timedelta(hours=1))
    with database.connection() as conn:
        conn.execute(
            "UPDATE sources SET checked_at = now() - interval '1 day', added_at = now() - interval '1 day'"
        )
    assert queue_due(database) == [source_id]
    work_in_town()
    now = row(library, source_id)
    assert town.asked == [PUBLIC]
    assert now.state == "ready"
    assert "now leads to an address inside this computer or its network" in (now.state_reason or "")
    assert_sound(database)


def test_trying_again_leads_no_further_in_than_the_attempt_that_failed(
    library: StoredLibrary, town: Town, pages: PageServer, work_in_town: Work
) -> None:
    pages.pages["/rhine"] = Page("<p>no</p>", status=404)
    source_id = added(library, NAME)
    work_in_town()
    town.names["rivers.test"] = [PRIVATE]
    pages.pages["/rhine"] = article("Router")
    assert library.queue.retry([source_id]) == 1
    work_in_town()
    assert town.asked == [PUBLIC]
    assert row(library, source_id).state == "failed"
    assert accepted(library.add([NAME])[0]).verdict == "retried"  # the user names the address himself again
    work_in_town()
    assert town.asked == [PUBLIC, PRIVATE]
    assert row(library, source_id).state == "ready"


def test_what_nothing_answered_at_counts_too(
    library: StoredLibrary, town: Town, work_in_town: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postponement, "SITE_RETRY_SECONDS", ())

    class Closed(Town):
        def connect_tcp(self, host: str, *_arguments: object, **_options: object) -> httpcore.NetworkStream:
            self.asked.append(host)
            raise httpcore.ConnectError("closed")

    town.__class__ = Closed
    source_id = added(library, NAME)
    work_in_town()
    town.__class__ = Town
    town.names["rivers.test"] = [PRIVATE]
    library.queue.retry([source_id])
    work_in_town()
    assert town.asked == [PUBLIC]
    assert "now leads to an address inside" in (row(library, source_id).state_reason or "")


def test_an_address_of_the_network_stays_within_its_kind_of_address(
    library: StoredLibrary, town: Town, pages: PageServer, work_in_town: Work
) -> None:
    town.names["rivers.test"] = [PRIVATE]
    source_id = added(library, NAME)
    work_in_town()
    town.names["rivers.test"] = ["192.168.1.77"]  # another one by DHCP
    pages.pages["/rhine"] = article("Rhine", "The river is a meadow now.")
    library.documents.refresh([source_id])
    work_in_town()
    assert "meadow" in text_of(library, source_id)
    town.names["rivers.test"] = ["127.0.0.1"]
    library.documents.refresh([source_id])
    work_in_town()
    assert town.asked == [PRIVATE, "192.168.1.77"]
    town.names["rivers.test"] = [PUBLIC]
    library.documents.refresh([source_id])
    work_in_town()
    assert town.asked[-1] == PUBLIC
    assert row(library, source_id).state == "ready"


def test_a_redirect_inside_the_network_stays_on_its_computer(
    library: StoredLibrary, town: Town, pages: PageServer, work_in_town: Work
) -> None:
    town.names["rivers.test"] = [PRIVATE]
    pages.pages["/rhine"] = Page.redirect("http://other.test/elbe")
    source_id = added(library, NAME)
    work_in_town()
    assert town.asked == [PRIVATE]
    now = row(library, source_id)
    assert now.state == "failed"
    assert "leads to other.test, an address on another computer inside this network" in (
        now.state_reason or ""
    )
    town.names["rivers.test"] = [PRIVATE, OTHER_PRIVATE]  # the same name is not enough
    pages.pages["/rhine"] = Page.redirect(f"http://{OTHER_PRIVATE}/elbe")
    library.queue.retry([source_id])
    work_in_town()
    assert set(town.asked) == {PRIVATE}


def test_another_port_of_the_computer_is_followed_and_reported(
    database: Database,
    library: StoredLibrary,
    pages: PageServer,
    second_server: PageServer,
    work: Callable[..., int],
) -> None:
    pages.pages["/moved"] = Page.redirect(second_server.url("/rhine", host="localhost"))
    source_id = added(library, pages.url("/moved"))
    work()
    reported = row(library, source_id)
    assert reported.state == "ready"
    assert f"leads to localhost:{second_server.port}, another place on the same computer" in (
        reported.state_reason or ""
    )
    library.documents.refresh([source_id])
    work()
    assert row(library, source_id).state_reason == reported.state_reason
    pages.pages["/moved"] = Page.redirect("/rhine")
    library.documents.refresh([source_id])
    work()
    assert row(library, source_id).state_reason is None
    assert_sound(database)


@pytest.mark.parametrize(
    ("address", "leads_to", "asked"),
    [
        (NAME, PRIVATE, False),
        (NAME, PUBLIC, True),
        ("http://nas/rhine", PRIVATE, True),
        ("http://wiki.home.arpa/rhine", PRIVATE, True),
        (f"http://{PRIVATE}/rhine", PRIVATE, True),
        ("http://127.0.0.1/rhine", "127.0.0.1", True),
    ],
)
def test_what_was_added_before_this_was_noted_is_judged_by_its_name(
    database: Database,
    library: StoredLibrary,
    town: Town,
    work_in_town: Work,
    address: str,
    leads_to: str,
    asked: bool,
) -> None:
    host = address.split("/")[2]
    town.names[host] = [PUBLIC if address == NAME else leads_to]
    source_id = added(library, address)
    work_in_town()
    with database.connection() as conn:  # as the migration leaves it
        conn.execute("UPDATE sources SET reached = 'unknown'")
        conn.execute("UPDATE captures SET reached = '{}'")
    town.names[host] = [leads_to]
    town.asked.clear()
    library.documents.refresh([source_id])
    work_in_town()
    assert town.asked == ([leads_to] if asked else [])
    assert row(library, source_id).state == ("ready" if asked else "failed")
    library.add([address])  # which says that it is meant, and loses nothing
    library.documents.refresh([source_id])
    work_in_town()
    assert set(town.asked) == {leads_to}
    assert row(library, source_id).state == "ready"


def test_a_page_that_was_joined_is_bound_by_where_the_other_one_found_it(
    library: StoredLibrary, town: Town, pages: PageServer, work_in_town: Work
) -> None:
    pages.pages["/redirect"] = Page.redirect("/rhine")
    _joined, kept = library.add(["http://rivers.test/redirect", NAME])
    work_in_town()
    source_id = accepted(kept).source_id
    assert row(library, source_id).state == "ready"
    town.names["rivers.test"] = [PRIVATE]
    library.documents.refresh([source_id])
    work_in_town()
    assert set(town.asked) == {PUBLIC}
