"""Formulas are drawn in a process of their own; hostile ones end nothing but themselves."""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.formulas import PATIENCE
from webrag_desktop.gui.kit.mathematics.drawings import Drawable, Drawing, Drawings, drawing_arguments
from webrag_desktop.gui.kit.mathematics.outlines import DEEPEST, Undrawable, outline

FRACTION = Drawable(r"\frac{a}{b}")
# A process as the real one, but that some sources end it, keep it waiting for ever, or take 2 GB.
TROUBLED = """
import sys, time
from webrag_desktop.gui.kit.mathematics import child, outlines
draw = outlines.outline
def troubled(source, kind, *, display):
    if source == "die":
        sys.exit(3)
    if source == "large":
        bytearray(2 << 30)
    while source == "hang":
        time.sleep(0.01)
    return draw(source, kind, display=display)
outlines.outline = troubled
child._MOST_SECONDS = 0.5
child.run()
"""


@pytest.fixture
def drawings(application: QApplication) -> Iterator[Drawings]:
    made = Drawings()
    yield made
    made.close()


def drawn(drawings: Drawings, qtbot: QtBot, formula: Drawable) -> Drawing | None:
    drawings.drawing(formula)
    qtbot.waitUntil(lambda: drawings.is_settled(formula), timeout=PATIENCE)
    return drawings.drawing(formula)


def test_latex_and_mathml_are_drawn_alike(drawings: Drawings, qtbot: QtBot) -> None:
    assert drawings.drawing(FRACTION) is None  # nothing waits for it
    latex = drawn(drawings, qtbot, FRACTION)
    mathml = drawn(drawings, qtbot, Drawable("<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>", "mathml"))
    assert latex is not None
    assert mathml is not None
    assert latex.width == pytest.approx(mathml.width, rel=0.05)
    assert latex.ascent > 0.5
    assert latex.descent > 0.2
    displayed = drawn(drawings, qtbot, FRACTION._replace(display=True))
    assert displayed is not None
    assert displayed.ascent > latex.ascent


def test_ink_is_where_the_drawing_says(drawings: Drawings, qtbot: QtBot) -> None:
    made = drawn(drawings, qtbot, Drawable(r"\sqrt{x}"))
    assert made is not None
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    made.paint(painter, 20, 60, 30, QColor("red"))
    painter.end()
    dark = [(x, y) for x in range(100) for y in range(100) if image.pixelColor(x, y).green() < 128]
    assert {image.pixelColor(*at).red() for at in dark} == {255}
    left, right = min(x for x, _ in dark), max(x for x, _ in dark)
    top, bottom = min(y for _, y in dark), max(y for _, y in dark)
    assert 19 <= left <= 24
    assert right == pytest.approx(20 + made.width * 30, abs=3)
    assert top == pytest.approx(60 - made.ascent * 30, abs=2)
    assert bottom == pytest.approx(60 + made.descent * 30, abs=3)


@pytest.mark.parametrize(
    "source",
    [
        r"\unheardof{x}",
        r"\frac{a}{",
        r"\left( x",
        r"\begin{matrix} a",
        "{" * (DEEPEST + 1) + "x" + "}" * (DEEPEST + 1),
        r"\sqrt" * 300 + "x",
        r"\def\a{\a\a}\a",
        r"\newcommand{\a}{\a\a}\a",
        r"\hspace{100000em}x",
        r"\begin{array}" * 60,
        "",
    ],
)
def test_latex_that_cannot_be_drawn(drawings: Drawings, qtbot: QtBot, source: str) -> None:
    assert drawn(drawings, qtbot, Drawable(source)) is None
    assert drawn(drawings, qtbot, FRACTION) is not None


@pytest.mark.parametrize(
    "source",
    [
        "<math><mi>x</math>",
        '<!DOCTYPE math [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><math><mi>&b;</mi></math>',
        "<math>" + "<mrow>" * 60 + "<mi>x</mi>" + "</mrow>" * 60 + "</math>",
        "<math></math>",
    ],
)
def test_mathml_that_cannot_be_drawn(source: str) -> None:
    with pytest.raises((Undrawable, SyntaxError, ValueError, IndexError)):
        outline(source, "mathml", display=False)


def test_rows_in_each_other_take_no_time_that_doubles() -> None:
    rows = 24  # each of them twice would be some minutes
    nested = "<mrow><mo>(</mo><mi>x</mi>" * rows + "<mo>)</mo></mrow>" * rows
    assert outline(f"<math>{nested}</math>", "mathml", display=False).width > rows * 50


def test_process_that_a_formula_ends_is_replaced(application: QApplication, qtbot: QtBot) -> None:
    drawings = Drawings(command=[sys.executable, "-c", TROUBLED])
    try:
        asked = [Drawable(source) for source in ("x", "hang", "y", "die", "z")]
        found = [drawn(drawings, qtbot, formula) is not None for formula in asked]
    finally:
        drawings.close()
    assert found == [True, False, True, False, True]


@pytest.mark.skipif(sys.platform == "win32", reason="the system bounds no process's memory")
def test_formula_that_takes_too_much_memory_fails_alone(application: QApplication, qtbot: QtBot) -> None:
    drawings = Drawings(command=[sys.executable, "-c", TROUBLED])
    try:
        assert drawn(drawings, qtbot, Drawable("x")) is not None
        process = drawings._process
        assert drawn(drawings, qtbot, Drawable("large")) is None
        assert drawn(drawings, qtbot, Drawable("y")) is not None
        assert drawings._process is process
    finally:
        drawings.close()


def test_text_that_ends_process_after_process_is_left_as_it_is(
    application: QApplication, qtbot: QtBot
) -> None:
    drawings = Drawings(command=[sys.executable, "-c", "raise SystemExit"])
    try:
        for number in range(200):
            drawings.drawing(Drawable(f"x_{number}"))
        qtbot.waitUntil(lambda: not drawings.is_busy, timeout=PATIENCE)
        assert drawings.drawing(Drawable("x_0")) is None
        assert drawings.is_settled(Drawable("x_199"))
    finally:
        drawings.close()


def test_without_a_process_sources_stay(application: QApplication, qtbot: QtBot) -> None:
    drawings = Drawings(command=["/nowhere/to/be/found"])
    try:
        assert drawn(drawings, qtbot, FRACTION) is None
    finally:
        drawings.close()


def test_closing_ends_the_process_while_it_draws(application: QApplication, qtbot: QtBot) -> None:
    drawings = Drawings(command=[sys.executable, "-c", TROUBLED.replace("0.5", "600")])
    assert drawn(drawings, qtbot, FRACTION) is not None
    process = drawings._process
    assert process is not None
    drawings.drawing(Drawable("hang"))
    drawings.close()
    assert process.poll() is not None
    assert drawings.drawing(Drawable("later")) is None


def test_process_speaks_json_and_ends_with_its_input() -> None:
    asked = json.dumps(FRACTION) + "\n" + json.dumps(Drawable(r"\unheardof")) + "\n"
    ended = subprocess.run(
        drawing_arguments(sys.executable), input=asked.encode(), capture_output=True, check=True
    )
    first, second = map(json.loads, ended.stdout.splitlines())
    assert first[0] > 0
    assert first[3].startswith("M ")
    assert second is None
