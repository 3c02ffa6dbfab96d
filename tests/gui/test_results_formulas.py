"""Formulas in the passages found: drawn in their lines, the marked sentence and the heights right."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.formulas import inked, wait_until_drawn
from tests.support.found_chunks import found_chunk, spans_of
from tests.support.shown import group, passage, results
from webrag_desktop.gui.data.view_data import Passage, ResultGroup
from webrag_desktop.gui.kit.mathematics.drawings import Drawable, Drawings
from webrag_desktop.gui.kit.rows.laid_text import LaidText
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.research.operations.passages import _Reading
from webrag_desktop.gui.research.passage_excerpt import laid_excerpt
from webrag_desktop.gui.research.results_pane import ResultsView
from webrag_desktop.text.mathematics import formulas
from webrag_desktop.text.plain_text import project

Themed = Callable[[bool], None]
TALL = r"$\begin{pmatrix} a & b \\ c & d \end{pmatrix}$"
WAVE = passage(
    "wave",
    1,
    before="The height of a tide is a sum of constituents, one for each of the motions that raise it. ",
    quote=r"It is $h(t) = h_0 + \sum_{i=1}^{n} A_i \cos(\omega_i t)$, where $A_i$ is an amplitude.",
    after=rf" The matrix {TALL} turns it. What follows is read every ten minutes. " * 4,
    words=["amplitude", "height"],
    heading="Constituents",
)
WAVE = replace(WAVE, formulas=tuple(formulas(WAVE.text)))
PLAIN = passage("plain", 1, quote="Nothing is to be drawn here.", heading="Words")


def groups() -> list[ResultGroup]:
    return [group("The height of a tide", [WAVE]), group("Words alone", [PLAIN])]


def drawn(passage: Passage, qtbot: QtBot) -> None:
    for formula in passage.formulas:
        Drawings.of_window().drawing(Drawable(*formula[2:]))
    wait_until_drawn(qtbot)


def picture_of(laid: LaidText) -> QImage:
    image = QImage(int(laid.width) + 40, int(laid.height) + 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    laid.paint(painter, 20, 10)
    painter.end()
    return image


@pytest.mark.parametrize("width", [280, 500, 800])
@pytest.mark.parametrize("is_open", [False, True])
def test_lines_are_as_high_as_their_formulas(
    application: QApplication, qtbot: QtBot, width: float, is_open: bool
) -> None:
    drawn(WAVE, qtbot)
    laid = laid_excerpt(WAVE, font("body"), width, is_open=is_open)
    assert laid.text == laid._layout.text()
    tops = laid._tops
    assert laid.height == tops[-1]
    assert all(after - before >= laid.line_height for before, after in pairwise(tops))
    assert any(after - before > laid.line_height for before, after in pairwise(tops))
    for one in laid._formulas._drawn:
        (index,) = [
            index
            for index, line in enumerate(laid._lines)
            if line.textStart() <= one.last < line.textStart() + line.textLength()
        ]
        baseline = laid._lines[index].y() + laid._lines[index].ascent()
        assert tops[index] <= baseline - one.drawing.ascent * one.pixels
        assert baseline + one.drawing.descent * one.pixels <= tops[index + 1]


def test_the_sentence_is_whole_and_marked_with_its_formulas(application: QApplication, qtbot: QtBot) -> None:
    drawn(WAVE, qtbot)
    laid = laid_excerpt(WAVE, font("body"), 500, is_open=False)
    assert WAVE.quote in laid.text[: laid.visible]
    ground = colour("evidence")
    image = picture_of(laid)
    rects = [rect for kind, rect in laid.mark_rects if kind == "evidence"]
    for rect in rects:
        assert image.pixelColor(int(rect.left() + 21), int(rect.center().y() + 10)) == ground
        assert inked(image, rect.translated(20, 10), ground)
    marked = sum(rect.width() for rect in rects)
    plain = LaidText(WAVE.quote, font("body"), 5000, formulas=formulas(WAVE.quote))
    assert marked == pytest.approx(plain.natural_width, abs=30)


def test_no_source_is_painted_where_a_formula_is_drawn(application: QApplication, qtbot: QtBot) -> None:
    text = "a $x^2$ b"
    found = formulas(text)
    drawn(replace(WAVE, formulas=tuple(found)), qtbot)
    laid = LaidText(text, font("body"), 500, formulas=found)
    source = LaidText(text, font("body"), 500)
    assert laid.natural_width < source.natural_width - 10
    image = picture_of(laid)
    assert inked(image, QRectF(20, 10, laid.natural_width, laid.height), QColor("white"))
    assert not inked(image, QRectF(22 + laid.natural_width, 10, 200, laid.height), QColor("white"))


@pytest.mark.parametrize("width", range(120, 700, 37))
def test_a_cut_never_falls_into_a_formula(application: QApplication, qtbot: QtBot, width: int) -> None:
    text = "Words before it, " + " and ".join(rf"$\alpha_{{{n}}}+\frac{{a}}{{b}}$" for n in range(30))
    found = formulas(text)
    drawn(replace(WAVE, formulas=tuple(found)), qtbot)
    laid = LaidText(text, font("body"), width, most_lines=2, formulas=found)
    assert laid.lines <= 2
    assert laid.cut
    assert not any(formula.start < laid.visible < formula.end for formula in found)
    assert laid.text[: laid.visible].rstrip() == text[: laid.visible].rstrip()
    assert laid.natural_width <= width


def test_rows_are_laid_out_again_when_their_formulas_are_drawn(
    qtbot: QtBot, application: QApplication
) -> None:
    new = rf"It is $\Xi_{{{id(qtbot)}}} = \frac{{\int_0^1 x}}{{2}}$, a quotient nobody saw before."
    made = passage("new", 1, quote=new, heading="New")
    made = replace(made, formulas=tuple(formulas(made.text)))
    view = ResultsView()
    qtbot.addWidget(view)
    view.resize(644, 500)
    view.show()
    view.show_results(results([group("New", [made])]))
    qtbot.waitUntil(lambda: view.list.model().rowCount() > 0)
    index = view.list.model().index(0, 0, view.list.model().index(0, 0))
    before = view.list.visualRect(index).height()

    def has_drawn() -> bool:
        laid = view.list.delegate.layout(index).text
        assert isinstance(laid, LaidText)
        return bool(laid._formulas)

    assert not has_drawn()
    wait_until_drawn(qtbot)
    qtbot.waitUntil(has_drawn)
    qtbot.waitUntil(lambda: view.list.visualRect(index).height() != before)
    assert view.list.visualRect(index).height() == view.list.delegate.layout(index).height


MATHML = "<math><mfrac><mi>p</mi><mi>q</mi></mfrac></math>"


def test_formulas_of_a_chunk_stand_where_it_is_read() -> None:
    markdown = r"# Head" + "\n\n" + r"A *loud* word, $a\_b \times *c*$, and $pq$ of it."
    start = markdown.index("A *")
    chunk = found_chunk(markdown[start:], start=start, spans=spans_of(markdown, "A *loud* word"))
    chunk = chunk.model_copy(update={"surface": "html", "selected_text": f"<p>A {MATHML}</p>"})
    reading = _Reading(chunk, project(markdown))
    found = list(reading.formulas(chunk))
    assert [formula.source for formula in found] == [r"a\_b \times *c*", MATHML]
    assert [formula.kind for formula in found] == ["latex", "mathml"]
    assert [reading.text[formula.start : formula.end] for formula in found] == [r"$a_b \times c$", "$pq$"]


@pytest.mark.parametrize("dark", [False, True])
def test_pictures(
    qtbot: QtBot,
    application: QApplication,
    themed: Themed,
    picture: Callable[[QWidget, str], Path],
    dark: bool,
) -> None:
    themed(dark)
    drawn(WAVE, qtbot)
    view = ResultsView()
    qtbot.addWidget(view)
    view.resize(644, 420)
    view.show()
    view.show_results(results(groups(), query="height of a tide"))
    qtbot.waitUntil(lambda: view.list.model().rowCount() > 0)
    view.list.setCurrentIndex(view.list.model().index(0, 0, view.list.model().index(0, 0)))
    qtbot.wait(50)
    picture(view, "results-formulas-dark" if dark else "results-formulas")
