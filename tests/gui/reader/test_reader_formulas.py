"""Formulas in the reader: drawn where their source stands, which stays what is selected, copied, found and cited."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.support.formulas import ink_in, wait_until_drawn
from tests.support.reader import cited, settle, show, span, type_query
from tests.unit.gui.test_reader_document import PAGES, shown, version
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.kit.mathematics.document import STANDS_ALONE, PlacedFormula
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.reader.page import ReadingSpan
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.gui.reader.text import ReaderText
from webrag_desktop.models.documents import Block

TEXT = """# A wave $c = \\sqrt{g d}$ in a heading

Before it. The share $\\frac{a_i}{b^{*}_i}$, in *deep* water $x*y*z$ and *so* on. Behind it.

$$
h(t) = \\int_0^\\infty e^{-\\lambda s} ds
$$

The matrix $M = \\begin{pmatrix} a & b \\\\ c & d \\\\ e & f \\end{pmatrix}$ is tall, and the words go on \
behind it, so far that there are lines below the first one.

| sign | meaning |
| --- | --- |
| $\\omega_1$ | a speed of $5 or $10 |

Nobody knows $\\unheardof{x}_2$ here.

```math
\\operatorname{Var}(X) = 1
```

The end.
"""
Themed = Callable[[bool], None]


@pytest.fixture
def text(view: ReaderView, qtbot: QtBot) -> ReaderText:
    """A reader of :data:`TEXT`, all formulas drawn."""
    view.resize(640, 900)
    show(view, qtbot, shown(version(TEXT)))
    wait_until_drawn(qtbot)
    margin = view._text.document().rootFrame().frameFormat
    qtbot.waitUntil(lambda: view._text._column[1] + margin().rightMargin() == view._text.viewport().width())
    return view._text


def formulas(text: ReaderText) -> list[PlacedFormula]:
    assert text._builder is not None
    return list(text._builder.formulas)


def box(text: ReaderText, placed: PlacedFormula) -> QRectF:
    assert text._builder is not None
    return text._builder.formulas._box(placed, -text._scrolled())[0]


def line_of(text: ReaderText, place: int) -> int:
    block = text.document().findBlock(place)
    return block.layout().lineForTextPosition(place - block.position()).lineNumber()


def the(text: ReaderText, words: str) -> PlacedFormula:
    return next(placed for placed in formulas(text) if words in placed.formula.source)


def test_every_formula_is_drawn_but_the_unknown_one(text: ReaderText) -> None:
    undrawn = [placed.formula.source for placed in formulas(text) if placed.drawing is None]
    assert undrawn == ["\\unheardof{x}_2"]
    assert len(formulas(text)) == 8


def test_the_text_document_holds_the_same_characters_drawn_or_not(
    text: ReaderText, view: ReaderView, qtbot: QtBot
) -> None:
    assert text.shown is not None
    plain = text.toPlainText()
    for start, char in enumerate(text.shown.trace.display):
        if not char.isspace():
            ((place, end),) = text._places(ReadingSpan(start, start + 1))
            assert text._cursor(place, end).selectedText() == char
    assert "\\frac{a_i}{b^{}_i}" in plain or "\\frac{a_i}{b^{*}_i}" in plain


def test_ink_fills_the_place_of_every_drawn_formula_and_the_source_shows_nowhere(text: ReaderText) -> None:
    for placed in formulas(text):
        if placed.drawing is None:
            continue
        area = box(text, placed)
        assert area.width() == pytest.approx(placed.drawing.width * placed.pixels, abs=6)
        assert ink_in(text.viewport(), area, colour("paper")) > 8
        assert text._cursor(placed.start, placed.end).charFormat().foreground().color().alpha() == 0


def test_baseline_is_that_of_the_words_beside_it(text: ReaderText) -> None:
    assert text._builder is not None
    placed = the(text, "x*y*z")
    assert line_of(text, placed.start) == line_of(text, placed.end - 1)
    area, baseline = text._builder.formulas._box(placed, QPointF())
    block = text.document().findBlock(placed.start)
    line = block.layout().lineForTextPosition(placed.start - block.position())
    top = text.document().documentLayout().blockBoundingRect(block).top()
    assert baseline == pytest.approx(top + line.y() + line.ascent())
    assert area.top() <= baseline <= area.bottom()


def test_emphasis_outside_of_formulas_stays_and_signs_in_them_are_none(text: ReaderText) -> None:
    plain = text.toPlainText()
    assert text._cursor(plain.index("deep") + 1, plain.index("deep") + 2).charFormat().fontItalic()
    assert the(text, "x*y*z").formula.source == "x*y*z"


def test_displayed_formula_stands_alone_in_the_middle(text: ReaderText) -> None:
    for words in ("\\int_0", "\\operatorname{Var}"):
        placed = the(text, words)
        block = text.document().findBlock(placed.start)
        assert block.blockFormat().property(STANDS_ALONE)
        assert block.layout().lineCount() == 1
        left, right = text._column
        assert box(text, placed).center().x() == pytest.approx((left + right) / 2, abs=3)
        below = text.document().documentLayout().blockBoundingRect(block.next()).top()
        assert box(text, placed).bottom() <= below + text._scrolled().y()
        assert box(text, placed).height() >= placed.ascent + placed.descent


def test_line_of_a_tall_formula_is_as_high_as_it_needs(text: ReaderText) -> None:
    placed = the(text, "pmatrix")
    block = text.document().findBlock(placed.start)
    heights = [block.layout().lineAt(index).height() for index in range(block.layout().lineCount())]
    usual = QFontMetricsF(text._formats.text_font()).height()
    assert max(heights) > 1.7 * usual
    assert min(heights) == pytest.approx(usual, abs=1.5)


def test_copy_gives_the_source_with_its_signs(text: ReaderText) -> None:
    plain = text.toPlainText()
    text.setTextCursor(text._cursor(plain.index("The share"), plain.index(" Behind it.")))
    assert text.createMimeDataFromSelection().text() == (
        "The share $\\frac{a_i}{b^{*}_i}$, in deep water $x*y*z$ and so on."
    )
    text.selectAll()
    copied = text.createMimeDataFromSelection().text()
    assert "$M = \\begin{pmatrix} a & b \\\\ c & d \\\\ e & f \\end{pmatrix}$" in copied
    assert "$$\nh(t) = \\int_0^\\infty e^{-\\lambda s} ds\n$$" in copied


def test_part_of_a_drawn_formula_selects_all_of_it(text: ReaderText) -> None:
    placed = the(text, "\\frac{a_i}")
    text.setTextCursor(text._cursor(placed.end - 1, placed.end + 4))
    assert text.createMimeDataFromSelection().text() == "$\\frac{a_i}{b^{*}_i}$, in"
    selected = text.selected()
    assert selected is not None
    assert text.shown is not None
    assert (
        text.shown.markdown[slice(*text.shown.trace.to_markdown(*selected))] == "$\\frac{a_i}{b^{*}_i}$, in"
    )


def test_selected_formula_stands_on_the_ground_of_the_selection(text: ReaderText, qtbot: QtBot) -> None:
    placed = the(text, "pmatrix")
    area = box(text, placed)
    corner = area.topLeft().toPoint() * text.devicePixelRatio()
    before = text.viewport().grab().toImage().pixelColor(corner.x() + 2, corner.y() + 2)
    text.setTextCursor(text._cursor(placed.start - 4, placed.end + 4))
    after = text.viewport().grab().toImage().pixelColor(corner.x() + 2, corner.y() + 2)
    palette = text.palette()
    assert before == colour("paper")
    groups = (palette.ColorGroup.Active, palette.ColorGroup.Inactive)
    assert after in [palette.color(group, palette.ColorRole.Highlight) for group in groups]


@pytest.mark.parametrize(
    "words", ["The share", "water $x*y*z$", "$M =", "is tall", "The end.", "$\\omega_1$"]
)
def test_markers_are_painted_at_the_words_they_mark(
    view: ReaderView, text: ReaderText, qtbot: QtBot, words: str
) -> None:
    assert text.shown is not None
    at = span(text.shown, words)
    view.set_citations([cited(1, at)])
    view.show_span(at)
    settle(view, qtbot)
    ((place, end),) = text.active_places()
    assert text._builder is not None
    place, end = text._builder.formulas.whole(place, end)
    (area,) = text._geometry().rects(place, end)
    ground = colour("evidence_on")
    image = text.viewport().grab().toImage()
    left, middle = int(area.left()) - 1, int(area.center().y())
    assert image.pixelColor(left, middle) == ground
    assert image.pixelColor(int(area.right()) + 1, middle) == ground
    assert image.pixelColor(int(area.right()) + 6, middle) != ground
    assert image.pixelColor(left, int(area.top()) - 4) != ground


def test_words_behind_formulas_are_found(view: ReaderView, text: ReaderText, qtbot: QtBot) -> None:
    view.open_find()
    type_query(view, qtbot, "pmatrix")
    assert len(text._hits) == 2
    (area,) = text._geometry().rects(*next(text._places(text._hits[0])))
    assert area.width() == pytest.approx(box(text, the(text, "pmatrix")).width(), abs=2)


@pytest.mark.parametrize("dark", [False, True])
def test_ink_is_that_of_the_theme_and_of_what_is_marked(
    view: ReaderView, text: ReaderText, qtbot: QtBot, themed: Themed, dark: bool
) -> None:
    themed(dark)
    qtbot.waitUntil(lambda: text.is_complete)
    placed = the(text, "\\frac{a_i}")
    assert text._formula_ink(placed) == colour("text")
    assert ink_in(text.viewport(), box(text, placed), colour("paper")) > 8
    assert text.shown is not None
    view.show_span(span(text.shown, "The share $\\frac{a_i}{b^{*}_i}$"))
    assert text._formula_ink(the(text, "\\frac{a_i}")) == colour("evidence_ink")


def test_formulas_follow_the_zoom(text: ReaderText, qtbot: QtBot) -> None:
    before = box(text, the(text, "x*y*z")).width()
    text.set_pixels(30)
    qtbot.waitUntil(lambda: text.is_complete)
    assert box(text, the(text, "x*y*z")).width() == pytest.approx(2 * before, rel=0.1)


def test_formula_that_is_too_wide_is_scaled_down_as_the_window_is_and_grows_again(
    view: ReaderView, qtbot: QtBot
) -> None:
    show(
        view,
        qtbot,
        shown(version("Words before.\n\n$$" + " + ".join(f"x_{{{n}}}" for n in range(10)) + "$$\n")),
    )
    view.resize(800, 600)
    wait_until_drawn(qtbot)
    (placed,) = formulas(view._text)
    assert placed.scale == 1
    view.resize(330, 600)
    qtbot.waitUntil(lambda: 0.5 < placed.scale < 1)
    block = view._text.document().findBlock(placed.start)
    assert block.layout().lineCount() == 1
    assert box(view._text, placed).right() <= view._text._column[1] + 1
    view.resize(800, 600)
    qtbot.waitUntil(lambda: placed.scale == 1)


def test_formula_drawn_late_leaves_what_is_read_in_its_place(view: ReaderView, qtbot: QtBot) -> None:
    lines = [f"Line {n} holds $\\frac{{\\Omega_{{{n}}}}}{{2}}$ and words to read.\n" for n in range(60)]
    made = shown(version("\n".join(lines)))
    show(view, qtbot, made)
    at = span(made, "Line 40")
    view.show_span(at)
    text = view._text
    place = next(text._places(text._active or ReadingSpan(0, 0)))
    before = text._geometry().span(*place)
    wait_until_drawn(qtbot)
    after = text._geometry().span(*place)
    assert all(placed.drawing is not None for placed in formulas(text))
    assert before is not None
    assert after is not None
    assert after[0] == pytest.approx(before[0], abs=3)


def test_right_to_left_text_keeps_its_formulas_whole(view: ReaderView, qtbot: QtBot) -> None:
    show(view, qtbot, shown(version("يسجل المقياس $h_0 = \\frac{a}{b}$ مستوى الماء كل يوم.\n")))
    wait_until_drawn(qtbot)
    (placed,) = formulas(view._text)
    area = box(view._text, placed)
    assert placed.drawing is not None
    assert area.width() == pytest.approx(placed.drawing.width * placed.pixels, abs=6)
    assert ink_in(view._text.viewport(), area, colour("paper")) > 8


MATHML = "<math><mfrac><mi>p</mi><mi>q</mi></mfrac></math>"


def test_mathml_of_the_page_is_drawn_where_its_markdown_has_characters_only(
    view: ReaderView, qtbot: QtBot
) -> None:
    block = Block(char_start=0, char_end=18, html=f"<p>Half is {MATHML} of it.</p>")
    made = version("Half is $pq$ of it", blocks=(block,), html=block.html, url="https://x.example/a")
    show(view, qtbot, shown(made))
    wait_until_drawn(qtbot)
    (placed,) = formulas(view._text)
    assert (placed.formula.kind, placed.formula.source) == ("mathml", MATHML)
    assert placed.drawing is not None


def test_accessible_text_is_the_source(text: ReaderText) -> None:
    from PySide6.QtGui import QAccessible

    interface = QAccessible.queryAccessibleInterface(text)
    assert interface is not None
    spoken = interface.textInterface()
    assert "$c = \\sqrt{g d}$" in spoken.text(0, spoken.characterCount())


Picture = Callable[[QWidget, str], Path]


@pytest.mark.parametrize("dark", [False, True])
def test_pictures(view: ReaderView, qtbot: QtBot, themed: Themed, picture: Picture, dark: bool) -> None:
    themed(dark)
    view.resize(700, 900)
    made: ReaderDocument = shown(version((PAGES / "field_equations.md").read_text("utf-8")))
    show(view, qtbot, made)
    wait_until_drawn(qtbot)
    view.set_matches([span(made, "The phase lag is"), span(made, "In shallow water $c^2 = g d$")])
    view.show_span(span(made, "The rotation $R"))
    settle(view, qtbot)
    picture(view, "reader-formulas-dark" if dark else "reader-formulas")
