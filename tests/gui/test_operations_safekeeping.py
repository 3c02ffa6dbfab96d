"""Saving, restoring, checking and mending a real library from the window, which goes on with it afterwards."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import (
    Address,
    Heard,
    added,
    heard,
    listed,
    open_operations,
    operations_on,
    paused_operations,
    settings_for,
)
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.upkeep import BackupContents, Outcome
from webrag_desktop.gui.maintenance.operations import safekeeping as module
from webrag_desktop.gui.maintenance.operations.safekeeping import SafekeepingOperations
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.progress import Step
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]


@pytest.fixture
def address(clone: Clone, migrated_template: str) -> Address:
    return clone(migrated_template)


@pytest.fixture
def settings(address: Address, tmp_path: Path) -> Settings:
    return settings_for(address, tmp_path / "home")


@pytest.fixture
def still(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    with paused_operations(settings, qtbot) as made:
        yield made


def note(folder: Path, name: str) -> str:
    path = folder / f"{name}.txt"
    path.write_text(f"A note about {name}, and no more than that.", encoding="utf-8")
    return str(path)


def ended(keeping: SafekeepingOperations, qtbot: QtBot, do: Callable[[], None]) -> Outcome:
    """What came of something."""
    outcomes, failures = Heard(keeping.ended), Heard(keeping.failed)
    do()
    assert keeping.is_busy
    heard(qtbot, lambda: bool(outcomes.all or failures.all))
    assert failures.all == []
    assert not keeping.is_busy
    return cast("Outcome", outcomes.last)


def contents_of(keeping: SafekeepingOperations, qtbot: QtBot, path: Path) -> BackupContents:
    read = Heard(keeping.backup_read)
    keeping.read_backup(str(path))
    heard(qtbot, lambda: len(read) == 1)
    assert not keeping.is_busy
    return cast("BackupContents", read.last)


def test_a_library_is_saved_and_restored_in_the_open_window(
    settings: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.webrag"
    with open_operations(settings, qtbot) as do:
        figures = Heard(do.documents.figures)
        do.documents.add((note(tmp_path, "copper"),))
        heard(qtbot, lambda: bool(figures.all) and figures.last.ready == 1)
        kept = listed(do, qtbot)
        outcome = ended(do.safekeeping, qtbot, lambda: do.safekeeping.save(str(saved)))
        assert outcome.text.startswith("saved.webrag (")
        assert ") holds 1 document, with everything kept about them." in outcome.text
        assert (outcome.well, outcome.path) == (True, str(saved))
        again = ended(do.safekeeping, qtbot, lambda: do.safekeeping.save(str(saved)))  # the dialog had asked
        assert again.well
        do.documents.add((note(tmp_path, "iron"),))
        heard(qtbot, lambda: figures.last.ready == 2)
        contents = contents_of(do.safekeeping, qtbot, saved)
        assert (contents.documents, contents.without_text, contents.citations) == (1, 0, 0)
        opened, steps = Heard(do.session.opened), Heard(do.safekeeping.step)
        restored = ended(do.safekeeping, qtbot, lambda: do.safekeeping.restore(contents))
        assert restored.headline.startswith("Your library is that of Today at ")
        (former,) = restored.lines
        assert former.text.startswith("What was here before is kept in before-restore-")
        assert Path(restored.path).is_file()
        assert any(isinstance(step, Step) for step in steps.all)
        heard(qtbot, lambda: len(opened) == 1)
        assert listed(do, qtbot) == kept
        do.documents.add((note(tmp_path, "gold"),))  # and it is a library like any other
        heard(qtbot, lambda: figures.last.ready == 2)


def test_a_removal_can_be_taken_back_until_another_library_is_restored(
    still: Operations, qtbot: QtBot, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.webrag"
    (document,) = added(still, qtbot, note(tmp_path, "copper"))
    ended(still.safekeeping, qtbot, lambda: still.safekeeping.save(str(saved)))
    gone = Heard(still.documents.removed)
    still.documents.remove([document])
    heard(qtbot, lambda: len(gone) == 1)
    contents = contents_of(still.safekeeping, qtbot, saved)
    assert contents.without_text == 1
    assert not still.undo.is_empty, "it was only read"
    ended(still.safekeeping, qtbot, lambda: still.safekeeping.restore(contents))
    assert still.undo.is_empty, "undo would change another library than the removal did"
    assert listed(still, qtbot) == (document,)


def test_a_backup_counts_as_the_status_bar_does_and_names_the_bin_apart(
    still: Operations, qtbot: QtBot, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.webrag"
    figures = Heard(still.documents.figures)
    removed = added(still, qtbot, note(tmp_path, "copper"))
    added(still, qtbot, note(tmp_path, "iron"), note(tmp_path, "gold"))
    still.documents.remove(removed)
    heard(qtbot, lambda: bool(figures.all) and (figures.last.documents, figures.last.removed) == (2, 1))
    outcome = ended(still.safekeeping, qtbot, lambda: still.safekeeping.save(str(saved)))
    assert ") holds 2 documents, and 1 in the bin, with everything kept about them." in outcome.text
    contents = contents_of(still.safekeeping, qtbot, saved)
    assert (contents.documents, contents.without_text, contents.in_bin) == (2, 2, 1)
    restored = ended(still.safekeeping, qtbot, lambda: still.safekeeping.restore(contents))
    assert restored.text == "It holds 2 documents, and 1 in the bin, with what you cited."


def test_what_is_no_backup_is_refused_and_leaves_everything_as_it_was(
    still: Operations, qtbot: QtBot, tmp_path: Path
) -> None:
    before = added(still, qtbot, note(tmp_path, "copper"))
    no_backup = tmp_path / "letter.webrag"
    no_backup.write_text("Dear Sir", encoding="utf-8")
    failures = Heard(still.safekeeping.failed)
    still.safekeeping.read_backup(str(no_backup))
    heard(qtbot, lambda: len(failures) == 1)
    made_up = BackupContents(str(no_backup), datetime.now(UTC), 1, 0, 0)
    still.safekeeping.restore(made_up)  # changed since it was read
    heard(qtbot, lambda: len(failures) == 2)
    assert failures.all[0].message
    heard(qtbot, lambda: still.session.is_open)
    assert listed(still, qtbot) == before


def test_while_the_library_is_being_opened_it_is_not_replaced(
    settings: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    with operations_on(settings) as do:
        failures = Heard(do.safekeeping.failed)
        do.session.open()
        do.safekeeping.restore(BackupContents(str(tmp_path / "x"), datetime.now(UTC), 1, 0, 0))
        assert len(failures) == 1
        assert not do.safekeeping.is_busy


def test_a_restore_that_is_stopped_opens_the_library_again(
    still: Operations, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tmp_path / "saved.webrag"
    before = added(still, qtbot, note(tmp_path, "copper"))
    ended(still.safekeeping, qtbot, lambda: still.safekeeping.save(str(saved)))
    contents = contents_of(still.safekeeping, qtbot, saved)
    begun = Event()

    def waits(_settings: object, _contents: object, task: Task) -> Outcome:
        begun.set()
        stopped = Event()
        with task.cancel.calling(stopped.set):
            assert stopped.wait(30)
        task.cancel.raise_if_cancelled()
        raise AssertionError

    monkeypatch.setattr(module, "_restored", waits)
    stopped = Heard(still.safekeeping.stopped)
    still.safekeeping.restore(contents)
    heard(qtbot, begun.is_set)
    still.safekeeping.stop()
    heard(qtbot, lambda: len(stopped) == 1)
    heard(qtbot, lambda: still.session.is_open)
    assert listed(still, qtbot) == before


def test_damage_is_found_and_mended(
    settings: Settings, address: Address, qtbot: QtBot, tmp_path: Path
) -> None:
    with open_operations(settings, qtbot) as do:
        figures = Heard(do.documents.figures)
        do.documents.add((note(tmp_path, "copper"),))
        heard(qtbot, lambda: bool(figures.all) and figures.last.ready == 1)
        keeping = do.safekeeping
        sound = ended(keeping, qtbot, keeping.check)
        assert (sound.headline, sound.well, sound.action) == ("Your library is sound", True, "")
        assert all(line.well for line in sound.lines)
        assert f"All {len(sound.lines)} checks" in sound.text
        damage(address)
        damaged = ended(keeping, qtbot, keeping.check)
        assert (damaged.headline, damaged.well, damaged.action) == (
            "Your library is damaged",
            False,
            "Repair",
        )
        assert not damaged.lines[0].well
        assert damaged.lines[0].detail.startswith("Broken once: corpus")
        opened = Heard(do.session.opened)
        mended = ended(keeping, qtbot, keeping.mend)
        assert (mended.headline, mended.well) == ("Your library is sound again", True)
        heard(qtbot, lambda: len(opened) == 1)
        do.documents.add((note(tmp_path, "iron"),))  # a worker is there again
        heard(qtbot, lambda: figures.last.ready == 2)


def damage(address: Address) -> None:
    database = Database(address)
    with database.connection() as conn:
        conn.execute("UPDATE corpus SET tokens = tokens + 1")
    database.close()


def test_a_check_that_is_stopped_says_so(
    still: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits(_services: object, task: Task) -> Outcome:
        stopped = Event()
        with task.cancel.calling(stopped.set):
            assert stopped.wait(30)
        task.cancel.raise_if_cancelled()
        raise AssertionError

    monkeypatch.setattr(module, "_checked", waits)
    stopped = Heard(still.safekeeping.stopped)
    still.safekeeping.check()
    assert still.safekeeping.is_busy
    still.safekeeping.stop()
    heard(qtbot, lambda: len(stopped) == 1)
    assert not still.safekeeping.is_busy
