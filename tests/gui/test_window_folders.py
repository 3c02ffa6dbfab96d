"""Folders in the whole window: dropped, shown, chosen from; and kept copies read again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.documents import SIGN_IN
from tests.support.drags import drop, uri_list
from tests.support.whole_window import Shown
from webrag_desktop.errors import FetchError
from webrag_desktop.gui.adding.dropped import looked_into
from webrag_desktop.gui.adding.folder_dialog import FolderDialog
from webrag_desktop.gui.data.library import FolderContents, FolderKind
from webrag_desktop.gui.library.operations.adding import Sorted
from webrag_desktop.gui.shell.error_dialog import ErrorDialog
from webrag_desktop.progress import Step


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


def dialogs(shown: Shown) -> list[FolderDialog]:
    return [one for one in shown.window.findChildren(FolderDialog) if one.isVisible()]


def test_a_dropped_folder_is_shown_before_anything_of_it_is_added(shown: Shown, tmp_path: Path) -> None:
    assert drop(shown.window, uri_list(tmp_path.as_uri()))
    ((seen, on_found),) = shown.do.calls_of("documents.inspect_dropped")
    on_found(looked_into(seen))  # type: ignore[operator,arg-type]
    (dialog,) = dialogs(shown)
    ((folders, found, _failed, step),) = shown.do.calls_of("folders.look_through")
    assert folders == (str(tmp_path),)
    step(Step("looking", 12, detail=str(tmp_path)))  # type: ignore[operator]
    assert dialog.step.text() == "Looking through it… 12 files found so far"
    found(FolderContents((str(tmp_path),), (FolderKind("pdf", ("/x/a.pdf", "/x/b.pdf"), 9),)))  # type: ignore[operator]
    assert shown.do.calls_of("documents.add") == []
    QTest.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    assert shown.do.calls_of("documents.add") == [(("/x/a.pdf", "/x/b.pdf"),)]
    shown.qtbot.waitUntil(lambda: not dialogs(shown))


def test_what_comes_after_a_preview_was_closed_is_dropped(shown: Shown) -> None:
    shown.connections.adding.look_through(("/x",))
    (dialog,) = dialogs(shown)
    ((_folders, found, failed, step),) = shown.do.calls_of("folders.look_through")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    step(Step("looking", 12))  # type: ignore[operator]
    found(FolderContents(("/x",), ()))  # type: ignore[operator]
    failed(FetchError("It is gone."))  # type: ignore[operator]
    shown.qtbot.waitUntil(lambda: not dialogs(shown))
    assert shown.window.findChildren(ErrorDialog) == []


def test_a_folder_that_cannot_be_looked_into_is_an_error(shown: Shown) -> None:
    shown.connections.adding.look_through(("/x",))
    ((*_rest, failed, _step),) = shown.do.calls_of("folders.look_through")
    failed(FetchError("There is no folder /x", "It may have been moved."))  # type: ignore[operator]
    shown.qtbot.waitUntil(lambda: not dialogs(shown))
    (reported,) = shown.window.findChildren(ErrorDialog)
    assert reported.accessibleName() == "There is no folder /x"


def test_what_the_program_is_started_with_is_added_and_folders_are_shown(shown: Shown) -> None:
    shown.connections.adding.take_given(("https://example.org/", "/x/a.md", "/x"))
    assert shown.do.calls_of("documents.add") == [(("https://example.org/",),)]
    ((given, on_sorted),) = shown.do.calls_of("folders.sort")
    assert given == ("/x/a.md", "/x")
    on_sorted(Sorted(("/x",), ("/x/a.md",)))  # type: ignore[operator]
    assert shown.do.calls_of("documents.add")[1:] == [(("/x/a.md",),)]
    assert len(dialogs(shown)) == 1


def test_kept_copies_are_read_again_by_menu_and_key(shown: Shown) -> None:
    shown.fill()
    table = shown.window.library.list
    table.setFocus()
    table.choose(1)
    QTest.keyClick(table, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    assert shown.do.calls_of("documents.reread") == [((SIGN_IN.id,),)]
