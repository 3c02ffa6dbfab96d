"""The real window with a real library that is looked after: what changed is shown, it is saved, and taken back."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program
from tests.support.pages import PageServer
from tests.support.window_under_test import LONG, Opener, Seen, choose_row, settings_of, wait_ready
from webrag_desktop.gui.library.dialogs.difference_dialog import DifferenceDialog
from webrag_desktop.gui.maintenance.upkeep_dialog import UpkeepDialog
from webrag_desktop.models.versions import VersionRow

PAGE = "<title>Cables</title><main><h1>Cables</h1><p>Copper is {0} this year, the merchants say.</p></main>"


def button(widget: QWidget, text: str) -> QPushButton | None:
    return next(
        (one for one in widget.findChildren(QPushButton) if one.text() == text and one.isVisible()), None
    )


def press(qtbot: QtBot, widget: QWidget, text: str) -> None:
    """Press a button as soon as it is there and can be pressed."""
    qtbot.waitUntil(lambda: button(widget, text) is not None, timeout=LONG)
    found = button(widget, text)
    assert found is not None
    qtbot.waitUntil(found.isEnabled, timeout=LONG)
    QTest.mouseClick(found, Qt.MouseButton.LeftButton)


def shown(seen: Seen, kind: type[QWidget]) -> list[QWidget]:
    return [one for one in seen.window.view.findChildren(kind) if one.isVisible()]


def command(seen: Seen, text: str) -> None:
    actions = seen.window.connections.commands.actions
    next(action for action in actions if action.text() == text).trigger()


def choose(qtbot: QtBot, seen: Seen, path: Path) -> None:
    qtbot.waitUntil(lambda: bool(shown(seen, QFileDialog)), timeout=LONG)
    (chooser,) = shown(seen, QFileDialog)
    assert isinstance(chooser, QFileDialog)
    chooser.filesSelected.emit([str(path)])
    chooser.done(0)


def wait_for_words(qtbot: QtBot, seen: Seen, begin: str) -> UpkeepDialog:
    def there() -> bool:
        return any(one.accessibleName().startswith(begin) for one in shown(seen, UpkeepDialog))

    qtbot.waitUntil(there, timeout=LONG)
    (dialog,) = shown(seen, UpkeepDialog)
    assert isinstance(dialog, UpkeepDialog)
    return dialog


def texts(seen: Seen) -> list[VersionRow]:
    (source,) = seen.library.documents.all()
    return seen.library.versions.of(source.id)


def test_a_page_that_changes_and_a_library_that_is_taken_back(
    home: Program, opened: Opener, qtbot: QtBot, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.webrag"
    with PageServer({"/cables": PAGE.format("dear")}) as pages:
        seen = opened(settings_of(home.home))
        window = seen.window.view
        seen.window.connections.adding.add([pages.url("/cables")])
        wait_ready(qtbot, seen, 1)
        command(seen, "Back up…")
        choose(qtbot, seen, saved)
        done = wait_for_words(qtbot, seen, "Your library is saved")
        QTest.keyClick(done, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: not shown(seen, UpkeepDialog))
        pages.pages["/cables"] = PAGE.format("cheap")
        choose_row(qtbot, seen, 0)
        press(qtbot, window.library.inspector, "Check for changes")
        press(qtbot, window, "Show what changed")  # of the notice, or the inspector
        qtbot.waitUntil(lambda: bool(shown(seen, DifferenceDialog)), timeout=LONG)
        (dialog,) = shown(seen, DifferenceDialog)
        assert isinstance(dialog, DifferenceDialog)
        lines = [line for line in dialog.text.toPlainText().splitlines() if line]
        assert lines == [
            "Cables",
            "− Before",
            "Copper is dear this year, the merchants say.",
            "+ Now",
            "Copper is cheap this year, the merchants say.",
        ]
        dialog.close()
        (document,) = [row.id for row in seen.library.documents.all()]
        assert len(texts(seen)) == 2
        command(seen, "Restore…")
        choose(qtbot, seen, saved)
        question = wait_for_words(qtbot, seen, "Go back to your library of ")
        QTest.mouseClick(question.action_button, Qt.MouseButton.LeftButton)
        wait_for_words(qtbot, seen, "Your library is that of ")
        qtbot.waitUntil(lambda: seen.window.operations.session.is_open, timeout=LONG)
        assert [row.id for row in seen.library.documents.all()] == [document]
        assert len(texts(seen)) == 1
