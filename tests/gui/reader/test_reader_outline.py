"""The outline follows the reader and leads it."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from tests.support.reader import BREAKS, COILS, show, span
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.data.view_data import OutlineEntry, ReaderDocument
from webrag_desktop.gui.reader.outline import OutlineModel, Section, sections, without_title
from webrag_desktop.gui.reader.reader_pane import ReaderView


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
