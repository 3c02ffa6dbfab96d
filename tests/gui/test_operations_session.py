"""The session: opened in the background, its events reported, reopened when it was lost."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    PATIENCE,
    Address,
    Heard,
    Outage,
    heard,
    open_operations,
    operations_on,
    settings_for,
)
from tests.support.new_source import new_source
from webrag_desktop import Library
from webrag_desktop.config import Settings
from webrag_desktop.errors import DatabaseUnreachableError, DataFolderGoneError, StackError
from webrag_desktop.gui.data.view_data import DocumentNews, Failure
from webrag_desktop.gui.session import session as module
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.library import opening, worker
from webrag_desktop.progress import Step
from webrag_desktop.stack.external import ExternalStack
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources

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


@pytest.fixture
def outage(address: Address) -> Iterator[Outage]:
    made = Outage(address)
    yield made
    made.end()


def states(library: Library, _task: Task) -> int:
    return len(library.documents.all())


def never(_outcome: object = None) -> None:
    pytest.fail("called")


# -- Opening ------------------------------------------------------------------------------------------------------


def test_the_library_is_opened_in_the_background_and_tells_its_steps(
    closed: Operations, qtbot: QtBot
) -> None:
    steps, opened = Heard(closed.session.opening), Heard(closed.session.opened)
    closed.session.open()
    assert (closed.session.state, len(opened)) == ("opening", 0)
    heard(qtbot, lambda: len(opened) == 1)
    assert closed.session.is_open
    assert steps.all[0] == Step("Connecting to the database")


def test_opening_twice_opens_once(closed: Operations, qtbot: QtBot) -> None:
    opened = Heard(closed.session.opened)
    closed.session.open()
    closed.session.open()
    heard(qtbot, lambda: len(opened) == 1)
    closed.session.open()
    got: list[int] = []
    closed.session.call(states, on_success=got.append)
    heard(qtbot, lambda: got == [0])
    assert len(opened) == 1


def test_what_is_asked_before_it_is_open_waits_and_only_the_newest_of_a_name_is_done(
    closed: Operations, qtbot: QtBot
) -> None:
    got: list[str] = []

    def ask(name: str, replaces: str = "") -> None:
        closed.session.call(lambda _library, _task: name, on_success=got.append, replaces=replaces)

    ask("first list", "listing")
    ask("rows")
    ask("second list", "listing")
    ask("more rows")
    assert got == []
    closed.session.open()
    heard(qtbot, lambda: len(got) == 3)
    assert sorted(got) == ["more rows", "rows", "second list"]


def test_work_that_waits_can_be_cancelled(closed: Operations, qtbot: QtBot) -> None:
    token = closed.session.call(states, on_success=never, on_error=never)
    assert token is not None
    closed.session.cancel(token)
    heard(qtbot, lambda: token.cancelled)
    got: list[int] = []
    closed.session.call(states, on_success=got.append)
    closed.session.open()
    heard(qtbot, lambda: got == [0])


def test_a_library_that_does_not_open_says_why_and_tries_again(
    address: Address, tmp_path: Path, qtbot: QtBot, outage: Outage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REOPEN_SECONDS", (0,))
    with operations_on(settings_for(address, tmp_path)) as do:
        failures, opened = Heard(do.session.open_failed), Heard(do.session.opened)
        outage.begin()
        steps = Heard(do.session.opening)
        do.session.open()
        heard(qtbot, lambda: len(steps) >= 3)  # it tried three times
        assert len(failures) == 1  # and said it once
        assert isinstance(failures.last, Failure)
        assert failures.last.hint
        assert str(address["password"]) not in repr(failures.last)
        outage.end()
        heard(qtbot, lambda: len(opened) == 1)


def test_a_wrong_setting_is_not_tried_again_until_the_user_asks(tmp_path: Path, qtbot: QtBot) -> None:
    settings = Settings.of(WEBRAG_HOME=tmp_path, WEBRAG_DATABASE_URL="postgresql://u:sesame@@h")
    with operations_on(settings) as do:
        failures = Heard(do.session.open_failed)
        do.session.open()
        heard(qtbot, lambda: len(failures) == 1)
        assert (do.session.state, do.session.failure) == ("failed", failures.last)
        assert not do.session._retry.isActive()
        assert "sesame" not in repr(failures.last)
        do.session.reopen()
        heard(qtbot, lambda: len(failures) == 2)


def test_a_data_folder_that_is_gone_is_reported_and_no_empty_library_made_in_its_place(
    closed: Operations, settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[bool] = []

    def ensure_in_place(_stack: ExternalStack) -> None:
        if gone:
            raise DataFolderGoneError.of(settings.webrag_home)

    monkeypatch.setattr(ExternalStack, "ensure_in_place", ensure_in_place)
    do, failures = closed, Heard(closed.session.open_failed)
    do.session.open()
    heard(qtbot, lambda: do.session.is_open)
    gone.append(True)
    with monkeypatch.context() as patch:
        patch.setattr(opening, "open_with", lambda *_given: pytest.fail("a library is opened"))
        do.session.reopen()
        heard(qtbot, lambda: len(failures) == 1)
    assert "moved or removed" in failures.last.message
    gone.clear()
    do.session.reopen()
    heard(qtbot, lambda: do.session.is_open)


# -- Following ----------------------------------------------------------------------------------------------------


def test_what_happens_in_the_library_is_reported(do: Operations, address: Address, qtbot: QtBot) -> None:
    news = Heard(do.session.news)
    database = Database(address)
    with database.connection() as conn:
        source = new_source(conn, "url", "https://a/", "https://a/")
        sources.set_state(conn, source, "embedding", done=3, total=9)
        sources.set_state(conn, source, "ready")
    heard(qtbot, lambda: len(news) > 0)
    assert news.last == (DocumentNews(source, "ready"),)  # what is over already is not reported
    with database.connection() as conn:
        sources.remove_source(conn, source)
    heard(qtbot, lambda: len(news) > 1)
    assert news.last == (DocumentNews(source, None),)
    database.close()


def test_pausing_is_announced_to_every_window(do: Operations, settings: Settings, qtbot: QtBot) -> None:
    queue = Heard(do.session.queue_changed)
    with open_operations(settings, qtbot) as other:
        other.documents.pause()
        heard(qtbot, lambda: len(queue) == 1)


def test_a_worker_that_cannot_be_kept_running_is_reported_and_the_session_stays_open(
    settings: Settings, address: Address, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        worker, "worker_arguments", lambda *_given: (sys.executable, "-c", "raise SystemExit(3)")
    )
    with open_operations(settings, qtbot) as do:
        failures = Heard(do.failed)
        do.background.failed.connect(do.tell_failure)
        do.documents.add(["https://a.example/"])
        heard(qtbot, lambda: len(failures) == 1)
        assert "worker stopped (exit code 3)" in failures.last.message
        assert do.session.is_open
        reports = Heard(do.stack.report)
        do.stack.refresh()
        heard(qtbot, lambda: len(reports) > 0)
        (stopped,) = [part for part in reports.last.parts if part.name == "Worker"]
        assert (stopped.health, stopped.detail) == ("failing", failures.last.message)
        news = Heard(do.session.news)
        database = Database(address)
        with database.connection() as conn:
            source = new_source(conn, "url", "https://b/", "https://b/")
            sources.set_state(conn, source, "ready")
        database.close()
        heard(
            qtbot, lambda: any(one.id == source for reported in news.all for one in reported)
        )  # still followed
        monkeypatch.undo()
        do.stack.act("Worker")
        heard(qtbot, lambda: do.session.is_open and do.session.worker_failure is None)


REFUSING = """
import datetime, json, sys
at = datetime.datetime.now(datetime.UTC).isoformat()
failure = {"kind": "configuration", "message": "The tokenizer is wrong.", "hint": "Set another."}
failure |= {"at": at, "settings": sys.argv[1]}
open("worker-failure.json", "w").write(json.dumps(failure))
open("starts", "a").write("one more\\n")
raise SystemExit(4)
"""


def test_a_wrong_setting_that_the_worker_meets_is_reported_in_its_own_words_after_one_start(
    settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        worker,
        "worker_arguments",
        lambda *_given: (sys.executable, "-c", REFUSING, settings.indexing_fingerprint()),
    )
    with open_operations(settings, qtbot) as do:
        failures = Heard(do.failed)
        do.background.failed.connect(do.tell_failure)
        do.documents.add(["https://a.example/"])
        heard(qtbot, lambda: len(failures) == 1)
        assert (failures.last.message, failures.last.hint) == ("The tokenizer is wrong.", "Set another.")
        reports = Heard(do.stack.report)
        do.stack.refresh()
        heard(qtbot, lambda: len(reports) > 0)
        (stopped,) = [part for part in reports.last.parts if part.name == "Worker"]
        assert (stopped.health, stopped.detail, stopped.remedy) == (
            "failing",
            failures.last.message,
            failures.last.hint,
        )
        starts = settings.webrag_home / "logs" / "starts"
        assert starts.read_text(encoding="utf-8").splitlines() == ["one more"]


def test_a_feed_that_does_not_run_is_reported_once(
    settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    def follow(*_given: object) -> None:
        tries.append(1)
        raise StackError("It cannot be followed.", "See the log.")

    monkeypatch.setattr(Library, "follow", follow)
    monkeypatch.setattr(module, "REOPEN_SECONDS", (0,))
    with operations_on(settings) as do:
        failures = Heard(do.background.failed)
        do.session.open()
        heard(qtbot, lambda: len(tries) >= 4)
        assert len(failures) == 1


# -- Losing and reopening ------------------------------------------------------------------------------------------


def test_a_lost_database_is_reported_once_and_opened_again(
    do: Operations, qtbot: QtBot, outage: Outage
) -> None:
    lost, opened = Heard(do.session.lost), Heard(do.session.opened)
    errors: list[Exception] = []
    is_gone = Event()

    def states_of_lost(library: Library, task: Task) -> int:
        assert is_gone.wait(60)
        return states(library, task)

    for _ in range(
        3
    ):  # before: what is requested of a library that is known to be lost waits for the next one
        do.session.call(states_of_lost, on_success=never, on_error=errors.append)
    outage.begin()
    is_gone.set()
    heard(qtbot, lambda: len(lost) == 1)
    assert not do.session.is_open
    assert do.session.state in {"lost", "opening", "failed"}
    assert isinstance(lost.last, Failure)
    outage.end()
    heard(qtbot, lambda: len(opened) == 1)
    got: list[int] = []
    do.session.call(states, on_success=got.append)
    heard(qtbot, lambda: got == [0])
    assert len(lost) == 1
    assert all(isinstance(error, DatabaseUnreachableError) for error in errors)


def test_the_feed_notices_a_lost_database_when_nobody_asks_anything(
    do: Operations, address: Address, qtbot: QtBot, outage: Outage
) -> None:
    lost, opened, news = Heard(do.session.lost), Heard(do.session.opened), Heard(do.session.news)
    outage.begin()
    heard(qtbot, lambda: len(lost) == 1)
    listens = Heard(do.session.queue_changed)
    outage.end()
    heard(qtbot, lambda: len(opened) == 1 and len(listens) == 1)
    database = Database(address)
    with database.connection() as conn:
        source = new_source(conn, "url", "https://a/", "https://a/")
    heard(qtbot, lambda: bool(news.all) and news.last[0].id == source)
    database.close()


def test_work_that_may_be_repeated_is_done_once_the_database_is_back(
    do: Operations, qtbot: QtBot, outage: Outage
) -> None:
    lost = Heard(do.session.lost)
    got: list[int] = []
    outage.begin()
    do.session.call(states, on_success=got.append, on_error=never, repeat=True, replaces="listing")
    heard(qtbot, lambda: len(lost) == 1)
    assert got == []
    outage.end()
    heard(qtbot, lambda: got == [0])


def test_what_the_user_asks_for_opens_a_lost_library_at_once(
    do: Operations, qtbot: QtBot, outage: Outage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REOPEN_SECONDS", (3600,))
    lost = Heard(do.session.lost)
    outage.begin()
    heard(qtbot, lambda: len(lost) == 1)
    outage.end()
    assert do.session.state == "lost"
    got: list[int] = []
    do.session.call(states, on_success=got.append)
    heard(qtbot, lambda: got == [0])


def test_reopening_an_open_library_opens_it_again(do: Operations, qtbot: QtBot) -> None:
    opened, lost = Heard(do.session.opened), Heard(do.session.lost)
    do.session.reopen()
    got: list[int] = []
    do.session.call(states, on_success=got.append)
    heard(qtbot, lambda: got == [0])
    assert (len(opened), len(lost)) == (1, 0)


def test_a_library_is_closed_for_exclusive_work_once_its_other_work_has_ended(
    do: Operations, qtbot: QtBot
) -> None:
    order: list[object] = []
    began, go_on = Event(), Event()

    def slow(library: Library, task: Task) -> None:
        began.set()
        with task.cancel.calling(go_on.set):
            assert go_on.wait(PATIENCE)
        order.append(len(library.documents.all()))  # it is open for what it was asked for before

    def alone(_task: Task) -> None:
        order.append("alone")

    token = do.session.call(slow, on_success=lambda _none: None, on_error=never)
    assert token is not None
    heard(qtbot, began.is_set)
    do.session.leaving.connect(lambda: do.session.cancel(token))
    opened = Heard(do.session.opened)
    reported: list[None] = []
    do.session.run_exclusively(
        alone, on_success=reported.append, on_error=never, on_cancel=never, on_step=never
    )
    heard(qtbot, lambda: len(opened) == 1)
    assert order == [0, "alone"]
    assert reported == [None]


def test_what_had_not_begun_when_its_library_was_closed_is_done_in_the_one_that_is_opened(
    do: Operations, qtbot: QtBot
) -> None:
    library = do.session._library
    assert library is not None
    opened = Heard(do.session.opened)
    do.session._libraries.close(library)
    got: list[int] = []
    do.session.call(states, on_success=got.append, on_error=never)
    do.session.reopen()
    heard(qtbot, lambda: got == [0])
    assert len(opened) == 1


def test_work_that_is_cancelled_before_it_begins_says_so(closed: Operations, qtbot: QtBot) -> None:
    cancelled: list[None] = []
    token = closed.session.call(
        states, on_success=never, on_error=never, on_cancel=lambda: cancelled.append(None)
    )
    assert token is not None
    token.cancel()
    closed.session.open()
    heard(qtbot, lambda: cancelled == [None])
