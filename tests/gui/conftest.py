"""The application as tests see it: themed, on the offscreen platform, and able to take pictures."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from tests.support.pictures import take_picture
from webrag_desktop.gui.theme.applying import apply_scheme, prepare


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
