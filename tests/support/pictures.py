"""Pictures of widgets, which `make screenshots` keeps in ``docs/screenshots``."""

import os
from collections import Counter
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
COLOURS, AREAS = 256, 64  # all of a picture, and the most frequent of them


def pictures_are_kept() -> bool:
    """Whether they are what `make screenshots` wants."""
    return bool(os.environ.get("WEBRAG_SCREENSHOTS"))


def take_picture(widget: QWidget, name: str, otherwise: Path) -> Path:
    """Grab a widget as a PNG; into ``otherwise`` unless WEBRAG_SCREENSHOTS is set. Fails where it is blank."""
    folder = FOLDER if pictures_are_kept() else otherwise
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    QTest.qWait(100 if pictures_are_kept() else 10)  # what is laid out or painted in turns of its own
    image = widget.grab().toImage()
    colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert len(colours) > 8, "the picture is blank"
    assert (reduced(image) if pictures_are_kept() else image).save(str(path))
    return path


def reduced(image: QImage) -> QImage:
    """The image in 256 colours, which takes a third of the space; those of its areas stay exactly as they are."""
    if image.pixelColor(0, 0).alpha() < 255:
        return image  # the corners of a menu
    opaque = image.convertToFormat(QImage.Format.Format_RGB32)
    by_frequency = [
        colour for colour, _ in Counter(memoryview(opaque.constBits()).cast("B").cast("I")).most_common()
    ]
    exact, blended = by_frequency[:AREAS], by_frequency[AREAS:]
    palette = next(few for step in count(1) if len(few := exact + _far_apart(blended, step)) <= COLOURS)
    return opaque.convertToFormat(QImage.Format.Format_Indexed8, palette, Qt.ImageConversionFlag.AvoidDither)


def _far_apart(colours: Iterable[int], side: int) -> list[int]:
    """The first one in each cube of the colour space."""
    chosen: dict[tuple[int, int, int], int] = {}
    for colour in colours:
        cell = ((colour >> 16 & 255) // side, (colour >> 8 & 255) // side, (colour & 255) // side)
        chosen.setdefault(cell, colour)
    return list(chosen.values())
