"""Tables can be read: lines between rows, whole words, a page that scrolls to the last column, long ones as one."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextBlock
from pytestqt.qtbot import QtBot

from tests.support.reader import settle, show, span
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.reader.formats import LONGEST_CELL, MOST_CELLS, PIECE_CELLS
from webrag_desktop.gui.reader.reader_pane import ReaderView

Themed = Callable[[bool], None]


def table(rows: int, columns: int, word: str = "telecommunication") -> str:
    """A table whose cells name their row and column."""
    head = "".join(f"| Column{column} " for column in range(columns)) + "|\n" + "|---" * columns + "|\n"
    return head + "".join(
        "".join(f"| {word} r{row}c{column} " for column in range(columns)) + "|\n" for row in range(rows)
    )


def document_of(markdown: str) -> ReaderDocument:
    return shown(version(f"Before it.\n\n{markdown}\nAfter it.\n"))


def cells(view: ReaderView) -> Iterator[QTextBlock]:
    """The paragraphs that stand in tables."""
    block = view._text.document().begin()
    while block.isValid():
        if block.text().startswith(("Column", "telecommunication", "x ")):
            yield block
        block = block.next()


def places(view: ReaderView, document: ReaderDocument, words: str) -> tuple[float, float, float]:
    """The left, right and top of words in the viewport."""
    at = span(document, words)
    start, end = document.trace.to_reading(at.char_start, at.char_end)
    ((first, last),) = view._text._builder.map.places(start, end)  # type: ignore[union-attr]
    (rect,) = view._text._geometry().rects(first, last)
    return rect.left(), rect.right(), rect.top()


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_a_wide_table_keeps_its_words_whole_and_the_page_scrolls_to_what_is_read(
    view: ReaderView, qtbot: QtBot, direction: Qt.LayoutDirection
) -> None:
    view.setLayoutDirection(direction)
    document = document_of(table(4, 12))
    show(view, qtbot, document)
    text = view._text
    assert {block.layout().lineCount() for block in cells(view)} == {1}
    qtbot.waitUntil(text.horizontalScrollBar().isVisible)
    for words in ("After it", "r3c11", "Before it", "r0c6", "r1c0"):
        view.show_span(span(document, words))
        settle(view, qtbot)
        left, right, _ = places(view, document, words)
        assert 0 <= left < right <= text.viewport().width(), words


def test_a_table_that_has_room_breaks_no_word_and_scrolls_nowhere(view: ReaderView, qtbot: QtBot) -> None:
    prose = "Words that go on and on, so that the column beside has to leave room for them. " * 3
    show(
        view,
        qtbot,
        document_of(f"| configuration | {prose} |\n|---|---|\n| telecommunication | x {prose} |\n"),
    )
    lines = [block.layout().lineCount() for block in cells(view)]
    assert lines[0] == 1
    assert lines[1] > 2
    assert not view._text.horizontalScrollBar().isVisible()
    view.clear()
    show(view, qtbot, document_of(table(2, 12)))
    qtbot.waitUntil(view._text.horizontalScrollBar().isVisible)
    view.clear()
    show(view, qtbot, document_of("No table.\n"))
    assert not view._text.horizontalScrollBar().isVisible()


def test_a_long_table_looks_like_one_though_it_is_set_in_pieces(view: ReaderView, qtbot: QtBot) -> None:
    rows = 3 * PIECE_CELLS // 4
    document = document_of(table(rows, 4, "x"))
    show(view, qtbot, document)
    assert len(view._text.document().rootFrame().childFrames()) > 2
    at = [[places(view, document, f"r{row}c{column} ") for column in (0, 3)] for row in range(rows)]
    assert len({left for (left, _, _), _ in at}) == len({left for _, (left, _, _) in at}) == 1
    tops = [first[2] for first, _ in at]
    assert len({round(below - above, 3) for above, below in pairwise(tops)}) == 1


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("rows", [3, MOST_CELLS])
def test_rows_are_parted_by_lines(
    view: ReaderView, qtbot: QtBot, themed: Themed, dark: bool, rows: int
) -> None:
    """Also in a table that is too large for columns."""
    document = document_of(table(rows, 2, "x"))
    show(view, qtbot, document)
    themed(dark)

    def is_parted() -> None:  # the theme has the page laid out once more, whenever it comes to that
        assert view._text.is_complete
        picture = view._text.viewport().grab().toImage()
        line = QColor(colour("line_strong")).rgb()
        for row in range(2):
            left, _, above = places(view, document, f"r{row}c0 ")
            below = places(view, document, f"r{row + 1}c0 ")[2]
            heights = range(round(above), round(below))
            assert sum(picture.pixel(round(left) + 2, y) == line for y in heights) == 1

    qtbot.waitUntil(is_parted, timeout=30_000)


def test_columns_of_a_table_set_in_lines_stand_below_each_other(view: ReaderView, qtbot: QtBot) -> None:
    rows = "".join(f"| {'a' * (1 + row % 12)} r{row}c0 | r{row}c1 |\n" for row in range(MOST_CELLS))
    document = document_of(f"| A | B |\n|---|---|\n{rows}")
    show(view, qtbot, document)
    assert not view._text.document().rootFrame().childFrames()
    assert len({round(places(view, document, f"r{row}c1")[0]) for row in range(12)}) == 1


def test_a_row_too_long_to_be_laid_out_at_once_is_set_in_lines(view: ReaderView, qtbot: QtBot) -> None:
    """A row is the least that a piece of a table holds."""
    document = document_of(table(1, 15, "x" * (LONGEST_CELL - 100)))
    show(view, qtbot, document)
    assert not view._text.document().rootFrame().childFrames()


def test_a_table_in_a_quote_stands_in_beside_its_edge(view: ReaderView, qtbot: QtBot) -> None:
    quoted = "".join(f"> {line}\n" for line in table(2, 2, "x").splitlines())
    document = document_of(quoted)
    show(view, qtbot, document)
    ((left, _, _), (before, _, _)) = (places(view, document, words) for words in ("x r0c0", "Before"))
    assert left > before + view._text._formats.indent(document.blocks[1])
    (edge,) = view._text._builder.decorations["quote"]  # type: ignore[union-attr]
    (frame,) = view._text.document().rootFrame().childFrames()
    assert edge.start == frame.firstPosition()
