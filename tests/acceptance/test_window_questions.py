"""Questions in the real window on a real library: typed filters, scope, what filters cost, history, saved searches."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog
from pytestqt.qtbot import QtBot

from tests.support.command_line import Program
from tests.support.photographer import Photographing
from tests.support.window_under_test import LONG, Opener, Seen, ask, settings_of, wait_ready
from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters
from webrag_desktop.gui.data.view_data import Listing, SearchResults
from webrag_desktop.gui.shell.main_window import LIBRARY, RESEARCH

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints|This plugin does not support")
TIDES = "# Tides\n\nLimpets clamp their shells to the rock at low tide."
GAUGES = "# Gauges\n\nLimpets sat on the tide gauge, and nobody knew the height of the sea."
KELP = "# Kelp\n\nKelp forests shelter otters, which sleep wrapped in the blades."
LATER = "# Shores\n\nLimpets return to their own place on the rock before low tide ends."
TO_READ = ChosenFilters(collections=("To read",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("tides.md", TIDES), ("gauges.txt", GAUGES), ("kelp.md", KELP)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def filled(home: Program, folder: Path) -> Program:
    home.answer("add", "--json", "--collection", "To read", "--tag", "sea", str(folder / "tides.md"))
    home.answer("add", "--json", str(folder / "gauges.txt"), str(folder / "kelp.md"))
    return home


@pytest.fixture
def seen(filled: Program, opened: Opener, qtbot: QtBot) -> Seen:
    found = opened(settings_of(filled.home))
    wait_ready(qtbot, found, 3)
    return found


def type_(text: str) -> None:
    box = QApplication.focusWidget()
    assert box is not None
    QTest.keyClicks(box, text)


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    box = QApplication.focusWidget()
    assert box is not None
    QTest.keyClick(box, key, modifiers)


def titles(results: SearchResults) -> set[str]:
    return {group.title for group in results.groups}


def chips(seen: Seen) -> list[str]:
    return [chip.accessibleName() for chip in seen.window.view.research.filters.chips.values()]


def last(seen: Seen) -> SearchResults:
    return seen.results[-1]


def test_what_the_sidebar_lists_is_what_is_searched(seen: Seen, qtbot: QtBot) -> None:
    window, sidebar = seen.window.view, seen.window.view.sidebar
    row = next(one for one in seen.figures[-1].collections if one.name == "To read")
    listing = Listing("collection", collection=row.id)
    sidebar.set_current(listing)
    sidebar.listing_chosen.emit(listing)
    assert window.view == LIBRARY
    assert titles(ask(qtbot, seen, "limpets")) == {"Tides"}
    assert chips(seen) == ["Collection: To read"]
    qtbot.waitUntil(lambda: sidebar._listing == listing)
    QTest.keyClick(window.research.filters.chips["collections"], Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: titles(last(seen)) == {"Tides", "gauges"}, timeout=LONG)
    qtbot.waitUntil(lambda: sidebar._listing == Listing(), timeout=LONG)


def test_filters_are_typed_completed_and_taken_back(
    seen: Seen, photographer: Photographing, qtbot: QtBot
) -> None:
    query, camera = seen.window.view.query, photographer(seen)
    query.focus()
    type_("limpets in:to")
    qtbot.waitUntil(lambda: [one.words for one in query.suggestions.shown] == ["To read"], timeout=LONG)
    assert query.suggestions.shown[0].detail == "1"
    camera.take("questions-completed")
    press(Qt.Key.Key_Tab)
    assert (query.whole_text, chips(seen)) == ("limpets ", ["Collection: To read"])
    press(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(seen.results) and titles(last(seen)) == {"Tides"}, timeout=LONG)
    camera.take("questions-in-scope")
    query.focus()
    press(Qt.Key.Key_Home)
    press(Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: titles(last(seen)) == {"Tides", "gauges"}, timeout=LONG)
    assert query.has_keyboard


def test_what_each_filter_costs_is_counted_and_one_click_removes_it(
    seen: Seen, photographer: Photographing, qtbot: QtBot
) -> None:
    seen.window.view.query.focus()
    chosen = ChosenFilters(tags=("sea",), doc_types=("text",))
    seen.window.connections.filtering.take(chosen)
    assert ask(qtbot, seen, "limpets").groups == ()
    empty = seen.window.view.research.results._empty
    qtbot.waitUntil(lambda: len(empty.links) == 2, timeout=LONG)
    assert [one.text() for one in empty.links] == [
        "Without “Tag: sea” there is 1 passage.",
        "Without “Type: Text” there is 1 passage.",
    ]
    photographer(seen).take("questions-cost")
    empty.links[0].setFocus()
    press(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: titles(last(seen)) == {"gauges"}, timeout=LONG)
    assert chips(seen) == ["Type: Text"]


def test_results_come_as_one_types_and_only_enter_makes_history(seen: Seen, qtbot: QtBot) -> None:
    window = seen.window.view
    seen.window.connections.show_view(RESEARCH)
    window.query.focus()
    type_("limpets")
    qtbot.waitUntil(lambda: bool(seen.results) and bool(window.research.results.list.passage()), timeout=LONG)
    assert last(seen).as_typed
    assert titles(last(seen)) == {"Tides", "gauges"}
    assert window.query.has_keyboard
    selected = window.research.results.list.passage()
    assert selected is not None
    type_(" rock")
    qtbot.waitUntil(lambda: last(seen).query == "limpets rock", timeout=LONG)
    assert selected.chunk_id == window.research.results.list.passage().chunk_id  # type: ignore[union-attr]
    with seen.library.database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM searches").fetchone() == (0,)
    with qtbot.waitSignal(seen.window.operations.kept.history, timeout=LONG) as reported:
        press(Qt.Key.Key_Return)
    assert [one.question for one in reported.args[0]] == ["limpets rock"]
    qtbot.waitUntil(lambda: not last(seen).as_typed and not window.query.has_keyboard, timeout=LONG)


def test_a_saved_search_tells_what_is_new_and_opens_with_its_filters(
    seen: Seen, filled: Program, folder: Path, photographer: Photographing, qtbot: QtBot
) -> None:
    kept, view = seen.window.operations.kept, seen.window.view
    view.query.focus()
    type_("limpets low tide tag:sea")
    press(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    dialog = view.findChild(QInputDialog)
    assert dialog is not None
    dialog.setTextValue("Limpets")
    with qtbot.waitSignal(
        kept.saved, check_params_cb=lambda saved: [one.new for one in saved] == [0], timeout=LONG
    ):
        dialog.accept()
    (folder / "later.md").write_text(LATER, encoding="utf-8")
    with qtbot.waitSignal(kept.saved, check_params_cb=lambda saved: saved[0].new == 1, timeout=LONG):
        filled.answer("add", "--json", "--tag", "sea", str(folder / "later.md"))
    photographer(seen).take("questions-saved")
    seen.window.connections.filtering.take(NO_FILTERS)
    with qtbot.waitSignal(kept.saved, check_params_cb=lambda saved: saved[0].new == 0, timeout=LONG):
        kept.open(kept._saved[0].id)
    qtbot.waitUntil(lambda: bool(seen.results) and titles(last(seen)) == {"Tides", "Shores"}, timeout=LONG)
    assert view.view == RESEARCH
    assert chips(seen) == ["Tag: sea"]
    kept.remove(kept._saved[0].id)
    qtbot.waitUntil(lambda: kept._saved == (), timeout=LONG)
    seen.window.connections.undo()
    qtbot.waitUntil(lambda: [one.name for one in kept._saved] == ["Limpets"], timeout=LONG)


def test_a_saved_search_follows_a_collection_that_is_renamed(seen: Seen, qtbot: QtBot) -> None:
    kept, operations = seen.window.operations.kept, seen.window.operations
    with qtbot.waitSignal(kept.saved, timeout=LONG):
        kept.save("Limpets", "limpets", TO_READ)
    row = next(one for one in seen.figures[-1].collections if one.name == "To read")
    renamed = ChosenFilters(collections=("Read later",))
    with qtbot.waitSignal(
        kept.saved, check_params_cb=lambda saved: saved[0].filters == renamed, timeout=LONG
    ):
        operations.collections.rename(row.id, "Read later")
    kept.open(kept._saved[0].id)
    qtbot.waitUntil(lambda: bool(seen.results) and titles(last(seen)) == {"Tides"}, timeout=LONG)
    assert chips(seen) == ["Collection: Read later"]


def test_the_next_window_begins_where_the_last_one_was_closed(
    seen: Seen, filled: Program, opened: Opener, qtbot: QtBot
) -> None:
    seen.window.connections.filtering.take(TO_READ)
    ask(qtbot, seen, "limpets at low tide")
    passage = seen.window.view.research.results.list.passage()
    assert passage is not None
    seen.window.close()
    again = opened(settings_of(filled.home))
    view = again.window.view
    assert (view.view, view.query.text(), chips(again)) == (
        RESEARCH,
        "limpets at low tide",
        ["Collection: To read"],
    )
    assert again.results == []
    qtbot.waitUntil(
        lambda: bool(again.results) and view.research.results.list.passage() is not None, timeout=LONG
    )
    assert titles(last(again)) == {"Tides"}
    assert view.research.results.list.passage().chunk_id == passage.chunk_id  # type: ignore[union-attr]
    reader = view.research.reader
    qtbot.waitUntil(lambda: reader.document is not None, timeout=LONG)
    assert reader.document is not None
    assert reader.document.version_id == passage.span.version_id
    assert reader._text.active_places(), "the sentence is marked in what is read"
