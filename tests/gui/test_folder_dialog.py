"""The preview of a folder: what is shown of it, and what is added of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.adding.folder_dialog import (
    FolderDialog,
    LeftOutLine,
    left_out_detail,
    left_out_headline,
)
from webrag_desktop.gui.data.library import FolderContents, FolderKind, LeftOut
from webrag_desktop.gui.kit.widgets.choices import CheckRow

LEFT = Qt.MouseButton.LeftButton
PAPERS = "/home/ada/Papers"
PDFS = tuple(f"{PAPERS}/paper-{n}.pdf" for n in range(178))
NOTES = tuple(f"{PAPERS}/note-{n}.md" for n in range(36))
CONTENTS = FolderContents(
    folders=(PAPERS,),
    kinds=(
        FolderKind("pdf", PDFS, 1_420_000_000),
        FolderKind("markdown", NOTES, 184_000),
        FolderKind("html", (), 0),
    ),
    present=9,
    changed=3,
    left_out=(
        LeftOut("unreadable", 1, 0, (f"{PAPERS}/locked.pdf",)),
        LeftOut("kind", 27, 0, (f"{PAPERS}/scan.djvu",), ((".jpg", 22), (".djvu", 4), ("", 1))),
        LeftOut("too large", 2, 0, (f"{PAPERS}/atlas.pdf", f"{PAPERS}/maps.pdf")),
        LeftOut("tool", 0, 2, (f"{PAPERS}/.git", f"{PAPERS}/node_modules")),
        LeftOut("hidden", 3, 1, (f"{PAPERS}/.DS_Store",)),
    ),
)
Open = Callable[..., FolderDialog]


@pytest.fixture
def opened(qtbot: QtBot, application: QApplication) -> Open:
    def open_dialog(contents: FolderContents | None = CONTENTS) -> FolderDialog:
        dialog = FolderDialog(contents.folders if contents else (PAPERS,))
        qtbot.addWidget(dialog)
        with qtbot.waitExposed(dialog):
            dialog.show()
        if contents is not None:
            dialog.show_contents(contents)
        return dialog

    return open_dialog


def kinds(dialog: FolderDialog) -> list[CheckRow]:
    return dialog.findChildren(CheckRow)


def test_it_says_where_it_looks_before_anything_is_known(opened: Open, qtbot: QtBot) -> None:
    dialog = opened(None)
    assert dialog.accessibleName() == "Add from “Papers”"
    assert dialog.step.text() == "Looking through it…"
    assert not dialog.add_button.isVisible()
    dialog.show_step(1204, f"{PAPERS}/1858")
    assert dialog.step.text() == "Looking through it… 1,204 files found so far"
    with qtbot.waitSignal(dialog.rejected):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)


def test_everything_is_chosen_and_added(opened: Open, qtbot: QtBot) -> None:
    dialog = opened()
    assert dialog.add_button.text() == "Add 214 files"
    assert [line.accessibleName() for line in kinds(dialog)] == [
        "PDF, 178 files, 1.4 GB",
        "Markdown, 36 files, 184 kB",
    ]
    with qtbot.waitSignal(dialog.add_requested) as added:
        QTest.mouseClick(dialog.add_button, LEFT)
    assert added.args == [PDFS + NOTES]
    assert not dialog.isVisible()


def test_a_kind_is_left_out_by_mouse_and_by_keyboard(opened: Open, qtbot: QtBot) -> None:
    dialog = opened()
    pdf, notes = kinds(dialog)
    QTest.mouseClick(pdf, LEFT, pos=pdf.rect().center())
    assert dialog.add_button.text() == "Add 36 files"
    notes.setFocus()
    QTest.keyClick(notes, Qt.Key.Key_Space)
    assert dialog.add_button.text() == "Add"
    assert not dialog.add_button.isEnabled()
    QTest.keyClick(notes, Qt.Key.Key_Space)
    with qtbot.waitSignal(dialog.add_requested) as added:
        QTest.mouseClick(dialog.add_button, LEFT)
    assert added.args == [NOTES]


def test_enter_adds_at_once(opened: Open, qtbot: QtBot) -> None:
    dialog = opened()
    with qtbot.waitSignal(dialog.add_requested):
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)


def test_what_is_left_out_is_reported_with_its_reason(opened: Open) -> None:
    dialog = opened()
    assert [line.accessibleName() for line in dialog.findChildren(LeftOutLine)] == [
        "1 file that may not be read. locked.pdf",
        "27 files of kinds that cannot be read. .jpg 22, .djvu 4, no ending 1",
        "2 files too large. atlas.pdf, maps.pdf",
        "2 folders of tools. Version control, installed packages and the like",
        "3 files and 1 folder hidden",
    ]


def test_a_name_that_no_encoding_holds_is_shown_all_the_same() -> None:
    group = LeftOut("name", 1, 0, ("/x/caf\udce9.md",))
    assert left_out_headline(group) == "1 file with an unreadable name"
    assert left_out_detail(group) == "caf?.md"


@pytest.mark.parametrize(
    ("present", "sentence"),
    [
        (4, "Everything in it that can be read is here already."),
        (0, "There is nothing in it that can be read."),
    ],
)
def test_with_nothing_to_add_there_is_only_cancel(opened: Open, present: int, sentence: str) -> None:
    dialog = opened(FolderContents((PAPERS,), (), present=present))
    assert dialog.nothing.text() == sentence
    assert not dialog.add_button.isEnabled()
    assert dialog.focusWidget() is dialog.cancel_button


def test_what_was_cut_short_says_so(opened: Open) -> None:
    assert opened(FolderContents((PAPERS, "/x"), CONTENTS.kinds, cut_short=True)).more.isVisible()
    assert not opened().more.isVisible()


@pytest.mark.parametrize("dark", [False, True])
def test_pictures(
    opened: Open, themed: Callable[[bool], None], picture: Callable[[QWidget, str], Path], dark: bool
) -> None:
    suffix = "-dark" if dark else ""
    themed(dark)
    dialog = opened()
    kinds(dialog)[1].click()
    picture(dialog, f"folder-preview{suffix}")
    looking = opened(None)
    looking.show_step(1204, f"{PAPERS}/Atlantic cable/1858/letters to the editor")
    picture(looking, f"folder-looking{suffix}")
