"""What delegates share: lines of any direction, pills, bars, whole pixels."""

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.kit.theme.painting import (
    LEFT,
    RIGHT,
    hairline,
    on_pixel,
    paint_bar,
    paint_hairline,
    paint_line,
    paint_pill,
    paint_travel,
    pill_width,
    text_width,
)

WIDTH, HEIGHT = 300, 40
HEBREW = "הכבל נקרע."


class Canvas:
    """An image to paint on and to look at."""

    def __init__(self, ratio: float = 1.0) -> None:
        self.image = QImage(round(WIDTH * ratio), round(HEIGHT * ratio), QImage.Format.Format_RGB32)
        self.image.setDevicePixelRatio(ratio)
        self.image.fill(Qt.GlobalColor.white)
        self.painter = QPainter(self.image)

    def columns(self) -> list[int]:
        self.painter.end()
        white = QColor(Qt.GlobalColor.white)
        return [
            x
            for x in range(self.image.width())
            if any(self.image.pixelColor(x, y) != white for y in range(self.image.height()))
        ]


@pytest.fixture
def canvas(application: QApplication) -> Canvas:
    return Canvas()


@pytest.mark.parametrize("text", ["The cable.", HEBREW, "انقطع الكابل.", "1858"])
@pytest.mark.parametrize("align", [LEFT, RIGHT])
def test_a_line_stands_at_the_edge_it_is_given_in_any_script(
    canvas: Canvas, text: str, align: Qt.AlignmentFlag
) -> None:
    width = paint_line(canvas.painter, QRectF(20, 0, 260, HEIGHT), text, font(), align=align)
    columns = canvas.columns()
    assert width == pytest.approx(text_width(text, font()))
    edge = columns[0] if align is LEFT else columns[-1]
    assert edge == pytest.approx(20 if align is LEFT else 280, abs=3)


def test_the_mirrored_interface_begins_at_the_right(application: QApplication) -> None:
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        canvas = Canvas()
        paint_line(canvas.painter, QRectF(20, 0, 260, HEIGHT), "The cable", font(), align=LEFT)
        assert canvas.columns()[-1] == pytest.approx(280, abs=3)
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def test_a_line_from_right_to_left_has_its_full_stop_at_the_left(canvas: Canvas) -> None:
    paint_line(canvas.painter, QRectF(20, 0, 260, HEIGHT), HEBREW, font())
    with_stop = canvas.columns()
    other = Canvas()
    stop = text_width(".", font())
    paint_line(other.painter, QRectF(20 + stop, 0, 260, HEIGHT), HEBREW.rstrip("."), font())
    without = other.columns()
    assert with_stop[-1] == pytest.approx(without[-1], abs=1)  # the words stand at the same place
    assert with_stop[0] < without[0] - 1


@pytest.mark.parametrize("text", ["The cable that was laid in the summer of 1858 " * 2, HEBREW * 12])
def test_a_line_that_is_too_long_is_cut_inside_its_room(canvas: Canvas, text: str) -> None:
    assert paint_line(canvas.painter, QRectF(20, 0, 200, HEIGHT), text, font()) == 200
    columns = canvas.columns()
    assert columns[0] >= 18
    assert columns[-1] <= 222


def test_a_line_has_no_breaks(canvas: Canvas) -> None:
    paint_line(canvas.painter, QRectF(0, 0, 300, HEIGHT), "one\n two\t\u2028three", font())
    other = Canvas()
    paint_line(other.painter, QRectF(0, 0, 300, HEIGHT), "one two three", font())
    canvas.painter.end()
    other.painter.end()
    assert canvas.image == other.image


@pytest.mark.parametrize("icon", [None, "circle-check"])
def test_a_pill_is_as_wide_as_it_says(canvas: Canvas, icon: str | None) -> None:
    right = paint_pill(canvas.painter, 10, 20, "Exact", "ok", "ok_soft", icon)
    columns = canvas.columns()
    assert right == 10 + pill_width("Exact", icon)
    assert columns[0] == 10
    assert columns[-1] == pytest.approx(right - 1, abs=1)


def test_mirrored_pills_begin_and_bars_travel_from_the_right(application: QApplication) -> None:
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        canvas, plain = Canvas(), Canvas()
        right = paint_pill(canvas.painter, 10, 20, ".", "ok", "surface", "circle-check")
        paint_pill(plain.painter, 10, 20, ".", "ok", "surface")
        icon = set(canvas.columns()) - set(plain.columns())
        assert 20 < min(icon) < max(icon) < right
        travelling = Canvas()
        paint_travel(travelling.painter, QRectF(50, 10, 200, 4), 0.3)
        travelling.painter.end()
        blue = [x for x in range(WIDTH) if travelling.image.pixelColor(x, 12) == colour("accent")]
        assert blue
        assert min(blue) > 150  # what travels comes from the right
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.mark.parametrize(("share", "filled"), [(-1.0, 0), (0.0, 0), (0.5, 100), (1.0, 200), (7.0, 200)])
def test_a_bar_is_filled_to_its_share(canvas: Canvas, share: float, filled: int) -> None:
    paint_bar(canvas.painter, QRectF(50, 10, 200, 4), share)
    canvas.painter.end()
    blue = [x for x in range(WIDTH) if canvas.image.pixelColor(x, 12) == colour("accent")]
    assert len(blue) == pytest.approx(filled, abs=2)


@pytest.mark.parametrize("phase", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_what_travels_stays_in_its_bar(canvas: Canvas, phase: float) -> None:
    paint_travel(canvas.painter, QRectF(50, 10, 200, 4), phase)
    columns = canvas.columns()
    assert columns[0] >= 50
    assert columns[-1] < 250


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
@pytest.mark.parametrize("y", [10.0, 10.3, 11.0, 12.5])
def test_a_hairline_is_one_sharp_line_at_any_scale(application: QApplication, ratio: float, y: float) -> None:
    canvas = Canvas(ratio)
    canvas.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_hairline(canvas.painter, 0, 300, y)
    canvas.painter.end()
    shades = [canvas.image.pixelColor(5, row) for row in range(canvas.image.height())]
    drawn = [shade for shade in shades if shade != QColor(Qt.GlobalColor.white)]
    assert drawn == [colour("line")] * round(ratio)


def test_whole_pixels(application: QApplication) -> None:
    canvas = Canvas(1.25)
    canvas.painter.translate(0.3, 0.7)
    x, y = on_pixel(canvas.painter, 5.1, 6.2)
    there = canvas.painter.deviceTransform().map(QPointF(x, y))
    assert there.x() == pytest.approx(round(there.x()))
    assert there.y() == pytest.approx(round(there.y()))
    assert abs(x - 5.1) <= 0.41
    assert hairline(canvas.painter) == pytest.approx(0.8)
    canvas.painter.rotate(30)
    assert on_pixel(canvas.painter, 5.1, 6.2) == (5.1, 6.2)
    canvas.painter.end()
