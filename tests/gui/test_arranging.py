"""The list of documents as its user arranges it: filter, columns, groups; and what is new above is mentioned."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.library_views import ServedLibrary
from tests.support.documents import SIGN_IN, keys, ready
from tests.support.gui_library import (
    MILLISECONDS,
    Address,
    Heard,
    added,
    paused_operations,
    settings_for,
)
from webrag_desktop import Library
from webrag_desktop.gui.data.library import ListGroup
from webrag_desktop.gui.data.view_data import DocumentRow, Listing
from webrag_desktop.gui.kit.theme.painting import paint_line, text_width
from webrag_desktop.gui.library import document_delegate, document_states
from webrag_desktop.gui.library import document_words as words
from webrag_desktop.gui.library.document_columns import Column, ColumnLayout
from webrag_desktop.gui.library.documents_model import DocumentsModel
from webrag_desktop.gui.library.operations.document_rows import Listed
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.window import Connections
from webrag_desktop.gui.shell.main_window import LIBRARY, MainWindow
from webrag_desktop.models.sources import Labels

Clone = Callable[[str], Address]
LINKS = (
    "https://cables.example/valentia-log",
    "https://cables.example/gutta-percha",
    "https://other.example/telegraphy",
)
HOSTS = ("cables", "valentia", "gutta-percha")
PAGES = ("log", "logbook", "Valentia-1858", "percha?a=1", "%C3%84rger")
TYPED = ("valentia log", "log", "gutta 1858", "ärger", "Ärger cables", "example/log", "nothing", "percha a=1")
BY_SITE = Listing(grouping="site")


@pytest.fixture
def served(application: QApplication, qtbot: QtBot) -> ServedLibrary:
    return ServedLibrary(qtbot)


@pytest.fixture
def do(clone: Clone, migrated_template: str, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with paused_operations(settings_for(clone(migrated_template), tmp_path / "home"), qtbot) as made:
        yield made


@pytest.fixture
def window(application: QApplication, do: Operations, qtbot: QtBot) -> Iterator[MainWindow]:
    made = MainWindow()
    qtbot.addWidget(made)
    made.resize(1440, 900)
    connections = Connections(made, do)
    with qtbot.waitExposed(made):
        made.show()
    connections.start()
    made.activateWindow()
    do.documents.list_documents(Listing())
    yield made
    do.undo.finish_all()
    made.hide()


def titles(window: MainWindow, qtbot: QtBot) -> list[str]:
    documents = window.library.list.documents
    rows = range(documents.rowCount())
    found = [documents.index(at, 0).data() for at in rows]
    qtbot.waitUntil(lambda: all(documents.index(at, 0).data() for at in rows), timeout=MILLISECONDS)
    return (
        [str(documents.index(at, 0).data()) for at in rows] if None in found else [str(one) for one in found]
    )


# -- The filter ---------------------------------------------------------------------------------------------------


def test_the_list_is_narrowed_as_one_types_and_esc_shows_all_again(
    window: MainWindow, do: Operations, qtbot: QtBot
) -> None:
    added(do, qtbot, *LINKS)
    documents, field = window.library.list.documents, window.library.filter
    qtbot.waitUntil(lambda: documents.rowCount() == 3, timeout=MILLISECONDS)
    window.show_view(LIBRARY)
    window.library.list.setFocus()
    QTest.keyClick(window.library.list, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert field.hasFocus()
    QTest.keyClicks(field, "valen")
    qtbot.waitUntil(lambda: documents.rowCount() == 1, timeout=MILLISECONDS)
    assert titles(window, qtbot) == ["cables.example/valentia-log"]
    QTest.keyClicks(field, "tinq")
    qtbot.waitUntil(lambda: not window.library.list.isVisible(), timeout=MILLISECONDS)
    assert field.isVisible()
    assert field.hasFocus()
    assert window.library._nothing.accessibleName() == "No document here is called “valentinq”."
    QTest.keyClick(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: documents.rowCount() == 3, timeout=MILLISECONDS)
    QTest.keyClicks(field, "cables log")
    qtbot.waitUntil(lambda: documents.rowCount() == 1, timeout=MILLISECONDS)
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert window.library.list.hasFocus()
    assert window.library.list.currentIndex().row() == 0
    window.sidebar.listing_chosen.emit(replace(window.library.list.listing, group="attention"))
    qtbot.waitUntil(lambda: field.text() == "", timeout=MILLISECONDS)  # another list begins with all of it


def test_a_filter_in_memory_finds_what_the_database_finds_while_documents_come_go_and_change(
    window: MainWindow, do: Operations, qtbot: QtBot
) -> None:
    """Typed letter by letter and deleted again; at rest the list is the database's own answer, whatever happened."""
    chosen = random.Random(7)
    ids = list(added(do, qtbot, *(f"https://{host}.example/{page}" for host in HOSTS for page in PAGES)))
    (services,) = do.session._libraries._open
    field = window.library.filter
    window.show_view(LIBRARY)
    window.library.focus_filter()
    for at in range(12):
        text = chosen.choice(TYPED)
        listing = replace(window.library.list.listing, containing="")
        for letter in text[: chosen.randint(1, len(text))]:
            field.insert(letter)
        for _ in range(chosen.randint(0, 3)):
            QTest.keyClick(field, Qt.Key.Key_Backspace)
        if at % 3 == 0:
            services.documents.remove(gone := ids.pop())
            assert services.documents.get(gone) is None
        if at % 3 == 1:
            services.labels.change([chosen.choice(ids)], Labels.of(tags=["Ärger"]), Labels.of())
            do.documents.refresh_figures(lists=True)
        if at % 4 == 3:
            window.library.list.listing_wanted.emit(
                replace(listing, containing=field.text().strip(), grouping=chosen.choice((None, "site")))
            )
        wanted = field.text().strip()
        qtbot.waitUntil(partial(is_answer, window, services, wanted), timeout=MILLISECONDS)
        field.clear()


