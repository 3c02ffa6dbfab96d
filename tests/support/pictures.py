"""Pictures of widgets, which `make screenshots` keeps in ``docs/screenshots``."""

import os
from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"


def pictures_are_kept() -> bool:
    """Whether they are what `make screenshots` wants."""
    return bool(os.environ.get("WEBRAG_SCREENSHOTS"))


def take_picture(widget: QWidget, name: str, otherwise: Path) -> Path:
    """Grab a widget as a PNG; into ``otherwise`` unless WEBRAG_SCREENSHOTS is set. Fails where it is blank."""
    folder = FOLDER if pictures_are_kept() else otherwise
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    QTest.qWait(10)  # what is painted in a turn of its own
    image = widget.grab().toImage()
    assert image.save(str(path))
    colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert len(colours) > 8, "the picture is blank"
    return path
