"""Formulas in an answer: drawn while it is written, copied as their source, and shown again where there is none."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QTextCursor
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.support.formulas import ink_in, inked, wait_until_drawn
from tests.support.shown_answers import CITED, COMPLETE, WRITING, claim
from webrag_desktop.gui.data.answers import ShownAnswer
from webrag_desktop.gui.kit.mathematics.document import PlacedFormula
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.theme.fonts import font
from webrag_desktop.gui.research.answer.text import AnswerText
from webrag_desktop.text import mathematics
from webrag_desktop.text.mathematics import Formula, formulas

SAID = r"The height is $h(t) = h_0 + \sum_{i=1}^n A_i \cos(\omega_i t)$, and $A_i$ costs $5 or $10."
MATHS: ShownAnswer = replace(
    COMPLETE,
    claims=(
        claim(1, SAID, 1),
        claim(
            2, "\nIt follows from\n\n$$\n\\int_0^\\infty e^{-\\lambda s}\\,ds = \\frac{1}{\\lambda}\n$$\n", 2
        ),
        claim(3, r"\nNobody knows $\unheardof_2$.".replace("\\n", "\n"), support="unsupported"),
    ),
    citations=CITED[:2],
    draft="",
)


@pytest.fixture
def text(application: QApplication, qtbot: QtBot) -> AnswerText:
    made = AnswerText()
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    return made


def placed(text: AnswerText) -> list[PlacedFormula]:
    return list(text._written.formulas)


def written(text: AnswerText, of: PlacedFormula) -> str:
    cursor = QTextCursor(text.document())
    cursor.setPosition(of.start)
    cursor.setPosition(of.end, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText()


def area(text: AnswerText, of: PlacedFormula) -> QRectF:
    return text._written.formulas._box(of, QPointF(0, -text.verticalScrollBar().value()))[0]


def test_formulas_of_an_answer_are_drawn_in_place_of_their_source(text: AnswerText, qtbot: QtBot) -> None:
    text.show_answer(MATHS, references=True)
    before = text.toPlainText()
    wait_until_drawn(qtbot)
    assert text.toPlainText() == before
    assert [bool(one.drawing) for one in placed(text)] == [True, True, True, False]
    assert [one.formula.display for one in placed(text)] == [False, False, True, False]
    for one in placed(text):
        if one.drawing is not None:
            assert written(text, one).strip("$").split() == one.formula.source.split()
            assert ink_in(text.viewport(), area(text, one), colour("surface")) > 4
    assert text.height() >= text.document().size().height()


def test_copy_gives_the_source(text: AnswerText, qtbot: QtBot) -> None:
    text.show_answer(MATHS, references=False)
    wait_until_drawn(qtbot)
    first = placed(text)[0]
    text.setTextCursor(text.cursor_at(first.end - 1, first.end + 5))
    assert text.selected_text() == r"$h(t) = h_0 + \sum_{i=1}^n A_i \cos(\omega_i t)$, and"
    text.selectAll()
    assert SAID.removesuffix(".") in text.createMimeDataFromSelection().text()


def test_formula_is_drawn_as_soon_as_it_is_written_whole(text: AnswerText, qtbot: QtBot) -> None:
    for end in range(1, len(SAID) + 1):
        text.show_answer(replace(WRITING, claims=(), draft=SAID[:end]), references=False)
        if end in {60, len(SAID)}:
            wait_until_drawn(qtbot)
    assert [one.formula.source for one in placed(text) if one.drawing] == [
        r"h(t) = h_0 + \sum_{i=1}^n A_i \cos(\omega_i t)",
        "A_i",
    ]
    assert text.toPlainText() == SAID
    text.show_answer(replace(WRITING, claims=MATHS.claims[:1], draft=""), references=False)
    assert [bool(one.drawing) for one in placed(text)] == [True, True]


def test_what_turns_out_to_be_no_formula_is_shown_again(text: AnswerText, qtbot: QtBot) -> None:
    draft = "It costs $7$"
    text.show_answer(replace(WRITING, claims=(), draft=draft), references=False)
    wait_until_drawn(qtbot)
    assert placed(text)[0].drawing is not None
    text.show_answer(replace(WRITING, claims=(), draft=draft + "5 a day"), references=False)
    assert placed(text) == []
    looks = [text.cursor_at(at, at + 1).charFormat() for at in (2, 10)]
    assert looks[0].foreground().style() == looks[1].foreground().style()
    wide, again = (QFontMetricsF(look.font()).horizontalAdvance(draft) for look in looks)
    assert wide == again


SERIES = r"\sum_{k=1}^{n} \frac{(-1)^k x^{2k+1}}{(2k+1)!} + \int_0^\infty e^{-\lambda s}\,ds"
WIDE = f"It is\n\n$${SERIES}$$\n\nand no more."


def lines(text: AnswerText) -> list[str]:
    block, found = text.document().begin(), []
    while block.isValid():
        found.append(block.text())
        block = block.next()
    return found


def test_displayed_formula_stands_on_a_line_of_its_own_with_its_number(
    text: AnswerText, qtbot: QtBot
) -> None:
    text.show_answer(
        replace(COMPLETE, claims=(claim(1, f"It is $${SERIES}$$, as one sees.", 1),)), references=False
    )
    assert [one.strip()[:9] for one in lines(text)] == ["It is", rf"$${SERIES}"[:9], "as one se"]
    assert text.selected_text() == ""
    text.show_answer(
        replace(COMPLETE, claims=(claim(1, f"It is\n\n$$\n{SERIES}\n$$\n", 1), claim(2, "So."))),
        references=False,
    )
    wait_until_drawn(qtbot)
    qtbot.waitUntil(lambda: placed(text)[0].drawing is not None)
    assert len(lines(text)) == 3  # without empty ones
    number = text.mark_rect(0)
    formula = area(text, placed(text)[0])
    assert number.left() >= formula.right() - 1
    both = (formula.left() + number.right()) / 2
    assert abs(both - text.viewport().width() / 2) < 8
    # The room above is that of a line, not that of the source's lines.
    rows = ink_rows(text, formula)
    layout = text.document().documentLayout()
    before, after = (layout.blockBoundingRect(text.document().findBlockByNumber(at)) for at in (0, 2))
    assert 0 < rows[0] - before.bottom() < 16
    assert 0 < after.top() - rows[-1] < 20


def ink_rows(text: AnswerText, formula: QRectF) -> list[int]:
    image = text.viewport().grab().toImage()
    return sorted({y for _, y in inked(image, formula.adjusted(2, 0, -2, 0), colour("surface"))})


def test_formula_that_is_being_written_is_held_back_until_it_is_whole(text: AnswerText) -> None:
    for end in range(len("It is"), len(WIDE)):
        text.show_answer(replace(WRITING, claims=(), draft=WIDE[:end]), references=False)
        shown = text.toPlainText()
        assert shown.startswith("It is")
        assert ("sum" in shown) == (end >= WIDE.index("$$\n\nand") + 2)
    text.show_answer(replace(WRITING, claims=(), draft=WIDE[:30], stage="stopped"), references=False)
    assert text.toPlainText().startswith("It is\n$$\\sum")  # all that was written


def test_what_stands_there_is_not_read_again_for_each_word_that_comes(
    text: AnswerText, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def noted(said: str) -> list[Formula]:
        looked.append(said)
        return formulas(said)

    monkeypatch.setattr(mathematics, "formulas", noted)
    claims = tuple(claim(number, f"Claim {number} says ${number}x$.", number) for number in range(1, 9))
    draft = "Next comes $y$"
    text.show_answer(replace(WRITING, claims=claims, draft=draft), references=False)
    assert any("Claim 1" in one for one in looked)
    looked.clear()
    text.show_answer(replace(WRITING, claims=claims, draft=draft + " and more"), references=False)
    assert looked
    assert not any("Claim" in one for one in looked)
    assert [one.formula.source for one in placed(text)] == [*(f"{n}x" for n in range(1, 9)), "y"]


def test_source_that_cannot_be_drawn_is_monospaced(text: AnswerText, qtbot: QtBot) -> None:
    draft = r"Nobody knows $\unheardof_2$"
    text.show_answer(replace(WRITING, claims=(), draft=draft), references=False)
    wait_until_drawn(qtbot)
    qtbot.waitUntil(lambda: is_mono(text, 20))
    size = font_at(text, 20).pixelSize()
    assert not is_mono(text, 5)
    for more in (" and", " and more"):
        text.show_answer(replace(WRITING, claims=(), draft=draft + more), references=False)
    assert is_mono(text, 20)
    assert font_at(text, 20).pixelSize() == size
    assert not is_mono(text, len(draft) + 3)
    text.show_answer(replace(WRITING, claims=(), draft=draft + "5"), references=False)  # a price
    assert placed(text) == []
    assert font_at(text, 20) == font_at(text, 5)


def is_mono(text: AnswerText, at: int) -> bool:
    return font_at(text, at).families() == font("body", family="mono").families()


def font_at(text: AnswerText, at: int) -> QFont:
    return text.cursor_at(at, at + 1).charFormat().font()


def test_wide_formula_is_as_wide_as_the_lines_after_a_resize(text: AnswerText, qtbot: QtBot) -> None:
    text.show_answer(replace(COMPLETE, claims=(claim(1, WIDE, 1),)), references=False)
    wait_until_drawn(qtbot)
    qtbot.waitUntil(lambda: placed(text)[0].drawing is not None)
    assert placed(text)[0].scale == 1
    text.resize(160, 400)
    qtbot.waitUntil(lambda: placed(text)[0].scale < 1)
    assert area(text, placed(text)[0]).right() <= text.viewport().width()
    text.resize(600, 400)
    qtbot.waitUntil(lambda: placed(text)[0].scale == 1)


Picture = Callable[[QWidget, str], Path]


@pytest.mark.parametrize("dark", [False, True])
def test_pictures(
    text: AnswerText, qtbot: QtBot, themed: Callable[[bool], None], picture: Picture, dark: bool
) -> None:
    themed(dark)
    text.show_answer(MATHS, references=True)
    wait_until_drawn(qtbot)
    qtbot.waitUntil(lambda: all(one.drawing is not None for one in placed(text)[:3]))
    picture(text, "answer-formulas-dark" if dark else "answer-formulas")
