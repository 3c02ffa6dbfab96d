"""The dialog that asks for links and files: driven by mouse and keyboard."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from webrag_desktop.gui.adding.add_dialog import AddDialog

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
LEFT = Qt.MouseButton.LeftButton


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


def test_while_there_is_nothing_add_says_why_it_cannot(
    shown: Callable[[QDialog], None], qtbot: QtBot
) -> None:
    dialog = AddDialog()
    shown(dialog)
    assert dialog.focusWidget() is dialog.field
    assert not dialog.add_button.isEnabled()
    assert dialog.add_button.toolTip().startswith("Nothing to add yet")
    with qtbot.assertNotEmitted(dialog.add_requested):
        QTest.keyClick(dialog.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert dialog.isVisible()


def test_lines_are_counted_as_they_are_typed_and_ctrl_enter_adds(
    shown: Callable[[QDialog], None], qtbot: QtBot
) -> None:
    dialog = AddDialog()
    shown(dialog)
    QTest.keyClicks(dialog.field, "https://example.org/a")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    QTest.keyClicks(dialog.field, "/home/ada/notes.md")
    assert dialog.sentence.text() == "1 link and 1 file"
    assert dialog.field.accessibleDescription() == "1 link and 1 file"
    assert dialog.add_button.isEnabled()
    assert not dialog.problems.isVisible()
    with qtbot.waitSignal(dialog.add_requested) as asked:
        QTest.keyClick(dialog.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked.args == [("https://example.org/a", "/home/ada/notes.md")]
    assert not dialog.isVisible()


def test_the_same_link_twice_is_one(shown: Callable[[QDialog], None], qtbot: QtBot) -> None:
    dialog = AddDialog()
    shown(dialog)
    dialog.field.setPlainText("https://example.org/a\n\nsee https://example.org/a and https://example.org/b")
    assert dialog.sentence.text() == "2 links"
    with qtbot.waitSignal(dialog.add_requested) as asked:
        QTest.mouseClick(dialog.add_button, LEFT)
    assert asked.args == [("https://example.org/a", "https://example.org/b")]


def test_what_is_not_understood_is_reported_by_line(shown: Callable[[QDialog], None]) -> None:
    dialog = AddDialog()
    shown(dialog)
    dialog.field.setPlainText(
        "hello there\nhttps://example.org/a\n/home/ada/scan.xlsx\nmailto:ada@example.org"
    )
    reported = dialog.problems.text().splitlines()
    assert reported[0] == "Line 1: There is no link or file in this."
    assert reported[1] == "Line 3: This kind of file cannot be read: scan.xlsx"
    assert reported[2].startswith("Line 4: ")
    assert dialog.sentence.text() == "1 link"
    dialog.field.setPlainText("one\ntwo\nthree\nfour\nfive")
    assert dialog.problems.text().splitlines()[3:] == ["2 more lines are not understood."]
    dialog.field.setPlainText("one\ntwo\nthree\nfour")
    assert dialog.problems.text().splitlines()[3:] == ["1 more line is not understood."]
    dialog.field.clear()
    assert not dialog.problems.isVisible()


def test_links_on_the_clipboard_are_filled_in_and_typing_replaces_them(
    shown: Callable[[QDialog], None],
) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/a"), QUrl("https://example.org/b")])
    QApplication.clipboard().setMimeData(mime)
    dialog = AddDialog()
    shown(dialog)
    assert dialog.sentence.text() == "2 links"
    QTest.keyClicks(dialog.field, "x")
    assert dialog.field.toPlainText() == "x"


def test_other_words_on_the_clipboard_are_left_there(shown: Callable[[QDialog], None]) -> None:
    QApplication.clipboard().setText("a sentence of something else")
    dialog = AddDialog()
    shown(dialog)
    assert dialog.field.toPlainText() == ""


def test_chosen_files_are_put_after_what_is_there(shown: Callable[[QDialog], None], qtbot: QtBot) -> None:
    dialog = AddDialog()
    shown(dialog)
    dialog.field.setPlainText("https://example.org/a")
    QTest.mouseClick(dialog.files_button, LEFT)
    (chooser,) = dialog.findChildren(QFileDialog)
    qtbot.waitUntil(chooser.isVisible)
    chooser.filesSelected.emit(["/home/ada/notes.md", "/home/ada/more notes.txt"])
    chooser.reject()
    qtbot.waitUntil(lambda: not isValid(chooser))
    assert dialog.field.toPlainText().splitlines()[1:] == ["/home/ada/notes.md", "/home/ada/more notes.txt"]
    assert dialog.sentence.text() == "1 link and 2 files"


@pytest.mark.parametrize("by_key", [True, False])
def test_cancel_and_esc_add_nothing(shown: Callable[[QDialog], None], qtbot: QtBot, by_key: bool) -> None:
    dialog = AddDialog()
    shown(dialog)
    dialog.field.setPlainText("https://example.org/a")
    with qtbot.assertNotEmitted(dialog.add_requested), qtbot.waitSignal(dialog.rejected):
        if by_key:
            QTest.keyClick(dialog.field, Qt.Key.Key_Escape)
        else:
            QTest.mouseClick(dialog.cancel_button, LEFT)


@pytest.mark.parametrize("dark", [False, True])
def test_pictures(
    shown: Callable[[QDialog], None],
    themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path],
    dark: bool,
) -> None:
    themed(dark)
    dialog = AddDialog()
    dialog.field.setPlainText("https://example.org/a\nhttps://example.org/b\nhello there")
    shown(dialog)
    picture(dialog, "add-dialog-dark" if dark else "add-dialog")


def test_images_of_pages_are_kept_where_the_box_says_so(shown: Callable[[QDialog], None]) -> None:
    dialog = AddDialog()
    shown(dialog)
    assert dialog.with_images is None
    QTest.mouseClick(dialog.images_box, LEFT)
    assert dialog.with_images is True


def test_where_the_settings_keep_images_the_box_says_so_and_may_be_cleared(
    shown: Callable[[QDialog], None],
) -> None:
    dialog = AddDialog(keeps_images=True)
    shown(dialog)
    assert dialog.images_box.isChecked()
    assert dialog.with_images is None
    QTest.mouseClick(dialog.images_box, LEFT)
    assert dialog.with_images is False
