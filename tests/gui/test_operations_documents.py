"""Documents as the user works with them: followed, stopped and tried again."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    Address,
    Heard,
    Outage,
    added,
    heard,
    listed,
    operations_on,
    paused_operations,
    row_of,
    settings_for,
)
from tests.support.new_source import new_source
from tests.support.pages import Page, PageServer
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.view_data import DocumentNews, Listing
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources

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
    with paused_operations(settings, qtbot) as made:
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


# -- Coming along -------------------------------------------------------------------------------------------------


def test_a_document_comes_along_by_itself_until_it_is_ready(
    do: Operations, qtbot: QtBot, pages: PageServer
) -> None:
    reported, rows, details = (
        Heard(do.documents.listed),
        Heard(do.documents.rows),
        Heard(do.documents.details),
    )
    news, figures, batch = Heard(do.session.news), Heard(do.documents.figures), Heard(do.documents.batch)
    do.documents.list_documents(Listing())
    do.documents.add((pages.url("/a"), pages.url("/missing")))
    heard(qtbot, lambda: bool(reported.all) and len(reported.last.ids) == 2)
    page, missing = reversed(reported.last.ids)  # the newest comes first
    do.documents.fetch_rows(reported.last.ids)
    do.documents.fetch_details(page)
    heard(qtbot, lambda: bool(rows.all) and {row.queue_position for row in rows.last} == {0, 1})
    assert {row.state for row in rows.last} == {"queued"}
    do.documents.resume()
    heard(qtbot, lambda: bool(figures.all) and figures.last.ready == 1 and figures.last.failed == 1)
    heard(qtbot, lambda: _states(rows) >= {(page, "ready"), (missing, "failed")})
    ready = next(row for shown in reversed(rows.all) for row in shown if row.id == page)
    place = pages.url("/a").removeprefix("http://")
    assert (ready.title, ready.place + ready.path, ready.kind, ready.passages) == ("Cables", place, "html", 1)
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
    reported = len(batch)
    heard(qtbot, lambda: len(batch) > reported)
    assert batch.last is None


def test_the_strip_stays_after_a_batch_in_which_something_failed(
    do: Operations, qtbot: QtBot, pages: PageServer
) -> None:
    do.documents._watch._strip.setInterval(0)
    batch, figures = Heard(do.documents.batch), Heard(do.documents.figures)
    do.documents.add((pages.url("/missing"),))
    do.documents.resume()
    heard(qtbot, lambda: bool(batch.all) and batch.last is not None and batch.last.failed == 1)
    reported = len(figures)
    do.documents.refresh_figures()
    heard(qtbot, lambda: len(figures) > reported)
    assert batch.last is not None


def test_a_storm_of_news_costs_one_refresh(do: Operations, qtbot: QtBot) -> None:
    reported, figures = Heard(do.documents.listed), Heard(do.documents.figures)
    news = Heard(do.session.news)
    ids = added(do, qtbot, *LINKS)
    do.documents.fetch_rows(ids)
    watch = do.documents._watch
    heard(qtbot, lambda: {one.id for batch in news.all for one in batch} == set(ids))
    heard(qtbot, lambda: not watch._soon.isActive() and not watch._refreshing)
    before = len(reported), len(figures)
    watch._soon.setInterval(3_600_000)
    for state in ("fetching", "extracting", "chunking", "embedding", "ready") * 20:
        do.session.news.emit(tuple(DocumentNews(id_, state) for id_ in ids))
    rows = Heard(do.documents.rows)
    assert (len(reported), len(figures)) == before
    watch._soon.start(0)
    heard(qtbot, lambda: len(figures) == before[1] + 1)
    assert {row.id for row in rows.last} == set(ids)
    assert len(reported) == before[0]  # the list holds: all are in it, sorted by when they were added


def test_progress_within_a_state_asks_for_nothing(do: Operations, qtbot: QtBot) -> None:
    ids = added(do, qtbot, LINKS[0])
    watch = do.documents._watch
    heard(qtbot, lambda: watch._states.get(ids[0]) == "queued")  # the news of its being added
    do.session.news.emit((DocumentNews(ids[0], "embedding", 1, 9),))
    heard(qtbot, lambda: not watch._soon.isActive() and not watch._refreshing)
    do.session.news.emit((DocumentNews(ids[0], "embedding", 2, 9),))
    assert not watch._soon.isActive()


def test_a_list_of_what_is_open_changes_with_the_states(
    do: Operations, qtbot: QtBot, pages: PageServer
) -> None:
    assert listed(do, qtbot, Listing("open")) == ()
    reported = Heard(do.documents.listed)
    do.documents.add((pages.url("/a"),))
    heard(qtbot, lambda: bool(reported.all) and len(reported.last.ids) == 1)
    do.documents.resume()
    heard(qtbot, lambda: reported.last.ids == ())
    assert reported.last.listing == Listing("open")


def test_what_came_before_news_was_heard_is_found_all_the_same(
    do: Operations, qtbot: QtBot, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert listed(do, qtbot) == ()
    reported = Heard(do.documents.listed)
    monkeypatch.setattr(sources, "announce", lambda *_given: None)
    database = Database(address)
    with database.connection() as conn:
        missed = new_source(conn, "url", LINKS[0], LINKS[0])
    database.close()
    do.session.queue_changed.emit()  # as at the beginning of the feed
    heard(qtbot, lambda: bool(reported.all) and reported.last.ids == (missed,))


def test_everything_is_reported_again_after_an_outage(do: Operations, qtbot: QtBot, address: Address) -> None:
    outage = Outage(address)
    lost, reported = Heard(do.session.lost), Heard(do.documents.listed)
    outage.begin()
    heard(qtbot, lambda: len(lost) == 1)
    do.documents.list_documents(Listing(sort="title"))
    outage.end()
    heard(qtbot, lambda: len(reported) == 1)
    assert reported.last.listing == Listing(sort="title")


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


def test_what_has_to_wait_for_the_library_is_reported(settings: Settings, qtbot: QtBot) -> None:
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
