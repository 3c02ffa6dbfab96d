"""Finding words in the text being read."""

from uuid import UUID

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.support.reader import show, type_query
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.data.view_data import ReaderDocument
from webrag_desktop.gui.reader.reader_pane import ReaderView


def test_finding_goes_through_all_places(view: ReaderView, qtbot: QtBot, document: ReaderDocument) -> None:
    show(view, qtbot, document)
    type_query(view, qtbot, "the HUT")
    field = view._bar._field
    assert view._bar._count.text() == "1 of 3"
    hits = [document.trace.reading[hit.start : hit.end] for hit in view._text._hits]
    assert hits == ["The hut", "The hut", "the hut"]
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert view._bar._count.text() == "2 of 3"
    QTest.keyClick(field, Qt.Key.Key_F3)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert view._bar._count.text() == "1 of 3"
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert view._bar._count.text() == "3 of 3"
    QTest.keyClick(view._text, Qt.Key.Key_F3)
    assert view._bar._count.text() == "1 of 3"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not view._bar.isVisible()
    assert view._text._hits == ()
    assert view.highlighted_span() is None


def test_finding_is_literal_and_says_when_there_is_nothing(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    type_query(view, qtbot, "hut.*shore")
    assert view._bar._count.text() == "Not in this text"
    assert not view._bar._next.isEnabled()
    type_query(view, qtbot, "Instruments on the table a mirror")
    assert view._bar._count.text() == "Not in this text"


def test_finding_reaches_over_line_ends_and_cells(view: ReaderView, qtbot: QtBot) -> None:
    made = shown(version("one\ntwo\n\n| a | b |\n|---|---|\n| c | d |\n"))
    show(view, qtbot, made)
    for query in ("one two", "c d"):
        type_query(view, qtbot, query)
        assert view._bar._count.text() == "1 of 1"
        view._finding.close()


def test_finding_goes_on_in_the_next_document(
    view: ReaderView, qtbot: QtBot, document: ReaderDocument
) -> None:
    show(view, qtbot, document)
    type_query(view, qtbot, "hut")
    other = shown(version("no such thing, but a HUT").model_copy(update={"id": UUID(int=7)}))
    show(view, qtbot, other)
    assert view._bar._count.text() == "1 of 1"
