"""What a site keeps from us: a page that waits for it, one that only a browser can get, and looking for changes."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.support.documents import QUEUED, REPORT, SCAN, SIGN_IN, ready
from webrag_desktop.gui.kit import quantities
from webrag_desktop.gui.library import document_words as words

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
LATER = datetime.now().astimezone().replace(hour=23, minute=59, second=0, microsecond=0)
WAITING = replace(
    QUEUED,
    queue_position=None,
    reason="The site asks to come back later (429)",
    hint="It is asked again by itself; everything else goes on.",
    waits_until=LATER,
    waits_for="site",
)


@pytest.fixture
def library(application: QApplication, qtbot: QtBot) -> ServedLibrary:
    return ServedLibrary(qtbot)


def texts(widget: QWidget) -> list[str]:
    labels = [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]
    return labels + [text.toPlainText() for text in widget.findChildren(QTextEdit) if text.isVisible()]


def buttons(widget: QWidget) -> dict[str, QPushButton]:
    return {one.text(): one for one in widget.findChildren(QPushButton) if one.isVisible()}


def test_a_page_that_waits_says_for_whom_and_until_when(library: ServedLibrary) -> None:
    library.give([WAITING])
    library.view.focus_first()
    assert words.state_words(WAITING) == "Waiting for the site, again at 23:59"
    model = library.view.list.documents
    said = str(model.index(0, 0, QModelIndex()).data(Qt.ItemDataRole.AccessibleTextRole))
    assert "Waiting for the site, again at 23:59" in said
    assert "The site asks to come back later (429)" in words.state_tooltip(WAITING)
    shown = texts(library.view.inspector)
    assert "The site asks to come back later (429)" in shown
    assert "The site is requested again at 23:59; everything else continues." in shown


def test_a_document_that_waits_for_this_computer_says_why(library: ServedLibrary) -> None:
    waiting = replace(WAITING, waits_for=None, reason="The disk is full, so nothing more can be saved.")
    library.give([waiting])
    library.view.focus_first()
    assert words.state_words(waiting) == "Waiting, again at 23:59"
    shown = texts(library.view.inspector)
    assert "The disk is full, so nothing more can be saved." in shown
    assert "It is tried again at 23:59; everything else continues." in shown


def test_a_document_that_waits_for_the_model_says_so(library: ServedLibrary) -> None:
    waiting = replace(WAITING, waits_for="model", reason="Nothing answers at http://localhost:11434.")
    library.give([waiting])
    library.view.focus_first()
    assert words.state_words(waiting) == "Waiting for the embedding model, again at 23:59"
    assert words.state_words(replace(waiting, waits_for="database")).startswith("Waiting for the database")
    shown = texts(library.view.inspector)
    assert "Nothing answers at http://localhost:11434." in shown
    assert "It is tried again at 23:59; everything else continues." in shown


def test_a_page_whose_site_does_not_answer_can_be_asked_for_at_once(library: ServedLibrary) -> None:
    silent = replace(WAITING, waits_for="site", reason="The site does not answer.", may_come_sooner=True)
    library.give([silent, replace(WAITING, id=REPORT.id, waits_for="site")])
    library.table.choose(0)
    with library.qtbot.waitSignal(library.view.retry_requested) as asked:
        QTest.mouseClick(buttons(library.view.inspector)["Retry"], Qt.MouseButton.LeftButton)
    assert asked.args == [(silent.id,)]
    library.table.choose(1)
    assert "Retry" not in buttons(library.view.inspector), "a site that asked for time gets it"


def test_a_document_that_could_not_be_looked_at_on_schedule_stays_ready_with_a_note(
    library: ServedLibrary,
) -> None:
    noted = replace(
        ready(1)[0], reason="Due for a refresh, but not refreshed: No page (404)", hint="As it was."
    )
    library.give([noted])
    library.view.focus_first()
    assert words.state_words(noted) == words.state_words(ready(1)[0])
    assert "No page (404)" in words.state_tooltip(noted)
    shown = texts(library.view.inspector)
    assert "Due for a refresh, but not refreshed: No page (404)" in shown
    assert "As it was." in shown
    assert "Retry" not in buttons(library.view.inspector)


def test_a_longer_wait_is_reported_with_its_day() -> None:
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    assert quantities.again_at(tomorrow).startswith("again on ")


def test_a_fetch_that_waits_between_two_attempts_says_so() -> None:
    fetching = replace(REPORT, state="fetching", reason="Waiting for the site", done=0, total=None)
    assert words.state_words(fetching) == "Waiting for the site"
    assert words.state_words(replace(fetching, reason=None)) == "Fetching"


def test_a_page_that_only_a_browser_gets_offers_to_open_one(library: ServedLibrary) -> None:
    library.give([SIGN_IN, SCAN])
    library.table.choose(0)
    assert SIGN_IN.hint in texts(library.view.inspector)
    with library.qtbot.waitSignal(library.view.browser_requested) as asked:
        QTest.mouseClick(buttons(library.view.inspector)["Open in browser"], Qt.MouseButton.LeftButton)
    assert asked.args == [SIGN_IN.address]
    library.table.choose(1)
    assert "Open in browser" not in buttons(library.view.inspector), "a file is no page"


def test_f5_checks_what_is_selected_and_at_rest(library: ServedLibrary) -> None:
    rows = [*ready(2), SIGN_IN, QUEUED]
    library.give(rows)
    library.view.focus_first()
    library.table.selectAll()
    with library.qtbot.waitSignal(library.view.refresh_requested) as asked:
        library.key(Qt.Key.Key_F5)
    assert set(asked.args[0]) == {row.id for row in rows[:3]}
    menu = library.view.list.actions_.menu(library.view)
    assert "Check for changes" in [action.text() for action in menu.actions()]


@pytest.mark.parametrize("dark", [False, True])
def test_pictures(
    library: ServedLibrary,
    application: QApplication,
    themed: Callable[[bool], None],
    picture: Callable[[QWidget, str], Path],
    dark: bool,
) -> None:
    themed(dark)
    library.give([WAITING, SIGN_IN, *ready(3)])
    library.table.choose(1 if dark else 0)
    application.processEvents()
    picture(library.view, f"library-waiting{'-dark' if dark else ''}")
