"""Texts of shapes that nobody meant to read: they are cut into what a window can lay out, and read exactly."""

import pytest
from PySide6.QtGui import QTextTable
from pytestqt.qtbot import QtBot

from tests.support.reader import show
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.view_data import ReaderDocument, SpanReference
from webrag_desktop.gui.views import reader_page
from webrag_desktop.gui.views.reader import ReaderView
from webrag_desktop.gui.views.reader_building import LONGEST_LINE, LONGEST_PIECE, LONGEST_ROW, MOST_CELLS
from webrag_desktop.gui.views.reader_formats import DEEPEST
from webrag_desktop.gui.views.reader_page import Stretch


def longest_paragraph(view: ReaderView) -> int:
    block, longest = view._text.document().begin(), 0
    while block.isValid():
        longest = max(longest, block.length() - 1)
        block = block.next()
    return longest


def check_reads_exactly(view: ReaderView, made: ReaderDocument, step: int, size: int) -> None:
    """Highlight, select and copy stretches all over the text, across where it was cut."""
    reading, text = made.trace.reading, view._text
    for start in range(0, len(reading) - size, step):
        text.set_active(Stretch(start, start + size))
        places = text.active_places()
        read = text.active_reading()
        assert read is not None
        assert reading[slice(*read)].strip("\n") == reading[start : start + size].strip("\n")
        text.setTextCursor(text._cursor(places[0][0], places[-1][1]))
        assert text.selected_text() == made.trace.display[slice(*read)]


@pytest.mark.parametrize("line", ["x = call(one, 🧭); " * 600, "潮位計は六分" * 1500, "ab" * 5000])
def test_code_on_one_line_is_cut_and_reads_exactly(view: ReaderView, qtbot: QtBot, line: str) -> None:
    made = shown(version(f"```\nfirst\n{line}\nlast\n```\n"))
    show(view, qtbot, made)
    assert 0 < longest_paragraph(view) <= 2 * LONGEST_LINE
    check_reads_exactly(view, made, 131, 300)
    code = made.markdown.index(line)
    view.show_span(SpanReference(made.document_id, made.version_id, code, code + len(line)))
    assert view.highlighted_text() == line
    assert len(view._text.active_places()) > 1


def wide_table(rows: int, columns: int) -> str:
    head = "| " + " | ".join(f"c{n}" for n in range(columns)) + " |\n|" + "---|" * columns + "\n"
    return head + "| a | b |\n" * rows


@pytest.mark.parametrize(("rows", "columns"), [(2, 3000), (90, 300), (4, 60), (MOST_CELLS // 20, 21)])
def test_a_table_too_wide_for_columns_is_set_in_lines(
    view: ReaderView, qtbot: QtBot, rows: int, columns: int
) -> None:
    made = shown(version(wide_table(rows, columns)))
    show(view, qtbot, made)
    assert not tables(view)
    assert longest_paragraph(view) <= LONGEST_ROW
    check_reads_exactly(view, made, 97, 60)


def test_a_cell_too_long_for_a_table_is_set_in_lines(view: ReaderView, qtbot: QtBot) -> None:
    show(view, qtbot, shown(version("| a | b |\n|---|---|\n| " + "word " * LONGEST_PIECE + " | c |\n")))
    assert not tables(view)


def test_a_table_that_fits_has_columns(view: ReaderView, qtbot: QtBot) -> None:
    show(view, qtbot, shown(version(wide_table(8, 8))))
    assert len(tables(view)) == 1


def tables(view: ReaderView) -> list[QTextTable]:
    frames = view._text.document().rootFrame().childFrames()
    return [frame for frame in frames if isinstance(frame, QTextTable)]


def test_quotes_in_quotes_stand_in_only_so_far(view: ReaderView, qtbot: QtBot) -> None:
    show(view, qtbot, shown(version("> " * 3000 + "deep\n\n" + "> " * DEEPEST + "twelve\n")))
    text, margins = view._text, set()
    for words in ("deep", "twelve"):
        at = text.toPlainText().index(words)
        margins.add(text.document().findBlock(at).blockFormat().leftMargin())
    assert len(margins) == 1
    assert margins.pop() < text.viewport().width() / 2
    assert max(edge.depth for edge in text._builder.decorations["quote"]) == DEEPEST  # type: ignore[union-attr]


def test_lines_of_a_slow_text_are_broken_once_for_several_sizes(
    view: ReaderView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(view, qtbot, shown(version("word " * 400)))
    text = view._text
    broken: list[int] = []  # the widths that lines were broken for
    monkeypatch.setattr(reader_page, "_QUICK", 0.0)
    set_margins = text._set_margins

    def count(*, anew: bool = False) -> None:
        broken.append(text.viewport().width())
        set_margins(anew=anew)

    monkeypatch.setattr(text, "_set_margins", count)
    for width in range(600, 1000, 10):
        view.resize(width, 420)
    assert set(broken) <= {600, 600 - text.verticalScrollBar().width()}
    width = text.viewport().width()
    qtbot.waitUntil(lambda: broken[-1] == width)
    left, right = text._column
    assert abs(left - (width - right)) <= 2
    assert len(broken) <= 3


def test_what_was_in_sight_stays_until_what_is_wanted_stands_there(
    view: ReaderView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_page, "_PATIENCE", 60.0)
    made = shown(version("\n\n".join(f"Paragraph {n} " + "of words " * 30 for n in range(200))))
    at = made.markdown.index("Paragraph 150")
    view.show_document(made)
    view.show_span(SpanReference(made.document_id, made.version_id, at, at + 13))
    text = view._text
    assert not text.is_complete
    assert not text.updatesEnabled()
    qtbot.waitUntil(text.updatesEnabled)
    top, bottom = text._geometry().span(*text.active_places()[0]) or (-1.0, -1.0)
    assert 0 <= top < bottom <= text.viewport().height()
