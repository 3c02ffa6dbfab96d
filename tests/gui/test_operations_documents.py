"""Documents as the user works with them: added, followed, stopped, tried again, removed, and taken back."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    Address,
    Heard,
    Outage,
    heard,
    open_operations,
    operations_on,
    settings_for,
)
from tests.support.new_source import new_source
from tests.support.pages import Page, PageServer
from webrag_desktop.config import Settings
from webrag_desktop.gui.operations import session
from webrag_desktop.gui.operations.all_operations import Operations
from webrag_desktop.gui.view_data import DocumentNews, DocumentRow, Listing
from webrag_desktop.storage import sources
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]
LINKS = ("https://one.example/", "https://two.example/", "https://three.example/")


@pytest.fixture
def address(clone: Clone, migrated_template: str) -> Address:
    return clone(migrated_template)


@pytest.fixture
def settings(address: Address, tmp_path: Path) -> Settings:
    return settings_for(address, tmp_path / "home")


@pytest.fixture
def do(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    """An open library whose queue is paused: nothing is fetched unless the test resumes it."""
    with open_operations(settings, qtbot) as made:
        figures = Heard(made.documents.figures)
        made.documents.pause()
        heard(qtbot, lambda: bool(figures.all) and figures.last.paused)
        yield made


@pytest.fixture
def pages() -> Iterator[PageServer]:
    long = "".join(f"<h2>Part {n}</h2><p>Sentence {n} of a page about cables.</p>" for n in range(9))
    with PageServer(
        {
            "/a": "<title>Cables</title><h1>Cables</h1><p>A cable of copper.</p>",
            "/b": f"<title>Long</title><h1>Long</h1>{long}",
            "/missing": Page("gone", status=404),
        }
    ) as served:
        yield served


def listed(do: Operations, qtbot: QtBot, listing: Listing | None = None) -> tuple[UUID, ...]:
    told = Heard(do.documents.listed)
    do.documents.list_documents(listing or Listing())
    heard(qtbot, lambda: len(told) > 0)
    ids: tuple[UUID, ...] = told.last.ids
    return ids


def row_of(do: Operations, qtbot: QtBot, document_id: UUID) -> DocumentRow:
    rows = Heard(do.documents.rows)
    do.documents.fetch_rows((document_id,))
    heard(qtbot, lambda: len(rows) > 0)
    found: DocumentRow = rows.last[0]
    return found


def added(do: Operations, qtbot: QtBot, *given: str) -> tuple[UUID, ...]:
    notices = Heard(do.documents.noticed)
    do.documents.add(given)
    heard(qtbot, lambda: len(notices) > 0)
    return listed(do, qtbot)


def stored(address: Address) -> set[UUID]:
    database = Database(address)
    with database.connection() as conn:
        ids = {row[0] for row in conn.execute("SELECT id FROM sources")}
    database.close()
    return ids


# -- Adding -------------------------------------------------------------------------------------------------------


def test_links_are_added_and_taking_that_back_removes_only_what_is_new(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    before = added(do, qtbot, LINKS[0])
    notices, hidden = Heard(do.documents.noticed), Heard(do.documents.hidden)
    do.documents.add(LINKS)
    heard(qtbot, lambda: len(notices) == 1)
    assert (notices.last.text, notices.last.action) == ("2 links added. 1 was already here.", "Undo")
    assert len(listed(do, qtbot)) == 3
    notices.last.on_action()
    assert len(hidden.last) == 2
    heard(qtbot, lambda: stored(address) == set(before))
    notices.last.on_action()  # once is enough
    do.documents.undo()  # the one before: the first link
    heard(qtbot, lambda: stored(address) == set())


def test_what_is_already_here_leaves_nothing_to_take_back(do: Operations, qtbot: QtBot) -> None:
    added(do, qtbot, LINKS[0])
    notices = Heard(do.documents.noticed)
    do.documents.add((LINKS[0],))
    heard(qtbot, lambda: len(notices) == 1)
    assert (notices.last.text, notices.last.action) == ("1 was already here.", "")


def test_what_cannot_be_added_is_one_message_and_the_rest_is_added(
    do: Operations, qtbot: QtBot, tmp_path: Path
) -> None:
    notices, failures = Heard(do.documents.noticed), Heard(do.documents.failed)
    note = tmp_path / "note.md"
    note.write_text("# A note\n\nOf something.", "utf-8")
    do.documents.add((str(note), str(tmp_path / "not there.md"), "ftp://x.example/", LINKS[0]))
    heard(qtbot, lambda: len(failures) == 1)
    assert notices.last.text == "1 link and 1 file added."
    assert failures.last.message == "2 of 4 could not be added. The others were."
    assert "not there.md" in failures.last.details


def test_nothing_given_is_nothing_done(do: Operations, qtbot: QtBot) -> None:
    notices = Heard(do.documents.noticed)
    do.documents.add(())
    assert listed(do, qtbot) == ()
    assert not notices.all


def test_what_is_given_before_the_library_is_open_is_kept_and_taken_in(
    settings: Settings, qtbot: QtBot, address: Address
) -> None:
    with operations_on(settings) as do:
        notices = Heard(do.documents.noticed)
        do.documents.add(LINKS[:2])
        heard(qtbot, lambda: len(notices) == 1)
        assert notices.last.text == "2 links kept. They are added as soon as your library is open."
        assert not stored(address)
    with open_operations(settings, qtbot):  # another start of the program
        heard(qtbot, lambda: len(stored(address)) == 2)


def test_what_is_given_while_the_database_is_away_is_kept_and_taken_in(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    outage = Outage(address)
    lost, notices = Heard(do.session.lost), Heard(do.documents.noticed)
    outage.begin()
    do.documents.add(LINKS[:1])
    heard(qtbot, lambda: len(notices) == 1 and len(lost) == 1)
    assert notices.last.text == "1 link kept. It is added as soon as your library is open."
    do.documents.add(LINKS[1:2])
    heard(qtbot, lambda: len(notices) == 2)
    outage.end()
    heard(qtbot, lambda: do.session.is_open and len(stored(address)) == 2)


def test_what_was_given_in_the_moment_of_closing_is_taken_in_at_the_next_start(
    settings: Settings, qtbot: QtBot, address: Address
) -> None:
    links = tuple(f"https://x{n}.example/" for n in range(1000))
    with open_operations(settings, qtbot) as do:
        do.documents.pause()
        do.documents.add(links)
        do.session.close(0)
        do.session._ended_well = True  # what was at work ends below
        heard(qtbot, lambda: not [one for one in threading.enumerate() if one.name.startswith("webrag-")])
        assert len(stored(address)) < len(links)
    with open_operations(settings, qtbot):
        heard(qtbot, lambda: len(stored(address)) == len(links))


def test_what_is_kept_does_not_close_a_library_that_was_opened_meanwhile(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    lost, queue = Heard(do.session.lost), Heard(do.session.queue_changed)
    do.documents._keep(LINKS[:1], do.session.not_open_error())
    heard(qtbot, lambda: len(stored(address)) == 1)
    do.documents.resume()
    heard(qtbot, lambda: len(queue) > 0)
    assert do.session.is_open
    assert not lost.all


# -- Coming along -------------------------------------------------------------------------------------------------


def test_a_document_comes_along_by_itself_until_it_is_ready(
    do: Operations, qtbot: QtBot, pages: PageServer
) -> None:
    told, rows, details = Heard(do.documents.listed), Heard(do.documents.rows), Heard(do.documents.details)
    news, figures, batch = Heard(do.session.news), Heard(do.documents.figures), Heard(do.documents.batch)
    do.documents.list_documents(Listing())
    do.documents.add((pages.url("/a"), pages.url("/missing")))
    heard(qtbot, lambda: bool(told.all) and len(told.last.ids) == 2)
    page, missing = reversed(told.last.ids)  # the newest comes first
    do.documents.fetch_rows(told.last.ids)
    do.documents.fetch_details(page)
    heard(qtbot, lambda: bool(rows.all) and {row.queue_position for row in rows.last} == {0, 1})
    assert {row.state for row in rows.last} == {"queued"}
    do.documents.resume()
    heard(qtbot, lambda: bool(figures.all) and figures.last.ready == 1 and figures.last.failed == 1)
    heard(qtbot, lambda: _states(rows) >= {(page, "ready"), (missing, "failed")})
    ready = next(row for shown in reversed(rows.all) for row in shown if row.id == page)
    assert (ready.title, ready.place, ready.kind, ready.passages) == ("Cables", "127.0.0.1", "html", 1)
    failed = next(row for shown in reversed(rows.all) for row in shown if row.id == missing)
    assert "404" in (failed.reason or "")
    assert failed.hint
    heard(qtbot, lambda: details.last is not None and details.last.row.state == "ready")
    assert (details.last.first_words, details.last.row.id) == ("A cable of copper.", page)
    assert details.last.kept_bytes > 0
    states = [one.state for batch_of in news.all for one in batch_of if one.id == page]
    assert states[-1] == "ready"
    heard(qtbot, lambda: (batch.last.ready, batch.last.failed, batch.last.open) == (1, 1, 0))


def _states(rows: Heard) -> set[tuple[UUID, str]]:
    return {(row.id, row.state) for shown in rows.all for row in shown}


def test_the_strip_goes_away_after_a_batch_that_went_well(
    do: Operations, qtbot: QtBot, pages: PageServer
) -> None:
    do.documents._watch._strip.setInterval(0)
    batch = Heard(do.documents.batch)
    do.documents.add((pages.url("/b"),))
    do.documents.resume()
    heard(qtbot, lambda: any(one is not None and one.ready == 1 and not one.open for one in batch.all))
    heard(qtbot, lambda: batch.last is None)
    do.documents.refresh_figures()
    told = len(batch)
    heard(qtbot, lambda: len(batch) > told)
    assert batch.last is None


def test_the_strip_stays_after_a_batch_in_which_something_failed(
    do: Operations, qtbot: QtBot, pages: PageServer
) -> None:
    do.documents._watch._strip.setInterval(0)
    batch, figures = Heard(do.documents.batch), Heard(do.documents.figures)
    do.documents.add((pages.url("/missing"),))
    do.documents.resume()
    heard(qtbot, lambda: bool(batch.all) and batch.last is not None and batch.last.failed == 1)
    told = len(figures)
    do.documents.refresh_figures()
    heard(qtbot, lambda: len(figures) > told)
    assert batch.last is not None


def test_a_storm_of_news_costs_one_refresh(do: Operations, qtbot: QtBot) -> None:
    told, figures = Heard(do.documents.listed), Heard(do.documents.figures)
    news = Heard(do.session.news)
    ids = added(do, qtbot, *LINKS)
    do.documents.fetch_rows(ids)
    watch = do.documents._watch
    heard(qtbot, lambda: {one.id for batch in news.all for one in batch} == set(ids))
    heard(qtbot, lambda: not watch._soon.isActive() and not watch._refreshing)
    before = len(told), len(figures)
    watch._soon.setInterval(3_600_000)
    for state in ("fetching", "extracting", "chunking", "embedding", "ready") * 20:
        do.session.news.emit(tuple(DocumentNews(id_, state) for id_ in ids))
    rows = Heard(do.documents.rows)
    assert (len(told), len(figures)) == before
    watch._soon.start(0)
    heard(qtbot, lambda: len(figures) == before[1] + 1)
    assert {row.id for row in rows.last} == set(ids)
    assert len(told) == before[0]  # the list holds: all are in it, sorted by when they were added


def test_progress_within_a_state_asks_for_nothing(do: Operations, qtbot: QtBot) -> None:
    ids = added(do, qtbot, LINKS[0])
    watch = do.documents._watch
    do.session.news.emit((DocumentNews(ids[0], "embedding", 1, 9),))
    heard(qtbot, lambda: not watch._soon.isActive() and not watch._refreshing)
    do.session.news.emit((DocumentNews(ids[0], "embedding", 2, 9),))
    assert not watch._soon.isActive()


def test_a_list_of_what_is_open_changes_with_the_states(
    do: Operations, qtbot: QtBot, pages: PageServer
) -> None:
    assert listed(do, qtbot, Listing("open")) == ()
    told = Heard(do.documents.listed)
    do.documents.add((pages.url("/a"),))
    heard(qtbot, lambda: bool(told.all) and len(told.last.ids) == 1)
    do.documents.resume()
    heard(qtbot, lambda: told.last.ids == ())
    assert told.last.listing == Listing("open")


def test_what_came_before_news_was_heard_is_found_all_the_same(
    do: Operations, qtbot: QtBot, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert listed(do, qtbot) == ()
    told = Heard(do.documents.listed)
    monkeypatch.setattr(sources, "announce", lambda *_given: None)
    database = Database(address)
    with database.connection() as conn:
        missed = new_source(conn, "url", LINKS[0], LINKS[0])
    database.close()
    do.session.queue_changed.emit()  # as at the beginning of the feed
    heard(qtbot, lambda: bool(told.all) and told.last.ids == (missed,))


def test_everything_is_told_anew_after_an_outage(do: Operations, qtbot: QtBot, address: Address) -> None:
    outage = Outage(address)
    lost, told = Heard(do.session.lost), Heard(do.documents.listed)
    outage.begin()
    heard(qtbot, lambda: len(lost) == 1)
    do.documents.list_documents(Listing(sort="title"))
    outage.end()
    heard(qtbot, lambda: len(told) == 1)
    assert told.last.listing == Listing(sort="title")


# -- The queue ----------------------------------------------------------------------------------------------------


def test_stopping_says_what_stays_and_can_be_taken_back(
    do: Operations, qtbot: QtBot, pages: PageServer
) -> None:
    figures, notices = Heard(do.documents.figures), Heard(do.documents.noticed)
    do.documents.add((pages.url("/a"),))
    do.documents.resume()
    heard(qtbot, lambda: bool(figures.all) and figures.last.ready == 1)
    do.documents.pause()
    heard(qtbot, lambda: figures.last.paused)
    do.documents.add(LINKS[:2])
    heard(qtbot, lambda: figures.last.waiting == 2)
    do.documents.cancel_all()
    heard(qtbot, lambda: figures.last.stopped == 2)
    assert notices.last.text == "2 documents stopped. The one that is ready stays."
    do.documents.undo()
    heard(qtbot, lambda: figures.last.waiting == 2 and figures.last.stopped == 0)


def test_one_document_is_stopped_and_tried_again(do: Operations, qtbot: QtBot) -> None:
    ids = added(do, qtbot, *LINKS)
    figures, notices = Heard(do.documents.figures), Heard(do.documents.noticed)
    do.documents.cancel((ids[0],))
    heard(qtbot, lambda: bool(figures.all) and figures.last.stopped == 1)
    assert notices.last.text == "1 document stopped."
    assert row_of(do, qtbot, ids[0]).state == "cancelled"
    do.documents.retry((ids[0],))
    heard(qtbot, lambda: figures.last.waiting == 3)


def test_stopping_when_there_is_nothing_to_stop_says_nothing(do: Operations, qtbot: QtBot) -> None:
    notices, figures = Heard(do.documents.noticed), Heard(do.documents.figures)
    do.documents.cancel_all()
    heard(qtbot, lambda: len(figures) > 0)
    assert not notices.all


def test_what_has_to_wait_for_the_library_is_told(settings: Settings, qtbot: QtBot) -> None:
    with operations_on(settings) as do:
        notices = Heard(do.documents.noticed)
        for ask in (
            do.documents.pause,
            do.documents.resume,
            do.documents.cancel_all,
            lambda: do.documents.retry(()),
        ):
            ask()
        do.citing.uncite(uuid4())
        assert {one.text for one in notices.all} == {
            "Your library is not open at the moment. This is done as soon as it is."
        }
        assert len(notices) == 5
        do.documents.list_documents(Listing())
        assert len(notices) == 5


# -- Removing -----------------------------------------------------------------------------------------------------


def test_removing_hides_at_once_and_undo_brings_it_back(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    ids = added(do, qtbot, *LINKS)
    hidden, unhidden = Heard(do.documents.hidden), Heard(do.documents.unhidden)
    notices, figures = Heard(do.documents.noticed), Heard(do.documents.figures)
    do.documents.remove(ids[:2])
    assert hidden.all == [ids[:2]]
    assert (notices.last.text, notices.last.action) == ("2 documents removed.", "Undo")
    assert do.documents.is_hidden(ids[0])
    assert listed(do, qtbot) == ids[2:]
    heard(qtbot, lambda: bool(figures.all) and figures.last.documents == 1)
    do.documents.undo()
    assert unhidden.all == [ids[:2]]
    assert listed(do, qtbot) == ids
    notices.last.on_expired()
    assert listed(do, qtbot) == ids
    assert stored(address) == set(ids)


def test_it_is_gone_for_good_once_the_notice_is_gone(do: Operations, qtbot: QtBot, address: Address) -> None:
    ids = added(do, qtbot, *LINKS)
    notices, figures = Heard(do.documents.noticed), Heard(do.documents.figures)
    do.documents.remove(ids[:1])
    assert stored(address) == set(ids)
    notices.last.on_expired()
    heard(qtbot, lambda: stored(address) == set(ids[1:]))
    heard(qtbot, lambda: not do.documents.is_hidden(ids[0]))
    heard(qtbot, lambda: bool(figures.all) and figures.last.documents == 2)
    notices.last.on_action()
    assert listed(do, qtbot) == ids[1:]


def test_a_removal_whose_notice_was_never_shown_is_final_after_a_while(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    do.undo._milliseconds = 0
    ids = added(do, qtbot, LINKS[0])
    do.documents.remove(ids)
    heard(qtbot, lambda: not stored(address))


def test_a_removal_is_final_when_the_window_closes(
    settings: Settings, qtbot: QtBot, address: Address
) -> None:
    with open_operations(settings, qtbot) as do:
        do.documents.pause()
        ids = added(do, qtbot, *LINKS)
        do.documents.remove(ids[:1])
        assert do.session.close(30)
        assert stored(address) == set(ids[1:])


def test_a_removal_during_an_outage_is_done_afterwards(
    do: Operations, qtbot: QtBot, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "REOPEN_SECONDS", (0,))
    ids = added(do, qtbot, *LINKS)
    outage, lost, notices = Outage(address), Heard(do.session.lost), Heard(do.documents.noticed)
    do.documents.remove(ids[:1])
    outage.begin()
    notices.last.on_expired()
    heard(qtbot, lambda: len(lost) == 1)
    assert do.documents.is_hidden(ids[0])
    outage.end()
    heard(qtbot, lambda: stored(address) == set(ids[1:]))


def test_what_is_given_again_is_not_removed_after_all(do: Operations, qtbot: QtBot, address: Address) -> None:
    ids = added(do, qtbot, *LINKS)
    notices, unhidden = Heard(do.documents.noticed), Heard(do.documents.unhidden)
    do.documents.remove(ids[:2])  # the newest come first: the third and the second
    removed = notices.last
    assert added(do, qtbot, LINKS[2]) == (ids[0], ids[2])
    assert unhidden.all == [(ids[0],)]
    removed.on_expired()
    heard(qtbot, lambda: stored(address) == {ids[0], ids[2]})
    do.documents.remove(ids[:1])
    assert set(added(do, qtbot, LINKS[2])) == {ids[0], ids[2]}
    notices.all[-2].on_expired()
    do.documents.finish_removals()
    assert set(listed(do, qtbot)) == {ids[0], ids[2]}
    assert stored(address) == {ids[0], ids[2]}


@pytest.mark.parametrize("expired", [True, False])
def test_a_removal_during_an_outage_survives_the_end_of_the_program(
    settings: Settings, qtbot: QtBot, address: Address, expired: bool
) -> None:
    outage = Outage(address)
    with open_operations(settings, qtbot) as do:
        do.documents.pause()
        ids = added(do, qtbot, *LINKS)
        lost, notices = Heard(do.session.lost), Heard(do.documents.noticed)
        do.documents.remove(ids[:1])
        outage.begin()
        if expired:
            notices.last.on_expired()
        heard(qtbot, lambda: len(lost) == 1)
    outage.end()
    with open_operations(settings, qtbot):
        heard(qtbot, lambda: stored(address) == set(ids[1:]))
