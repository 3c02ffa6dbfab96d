"""The Research view where reading goes from right to left: painted, clicked, walked and opened the other way round."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.result_lists import (
    Key,
    Left,
    NoModifier,
    button_center,
    double_click,
    hover,
    menu_of,
    reported,
)
from tests.support.reader import COILS, TEXT, show, span, titled, wait_laid_out
from tests.support.shown import VOLTAGE, citation, citations, many_groups, results
from tests.unit.gui.test_reader_document import shown, version
from webrag_desktop.gui.citations.citation_delegate import NUMBER_LEFT
from webrag_desktop.gui.citations.citation_list import CitationsView
from webrag_desktop.gui.data.view_data import CitationState, OutlineEntry
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.gui.kit.widgets.buttons import push_button
from webrag_desktop.gui.reader.outline import OutlineView, sections
from webrag_desktop.gui.reader.page import ReadingSpan
from webrag_desktop.gui.reader.reader_pane import ReaderView
from webrag_desktop.gui.research.result_list import ResultList
from webrag_desktop.gui.research.result_pages import Skeleton
from webrag_desktop.gui.research.results_pane import ResultsView

TABLE = (
    "| " + " | ".join(f"column{at}" for at in range(30)) + " |\n" + "|---" * 30 + "|\n" + "| x " * 30 + "|\n"
)


_ALIKE = 12  # of three channels together: what is drawn solid
_RING = 12  # pixels in which the keyboard's ring stands


@pytest.fixture
def mirrored(application: QApplication) -> Iterator[QApplication]:
    """The interface of a language that is written from right to left."""
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield application
    application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def test_a_number_stays_before_its_word_on_a_button(application: QApplication, qtbot: QtBot) -> None:
    """Words that run from left to right are drawn as they are where the interface runs the other way."""
    button = push_button("4 references", "bare")
    qtbot.addWidget(button)
    button.show()
    usual = button.grab().toImage()
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    mirrored = button.grab().toImage()
    application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    assert mirrored == usual


def filled_list(qtbot: QtBot) -> ResultList:
    made = ResultList()
    qtbot.addWidget(made)
    made.resize(644, 800)
    made.show()
    made.show_results(results())
    made.set_citations(citations())
    made.setFocus()
    qtbot.waitUntil(made.viewport().updatesEnabled)  # results are painted in a turn of their own
    return made


@pytest.fixture
def walked(qtbot: QtBot, mirrored: QApplication) -> ResultList:
    return filled_list(qtbot)


@pytest.fixture
def cited(qtbot: QtBot, mirrored: QApplication) -> CitationsView:
    made = CitationsView()
    qtbot.addWidget(made)
    made.resize(568, 520)
    made.show()
    made.show_citations(citations())
    made.focus_list()
    QApplication.processEvents()
    return made


def columns(widget: QWidget, wanted: QColor, rows: range, inset: int = 0) -> list[int]:
    """Where a widget shows a colour, or one much like it, in some of its rows."""
    image, found = widget.grab().toImage(), set[int]()
    for y in rows:
        for x in range(inset, image.width() - inset):
            seen = image.pixelColor(x, y)
            parts = (seen.red() - wanted.red(), seen.green() - wanted.green(), seen.blue() - wanted.blue())
            if sum(map(abs, parts)) < _ALIKE:
                found.add(x)
    return sorted(found)


def extent(widget: QWidget, wanted: QColor, rows: range, inset: int = 0) -> tuple[int, int]:
    found = columns(widget, wanted, rows, inset)
    return found[0], found[-1]


# -- Results ------------------------------------------------------------------------------------------------------


def test_a_passage_is_painted_the_other_way_round(qtbot: QtBot, application: QApplication) -> None:
    view = filled_list(qtbot)
    view.select_passage(VOLTAGE.chunk_id)
    QApplication.processEvents()
    row = view.visualRect(view.currentIndex())
    laid = view.delegate.layout(view.currentIndex())
    chip = range(row.top() + int(laid.place.top()) + 4, row.top() + int(laid.place.bottom()) - 4)
    usual = extent(view.viewport(), colour("accent"), chip, _RING)
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        QApplication.processEvents()
        other = extent(view.viewport(), colour("accent"), chip, _RING)
        assert view.visualRect(view.currentIndex()).height() == row.height()
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    width = view.viewport().width()
    assert usual[0] < 30
    assert other == (width - 1 - usual[1], width - 1 - usual[0])


def test_the_text_keeps_its_own_direction_at_the_mirrored_place(walked: ResultList) -> None:
    QApplication.processEvents()
    row, laid = walked.visualRect(walked.currentIndex()), walked.delegate.layout(walked.currentIndex())
    top = row.top() + int(laid.text_at.y())
    lines = range(top, top + int(laid.text.height))
    left, right = extent(walked.viewport(), colour("evidence_on"), lines)
    begins = walked.viewport().width() - laid.text_at.x() - laid.text.width
    assert left == pytest.approx(begins - 2, abs=1)  # a line that is marked from its beginning
    assert right < walked.viewport().width() - laid.text_at.x() + 3


def test_painted_buttons_are_where_they_are_seen(walked: ResultList) -> None:
    signals = {
        "cite": reported(walked.cite_toggled),
        "open": reported(walked.open_requested),
        "copy": reported(walked.copied),
    }
    places = [button_center(walked, command) for command in signals]
    assert [place.x() for place in places] == sorted((place.x() for place in places), reverse=True)
    for place, got in zip(places, signals.values(), strict=True):
        QTest.mouseClick(walked.viewport(), Left, NoModifier, place)
        assert len(got()) == 1
    seen = walked.viewport().grab().toImage().pixelColor(places[0] - QPoint(0, 10))
    assert seen == colour("accent")  # the button of a cited passage is filled


def test_a_hovered_button_is_the_one_under_the_pointer(walked: ResultList) -> None:
    hover(walked, button_center(walked, "browse"))
    hovered = [
        placed.button.command
        for placed in walked.delegate.buttons(walked.currentIndex())
        if walked.delegate.is_hovered(walked.currentIndex(), placed)
    ]
    assert hovered == ["browse"]


def test_a_click_at_the_right_edge_closes_a_document(walked: ResultList) -> None:
    report = walked.results.index(1, 0)
    row = walked.visualRect(report)
    QTest.mouseClick(walked.viewport(), Left, NoModifier, QPoint(20, row.top() + 20))
    assert walked.isExpanded(report)
    edge = QPoint(walked.viewport().width() - 20, walked.visualRect(report).top() + 20)
    QTest.mouseClick(walked.viewport(), Left, NoModifier, edge)
    assert not walked.isExpanded(report)
    double_click(walked, QPoint(20, walked.visualRect(report).top() + 20))
    assert walked.isExpanded(report)


def test_arrows_close_and_open_as_they_point(walked: ResultList) -> None:
    document = walked.currentIndex().parent()
    QTest.keyClick(walked, Key.Key_Right)
    assert walked.currentIndex() == document
    assert menu_of(walked).actions()[0].shortcut().toString() == "Right"
    QTest.keyClick(walked, Key.Key_Right)
    assert not walked.isExpanded(document)
    assert menu_of(walked).actions()[0].shortcut().toString() == "Left"
    QTest.keyClick(walked, Key.Key_Left)
    assert walked.isExpanded(document)
    QTest.keyClick(walked, Key.Key_Left)
    assert walked.passage() is VOLTAGE


def test_rows_stay_at_the_right_edge_without_a_scroll_bar(qtbot: QtBot, walked: ResultList) -> None:
    walked.show_results(results(many_groups(1, 1)))
    qtbot.waitUntil(lambda: not walked.verticalScrollBar().isVisible())
    qtbot.waitUntil(walked.viewport().updatesEnabled)
    row = walked.visualRect(walked.currentIndex())
    rows = range(row.top() + 10, row.top() + 20)
    _, right = extent(walked.viewport(), colour("accent_soft"), rows)
    assert walked.viewport().width() > walked.row_width
    assert right >= walked.viewport().width() - 12


def test_the_menu_of_orders_ends_where_its_button_does(qtbot: QtBot, mirrored: QApplication) -> None:
    view = ResultsView()
    qtbot.addWidget(view)
    view.resize(644, 400)
    view.move(200, 100)
    view.show()
    view.show_results(results())
    view._order.click()
    menu = mirrored.activePopupWidget()
    assert isinstance(menu, QMenu)
    button = view._order.mapToGlobal(view._order.rect().topRight())
    assert menu.geometry().right() == button.x()
    menu.close()


def test_shapes_of_results_to_come_begin_at_the_right(qtbot: QtBot, mirrored: QApplication) -> None:
    shapes = Skeleton()
    qtbot.addWidget(shapes)
    shapes.resize(644, 300)
    shapes.show()
    left, right = extent(shapes, colour("line"), range(300))
    assert right > 644 - 24
    assert left > 20


# -- Citations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 1234])
def test_a_citation_is_painted_the_other_way_round(cited: CitationsView, number: int) -> None:
    cited.show_citations([replace(citations()[0], number=number)])
    cited.select_number(1)
    QApplication.processEvents()
    list_ = cited.list
    row, laid = list_.visualRect(list_.currentIndex()), list_.delegate.layout(list_.currentIndex())
    first = range(row.top() + 14, row.top() + 24)
    width = list_.viewport().width()
    _, pill_right = extent(list_.viewport(), colour("ok_soft"), first)
    chip_left, chip_right = extent(list_.viewport(), colour("accent"), first, _RING)
    assert pill_right <= width - laid.pill
    assert chip_right == width - 1 - NUMBER_LEFT
    assert (chip_right - chip_left > 30) == (number > 1000)


def test_buttons_of_a_citation_are_where_they_are_seen(cited: CitationsView, qtbot: QtBot) -> None:
    cited.move(200, 100)
    cited.select_number(1)
    index = cited.list.currentIndex()
    copy = cited.list.delegate.button_rect(index, "copy")
    reference = cited.list.delegate.button_rect(index, "reference")
    assert copy is not None
    assert reference is not None
    assert reference.right() < copy.left()
    QTest.mouseClick(cited.list.viewport(), Left, NoModifier, copy.center().toPoint())
    assert QGuiApplication.clipboard().text() == citations()[0].quote
    QTest.mouseClick(cited.list.viewport(), Left, NoModifier, reference.center().toPoint())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    edge = cited.list.viewport().mapToGlobal(reference.toRect().topRight())
    assert menu.geometry().right() == edge.x()
    menu.close()


def test_the_way_to_a_lost_quote_follows_its_reason(cited: CitationsView) -> None:
    lost = next(row for row in citations() if row.state is CitationState.LOST)
    index = cited.list.citations.find(lost.id)
    laid, opened = cited.list.delegate.layout(index), reported(cited.open_requested)
    link = cited.list.delegate.button_rect(index, "open")
    assert link is not None
    assert laid.explanation is not None
    row = cited.list.visualRect(index)
    reported_rows = range(row.top() + int(laid.explanation_at.y()), row.top() + row.height() - 4)
    left, right = extent(cited.list.viewport(), colour("bad"), reported_rows)
    assert link.right() < left
    assert right == pytest.approx(cited.list.viewport().width() - laid.explanation_at.x(), abs=10)
    QTest.mouseClick(cited.list.viewport(), Left, NoModifier, link.center().toPoint())
    assert opened() == [lost]


# -- The reader ---------------------------------------------------------------------------------------------------


@pytest.fixture
def reader(qtbot: QtBot, mirrored: QApplication) -> ReaderView:
    made = ReaderView()
    qtbot.addWidget(made)
    made.resize(568, 420)
    made.show()
    return made


def test_numbers_stand_at_the_right_of_the_text(reader: ReaderView, qtbot: QtBot) -> None:
    document = titled(shown(version(TEXT)))
    show(reader, qtbot, document)
    place = span(document, COILS)
    row = replace(
        citation(VOLTAGE, 1),
        version_id=place.version_id,
        char_start=place.char_start,
        char_end=place.char_end,
    )
    reader.set_citations([row])
    reader.show_span(place)
    QApplication.processEvents()
    wait_laid_out(reader, qtbot)
    viewport = reader._text.viewport()
    left, right = extent(viewport, colour("evidence_edge"), range(viewport.height()))
    column_left, column_right = reader._text._column
    assert column_right < left <= right < column_right + 12
    chip_left, _ = extent(viewport, colour("accent"), range(viewport.height()))
    assert chip_left > right
    assert column_left < viewport.width() - column_right


def test_latin_text_runs_from_left_to_right_all_the_same(reader: ReaderView, qtbot: QtBot) -> None:
    document = titled(shown(version(TEXT)))
    show(reader, qtbot, document)
    block = reader._text.document().begin()
    while block.isValid():
        assert block.textDirection() == Qt.LayoutDirection.LeftToRight, block.text()
        block = block.next()


def test_markers_are_on_their_words_in_a_text_that_is_wider_than_the_pane(
    reader: ReaderView, qtbot: QtBot
) -> None:
    document = shown(version(TABLE))
    show(reader, qtbot, document)
    text = reader._text
    assert text.horizontalScrollBar().maximum() > 0
    at = document.markdown.index("column0")
    place = next(text._places(ReadingSpan(at, at + 1)))
    rect = next(iter(text._geometry().rects(*place)))
    assert rect.left() == pytest.approx(text.cursorRect(text._cursor(place[0], place[0])).left(), abs=2)


def test_the_outline_counts_at_the_left_and_its_words_leave_room(
    qtbot: QtBot, mirrored: QApplication
) -> None:
    outline = OutlineView()
    qtbot.addWidget(outline)
    outline.resize(240, 100)
    outline.show()
    entries = [OutlineEntry("A heading that is much too long for so narrow a list of headings", 1, 0)]
    outline.show_sections(sections(entries, [3, 5]))
    QApplication.processEvents()
    rows = range(4, 24)
    left, right = extent(outline.viewport(), colour("evidence"), rows)
    words = columns(outline.viewport(), colour("text"), rows)
    assert left < 30
    assert not set(words) & set(range(right + 1, right + 8))
    assert words[-1] > 200
