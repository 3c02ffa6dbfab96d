"""The application as tests see it: themed, on the offscreen platform, and able to take pictures."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.support.pictures import take_picture
from webrag_desktop.gui.kit.theme.colours import apply_scheme, prepare
from webrag_desktop.gui.kit.widgets.panes import Panel, column


@pytest.fixture(scope="session")
def prepared(qapp: QApplication) -> QApplication:
    prepare(qapp)
    return qapp


@pytest.fixture
def application(prepared: QApplication) -> Iterator[QApplication]:
    """The application in its light theme."""
    apply_scheme(prepared, Qt.ColorScheme.Light)
    yield prepared
    prepared.clipboard().clear()


@pytest.fixture
def themed(application: QApplication) -> Callable[[bool], None]:
    """Switch the running application to the dark theme (True) or the light one."""

    def switch(dark: bool) -> None:
        apply_scheme(application, Qt.ColorScheme.Dark if dark else Qt.ColorScheme.Light)

    return switch


@pytest.fixture
def picture(tmp_path: Path) -> Callable[[QWidget, str], Path]:
    """Grab a widget as a PNG; kept in ``docs/screenshots`` when WEBRAG_SCREENSHOTS is set."""

    def take(widget: QWidget, name: str) -> Path:
        return take_picture(widget, name, tmp_path)

    return take


@pytest.fixture
def show(qtbot: QtBot, application: QApplication) -> Callable[..., QWidget]:
    """Put widgets in a column of a window, with a field before them that has the keyboard."""
    windows: list[QWidget] = []  # what owns the widgets has to live as long as the test

    def shown(*widgets: QWidget, width: int = 700) -> QWidget:
        window = Panel("window")
        windows.append(window)
        qtbot.addWidget(window)
        window.resize(width, 400)
        content = column(window, (8, 8, 8, 8), 8)
        first = QLineEdit()
        first.setObjectName("first")
        content.addWidget(first)
        for widget in widgets:
            content.addWidget(widget)
        content.addStretch(1)
        with qtbot.waitExposed(window):
            window.show()
        window.activateWindow()
        first.setFocus()
        qtbot.waitUntil(first.hasFocus)
        return window

    return shown
