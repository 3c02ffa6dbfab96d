"""A document over time in the window: versions in the inspector, and the dialogs of what changed and what happened."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from tests.gui.library_views import ServedLibrary
from tests.support.document_texts import DOCUMENT, difference, history, texts, version
from tests.support.documents import details, document_id, filling
from tests.support.shown import citations
from tests.support.whole_window import Shown
from webrag_desktop.gui.data.library import NEVER
from webrag_desktop.gui.data.texts import DocumentTexts, Piece, TextChange, TextDifference
from webrag_desktop.gui.data.view_data import CitationState, SpanReference
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.library.dialogs.difference_dialog import MOST_SHOWN, DifferenceDialog, DifferenceText
from webrag_desktop.gui.library.document_words import DAY, MONTH, WEEK, every_words
from webrag_desktop.gui.library.inspector_versions import HistoryDialog, schedule_menu

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def library(application: QApplication, qtbot: QtBot) -> ServedLibrary:
    """With the document selected that has a past."""
    made = ServedLibrary(qtbot, (1200, 1000))
    rows = filling()
    made.give(rows)
    at = next(n for n, row in enumerate(rows) if row.id == DOCUMENT)
    made.table.choose(at)
    made.view.show_details(details(rows[at]))
    return made


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


def buttons(widget: QWidget, text: str) -> list[QPushButton]:
    return [one for one in widget.findChildren(QPushButton) if one.text() == text and one.isVisible()]


def button(widget: QWidget, text: str) -> QPushButton:
    (found,) = buttons(widget, text)
    return found


# -- In the inspector ---------------------------------------------------------------------------------------------


def test_the_versions_are_listed_and_open(library: ServedLibrary, qtbot: QtBot) -> None:
    section = library.view.inspector.versions
    assert not section.isVisible()
    library.view.inspector.show_texts(texts(3))
    assert section.isVisible()
    names = [
        one.accessibleName() for one in section.findChildren(QPushButton) if "read it" in one.accessibleName()
    ]
    assert names[0] == "Version 3: 3 October 2025, shown, read it"
    assert names[2] == "Version 1: 19 September 2025, 2 cited, read it"
    with qtbot.waitSignal(section.open_requested) as asked:
        QTest.mouseClick(button(section, "19 September 2025"), LEFT)
    assert asked.args == [SpanReference(DOCUMENT, version(1).id, 0, 0)]


def test_what_is_said_of_a_version_is_read_whole(library: ServedLibrary, qtbot: QtBot) -> None:
    section = library.view.inspector.versions
    both = replace(version(1), shown=True, reason="reread", citations=1234)
    library.view.inspector.show_texts(replace(texts(1), versions=(both,)))
    words = next(
        one
        for one in section.findChildren(QLabel)
        if one.text() == "shown, extracted differently, 1,234 cited"
    )
    qtbot.waitUntil(lambda: words.width() > 0 and words.height() >= words.heightForWidth(words.width()) > 0)
    longest = max(words.fontMetrics().horizontalAdvance(word) for word in words.text().split())
    assert longest <= words.width()


def test_a_changed_document_says_so_and_leads_to_what_changed(library: ServedLibrary, qtbot: QtBot) -> None:
    section = library.view.inspector.versions
    library.view.inspector.show_texts(texts(1))
    assert not section.changed.isVisible()
    library.view.inspector.show_texts(texts(2))
    assert section.changed.isVisible()
    assert section.changed.accessibleName().startswith("This document changed 26 September 2025.")
    show = button(section, "Show what changed")
    show.setFocus()
    with qtbot.waitSignal(section.difference_requested) as asked:
        QTest.keyClick(show, Qt.Key.Key_Space)
    assert asked.args == [DOCUMENT]
    with qtbot.waitSignal(section.history_requested) as asked:
        QTest.mouseClick(button(section, "What happened"), LEFT)
    assert asked.args == [DOCUMENT]
    with qtbot.waitSignal(library.view.refresh_requested) as asked:
        QTest.mouseClick(button(section, "Check for changes"), LEFT)
    assert asked.args == [(DOCUMENT,)]


def test_another_document_has_another_past(library: ServedLibrary) -> None:
    section = library.view.inspector.versions
    library.view.inspector.show_texts(texts(2, document_id("somebody else")))
    assert not section.isVisible()  # late
    library.view.inspector.show_texts(texts(2))
    library.table.choose(0)
    assert not section.isVisible()


def test_many_versions_are_counted(library: ServedLibrary) -> None:
    section = library.view.inspector.versions
    library.view.inspector.show_texts(texts(7))
    said = [
        one.accessibleName().partition(":")[0] for one in section.findChildren(QPushButton) if one.isVisible()
    ]
    assert [one for one in said if one.startswith("Version")] == [f"Version {n}" for n in (7, 6, 5, 4)]
    assert section._earlier.text() == "and 3 texts before"
    assert section._earlier.isVisible()


# -- How often ----------------------------------------------------------------------------------------------------


def test_the_menu_ticks_what_holds_and_tells_what_is_chosen(application: QApplication, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    own: list[timedelta | None] = []
    every: list[timedelta | None] = []
    menu = schedule_menu(
        parent, DocumentTexts(DOCUMENT, (), timedelta(hours=12), WEEK), own.append, every.append
    )
    ticked = [one.text() for one in menu.actions() if one.isChecked()]
    assert ticked == ["Every 12 hours"]  # set elsewhere, and not lost
    (of_all,) = [one for one in menu.findChildren(QMenu) if one.title() == "All documents"]
    assert [one.text() for one in of_all.actions() if one.isChecked()] == ["Every week"]
    for menu_, text in ((menu, "Like all documents (every week)"), (menu, "Never"), (of_all, "Never")):
        next(one for one in menu_.actions() if one.text() == text).trigger()
    assert own == [None, NEVER]
    assert every == [None]  # of the library that is what never means
    assert [every_words(one) for one in (None, NEVER, DAY, MONTH, 3 * DAY)] == [
        "Never", "Never", "Every day", "Every month", "Every 3 days",
    ]  # fmt: skip


def test_how_often_opens_from_the_keyboard(library: ServedLibrary, qtbot: QtBot) -> None:
    section = library.view.inspector.versions
    library.view.inspector.show_texts(texts())
    often = button(section, "Every week")
    often.setFocus()
    QTest.keyClick(often, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    with qtbot.waitSignal(section.schedule_chosen) as asked:
        next(one for one in menu.actions() if one.text() == "Every month").trigger()
    assert asked.args == [DOCUMENT, MONTH]
    menu.close()


# -- What changed -------------------------------------------------------------------------------------------------


def shown_dialog(dialog: QDialog, qtbot: QtBot) -> None:
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()


def test_what_went_and_what_came_is_said_in_words_and_signs(application: QApplication, qtbot: QtBot) -> None:
    text = DifferenceText()
    qtbot.addWidget(text)
    text.show_changes(difference().changes)
    lines = [line for line in text.toPlainText().splitlines() if line.strip()]
    assert lines == [
        "How it works",
        "− Before",
        "The mirror weighs less than a grain and turns on a silk fibre, so that a beam of light moves across"
        " the scale.",
        "+ Now",
        "The mirror weighs about 60 milligrams and turns on a silk fibre, so that a beam of light moves across"
        " the scale.",
        "+ Added",
        "A torch and a shaving mirror show the same thing on a kitchen wall.",
        "Where to see one",
        "− Removed",
        "The museum in Valentia shows one on the first Sunday of each month.",
        "→ Moved here",
        "Porthcurno has two.",
    ]
    for words, struck, underlined in (
        ("less than a grain", True, False),
        ("about 60 milligrams", False, True),
        ("silk fibre", False, False),
    ):
        found = text.document().find(words)
        assert (found.charFormat().fontStrikeOut(), found.charFormat().fontUnderline()) == (
            struck,
            underlined,
        )


def test_it_follows_the_theme(
    application: QApplication, qtbot: QtBot, themed: Callable[[bool], None]
) -> None:
    dialog = DifferenceDialog(difference())
    shown_dialog(dialog, qtbot)
    before = dialog.text.document().find("about 60").charFormat().foreground().color()
    themed(True)
    after: QTextCursor = dialog.text.document().find("about 60")
    assert after.charFormat().foreground().color() == colour("ok") != before


def test_isolates_around_changed_words_stay_and_overrides_are_marked(
    application: QApplication, qtbot: QtBot
) -> None:
    text = DifferenceText()
    qtbot.addWidget(text)
    pieces = (Piece("same", "In \u2067"), Piece("added", "חיפה"), Piece("same", "\u2069 \u202eb\u202c."))
    text.show_changes([TextChange("added", "", after=pieces)])
    assert "In \u2067חיפה\u2069 \ufffdb\ufffd." in text.toPlainText()
    assert text.document().find("חיפה").charFormat().fontUnderline()


def test_a_flood_of_changes_is_counted(application: QApplication, qtbot: QtBot) -> None:
    text = DifferenceText()
    qtbot.addWidget(text)
    one = TextChange("added", "", after=(Piece("added", "x"),))
    text.show_changes([one] * (MOST_SHOWN + 1234))
    assert text.toPlainText().count("+ Added") == MOST_SHOWN
    assert "1,234 more changes are not listed." in text.toPlainText()


def test_other_texts_are_chosen_and_asked_for(application: QApplication, qtbot: QtBot) -> None:
    dialog = DifferenceDialog(difference(4))
    shown_dialog(dialog, qtbot)
    assert dialog.accessibleDescription() == "1 paragraph changed, 1 added, 1 removed, 1 moved"
    menu = dialog.menu(dialog.before_button)
    assert [one.isEnabled() for one in menu.actions()] == [False, True, True, True]  # the newest is the other
    assert [one.isChecked() for one in menu.actions()] == [False, True, False, False]
    with qtbot.waitSignal(dialog.compare_requested) as asked:
        menu.actions()[3].trigger()
    assert asked.args == [DOCUMENT, version(1).id, version(4).id]
    with qtbot.waitSignal(dialog.compare_requested) as asked:
        dialog.menu(dialog.after_button).actions()[2].trigger()
    assert asked.args == [DOCUMENT, version(3).id, version(2).id]
    with qtbot.waitSignal(dialog.open_requested) as asked:
        QTest.mouseClick(dialog.read_button, LEFT)
    assert asked.args == [SpanReference(DOCUMENT, version(3).id, 0, 0)]


def test_equal_words_are_said_to_be_equal(application: QApplication, qtbot: QtBot) -> None:
    given = difference()
    same = TextDifference(DOCUMENT, given.title, given.versions, given.before, given.after, ())
    dialog = DifferenceDialog(same)
    shown_dialog(dialog, qtbot)
    assert not dialog.text.isVisible()
    assert dialog._nothing.isVisible()
    dialog.show_difference(given)
    assert dialog.text.isVisible()
    assert not dialog._nothing.isVisible()


def test_what_happened_is_reported_newest_first(application: QApplication, qtbot: QtBot) -> None:
    dialog = HistoryDialog(history())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    shown_dialog(dialog, qtbot)
    reported = [value.toPlainText() for _name, value in dialog.events._lines]
    assert reported[0] == "Ready"
    assert reported[4] == "Failed: The site did not answer in 30 s. It is tried again automatically."
    assert reported[-1] == "Added to the library"


# -- In the window ------------------------------------------------------------------------------------------------


def dialogs(shown: Shown) -> list[DifferenceDialog]:
    return [one for one in shown.window.findChildren(DifferenceDialog) if one.isVisible()]


def test_the_window_asks_and_shows(shown: Shown, qtbot: QtBot) -> None:
    shown.fill()
    shown.window.library.list.choose(0)
    selected = shown.do.calls_of("versions.fetch")[-1]
    assert selected == shown.do.calls_of("documents.fetch_details")[-1]
    section = shown.window.library.inspector.versions
    section.difference_requested.emit(DOCUMENT)
    shown.do.part("refreshing").difference_wanted.emit(DOCUMENT)
    assert shown.do.calls_of("versions.compare") == [(DOCUMENT,)] * 2
    shown.window.research.reader.difference_requested.emit(DOCUMENT, version(1).id)
    moved = next(row for row in citations() if row.state is CitationState.MOVED)
    shown.window.research.citations.list.difference_requested.emit(moved)
    assert shown.do.calls_of("versions.compare")[2:] == [
        (DOCUMENT, version(1).id),
        (moved.document_id, moved.version_id),
    ]
    shown.do.part("versions").difference.emit(difference())
    (dialog,) = dialogs(shown)
    shown.do.part("versions").difference.emit(difference(4))
    assert dialogs(shown) == [dialog]  # it shows the other one
    assert dialog.before_button.text() == "Version 3, 3 October 2025"
    dialog.compare_requested.emit(DOCUMENT, version(1).id, version(4).id)
    assert shown.do.calls_of("versions.compare")[-1] == (DOCUMENT, version(1).id, version(4).id)
    dialog.open_requested.emit(SpanReference(DOCUMENT, version(1).id, 0, 0))
    assert shown.do.calls_of("reading.open_span") == [(SpanReference(DOCUMENT, version(1).id, 0, 0),)]
    assert shown.window.research.is_full
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not isValid(dialog))
    shown.do.part("versions").history.emit(history())
    (reported,) = [one for one in shown.window.findChildren(HistoryDialog) if one.isVisible()]
    reported.close()
