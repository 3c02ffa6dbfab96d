"""The card in which filters are chosen, driven with the mouse and the keyboard."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.support.filters import CHOICES, FOUR
from webrag_desktop.gui.data.filters import FIELDS, NO_FILTERS, ChosenFilters, Field, FilterChoices, Period
from webrag_desktop.gui.kit.widgets.choices import CheckRow
from webrag_desktop.gui.library.dialogs.check_list import MOST_SHOWN, CheckList, Line
from webrag_desktop.gui.research.filter_panel import FilterPanel
from webrag_desktop.gui.research.query_box import QueryBox

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
LEFT = Qt.MouseButton.LeftButton
Show = Callable[..., QWidget]


class Chooser:
    """A card with what it tells, opened under a query box."""

    def __init__(self, qtbot: QtBot, show: Show) -> None:
        self.qtbot, self.box = qtbot, QueryBox()
        self.panel = FilterPanel(show(self.box))
        self.reported: list[ChosenFilters] = []
        self.panel.changed.connect(self.reported.append)

    def open(self, field: Field | None = None) -> None:
        self.panel.open_below(self.box.filter_button, field)
        self.qtbot.waitUntil(self.panel.isActiveWindow)
        self.panel.fields.setFocus()

    def rows(self, field: Field) -> list[CheckRow]:
        return self.panel.lists[field].rows()  # type: ignore[index]

    def spoken(self) -> list[str]:
        """The fields as a screen reader says them."""
        model = self.panel.fields.model()
        role = Qt.ItemDataRole.AccessibleTextRole
        return [model.index(at, 0).data(role) for at in range(model.rowCount())]

    def press(self, *keys: Qt.Key) -> None:
        for key in keys:
            QTest.keyClick(QApplication.focusWidget() or self.panel, key)


@pytest.fixture
def chooser(qtbot: QtBot, show: Show) -> Chooser:
    made = Chooser(qtbot, show)
    made.panel.show_choices(CHOICES)
    made.open()
    return made


def labels(widget: QWidget) -> list[str]:
    return [one.text() for one in widget.findChildren(QLabel) if one.isVisible() and one.text()]


def names(rows: list[CheckRow]) -> list[str]:
    return [row.accessibleName() for row in rows]


def test_every_field_has_a_line_with_its_count(chooser: Chooser) -> None:
    chooser.panel.show_filters(FOUR)
    assert chooser.spoken() == [
        "Site, 3 chosen",
        "Collection",
        "Tag, 1 chosen",
        "Author",
        "Type, 2 chosen",
        "Language",
        "Contains",
        "Section",
        "Published, 1 chosen",
        "Fetched",
    ]
    assert chooser.panel.accessibleName() == "Filters"
    assert chooser.panel.fields.accessibleName() == "What to filter by"


def test_a_click_chooses_and_chooses_no_more(chooser: Chooser) -> None:
    chooser.open("tags")
    first, second = chooser.rows("tags")[:2]
    QTest.mouseClick(first, LEFT)
    QTest.mouseClick(second, LEFT)
    QTest.mouseClick(first, LEFT)
    assert chooser.reported == [
        ChosenFilters(tags=("gutta-percha",)),
        ChosenFilters(tags=("gutta-percha", "primary-source")),
        ChosenFilters(tags=("primary-source",)),
    ]
    assert chooser.spoken()[2] == "Tag, 1 chosen"


def test_all_of_it_works_from_the_keyboard(chooser: Chooser) -> None:
    chooser.press(*[Qt.Key.Key_Down] * 4, Qt.Key.Key_Return)
    assert QApplication.focusWidget() is chooser.rows("doc_types")[0]
    chooser.press(Qt.Key.Key_Down, Qt.Key.Key_Space)
    assert chooser.reported == [ChosenFilters(doc_types=("pdf",))]
    chooser.press(Qt.Key.Key_Tab, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is chooser.panel.clear_button
    chooser.press(Qt.Key.Key_Space)
    assert chooser.reported[-1] == NO_FILTERS
    assert QApplication.focusWidget() is chooser.panel.fields
    assert not chooser.panel.clear_button.isVisible()
    chooser.press(Qt.Key.Key_Escape)
    assert not chooser.panel.isVisible()


def test_what_is_chosen_stands_first_when_the_card_opens_also_where_it_is_unknown(chooser: Chooser) -> None:
    chooser.panel.show_filters(ChosenFilters(sites=("site5.example", "gone.example")))
    chooser.open("sites")
    rows = chooser.rows("sites")
    assert names(rows)[:3] == ["gone.example", "site5.example, 35", "archive.org, 312"]
    assert [row.isChecked() for row in rows[:3]] == [True, True, False]


def test_values_are_found_by_their_letters(chooser: Chooser) -> None:
    chooser.open("sites")
    field = chooser.panel.lists["sites"].field
    field.setFocus()
    QTest.keyClicks(field, "HISTORY")
    assert names(chooser.rows("sites")) == ["cablehistory.org, 148"]
    chooser.press(Qt.Key.Key_Return)
    assert chooser.reported == [ChosenFilters(sites=("cablehistory.org",))]
    assert field.text() == ""
    QTest.keyClicks(field, "zzz")
    assert not chooser.rows("sites")
    assert "There is none of that name." in labels(chooser.panel)
    chooser.press(Qt.Key.Key_Return)
    assert len(chooser.reported) == 1


def test_down_goes_from_the_line_that_finds_to_what_it_found(chooser: Chooser) -> None:
    chooser.open("sites")
    chooser.panel.lists["sites"].field.setFocus()
    chooser.press(Qt.Key.Key_Down)
    assert QApplication.focusWidget() is chooser.rows("sites")[0]


def test_a_heading_is_written_and_taken_out_again(chooser: Chooser) -> None:
    chooser.open("sections")
    assert any("under a heading of these words" in text for text in labels(chooser.panel))
    field = chooser.panel.lists["sections"].field
    field.setFocus()
    QTest.keyClicks(field, "  Low   tide ")
    assert "Press Enter to add it." in labels(chooser.panel)
    chooser.press(Qt.Key.Key_Return)
    assert chooser.reported == [ChosenFilters(sections=("Low tide",))]
    QTest.mouseClick(chooser.rows("sections")[0], LEFT)
    assert chooser.reported[-1] == NO_FILTERS


def test_dates_hold_once_they_are_written_and_right(chooser: Chooser) -> None:
    chooser.open("published")
    page = chooser.panel.periods["published"]
    assert page.first.accessibleName() == "Published: From"
    page.first.setFocus()
    QTest.keyClicks(page.first, "2019-05")
    chooser.press(Qt.Key.Key_Return)
    assert chooser.reported == [ChosenFilters(published=Period("2019-05"))]
    page.last.setFocus()
    for wrong, reason in (("soon", "“soon” is no date."), ("2018", "This ends before it begins.")):
        page.last.clear()
        QTest.keyClicks(page.last, wrong)
        chooser.press(Qt.Key.Key_Return)
        assert reason in labels(chooser.panel)
    assert len(chooser.reported) == 1
    page.last.clear()
    QTest.keyClicks(page.last, "2020")
    chooser.panel.close()  # what was written counts
    assert chooser.reported[1:] == [ChosenFilters(published=Period("2019-05", "2020"))]


@pytest.mark.parametrize(
    ("which", "wrong", "reason"),
    [
        ("first", "31.05.2024", "“31.05.2024” is no date."),
        ("last", "soon", "“soon” is no date."),
        ("last", "2018", "This ends before it begins."),
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_done_with_a_wrong_date_goes_where_it_is_mended(
    chooser: Chooser, which: str, wrong: str, reason: str, elsewhere: bool
) -> None:
    chooser.open("published")
    page = chooser.panel.periods["published"]
    page.first.setText("2019")
    field = getattr(page, which)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, wrong)
    if elsewhere:  # its page is not even in sight
        chooser.press(Qt.Key.Key_Backtab if which == "first" else Qt.Key.Key_Tab)
        chooser.panel.fields.setCurrentIndex(chooser.panel.fields.model().index(0, 0))
    QTest.mouseClick(chooser.panel.done_button, LEFT)
    assert chooser.panel.isVisible()
    assert page.isVisible()
    assert reason in labels(chooser.panel)
    assert field.hasFocus()
    QTest.keyClicks(field, "2024-5-3")  # in place of what was wrong, which is selected
    QTest.mouseClick(chooser.panel.done_button, LEFT)
    assert not chooser.panel.isVisible()
    right = Period("2024-5-3") if which == "first" else Period("2019", "2024-5-3")
    assert chooser.reported[-1] == ChosenFilters(published=right)


def test_what_was_no_date_is_forgotten_with_the_card(chooser: Chooser) -> None:
    chooser.open("fetched")
    page = chooser.panel.periods["fetched"]
    QTest.keyClicks(page.first, "yesterday")
    chooser.panel.close()
    chooser.open("fetched")
    assert page.first.text() == ""
    assert not chooser.reported


@pytest.mark.parametrize("field", ["sites", "collections", "tags", "authors", "doc_types", "languages"])
def test_an_empty_library_says_what_there_could_be(qtbot: QtBot, show: Show, field: Field) -> None:
    chooser = Chooser(qtbot, show)
    chooser.panel.show_choices(FilterChoices())
    chooser.open(field)
    (sentence,) = labels(chooser.panel)
    assert sentence.endswith(".")


def test_choices_that_come_late_keep_what_is_chosen(qtbot: QtBot, show: Show) -> None:
    chooser = Chooser(qtbot, show)
    chooser.panel.show_filters(FOUR)
    chooser.open("doc_types")
    chooser.panel.show_choices(CHOICES)
    assert [row.isChecked() for row in chooser.rows("doc_types")] == [True, True, False]
    kept = chooser.rows("doc_types")
    chooser.panel.show_choices(CHOICES)  # the same once more: nothing moves under the pointer
    assert chooser.rows("doc_types") == kept
    assert not chooser.reported


def test_every_control_has_a_name(chooser: Chooser) -> None:
    for field in FIELDS:
        chooser.open(field)
        controls = [*chooser.panel.findChildren(QLineEdit), *chooser.panel.findChildren(CheckRow)]
        assert all(one.accessibleName() for one in controls if one.isVisible())


def test_a_long_list_shows_some_and_says_how_many_more(qtbot: QtBot, show: Show) -> None:
    made = CheckList("Sites", "Find a site", "")
    show(made)
    made.show_lines([Line(str(n), f"site {n}", "globe") for n in range(MOST_SHOWN + 1240)], {})
    assert len(made.rows()) == MOST_SHOWN
    assert "1,240 more. Type to find them." in labels(made)
    QTest.keyClicks(made.field, "site 1299")
    assert [row.accessibleName() for row in made.rows()] == ["site 1299"]
