"""The outline follows the reader and leads it."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QAbstractSlider
from pytestqt.qtbot import QtBot

from tests.support.office_files import chapter, epub, file_capture
from tests.support.reader import BREAKS, COILS, show, span
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.data.view_data import OutlineEntry, ReaderDocument
from webrag_desktop.gui.reader.outline import OutlineModel, Section, sections, without_title
from webrag_desktop.gui.reader.page import ReadingSpan
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.ingestion.extract import extract


def test_sections_count_what_is_under_them() -> None:
    outline = [OutlineEntry(text, level, at) for text, level, at in
               [("a", 2, 0), ("b", 4, 10), ("c", 3, 20), ("d", 2, 30), ("e", 1, 40)]]  # fmt: skip
    assert sections(outline, [1, 12, 13, 25, 41]) == [
        Section("a", 0, 4),
        Section("b", 1, 2),
        Section("c", 1, 1),
        Section("d", 0, 0),
        Section("e", 0, 1),
    ]


def test_the_title_is_no_section() -> None:
    title, one, two = OutlineEntry("t", 1, 0), OutlineEntry("1", 2, 5), OutlineEntry("2", 2, 9)
    assert list(without_title([title, one, two])) == [one, two]
    assert list(without_title([title])) == [title]
    assert list(without_title([one, two])) == [one, two]


def test_the_outline_model_holds(qtbot: QtBot) -> None:
    model = OutlineModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_sections([Section("a", 0, 0), Section("b", 1, 2)])
    with qtbot.waitSignal(model.dataChanged):
        model.show_sections([Section("a", 0, 1), Section("b", 1, 2)])
    role = Qt.ItemDataRole.AccessibleTextRole
    assert [model.index(row).data(role) for row in range(2)] == ["a, 1 match", "b, 2 matches"]
    with qtbot.waitSignal(model.modelReset):
        model.show_sections([])


def test_the_outline_follows_and_leads(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    assert not view._outline.isVisible()
    view.set_full(True)
    view.resize(1200, 420)
    qtbot.waitUntil(lambda: view._text.is_complete and view._text._resized_from is None)
    outline = view._outline.list
    assert view._outline.isVisible()
    view.set_matches([span(document, COILS), span(document, BREAKS)])
    texts = [outline.outline.section(row).text for row in range(outline.outline.rowCount())]
    assert texts[0] == "1 The hut at Knightstown"
    voltage = texts.index("Voltage")
    assert outline.outline.section(voltage).matches == 2
    view.show_span(span(document, COILS))
    assert outline.here == voltage
    bar = view._text.verticalScrollBar()
    bar.setValue(0)
    assert outline.here < voltage
    rect = outline.visualRect(outline.outline.index(voltage))
    QTest.mouseClick(outline.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert outline.here == voltage
    assert view._text.top_position() >= document.trace.reading.index("Voltage") - 200
    outline.setFocus()
    outline.setCurrentIndex(outline.outline.index(0))
    QTest.keyClick(outline, Qt.Key.Key_Return)
    assert outline.here == 0
    QTest.keyClick(view._text, Qt.Key.Key_O)
    assert not view._outline.isVisible()
    QTest.keyClick(view._text, Qt.Key.Key_O)
    assert view._outline.isVisible()


def test_a_text_without_headings_has_no_outline(view: ReaderView, qtbot: QtBot) -> None:
    view.set_full(True)
    show(view, qtbot, shown(version("no heading at all")))
    assert not view._outline.isVisible()
    assert not view._header._outline.isVisible()


# -- A book: short chapters, headings in other words' quotes ------------------------------------------------------

WORDS = (
    "The tide turned slowly, and the keeper of the pools wrote down what he saw at the foot of the rocks. "
    * 5
)


def book() -> ReaderDocument:
    """A real EPUB of four chapters with nested contents, read as it is read when it is added."""
    chapters = {
        f"c{chapter_}.xhtml": chapter(
            f'<h1 id="c{chapter_}">Chapter {chapter_}</h1>'
            + "".join(
                f'<section id="s{chapter_}{part}"><h2>Part {chapter_}.{part}</h2><p>{WORDS}</p>'
                f"<blockquote><h3>Of the log {chapter_}.{part}</h3><p>It rained.</p></blockquote>"
                f"<p>{WORDS}</p></section>"
                for part in (1, 2)
            )
        )
        for chapter_ in range(1, 5)
    }
    listed = "".join(
        f'<li><a href="c{one}.xhtml">Chapter {one}</a><ol>'
        f'<li><a href="c{one}.xhtml#s{one}1">Part {one}.1</a></li>'
        f'<li><a href="c{one}.xhtml#s{one}2">Part {one}.2</a></li>'
        "</ol></li>"
        for one in range(1, 5)
    )
    contents = chapter(f'<nav epub:type="toc"><ol>{listed}</ol></nav>')
    document = extract(file_capture(epub(chapters, contents=contents), "book.epub", "application/epub+zip"))
    return shown(version(document.markdown, blocks=document.blocks, url="file:///book.epub"))


def marked(view: ReaderView) -> str:
    return view._outline.list.outline.section(view._outline.list.here).text


def check_marked(view: ReaderView) -> None:
    """The marked heading is the first one that is in sight, else the one above; lines that are cut count either way."""
    text, outline = view._text, view._outline
    places = (next(text._places(ReadingSpan(at, at + 1))) for at in outline._positions)
    spans = [text._geometry().span(*place) for place in places]
    tops = [span[0] / text.viewport().height() for span in spans if span is not None]
    here = outline.list.here
    first = next(row for row, top in enumerate(tops) if top >= 0)
    assert here == first or (here == first - 1 and (tops[first] > 0.2 or tops[here] > -0.06))
    assert tops[here] < 0.35


def test_the_outline_marks_the_section_at_the_top_of_a_book(view: ReaderView, qtbot: QtBot) -> None:
    view.set_full(True)
    view.resize(1200, 700)
    show(view, qtbot, book())
    bar, outline = view._text.verticalScrollBar(), view._outline.list
    names = [outline.outline.section(row).text for row in range(outline.outline.rowCount())]
    assert names == [name for one in "1234" for name in (f"Chapter {one}", f"Part {one}.1", f"Part {one}.2")]
    assert marked(view) == "Chapter 1"  # though its first part begins right below it
    for value in range(0, bar.maximum() - view._text.viewport().height(), 70):
        bar.setValue(value)
        check_marked(view)
    bar.setValue(bar.maximum())
    assert marked(view) == "Part 4.2"
    for row, name in enumerate(names):
        outline.section_chosen.emit(row)
        view.resize(1200, 690 + row)  # whatever happens to the page, one is where one went
        qtbot.waitUntil(lambda: view._text._resized_from is None)
        assert marked(view) == name
    bar.triggerAction(QAbstractSlider.SliderAction.SliderToMinimum)
    assert marked(view) == "Chapter 1"


def test_what_follows_a_quoted_heading_is_not_below_it() -> None:
    document = book()
    blocks = [block for block in document.blocks if block.kind == "heading"]
    assert [block.text.strip() for block in blocks if block.quoted][:2] == [
        "Of the log 1.1",
        "Of the log 1.2",
    ]
    assert not any(entry.text.startswith("Of the log") for entry in document.outline)
