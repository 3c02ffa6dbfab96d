"""The query box in the whole window: filters typed into it, suggestions, history, scope, results as one types."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from uuid import uuid4

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.support.documents import document_id
from tests.support.filters import CHOICES, FOUR
from tests.support.shown import QUESTION, results
from tests.support.whole_window import Shown
from webrag_desktop.gui.data.filters import NO_FILTERS, Choice, ChosenFilters, FilterCosts, Period
from webrag_desktop.gui.data.questions import LastQuestion, PastSearch, SavedSearch
from webrag_desktop.gui.data.view_data import Failure, LibraryFigures, Listing, SiteCount, TagCount
from webrag_desktop.gui.kit.widgets.messages import Toast
from webrag_desktop.gui.library.operations.document_rows import Listed
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH
from webrag_desktop.gui.shell.window_state import Remembered
from webrag_desktop.models.sources import CollectionRow

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
PDF = ChosenFilters(doc_types=("pdf",))
CABLE, OTHER = document_id("cable"), document_id("other")
PAST = (
    PastSearch(uuid4(), "galvanic creep", PDF),
    PastSearch(uuid4(), "why did the cable fail"),
    PastSearch(uuid4(), "cable laying"),
)


@pytest.fixture
def shown(application: QApplication, qtbot: QtBot) -> Iterator[Shown]:
    made = Shown(qtbot)
    made.connections.show_view(RESEARCH)
    made.do.part("filtering").choices.emit(CHOICES)
    made.do.part("kept").history.emit(PAST)
    made.window.query.focus()
    yield made
    made.end()


@pytest.fixture
def mirrored(application: QApplication) -> Iterator[None]:
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def type_(shown: Shown, text: str) -> None:
    """Key by key."""
    box = QApplication.focusWidget()
    assert box is not None
    for character in text:
        QTest.keyClicks(box, character)


def chips(shown: Shown) -> list[str]:
    strip = shown.window.research.filters
    return [strip.chips[field].accessibleName() for field in strip.chosen.fields]


def suggested(shown: Shown) -> list[str]:
    return [one.words for one in shown.window.query.suggestions.shown]


def toasts(shown: Shown) -> list[str]:
    return [one.accessibleName() for one in shown.window.findChildren(Toast) if one.isVisible()]


def held(shown: Shown) -> object:
    return shown.do.calls_of("searching.restrict")[-1][0]


# -- Filters that are typed ---------------------------------------------------------------------------------------


def test_filters_become_chips_on_space_in_the_order_typed(shown: Shown) -> None:
    type_(shown, 'type:pdf why site:archive.org in:"Atlantic cable 1858" ')
    type_(shown, "after:1990 before:2000 has:tables lang:EN tag:Telegraphy fail ")
    assert shown.window.query.whole_text == "why fail "
    assert chips(shown) == [
        "Type: PDF",
        "Site: archive.org",
        "Collection: Atlantic cable 1858",
        "Published: 1990 to 1999",
        "Contains: Tables",
        "Language: English",
        "Tag: telegraphy",
    ]
    assert held(shown) == ChosenFilters(
        sites=("archive.org",),
        collections=("Atlantic cable 1858",),
        tags=("telegraphy",),
        doc_types=("pdf",),
        languages=("en",),
        content_flags=("has_table",),
        published=Period("1990", "1999"),
    )
    drawn = sorted(shown.window.research.filters.chips.values(), key=lambda one: (one.y(), one.x()))
    assert [one.accessibleName() for one in drawn] == chips(shown)


def test_enter_ends_the_last_filter_too_and_asks_the_rest(shown: Shown) -> None:
    type_(shown, "galvanic type:pdf")
    assert chips(shown) == []
    shown.press(Qt.Key.Key_Return)
    assert chips(shown) == ["Type: PDF"]
    assert shown.do.calls_of("searching.search") == [("galvanic",)]
    assert shown.do.calls_of("kept.note") == [("galvanic", PDF)]


def test_several_values_of_a_field_share_a_chip(shown: Shown) -> None:
    type_(shown, "site:archive.org,cablehistory.org site:site3.example ")
    assert held(shown) == ChosenFilters(sites=("archive.org", "cablehistory.org", "site3.example"))


def test_backspace_at_the_start_takes_the_chip_that_came_last(shown: Shown) -> None:
    type_(shown, "type:pdf site:archive.org why")
    shown.press(Qt.Key.Key_Home)
    shown.press(Qt.Key.Key_Backspace)
    assert chips(shown) == ["Type: PDF"]
    shown.press(Qt.Key.Key_Backspace)
    assert chips(shown) == []
    shown.press(Qt.Key.Key_Backspace)
    assert shown.window.query.whole_text == "why"
    assert held(shown) == NO_FILTERS


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("tag:nowhere ", "No document has the tag “nowhere”."),
        ('in:"My own" ', "There is no collection “My own”."),
        ("after:soon ", "“soon” is no date that can begin the period."),
        ("type:scroll ", "No document is of the type “scroll”."),
    ],
)
def test_a_value_that_the_library_does_not_have_is_said_and_stays(
    shown: Shown, typed: str, said: str
) -> None:
    type_(shown, f"why {typed}fail ")
    assert shown.window.query.whole_text == f"why {typed}fail "
    assert chips(shown) == []
    assert toasts(shown) == [f"{said} It stays in the question, as words."]
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("searching.search") == [(f"why {typed}fail",)]


def test_a_filter_in_the_middle_leaves_the_cursor_where_it_is(shown: Shown) -> None:
    type_(shown, "why fail")
    for _ in range(4):
        shown.press(Qt.Key.Key_Left)
    type_(shown, "type:pdf it ")
    assert shown.window.query.whole_text == "why it fail"


def test_what_the_library_has_is_asked_for_before_a_filter_is_judged(
    application: QApplication, qtbot: QtBot
) -> None:
    shown = Shown(qtbot)
    shown.window.query.focus()
    type_(shown, "tag:telegraphy ")
    assert shown.window.query.whole_text == "tag:telegraphy "
    assert shown.do.calls_of("filtering.fetch")
    shown.do.part("filtering").choices.emit(CHOICES)
    assert shown.window.query.whole_text == ""
    assert held(shown) == ChosenFilters(tags=("telegraphy",))
    assert shown.window.query.filter_button.text() == "1"
    shown.end()


# -- Completion ---------------------------------------------------------------------------------------------------


def test_values_are_completed_by_the_keyboard_alone(shown: Shown) -> None:
    type_(shown, "why site:cab")
    assert suggested(shown) == ["cablehistory.org"]
    shown.press(Qt.Key.Key_Tab)
    assert (shown.window.query.whole_text, chips(shown)) == ("why ", ["Site: cablehistory.org"])
    type_(shown, "in:a")
    assert suggested(shown) == ["Atlantic cable 1858", "Insulation chemistry"]
    shown.press(Qt.Key.Key_Down)
    shown.press(Qt.Key.Key_Down)
    shown.press(Qt.Key.Key_Return)
    assert chips(shown)[-1] == "Collection: Insulation chemistry"
    assert shown.do.calls_of("searching.search") == []
    assert shown.window.query.has_keyboard


def test_what_came_since_is_asked_for_before_it_is_called_unknown(shown: Shown) -> None:
    shown.do.part("documents").figures.emit(
        LibraryFigures(documents=1, sites=(SiteCount("tides.example", 1),))
    )
    type_(shown, "why site:tid")
    assert suggested(shown) == []
    assert shown.do.calls_of("filtering.fetch")
    site = Choice("tides.example", 1)
    shown.do.part("filtering").choices.emit(replace(CHOICES, sites=(*CHOICES.sites, site)))
    assert suggested(shown) == ["tides.example"]
    type_(shown, "zz")
    assert suggested(shown) == ["No document is from the site “tidzz”."]


NEW_SITE = Choice("new.example", 1)
WITH_SITE = replace(CHOICES, sites=(*CHOICES.sites, NEW_SITE))


@pytest.fixture
def unknowing(shown: Shown) -> Shown:
    """With a library that is open and has more than was read of it."""
    shown.do.part("session").is_open = True
    shown.do.part("documents").figures.emit(LibraryFigures(sites=(SiteCount("new.example", 1),)))
    return shown


@pytest.mark.parametrize("key", ["Enter", "Ctrl+Enter", "the button"])
@pytest.mark.parametrize(
    "typed", ["cable site:new.example", "cable site:new.example ", "site:new.example cable"]
)
def test_enter_waits_until_it_is_known_what_the_library_has(unknowing: Shown, typed: str, key: str) -> None:
    type_(unknowing, typed)
    if key == "the button":
        unknowing.window.query._answer.click()
    else:
        held = Qt.KeyboardModifier.ControlModifier if key == "Ctrl+Enter" else Qt.KeyboardModifier.NoModifier
        unknowing.press(Qt.Key.Key_Return, held)
    asked = "searching.search" if key == "Enter" else "answering.ask_searched"
    assert not unknowing.do.calls_of(asked)
    assert chips(unknowing) == []
    unknowing.do.part("filtering").choices.emit(WITH_SITE)
    assert chips(unknowing) == ["Site: new.example"]
    assert unknowing.do.calls_of(asked) == [("cable",)]
    assert unknowing.do.calls_of("searching.search") == [("cable",)]
    assert toasts(unknowing) == []


def test_enter_waits_once_while_documents_come_in(unknowing: Shown) -> None:
    type_(unknowing, "cable site:new.example")
    unknowing.press(Qt.Key.Key_Return)
    before = len(unknowing.do.calls_of("filtering.fetch"))
    unknowing.do.part("documents").figures.emit(LibraryFigures(ready=7))
    unknowing.do.part("filtering").choices.emit(WITH_SITE)  # read after Enter, before these came
    assert unknowing.do.calls_of("searching.search") == [("cable",)]
    assert len(unknowing.do.calls_of("filtering.fetch")) == before


def test_enter_goes_on_where_it_cannot_be_known(unknowing: Shown) -> None:
    type_(unknowing, "cable type:pdf")
    unknowing.press(Qt.Key.Key_Return)
    unknowing.do.part("filtering").failed.emit(Failure("The database is away.", "It comes back by itself."))
    assert chips(unknowing) == ["Type: PDF"]
    assert unknowing.do.calls_of("searching.search") == [("cable",)]


def test_enter_does_not_wait_for_a_library_that_is_not_open(unknowing: Shown) -> None:
    unknowing.do.part("session").is_open = False
    type_(unknowing, "cable type:pdf")
    unknowing.press(Qt.Key.Key_Return)
    assert unknowing.do.calls_of("searching.search") == [("cable",)]


def test_the_last_way_to_ask_is_the_one_that_counts(unknowing: Shown) -> None:
    type_(unknowing, "cable type:pdf")
    unknowing.press(Qt.Key.Key_Return)
    unknowing.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    unknowing.do.part("filtering").choices.emit(CHOICES)
    assert unknowing.do.calls_of("answering.ask_searched") == [("cable",)]
    assert unknowing.do.calls_of("searching.search") == [("cable",)]
    assert not unknowing.do.calls_of("answering.withdraw")


LEAVING: dict[str, Callable[[Shown], object]] = {
    "another key": lambda shown: type_(shown, ",html"),
    "Esc": lambda shown: shown.press(Qt.Key.Key_Escape),
    "another view": lambda shown: shown.connections.show_view(LIBRARY),
}


@pytest.mark.parametrize("way", LEAVING)
def test_a_question_that_waits_is_dropped_by(way: str, unknowing: Shown) -> None:
    type_(unknowing, "cable type:pdf")
    unknowing.press(Qt.Key.Key_Return)
    LEAVING[way](unknowing)
    view = unknowing.window.view
    unknowing.do.part("filtering").choices.emit(CHOICES)
    assert not unknowing.do.calls_of("searching.search")
    assert unknowing.window.view == view


def test_what_came_while_choices_were_read_is_asked_for_again(shown: Shown) -> None:
    """An answer says what there was when it was asked for."""
    documents, filtering = shown.do.part("documents"), shown.do.part("filtering")
    documents.figures.emit(LibraryFigures(sites=(SiteCount("one.example", 1),)))
    type_(shown, "cable site:")
    asked = len(shown.do.calls_of("filtering.fetch"))
    documents.figures.emit(LibraryFigures(sites=(SiteCount("one.example", 1), SiteCount("two.example", 1))))
    filtering.choices.emit(CHOICES)  # read before two.example came
    assert len(shown.do.calls_of("filtering.fetch")) == asked + 1
    filtering.choices.emit(CHOICES)
    assert len(shown.do.calls_of("filtering.fetch")) == asked + 1


def test_names_of_filters_are_suggested_and_then_their_values(shown: Shown) -> None:
    type_(shown, "why ta")
    assert suggested(shown) == ["tag:"]
    shown.press(Qt.Key.Key_Down)
    shown.press(Qt.Key.Key_Return)
    assert shown.window.query.whole_text == "why tag:"
    assert suggested(shown) == ["gutta-percha", "primary-source", "telegraphy"]
    counts = [one.detail for one in shown.window.query.suggestions.shown]
    assert counts == ["57", "131", "204"]
    type_(shown, "zz")
    assert suggested(shown) == ["No document has the tag “zz”."]
    shown.press(Qt.Key.Key_Down)
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("searching.search") == [("why tag:zz",)]


def test_escape_closes_the_suggestions_and_nothing_else(shown: Shown) -> None:
    type_(shown, "type:")
    assert suggested(shown) == ["Web page", "PDF", "EPUB"]
    shown.press(Qt.Key.Key_Escape)
    assert suggested(shown) == []
    assert shown.window.query.has_keyboard
    assert shown.window.query.whole_text == "type:"


def test_suggestions_go_with_the_keyboard(shown: Shown) -> None:
    type_(shown, "cable")
    assert suggested(shown) == ["cable laying", "why did the cable fail"]
    shown.window.research.results.setFocus()
    shown.window.query.filter_button.setFocus()
    assert suggested(shown) == []


def test_the_suggestions_stand_under_the_box_also_from_right_to_left(mirrored: None, shown: Shown) -> None:
    type_(shown, "site:arch")
    box, opened = shown.window.query, shown.window.query.suggestions
    place = box.mapTo(shown.window, box.rect().topLeft())
    assert (opened.x(), opened.width()) == (place.x(), box.width())
    assert opened.y() >= place.y() + box.height()
    shown.press(Qt.Key.Key_Tab)
    assert chips(shown) == ["Site: archive.org"]
    strip = shown.window.research.filters
    assert strip.chips["sites"].x() > strip.add_button.x()


# -- The history --------------------------------------------------------------------------------------------------


def test_down_in_an_empty_box_opens_the_history_and_enter_asks_again(shown: Shown) -> None:
    shown.press(Qt.Key.Key_Down)
    assert suggested(shown) == [one.question for one in PAST]
    assert shown.window.query.suggestions.shown[0].detail == "Type: PDF"
    shown.press(Qt.Key.Key_Down)
    shown.press(Qt.Key.Key_Return)
    assert shown.window.query.text() == "galvanic creep"
    assert chips(shown) == ["Type: PDF"]
    assert shown.do.calls_of("searching.search") == [("galvanic creep",)]
    assert shown.do.calls_of("kept.note") == [("galvanic creep", PDF)]


def test_without_a_history_down_leads_into_the_view(shown: Shown) -> None:
    shown.do.part("kept").history.emit(())
    with shown.qtbot.waitSignal(shown.window.query.left_downwards):
        shown.press(Qt.Key.Key_Down)


def test_the_history_can_be_forgotten_from_the_menu(shown: Shown) -> None:
    (action,) = (one for one in shown.connections.commands.actions if one.text() == "Clear search history")
    action.trigger()
    assert shown.do.calls_of("kept.clear_history") == [()]


# -- Saved searches -----------------------------------------------------------------------------------------------


def test_a_search_is_saved_under_a_name_with_its_filters(shown: Shown) -> None:
    type_(shown, "coils type:pdf")
    shown.press(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    dialog = shown.window.findChild(QInputDialog)
    assert dialog is not None
    assert dialog.textValue() == "coils"
    dialog.setTextValue("Whitehouse coils")
    dialog.accept()
    assert shown.do.calls_of("kept.save") == [("Whitehouse coils", "coils", PDF)]


def test_nothing_asked_is_nothing_to_save(shown: Shown) -> None:
    shown.press(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert shown.window.findChild(QInputDialog) is None
    assert toasts(shown) == ["Type a question first; then it can be saved."]


def test_a_saved_search_is_opened_with_its_filters(shown: Shown) -> None:
    type_(shown, "type:html ")
    shown.do.part("kept").opened.emit(SavedSearch(uuid4(), "Letters", "thomson", PDF, 2))
    assert shown.do.calls_of("searching.search") == [("thomson",)]
    assert held(shown) == PDF


def test_a_collection_or_tag_that_is_no_more_is_said_when_its_search_is_opened(shown: Shown) -> None:
    collections = (CollectionRow(CABLE, "Sea", 3),)
    shown.do.part("documents").figures.emit(
        LibraryFigures(documents=3, collections=collections, tags=(TagCount("letters", 1),))
    )
    there = ChosenFilters(collections=("sea",), tags=("Letters",))
    shown.do.part("kept").opened.emit(SavedSearch(uuid4(), "Here", "limpets", there))
    assert toasts(shown) == []
    gone = ChosenFilters(collections=("Sea", "Lake"))
    shown.do.part("kept").opened.emit(SavedSearch(uuid4(), "Gone", "limpets", gone))
    assert toasts(shown) == ["There is no collection “Lake”."]
    assert chips(shown) == ["Collection: Sea or Lake"]


def test_a_chosen_collection_follows_its_new_name(shown: Shown) -> None:
    figures = shown.do.part("documents").figures
    figures.emit(LibraryFigures(documents=3, collections=(CollectionRow(CABLE, "Sea", 3),)))
    shown.connections.filtering.take(ChosenFilters(collections=("Sea",), tags=("telegraphy",)))
    figures.emit(LibraryFigures(documents=3, collections=(CollectionRow(CABLE, "Ocean", 3),)))
    assert held(shown) == ChosenFilters(collections=("Ocean",), tags=("telegraphy",))


def test_saved_searches_stand_in_the_sidebar_and_are_opened_there_by_the_keyboard(shown: Shown) -> None:
    kept = SavedSearch(uuid4(), "Letters", "thomson", PDF, 2)
    shown.do.part("kept").saved.emit((kept,))
    sidebar = shown.window.sidebar
    index = sidebar.entries.index_of(("search", kept.id))
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Letters, saved search, 2 new results"
    sidebar.list.setFocus()
    sidebar.list.setCurrentIndex(index)
    shown.press(Qt.Key.Key_Return)
    assert shown.do.calls_of("kept.open") == [(kept.id,)]
    sidebar.search_renamed.emit(kept.id, "Thomson")
    shown.press(Qt.Key.Key_Delete)
    assert shown.do.calls_of("kept.rename") == [(kept.id, "Thomson")]
    assert shown.do.calls_of("kept.remove") == [(kept.id,)]


# -- Results as one types -----------------------------------------------------------------------------------------


def typed_searches(shown: Shown) -> list[object]:
    return [query for (query,) in shown.do.calls_of("searching.search_as_typed")]


def test_a_pause_in_typing_searches_without_history_or_moving_the_keyboard(shown: Shown) -> None:
    type_(shown, "why did site:arch")
    shown.qtbot.waitUntil(lambda: bool(typed_searches(shown)))
    assert typed_searches(shown) == ["why did"]  # once, and not for a filter that goes on
    found = replace(results(query="why did"), as_typed=True)
    shown.answer(found)
    assert shown.window.query.has_keyboard
    assert shown.do.calls_of("kept.note") == []


def test_what_was_typed_while_an_asked_question_was_searched_is_searched_after_it(shown: Shown) -> None:
    type_(shown, "cable")
    shown.press(Qt.Key.Key_Return)
    shown.do.part("searching").started.emit("cable")
    type_(shown, " laying")
    shown.qtbot.waitUntil(lambda: typed_searches(shown) == ["cable laying"])  # refused: Enter's goes first
    shown.answer(results(query="cable"))
    shown.qtbot.waitUntil(lambda: typed_searches(shown) == ["cable laying", "cable laying"])
    assert shown.window.query.has_keyboard


def test_an_emptied_box_stops_the_search_for_what_was_in_it(shown: Shown) -> None:
    type_(shown, "ca")
    shown.qtbot.waitUntil(lambda: typed_searches(shown) == ["ca"])
    shown.press(Qt.Key.Key_Backspace)
    before = len(shown.do.calls_of("searching.stop_typed"))
    shown.press(Qt.Key.Key_Backspace)
    assert len(shown.do.calls_of("searching.stop_typed")) == before + 1


def test_words_that_are_being_typed_are_searched_for_without_the_chip_that_is_taken_back(
    shown: Shown,
) -> None:
    type_(shown, "type:pdf cable")
    shown.qtbot.waitUntil(lambda: typed_searches(shown) == ["cable"])
    shown.press(Qt.Key.Key_Home)
    shown.press(Qt.Key.Key_Backspace)
    assert held(shown) == NO_FILTERS
    shown.qtbot.waitUntil(lambda: typed_searches(shown) == ["cable", "cable"])


def test_the_selected_passage_stays_while_it_is_still_found(shown: Shown) -> None:
    shown.ask()
    listed = shown.window.research.results.list
    chosen = listed.results.find(results().groups[0].passages[1].chunk_id)
    listed.setCurrentIndex(chosen)
    kept = listed.passage()
    shown.window.query.focus()
    shown.answer(replace(results(query="why did the 1858"), as_typed=True))
    assert listed.passage() == kept
    assert shown.window.query.has_keyboard


@pytest.mark.parametrize("case", ["library", "off", "about an answer"])
def test_it_is_not_searched_where_enter_is_waited_for(shown: Shown, case: str) -> None:
    if case == "library":
        shown.connections.show_view(LIBRARY)
        shown.window.query.focus()
    elif case == "off":
        (action,) = (one for one in shown.connections.commands.actions if one.text() == "Results as you type")
        assert action.isChecked()
        action.trigger()
    else:
        shown.window.research.answer.show()
    type_(shown, "cable")
    shown.connections.questions._pause.timeout.emit()  # the pause is over
    assert typed_searches(shown) == []


# -- What the sidebar lists ---------------------------------------------------------------------------------------


def current(shown: Shown) -> Listing | None:
    return shown.window.sidebar._listing


def choose(shown: Shown, listing: Listing) -> None:
    shown.window.sidebar._listing = listing
    shown.window.sidebar.listing_chosen.emit(listing)
    list_(shown)


def list_(shown: Shown) -> None:
    """What was asked for last is listed."""
    (listing,) = shown.do.calls_of("documents.list_documents")[-1]
    assert isinstance(listing, Listing)
    shown.do.part("documents").listed.emit(Listed.of(listing, ()))


SITE = Listing("site", "archive.org")


def test_a_site_of_the_sidebar_is_a_chip_where_one_searches(shown: Shown) -> None:
    shown.connections.show_view(LIBRARY)
    choose(shown, SITE)
    assert shown.window.view == LIBRARY
    shown.ask()
    assert chips(shown) == ["Site: archive.org"]
    assert held(shown) == ChosenFilters(sites=("archive.org",))
    assert current(shown) == SITE


def test_without_its_chip_all_is_searched_and_marked(shown: Shown) -> None:
    choose(shown, SITE)
    assert shown.window.view == RESEARCH  # beside passages, it says where they are searched
    QTest.keyClick(shown.window.research.filters.chips["sites"], Qt.Key.Key_Delete)
    assert held(shown) == NO_FILTERS
    list_(shown)
    assert current(shown) == Listing()


def test_another_line_replaces_the_chip_and_all_documents_takes_it(shown: Shown) -> None:
    type_(shown, "type:pdf ")
    choose(shown, SITE)
    choose(shown, Listing("tag", tag="telegraphy"))
    assert chips(shown) == ["Type: PDF", "Tag: telegraphy"]
    row = CollectionRow(CABLE, "Atlantic cable 1858", 3)
    shown.do.part("documents").figures.emit(LibraryFigures(documents=3, collections=(row,)))
    choose(shown, Listing("collection", collection=CABLE))
    assert chips(shown) == ["Type: PDF", "Collection: Atlantic cable 1858"]
    choose(shown, Listing())
    assert chips(shown) == ["Type: PDF"]
    assert shown.window.view == RESEARCH


def test_the_chip_follows_a_collection_that_is_renamed_and_goes_with_one_that_is_deleted(
    shown: Shown,
) -> None:
    figures = shown.do.part("documents").figures
    figures.emit(LibraryFigures(documents=3, collections=(CollectionRow(CABLE, "Cables", 3),)))
    choose(shown, Listing("collection", collection=CABLE))
    figures.emit(LibraryFigures(documents=3, collections=(CollectionRow(CABLE, "Telegraphy", 3),)))
    assert held(shown) == ChosenFilters(collections=("Telegraphy",))
    figures.emit(LibraryFigures(documents=3))
    assert held(shown) == NO_FILTERS


def test_what_cannot_be_searched_alone_is_not_marked_beside_passages(shown: Shown) -> None:
    choose(shown, Listing("attention"))
    assert shown.window.view == LIBRARY
    assert current(shown) == Listing("attention")
    shown.connections.show_view(RESEARCH)
    assert current(shown) is None
    assert chips(shown) == []
    shown.connections.show_view(LIBRARY)
    assert current(shown) == Listing("attention")


def test_passages_of_another_scope_give_way_when_they_are_looked_at(shown: Shown) -> None:
    shown.ask()
    shown.connections.show_view(LIBRARY)
    choose(shown, SITE)
    assert shown.do.calls_of("searching.again") == []
    shown.connections.show_view(RESEARCH)
    assert shown.do.calls_of("searching.again") == [()]
    choose(shown, Listing())
    assert shown.do.calls_of("searching.again") == [(), ()]


# -- No result ----------------------------------------------------------------------------------------------------


def links(shown: Shown) -> list[QPushButton]:
    return [one for one in shown.window.research.results._empty.links if one.isVisible()]


def test_no_result_says_what_each_filter_costs_and_a_click_removes_it(shown: Shown) -> None:
    shown.connections.filtering.take(FOUR)
    shown.ask("galvanic creep")
    shown.answer(replace(results([], "galvanic creep"), filters=FOUR))
    shown.do.part("searching").costs.emit(
        FilterCosts(
            "galvanic creep", FOUR, (("sites", 0), ("tags", 1), ("doc_types", 0), ("published", 3)), 9
        )
    )
    assert [one.text() for one in links(shown)] == [
        "Without “Published: from 1990” there are 3 passages.",
        "Without “Tag: telegraphy” there is 1 passage.",
    ]
    links(shown)[0].setFocus()
    shown.press(Qt.Key.Key_Space)
    assert held(shown) == FOUR.without("published")


def test_costs_of_another_question_are_not_shown(shown: Shown) -> None:
    shown.ask("galvanic creep")
    shown.answer(replace(results([], "galvanic creep"), filters=PDF))
    shown.do.part("searching").costs.emit(FilterCosts("other", PDF, (("doc_types", 3),), 3))
    assert links(shown) == []
    shown.do.part("searching").costs.emit(FilterCosts("galvanic creep", PDF, (("doc_types", 0),), 0))
    assert links(shown) == []
    empty: QWidget = shown.window.research.results._empty
    assert empty.accessibleDescription() == "One filter is on. Without filters there are none either."


# -- Over restarts ------------------------------------------------------------------------------------------------


def test_question_chips_and_view_come_back_and_are_searched_once_there_is_a_library(
    application: QApplication, qtbot: QtBot
) -> None:
    shown = Shown(qtbot)
    passage = results().groups[0].passages[1].chunk_id
    last = LastQuestion(QUESTION, FOUR, asked=True, passage=passage)
    shown.connections.restore(Remembered("research", last, as_typed=False))
    assert shown.window.view == RESEARCH
    assert (shown.window.query.text(), held(shown)) == (QUESTION, FOUR)
    assert shown.places() == (False, False)
    assert shown.do.calls_of("searching.search") == []
    assert shown.connections.remembered == Remembered("research", last, as_typed=False)
    shown.do.part("session").opened.emit()
    assert shown.do.calls_of("searching.search") == [(QUESTION, True)]  # all at once
    shown.answer(replace(results(), filters=FOUR))
    found = shown.window.research.results.list.passage()
    assert found is not None
    assert found.chunk_id == passage
    assert shown.connections.remembered.question == last
    shown.end()


def test_a_collection_that_went_while_no_window_was_open_is_said(
    application: QApplication, qtbot: QtBot
) -> None:
    shown = Shown(qtbot)
    last = LastQuestion("limpets", ChosenFilters(collections=("Sea",)), asked=True)
    shown.connections.restore(Remembered("research", last))
    assert toasts(shown) == []
    shown.do.part("documents").figures.emit(LibraryFigures(documents=3))
    assert toasts(shown) == ["There is no collection “Sea”."]
    shown.end()


def test_a_question_that_was_only_typed_is_not_searched(application: QApplication, qtbot: QtBot) -> None:
    shown = Shown(qtbot)
    shown.connections.restore(Remembered("research", LastQuestion("half a quest")))
    shown.do.part("session").opened.emit()
    assert shown.do.calls_of("searching.search") == []
    shown.end()
