"""One report of a batch that was added: it fills while the batch runs, names what cannot be added, and leads on."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.support.gui_library import MILLISECONDS, Address, Heard, open_operations, settings_for
from tests.support.pages import Page, PageServer
from webrag_desktop.gui.adding.dropped import at_first_sight, from_text
from webrag_desktop.gui.adding.report_dialog import ReportDialog
from webrag_desktop.gui.data.import_report import ImportReport, ReportRow
from webrag_desktop.gui.data.view_data import Listing
from webrag_desktop.gui.kit.widgets.messages import Toast
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.window import Connections
from webrag_desktop.gui.shell.main_window import MainWindow

Clone = Callable[[str], Address]


def page(number: int) -> Page:
    text = f"<title>Page {number}</title><p>Cable number {number} is of copper and lies in the sea.</p>"
    return Page(f"<!doctype html><html><body>{text}</body></html>".encode())


@pytest.fixture
def pages() -> Iterator[PageServer]:
    with PageServer({f"/{number}": page(number) for number in range(12)}) as served:
        yield served


@pytest.fixture
def do(clone: Clone, migrated_template: str, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    settings = settings_for(clone(migrated_template), tmp_path / "home")
    with open_operations(settings, qtbot) as made:
        yield made


@pytest.fixture
def window(application: QApplication, do: Operations, qtbot: QtBot) -> Iterator[MainWindow]:
    made = MainWindow()
    qtbot.addWidget(made)
    made.resize(1440, 900)
    connections = Connections(made, do)
    with qtbot.waitExposed(made):
        made.show()
    connections.start()
    do.documents.list_documents(Listing())
    yield made
    do.undo.finish_all()
    made.hide()


def report_of(window: MainWindow) -> ReportDialog:
    (dialog,) = window.findChildren(ReportDialog)
    return dialog


def buttons(toast: Toast) -> list[str]:
    return [button.text().split("   ")[0] for button in toast.findChildren(QPushButton)]


def test_a_batch_with_failures_is_one_sentence_and_one_report_that_fills(
    window: MainWindow,
    do: Operations,
    pages: PageServer,
    qtbot: QtBot,
    themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path],
) -> None:
    reports, failures = Heard(do.documents.report), Heard(do.documents.failed)
    links = [pages.url(f"/{number}") for number in range(12)]
    missing = [pages.url(f"/missing/{number}") for number in range(4)]
    text = "\n".join([*links, *missing, "Notes on the cable of 1858", "/home/ada/cable/plan.dwg"])
    QApplication.clipboard().setText(text)
    QTest.keyClick(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(window.findChildren(Toast)), timeout=MILLISECONDS)
    (toast,) = window.findChildren(Toast)
    assert toast.accessibleName().startswith("16 links added.")
    assert buttons(toast) == ["Show report", "Undo"]
    next(one for one in toast.findChildren(QPushButton) if one.text() == "Show report").click()
    dialog = report_of(window)
    qtbot.waitUntil(
        lambda: reports.last.open == 0 and sum(len(row.ids) for row in reports.last.needs) == 4,
        timeout=MILLISECONDS,
    )
    last = reports.last
    assert (last.added, last.ready) == (12, 12)
    assert any("Notes on the cable of 1858" in row.reason for row in last.needs)
    together = last.needs[0]
    assert together.title.startswith("4 documents from ")
    assert together.ways[0] == "retry"
    assert "404" in together.reason
    shown = [line.row for line in dialog.lines]
    assert shown == list(last.needs)
    assert not failures.all  # no dialog
    assert [one for one in window.findChildren(QDialog) if one.isVisible()] == [dialog]
    for dark in (False, True):
        themed(dark)
        picture(dialog, f"import-report{'-dark' if dark else ''}")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(window.library.strip.report_button.isVisible, timeout=MILLISECONDS)
    window.library.strip.report_button.click()  # it can be opened again
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(ReportDialog)))


def test_a_failed_page_is_tried_again_from_the_report(
    window: MainWindow, do: Operations, pages: PageServer, qtbot: QtBot
) -> None:
    reports = Heard(do.documents.report)
    do.documents.add((pages.url("/late"),))
    qtbot.waitUntil(lambda: bool(reports.all) and bool(reports.last.needs), timeout=MILLISECONDS)
    window.library.strip.report_requested.emit()
    dialog = report_of(window)
    (line,) = dialog.lines
    assert line.accessibleName().count("404") >= 1
    pages.pages["/late"] = page(99)
    line.buttons["retry"].setFocus()
    QTest.keyClick(line.buttons["retry"], Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: reports.last.ready == 1 and not reports.last.needs, timeout=MILLISECONDS)
    assert not dialog.lines


def test_what_was_here_already_is_shown_in_the_list(
    window: MainWindow, do: Operations, pages: PageServer, qtbot: QtBot
) -> None:
    reports = Heard(do.documents.report)
    do.documents.add((pages.url("/1"),))
    qtbot.waitUntil(lambda: bool(reports.all) and reports.last.ready == 1, timeout=MILLISECONDS)
    do.documents.add((pages.url("/1"), "nonsense:thing"))
    qtbot.waitUntil(lambda: bool(reports.last.here), timeout=MILLISECONDS)
    assert (reports.last.present, reports.last.attention) == (1, 1)
    window.library.strip.report_requested.emit()
    line = next(one for one in report_of(window).lines if "show" in one.buttons)
    line.buttons["show"].click()
    qtbot.waitUntil(lambda: window.library.list.chosen_id == line.row.ids[0], timeout=MILLISECONDS)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("just some words", ["just some words"]),
        ("https://a.example/\nhtp//broken", ["htp//broken"]),
        ("See https://a.example/ for it", []),
        ("\n".join(f"Line {number} of prose" for number in range(9)), ["9 lines hold no link"]),
    ],
)
def test_text_that_is_no_link_is_named_by_its_first_words(
    application: QApplication, text: str, named: list[str]
) -> None:
    mime = QMimeData()
    mime.setText(text)
    found = at_first_sight(mime)
    assert len(found.unlinked) == len(named)
    assert all(name in one.reason for name, one in zip(named, found.unlinked, strict=True))
    assert from_text(text).unlinked == ()  # the dialog says it by the line


def test_a_report_is_read_by_keyboard_and_by_name(application: QApplication, qtbot: QtBot) -> None:
    dialog = ReportDialog()
    qtbot.addWidget(dialog)
    rows = tuple(
        ReportRow(
            f"Page {at}",
            "The site asks for a sign-in (403)",
            "",
            given=(f"https://a.example/{at}",),
            ways=("copy",),
        )
        for at in range(3)
    )
    dialog.show_report(ImportReport(added=198, ready=190, open=8, present=9, attention=3, needs=rows))
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert dialog.accessibleName() == "Adding documents"
    assert dialog.done_button.hasFocus()
    assert dialog.lines[1].buttons["copy"].accessibleName() == "Copy: Page 1"
    dialog.lines[1].buttons["copy"].setFocus()
    QTest.keyClick(dialog.lines[1].buttons["copy"], Qt.Key.Key_Return)
    assert QApplication.clipboard().text() == "https://a.example/1"
    dialog.show_report(ImportReport(added=199, ready=199, attention=2, needs=(rows[0], rows[2])))
    assert dialog.accessibleName() == "Import finished"
    assert dialog.lines[1].buttons["copy"].hasFocus()  # the keyboard stays in its place
    dialog.copy_button.click()
    assert "https://a.example/2\tThe site asks for a sign-in (403)" in QApplication.clipboard().text()
