"""Chips, the strip they stand in, and the layout that wraps them."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.support.filters import FOUR
from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters
from webrag_desktop.gui.kit.widgets.choices import Chip
from webrag_desktop.gui.kit.widgets.panes import FlowLayout
from webrag_desktop.gui.research.filter_strip import FilterStrip

LEFT = Qt.MouseButton.LeftButton
Show = Callable[..., QWidget]


@pytest.fixture
def strip(show: Show) -> FilterStrip:
    made = FilterStrip()
    show(made)
    made.show_filters(FOUR)
    return made


@pytest.fixture
def mirrored(application: QApplication) -> Iterator[None]:
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def cross(chip: Chip) -> QPoint:
    return chip.cross().center().toPoint()


def test_every_filter_has_a_chip_that_says_all_of_it(strip: FilterStrip) -> None:
    assert [chip.accessibleName() for chip in strip.chips.values()] == [
        "Site: archive.org or cablehistory.org or site0.example",
        "Tag: telegraphy",
        "Type: PDF or Web page",
        "Published: from 1990",
    ]
    chip = strip.chips["sites"]
    assert "Delete" in chip.accessibleDescription()
    assert chip.toolTip() == chip.accessibleName()
    assert strip.clear_button.isVisible()
    strip.show_filters(FOUR.having("sites", ("a.example",)))
    assert strip.chips["sites"] is chip
    assert chip.accessibleName() == "Site: a.example"


def test_the_cross_and_delete_remove_and_the_words_choose(strip: FilterStrip) -> None:
    changed, choosing = QSignalSpy(strip.changed), QSignalSpy(strip.choosing_requested)
    sites, tags, types = (strip.chips[field] for field in ("sites", "tags", "doc_types"))
    QTest.mouseClick(sites, LEFT, pos=QPoint(12, sites.height() // 2))
    assert [choosing.at(0)[0], choosing.at(0)[1]] == [sites, "sites"]
    QTest.mouseClick(sites, LEFT, pos=cross(sites))
    assert changed.at(0)[0] == FOUR.without("sites")
    QTest.keyClick(tags, Qt.Key.Key_Delete)
    assert changed.at(1)[0] == FOUR.without("sites").without("tags")
    QTest.keyClick(types, Qt.Key.Key_Return)
    assert [choosing.at(1)[0], choosing.at(1)[1]] == [types, "doc_types"]
    assert list(strip.chips) == ["doc_types", "published"]


def test_a_press_that_leaves_the_cross_does_nothing(strip: FilterStrip) -> None:
    changed, choosing = QSignalSpy(strip.changed), QSignalSpy(strip.choosing_requested)
    chip = strip.chips["sites"]
    QTest.mousePress(chip, LEFT, pos=cross(chip))
    QTest.mouseRelease(chip, LEFT, pos=QPoint(12, 12))
    QTest.mousePress(chip, LEFT, pos=QPoint(12, 12))
    QTest.mouseRelease(chip, LEFT, pos=cross(chip))
    assert (changed.count(), choosing.count()) == (0, 0)


def test_the_keyboard_stays_near_a_chip_that_goes(strip: FilterStrip) -> None:
    strip.chips["tags"].setFocus()
    QTest.keyClick(strip.chips["tags"], Qt.Key.Key_Backspace)
    assert QApplication.focusWidget() is strip.chips["doc_types"]
    strip.chips["published"].setFocus()
    QTest.keyClick(strip.chips["published"], Qt.Key.Key_Delete)
    assert QApplication.focusWidget() is strip.add_button


def test_tab_goes_through_chips_in_the_order_they_stand(strip: FilterStrip) -> None:
    strip.show_filters(FOUR.having("collections", ("Theses",)))  # what is chosen last stands last
    at = strip.chips["sites"]
    at.setFocus()
    walked = []
    for _ in range(7):
        walked.append(focused())
        QTest.keyClick(focused(), Qt.Key.Key_Tab)
    order = ("sites", "tags", "doc_types", "published", "collections")
    assert walked == [*(strip.chips[field] for field in order), strip.add_button, strip.clear_button]  # type: ignore[index]


def test_one_click_clears_them_all(strip: FilterStrip) -> None:
    changed = QSignalSpy(strip.changed)
    assert strip.clear_button.accessibleName() == "Clear all filters"
    QTest.mouseClick(strip.clear_button, LEFT)
    assert changed.at(0)[0] == NO_FILTERS
    assert not strip.chips
    assert QApplication.focusWidget() is strip.add_button
    assert not strip.clear_button.isVisible()
    strip.show_filters(ChosenFilters(tags=("sea",)))
    assert not strip.clear_button.isVisible()  # its cross does


def test_add_asks_for_the_card(strip: FilterStrip) -> None:
    choosing = QSignalSpy(strip.choosing_requested)
    QTest.mouseClick(strip.add_button, LEFT)
    assert [choosing.at(0)[0], choosing.at(0)[1]] == [strip.add_button, None]


# -- The layout ---------------------------------------------------------------------------------------------------


def three(show: Show, width: int) -> list[QWidget]:
    holder = QWidget()
    show(holder)
    flow = FlowLayout(holder, 10, 5)
    made = [QWidget() for _ in range(3)]
    for widget in made:
        widget.setFixedSize(100, 24)
        flow.addWidget(widget)
        widget.show()
    holder.setFixedSize(width, max(flow.heightForWidth(width), 1))
    flow.setGeometry(holder.rect())
    return made


def places(widgets: list[QWidget]) -> list[tuple[int, int]]:
    return [(widget.x(), widget.y()) for widget in widgets]


def test_widgets_go_on_in_the_next_line(show: Show) -> None:
    assert places(three(show, 320)) == [(0, 0), (110, 0), (220, 0)]
    assert places(three(show, 319)) == [(0, 0), (110, 0), (0, 29)]
    assert places(three(show, 100)) == [(0, 0), (0, 29), (0, 58)]


@pytest.mark.usefixtures("mirrored")
def test_they_begin_at_the_right_where_reading_does(show: Show) -> None:
    assert places(three(show, 319)) == [(219, 0), (109, 0), (219, 29)]


def test_hidden_widgets_take_no_room(show: Show) -> None:
    first, second, third = three(show, 320)
    second.hide()
    holder = first.parentWidget()
    assert holder is not None
    layout = holder.layout()
    assert layout is not None
    layout.setGeometry(holder.rect())
    assert places([first, third]) == [(0, 0), (110, 0)]
    assert layout.minimumSize().width() == 100
    assert layout.sizeHint().width() == 210


@pytest.mark.usefixtures("mirrored")
def test_the_cross_is_at_the_far_edge_whichever_that_is(strip: FilterStrip) -> None:
    chip = strip.chips["tags"]
    assert chip.cross().left() == 0
    removed = QSignalSpy(chip.removed)
    QTest.mouseClick(chip, LEFT, pos=cross(chip))
    assert removed.count() == 1
