"""Tags and collections in the window: the dialog, the ways to it, and what the inspector shows."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.support.documents import REPORT, SIGN_IN, details
from tests.support.filters import LABELS
from tests.support.shown import SEARCH_FAILURE
from tests.support.whole_window import ROWS, Shown
from webrag_desktop.gui.data.library import DocumentLabels, LabelChange, LabelNames
from webrag_desktop.gui.kit.widgets.choices import CheckRow
from webrag_desktop.gui.kit.widgets.labels import SelectableText
from webrag_desktop.gui.library.dialogs.check_list import LabelDialog
from webrag_desktop.gui.library.inspector_parts import Facts
from webrag_desktop.gui.session.undoing import Notice
from webrag_desktop.gui.shell.error_dialog import ErrorDialog

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
SOME, YES = Qt.CheckState.PartiallyChecked, Qt.CheckState.Checked


@pytest.fixture
def dialog(qtbot: QtBot, application: QApplication) -> LabelDialog:
    made = LabelDialog(LABELS)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(made.tags.field.hasFocus)
    return made


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


@pytest.fixture
def library(qtbot: QtBot, application: QApplication) -> ServedLibrary:
    made = ServedLibrary(qtbot)
    made.give([REPORT, SIGN_IN])
    made.view.focus_first()
    return made


def row(dialog: LabelDialog, name: str) -> CheckRow:
    rows = [*dialog.tags.rows(), *dialog.collections.rows()]
    return next(one for one in rows if one.accessibleName().startswith(name))


def test_it_shows_what_all_some_and_none_of_the_documents_have(dialog: LabelDialog) -> None:
    assert dialog.tags.states == {
        "gutta-percha": SOME,
        "primary-source": YES,
        "telegraphy": Qt.CheckState.Unchecked,
    }
    assert dialog.collections.states["Atlantic cable 1858"] == SOME
    assert "3 documents" in [one.text() for one in dialog.findChildren(QLabel)]
    assert not dialog.save_button.isEnabled()


def test_several_are_added_and_removed_at_once(dialog: LabelDialog) -> None:
    reported: list[LabelChange] = []
    dialog.change_requested.connect(reported.append)
    QTest.keyClicks(dialog.tags.field, "  new   one")
    QTest.keyClick(dialog.tags.field, Qt.Key.Key_Return)
    QTest.keyClicks(dialog.tags.field, "TELEGRAPHY")
    QTest.keyClick(dialog.tags.field, Qt.Key.Key_Return)
    QTest.mouseClick(row(dialog, "primary-source"), LEFT)
    QTest.mouseClick(row(dialog, "Atlantic cable 1858"), LEFT)  # of some: of all
    QTest.mouseClick(dialog.save_button, LEFT)
    assert reported == [
        LabelChange(
            LABELS.ids,
            LabelNames(("telegraphy", "new one"), ("Atlantic cable 1858",)),
            LabelNames(("primary-source",)),
        )
    ]
    assert not dialog.isVisible()


def test_what_some_have_stays_as_it_is_unless_it_is_clicked_twice(dialog: LabelDialog) -> None:
    some = row(dialog, "gutta-percha")
    assert not dialog.change
    QTest.mouseClick(some, LEFT)
    assert dialog.change == LabelChange(LABELS.ids, LabelNames(("gutta-percha",)))
    QTest.mouseClick(some, LEFT)
    assert dialog.change == LabelChange(LABELS.ids, remove=LabelNames(("gutta-percha",)))


def test_what_is_taken_back_in_the_dialog_is_no_change(dialog: LabelDialog) -> None:
    QTest.mouseClick(row(dialog, "telegraphy"), LEFT)
    assert dialog.save_button.isEnabled()
    QTest.mouseClick(row(dialog, "telegraphy"), LEFT)
    assert not dialog.save_button.isEnabled()
    reported: list[LabelChange] = []
    dialog.change_requested.connect(reported.append)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not reported
    assert not dialog.isVisible()


def test_ctrl_enter_saves(dialog: LabelDialog) -> None:
    reported: list[LabelChange] = []
    dialog.change_requested.connect(reported.append)
    QTest.mouseClick(row(dialog, "telegraphy"), LEFT)
    QTest.keyClick(dialog, Qt.Key.Key_Return, CONTROL)
    assert reported == [LabelChange(LABELS.ids, LabelNames(("telegraphy",)))]


# -- The ways to it -----------------------------------------------------------------------------------------------


def test_t_the_menu_and_the_inspector_ask_for_it(library: ServedLibrary) -> None:
    asked: list[object] = []
    library.view.labels_requested.connect(asked.append)
    library.key(Qt.Key.Key_T)
    menu = library.table.actions_.menu(library.view)
    action = next(one for one in menu.actions() if one.text() == "Tags and collections…")
    action.trigger()
    library.view.show_details(details(REPORT))
    (button,) = [
        one
        for one in library.view.inspector.findChildren(QPushButton)
        if one.text() == "Tags and collections…" and one.isVisible()
    ]
    QTest.mouseClick(button, LEFT)
    assert asked == [(REPORT.id,)] * 3
    library.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    library.key(Qt.Key.Key_T)
    assert asked[-1] == (REPORT.id, SIGN_IN.id)


def test_the_inspector_shows_them(library: ServedLibrary) -> None:
    labelled = replace(details(REPORT), tags=("gutta-percha", "to read"), collections=("Theses",))
    library.view.show_details(labelled)
    (facts,) = library.view.inspector.findChildren(Facts)
    values = {
        one.accessibleName(): one.toPlainText()
        for one in facts.findChildren(SelectableText)
        if one.isVisibleTo(facts)
    }
    assert (values["Tags"], values["Collections"]) == ("gutta-percha, to read", "Theses")


def opened(shown: Shown) -> LabelDialog:
    dialog = shown.window.findChild(LabelDialog)
    assert dialog is not None
    return dialog


def test_the_window_asks_changes_and_shows_what_came_of_it(shown: Shown) -> None:
    shown.fill()
    shown.window.library.list.choose(0)
    shown.window.library.list.setFocus()
    shown.press(Qt.Key.Key_T)
    assert shown.do.calls_of("labelling.fetch") == [((REPORT.id,),)]
    shown.do.part("labelling").labels.emit(replace(LABELS, ids=(REPORT.id,), title=REPORT.title))
    dialog = opened(shown)
    assert REPORT.title in [one.text() for one in dialog.findChildren(QLabel)]
    QTest.mouseClick(row(dialog, "telegraphy"), LEFT)
    QTest.mouseClick(dialog.save_button, LEFT)
    change = LabelChange((REPORT.id,), LabelNames(("telegraphy",)))
    assert shown.do.calls_of("labelling.change") == [(change,)]
    before = len(shown.do.calls_of("documents.fetch_details"))
    shown.do.part("labelling").changed.emit()
    assert shown.do.calls_of("documents.fetch_details")[before:] == [(ROWS[0].id,)]


def test_documents_that_are_gone_are_not_asked_about(shown: Shown) -> None:
    shown.do.part("labelling").labels.emit(DocumentLabels((), "", (), ()))
    assert shown.window.findChild(LabelDialog) is None


def test_notices_and_failures_are_shown_as_elsewhere(shown: Shown) -> None:
    shown.do.part("labelling").noticed.emit(Notice("Tags and collections of 1 document changed."))
    (toast,) = shown.window.toasts._toasts
    assert toast.accessibleName() == "Tags and collections of 1 document changed."
    shown.do.part("labelling").failed.emit(SEARCH_FAILURE)
    dialog = shown.window.findChild(ErrorDialog)
    assert dialog is not None
    dialog.close()
