"""The status strip: parts, notes and figures, by mouse and keyboard, in wide and narrow windows."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.data.upkeep import StackPart, StackReport
from webrag_desktop.gui.data.view_data import LibraryFigures
from webrag_desktop.gui.kit.widgets.bars import BusyBar
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.panes import Panel, column
from webrag_desktop.gui.shell.status_strip import PartButton, StatusStrip

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
DATABASE = StackPart("Database", "ready", "ok", detail="It runs as part of the program.")
EMBEDDING = StackPart("Embedding", "indexing", "busy")
BROKEN = StackPart("Database", "not answering", "failing", "", "It is gone.", "Start it.", "Start again")
WARNING = StackPart("Embedding", "slow", "warning", remedy="Close other programs.", action="Check again")
OFF = StackPart("Embedding", "waiting", "off")
FIGURES = LibraryFigures(documents=1284, passages=96410, bytes_on_disk=2_100_000_000)


def report(*parts: StackPart) -> StackReport:
    return StackReport(parts, "/home/ada/webrag")


@pytest.fixture
def strip(qtbot: QtBot, application: QApplication) -> StatusStrip:
    made = StatusStrip()
    qtbot.addWidget(made)
    made.resize(960, made.height())
    made.show()
    made.activateWindow()
    qtbot.waitExposed(made)
    return made


def seen(strip: QWidget, kind: type[QWidget]) -> list[QWidget]:
    return [widget for widget in strip.findChildren(kind) if widget.isVisible()]


def names(strip: StatusStrip) -> list[str]:
    return [button.accessibleName() for button in seen(strip, PartButton)]


def figures(strip: StatusStrip) -> list[str]:
    return [label.text() for label in seen(strip, Label) if isinstance(label, Label)]


def test_parts_say_name_and_word_and_explain_themselves(strip: StatusStrip) -> None:
    strip.show_report(report(DATABASE, EMBEDDING))
    assert names(strip) == ["Database: ready", "Embedding: indexing"]
    first = seen(strip, PartButton)[0]
    assert first.toolTip() == first.accessibleDescription() == "It runs as part of the program."
    assert seen(strip, QPushButton) == []


def test_a_click_or_enter_or_space_on_a_part_opens_what_there_is_to_know(
    strip: StatusStrip, qtbot: QtBot
) -> None:
    strip.show_report(report(DATABASE, EMBEDDING))
    button = seen(strip, PartButton)[1]
    with qtbot.waitSignal(strip.opened):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
        button.setFocus()
        qtbot.waitUntil(button.hasFocus)
        with qtbot.waitSignal(strip.opened):
            QTest.keyClick(button, key)


def test_a_broken_part_has_its_action_beside_it(strip: StatusStrip, qtbot: QtBot) -> None:
    strip.show_report(report(BROKEN, OFF))
    (action,) = seen(strip, QPushButton)
    assert isinstance(action, QPushButton)
    assert (action.text(), action.accessibleName()) == ("Start again", "Start again: Database")
    with qtbot.waitSignal(strip.action_requested) as asked, qtbot.assertNotEmitted(strip.opened):
        QTest.mouseClick(action, Qt.MouseButton.LeftButton)
    assert asked.args == ["Database"]
    action.setFocus()
    qtbot.waitUntil(action.hasFocus)
    with qtbot.waitSignal(strip.action_requested):
        QTest.keyClick(action, Qt.Key.Key_Return)


def test_each_action_names_its_own_part(strip: StatusStrip, qtbot: QtBot) -> None:
    strip.show_report(report(BROKEN, WARNING))
    with qtbot.waitSignal(strip.action_requested) as asked:
        QTest.mouseClick(seen(strip, QPushButton)[1], Qt.MouseButton.LeftButton)
    assert asked.args == ["Embedding"]


def test_the_keyboard_stays_where_it_is_when_a_part_changes(strip: StatusStrip, qtbot: QtBot) -> None:
    strip.show_report(report(BROKEN, OFF))
    action = seen(strip, QPushButton)[0]
    action.setFocus()
    qtbot.waitUntil(action.hasFocus)
    strip.show_report(report(DATABASE, EMBEDDING))
    assert QApplication.focusWidget() is seen(strip, PartButton)[0]
    strip.show_report(report(DATABASE, OFF))
    assert QApplication.focusWidget() is seen(strip, PartButton)[0]


def test_a_note_takes_the_place_of_the_parts_and_looks_busy(strip: StatusStrip, qtbot: QtBot) -> None:
    strip.show_note("Starting the database")
    assert names(strip) == ["Starting the database …"]
    assert len(seen(strip, BusyBar)) == 1
    strip.show_report(report(DATABASE, EMBEDDING))
    assert names(strip) == ["Starting the database …"]
    with qtbot.waitSignal(strip.opened):
        QTest.mouseClick(seen(strip, PartButton)[0], Qt.MouseButton.LeftButton)
    strip.show_note("")
    assert names(strip) == ["Database: ready", "Embedding: indexing"]
    assert seen(strip, BusyBar) == []


def test_the_keyboard_goes_from_an_action_to_the_note_and_back(strip: StatusStrip, qtbot: QtBot) -> None:
    strip.show_report(report(BROKEN, OFF))
    action = seen(strip, QPushButton)[0]
    action.setFocus()
    qtbot.waitUntil(action.hasFocus)
    strip.show_note("Starting the database …")
    assert QApplication.focusWidget() is seen(strip, PartButton)[0]
    strip.show_note("")
    assert QApplication.focusWidget() is seen(strip, PartButton)[0]
    assert names(strip)[0] == "Database: not answering"


def test_a_report_with_fewer_parts_hides_the_others(strip: StatusStrip) -> None:
    strip.show_report(report(DATABASE, EMBEDDING))
    strip.show_report(report(DATABASE))
    assert names(strip) == ["Database: ready"]


def test_figures_are_written_out(strip: StatusStrip) -> None:
    strip.show_figures(LibraryFigures())
    assert figures(strip) == ["No documents yet"]
    strip.show_figures(LibraryFigures(documents=1, passages=1))
    assert figures(strip) == ["1 document", "1 passage"]
    strip.show_figures(FIGURES)
    assert figures(strip) == ["1,284 documents", "96,410 passages", "2.1 GB"]


def test_where_it_is_narrow_the_last_figures_go_first_and_parts_are_cut(strip: StatusStrip) -> None:
    strip.show_report(report(BROKEN, WARNING))
    strip.show_figures(FIGURES)
    strip.resize(650, strip.height())
    assert figures(strip)[0] == "1,284 documents"
    assert "2.1 GB" not in figures(strip)
    assert strip.minimumSizeHint().width() < 600
    strip.resize(1200, strip.height())
    assert figures(strip) == ["1,284 documents", "96,410 passages", "2.1 GB"]


def test_it_grows_with_the_font(strip: StatusStrip, application: QApplication, qtbot: QtBot) -> None:
    strip.show_report(report(DATABASE, EMBEDDING))
    before = (strip.height(), seen(strip, PartButton)[0].sizeHint().width())
    usual = QFont(application.font())
    larger = QFont(usual)
    larger.setPixelSize(20)
    try:
        application.setFont(larger)
        qtbot.waitUntil(lambda: strip.height() > before[0])
        assert seen(strip, PartButton)[0].sizeHint().width() > before[1]
    finally:
        application.setFont(usual)


@pytest.mark.parametrize("dark", [False, True])
def test_pictures(
    qtbot: QtBot,
    application: QApplication,
    themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path],
    dark: bool,
) -> None:
    themed(dark)
    panel = Panel("surface")
    qtbot.addWidget(panel)
    lines = column(panel, spacing=8)
    for parts in ((DATABASE, EMBEDDING), (BROKEN, OFF), (DATABASE, WARNING), ()):
        strip = StatusStrip()
        strip.show_report(report(*parts))
        strip.show_figures(FIGURES if parts else LibraryFigures())
        strip.show_note("" if parts else "Starting the database")
        lines.addWidget(strip)
    panel.resize(960, panel.sizeHint().height())
    panel.show()
    picture(panel, "status-strip-dark" if dark else "status-strip")
