from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QPushButton, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.support.documents import (
    QUEUED,
    REPORT,
    SCAN,
    SIGN_IN,
    STOPPED,
    batch,
    details,
    document,
    figures,
    filling,
    keys,
    ready,
)
from webrag_desktop.gui.data.view_data import DocumentNews, Failure, Listing
from webrag_desktop.gui.library.inspector import Inspector
from webrag_desktop.models.metadata import DocumentMetadata

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
MANY = ready(20)
MANY_IDS = [row.id for row in MANY]
FAILURE = Failure(
    message="The database did not start.",
    hint="Your documents are safe. Free some disk space, then try again.",
    details="could not write lock file: No space left on device",
)


@pytest.fixture
def library(application: QApplication, qtbot: QtBot) -> ServedLibrary:
    return ServedLibrary(qtbot)


def texts(widget: QWidget) -> list[str]:
    """Every word that is shown, of labels and selectable text."""
    labels = [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]
    return labels + [text.toPlainText() for text in widget.findChildren(QTextEdit) if text.isVisible()]


def button(widget: QWidget, text: str) -> QPushButton:
    return next(one for one in widget.findChildren(QPushButton) if one.text() == text and one.isVisible())


# -- Pages ------------------------------------------------------------------------------------------------------


def test_an_empty_library_says_what_to_do_and_begins_there(library: ServedLibrary) -> None:
    library.view.show_listing(Listing(), [])
    library.view.focus_first()
    zone = library.view.empty.zone
    assert zone.isVisible()
    assert zone.paste.hasFocus()
    assert "Drop links or files here" in texts(zone)
    with library.qtbot.waitSignal(library.view.paste_requested):
        QTest.keyClick(zone.paste, Qt.Key.Key_Space)
    with library.qtbot.waitSignal(library.view.files_requested):
        QTest.mouseClick(zone.files, Qt.MouseButton.LeftButton)


def test_the_keyboard_goes_from_the_drop_zone_to_the_first_document(library: ServedLibrary) -> None:
    library.view.show_listing(Listing(), [])
    library.view.focus_first()
    library.give(MANY)
    assert library.table.hasFocus()
    assert library.table.chosen_id == MANY[0].id


def test_the_keyboard_begins_at_the_documents_again_not_in_the_filter(library: ServedLibrary) -> None:
    library.view.filter.setFocus()
    library.view.show_opening("Opening your library", "Starting the database", None)
    library.give(MANY)
    assert library.table.hasFocus()


def test_the_first_documents_have_the_keyboard_also_where_a_dialog_led_to_them(
    library: ServedLibrary,
) -> None:
    library.view.show_listing(Listing(), [])
    library.view.focus_first()
    dialog = QDialog(library.view)
    dialog.open()
    library.qtbot.waitUntil(dialog.isActiveWindow)
    library.give(MANY)
    dialog.accept()
    library.view.activateWindow()
    library.qtbot.waitUntil(library.view.isActiveWindow)
    assert library.table.hasFocus()
    assert library.table.chosen_id == MANY[0].id


def test_the_keyboard_waits_for_what_comes(library: ServedLibrary) -> None:
    library.view.focus_first()
    library.view.show_opening("Opening your library", "Starting the database", None)
    library.give(MANY)
    assert library.table.hasFocus()
    assert library.table.chosen_id == MANY[0].id
    library.view.show_opening("Opening your library", "Starting the database", None)
    library.view.show_listing(Listing(), [])
    assert library.view.empty.zone.paste.hasFocus()


def test_the_keyboard_stays_where_it_is_when_documents_come(library: ServedLibrary) -> None:
    other = QLineEdit()
    library.qtbot.addWidget(other)
    other.setParent(library.view.header)
    other.show()
    library.view.show_listing(Listing(), keys(MANY_IDS))
    other.setFocus()
    library.view.show_listing(Listing(), keys(MANY_IDS[1:]))
    assert other.hasFocus()


