"""The Map in the real window: a real library, a real site on loopback, pages fetched with the user's yes alone."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program
from tests.support.pages import PageServer
from tests.support.sites import ANSWER, QUESTION, manual, site
from tests.support.window_under_test import LONG, Opener, ask, settings_of, wait_ready
from webrag_desktop.gui.data.map import ShownExpansion
from webrag_desktop.gui.shell.main_window import MAP, RESEARCH

CONTROL = Qt.KeyboardModifier.ControlModifier
ENGINE = "/engine/"


@pytest.fixture
def pages() -> Iterator[PageServer]:
    with PageServer(site(manual())) as server:
        yield server


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key, modifiers)


def test_a_question_is_answered_two_links_away_with_the_user_s_yes(
    home: Program, opened: Opener, qtbot: QtBot, pages: PageServer
) -> None:
    seen = opened(settings_of(home.home))
    window, do = seen.window.view, seen.window.operations
    view, strip = window.map, window.research.results.further
    reported: list[ShownExpansion] = []
    do.expanding.expansion.connect(reported.append)
    do.documents.add([pages.url("/")])
    wait_ready(qtbot, seen, 1)
    asked_before = len(pages.requests)

    def fetched() -> list[str]:
        return [one.path for one in pages.requests[asked_before:] if one.path != "/robots.txt"]

    def tick_only(path: str) -> None:
        """Leave one page ticked, by the keyboard."""
        view.focus_first()
        pages_offered = view.fetching.list.pages
        press(Qt.Key.Key_Home)
        for page in pages_offered.pages:
            if pages_offered.is_ticked(page) != page.address.endswith(path):
                press(Qt.Key.Key_Space)
            press(Qt.Key.Key_Down)
        assert pages_offered.ticked == (pages.url(path),)

    ask(qtbot, seen, QUESTION)
    qtbot.waitUntil(strip.isVisible, timeout=LONG)
    QTest.mouseClick(strip.button, Qt.MouseButton.LeftButton)
    assert window.view == MAP
    assert fetched() == []
    tick_only(ENGINE)
    QTest.mouseClick(view.fetching.fetch, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: reported[-1].stage == "asking", timeout=LONG)
    assert fetched() == [ENGINE]
    tick_only(ANSWER)
    QTest.mouseClick(view.fetching.fetch, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: reported[-1].stage == "ended", timeout=LONG)
    assert fetched() == [ENGINE, ANSWER]
    end = reported[-1]
    assert (end.reason, end.covered, end.fetched, end.depth) == ("covered", True, 2, 3)
    by_address = {page.address: page for page in end.pages}
    answer = by_address[pages.url(ANSWER)]
    assert (answer.state, answer.parent) == ("gave", pages.url(ENGINE))
    assert answer.passages >= 1
    assert by_address[pages.url("/")].parent is None
    qtbot.waitUntil(
        lambda: any("412" in one.text for group in seen.results[-1].groups for one in group.passages)
    )
    qtbot.waitUntil(strip.isHidden)
    view.canvas.chosen.emit(answer.address)
    assert window.view == RESEARCH
    reader = window.research.reader
    qtbot.waitUntil(lambda: "412 hours" in reader._text.toPlainText(), timeout=LONG)

    press(Qt.Key.Key_3, CONTROL)
    do.expanding.fetch_earlier()
    reported.clear()
    do.expanding.show_kept(end.run_id)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: bool(reported), timeout=LONG)
    assert {page.address: page.state for page in reported[-1].pages} == {
        address: page.state for address, page in by_address.items()
    }
    view.mode_chosen.emit("links")
    qtbot.waitUntil(
        lambda: view.linking.list.pages.rowCount() == 2, timeout=LONG
    )  # its text links to one page
