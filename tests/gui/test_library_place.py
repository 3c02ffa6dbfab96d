"""What stays in place in the document list while its rows change."""

from uuid import UUID

import pytest
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.support.documents import keys, ready
from webrag_desktop.gui.data.view_data import DocumentNews, Listing

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
MANY = ready(300)
IDS = [row.id for row in MANY]
NEWEST = Listing()


@pytest.fixture
def library(application: QApplication, qtbot: QtBot) -> ServedLibrary:
    return ServedLibrary(qtbot)


def top(library: ServedLibrary) -> tuple[UUID, int]:
    row = library.table.rowAt(0)
    return library.table.documents.id_at(row), library.table.rowViewportPosition(row)


def test_only_rows_in_sight_and_their_neighbours_are_asked_for(library: ServedLibrary) -> None:
    spy = QSignalSpy(library.view.rows_wanted)
    library.give(MANY)
    wanted = {one for at in range(spy.count()) for one in spy.at(at)[0]}
    assert IDS[0] in wanted
    assert len(wanted) < 100


def test_another_order_keeps_selection_and_current_row_by_id(library: ServedLibrary) -> None:
    library.give(MANY)
    library.table.choose(100)
    selections = QSignalSpy(library.view.document_selected)
    library.view.show_listing(Listing(sort="title"), keys(IDS[::-1]))
    assert library.table.chosen_id == IDS[100]
    assert library.table.currentIndex().row() == 199
    assert library.table.visualRect(library.table.currentIndex()).intersects(library.table.viewport().rect())
    assert selections.count() == 0, "the same document is selected, nothing has to be fetched"


def test_new_documents_do_not_move_what_is_seen(library: ServedLibrary) -> None:
    library.give(MANY[10:])
    library.table.verticalScrollBar().setValue(1013)
    before = top(library)
    library.view.show_listing(NEWEST, keys(IDS))
    assert top(library) == before
    library.view.show_listing(NEWEST, keys([one for one in IDS if one not in set(IDS[:5])]))
    assert top(library) == before


def test_a_list_at_its_top_shows_what_is_new_unless_somebody_points_at_it(library: ServedLibrary) -> None:
    library.view.details_button.setFocus()
    library.give(MANY[10:])
    library.view.show_listing(NEWEST, keys(IDS[5:]))
    assert top(library) == (IDS[5], 0)
    library.point_at(2)
    library.view.show_listing(NEWEST, keys(IDS))
    assert top(library) == (IDS[5], 0)


def test_new_documents_above_leave_the_current_row_where_it_is_seen(library: ServedLibrary) -> None:
    library.give(MANY[10:])
    library.table.choose(3)
    library.view.details_button.setFocus()
    before = library.table.visualRect(library.table.currentIndex())
    library.view.show_listing(NEWEST, keys(IDS))
    assert library.table.currentIndex().row() == 13
    assert library.table.visualRect(library.table.currentIndex()) == before


def test_new_documents_between_leave_the_current_row_where_it_is_seen(library: ServedLibrary) -> None:
    by_title = Listing(sort="title")
    library.give(MANY[10:], by_title)
    library.table.verticalScrollBar().setValue(500)
    library.table.choose(15)
    library.view.details_button.setFocus()
    before = library.table.visualRect(library.table.currentIndex())
    library.view.show_listing(by_title, keys([*IDS[10:22], *IDS[:10], *IDS[22:]]))
    assert library.table.visualRect(library.table.currentIndex()) == before


def test_work_moves_no_row_while_the_pointer_is_in_the_list(library: ServedLibrary) -> None:
    library.view.details_button.setFocus()
    library.give(MANY[:20], Listing("open", sort="state"))
    library.point_at(3)
    fresh = [*IDS[10:20], *IDS[:8]]
    library.view.show_listing(Listing("open", sort="state"), keys(fresh))
    assert library.shown() == IDS[:20], "what left the group stays in sight too"
    library.leave()
    assert library.shown() == fresh


def test_work_moves_no_row_while_the_keyboard_is_in_the_list(library: ServedLibrary) -> None:
    library.give(MANY[:20])
    library.table.setFocus()
    library.view.show_listing(NEWEST, keys(IDS[19::-1]))
    assert library.shown() == IDS[:20]
    library.view.details_button.setFocus()
    assert library.shown() == IDS[19::-1]


def test_what_the_user_asks_for_is_shown_at_once(library: ServedLibrary) -> None:
    library.give(MANY[:20])
    library.table.setFocus()
    library.view.show_listing(Listing(descending=False), keys(IDS[19::-1]))
    assert library.shown() == IDS[19::-1]


def test_another_group_begins_at_the_top_with_nothing_selected(library: ServedLibrary) -> None:
    library.give(MANY)
    library.table.choose(200)
    library.view.show_listing(Listing("attention"), keys(IDS[:40]))
    assert library.table.chosen_id is None
    assert not library.table.currentIndex().isValid()
    assert library.table.verticalScrollBar().value() == 0


def test_removing_selects_what_comes_next(library: ServedLibrary) -> None:
    library.give(MANY)
    library.table.choose(5)
    with library.qtbot.waitSignal(library.view.document_selected) as selected:
        library.view.hide_documents([IDS[5]])
    assert selected.args == [IDS[6]]
    library.view.unhide_documents([IDS[5]])
    assert library.shown() == IDS
    assert library.table.chosen_id == IDS[6]


def test_removing_many_scattered_ones_selects_one_that_is_left(library: ServedLibrary) -> None:
    library.give(MANY)
    library.table.selectAll()
    library.view.hide_documents(IDS[:290:2] + IDS[1:290:2])
    assert library.selected() == set(IDS[290:])
    library.view.hide_documents(IDS[290:])
    assert library.view.empty.isVisible()


def test_a_document_removed_elsewhere_leaves(library: ServedLibrary) -> None:
    library.give(MANY[:10])
    library.view.apply_news([DocumentNews(IDS[4], None)])
    assert library.shown() == IDS[:4] + IDS[5:10]