def test_a_long_site_fits_into_the_pane(library: ServedLibrary) -> None:
    library.give([document("A page", "a-very-long-subdomain.of-some.private.cablehistory.example")])
    library.view.focus_first()
    inner = library.view.inspector.widget()
    assert inner is not None
    assert inner.width() <= library.view.inspector.viewport().width()
    assert inner.minimumSizeHint().width() <= library.view.inspector.viewport().width()


def test_opening_shows_what_is_done_and_failing_what_to_do(library: ServedLibrary) -> None:
    library.view.show_opening("Making your library", "Creating the database", None)
    opening = library.view.opening
    assert opening.isVisible()
    assert {"Making your library", "Creating the database"} <= set(texts(opening))
    library.view.show_failure(FAILURE, "Try again")
    library.view.focus_first()
    assert {FAILURE.message, FAILURE.hint} <= set(texts(opening))
    assert "Making your library" not in texts(opening)
    act = button(opening, "Try again")
    assert act.hasFocus()
    with library.qtbot.waitSignal(library.view.failure_acted):
        QTest.keyClick(act, Qt.Key.Key_Space)
    QTest.mouseClick(button(opening, "Copy details"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == FAILURE.details


@pytest.mark.parametrize(
    ("listing", "title", "says"),
    [
        (Listing("open"), "In progress", "Nothing is in progress."),
        (Listing("attention"), "Needs attention", "Nothing needs attention."),
        (Listing("site", "archive.org"), "archive.org", "No documents from archive.org."),
    ],
)
def test_an_empty_group_says_so(library: ServedLibrary, listing: Listing, title: str, says: str) -> None:
    library.view.show_figures(figures())
    library.view.show_listing(listing, [])
    shown = texts(library.view)
    assert title in shown
    assert says in shown
    assert not library.view.inspector.isVisible()
    library.view.focus_first()
    assert library.view.details_button.hasFocus()


def test_the_header_counts(library: ServedLibrary) -> None:
    library.give(MANY)
    assert {"All documents", "20 documents"} <= set(texts(library.view.header))
    library.view.hide_documents([row.id for row in MANY[1:]])
    assert "1 document" in texts(library.view.header)


def test_details_are_shown_and_hidden_and_that_is_remembered(library: ServedLibrary, qtbot: QtBot) -> None:
    library.give(MANY)
    library.view.focus_first()
    assert library.view.inspector.isVisible()
    library.key(Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert not library.view.inspector.isVisible()
    saved = library.view.saved_layout()
    other = ServedLibrary(qtbot)
    other.view.restore_layout(saved)
    other.give(MANY)
    assert not other.view.inspector.isVisible()
    other.view.restore_layout({})
    assert other.view.inspector.isVisible()


# -- The inspector ----------------------------------------------------------------------------------------------


def test_the_inspector_says_first_what_a_document_is_good_for(library: ServedLibrary) -> None:
    library.give(filling())
    with library.qtbot.waitSignal(library.view.document_selected) as selected:
        library.view.focus_first()
    assert selected.args == [REPORT.id]
    library.view.show_details(details())
    shown = texts(library.view.inspector)
    for said in (
        REPORT.title,
        "PDF, 31 MB",
        "You can already search its words",
        "Search by meaning comes next.",
        "402,118 tokens",
        "847 of 2,118",
        "31 MB as received",
        "48 MB with text and index",
        "English",
        "1861",
        REPORT.address,
        details().first_words,
    ):
        assert said in shown, said


@pytest.mark.parametrize(
    ("date", "guessed", "said"),
    [
        ("2021", False, "2021"),
        ("2021-05", False, "May 2021"),
        ("2021-05-03", True, "3 May 2021 (guessed)"),
        ("2021-05-03T10:00:00+02:00", False, "3 May 2021"),
        ("last spring", False, "last spring"),
    ],
)
def test_the_inspector_says_dates_as_exactly_as_they_are_known(
    library: ServedLibrary, date: str, guessed: bool, said: str
) -> None:
    library.give(filling())
    library.view.focus_first()
    library.view.show_details(
        replace(details(), metadata=DocumentMetadata(modified_time=date, modified_guessed=guessed))
    )
    assert said in texts(library.view.inspector)


@pytest.mark.parametrize(("title", "path"), [("My notes.md", ""), ("On tides", "/My notes.md")])
def test_the_inspector_says_where_a_file_lies_as_people_write_it(
    library: ServedLibrary, title: str, path: str
) -> None:
    row = document(title, "~/Papers", kind="markdown", address="file:///home/ada/Papers/My%20notes.md")
    row = replace(row, path=path)
    library.give([row])
    library.view.focus_first()
    library.view.show_details(details(row))
    assert "~/Papers/My notes.md" in texts(library.view.inspector)


def test_the_inspector_links_to_where_a_page_was_saved_from(library: ServedLibrary) -> None:
    library.give(filling())
    library.view.focus_first()
    address = "https://archive.org/details/report"
    library.view.show_details(
        replace(
            details(),
            metadata=DocumentMetadata(saved_from=address, page_count=542),
            canonical=REPORT.address,
        )
    )
    assert "PDF, 542 pages, 31 MB" in texts(library.view.inspector)
    (link,) = [
        one
        for one in library.view.inspector.findChildren(QPushButton)
        if one.isVisible() and address in one.accessibleName()
    ]
    assert link.accessibleName() == f"Saved from: {address}, open in browser"
    with library.qtbot.waitSignal(library.view.browser_requested) as opened:
        QTest.mouseClick(link, Qt.MouseButton.LeftButton)
    assert opened.args == [address]


def test_an_address_that_a_file_claims_is_shown_only_if_a_browser_may_open_it(library: ServedLibrary) -> None:
    library.give(filling())
    library.view.focus_first()
    library.view.show_details(
        replace(
            details(),
            metadata=DocumentMetadata(saved_from="javascript:alert(1)"),
            canonical="file:///etc/passwd",
        )
    )
    names = " ".join(one.accessibleName() for one in library.view.inspector.findChildren(QPushButton))
    assert "javascript" not in names
    assert "passwd" not in names


def test_details_of_another_document_come_too_late(library: ServedLibrary) -> None:
    library.give(filling())
    library.table.choose(1)
    library.view.show_details(details(REPORT))
    assert REPORT.title not in texts(library.view.inspector)
    assert details().first_words not in texts(library.view.inspector)


def test_the_inspector_follows_the_work(library: ServedLibrary) -> None:
    library.give([REPORT])
    library.view.focus_first()
    library.view.show_details(details())
    library.view.apply_news([DocumentNews(REPORT.id, "embedding", 2000, 2118)])
    library.qtbot.waitUntil(lambda: "2,000 of 2,118" in texts(library.view.inspector))
    library.rows[REPORT.id] = replace(REPORT, state="ready", done=None, total=None)
    with library.qtbot.waitSignal(library.view.document_selected) as again:
        library.view.apply_news([DocumentNews(REPORT.id, "ready")])
    assert again.args == [REPORT.id], "its details changed with its state"
    assert "You can already search its words" not in texts(library.view.inspector)


@pytest.mark.parametrize("row", [SIGN_IN, SCAN, STOPPED])
def test_a_failed_or_stopped_document_can_be_retried_from_the_inspector(
    library: ServedLibrary, row: object
) -> None:
    rows = [SIGN_IN, SCAN, STOPPED]
    library.give(rows)
    chosen = next(one for one in rows if one is row)
    library.table.choose(rows.index(chosen))
    shown = texts(library.view.inspector)
    assert all(said in shown for said in (chosen.reason, chosen.hint) if said)
    with library.qtbot.waitSignal(library.view.retry_requested) as retried:
        QTest.mouseClick(button(library.view.inspector, "Retry"), Qt.MouseButton.LeftButton)
    assert retried.args == [(chosen.id,)]


def test_a_site_leads_to_the_page_and_a_folder_nowhere(library: ServedLibrary) -> None:
    library.give([REPORT, SCAN])
    library.view.focus_first()
    with library.qtbot.waitSignal(library.view.browser_requested) as asked:
        QTest.mouseClick(button(library.view.inspector, "archive.org"), Qt.MouseButton.LeftButton)
    assert asked.args == [REPORT.address]
    library.table.choose(1)
    assert "~/Papers" in texts(library.view.inspector)


def test_several_are_counted_with_what_can_be_done(library: ServedLibrary) -> None:
    library.give([SIGN_IN, MANY[0], MANY[1], QUEUED])
    library.view.focus_first()
    for _ in range(2):
        library.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    inspector = library.view.inspector
    assert {"3 documents selected", "2 ready, 1 failed"} <= set(texts(inspector))
    buttons = {one.text() for one in inspector.findChildren(QPushButton) if one.isVisible()}
    assert buttons == {"Retry", "Tags and collections…", "Remove"}
    with library.qtbot.waitSignal(library.view.remove_requested) as removed:
        QTest.mouseClick(button(inspector, "Remove"), Qt.MouseButton.LeftButton)
    assert set(removed.args[0]) == {SIGN_IN.id, MANY[0].id, MANY[1].id}


def test_nothing_selected_says_so(library: ServedLibrary) -> None:
    library.give(MANY)
    assert texts(library.view.inspector) == ["Select a document to see its details here."]


def test_a_long_address_wraps_and_the_pane_scrolls(library: ServedLibrary) -> None:
    long = document("Long", address="https://archive.org/" + "a" * 900)
    library.give([long])
    library.view.focus_first()
    library.view.resize(1200, 420)
    inspector = library.view.inspector
    library.qtbot.waitUntil(lambda: inspector.verticalScrollBar().maximum() > 0)
    assert inspector.horizontalScrollBar().maximum() == 0
    address = next(text for text in inspector.findChildren(QTextEdit) if text.toPlainText() == long.address)
    assert address.document().size().height() <= address.height() + 1
    assert address.document().idealWidth() <= address.viewport().width() + 1


def test_everything_in_the_inspector_has_a_name(library: ServedLibrary) -> None:
    library.give(filling())
    library.view.focus_first()
    library.view.show_details(details())
    inspector = library.view.inspector
    assert isinstance(inspector, Inspector)
    assert all(text.accessibleName() for text in inspector.findChildren(QTextEdit) if text.isVisible())
    assert library.view.details_button.accessibleName() == "Details (Ctrl+I)"


def test_a_switch_of_theme_changes_every_ink(library: ServedLibrary, themed: object) -> None:
    assert callable(themed)
    library.give(filling())
    library.view.focus_first()
    library.view.show_details(details())
    before = library.view.grab().toImage()
    texts_before = [text.palette().text().color() for text in library.view.inspector.findChildren(QTextEdit)]
    themed(True)
    dark = library.view.grab().toImage()
    assert dark.pixelColor(5, 5).lightness() < 60 < before.pixelColor(5, 5).lightness()
    inks = [text.palette().text().color() for text in library.view.inspector.findChildren(QTextEdit)]
    assert all(ink.lightness() > 100 for ink in inks)
    themed(False)
    again = [text.palette().text().color() for text in library.view.inspector.findChildren(QTextEdit)]
    assert again == texts_before


# -- The strip --------------------------------------------------------------------------------------------------


def test_the_strip_belongs_to_the_view(library: ServedLibrary) -> None:
    library.give(filling())
    library.view.show_batch(batch())
    strip = library.view.strip
    assert strip.isVisible()
    for text, signal in (
        ("Pause", library.view.pause_requested),
        ("Cancel", library.view.cancel_all_requested),
    ):
        with library.qtbot.waitSignal(signal):
            QTest.mouseClick(button(strip, text), Qt.MouseButton.LeftButton)
    library.view.show_batch(batch(paused=True))
    with library.qtbot.waitSignal(library.view.resume_requested):
        QTest.mouseClick(button(strip, "Resume"), Qt.MouseButton.LeftButton)
    library.view.show_batch(None)
    assert not strip.isVisible()


def test_copied_is_said(library: ServedLibrary) -> None:
    library.give(MANY)
    library.view.focus_first()
    spy = QSignalSpy(library.view.copied)
    library.key(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert spy.at(0) == ["Address copied"]
