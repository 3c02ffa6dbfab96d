"""Documents removed: out of sight at once, in the bin, restored from it, and deleted for good once confirmed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    Address,
    Heard,
    Outage,
    added,
    heard,
    kept,
    listed,
    open_operations,
    paused_operations,
    row_of,
    settings_for,
    stored,
)
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.library import Doomed
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.session import session
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]
LINKS = ("https://one.example/", "https://two.example/", "https://three.example/")
BIN = Listing("bin", sort="removed")


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


def in_bin(address: Address) -> set[UUID]:
    """What the database has in its bin."""
    return _ids(address, "SELECT id FROM sources WHERE removed_at IS NOT NULL")


def _ids(address: Address, query: str) -> set[UUID]:
    database = Database(address)
    with database.connection() as conn:
        ids = {row[0] for row in conn.execute(query)}
    database.close()
    return ids


def cite(address: Address, document_id: UUID, times: int = 1) -> None:
    """Cite a document that has no text yet."""
    database = Database(address)
    with database.connection() as conn:
        for _ in range(times):
            conn.execute(
                """
                INSERT INTO citations (id, position, document_id, char_start, char_end, verbatim, quote, source_url)
                VALUES (gen_random_uuid(), 1, %s, 0, 4, 'word', 'word', 'https://one.example/')
                """,
                [document_id],
            )
    database.close()


def test_removing_hides_at_once_and_undo_restores(do: Operations, qtbot: QtBot, address: Address) -> None:
    ids = added(do, qtbot, *LINKS)
    hidden, removed = Heard(do.documents.hidden), Heard(do.documents.removed)
    notices, figures = Heard(do.documents.noticed), Heard(do.documents.figures)
    do.documents.remove(ids[:2])
    heard(qtbot, lambda: bool(removed.all))
    assert hidden.all == removed.all == [ids[:2]]
    assert (notices.last.text, notices.last.action) == ("2 documents are in the bin.", "Undo")
    assert in_bin(address) == set(ids[:2])
    assert listed(do, qtbot) == ids[2:]
    assert set(listed(do, qtbot, BIN)) == set(ids[:2])
    heard(qtbot, lambda: bool(figures.all) and (figures.last.documents, figures.last.removed) == (1, 2))
    do.documents.undo()
    heard(qtbot, lambda: kept(address) == set(ids))
    assert listed(do, qtbot) == ids
    notices.last.on_expired()
    assert stored(address) == kept(address) == set(ids)


def test_what_is_taken_back_before_it_was_removed_comes_back_too(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    ids = added(do, qtbot, LINKS[0])
    notices, removed = Heard(do.documents.noticed), Heard(do.documents.removed)
    do.documents.remove(ids)
    heard(qtbot, lambda: bool(notices.all))
    notices.last.on_action()  # in the turn in which it is announced
    heard(qtbot, lambda: bool(removed.all) and kept(address) == set(ids))
    assert listed(do, qtbot) == ids


def test_its_row_says_when_it_was_removed_and_how_long_it_stays(do: Operations, qtbot: QtBot) -> None:
    ids = added(do, qtbot, LINKS[0])
    removed = Heard(do.documents.removed)
    do.documents.remove(ids)
    heard(qtbot, lambda: bool(removed.all))
    row = row_of(do, qtbot, ids[0])
    assert row.removed_at is not None
    assert row.days_left == 30


def test_cited_documents_are_removed_only_once_that_is_confirmed(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    ids = added(do, qtbot, *LINKS)
    cite(address, ids[0], times=2)
    asked, removed = Heard(do.bin.asked), Heard(do.documents.removed)
    do.documents.remove(ids[:2])
    heard(qtbot, lambda: bool(asked.all))
    assert asked.last == Doomed("remove", ids[:2], title="", cited=1, citations=2, days=30)
    assert not do.documents.is_hidden(ids[0])
    assert in_bin(address) == set()
    do.bin.confirm(asked.last)
    heard(qtbot, lambda: bool(removed.all))
    assert in_bin(address) == set(ids[:2])


def test_what_is_restored_can_be_removed_again_by_undo(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    ids = added(do, qtbot, *LINKS)
    removed, notices = Heard(do.documents.removed), Heard(do.documents.noticed)
    do.documents.remove(ids[:1])
    heard(qtbot, lambda: bool(removed.all))
    do.bin.restore(ids[:1])
    heard(qtbot, lambda: notices.last.text.startswith("1 document is restored"))
    assert kept(address) == set(ids)
    do.documents.undo()
    heard(qtbot, lambda: in_bin(address) == set(ids[:1]))


@pytest.mark.parametrize("empties", [True, False])
def test_what_is_deleted_for_good_is_asked_about_and_gone_then(
    do: Operations, qtbot: QtBot, address: Address, empties: bool
) -> None:
    ids = added(do, qtbot, *LINKS)
    removed, asked, notices = (
        Heard(do.documents.removed),
        Heard(do.bin.asked),
        Heard(do.documents.noticed),
    )
    do.documents.remove(ids[:1])
    heard(qtbot, lambda: bool(removed.all))
    if empties:
        do.bin.ask_to_empty()
    else:
        do.bin.ask_to_delete(ids[:1])
    heard(qtbot, lambda: bool(asked.all))
    assert asked.last.kind == ("empty" if empties else "delete")
    assert (asked.last.ids, asked.last.title) == (ids[:1], "three.example")
    assert stored(address) == set(ids)
    do.bin.confirm(asked.last)
    heard(qtbot, lambda: stored(address) == set(ids[1:]))
    heard(qtbot, lambda: notices.last.text == "1 document is deleted for good.")


def test_an_empty_bin_is_not_asked_about(do: Operations, qtbot: QtBot) -> None:
    added(do, qtbot, LINKS[0])
    asked, figures = Heard(do.bin.asked), Heard(do.documents.figures)
    do.bin.ask_to_empty()
    do.documents.refresh_figures()
    heard(qtbot, lambda: bool(figures.all))
    assert not asked.all


def test_an_adding_that_is_taken_back_loses_nothing_that_the_user_made_of_it(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    ids = added(do, qtbot, *LINKS)
    cite(address, ids[0])
    notices = Heard(do.documents.noticed)
    do.documents.undo()
    heard(qtbot, lambda: in_bin(address) == stored(address) == set(ids))
    assert _ids(address, "SELECT document_id FROM citations") == {ids[0]}
    assert (notices.last.text, notices.last.action) == ("3 documents are in the bin.", "")
    assert do.undo.is_empty, "to press the key again is not to add it again"


def test_a_page_added_again_is_restored_and_says_so(do: Operations, qtbot: QtBot, address: Address) -> None:
    ids = added(do, qtbot, LINKS[0])
    removed, notices = Heard(do.documents.removed), Heard(do.documents.noticed)
    do.documents.remove(ids)
    heard(qtbot, lambda: bool(removed.all))
    assert added(do, qtbot, LINKS[0]) == ids
    assert notices.last.text == "1 was in the bin and is restored."
    assert kept(address) == set(ids)


def test_a_removal_is_done_when_the_window_closes(settings: Settings, qtbot: QtBot, address: Address) -> None:
    with open_operations(settings, qtbot) as do:
        do.documents.pause()
        ids = added(do, qtbot, *LINKS)
        hidden = Heard(do.documents.hidden)
        do.documents.remove(ids[:1])
        heard(qtbot, lambda: bool(hidden.all))
        assert do.session.close(30)
        assert in_bin(address) == set(ids[:1])


def test_a_removal_during_an_outage_is_done_afterwards(
    do: Operations, qtbot: QtBot, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "REOPEN_SECONDS", (0,))
    ids = added(do, qtbot, *LINKS)
    outage, lost = Outage(address), Heard(do.session.lost)
    outage.begin()
    heard(qtbot, lambda: len(lost) == 1)
    do.documents.remove(ids[:1])
    assert do.documents.is_hidden(ids[0])
    outage.end()
    heard(qtbot, lambda: in_bin(address) == set(ids[:1]))


def test_a_removal_during_an_outage_survives_the_end_of_the_program(
    settings: Settings, qtbot: QtBot, address: Address
) -> None:
    outage = Outage(address)
    with open_operations(settings, qtbot) as do:
        do.documents.pause()
        ids = added(do, qtbot, *LINKS)
        lost = Heard(do.session.lost)
        outage.begin()
        heard(qtbot, lambda: len(lost) == 1)
        do.documents.remove(ids[:1])
    outage.end()
    with open_operations(settings, qtbot):
        heard(qtbot, lambda: in_bin(address) == set(ids[:1]))
