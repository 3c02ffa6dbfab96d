"""The application as tests see it: themed, on the offscreen platform, and able to take pictures."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from webrag_desktop.gui.theme.applying import apply_scheme, prepare

PICTURES = Path(__file__).parents[2] / "docs" / "screenshots"


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
        folder = PICTURES if os.environ.get("WEBRAG_SCREENSHOTS") else tmp_path
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        QTest.qWait(10)  # what is painted in a turn of its own
        image = widget.grab().toImage()
        assert image.save(str(path))
        colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
        assert len(colours) > 8, "the picture is blank"
        return path

    return take
