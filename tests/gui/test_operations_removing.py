"""Documents removed: out of sight at once, gone for good once it cannot be taken back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    Address,
    Heard,
    Outage,
    added,
    heard,
    listed,
    open_operations,
    paused_operations,
    settings_for,
    stored,
)
from webrag_desktop.config import Settings
from webrag_desktop.gui.session import session
from webrag_desktop.gui.shell.all_operations import Operations

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
