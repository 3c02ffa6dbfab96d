"""Who wrote a document in the window: in the inspector, in a column, and set in a dialog."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.support.documents import REPORT, SIGN_IN, details
from tests.support.whole_window import Shown
from webrag_desktop.gui.data.library import DocumentFacts, FactChange
from webrag_desktop.gui.data.view_data import Failure
from webrag_desktop.gui.kit.widgets.labels import SelectableText
from webrag_desktop.gui.library.dialogs.facts_dialog import FactsDialog
from webrag_desktop.gui.library.document_columns import Column, column_text
from webrag_desktop.gui.library.inspector_parts import Facts
from webrag_desktop.models.metadata import FACT_NAMES, DocumentMetadata, FactName

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
LEFT = Qt.MouseButton.LeftButton
NOTHING: dict[FactName, tuple[str, ...]] = dict.fromkeys(FACT_NAMES, ())
STATED = {**NOTHING, "authors": ("J. Doe",), "published_time": ("2021-05-03",), "doi": ("10.1234/tides.7",)}
KNOWN = {**STATED, "authors": ("Jane Doe", "John Roe")}
FACTS = DocumentFacts(REPORT.id, REPORT.title, KNOWN, STATED, frozenset({"authors"}), REPORT.title)


@pytest.fixture
def dialog(qtbot: QtBot, application: QApplication) -> FactsDialog:
    made = FactsDialog(FACTS)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


@pytest.fixture
def library(qtbot: QtBot, application: QApplication) -> ServedLibrary:
    made = ServedLibrary(qtbot)
    made.give([REPORT, SIGN_IN])
    made.view.focus_first()
    return made


def test_it_shows_what_is_known(dialog: FactsDialog) -> None:
    assert dialog.authors.toPlainText() == "Jane Doe\nJohn Roe"
    assert dialog.fields["doi"].text() == "10.1234/tides.7"
    assert set(dialog.fields) == set(FACT_NAMES) - {"authors"}
    assert not dialog.change


def test_what_is_changed_alone_is_saved(dialog: FactsDialog) -> None:
    reported: list[FactChange] = []
    dialog.change_requested.connect(reported.append)
    dialog.fields["journal"].setText("  Tidal   Review ")
    dialog.fields["doi"].clear()
    QTest.mouseClick(dialog.save_button, LEFT)
    assert reported == [FactChange(REPORT.id, {"journal": ("Tidal Review",), "doi": ()})]
    assert dialog.isVisible()  # until it is saved


def test_what_was_typed_is_kept_where_a_fact_cannot_be(dialog: FactsDialog) -> None:
    reported: list[FactChange] = []
    dialog.change_requested.connect(reported.append)
    dialog.fields["journal"].setText("Tidal Review")
    dialog.fields["doi"].setText("tides")
    QTest.mouseClick(dialog.save_button, LEFT)
    dialog.show_refusal(Failure("“tides” is no DOI.", "One looks like 10.1000/182."))
    said = [one.text() for one in dialog.findChildren(QLabel) if one.isVisible()]
    assert "“tides” is no DOI. One looks like 10.1000/182." in said
    assert dialog.fields["journal"].text() == "Tidal Review"
    dialog.fields["doi"].setText("10.1234/tides.7")
    QTest.mouseClick(dialog.save_button, LEFT)
    assert reported[1] == FactChange(REPORT.id, {"journal": ("Tidal Review",)})


def test_what_the_document_says_itself_is_forgotten_again(dialog: FactsDialog) -> None:
    dialog.authors.setPlainText("J. Doe\n")
    assert dialog.change == FactChange(REPORT.id, {}, ("authors",))


def test_a_title_is_changed_and_given_back(dialog: FactsDialog) -> None:
    assert dialog.title.text() == REPORT.title
    dialog.title.setText("  Another  name ")
    assert dialog.change == FactChange(REPORT.id, {}, (), "Another name")
    own = FactsDialog(replace(FACTS, user_title="Another name"))
    assert own.title.text() == "Another name"
    assert not own.change
    own.title.setText(REPORT.title)
    assert own.change == FactChange(REPORT.id, {}, (), "")
    own.title.clear()
    assert own.change == FactChange(REPORT.id, {}, (), "")
    own.deleteLater()


def test_cancelling_changes_nothing(dialog: FactsDialog) -> None:
    reported: list[FactChange] = []
    dialog.change_requested.connect(reported.append)
    dialog.fields["journal"].setText("Tidal Review")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert (reported, dialog.isVisible()) == ([], False)


def test_the_inspector_shows_them_and_which_are_the_user_s(library: ServedLibrary) -> None:
    metadata = DocumentMetadata(
        authors=("Jane Doe", "John Roe"),
        published_time="2021-05",
        doi="10.1234/tides.7",
        publisher="Harbour Press",
        fact_sources={"authors": "user", "published_time": "json-ld", "doi": "citation meta"},
    )
    library.view.show_details(replace(details(REPORT), metadata=metadata))
    (facts,) = library.view.inspector.findChildren(Facts)
    values = {
        one.accessibleName(): one.toPlainText()
        for one in facts.findChildren(SelectableText)
        if one.isVisibleTo(facts)
    }
    assert values["Authors"] == "Jane Doe; John Roe (set by you)"
    assert (values["Published"], values["DOI"], values["Publisher"]) == (
        "May 2021",
        "10.1234/tides.7",
        "Harbour Press",
    )
    assert "Journal" not in values


def test_a_column_lists_the_authors() -> None:
    assert (
        column_text(replace(REPORT, authors=("Jane Doe", "John Roe")), Column.AUTHORS) == "Jane Doe; John Roe"
    )
    assert column_text(REPORT, Column.AUTHORS) == ""


def test_the_menu_asks_for_one_document(library: ServedLibrary) -> None:
    asked: list[object] = []
    library.view.facts_requested.connect(asked.append)
    action = library.table.actions_.describe
    assert action in library.table.actions_.menu(library.view).actions()
    action.trigger()
    assert asked == [REPORT.id]
    library.key(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert not action.isEnabled()


def test_the_window_asks_and_changes(shown: Shown) -> None:
    shown.fill()
    shown.window.library.list.choose(0)
    shown.window.library.facts_requested.emit(REPORT.id)
    assert shown.do.calls_of("bibliography.fetch") == [(REPORT.id,)]
    shown.do.part("bibliography").facts.emit(FACTS)
    dialog = shown.window.findChild(FactsDialog)
    assert dialog is not None
    assert dialog.title.text() == REPORT.title
    dialog.fields["volume"].setText("12")
    QTest.mouseClick(dialog.save_button, LEFT)
    assert shown.do.calls_of("bibliography.change") == [(FactChange(REPORT.id, {"volume": ("12",)}),)]
    shown.do.part("bibliography").refused.emit(Failure("No.", "Another one."))
    assert "No. Another one." in [one.text() for one in dialog.findChildren(QLabel)]
    shown.do.part("bibliography").changed.emit()
    assert not dialog.isVisible()
