"""The Library view in each of its states, light and dark; looked at beside the reference pictures."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.support.documents import SIGN_IN, batch, details, figures, filling, ready
from webrag_desktop.gui.data.view_data import Failure, Listing
from webrag_desktop.gui.kit.widgets.panes import Splitter
from webrag_desktop.gui.library.sidebar import Sidebar

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
Picture = Callable[[QWidget, str], Path]


def opening(library: ServedLibrary) -> None:
    library.view.show_opening("Making your library", "Creating the database", 0.4)


def failure(library: ServedLibrary) -> None:
    words = Failure(
        "The database did not start.", "Your documents are safe. Free some disk space first.", "x"
    )
    library.view.show_failure(words, "Try again")
    library.view.focus_first()


def empty(library: ServedLibrary) -> None:
    library.view.show_listing(Listing(), [])
    library.view.focus_first()


def at_work(library: ServedLibrary) -> None:
    library.give(filling())
    library.view.show_batch(batch())
    library.view.focus_first()
    library.view.show_details(details())


def paused(library: ServedLibrary) -> None:
    at_work(library)
    library.view.show_batch(batch(paused=True))


def failed(library: ServedLibrary) -> None:
    at_work(library)
    library.table.choose(6)
    library.view.show_details(details(SIGN_IN))


def all_ready(library: ServedLibrary) -> None:
    library.give(ready(60))
    library.view.focus_first()
    library.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)


def attention(library: ServedLibrary) -> None:
    library.view.show_figures(figures())
    library.view.show_listing(Listing("attention"), [])


STATES: dict[str, Callable[[ServedLibrary], None]] = {
    "opening": opening,
    "failure": failure,
    "empty": empty,
    "filling": at_work,
    "paused": paused,
    "failed": failed,
    "ready": all_ready,
    "nothing-needs-attention": attention,
}


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
    library, sidebar = ServedLibrary(qtbot), Sidebar()
    window = Splitter(Qt.Orientation.Horizontal, [228, 1212])
    qtbot.addWidget(window)
    window.addWidget(sidebar)
    window.addWidget(library.view)
    window.resize(1440, 820)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    if state not in {"opening", "failure", "empty"}:
        sidebar.show_figures(figures())
    STATES[state](library)
    application.processEvents()
    picture(window, f"library-{state}{'-dark' if dark else ''}")


def test_narrow(application: QApplication, qtbot: QtBot, picture: Picture) -> None:
    library = ServedLibrary(qtbot, (960, 520))
    at_work(library)
    picture(library.view, "library-narrow")


def test_right_to_left(application: QApplication, qtbot: QtBot, picture: Picture) -> None:
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        library, sidebar = ServedLibrary(qtbot), Sidebar()
        window = Splitter(Qt.Orientation.Horizontal, [228, 1212])
        qtbot.addWidget(window)
        window.addWidget(sidebar)
        window.addWidget(library.view)
        window.resize(1440, 820)
        window.show()
        sidebar.show_figures(figures())
        at_work(library)
        application.processEvents()
        picture(window, "library-right-to-left")
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
