"""Documents checked for changes from the window: asked in one go, and reported when all were looked at."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    Address,
    Heard,
    added,
    heard,
    listed,
    open_operations,
    paused_operations,
    settings_for,
)
from tests.support.pages import PageServer
from webrag_desktop import DataFolder
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.view_data import DocumentNews
from webrag_desktop.gui.library.operations import refreshing
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.models.intake import Refreshed

Clone = Callable[[str], Address]


def page(words: str) -> str:
    return f"<title>{words}</title><main><h1>{words}</h1><p>A cable of {words}.</p></main>"


@pytest.fixture
def settings(clone: Clone, migrated_template: str, tmp_path: Path) -> Settings:
    return settings_for(clone(migrated_template), tmp_path / "home")


@pytest.fixture
def do(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings, qtbot) as made:
        yield made


@pytest.fixture
def paused(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    with paused_operations(settings, qtbot) as made:
        yield made


@pytest.fixture
def pages() -> Iterator[PageServer]:
    with PageServer({f"/{name}": page(name) for name in ("copper", "iron", "gold")}) as served:
        yield served


def ready(do: Operations, qtbot: QtBot, addresses: tuple[str, ...]) -> tuple[UUID, ...]:
    """The ids of these, once all of them have been read."""
    figures = Heard(do.documents.figures)
    do.documents.add(addresses)
    heard(qtbot, lambda: bool(figures.all) and figures.last.ready == len(addresses))
    return tuple(listed(do, qtbot))


def test_what_came_of_it_is_reported_when_all_were_looked_at(
    do: Operations, qtbot: QtBot, pages: PageServer, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A note about cables.", encoding="utf-8")
    ids = ready(do, qtbot, (*(pages.url(f"/{name}") for name in ("copper", "iron", "gold")), str(note)))
    pages.pages["/iron"] = page("steel")
    del pages.pages["/gold"]
    notices = Heard(do.refreshing.noticed)
    do.refreshing.refresh(ids)
    do.session.news.emit((DocumentNews(uuid4(), "ready"), DocumentNews(uuid4(), None)))  # others end nothing
    heard(qtbot, lambda: len(notices.all) == 2)
    assert [notice.text for notice in notices.all] == [
        "3 documents are checked for changes.",
        "1 document changed. 2 are unchanged. 1 could not be checked; its text is kept.",
    ]


def test_what_ends_while_others_are_looked_up_counts_as_ended(
    paused: Operations, settings: Settings, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    ids = added(paused, qtbot, "https://one.example/", "https://two.example/")
    with DataFolder(settings).open() as library:
        not_read_yet = library.documents.rows(ids)
    begun = refreshing._Round(dict.fromkeys(ids), Refreshed(ids, (), ()), set(ids))
    checked = list[object]()
    monkeypatch.setattr(paused.refreshing, "_check_round", checked.append)
    paused.refreshing._rounds.append(begun)
    paused.session.news.emit((DocumentNews(ids[0], "ready"),))
    paused.refreshing._finish_check(begun, not_read_yet)  # asked for before that news
    paused.session.news.emit((DocumentNews(ids[1], "ready"),))
    assert checked == [begun]
    paused.refreshing._finish_check(begun, not_read_yet)
    assert checked == [begun, begun]


def test_a_file_that_is_gone_is_reported_at_once(settings: Settings, qtbot: QtBot, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A note about cables.", encoding="utf-8")
    with paused_operations(settings, qtbot) as do:
        ids = added(do, qtbot, str(note))
        note.unlink()
        notices = Heard(do.refreshing.noticed)
        do.refreshing.refresh(ids)
        heard(qtbot, lambda: bool(notices.all))
        assert notices.last.text == "1 could not be checked; its text is kept."
