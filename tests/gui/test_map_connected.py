"""The Map in the whole window: its keys, where it is entered from, what it asks for, and back from the reader."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from tests.support.maps import APPENDIX, ASKING, ENDED, PREVIEW, REPLY, REPORT, RUNNING, links
from tests.support.shown import QUESTION, named_id, results
from tests.support.whole_window import Shown
from webrag_desktop.gui.data.map import NO_EXPANSION, ThinCoverage
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.map.map_view import MapView
from webrag_desktop.gui.shell.connections.commands import KeysDialog
from webrag_desktop.gui.shell.main_window import MAP, RESEARCH

CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
THIN = ThinCoverage(QUESTION, "Nothing you have holds “gutta-percha”.")


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


@pytest.fixture
def view(shown: Shown) -> MapView:
    return shown.window.map


def expanding(shown: Shown) -> Any:
    return shown.do.part("expanding")


def looked(shown: Shown) -> list[tuple[object, ...]]:
    return shown.do.calls_of("expanding.preview")


def asked(shown: Shown) -> None:
    """A question was asked, and looked at in its turn."""
    shown.ask()
    shown.qtbot.waitUntil(lambda: looked(shown) == [(QUESTION,)])
    expanding(shown).expansion.emit(PREVIEW)


# -- Where it is entered ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["key", "switch", "menu"])
def test_the_map_is_the_third_view(shown: Shown, view: MapView, by: str) -> None:
    if by == "key":
        shown.press(Qt.Key.Key_3, CONTROL)
    elif by == "switch":
        segment = shown.window.views.findChildren(type(shown.window.views._group.button(2)))[2]
        QTest.mouseClick(segment, Qt.MouseButton.LeftButton)
    else:
        next(action for action in shown.window.actions() if action.text() == "Map").trigger()
    assert shown.window.view == MAP
    assert view.isVisible()
    assert shown.window.views.current() == MAP
    assert not shown.window.sidebar.isVisible()  # the map has the whole width
    shown.press(Qt.Key.Key_1, CONTROL)
    assert shown.window.sidebar.isVisible()


def test_its_keys_are_among_those_that_one_can_learn(shown: Shown) -> None:
    next(action for action in shown.window.actions() if action.text() == "Keyboard…").trigger()
    dialog = shown.window.findChild(KeysDialog)
    assert dialog is not None
    said = [label.accessibleName() for label in dialog.findChildren(Label)]
    assert any(line.startswith("Tick a page to fetch") for line in said)
    dialog.close()


def test_a_question_is_looked_at_once_its_passages_are_there(shown: Shown) -> None:
    shown.do.part("searching").started.emit(QUESTION)
    assert looked(shown) == []
    shown.answer(results())
    shown.qtbot.waitUntil(lambda: looked(shown) == [(QUESTION,)])


def test_opening_the_map_does_not_wait(shown: Shown) -> None:
    shown.connections.map._preview_timer.setInterval(60_000)
    shown.ask()
    shown.press(Qt.Key.Key_3, CONTROL)
    assert looked(shown) == [(QUESTION,)]


def test_thin_passages_offer_to_look_further(shown: Shown, view: MapView) -> None:
    asked(shown)
    strip = shown.window.research.results.further
    assert not strip.isVisible()
    expanding(shown).coverage.emit(THIN)
    assert strip.isVisible()
    assert THIN.explanation in strip.accessibleName()
    assert strip.button.text() == "Look further"
    QTest.mouseClick(strip.button, Qt.MouseButton.LeftButton)
    assert shown.window.view == MAP
    assert view.fetching.list.hasFocus()
    assert shown.do.calls_of("expanding.fetch") == []  # nothing was fetched by that


def test_the_offer_goes_with_the_next_question_and_is_not_made_for_another(shown: Shown) -> None:
    asked(shown)
    strip = shown.window.research.results.further
    expanding(shown).coverage.emit(THIN)
    shown.do.part("searching").started.emit("something else")
    assert not strip.isVisible()
    shown.answer(results(query="something else"))
    expanding(shown).coverage.emit(THIN)
    assert not strip.isVisible()
    expanding(shown).coverage.emit(replace(THIN, question="something else"))
    assert strip.isVisible()
    expanding(shown).coverage.emit(None)
    assert not strip.isVisible()


# -- What it asks for ---------------------------------------------------------------------------------------------


def test_the_keyboard_alone_ticks_fetches_and_stops(shown: Shown, view: MapView) -> None:
    asked(shown)
    shown.press(Qt.Key.Key_3, CONTROL)
    assert view.fetching.list.hasFocus()
    shown.press(Qt.Key.Key_Space)
    for _ in range(6):
        if view.fetching.fetch.hasFocus():
            break
        shown.press(Qt.Key.Key_Tab)
    assert view.fetching.fetch.hasFocus()
    shown.press(Qt.Key.Key_Space)
    ((fetched,),) = shown.do.calls_of("expanding.fetch")
    assert f"https://{APPENDIX}" not in fetched  # type: ignore[operator]
    assert f"https://{REPLY}" in fetched  # type: ignore[operator]
    expanding(shown).expansion.emit(RUNNING)
    assert view.fetching.opened.hasFocus()  # what had the keyboard is gone
    shown.press(Qt.Key.Key_Escape)
    assert shown.do.calls_of("expanding.stop") == [()]


def test_escape_stops_nothing_that_does_not_run(shown: Shown) -> None:
    asked(shown)
    shown.press(Qt.Key.Key_3, CONTROL)
    shown.press(Qt.Key.Key_Escape)
    assert shown.do.calls_of("expanding.stop") == []


def test_rules_are_known_from_the_start_and_chosen(shown: Shown, view: MapView) -> None:
    assert shown.do.calls_of("expanding.emit_rules") == [()]
    asked(shown)
    expanding(shown).rules.emit({"archive.org": "fetch"})
    assert view.fetching.sites.buttons()[0].text() == "Fetch without asking"
    view.fetching.sites.menu("archive.org").actions()[2].trigger()
    assert shown.do.calls_of("expanding.set_rule") == [("archive.org", "never")]


def test_after_a_run_the_passages_are_looked_for_again_and_the_run_stays(shown: Shown, view: MapView) -> None:
    asked(shown)
    expanding(shown).expansion.emit(ENDED)
    expanding(shown).ended.emit("another question")
    assert shown.do.calls_of("searching.again") == []
    expanding(shown).ended.emit(QUESTION)
    assert shown.do.calls_of("searching.again") == [()]
    shown.answer(results())
    shown.connections.map._preview_timer.timeout.emit()  # its time has come
    assert looked(shown) == [(QUESTION,)]
    shown.window.research.results.further_requested.emit(QUESTION)
    assert looked(shown) == [(QUESTION,), (QUESTION,)]  # the user wants to go on from there


def test_earlier_expansions_are_asked_for_and_shown(shown: Shown, view: MapView) -> None:
    asked(shown)
    shown.press(Qt.Key.Key_3, CONTROL)
    QTest.mouseClick(view.earlier, Qt.MouseButton.LeftButton)
    assert shown.do.calls_of("expanding.fetch_earlier") == [()]
    view.earlier_chosen.emit(named_id("run"))
    assert shown.do.calls_of("expanding.show_kept") == [(named_id("run"),)]


def test_all_pages_are_asked_for_when_they_are_looked_at(shown: Shown, view: MapView) -> None:
    shown.press(Qt.Key.Key_3, CONTROL)
    assert shown.do.calls_of("link_map.fetch") == []
    segment = view.modes._group.button(1)
    QTest.mouseClick(segment, Qt.MouseButton.LeftButton)
    assert shown.do.calls_of("link_map.fetch") == [(False,)]
    shown.do.part("link_map").links.emit(links(40, 4))
    assert view.linking.list.pages.rowCount() == 40
    assert view.linking.list.hasFocus()
    shown.press(Qt.Key.Key_1, CONTROL)
    shown.press(Qt.Key.Key_3, CONTROL)
    assert shown.do.calls_of("link_map.fetch") == [(False,), (False,)]  # it may have grown
    QTest.mouseClick(view.linking.navigation, Qt.MouseButton.LeftButton)
    assert shown.do.calls_of("link_map.fetch")[-1] == (True,)
    shown.press(Qt.Key.Key_1, CONTROL)
    shown.press(Qt.Key.Key_3, CONTROL)
    assert shown.do.calls_of("link_map.fetch")[-1] == (True,)


# -- The reader and back ------------------------------------------------------------------------------------------


def test_a_page_is_read_and_back_is_the_map(shown: Shown, view: MapView) -> None:
    asked(shown)
    expanding(shown).expansion.emit(ASKING)
    shown.press(Qt.Key.Key_3, CONTROL)
    view.canvas.chosen.emit(f"https://{REPORT}")
    assert shown.do.calls_of("reading.open_document") == [(named_id(REPORT),)]
    assert shown.window.view == RESEARCH
    assert shown.window.research.is_full
    shown.press(Qt.Key.Key_Left, ALT)
    assert shown.window.view == MAP
    assert view.fetching.list.hasFocus()
    shown.press(Qt.Key.Key_Left, ALT)
    assert shown.window.view == RESEARCH


def test_f6_walks_to_the_lists(shown: Shown, view: MapView) -> None:
    asked(shown)
    shown.press(Qt.Key.Key_3, CONTROL)
    shown.window.query.focus()
    for _ in range(4):
        shown.press(Qt.Key.Key_F6)
        if view.fetching.list.hasFocus():
            break
    assert view.fetching.list.hasFocus()


def test_a_map_of_nothing_says_what_to_do(shown: Shown, view: MapView) -> None:
    shown.press(Qt.Key.Key_3, CONTROL)
    view.show_expansion(NO_EXPANSION, {})
    assert view._empty.isVisible()
    (action,) = view._empty.findChildren(QPushButton)
    QTest.mouseClick(action, Qt.MouseButton.LeftButton)
    assert view.mode == "links"
    assert not view._empty.isVisible()
