"""A real window on a data folder of its own."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program, ProgramHere, new_program, program
from tests.support.photographer import Photographer, Photographing
from tests.support.window_under_test import Opener, Seen
from webrag_desktop.config import Settings
from webrag_desktop.gui.kit.theme.colours import apply_scheme, prepare
from webrag_desktop.gui.shell.application import Window

# Whoever starts the tests in the background of a shell has them ignore Ctrl-C, and with them all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def prepared(qapp: QApplication) -> QApplication:
    prepare(qapp)
    return qapp


@pytest.fixture
def themed(prepared: QApplication) -> Iterator[QApplication]:
    """The application, which later tests have in its light theme again."""
    yield prepared
    apply_scheme(prepared, Qt.ColorScheme.Light)


@pytest.fixture
def photographer(themed: QApplication, qtbot: QtBot, tmp_path: Path) -> Photographing:
    """Takes pictures of a window in both themes."""
    return lambda seen: Photographer(seen, themed, tmp_path, qtbot)


@pytest.fixture
def home() -> Iterator[Program]:
    """A data folder as an earlier start left it, nothing in it yet; whatever runs for it is ended afterwards."""
    with program(ProgramHere) as ours:
        yield ours


@pytest.fixture
def new_home() -> Iterator[Program]:
    """A data folder that was never used, so that database and model are made in it."""
    with new_program(ProgramHere) as ours:
        ours.home.mkdir(parents=True)
        yield ours


@pytest.fixture
def opened(prepared: QApplication, qtbot: QtBot) -> Iterator[Opener]:
    windows: list[Window] = []

    def start(settings: Settings) -> Seen:
        window = Window(settings)
        windows.append(window)
        window.view.resize(1440, 900)  # the offscreen screen is small
        seen = Seen(window, [], [], [])
        operations = window.operations
        operations.documents.figures.connect(seen.figures.append)
        operations.searching.results.connect(seen.results.append)
        operations.searching.grown.connect(seen.take_grown)
        operations.citing.citations.connect(seen.citations.append)
        window.open()
        with qtbot.waitExposed(window.view):
            pass
        return seen

    yield start
    for window in windows:
        window.close()
