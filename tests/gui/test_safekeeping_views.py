"""Backup, restore and check in the window: the dialog, and the way there from the menu."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from tests.support.documents import figures
from tests.support.whole_window import Shown
from webrag_desktop.gui.data.upkeep import BackupContents, Outcome, OutcomeLine
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.maintenance.upkeep_dialog import UpkeepDialog
from webrag_desktop.progress import Step

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
LEFT = Qt.MouseButton.LeftButton
CONTENTS = BackupContents("/home/ada/old.webrag", datetime(2025, 10, 3, 12, tzinfo=UTC), 412, 3, 31)


@pytest.fixture
def dialog(application: QApplication, qtbot: QtBot) -> Iterator[UpkeepDialog]:
    made = UpkeepDialog("Saving your library", "You can go on working.", modal=False)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    made.end()


@pytest.fixture
def window(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


def command(window: Shown, text: str) -> None:
    (found,) = [one for one in window.connections.commands.actions if one.text() == text]
    found.trigger()


def chooser(window: Shown) -> QFileDialog:
    (found,) = [one for one in window.window.findChildren(QFileDialog) if one.isVisible()]
    return found


def upkeep(window: Shown) -> UpkeepDialog:
    (found,) = [one for one in window.window.findChildren(UpkeepDialog) if one.isVisible()]
    return found


def choose(window: Shown, path: str) -> None:
    open_ = chooser(window)
    open_.filesSelected.emit([path])
    open_.done(0)


def words(dialog: UpkeepDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]


# -- The dialog ---------------------------------------------------------------------------------------------------


def test_it_says_how_far_it_is(dialog: UpkeepDialog) -> None:
    assert dialog.accessibleName() == "Saving your library"
    assert dialog.accessibleDescription() == "You can go on working."
    dialog.show_step(Step("Saving the library", 1, 4, "document_versions"))
    assert words(dialog) == ["Saving the library, 25%"]
    dialog.show_step(Step("Looking closely", 7, None, "texts, 7"))
    assert words(dialog) == ["Looking closely, texts, 7"]
    assert not dialog.action_button.isVisible()


@pytest.mark.parametrize("way", ["button", "escape", "frame"])
def test_to_close_it_meanwhile_is_to_stop_and_it_stays_until_that_is_done(
    dialog: UpkeepDialog, qtbot: QtBot, way: str
) -> None:
    with qtbot.waitSignal(dialog.stop_requested):
        if way == "button":
            QTest.mouseClick(dialog.close_button, LEFT)
        elif way == "escape":
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
        else:
            dialog.close()
    assert dialog.isVisible()
    assert not dialog.close_button.isEnabled()
    dialog.show_step(Step("Saving the library", 2, 4))  # was on its way
    assert words(dialog) == ["Stopping…"]
    with qtbot.waitSignal(dialog.finished):
        dialog.end()


def test_a_question_is_answered_by_the_keyboard_with_no_first(dialog: UpkeepDialog, qtbot: QtBot) -> None:
    dialog.ask("Go back?", "It holds 412 documents.", "Replace")
    assert dialog.focusWidget() is dialog.close_button
    with qtbot.waitSignal(dialog.acted):
        QTest.keyClick(dialog.action_button, Qt.Key.Key_Return)
    assert dialog.isVisible()
    with qtbot.assertNotEmitted(dialog.stop_requested), qtbot.waitSignal(dialog.finished):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)


def test_what_was_found_is_listed_in_words(dialog: UpkeepDialog) -> None:
    lines = (
        OutcomeLine(False, "Blocks lie inside.", "Broken once: 3f0e"),
        OutcomeLine(True, "Figures are true."),
    )
    dialog.show_outcome(Outcome("Your library is damaged", "1 of 2.", False, lines, "Repair"))
    said = [one.accessibleName() for one in dialog._area.findChildren(QWidget)]
    assert [one for one in said if one.startswith(("Passed: ", "Failed: "))] == [
        "Failed: Blocks lie inside. Broken once: 3f0e",
        "Passed: Figures are true.",
    ]
    assert (dialog.close_button.text(), dialog.action_button.text()) == ("Close", "Repair")
    dialog.show_work("Repairing your library")
    assert not dialog._area.isVisible()
    assert not dialog.action_button.isVisible()
    dialog.show_failure(Failure("The disk is full.", "Free some space."))
    assert dialog.accessibleName() == "It could not be done"
    assert dialog.accessibleDescription() == "The disk is full. Free some space."


def test_a_long_list_scrolls_and_the_dialog_stays_on_the_screen(dialog: UpkeepDialog) -> None:
    lines = tuple(OutcomeLine(True, f"Promise number {n} holds.") for n in range(80))
    dialog.show_outcome(Outcome("Your library is sound", lines=lines))
    QApplication.processEvents()
    assert dialog.height() < 600
    assert dialog._area.verticalScrollBar().maximum() > 0


# -- From the menu ------------------------------------------------------------------------------------------------


def test_a_backup_is_asked_for_made_and_shown(window: Shown, qtbot: QtBot) -> None:
    command(window, "Back up…")
    assert chooser(window).acceptMode() is QFileDialog.AcceptMode.AcceptSave
    choose(window, "/home/ada/today.webrag")
    assert window.do.calls_of("safekeeping.save") == [("/home/ada/today.webrag",)]
    dialog = upkeep(window)
    assert not dialog.isModal()
    command(window, "Check the library…")  # one at a time
    assert window.do.calls_of("safekeeping.check") == []
    window.do.part("safekeeping").step.emit(Step("Saving the library", 1, 2))
    assert "Saving the library, 50%" in words(dialog)
    outcome = Outcome("Your library is saved", action="Show in folder", path="/home/ada/today.webrag")
    window.do.part("safekeeping").ended.emit(outcome)
    dialog.action_button.click()
    assert window.do.calls_of("browsing.open_folder") == [("/home/ada/today.webrag",)]
    dialog.close_button.click()
    qtbot.waitUntil(lambda: not isValid(dialog))
    command(window, "Check the library…")
    assert window.do.calls_of("safekeeping.check") == [()]


def test_a_restore_names_the_bins_apart(window: Shown) -> None:
    command(window, "Restore…")
    choose(window, CONTENTS.path)
    window.do.part("documents").figures.emit(replace(figures(), removed=3))
    window.do.part("safekeeping").backup_read.emit(replace(CONTENTS, in_bin=2))
    assert (
        upkeep(window)
        .accessibleDescription()
        .startswith(
            "It holds 412 documents and 31 citations, and 2 documents in the bin. What is here now, 1,284 documents, "
            "and 3 in the bin, goes;"
        )
    )


def test_a_restore_tells_what_goes_before_it_is_done(window: Shown) -> None:
    window.do.part("documents").figures.emit(figures())
    command(window, "Restore…")
    choose(window, CONTENTS.path)
    assert window.do.calls_of("safekeeping.read_backup") == [(CONTENTS.path,)]
    dialog = upkeep(window)
    assert dialog.isModal()
    window.do.part("safekeeping").backup_read.emit(CONTENTS)
    assert dialog.accessibleName() == "Go back to your library of 3 October 2025?"
    assert dialog.accessibleDescription() == (
        "It holds 412 documents and 31 citations. What is here now, 1,284 documents, goes; it is saved into the data "
        "folder before."
    )
    assert window.do.calls_of("safekeeping.restore") == []
    dialog.action_button.click()
    assert window.do.calls_of("safekeeping.restore") == [(CONTENTS,)]
    assert dialog.accessibleName() == "Restoring your library"
    dialog.close_button.click()
    assert window.do.calls_of("safekeeping.stop") == [()]
    window.do.part("safekeeping").stopped.emit()
    assert not dialog.isVisible()


def test_damage_is_mended_from_the_report(window: Shown) -> None:
    command(window, "Check the library…")
    dialog = upkeep(window)
    damaged = Outcome("Your library is damaged", well=False, action="Repair")
    window.do.part("safekeeping").ended.emit(damaged)
    dialog.action_button.click()
    assert window.do.calls_of("safekeeping.mend") == [()]
    assert dialog.accessibleName() == "Repairing your library"
    window.do.part("safekeeping").failed.emit(Failure("The library is being indexed.", "Pause it."))
    assert dialog.accessibleDescription() == "The library is being indexed. Pause it."
