"""Lists and rows that come in another order than they were asked for: none hides what is new."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from uuid import uuid4

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    Address,
    Heard,
    added,
    heard,
    paused_operations,
    settings_for,
)
from tests.support.held_answers import Held, deliver
from webrag_desktop.errors import InputError
from webrag_desktop.gui.data.library import FactChange
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.library.operations import document_rows, document_watch
from webrag_desktop.gui.shell.all_operations import Operations

LINKS = ("https://one.example/", "https://two.example/", "https://three.example/")


@pytest.fixture
def do(
    clone: Callable[[str], Address], migrated_template: str, tmp_path: Path, qtbot: QtBot
) -> Iterator[Operations]:
    with paused_operations(settings_for(clone(migrated_template), tmp_path / "home"), qtbot) as made:
        yield made


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
    deliver(qtbot, held)
    heard(qtbot, lambda: bool(lists.all))
    assert {shown.ids for shown in lists.all} == {ids[1:]}


def test_an_older_list_does_not_hide_what_came_after_it_was_read(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(do, qtbot, *LINKS[:2])
    held = Held(monkeypatch, document_watch)
    list_all(do)
    assert_the_next_one_stays(do, qtbot, held)


@pytest.mark.parametrize("others", [0, document_watch.MOST_ROWS_KEPT_FRESH])
def test_an_older_row_does_not_replace_a_newer_one(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, others: int
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
    do.documents.fetch_rows([uuid4() for _ in range(others)])
    deliver(qtbot, held)
    assert rows.last[0].title == "Of newts"


def test_what_was_narrowed_in_memory_before_is_not_shown_after_a_newer_list(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(do, qtbot, *LINKS[:2])
    prepare(do, qtbot)
    held = Held(monkeypatch, document_rows.Narrowable, "narrowed")
    do.documents.list_documents(Listing(containing="example"))
    assert_the_next_one_stays(do, qtbot, held)


def test_what_is_typed_as_a_removal_ends_does_not_show_what_was_removed(do: Operations, qtbot: QtBot) -> None:
    ids = added(do, qtbot, *LINKS)
    prepare(do, qtbot)
    lists = Heard(do.documents.listed)
    do.documents.removed.connect(lambda _ids: do.documents.list_documents(Listing(containing="example")))
    do.documents.remove(ids[:1])
    heard(qtbot, lambda: any(shown.listing.containing for shown in lists.all))
    do.documents.list_documents(Listing(containing="exam"))
    heard(qtbot, lambda: lists.last.listing.containing == "exam")
    assert all(ids[0] not in shown.ids for shown in lists.all)


def test_a_list_that_could_not_be_read_is_read_with_the_next_news(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = added(do, qtbot, *LINKS)
    failures = Heard(do.documents._watch._background.failed)
    with monkeypatch.context() as broken:
        broken.setattr(document_rows, "ids_of", _fail)
        do.documents.refresh_figures(lists=True)
        heard(qtbot, lambda: bool(failures.all))
    lists = Heard(do.documents.listed)
    do.documents.refresh_figures()
    heard(qtbot, lambda: bool(lists.all))
    assert lists.last.ids == ids


def _fail(*_given: object) -> None:
    raise InputError("No list today.", "Try it tomorrow.")


def assert_the_next_one_stays(do: Operations, qtbot: QtBot, held: Held) -> None:
    """Add the last link once a list was read, and let that list arrive after a newer one."""
    heard(qtbot, held.has_read.is_set)
    lists = Heard(do.documents.listed)
    do.documents.add(LINKS[2:])
    heard(qtbot, lambda: any(len(shown.ids) == len(LINKS) for shown in lists.all))
    deliver(qtbot, held)
    assert len(lists.last.ids) == len(LINKS)


def prepare(do: Operations, qtbot: QtBot) -> None:
    """Have lists narrowed in memory."""
    do.documents.prepare_narrowing()
    heard(qtbot, lambda: do.documents._watch._narrowable is not None)
