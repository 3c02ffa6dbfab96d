"""That other documents say nearly what a passage says: found, named on its row, and opened at that place."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from tests.gui.result_lists import menu_of, texts, trigger
from tests.support.corpus import add_page
from tests.support.gui_library import Address, Heard, heard, open_operations, settings_for
from tests.support.reader import COILS as COILS_TEXT
from tests.support.reader import TEXT, span, titled
from tests.support.shown import COILS, VOLTAGE, cable_groups, group, named_id, results
from tests.support.whole_window import Shown
from tests.unit.gui.test_reader_document import shown as read
from tests.unit.gui.test_reader_document import version
from webrag_desktop.gui.data.view_data import (
    AlsoIn,
    Passage,
    ReaderDocument,
    ResultGroup,
    SearchResults,
    SpanReference,
)
from webrag_desktop.gui.research.result_list import ResultList
from webrag_desktop.gui.research.results_model import reasons_text
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]
ISOLATE, END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def also(title: str, name: str = "") -> AlsoIn:
    address = f"https://saved.example/{len(title)}"
    return AlsoIn(named_id(title), named_id(f"chunk of {title}"), title, name or title, address)


COPIES = (also("<img src=x> & its coils"), also("תולדות הכבל"), also("The coils, as they were saved"))

LONG = "A title that goes on and on " * 9


def standing_for(others: tuple[AlsoIn, ...]) -> SearchResults:
    first = group("The induction coils", [replace(VOLTAGE, also_in=others), COILS])
    return results([first, *cable_groups()[1:]])


@pytest.fixture
def listed(qtbot: QtBot, application: QApplication) -> Iterator[ResultList]:
    made = ResultList()
    qtbot.addWidget(made)
    made.resize(644, 800)
    made.show()
    made.show_results(standing_for(COPIES))
    application.processEvents()
    yield made
    QToolTip.hideText()


def passage_of(listed: ResultList) -> Passage:
    shown = listed.passage()
    assert shown is not None
    return shown


def ask_for_help(listed: ResultList, place: QPoint) -> None:
    event = QHelpEvent(QEvent.Type.ToolTip, place, listed.viewport().mapToGlobal(place))
    QApplication.sendEvent(listed.viewport(), event)


# -- On the row ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "title"), [(330, LONG), (644, LONG), (1000, "Coils")])
def test_the_selected_passage_names_the_first_on_a_line_that_ends_with_how_many_more(
    listed: ResultList, application: QApplication, width: int, title: str
) -> None:
    listed.show_results(standing_for((also(title), *COPIES)))
    listed.resize(width, 800)
    application.processEvents()
    *others, line = listed.delegate.layout(listed.currentIndex()).reasons
    assert (line.reason.name, line.reason.value, line.reason.rest) == ("Also in", title, "and 3 more")
    assert all(line.name.top() > other.name.top() for other in others)
    assert line.value.width() > (90 if title is LONG else 20)
    assert line.name.right() < line.value.left() < line.value.right() < line.rest.left()
    assert line.rest.right() <= listed.row_width - 20
    (button, *_) = listed.delegate.buttons(listed.currentIndex())
    assert line.name.bottom() < button.rect.top()


def test_passages_that_stand_for_none_have_no_such_line(listed: ResultList) -> None:
    at = listed.results.find(COILS.chunk_id)
    listed.setCurrentIndex(at)
    assert not any(one.reason.is_title for one in listed.delegate.layout(at).reasons)
    assert listed.delegate.elsewhere_rect(at) is None
    assert at.data(Qt.ItemDataRole.AccessibleDescriptionRole) == ""
    assert "also in" not in at.data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_row_that_is_hovered_names_the_first(listed: ResultList) -> None:
    shown = reasons_text(passage_of(listed)).splitlines()
    assert shown[-1] == f"Also in: {ISOLATE}{COPIES[0].title}{END} and 2 more"
    one = replace(VOLTAGE, also_in=COPIES[:1])
    assert reasons_text(one).splitlines()[-1] == f"Also in: {ISOLATE}{COPIES[0].title}{END}"


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_the_tooltip_of_the_line_tells_all_titles_and_addresses(
    listed: ResultList, application: QApplication, direction: Qt.LayoutDirection
) -> None:
    listed.setLayoutDirection(direction)
    application.processEvents()
    row, mirror = listed.visualRect(listed.currentIndex()), listed.delegate.mirror
    depth, line = listed.delegate.layout(listed.currentIndex()).reasons[-2:]
    above, on = (mirror.rect(one.value.translated(0, row.top())).center().toPoint() for one in (depth, line))
    ask_for_help(listed, above)
    assert QToolTip.text() == ""
    ask_for_help(listed, on)
    assert "&lt;img src=x&gt; &amp; its coils" in QToolTip.text()
    assert all(copy.title in QToolTip.text() for copy in COPIES[1:])
    assert all(copy.address in QToolTip.text() for copy in COPIES)


def test_a_tooltip_of_very_many_ends(listed: ResultList, application: QApplication) -> None:
    many = tuple(also(f"Copy {'x' * number}") for number in range(40))
    listed.show_results(standing_for(many))
    application.processEvents()
    rect = listed.delegate.elsewhere_rect(listed.currentIndex())
    assert rect is not None
    ask_for_help(listed, rect.center().toPoint())
    assert QToolTip.text().splitlines()[-2:] == [many[11].address, "and 28 more"]


def test_a_screen_reader_reads_how_many_and_then_which(listed: ResultList) -> None:
    index = listed.currentIndex()
    assert "strong, score 0.91, also in 3 documents: " in index.data(Qt.ItemDataRole.AccessibleTextRole)
    shown = index.data(Qt.ItemDataRole.AccessibleDescriptionRole)
    assert all(copy.title in shown and copy.address in shown for copy in COPIES)


# -- In the menu --------------------------------------------------------------------------------------------------


def test_the_menu_opens_each(listed: ResultList) -> None:
    asked: list[tuple[Passage, AlsoIn]] = []
    listed.other_requested.connect(lambda *where: asked.append(where))
    menu = menu_of(listed)
    entries = texts(menu)[-4:-1]
    assert entries == [f"Open “{ISOLATE}{one.name}{END}”".replace("&", "&&") for one in COPIES]
    tooltips = {action.text(): action.toolTip() for action in menu.actions()}
    assert menu.toolTipsVisible()
    assert "&lt;img" in tooltips[entries[0]]
    assert tooltips[entries[1]] == f"{COPIES[1].title}\n{COPIES[1].address}"
    for entry in entries:
        trigger(menu, entry)
    assert asked == [(passage_of(listed), one) for one in COPIES]


def test_the_menu_stays_small(listed: ResultList) -> None:
    usual = menu_of(listed).sizeHint()
    many = tuple(also(f"Copy {'very ' * 99}{number}", f"{number} {'w' * 400}") for number in range(20))
    listed.show_results(standing_for(many))
    menu = menu_of(listed)
    assert sum(text.startswith("Open “") for text in texts(menu)) == 8
    assert menu.sizeHint().width() < usual.width() + 320


# -- In the window ------------------------------------------------------------------------------------------------


def test_what_was_chosen_in_the_menu_is_read_at_its_place(qtbot: QtBot, application: QApplication) -> None:
    window = Shown(qtbot)
    try:
        window.ask()
        window.answer(standing_for(COPIES))
        research = window.window.research
        trigger(menu_of(research.results.list), f"Open “{ISOLATE}{COPIES[1].name}{END}”")
        assert window.do.calls_of("reading.open_other") == [(COPIES[1], VOLTAGE.quote)]
        assert research.is_full
        reading = window.do.part("reading")
        reading.waiting.emit(COPIES[1].document_id)
        qtbot.waitUntil(lambda: COPIES[1].title in research.reader._skeleton.accessibleName())
        document = titled(read(version(TEXT)))
        reading.document.emit(document)
        reading.found.emit(span(document, COILS_TEXT))
        qtbot.waitUntil(lambda: research.reader._text.is_complete)
        assert research.reader.highlighted_span() == span(document, COILS_TEXT)
    finally:
        window.end()


# -- In the library -----------------------------------------------------------------------------------------------

SAID = "The limpet returns before low water to the scar that its own shell has worn into the rock."
BODY = (
    "Naturalists marked every animal along one ledge with paint and followed them through spring tides. "
    "Grazing began soon after waves reached that ledge, stopped whenever air dried it, and seldom led anyone "
    "farther than sixty centimetres from home. " + SAID + " Older individuals kept their places for years; "
    "young ones wandered, quarrelled over bare stone, then settled beneath weed where gulls could not see."
)


PLACES = {
    "https://shore.example/limpets": "shore.example/limpets",
    "https://saved.example/old/limpets": "saved.example/old/limpets",
    "https://copies.example/a": "A copy & its frame",
}  # the name of each where another has the title of the first two


def page(title: str, body: str) -> bytes:
    """Without a heading: a chunk begins with it, and then says other words."""
    head = f"<head><title>{title}</title></head>"
    return f"<!doctype html><html lang='en'>{head}<body><main><p>{body}</p></main></body></html>".encode()


@pytest.fixture
def do(
    clone: Clone,
    corpus_template: str,
    make_indexer: Callable[[Database], Indexer],
    tmp_path: Path,
    qtbot: QtBot,
) -> Iterator[Operations]:
    """A library that holds a page three times, once with another word and once under another title."""
    address = clone(corpus_template)
    database = Database(address)
    indexer = make_indexer(database)
    pages = (
        page("Limpets", BODY),
        page("Limpets", BODY.replace("sixty", "seventy")),
        page("A copy &amp; its frame", BODY),
    )
    for place, body in zip(PLACES, pages, strict=True):
        add_page(database, indexer, place, body)
    database.close()
    with open_operations(settings_for(address, tmp_path), qtbot) as made:
        yield made


def standing(answer: SearchResults) -> tuple[ResultGroup, Passage]:
    """The only passage that says it, and its document."""
    (found,) = [(shown, one) for shown in answer.groups for one in shown.passages if SAID in one.text]
    return found


def opened(
    do: Operations, qtbot: QtBot, other: AlsoIn, quote: str
) -> tuple[ReaderDocument, SpanReference | None]:
    documents, places = Heard(do.reading.document), Heard(do.reading.found)
    do.reading.open_other(other, quote)
    heard(qtbot, lambda: len(documents) == 1)
    assert documents.last.document_id == other.document_id
    return documents.last, places.last if places.all else None


def test_near_duplicates_are_listed_opened_at_what_was_found_and_left_out_once_removed(
    do: Operations, qtbot: QtBot
) -> None:
    answers = Heard(do.searching.results)
    do.searching.search("when does the limpet return to its scar")
    heard(qtbot, lambda: len(answers) > 0)
    own, passage = standing(answers.last)
    assert {one.address: one.name for one in passage.also_in} == {
        address: name for address, name in PLACES.items() if address != own.address
    }
    for other in passage.also_in:
        document, place = opened(do, qtbot, other, passage.quote.replace(" ", "\n"))
        assert document.title == other.title
        assert place is not None
        assert place.version_id == document.version_id
        assert document.markdown[place.char_start : place.char_end] == passage.quote

    first, second = passage.also_in
    document, place = opened(do, qtbot, first, "It says this nowhere.")
    assert place is not None
    assert SAID in document.markdown[place.char_start : place.char_end], "the whole passage"
    document, place = opened(do, qtbot, replace(first, chunk_id=uuid4()), passage.quote)
    assert place == SpanReference(document.document_id, document.version_id, 0, 0), "where it was read to"

    do.documents.remove((first.document_id,))
    heard(qtbot, lambda: standing(answers.last)[1].also_in == (second,))
    do.documents.undo()
    heard(qtbot, lambda: standing(answers.last)[1] == passage)
