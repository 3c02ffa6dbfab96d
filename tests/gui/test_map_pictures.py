"""The Map in each of its states, light and dark; looked at beside the reference pictures."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.maps import ASKING, ENDED, PREVIEW, RIGHT_TO_LEFT, RUNNING, links, many
from tests.support.shown import QUESTION
from tests.support.whole_window import Shown
from webrag_desktop.gui.data.map import NO_EXPANSION, LinkMap, ShownExpansion, ThinCoverage
from webrag_desktop.gui.data.upkeep import StackPart, StackReport
from webrag_desktop.gui.data.view_data import LibraryFigures
from webrag_desktop.gui.map.map_view import MapView

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
Picture = Callable[[QWidget, str], Path]
STATES: dict[str, ShownExpansion | LinkMap] = {
    "nothing-asked": NO_EXPANSION,
    "preview": PREVIEW,
    "asking": ASKING,
    "running": RUNNING,
    "ended": ENDED,
    "right-to-left-titles": RIGHT_TO_LEFT,
    "300-pages": many(300),
    "links": links(120, 9),
    "links-2000": links(2000, 40),
}


PARTS = (
    StackPart("Database", "ready", "ok"),
    StackPart("Embedding", "nomic-embed-text", "ok"),
    StackPart("Chat", "llama3.1 8B", "ok"),
)
FIGURES = LibraryFigures(documents=1284, ready=1284, passages=96410, bytes_on_disk=2_100_000_000)


def show(qtbot: QtBot, state: ShownExpansion | LinkMap, size: tuple[int, int] = (1440, 820)) -> MapView:
    view = MapView()
    qtbot.addWidget(view)
    view.resize(*size)
    view.show()
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    if isinstance(state, LinkMap):
        view.show_mode("links")
        view.show_links(state)
        view.linking.list.choose(str(state.pages[3].document_id))
    else:
        view.show_expansion(state, {"cablehistory.org": "fetch"})
    view.focus_first()
    return view


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("state", STATES)
def test_states(
    application: QApplication,
    qtbot: QtBot,
    themed: Callable[[bool], None],
    picture: Picture,
    state: str,
    dark: bool,
) -> None:
    themed(dark)
    view = show(qtbot, STATES[state])
    application.processEvents()
    picture(view, f"map-{state}{'-dark' if dark else ''}")


@pytest.mark.parametrize("state", ["asking", "links"])
def test_a_narrow_window(application: QApplication, qtbot: QtBot, picture: Picture, state: str) -> None:
    view = show(qtbot, STATES[state], (960, 520))
    application.processEvents()
    picture(view, f"map-{state}-narrow")


@pytest.mark.parametrize("state", ["asking", "links"])
def test_a_large_font(application: QApplication, qtbot: QtBot, picture: Picture, state: str) -> None:
    usual = application.font()
    large = QFont(usual)
    large.setPixelSize(19)
    application.setFont(large)
    try:
        view = show(qtbot, STATES[state])
        application.processEvents()
        picture(view, f"map-{state}-large-font")
    finally:
        application.setFont(usual)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_whole_window(
    application: QApplication, qtbot: QtBot, themed: Callable[[bool], None], picture: Picture, dark: bool
) -> None:
    themed(dark)
    shown = Shown(qtbot)
    shown.do.part("documents").figures.emit(FIGURES)
    shown.do.part("stack").report.emit(StackReport(PARTS, "/home/ada/webrag"))
    shown.ask()
    shown.do.part("expanding").coverage.emit(
        ThinCoverage(QUESTION, "Nothing you have holds “fail”, which the question turns on.")
    )
    shown.do.part("expanding").expansion.emit(ASKING)
    picture(shown.window, f"map-look-further{'-dark' if dark else ''}")
    shown.window.research.results.further_requested.emit(QUESTION)
    legend = shown.window.map.legend
    qtbot.waitUntil(lambda: legend.height() == legend.minimumHeight())  # it has one line in so wide a window
    picture(shown.window, f"map-window{'-dark' if dark else ''}")
    shown.window.resize(960, 600)
    application.processEvents()
    picture(shown.window, f"map-window-narrow{'-dark' if dark else ''}")
    assert shown.window.size().height() == 600  # the lists make no window taller
    shown.end()
