"""A folder dropped on the real window: looked through, shown, added whole, and found by a sentence of its paper."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program
from tests.support.drags import drop, uri_list
from tests.support.office_files import docx, paragraph
from tests.support.pdf_files import PdfPage, pdf_bytes
from tests.support.window_under_test import LONG, Opener, Seen, ask, cite_best, settings_of, wait_ready
from webrag_desktop.gui.adding.folder_dialog import FolderDialog, LeftOutLine
from webrag_desktop.gui.kit.widgets.choices import CheckRow

PAGE = """<!doctype html><html lang="en"><head><title>The night watch</title></head><body><main>
<h1>The night watch</h1><p>The second watch begins at midnight, when the keeper winds the clockwork.</p>
</main></body></html>"""
NOTE = "# Oil store\n\nThe oil store holds forty barrels of rape seed oil in the winter months.\n"
SENTENCE = "The lens turns once in ninety seconds on a bath of mercury."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What people have in a folder: things to read, things that cannot be, and another folder."""
    made = tmp_path / "Lighthouse papers"
    (made / "older" / "letters").mkdir(parents=True)
    (made / "watch.html").write_text(PAGE, "utf-8")
    (made / "older" / "oil.md").write_text(NOTE, "utf-8")
    (made / "older" / "letters" / "letter.docx").write_bytes(
        docx(paragraph("The relief boat comes on every second Tuesday of the month, weather permitting."))
    )
    first = PdfPage().lines(["Of the lamp and its tower.", "The tower has one hundred and ten steps."])
    (made / "lens.pdf").write_bytes(pdf_bytes([first, PdfPage().lines(["Of the lens.", SENTENCE])]))
    (made / ".draft.md").write_text("# Not for others\n", "utf-8")
    (made / "plan.dwg").write_bytes(b"AC1032\0\0")
    return made


def preview(qtbot: QtBot, seen: Seen, folder: Path) -> FolderDialog:
    """Drop a folder, and wait until its preview tells what is in it."""
    assert drop(seen.window.view, uri_list(folder.as_uri()))
    qtbot.waitUntil(lambda: bool(previews(seen)) and previews(seen)[0].add_button.isVisible(), timeout=LONG)
    (dialog,) = previews(seen)
    return dialog


def previews(seen: Seen) -> list[FolderDialog]:
    return [one for one in seen.window.view.findChildren(FolderDialog) if one.isVisible()]


def figures(dialog: FolderDialog) -> list[str]:
    return [figure.accessibleName() for figure in dialog._figures]


def test_a_dropped_folder_is_shown_added_and_found(
    opened: Opener, home: Program, qtbot: QtBot, folder: Path
) -> None:
    seen = opened(settings_of(home.home))
    qtbot.waitUntil(lambda: seen.window.operations.session.is_open, timeout=LONG)
    dialog = preview(qtbot, seen, folder)
    assert figures(dialog) == ["4 to add", "0 already here", "2 left out"]
    kinds = {row.accessibleName() for row in dialog.findChildren(CheckRow)}
    assert len(kinds) == 4
    left_out = sorted(line.accessibleName() for line in dialog.findChildren(LeftOutLine))
    assert len(left_out) == 2
    assert "hidden" in left_out[0]
    assert ".dwg" in left_out[1]
    assert dialog.add_button.text() == "Add 4 files"
    assert seen.library.documents.all() == [], "nothing is added before that is asked for"
    QTest.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    wait_ready(qtbot, seen, 4)
    assert seen.figures[-1].failed == 0
    listed = seen.window.view.library.list.model()
    qtbot.waitUntil(lambda: listed.rowCount() == 4, timeout=LONG)
    seen.window.view.activateWindow()  # as a window manager does when the dialog is gone
    qtbot.waitUntil(seen.window.view.isActiveWindow, timeout=LONG)
    ask(qtbot, seen, "how long does the lens take to turn once")
    citation = cite_best(qtbot, seen, "ninety seconds")
    assert (citation.quote, citation.page) == (SENTENCE, 2)
    again = preview(qtbot, seen, folder)
    assert figures(again) == ["0 to add", "4 already here", "2 left out"]
    assert not again.add_button.isEnabled()
    QTest.keyClick(again, Qt.Key.Key_Escape)


def test_a_preview_that_is_closed_adds_nothing(
    opened: Opener, home: Program, qtbot: QtBot, folder: Path
) -> None:
    seen = opened(settings_of(home.home))
    dialog = preview(qtbot, seen, folder)
    QTest.mouseClick(dialog.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not previews(seen))
    # What comes next is all there is: the folder has put nothing before it.
    (folder / "older" / "note.txt").write_text("The fog bell is rung by hand while the clockwork is mended.")
    assert drop(seen.window.view, uri_list((folder / "older" / "note.txt").as_uri()))
    wait_ready(qtbot, seen, 1)
    assert seen.window.view.library.list.model().rowCount() == 1
    assert home.run("list").out.count("ready") == 1
