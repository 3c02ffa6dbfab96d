"""The session closed in order, whatever is at work."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    PATIENCE,
    Address,
    Heard,
    heard,
    open_operations,
    operations_on,
    settings_for,
)
from tests.support.pages import PageServer, RequestHandler
from webrag_desktop import Library
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]


@pytest.fixture
def address(clone: Clone, migrated_template: str) -> Address:
    return clone(migrated_template)


@pytest.fixture
def settings(address: Address, tmp_path: Path) -> Settings:
    return settings_for(address, tmp_path / "home")


@pytest.fixture
def closed(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    with operations_on(settings) as do:
        yield do


@pytest.fixture
def do(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings, qtbot) as made:
        yield made


def states(services: Library, _task: Task) -> int:
    return len(services.documents.all())


def never(_outcome: object = None) -> None:
    pytest.fail("called")


def ignore(_outcome: object) -> None:
    """The outcome does not matter."""


def test_closing_ends_everything_and_nothing_arrives_any_more(settings: Settings, qtbot: QtBot) -> None:
    with open_operations(settings, qtbot) as do:
        begun = threading.Event()

        def wait(_services: Library, task: Task) -> None:
            ended = threading.Event()
            with task.cancel.calling(ended.set):
                begun.set()
                ended.wait(PATIENCE)
            task.cancel.raise_if_cancelled()

        do.session.call(wait, on_success=never, on_error=never)
        assert begun.wait(PATIENCE)
        news = Heard(do.session.news)
        assert do.session.close()
        assert do.session.close()
        assert do.session.call(states, on_success=never) is None
        assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("webrag-")]
        qtbot.wait(10)
        assert not news.all


def test_closing_while_it_is_being_opened_leaves_nothing_open(
    closed: Operations, address: Address, qtbot: QtBot
) -> None:
    opened = Heard(closed.session.opened)
    closed.session.open()
    assert closed.session.close(PATIENCE)
    qtbot.wait(10)
    assert not opened.all
    heard(qtbot, lambda: _connections(address) == 0)


def test_closing_waits_for_essential_work(settings: Settings, qtbot: QtBot) -> None:
    with open_operations(settings, qtbot) as do:
        done: list[str] = []
        do.session.closing.connect(
            lambda: do.session.call(
                lambda services, _task: done.append(f"{len(services.documents.all())} sources"),
                on_success=ignore,
                essential=True,
            )
        )
        assert do.session.close(PATIENCE)
        assert done == ["0 sources"]


def test_closing_never_hangs_on_what_hangs(settings: Settings, qtbot: QtBot) -> None:
    gate = threading.Event()
    with open_operations(settings, qtbot) as do:
        begun = threading.Event()

        def hang(_services: Library, _task: Task) -> None:
            begun.set()
            gate.wait(PATIENCE)

        do.session.call(hang, on_success=never, on_error=never)
        assert begun.wait(PATIENCE)
        assert not do.session.close(0.01)
        gate.set()
        do.session._ended_well = True  # reported; the fixture need not complain of it again


def test_closing_ends_the_worker_and_its_work_stays_queued(settings: Settings, qtbot: QtBot) -> None:
    asked = threading.Event()

    def hang(handler: RequestHandler) -> None:
        asked.set()
        handler.wait(PATIENCE)

    with PageServer({"/slow": hang}) as pages:
        with open_operations(settings, qtbot) as do:
            do.documents.add([pages.url("/slow")])
            heard(qtbot, asked.is_set)
            (worker,) = _workers(settings)
            assert do.session.close()
            assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE
        pages.pages["/slow"] = "<h1>At last</h1><p>The page answered after all.</p>"
        with open_operations(settings, qtbot) as do:
            rows = Heard(do.documents.rows)
            do.documents.listed.connect(lambda listed: do.documents.fetch_rows(listed.ids))
            news = Heard(do.session.news)
            do.documents.list_documents(Listing())
            heard(qtbot, lambda: any(one.state == "ready" for batch in news.all for one in batch))
            heard(qtbot, lambda: bool(rows.all) and rows.last[0].title == "At last")


def _workers(settings: Settings) -> list[psutil.Process]:
    home = str(settings.webrag_home)
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if "--background" in child.cmdline() and child.environ().get("WEBRAG_HOME") == home
    ]


def _connections(address: Address) -> int:
    """How many connections the database has."""
    with Database.plain_connection(address | {"dbname": "postgres"}) as conn:
        row = conn.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = %s", [address["dbname"]])
        found = row.fetchone()
    assert found is not None
    return int(found[0])
