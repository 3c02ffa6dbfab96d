"""Texts of shapes that nobody meant to read: they are cut into what a window can lay out, and read exactly."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtGui import QTextDocument, QTextTable
from pytestqt.qtbot import QtBot

from tests.support.reader import show
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.data.reader import ReaderBlock, StyledRange
from webrag_desktop.gui.data.view_data import ReaderDocument, SpanReference
from webrag_desktop.gui.reader import page as reader_page
from webrag_desktop.gui.reader.building import LONGEST_LINE, LONGEST_PIECE, LONGEST_ROW, ReaderBuilder
from webrag_desktop.gui.reader.formats import DEEPEST, MOST_CELLS, MOST_TABLE_STYLES, Formats
from webrag_desktop.gui.reader.page import ReadingSpan
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.gui.reader.text_document import MOST_RUNS, StyleRuns


def longest_paragraph(view: ReaderView) -> int:
    block, longest = view._text.document().begin(), 0
    while block.isValid():
        longest = max(longest, block.length() - 1)
        block = block.next()
    return longest


def check_reads_exactly(view: ReaderView, made: ReaderDocument, step: int, size: int) -> None:
    """Highlight, select and copy spans all over the text, across where it was cut."""
    reading, text = made.trace.reading, view._text
    for start in range(0, len(reading) - size, step):
        text.set_active(ReadingSpan(start, start + size))
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


class Counted(tuple[StyledRange, ...]):
    """Styles that count how many of them have been looked at."""

    looked_at = 0

    def __iter__(self) -> Iterator[StyledRange]:
        for one in super().__iter__():
            self.looked_at += 1
            yield one


@pytest.mark.parametrize("words", ["*word* and ", "*a*b"])
def test_a_paragraph_of_many_styles_is_set_a_few_at_a_time(
    view: ReaderView, qtbot: QtBot, words: str
) -> None:
    made = shown(version(words * 3000))
    (block,) = made.blocks
    styles = Counted(block.styles)
    made = replace(made, blocks=(replace(block, styles=styles),))
    styles.looked_at = 0  # the trace has looked for line breaks
    builder = ReaderBuilder(QTextDocument(), made, Formats(15))
    looked_at = [styles.looked_at for _step in builder._all_steps()]
    steps = [after - before for before, after in pairwise([0, *looked_at])]
    assert sum(steps) == len(styles) >= 3000
    assert max(steps) <= MOST_RUNS
    show(view, qtbot, made)
    assert most_formats(view) <= MOST_RUNS
    check_reads_exactly(view, made, 401, 300)


def most_formats(view: ReaderView) -> int:
    """How many formats the paragraph has that has most of them."""
    block, most = view._text.document().begin(), 0
    while block.isValid():
        most = max(most, len(block.textFormats()))
        block = block.next()
    return most


def test_styles_that_overlap_hold_where_they_should() -> None:
    ranges = [
        (0, 9, "bold"),
        (2, 5, "italic"),
        (2, 2, "code"),
        (4, 12, "link"),
        (4, 5, "break"),
        (9, 11, "bold"),
    ]
    styles = tuple(StyledRange(start, end, style) for start, end, style in ranges)  # type: ignore[arg-type]
    block = ReaderBlock("paragraph", "x" * 15, (), styles=styles)
    found = list(StyleRuns(block).between(1, 14))
    for start, end, held in found:
        for at in range(start, end):
            wanted = {s.style for s in styles if s.start <= at < s.end and s.style != "break"}
            assert held == wanted, at
    assert [start for start, _, _ in found] == [1, 2, 4, 5, 9, 11, 12]
    assert all(end == start for (_, end, _), (start, _, _) in pairwise(found))


@pytest.mark.parametrize(("more", "laid_out"), [("", 1), ("*c*", 0)])
def test_a_table_of_many_styles_is_set_in_lines(
    view: ReaderView, qtbot: QtBot, more: str, laid_out: int
) -> None:
    cell = "| " + "*a* " * (MOST_TABLE_STYLES // 2)
    made = shown(version(f"| a | b | c |\n|---|---|---|\n{cell}{cell}| {more} |\n"))
    assert len(made.blocks[0].styles) == MOST_TABLE_STYLES + bool(more)
    show(view, qtbot, made)
    assert len(tables(view)) == laid_out


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

    def count(*, rebreaking: bool = False) -> None:
        broken.append(text.viewport().width())
        set_margins(rebreaking=rebreaking)

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
