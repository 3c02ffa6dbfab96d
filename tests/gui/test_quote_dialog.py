"""Where a quotation is from: pasted, graded, opened at its place and cited, by keyboard and mouse."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from tests.support import quotes
from tests.support.quotes import NEARLY, TIDE, found
from tests.support.shown import ARABIC, SEARCH_FAILURE, citation
from tests.support.whole_window import Shown
from tests.support.window_operations import StandInOperations
from webrag_desktop.gui.citations.quote_dialog import QuoteDialog
from webrag_desktop.gui.citations.quote_place_delegate import GRADE_LOOKS, PlaceRole
from webrag_desktop.gui.data.texts import FoundPlace, FoundQuote
from webrag_desktop.gui.data.view_data import CitationRow
from webrag_desktop.gui.kit.theme.colours import colour
from webrag_desktop.models.quotes import QuoteReport
from webrag_desktop.progress import Step

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
LEFT = Qt.MouseButton.LeftButton
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Asked:
    """A dialog and what it asked for."""

    def __init__(self, qtbot: QtBot) -> None:
        self.dialog = QuoteDialog()
        self.looks: list[tuple[str, bool]] = []
        self.stops = 0
        self.opened: list[FoundPlace] = []
        self.shown: list[FoundPlace] = []
        self.cited: list[FoundPlace] = []
        qtbot.addWidget(self.dialog)
        self.dialog.search_requested.connect(lambda quote, older: self.looks.append((quote, older)))
        self.dialog.stop_requested.connect(self._stop)
        self.dialog.place_opened.connect(self.opened.append)
        self.dialog.place_shown.connect(self.shown.append)
        self.dialog.cite_toggled.connect(self.cited.append)
        with qtbot.waitExposed(self.dialog):
            self.dialog.show()
        self.dialog.activateWindow()
        qtbot.waitUntil(self.dialog.isActiveWindow)

    def _stop(self) -> None:
        self.stops += 1

    def paste(self, text: str) -> None:
        QApplication.clipboard().setText(text)
        self.dialog.paste()

    def find(self, given: FoundQuote) -> None:
        self.paste(given.quote)
        self.dialog.show_found(given)

    def sees(self, button: QPushButton) -> bool:
        return button.isVisible()


@pytest.fixture
def asked(application: QApplication, qtbot: QtBot) -> Asked:
    return Asked(qtbot)


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    yield made
    made.end()


def focused(
    dialog: QuoteDialog, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.keyClick(QApplication.focusWidget() or dialog, key, modifiers)


# -- Asking -------------------------------------------------------------------------------------------------------


def test_what_is_pasted_is_looked_for_at_once_and_the_keyboard_goes_to_its_places(asked: Asked) -> None:
    asked.paste(f"  {TIDE}\n")
    assert asked.looks == [(TIDE, False)]
    assert asked.dialog.field.toPlainText() == TIDE
    asked.dialog.show_found(found(quotes.exact(places=2)))
    assert asked.dialog.list.hasFocus()
    focused(asked.dialog, Qt.Key.Key_Down)
    focused(asked.dialog, Qt.Key.Key_Return)
    assert [place.title for place in asked.opened] == ["Tide pools 2"]


def test_an_empty_clipboard_leaves_an_empty_field_that_says_what_to_paste(asked: Asked) -> None:
    QApplication.clipboard().clear()
    asked.dialog.paste()
    assert asked.looks == []
    assert asked.dialog.field.hasFocus()
    assert asked.dialog.nothing.isVisible()
    assert asked.dialog.nothing.accessibleName() == "Paste a quotation"
    assert not asked.dialog.pill.isVisible()
    assert not asked.sees(asked.dialog.older_button)


def test_what_is_typed_is_looked_for_once_after_the_last_key(asked: Asked, qtbot: QtBot) -> None:
    asked.dialog.field.setFocus()
    QTest.keyClicks(asked.dialog.field, "rock pools")
    assert asked.looks == []
    qtbot.waitUntil(lambda: asked.looks == [("rock pools", False)])
    asked.dialog.show_found(found(quotes.exact("rock pools")))
    assert asked.dialog.field.hasFocus()  # who types goes on typing
    focused(asked.dialog, Qt.Key.Key_Return, CONTROL)
    assert len(asked.opened) == 1


def test_another_word_takes_the_grade_away_at_once(asked: Asked) -> None:
    asked.find(found(quotes.exact()))
    assert asked.dialog.pill.isVisible()
    asked.dialog.field.setFocus()
    QTest.keyClicks(asked.dialog.field, "x")
    assert not asked.dialog.pill.isVisible()
    assert asked.dialog.list.place() is None


def test_what_is_replaced_while_it_is_looked_for_is_stopped(asked: Asked) -> None:
    asked.paste(TIDE)
    asked.paste(NEARLY)
    assert (asked.looks, asked.stops) == ([(TIDE, False), (NEARLY, False)], 1)
    asked.dialog.field.clear()
    assert asked.stops == 2
    assert asked.dialog.nothing.accessibleName() == "Paste a quotation"


def test_the_same_keys_paste_again_in_the_dialog_and_it_can_be_undone(asked: Asked) -> None:
    asked.find(found(quotes.exact()))
    QApplication.clipboard().setText(NEARLY)
    focused(asked.dialog, Qt.Key.Key_V, CONTROL | SHIFT)
    assert asked.looks[-1] == (NEARLY, False)
    asked.dialog.field.undo()
    assert asked.dialog.field.toPlainText() == TIDE


def test_closing_stops_what_runs(asked: Asked) -> None:
    asked.paste(TIDE)
    focused(asked.dialog, Qt.Key.Key_Escape)
    assert not asked.dialog.isVisible()
    assert asked.stops == 1


# -- What is reported -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("report", "word", "sentence"),
    [
        (quotes.exact(places=2, more=5), "Exact", "Letter for letter in 2 places. 5 more are not listed."),
        (quotes.rendered(), "Exact as rendered", "It reads the same but for markup and spacing, in 1 place."),
        (
            quotes.near(),
            "Near",
            "Not verified. Struck out: only in your quotation. Underlined: only in the source.",
        ),
        (quotes.none(), "Not found", "It is in no document's current text."),
        (quotes.none(older_versions=True), "Not found", "It is in no document, nor in an earlier version."),
    ],
)
def test_a_grade_is_a_word_and_a_sentence(
    asked: Asked, report: QuoteReport, word: str, sentence: str
) -> None:
    asked.find(found(report))
    assert asked.dialog.pill.accessibleName() == word
    assert asked.dialog.sentence.text() == sentence
    assert asked.dialog.accessibleDescription() == f"{word}. {sentence}"


def test_places_of_less_faith_are_counted_apart(asked: Asked) -> None:
    report = quotes.exact(places=2, more=1)
    other = report.places[1].model_copy(update={"grade": "exact_as_rendered"})
    report = report.model_copy(update={"places": [report.places[0], other], "complete": False})
    asked.find(found(report))
    assert asked.dialog.sentence.text() == (
        "Letter for letter in 1 place. It reads the same in 1 more. At least 1 more are not listed."
    )


def test_rows_tell_their_grades_where_these_differ(asked: Asked) -> None:
    asked.find(found(quotes.exact(places=2)))
    rows = asked.dialog.list
    heights = [rows.delegate.layout(rows.places.index(at)).grade.height() for at in (0, 1)]
    assert heights == [0, 0]  # the one above the list says it for all of them
    asked.find(found(quotes.mixed()))
    assert [rows.places.index(at).data(PlaceRole.GRADE) for at in (0, 1)] == ["exact", "exact_as_rendered"]
    for at in (0, 1):
        laid = rows.delegate.layout(rows.places.index(at))
        assert not laid.grade.isEmpty()
        assert laid.where.right() < laid.grade.left()
        assert laid.grade.bottom() <= laid.words_at.y()
        corner = rows.visualRect(rows.places.index(at)).topLeft()
        area = laid.grade.translated(corner).toAlignedRect()
        image = rows.viewport().grab(area).toImage()
        colours = {image.pixelColor(x, image.height() // 2).name() for x in range(image.width())}
        assert colour("ok_soft").name() in colours


def test_only_what_is_verified_is_green() -> None:
    green = {grade for grade, look in GRADE_LOOKS.items() if "ok" in {look.ink, look.ground[:2]}}
    assert green == {"exact", "exact_as_rendered"}
    assert len({look.icon for look in GRADE_LOOKS.values()}) == 3  # distinguished without colour, too


def test_a_place_is_read_out_whole(asked: Asked) -> None:
    asked.find(found(quotes.near()))
    index = asked.dialog.list.places.index(0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == (
        "Tide pools — Low tide, 12 September 2025. Near: “Limpets clamp their shells to the rock.”. "
        "The quotation says “stones”, the source “rock”."
    )
    asked.find(found(quotes.older()))
    reported = asked.dialog.list.places.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "earlier text, version 2, 12 September 2025" in reported


def test_the_words_that_differ_are_struck_out_and_underlined(asked: Asked) -> None:
    asked.find(found(quotes.near()))
    laid = asked.dialog.list.delegate.layout(asked.dialog.list.places.index(0)).words
    assert laid.text == "Limpets clamp their shells to the stones rock."
    assert [(laid.text[mark.start : mark.end], mark.kind) for mark in laid.marks] == [
        ("stones", "removed"),
        ("rock", "added"),
    ]
    made = list(laid._formats())
    assert [one.format.fontStrikeOut() for one in made] == [True, False]
    assert [one.format.fontUnderline() for one in made] == [False, True]


def test_what_fails_is_reported_and_tried_again(asked: Asked) -> None:
    asked.paste(TIDE)
    asked.dialog.show_failure(SEARCH_FAILURE)
    assert asked.dialog.nothing.accessibleName() == SEARCH_FAILURE.message
    assert not asked.dialog.pill.isVisible()
    asked.dialog.nothing.acted.emit()
    assert asked.looks == [(TIDE, False)] * 2


def test_slow_looking_says_so(asked: Asked, qtbot: QtBot) -> None:
    asked.paste(TIDE)
    assert asked.dialog.sentence.text() == ""
    qtbot.waitUntil(lambda: asked.dialog.sentence.text() == "Searching…")


def test_lines_begin_where_the_quotation_is_read_from(asked: Asked) -> None:
    asked.paste(ARABIC.quote)
    option = asked.dialog.field.document().defaultTextOption()
    assert option.textDirection() == Qt.LayoutDirection.RightToLeft


# -- Places -------------------------------------------------------------------------------------------------------


def test_a_click_shows_the_place_and_a_double_click_goes_there(asked: Asked) -> None:
    asked.find(found(quotes.exact(places=2)))
    rows = asked.dialog.list
    middle = rows.visualRect(rows.places.index(1)).center()
    QTest.mouseClick(rows.viewport(), LEFT, pos=middle)
    assert [place.title for place in asked.shown] == ["Tide pools 2"]
    assert asked.opened == []
    top = rows.visualRect(rows.places.index(1)).topLeft() + QPoint(60, 12)
    QTest.mouseDClick(rows.viewport(), LEFT, pos=top)
    assert [place.title for place in asked.opened] == ["Tide pools 2"]


def test_only_verified_places_are_cited(asked: Asked) -> None:
    asked.find(found(quotes.rendered()))
    rows = asked.dialog.list
    focused(asked.dialog, Qt.Key.Key_C)
    where = rows.delegate.button_rect(rows.places.index(0), "cite")
    assert where is not None
    QTest.mouseClick(rows.viewport(), LEFT, pos=where.center().toPoint())
    assert len(asked.cited) == 2
    assert asked.shown == []  # a button is no row
    asked.find(found(quotes.near()))
    focused(asked.dialog, Qt.Key.Key_C)
    assert rows.delegate.button_rect(rows.places.index(0), "cite") is None
    assert [action.text() for action in menu_of(asked).actions()] == [
        "Open in the reader",
        "Copy what the source says",
        "Copy WebRAG link",
    ]
    assert len(asked.cited) == 2


def menu_of(asked: Asked) -> QMenu:
    menu = asked.dialog.list.menu()
    assert menu is not None
    return menu


def test_a_cited_place_says_under_which_number(asked: Asked) -> None:
    given = found(quotes.exact())
    asked.find(given)
    asked.dialog.set_cited({given.places[0].span: 4})
    index = asked.dialog.list.places.index(0)
    texts = [placed.button.text for placed in asked.dialog.list.delegate.buttons(index)]
    assert texts == ["Open", "Cited as 4", "Copy"]
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).endswith("Cited as 4.")


def test_what_the_source_says_is_copied(asked: Asked) -> None:
    asked.find(found(quotes.near()))
    focused(asked.dialog, Qt.Key.Key_C, CONTROL)
    assert QApplication.clipboard().text() == TIDE


# -- Older texts --------------------------------------------------------------------------------------------------


def test_older_texts_are_a_second_step_that_can_be_stopped(asked: Asked) -> None:
    dialog = asked.dialog
    asked.find(found(quotes.none()))
    assert not dialog.stop_button.isVisible()
    dialog.older_button.click()
    assert asked.looks[-1] == ("Snails fly at night.", True)
    assert dialog.stop_button.hasFocus()
    assert dialog.step.text() == "Searching older versions…"
    dialog.show_step(Step("Looking through older versions", 1204, 3000))
    assert dialog.step.text() == "Searching older versions… 1,204 of 3,000"
    dialog.stop_button.click()
    assert asked.stops == 1
    dialog.show_stopped()
    assert not dialog.stop_button.isVisible()
    assert dialog.older_button.hasFocus()
    assert dialog.pill.accessibleName() == "Not found"  # what was found before stays
    dialog.older_button.click()
    dialog.show_found(found(quotes.older("Snails fly at night.")))
    assert not dialog.older_button.isVisible()
    assert dialog.list.hasFocus()


def test_another_quotation_ends_looking_in_older_texts(asked: Asked) -> None:
    asked.find(found(quotes.none()))
    asked.dialog.older_button.click()
    asked.paste(TIDE)
    assert asked.stops == 1
    assert not asked.dialog.stop_button.isVisible()


# -- In the window ------------------------------------------------------------------------------------------------


def dialog_of(shown: Shown) -> QuoteDialog:
    (dialog,) = shown.window.findChildren(QuoteDialog)
    shown.qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def looks(do: StandInOperations) -> list[tuple[object, ...]]:
    return do.calls_of("quotes.find")


@pytest.mark.parametrize("place", ["query", "list", "reader"])
def test_the_keys_work_anywhere_in_the_window(shown: Shown, place: str) -> None:
    shown.fill()
    research = shown.window.research
    widgets: dict[str, Callable[[], None]] = {
        "query": shown.window.query.focus,
        "list": shown.window.library.focus_first,
        "reader": research.reader.setFocus,
    }
    shown.connections.show_view(1 if place == "reader" else 0)
    widgets[place]()
    QApplication.clipboard().setText(TIDE)
    shown.press(Qt.Key.Key_V, CONTROL | SHIFT)
    assert looks(shown.do) == [(TIDE, False)]
    assert dialog_of(shown).isVisible()


def test_the_menu_tells_the_keys(shown: Shown) -> None:
    (action,) = [one for one in shown.connections.commands.actions if one.text() == "Where is this from?…"]
    assert action.shortcut().toString() == "Ctrl+Shift+V"
    QApplication.clipboard().clear()
    action.trigger()
    action.trigger()  # the same dialog comes to the front
    assert dialog_of(shown).isVisible()


def test_a_place_is_opened_in_the_reader_and_marked(shown: Shown, qtbot: QtBot) -> None:
    given = found(quotes.exact())
    QApplication.clipboard().setText(TIDE)
    shown.connections.quotes.ask()
    dialog = dialog_of(shown)
    shown.do.part("quotes").found.emit(given)
    focused(dialog, Qt.Key.Key_Return)
    assert shown.do.calls_of("reading.open_span") == [(given.places[0].span,)]
    assert shown.window.view == 1
    assert shown.window.research.is_full
    qtbot.waitUntil(shown.window.isActiveWindow)
    assert dialog.isVisible()  # for the next place


def test_a_verified_place_is_cited_and_the_citation_taken_back(shown: Shown) -> None:
    given = found(quotes.exact())
    place = given.places[0]
    QApplication.clipboard().setText(TIDE)
    shown.connections.quotes.ask()
    dialog = dialog_of(shown)
    shown.do.part("quotes").found.emit(given)
    focused(dialog, Qt.Key.Key_C)
    assert shown.do.calls_of("citing.cite") == [(place.span,)]
    row = cited_row(place)
    shown.do.part("citing").citations.emit((row,))
    assert dialog.list.places.index(0).data(Qt.ItemDataRole.AccessibleTextRole).endswith("Cited as 1.")
    focused(dialog, Qt.Key.Key_C)
    assert shown.do.calls_of("citing.uncite") == [(row.id,)]


def cited_row(place: FoundPlace) -> CitationRow:
    row = citation(ARABIC, 1)
    span = place.span
    return replace(
        row,
        quote=place.text,
        verbatim=place.text,
        title=place.title,
        section=place.section,
        page=place.page,
        document_id=span.document_id,
        version_id=span.version_id,
        char_start=span.char_start,
        char_end=span.char_end,
    )


def test_closing_the_dialog_stops_and_forgets_it(shown: Shown, qtbot: QtBot) -> None:
    QApplication.clipboard().setText(TIDE)
    shown.connections.quotes.ask()
    dialog_of(shown).reject()
    assert shown.do.calls_of("quotes.stop") == [()]
    qtbot.waitUntil(lambda: not shown.window.findChildren(QuoteDialog))
    shown.do.part("quotes").found.emit(found(quotes.exact()))  # too late, and nobody minds
    shown.connections.quotes.ask()
    assert dialog_of(shown).isVisible()
