"""Of a document the best three passages are shown; the others are behind a row that says how many they are."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.result_lists import Key, Left, NoModifier, menu_of, reported, texts, trigger
from tests.support.shown import VOLTAGE, cable_groups, group, named_id, results
from webrag_desktop.gui.data.view_data import Passage, ResultGroup
from webrag_desktop.gui.research import passage_tree
from webrag_desktop.gui.research.result_list import ResultList
from webrag_desktop.gui.research.results_model import ResultRole, ResultsModel
from webrag_desktop.gui.research.results_pane import ResultsView

# In reading order; the best three are the fifth, the second and the twentieth.
_BEST = {4: 0.95, 1: 0.9, 19: 0.85}
MANY: tuple[Passage, ...] = tuple(
    replace(
        VOLTAGE,
        chunk_id=named_id(f"flood {at}"),
        place=f"Section {at}",
        heading=f"Section {at}",
        score=_BEST.get(at, 0.8 - at / 100),
    )
    for at in range(27)
)
BEST = (MANY[4], MANY[1], MANY[19])


def flood() -> ResultGroup:
    return group("A handbook of the coast", MANY, of=27)


@pytest.fixture
def shown(qtbot: QtBot, application: QApplication) -> ResultList:
    made = ResultList()
    qtbot.addWidget(made)
    made.resize(644, 800)
    made.show()
    made.show_results(results([flood(), cable_groups()[2]]))
    made.setFocus()
    application.processEvents()
    return made


def rows(model: ResultsModel, row: int = 0) -> list[object]:
    parent = model.index(row, 0)
    below = (model.index(at, 0, parent) for at in range(model.rowCount(parent)))
    return [one.data(ResultRole.PASSAGE) or one.data() for one in below]


def more_row(view: ResultList) -> QModelIndex:
    return view.results.index(3, 0, view.results.index(0, 0))


def test_the_best_three_of_a_document_have_rows_and_a_row_stands_for_the_rest(shown: ResultList) -> None:
    assert rows(shown.results) == [*BEST, "24 more"]
    assert len(rows(shown.results, 1)) == 1
    assert shown.results.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole).endswith("27 of 27 passages")
    spoken = more_row(shown).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "24 passages more in" in spoken
    assert "A handbook of the coast" in spoken


def test_in_reading_order_the_best_three_stand_as_they_are_read(shown: ResultList) -> None:
    shown.set_order("reading")
    assert rows(shown.results) == [MANY[1], MANY[4], MANY[19], "24 more"]
    QTest.keyClick(shown, Key.Key_Down)
    shown.setCurrentIndex(more_row(shown))
    QTest.keyClick(shown, Key.Key_Return)
    assert rows(shown.results) == list(MANY)
    assert shown.passage() == MANY[0]


def test_arrows_stop_at_the_row_and_go_on_to_the_next_document(shown: ResultList) -> None:
    selected = reported(shown.passage_selected)
    for _ in range(3):
        QTest.keyClick(shown, Key.Key_Down)
    assert shown.currentIndex() == more_row(shown)
    assert shown.passage() is None
    QTest.keyClick(shown, Key.Key_Down)
    assert shown.passage() == cable_groups()[2].passages[0]
    QTest.keyClick(shown, Key.Key_Up)
    assert shown.currentIndex() == more_row(shown)
    QTest.keyClick(shown, Key.Key_Up)
    assert selected() == [BEST[1], BEST[2], cable_groups()[2].passages[0], BEST[2]]


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Enter, Key.Key_Right])
def test_keys_give_the_others_rows_and_go_to_the_first_of_them(
    shown: ResultList, key: Qt.Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken: list[str] = []
    monkeypatch.setattr(passage_tree, "QAccessible", _Listening(spoken))
    shown.setCurrentIndex(more_row(shown))
    selected, opened = reported(shown.passage_selected), reported(shown.open_requested)
    QTest.keyClick(shown, key)
    assert rows(shown.results) == sorted(MANY, key=lambda passage: -passage.score)
    assert (selected(), opened()) == ([MANY[0]], [])
    assert shown.passage() == MANY[0]
    assert spoken == ["24 passages more"]


class _Listening:
    """Stands for the system's accessibility."""

    def __init__(self, spoken: list[str]) -> None:
        self._spoken = spoken

    def updateAccessibility(self, event: QAccessibleEvent) -> None:
        assert event.type() == QAccessible.Event.Announcement
        self._spoken.append(event.message())  # type: ignore[attr-defined]


def test_in_a_mirrored_window_the_left_arrow_opens_it(shown: ResultList) -> None:
    shown.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    shown.setCurrentIndex(more_row(shown))
    QTest.keyClick(shown, Key.Key_Left)
    assert len(rows(shown.results)) == 27


def test_one_click_opens_it(shown: ResultList) -> None:
    rect = shown.visualRect(more_row(shown))
    QTest.mouseClick(shown.viewport(), Left, NoModifier, rect.topLeft() + QPoint(90, rect.height() // 2))
    assert len(rows(shown.results)) == 27
    assert shown.passage() == MANY[0]


def test_its_menu_opens_it(shown: ResultList) -> None:
    shown.setCurrentIndex(more_row(shown))
    menu = menu_of(shown)
    assert texts(menu) == ["24 more"]
    trigger(menu, "24 more")
    assert len(rows(shown.results)) == 27


def test_a_document_that_was_closed_shows_its_best_again(shown: ResultList) -> None:
    shown.setCurrentIndex(more_row(shown))
    QTest.keyClick(shown, Key.Key_Right)
    for _ in range(2):
        QTest.keyClick(shown, Key.Key_Left)
    assert not shown.isExpanded(shown.results.index(0, 0))
    QTest.keyClick(shown, Key.Key_Right)
    assert rows(shown.results) == [*BEST, "24 more"]


def test_a_passage_selected_from_outside_gets_its_row(shown: ResultList) -> None:
    assert shown.select_passage(MANY[11].chunk_id)
    assert shown.passage() == MANY[11]
    assert len(rows(shown.results)) == 27


def test_asking_again_keeps_a_passage_that_was_behind_the_row(
    qtbot: QtBot, application: QApplication
) -> None:
    view = ResultsView()
    qtbot.addWidget(view)
    view.show_results(results([flood()]))
    view.select_passage(MANY[11].chunk_id)
    view.show_results(results([flood()]))
    assert view.list.passage() == MANY[11]


def test_the_model_keeps_its_word_while_rows_come_and_go(application: QApplication) -> None:
    model = ResultsModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(results([flood(), *cable_groups()]))
    for order in ("reading", "best"):
        model.set_order(order)
        model.unfold(model.index(0, 0))
        model.fold(model.index(0, 0))
        assert len(rows(model)) == 4
    assert model.reveal(MANY[3].chunk_id).data(ResultRole.PASSAGE) == MANY[3]
    assert not model.reveal(named_id("nowhere")).isValid()
