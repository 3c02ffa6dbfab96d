"""What is given to the library: taken in, refused, or kept until it is open."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    PATIENCE,
    Address,
    Heard,
    Outage,
    added,
    heard,
    kept,
    listed,
    open_operations,
    operations_on,
    paused_operations,
    settings_for,
    stored,
)
from webrag_desktop.config import Settings
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.library.stored import StoredLibrary
from webrag_desktop.models.intake import Accepted
from webrag_desktop.progress import CancelToken

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


def test_links_are_added_and_taking_that_back_removes_only_what_is_new(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    before = added(do, qtbot, LINKS[0])
    notices, hidden = Heard(do.documents.noticed), Heard(do.documents.hidden)
    do.documents.add(LINKS)
    heard(qtbot, lambda: len(notices) == 1)
    assert (notices.last.text, notices.last.action) == ("2 links added. 1 was already here.", "Undo")
    assert len(listed(do, qtbot)) == 3
    take_back = notices.last.on_action
    take_back()
    assert len(hidden.last) == 2
    heard(qtbot, lambda: kept(address) == set(before))
    take_back()  # once is enough
    do.documents.undo()  # the one before: the first link
    heard(qtbot, lambda: kept(address) == set())
    assert len(stored(address)) == 3, "they are in the bin"


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
    reports = Heard(do.documents.report)
    note = tmp_path / "note.md"
    note.write_text("# A note\n\nOf something.", "utf-8")
    do.documents.add((str(note), str(tmp_path / "not there.md"), "ftp://x.example/", LINKS[0]))
    heard(qtbot, lambda: len(notices) == 1)
    assert notices.last.text == "1 link and 1 file added. 2 need attention."
    assert (notices.last.action, notices.last.way) == ("Undo", "Show report")
    assert [row.title for row in reports.last.needs] == ["not there.md", "ftp://x.example/"]
    assert all(row.reason for row in reports.last.needs)
    assert (reports.last.added, reports.last.attention, reports.last.given) == (2, 2, 4)
    assert (len(notices), len(failures)) == (1, 0)


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


def test_what_was_kept_while_the_library_was_being_opened_is_reported_when_it_is_in(
    settings: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text("# A note\n\nOf cables.\n", "utf-8")
    with operations_on(settings) as do:
        notices = Heard(do.documents.noticed)
        do.documents.add((*LINKS[:2], str(note)))
        heard(qtbot, lambda: len(notices) == 1)
        do.session.open()
        heard(qtbot, lambda: len(notices) == 2)
        assert (notices.last.text, notices.last.action) == ("2 links and 1 file added.", "Undo")


def test_what_is_in_the_library_is_listed_before_what_waits_beside_it_is_taken_in(
    settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on, take_in = threading.Event(), StoredLibrary.take_in

    def held(library: StoredLibrary, cancel: CancelToken | None = None) -> list[Accepted]:
        may_go_on.wait(PATIENCE)
        return take_in(library, cancel)

    with operations_on(settings) as do:
        notices = Heard(do.documents.noticed)
        do.documents.add(LINKS[:2])
        heard(qtbot, lambda: len(notices) == 1)
    monkeypatch.setattr(StoredLibrary, "take_in", held)
    with open_operations(settings, qtbot) as do:  # its news is heard, too
        assert listed(do, qtbot) == ()
        lists = Heard(do.documents.listed)
        may_go_on.set()
        heard(qtbot, lambda: len(lists) > 0 and len(lists.last.ids) == 2)


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
    links = tuple(f"https://x{n}.example/" for n in range(400))
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
    do.documents._keep(LINKS[:1], (), do.session.not_open_error())
    heard(qtbot, lambda: len(stored(address)) == 1)
    do.documents.resume()
    heard(qtbot, lambda: len(queue) > 0)
    assert do.session.is_open
    assert not lost.all