def test_an_answer_that_comes_after_the_next_letter_has_nothing_prepared(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading the words of all documents again, for each of them, would hold up the letters that follow."""
    (found,) = added(do, qtbot, LINKS[0])
    watch, prepared = do.documents._watch, list[bool]()
    monkeypatch.setattr(watch, "prepare_narrowing", lambda: prepared.append(True))
    listed = Heard(do.documents.listed)
    watch.list_documents(Listing(containing="valen"))
    watch._show_found(watch._lists.ask(), Listed.of(Listing(containing="vale"), (found,)))
    assert prepared == []
    assert len(listed) == 0
    watch._show_found(watch._lists.ask(), Listed.of(Listing(containing="valen"), (found,)))
    assert prepared == [True]
    assert listed.last.ids == (found,)


def is_answer(window: MainWindow, library: Library, wanted: str) -> bool:
    """Whether the list is what the database finds now."""
    is_typed = window.library.list.listing.containing == wanted
    return is_typed and sorted(window_ids(window)) == sorted(library.documents.listing(containing=wanted))


def window_ids(window: MainWindow) -> list[UUID]:
    documents = window.library.list.documents
    return [documents.id_at(at) for at in range(documents.rowCount()) if documents.group_at(at) is None]


def test_everything_that_failed_is_tried_again_with_one_sentence(
    window: MainWindow, do: Operations, qtbot: QtBot
) -> None:
    added(do, qtbot, *LINKS)
    notices = Heard(do.documents.noticed)
    do.documents.retry_all()
    qtbot.waitUntil(lambda: bool(notices.all), timeout=MILLISECONDS)
    assert notices.last.text == "Nothing has failed."
    (services,) = do.session._libraries._open
    with services.documents._database.connection() as conn:
        conn.execute("UPDATE sources SET state = 'failed', state_reason = 'No answer.' WHERE true")
        conn.execute(
            "UPDATE jobs SET started_at = now(), finished_at = now(), error = 'No answer.' WHERE true"
        )
    do.documents.list_documents(Listing(group="attention"))
    qtbot.waitUntil(window.library.retry_all_button.isVisible, timeout=MILLISECONDS)
    window.library.retry_all_button.click()
    qtbot.waitUntil(lambda: len(notices) == 2, timeout=MILLISECONDS)
    assert notices.last.text == "3 documents are tried again."
    assert len(services.documents.listing("open")) == 3  # in the database


# -- Groups -------------------------------------------------------------------------------------------------------


def grouped(rows: list[DocumentRow]) -> tuple[list[UUID], list[ListGroup]]:
    groups = [ListGroup("site", "archive.org", 2), ListGroup("site", "", len(rows) - 2)]
    return [row.id for row in rows], groups


def test_groups_are_real_ones_of_the_library(window: MainWindow, do: Operations, qtbot: QtBot) -> None:
    added(do, qtbot, *LINKS)
    menu = window.library.list.arrangement_menu()
    next(one for one in menu.actions() if one.text() == "Site").trigger()
    documents = window.library.list.documents
    qtbot.waitUntil(lambda: documents.rowCount() == 5, timeout=MILLISECONDS)
    assert documents.count == 3
    assert [documents.index(at, 0).data() for at in (0, 3)] == ["cables.example", "other.example"]
    assert (
        documents.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "cables.example, 2 documents, open"
    )


def test_a_group_is_closed_and_opened_with_the_keys_and_the_mouse(
    served: ServedLibrary, qtbot: QtBot
) -> None:
    rows, table = ready(6), served.table
    tester = QAbstractItemModelTester(table.documents, QAbstractItemModelTester.FailureReportingMode.Fatal)
    served.rows.update({row.id: row for row in rows})
    ids, groups = grouped(rows)
    served.view.show_listing(BY_SITE, keys(ids), groups)
    assert table.documents.rowCount() == 8
    table.setFocus()
    table.choose(2)
    assert table.chosen_id == rows[1].id
    served.key(Qt.Key.Key_Left)  # from a document to the head of its group
    assert table.currentIndex().row() == 0
    assert table.chosen().count == 0
    served.key(Qt.Key.Key_Left)
    assert table.documents.rowCount() == 6
    served.key(Qt.Key.Key_Down)
    served.key(Qt.Key.Key_Space)
    assert table.documents.rowCount() == 2
    head = table.documents.index(1, 0)
    assert head.data(Qt.ItemDataRole.AccessibleTextRole) == "Files, 4 documents, closed"
    served.view.show_listing(BY_SITE, keys(ids), groups)  # work goes on: what is closed stays so
    assert table.documents.rowCount() == 2
    served.click(served.at(1))
    assert table.documents.rowCount() == 6
    QTest.keyClick(table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert set(table.chosen().all_ids()) == {row.id for row in rows[2:]}  # heads are no documents
    served.view.hide_documents([row.id for row in rows[2:]])
    assert table.documents.rowCount() == 1
    tester.deleteLater()


def test_keys_of_groups_are_mirrored_where_text_runs_from_the_right(
    served: ServedLibrary, qtbot: QtBot
) -> None:
    rows, table = ready(4), served.table
    ids, groups = grouped(rows)
    served.view.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    served.view.show_listing(BY_SITE, keys(ids), groups)
    table.setFocus()
    table.choose(0)
    served.key(Qt.Key.Key_Right)
    assert table.documents.rowCount() == 4
    served.key(Qt.Key.Key_Left)
    assert table.documents.rowCount() == 6


def test_a_model_of_groups_stays_whole_while_documents_go(qtbot: QtBot) -> None:
    rows = ready(5)
    model = DocumentsModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    ids, groups = grouped(rows)
    model.show_keys(keys(ids), groups)
    model.hide([rows[0].id, rows[1].id])
    assert (model.rowCount(), model.count) == (4, 3)
    model.unhide([rows[0].id])
    assert (model.rowCount(), model.count) == (6, 4)
    model.show_keys(keys(ids))
    assert (model.rowCount(), model.count) == (4, 4)
    tester.deleteLater()


# -- Columns ------------------------------------------------------------------------------------------------------


def shown(served: ServedLibrary) -> list[Column]:
    head = served.table.columns
    order = [Column(head.logicalIndex(at)) for at in range(head.count())]
    return [column for column in order if not head.isSectionHidden(column)]


def test_columns_are_shown_moved_and_made_wider_and_remembered(served: ServedLibrary, qtbot: QtBot) -> None:
    rows = [replace(row, size=97_000, tags=("telegraphy",)) for row in ready(3)]
    served.give(rows)
    served.view.details_button.setChecked(False)
    qtbot.waitUntil(lambda: shown(served) == [Column.TITLE, Column.STATE, Column.PASSAGES, Column.ADDED])
    menu = served.table.arrangement_menu()
    next(one for one in menu.actions() if one.text() == "Size").trigger()
    assert Column.SIZE in shown(served)
    assert served.table.documents.index(0, Column.SIZE).data() == "97 kB"
    head = served.table.columns
    head.setFocus()
    for _ in range(4):
        QTest.keyClick(head, Qt.Key.Key_Right)
    assert "At Size" in head.accessibleName()
    QTest.keyClick(head, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert shown(served)[-2:] == [Column.SIZE, Column.ADDED]
    before = head.sectionSize(Column.SIZE)
    QTest.keyClick(head, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert head.sectionSize(Column.SIZE) > before
    with qtbot.waitSignal(served.view.listing_wanted) as asked:
        QTest.keyClick(head, Qt.Key.Key_Space)
    assert asked.args[0].sort == "size"
    wide, order = head.sectionSize(Column.SIZE), shown(served)
    kept = served.view.saved_layout()
    other = ServedLibrary(qtbot)
    other.view.restore_layout(kept)
    other.give(rows)
    assert shown(other) == order
    assert other.table.columns.sectionSize(Column.SIZE) == wide
    other.table.columns.restore(b"")
    assert shown(other) == [Column.TITLE, Column.STATE, Column.PASSAGES, Column.ADDED]


@pytest.mark.parametrize(
    "kept", [b"", b"{", b"[]", b'{"order": 3}', b'{"order": ["X"], "shown": [], "widths": {"X": "y"}}']
)
def test_a_layout_that_cannot_be_read_is_the_usual_one(kept: bytes) -> None:
    restored = ColumnLayout.restored(kept)
    assert Column.TITLE in restored.shown
    assert sorted(restored.order) == list(Column)


def test_the_reason_of_a_failure_has_the_room_that_is_free(served: ServedLibrary, qtbot: QtBot) -> None:
    reason = "The site asks for a sign-in, and gives a page of its own (403)"
    served.view.details_button.setChecked(False)
    served.view.resize(1700, 700)
    served.give([replace(SIGN_IN, reason=reason)])
    table, delegate = served.table, served.table.rows
    room = table.columns.sectionSize(Column.STATE)
    assert text_width(reason, delegate._lines.small) + 60 < room
    assert table.columns.sectionSize(Column.TITLE) >= 400


@pytest.mark.parametrize("passages", [0, 12])
def test_a_long_reason_goes_on_over_the_empty_cells_behind_it(
    served: ServedLibrary, monkeypatch: pytest.MonkeyPatch, passages: int
) -> None:
    reason = "The site asks for a sign-in, and gives a page of its own (403)"
    painted: list[tuple[str, float]] = []

    def note(painter: QPainter, rect: QRectF, text: str, *rest: Any, **more: Any) -> float:
        painted.append((text, rect.width()))
        return paint_line(painter, rect, text, *rest, **more)

    monkeypatch.setattr(document_states, "paint_line", note)
    monkeypatch.setattr(document_delegate, "paint_line", note)
    served.give([replace(SIGN_IN, reason=reason, passages=passages)])
    painted.clear()
    served.table.viewport().grab()
    state, behind = (served.table.columnWidth(one) for one in (Column.STATE, Column.PASSAGES))
    widths = [width for text, width in painted if text == reason]
    texts = [text for text, _width in painted]
    if passages:
        assert len(widths) == 1
        assert widths[0] < state
        assert "12" in texts
    else:
        assert len(widths) == 2, "the part in each cell"
        assert widths[0] == widths[1] > state < state + behind
        assert words.NOTHING not in texts


# -- What is new above --------------------------------------------------------------------------------------------


def test_new_documents_above_the_fold_are_mentioned_and_a_click_scrolls_there(
    served: ServedLibrary, qtbot: QtBot
) -> None:
    rows, new, table = ready(60), ready(63)[60:], served.table
    served.give(rows)
    table.choose(30)
    table.scrollTo(table.documents.index(30, 0), table.ScrollHint.PositionAtTop)
    assert not table.above.isVisible()
    y = table.visualRect(table.documents.index(30, 0)).top()
    served.give([*new, *rows])
    assert table.above.isVisible()
    assert (table.above.text(), table.above.accessibleName()) == ("3 new above", "3 new above")
    assert table.visualRect(table.documents.index(33, 0)).top() == y  # no row moved
    QTest.mouseClick(table.above, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert table.rowAt(0) == 0
    assert not table.above.isVisible()
    assert table.chosen_id == rows[30].id


def test_what_is_new_in_another_list_is_not_mentioned(served: ServedLibrary, qtbot: QtBot) -> None:
    rows, table = ready(60), served.table
    served.give(rows[20:])
    table.choose(30)
    served.give(rows, Listing(group="open"))
    assert not table.above.isVisible()
