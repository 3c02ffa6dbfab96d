"""Splitters, bars, empty states and grounds."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QSplitterHandle, QWidget
from pytestqt.qtbot import QtBot

from webrag_desktop.gui.kit.theme import painting
from webrag_desktop.gui.kit.theme.tokens import LIGHT, Role
from webrag_desktop.gui.kit.widgets import bars
from webrag_desktop.gui.kit.widgets.bars import BusyBar, SegmentBar, paint_score, score_size, segments
from webrag_desktop.gui.kit.widgets.labels import Label
from webrag_desktop.gui.kit.widgets.messages import EmptyState
from webrag_desktop.gui.kit.widgets.panes import Panel, Splitter, column, row

# -- Splitter ---------------------------------------------------------------------------------------------------


@pytest.fixture
def splitter(qtbot: QtBot, application: QApplication) -> Splitter:
    made = Splitter(Qt.Orientation.Horizontal, [228, 644, 568])
    qtbot.addWidget(made)
    for index in range(3):
        made.addWidget(QWidget())
        made.setStretchFactor(index, 0 if index == 0 else 1)
    made.resize(1442, 300)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_panes_begin_with_their_sizes_and_a_hairline_between(splitter: Splitter) -> None:
    assert splitter.sizes() == [228, 644, 568]
    assert splitter.handleWidth() == 1
    picture = splitter.grab().toImage()
    assert picture.pixelColor(228, 100) == QColor(LIGHT["line"])


def drag(handle: QSplitterHandle, by: int) -> None:
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=QPoint(1, 50))
    QTest.mouseMove(handle, QPoint(1 + by, 50))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=QPoint(1 + by, 50))


def test_a_handle_can_be_dragged_and_a_double_click_restores(splitter: Splitter, qtbot: QtBot) -> None:
    with qtbot.waitSignal(splitter.splitterMoved):
        drag(splitter.handle(1), 60)
    assert splitter.sizes()[0] > 260
    with qtbot.waitSignal(splitter.splitterMoved):
        QTest.mouseDClick(splitter.handle(1), Qt.MouseButton.LeftButton, pos=QPoint(1, 50))
    assert splitter.sizes() == [228, 644, 568]


def test_sizes_are_remembered(splitter: Splitter) -> None:
    splitter.setSizes([300, 600, 540])
    saved = splitter.saved()
    splitter.reset()
    assert splitter.restore(saved)
    assert splitter.sizes() == [300, 600, 540]
    assert (splitter.handleWidth(), splitter.childrenCollapsible()) == (1, False)
    assert not splitter.restore(b"something else")
    assert splitter.sizes() == [300, 600, 540]


# -- Shares -----------------------------------------------------------------------------------------------------


def test_shares_fill_the_bar_and_small_ones_are_seen() -> None:
    shares: list[tuple[Role, int]] = [("ok", 38), ("accent", 1), ("line_strong", 8_300), ("bad", 2)]
    made = segments(shares, 400.0)
    assert [role for role, _, _ in made] == ["ok", "accent", "line_strong", "bad"]
    assert min(width for _, _, width in made) >= 5.99
    assert made[0][1] == 0
    assert made[-1][1] + made[-1][2] == pytest.approx(400)
    for (_, left, width), (_, following, _) in pairwise(made):
        assert following == pytest.approx(left + width + 2)


def test_large_shares_keep_their_proportion() -> None:
    (_, _, one), (_, _, three) = segments([("ok", 100), ("bad", 300)], 402.0)
    assert three == pytest.approx(3 * one)
    assert segments([], 400.0) == []


def column_colours(bar: QWidget) -> list[str]:
    image = bar.grab().toImage()
    return [image.pixelColor(x, image.height() // 2).name().upper() for x in range(image.width())]


@pytest.fixture
def bar(qtbot: QtBot, application: QApplication) -> SegmentBar:
    made = SegmentBar()
    qtbot.addWidget(made)
    made.resize(200, 6)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_the_bar_shows_its_shares_from_the_leading_edge(bar: SegmentBar) -> None:
    assert LIGHT["line"] in column_colours(bar)
    bar.show_shares([("ok", 50), ("accent", 0), ("bad", 50)])
    shown = column_colours(bar)
    assert (shown[40], shown[160]) == (LIGHT["ok"], LIGHT["bad"])
    assert LIGHT["accent"] not in shown
    bar.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    mirrored = column_colours(bar)
    assert (mirrored[40], mirrored[160]) == (LIGHT["bad"], LIGHT["ok"])


def test_the_bar_moves_at_most_four_times_a_second_and_ends_where_it_should(
    bar: SegmentBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves: list[int] = []
    monkeypatch.setattr(bar, "update", lambda: moves.append(1))
    for done in range(1, 101):
        bar.show_shares([("ok", done), ("bad", 100)])
    assert len(moves) == 1  # the rest wait for the next quarter of a second
    qtbot.waitUntil(lambda: len(moves) == 2)
    assert column_colours(bar)[95] == LIGHT["ok"]


# -- Progress without a known end -------------------------------------------------------------------------------


@pytest.fixture
def busy(qtbot: QtBot, application: QApplication) -> BusyBar:
    made = BusyBar()
    qtbot.addWidget(made)
    made.resize(300, 4)
    return made


def test_a_third_of_the_bar_travels(busy: BusyBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    phases = iter((0.3, 0.5, 0.7))
    monkeypatch.setattr(bars, "travel_phase", lambda: next(phases))
    seen = []
    for _ in range(3):
        blue = [x for x, name in enumerate(column_colours(busy)) if name == LIGHT["accent"]]
        assert 94 <= len(blue) <= 100
        seen.append(blue[0])
    assert seen == sorted(seen)
    assert seen[0] < seen[-1]


def test_a_shown_bar_moves_and_a_hidden_one_costs_nothing(
    busy: BusyBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames: list[int] = []

    def phase() -> float:
        frames.append(1)
        return 0.5

    monkeypatch.setattr(bars, "travel_phase", phase)
    with qtbot.waitExposed(busy):
        busy.show()
    qtbot.waitUntil(lambda: len(frames) >= 3)
    busy.hide()
    assert not busy._frames.isActive()
    busy.show()
    assert busy._frames.isActive()
    busy.show_share(0.5)
    assert not busy._frames.isActive()


def test_a_known_share_is_shown(busy: BusyBar) -> None:
    busy.show_share(0.5)
    shown = column_colours(busy)
    assert (shown[100], shown[200]) == (LIGHT["accent"], LIGHT["line"])


def test_where_nothing_may_move_the_bar_is_still_and_half_toned(
    busy: BusyBar, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bars, "travel_phase", lambda: None)
    monkeypatch.setattr(bars, "moves", lambda: False)
    with qtbot.waitExposed(busy):
        busy.show()
    assert not busy._frames.isActive()
    shown = set(column_colours(busy)[3:-3])
    assert len(shown) == 1
    assert shown.isdisjoint({LIGHT["accent"], LIGHT["line"]})


# -- Empty states -----------------------------------------------------------------------------------------------


@pytest.fixture
def empty(qtbot: QtBot, application: QApplication) -> EmptyState:
    made = EmptyState("search", "No passage mentions “galvanic creep”", "Four filters are on.", "Remove one")
    qtbot.addWidget(made)
    made.resize(500, 300)
    with qtbot.waitExposed(made):
        made.show()
    return made


def words(empty: EmptyState) -> list[str]:
    shown = [each.text() for each in empty.findChildren(Label) if each.isVisible()]
    return shown + [each.text() for each in empty.findChildren(QPushButton) if each.isVisible()]


def test_an_empty_pane_says_why_and_what_to_do(empty: EmptyState, qtbot: QtBot) -> None:
    assert words(empty) == ["No passage mentions “galvanic creep”", "Four filters are on.", "Remove one"]
    with qtbot.waitSignal(empty.acted):
        QTest.mouseClick(empty.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)
    assert empty.accessibleName() == "No passage mentions “galvanic creep”"
    assert empty.accessibleDescription() == "Four filters are on."


def test_another_state_leaves_out_what_it_has_not(empty: EmptyState) -> None:
    empty.show_state("search", "Press C on a passage to cite it.", "")
    assert words(empty) == ["Press C on a passage to cite it."]
    empty.show_state("search", "Nothing here yet", "Drop documents.", "Add")
    assert words(empty) == ["Nothing here yet", "Drop documents.", "Add"]


def test_a_narrow_pane_wraps_the_words(empty: EmptyState) -> None:
    empty.show_state("search", "A title that is long enough for two lines", "And a sentence " * 8)
    empty.resize(260, 400)
    QApplication.sendPostedEvents()
    for label in empty.findChildren(Label):
        place = label.mapTo(empty, QPoint(0, 0))
        assert place.x() + label.width() <= empty.width()
        assert label.height() >= label.heightForWidth(label.width())


# -- Scores -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", [0.0, 0.004, 0.5, 1.0])
def test_a_score_is_drawn_inside_its_room(application: QApplication, score: float) -> None:
    image = QImage(120, 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    paint_score(painter, 40, 10, score, active=True)
    painter.end()
    size = score_size()
    room = QRectF(40, 10, size.width(), size.height()).adjusted(-1, -1, 1, 1)
    white = QColor(Qt.GlobalColor.white)
    inked = [(x, y) for x in range(120) for y in range(60) if image.pixelColor(x, y) != white]
    assert inked
    assert all(room.contains(x + 0.5, y + 0.5) for x, y in inked)


# -- Numbers, grounds, layouts ----------------------------------------------------------------------------------


def test_a_number_of_many_digits_gets_a_wider_chip(application: QApplication) -> None:
    image = QImage(80, 40, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    rights = [painting.paint_number(painter, 10, 10, number, filled=True) for number in (1, 10, 1_000)]
    painter.end()
    assert rights[0] == 28
    assert rights[0] <= rights[1] < rights[2]


def test_a_panel_fills_itself_and_has_hairlines(
    application: QApplication, themed: Callable[[bool], None]
) -> None:
    panel = Panel("window", bottom_line=True, top_line=True)
    panel.resize(60, 30)
    picture = panel.grab().toImage()
    assert [picture.pixelColor(30, y).name().upper() for y in (0, 15, 29)] == [
        LIGHT["line"],
        LIGHT["window"],
        LIGHT["line"],
    ]
    assert Panel("surface").grab().toImage().pixelColor(1, 1).name().upper() == LIGHT["surface"]


def test_layouts_have_the_margins_they_are_given(application: QApplication) -> None:
    parent = QWidget()
    made = column(parent, (1, 2, 3, 4), 5)
    assert parent.layout() is made
    assert (made.contentsMargins().left(), made.contentsMargins().bottom(), made.spacing()) == (1, 4, 5)
    assert row().contentsMargins().left() == 0
