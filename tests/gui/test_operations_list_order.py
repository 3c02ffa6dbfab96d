"""Lists and rows that come in another order than they were asked for: none hides what is new."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from types import ModuleType

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    MILLISECONDS,
    Address,
    Heard,
    added,
    heard,
    paused_operations,
    settings_for,
)
from webrag_desktop import Library
from webrag_desktop.gui.data.library import FactChange
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.library.operations import document_rows, document_watch
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.shell.all_operations import Operations

LINKS = ("https://one.example/", "https://two.example/", "https://three.example/")


@pytest.fixture
def do(
    clone: Callable[[str], Address], migrated_template: str, tmp_path: Path, qtbot: QtBot
) -> Iterator[Operations]:
    with paused_operations(settings_for(clone(migrated_template), tmp_path / "home"), qtbot) as made:
        yield made


class Held:
    """Holds back what is read first from now on by a function of a module."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, where: ModuleType, name: str = "ids_of") -> None:
        self.has_read, self._goes_on = Event(), Event()
        self._read: Callable[..., object] = getattr(where, name)
        monkeypatch.setattr(where, name, self)

    def __call__(self, wanted: object, library: Library, task: Task) -> object:
        found = self._read(wanted, library, task)
        if not self.has_read.is_set():
            self.has_read.set()
            assert self._goes_on.wait(MILLISECONDS / 1000)
        return found

    def release(self) -> None:
        self._goes_on.set()


def list_all(do: Operations) -> None:
    do.documents.list_documents(Listing())


def refresh_lists(do: Operations) -> None:
    do.documents.refresh_figures(lists=True)


@pytest.mark.parametrize(("where", "ask"), [(document_watch, list_all), (document_rows, refresh_lists)])
def test_what_was_read_before_a_removal_is_not_shown_after_it(
    do: Operations,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    where: ModuleType,
    ask: Callable[[Operations], None],
) -> None:
    ids = added(do, qtbot, *LINKS)
    held = Held(monkeypatch, where)
    ask(do)
    heard(qtbot, held.has_read.is_set)
    removed, lists = Heard(do.documents.removed), Heard(do.documents.listed)
    do.documents.remove(ids[:1])
    heard(qtbot, lambda: bool(removed.all))
    held.release()
    heard(qtbot, lambda: bool(lists.all))
    assert {shown.ids for shown in lists.all} == {ids[1:]}


def test_an_older_list_does_not_hide_what_came_after_it_was_read(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(do, qtbot, *LINKS[:2])
    held = Held(monkeypatch, document_watch)
    list_all(do)
    heard(qtbot, held.has_read.is_set)
    lists = Heard(do.documents.listed)
    do.documents.add(LINKS[2:])
    heard(qtbot, lambda: any(len(shown.ids) == len(LINKS) for shown in lists.all))
    deliver(qtbot, held)
    assert len(lists.last.ids) == len(LINKS)


def test_an_older_row_does_not_replace_a_newer_one(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    (id_,) = added(do, qtbot, LINKS[0])
    held = Held(monkeypatch, document_watch, "rows_of")
    do.documents.fetch_rows((id_,))
    heard(qtbot, held.has_read.is_set)
    with qtbot.waitSignal(do.bibliography.changed):
        do.bibliography.change(FactChange(id_, {}, title="Of newts"))
    rows = Heard(do.documents.rows)
    do.documents.fetch_rows((id_,))
    heard(qtbot, lambda: bool(rows.all) and rows.last[0].title == "Of newts")
    deliver(qtbot, held)
    assert rows.last[0].title == "Of newts"


def deliver(qtbot: QtBot, held: Held) -> None:
    """Let what was held back arrive, of which nothing is to be seen."""
    held.release()
    qtbot.wait(300)
