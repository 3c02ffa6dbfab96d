"""The dialogs for errors and for what runs: driven by mouse and keyboard."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from webrag_desktop.gui.data.upkeep import LogText, StackPart, StackReport
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.maintenance.stack_dialog import StackDialog
from webrag_desktop.gui.shell.error_dialog import ErrorDialog, ErrorReporter, headline_of

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
LEFT = Qt.MouseButton.LeftButton
FAILURE = Failure(
    "The embedding model stopped answering. What is already indexed is safe.",
    "Check that Ollama is running, then try again.",
    "POST /api/embed\nConnection refused, tried 3 times in 12 s",
)
OTHER = Failure("The page could not be read.", "Try again later.", "status 500")
DATABASE = StackPart("Database", "ready", "ok", "PostgreSQL 17.6", "It runs as part of the program.")
BROKEN = StackPart("Database", "not answering", "failing", None, "It is gone.", "Start it.", "Start again")
EMBEDDING = StackPart("Embedding", "ready", "ok", "0.12.3", "nomic-embed-text, through Ollama.")
LOGS = (("Database", "/home/ada/webrag/server.log"), ("Worker", "/home/ada/webrag/worker.log"))


@pytest.fixture
def shown(qtbot: QtBot, application: QApplication) -> Callable[[QDialog], None]:
    """Show a dialog and give it the keyboard."""

    def show(dialog: QDialog) -> None:
        qtbot.addWidget(dialog)
        with qtbot.waitExposed(dialog):
            dialog.show()
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)

    return show


def report(*parts: StackPart, logs: tuple[tuple[str, str], ...] = LOGS) -> StackReport:
    return StackReport(parts, "/home/ada/webrag", logs)


def button(dialog: QWidget, name: str) -> QPushButton:
    (found,) = [
        one
        for one in dialog.findChildren(QPushButton)
        if name in {one.text(), one.accessibleName()} and one.isVisible()
    ]
    return found


def clipboard_text() -> str:
    return QApplication.clipboard().text()


# -- Errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("It stopped. 88 are waiting.", ("It stopped", "88 are waiting.")),
        ("The page could not be read.", ("The page could not be read", "")),
        ("notes.md, no. 5 is not a file.", ("notes.md, no. 5 is not a file", "")),
        ("It did not answer", ("It did not answer", "")),
    ],
)
def test_the_first_sentence_is_the_headline(message: str, parts: tuple[str, str]) -> None:
    assert headline_of(message) == parts


def test_an_error_is_read_out_and_its_details_unfold(shown: Callable[[QDialog], None], qtbot: QtBot) -> None:
    dialog = ErrorDialog(FAILURE, "Try again")
    shown(dialog)
    assert dialog.accessibleName() == "The embedding model stopped answering"
    assert FAILURE.message in dialog.accessibleDescription()
    assert FAILURE.hint in dialog.accessibleDescription()
    assert not dialog.details.isVisible()
    height = dialog.height()
    QTest.mouseClick(dialog.details_button, LEFT)
    assert dialog.details.isVisible()
    assert dialog.details.toPlainText() == FAILURE.details
    qtbot.waitUntil(lambda: dialog.height() > height)
    QTest.keyClick(dialog.details_button, Qt.Key.Key_Space)
    assert not dialog.details.isVisible()
    qtbot.waitUntil(lambda: dialog.height() == height)


def test_everything_is_copied(shown: Callable[[QDialog], None]) -> None:
    dialog = ErrorDialog(FAILURE)
    shown(dialog)
    QTest.mouseClick(dialog.copy_button, LEFT)
    assert clipboard_text() == f"{FAILURE.message} {FAILURE.hint}\n\n{FAILURE.details}"
    assert dialog.copy_button.text() == "Copied"


def test_the_keyboard_begins_on_the_action(shown: Callable[[QDialog], None], qtbot: QtBot) -> None:
    dialog = ErrorDialog(FAILURE, "Try again")
    shown(dialog)
    assert dialog.focusWidget() is dialog.action_button
    with qtbot.waitSignal(dialog.acted):
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    assert not dialog.isVisible()


def test_enter_on_close_closes_and_does_nothing_else(shown: Callable[[QDialog], None], qtbot: QtBot) -> None:
    dialog = ErrorDialog(FAILURE, "Try again")
    shown(dialog)
    dialog.close_button.setFocus()
    with qtbot.assertNotEmitted(dialog.acted), qtbot.waitSignal(dialog.rejected):
        QTest.keyClick(dialog.close_button, Qt.Key.Key_Return)


def test_without_action_or_details_there_is_only_close(shown: Callable[[QDialog], None]) -> None:
    dialog = ErrorDialog(Failure("It stopped.", ""))
    shown(dialog)
    assert not dialog.details_button.isVisible()
    assert dialog.focusWidget() is dialog.close_button
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_very_long_words_stay_inside(shown: Callable[[QDialog], None]) -> None:
    dialog = ErrorDialog(Failure("https://example.org/" + "a" * 400, "b" * 300, "c" * 600))
    shown(dialog)
    assert dialog.width() < 700


@pytest.fixture
def window(qtbot: QtBot, application: QApplication) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(900, 600)
    with qtbot.waitExposed(made):
        made.show()
    return made


def dialogs(window: QWidget) -> list[ErrorDialog]:
    return [one for one in window.findChildren(ErrorDialog) if one.isVisible()]


def test_errors_share_one_dialog_and_identical_ones_are_counted(window: QWidget) -> None:
    reporter = ErrorReporter(window)
    reporter.report(FAILURE)
    (dialog,) = dialogs(window)
    for _ in range(8):
        reporter.report(FAILURE)
    reporter.report(OTHER)
    assert dialogs(window) == [dialog]
    assert "And 9 more errors." in dialog.accessibleDescription()
    text = dialog.details.toPlainText()
    assert text.count(FAILURE.details) == 1
    assert f"{FAILURE.message} (9 times)" in text
    assert text.endswith(f"{OTHER.message}\n{OTHER.details}")


def test_a_flood_of_errors_is_counted_and_not_listed(window: QWidget) -> None:
    reporter = ErrorReporter(window)
    for at in range(100):
        reporter.report(Failure(f"Error number {at}.", "", "trace"))
    (dialog,) = dialogs(window)
    assert "And 99 more errors." in dialog.accessibleDescription()
    assert dialog.details.toPlainText().endswith("70 more are not listed.")


def test_after_it_was_closed_the_next_error_has_its_own_dialog(window: QWidget, qtbot: QtBot) -> None:
    reporter = ErrorReporter(window)
    done: list[str] = []
    reporter.report(FAILURE, "Try again", lambda: done.append("again"))
    (dialog,) = dialogs(window)
    assert dialog.isModal()
    assert dialog.action_button is not None
    QTest.mouseClick(dialog.action_button, LEFT)
    qtbot.waitUntil(lambda: not isValid(dialog))
    assert done == ["again"]
    reporter.report(OTHER)
    (dialog,) = dialogs(window)
    assert dialog.accessibleName() == "The page could not be read"


# -- What runs ----------------------------------------------------------------------------------------------------


def test_a_broken_part_says_what_to_do_and_offers_it(shown: Callable[[QDialog], None], qtbot: QtBot) -> None:
    dialog = StackDialog()
    dialog.show_report(report(BROKEN, EMBEDDING))
    shown(dialog)
    assert not dialog.isModal()
    action = button(dialog, "Start again: Database")
    with qtbot.waitSignal(dialog.action_requested) as asked:
        QTest.mouseClick(action, LEFT)
    assert asked.args == ["Database"]
    action.setFocus()
    with qtbot.waitSignal(dialog.action_requested):
        QTest.keyClick(action, Qt.Key.Key_Return)
    assert dialog.isVisible()


def test_a_new_report_keeps_the_keyboard_in_the_dialog(shown: Callable[[QDialog], None]) -> None:
    dialog = StackDialog()
    dialog.show_report(report(BROKEN, EMBEDDING))
    shown(dialog)
    button(dialog, "Start again: Database").setFocus()
    dialog.show_report(report(DATABASE, EMBEDDING, logs=LOGS[:1]))
    assert dialog.focusWidget() is dialog.close_button
    assert [one.text() for one in dialog.findChildren(QPushButton) if one.isVisible()].count(
        "Start again"
    ) == 0
    last = button(dialog, "Show last lines: Database")
    last.setFocus()
    dialog.show_report(report(DATABASE, EMBEDDING, logs=LOGS[:1]))
    assert dialog.focusWidget() is last


def test_folders_and_logs_are_asked_for_by_path(shown: Callable[[QDialog], None], qtbot: QtBot) -> None:
    dialog = StackDialog()
    dialog.show_report(report(DATABASE))
    shown(dialog)
    with qtbot.waitSignal(dialog.open_path) as opened:
        QTest.mouseClick(button(dialog, "Open folder: Data folder"), LEFT)
    assert opened.args == ["/home/ada/webrag"]
    with qtbot.waitSignal(dialog.open_path) as opened:
        QTest.mouseClick(button(dialog, "Open folder: Worker"), LEFT)
    assert opened.args == [LOGS[1][1]]
    with qtbot.waitSignal(dialog.log_requested) as asked:
        QTest.mouseClick(button(dialog, "Show last lines: Worker"), LEFT)
    assert asked.args == [LOGS[1][1]]


def test_a_log_is_shown_from_its_end(shown: Callable[[QDialog], None], qtbot: QtBot) -> None:
    dialog = StackDialog()
    dialog.show_report(
        report(BROKEN, EMBEDDING, logs=LOGS + tuple((f"Log {at}", f"/{at}") for at in range(8)))
    )
    shown(dialog)
    assert not dialog.log.isVisible()
    dialog.show_log(LogText(LOGS[1][1], "".join(f"line {at}\n" for at in range(400))))
    assert dialog.log.isVisible()
    assert dialog.log.isReadOnly()
    assert dialog.log.accessibleName() == "Worker, last lines"
    bar = dialog.log.verticalScrollBar()
    qtbot.waitUntil(lambda: 0 < bar.maximum() == bar.value())
    qtbot.waitUntil(lambda: dialog.log.visibleRegion().boundingRect() == dialog.log.rect())
    dialog.show_log(LogText(LOGS[0][1], ""))
    assert dialog.log.toPlainText() == "This log is empty."


def test_the_report_is_copied_as_plain_text(shown: Callable[[QDialog], None]) -> None:
    dialog = StackDialog()
    dialog.show_report(report(BROKEN, EMBEDDING))
    shown(dialog)
    QTest.mouseClick(dialog.copy_button, LEFT)
    text = clipboard_text()
    assert text.startswith("WebRAG Desktop ")
    assert "Database: not answering\n  It is gone.\n  Start it.\n" in text
    assert "Embedding: ready (0.12.3)\n" in text
    assert text.endswith("Data folder: /home/ada/webrag\n")


def test_look_again_asks_for_a_fresh_report_and_esc_closes(
    shown: Callable[[QDialog], None], qtbot: QtBot
) -> None:
    dialog = StackDialog()
    shown(dialog)
    with qtbot.waitSignal(dialog.refresh_requested):
        QTest.mouseClick(dialog.refresh_button, LEFT)
    with qtbot.waitSignal(dialog.finished):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)


# -- Pictures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
def test_pictures(
    shown: Callable[[QDialog], None],
    qtbot: QtBot,
    themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path],
    dark: bool,
) -> None:
    themed(dark)
    well, failing = StackDialog(), StackDialog()
    well.show_report(report(DATABASE, EMBEDDING))
    failing.show_report(report(BROKEN, StackPart("Embedding", "waiting", "off")))
    failing.show_log(LogText(LOGS[0][1], "LOG: shutting down\n" * 30))
    error = ErrorDialog(FAILURE, "Try again")
    error.details_button.setChecked(True)
    suffix = "-dark" if dark else ""
    for dialog, name in ((well, "stack"), (failing, "stack-failing"), (error, "error")):
        shown(dialog)
        picture(dialog, f"{name}-dialog{suffix}")
