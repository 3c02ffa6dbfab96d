"""What was found changed on schedule is reported once, with a way to it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from tests.support.documents import REPORT, SIGN_IN
from tests.support.gui_library import Address, Heard, heard, listed, open_operations, settings_for
from tests.support.pages import PageServer
from tests.support.whole_window import ROWS, Shown
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.library.operations.document_rows import Listed
from webrag_desktop.gui.library.operations.refreshing import ScheduledChanges
from webrag_desktop.gui.session.undoing import Notice
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH
from webrag_desktop.jobs.feed import queue_due
from webrag_desktop.library.parts import RefreshSchedule
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]


def page(words: str) -> str:
    return f"<title>{words}</title><main><h1>{words}</h1><p>A cable of {words}.</p></main>"


@pytest.fixture
def address(clone: Clone, migrated_template: str) -> Address:
    return clone(migrated_template)


@pytest.fixture
def do(address: Address, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings_for(address, tmp_path / "home"), qtbot) as made:
        yield made


@pytest.fixture
def pages() -> Iterator[PageServer]:
    with PageServer({f"/{name}": page(name) for name in ("copper", "iron", "gold")}) as served:
        yield served


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


def ready(do: Operations, qtbot: QtBot, addresses: list[str]) -> tuple[UUID, ...]:
    figures = Heard(do.documents.figures)
    do.documents.add(addresses)
    heard(qtbot, lambda: bool(figures.all) and figures.last.ready == len(addresses))
    return listed(do, qtbot)


def look(changes: ScheduledChanges, qtbot: QtBot, address: Address) -> None:
    """Have everything looked at on schedule, and wait until that is done and heard of."""
    changes._quiet.stop()
    database = Database(address)
    with database.connection() as conn:
        conn.execute("UPDATE queue_control SET refresh_every = interval '1 day'")
        conn.execute("UPDATE sources SET checked_at = now() - interval '2 days', refresh_not_before = NULL")
    due = queue_due(database)
    assert due

    def done() -> bool:
        with database.connection() as conn:
            row = conn.execute("SELECT count(*) FROM jobs WHERE finished_at IS NULL").fetchone()
        return row == (0,)

    heard(qtbot, lambda: changes._quiet.isActive() and done())
    database.close()


def test_what_changed_is_reported_once_and_nothing_else(
    do: Operations, qtbot: QtBot, address: Address, pages: PageServer
) -> None:
    ids = ready(do, qtbot, [pages.url(f"/{name}") for name in ("copper", "iron", "gold")])
    changes = ScheduledChanges(do.session, do, quiet=10**9)
    notices, wanted = Heard(changes.noticed), Heard(changes.documents_wanted)
    one = Heard(changes.difference_wanted)
    heard(qtbot, lambda: do.scheduled._since is not None)  # once they were listed
    changes.check()
    heard(qtbot, lambda: changes._since is not None)
    pages.pages["/copper"], pages.pages["/iron"] = page("bronze"), page("steel")
    look(changes, qtbot, address)
    assert not notices.all  # not one for each
    changes._quiet.timeout.emit()
    heard(qtbot, lambda: len(notices) == 1)
    assert notices.last.text == "2 documents changed since they were last checked."
    notices.last.on_action()
    assert len(wanted.last) == 2
    assert set(wanted.last) < set(ids)
    pages.pages["/gold"] = page("silver")
    look(changes, qtbot, address)
    changes._quiet.timeout.emit()
    heard(qtbot, lambda: len(notices) == 2)
    assert notices.last.text == "1 document changed since it was last checked."
    notices.last.on_action()
    assert {one.last} == set(ids) - set(wanted.last)
    look(changes, qtbot, address)  # nothing is another now
    database = Database(address)
    assert RefreshSchedule(database).changes_since(changes._since) == (changes._since, [])
    database.close()


def test_the_notice_leads_to_the_documents(shown: Shown) -> None:
    shown.fill()
    shown.connections.show_view(RESEARCH)
    scheduled = shown.do.part("scheduled")
    ids = tuple(row.id for row in ROWS)
    scheduled.noticed.emit(
        Notice("2 documents changed.", "Show them", lambda: scheduled.documents_wanted.emit(ids))
    )
    (toast,) = shown.window.toasts._toasts
    button = toast.findChild(QPushButton)
    assert button is not None
    button.click()
    assert shown.window.view == LIBRARY
    assert shown.do.calls_of("documents.list_documents")[-1] == (Listing(),)
    shown.do.part("documents").listed.emit(Listed.of(Listing(), ids))
    assert set(shown.window.library.list.chosen().all_ids()) == {REPORT.id, SIGN_IN.id}
    shown.window.library.list.choose(1)
    shown.do.part("documents").listed.emit(Listed.of(Listing(), ids))
    assert shown.window.library.list.chosen_id == SIGN_IN.id  # chosen once, not for ever


def test_what_changed_in_one_is_shown(shown: Shown) -> None:
    shown.do.part("scheduled").difference_wanted.emit(REPORT.id)
    assert shown.do.calls_of("versions.compare") == [(REPORT.id,)]
