"""Saved searches of a real library: what is new for each, while searches fail or are opened in between."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import Address, Heard, heard, open_operations, settings_for
from tests.support.held_answers import Held, deliver
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.gui.data.filters import NO_FILTERS
from webrag_desktop.gui.data.view_data import LibraryFigures
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.library.searches import Searches
from webrag_desktop.progress import CancelToken

Clone = Callable[[str], Address]
IDLE = LibraryFigures(documents=3, ready=3)


@pytest.fixture
def do(clone: Clone, corpus_template: str, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings_for(clone(corpus_template), tmp_path), qtbot) as made:
        yield made


def saved(do: Operations, qtbot: QtBot, *names: str) -> Heard:
    """Save searches; what is new for them is counted."""
    reported = Heard(do.kept.saved)
    for name in names:
        do.kept.save(name, "iterator", NO_FILTERS)
    heard(qtbot, lambda: bool(reported.all) and news(reported) == dict.fromkeys(names, 0))
    return reported


def news(reported: Heard) -> dict[str, int | None]:
    return {one.name: one.new for one in reported.last}


def test_a_count_begun_before_a_search_was_opened_is_not_shown(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = saved(do, qtbot, "Iterators")
    begun, go_on, returned = threading.Event(), threading.Event(), threading.Event()
    count = Searches.count_new

    def late(searches: Searches, reference: UUID | str, cancel: CancelToken | None = None) -> int:
        if begun.is_set():
            return count(searches, reference, cancel)
        begun.set()
        assert go_on.wait(60)
        returned.set()
        return 7

    monkeypatch.setattr(Searches, "count_new", late)
    do.session.news.emit(())
    do.kept.note_figures(IDLE)
    heard(qtbot, begun.is_set)
    before = reported.last
    marked = Heard(do.kept.opened)
    do.kept._set_new(before[0].id, 7)  # what an earlier count found
    do.kept.open(before[0].id)
    heard(qtbot, lambda: len(marked) == 1 and news(reported) == {"Iterators": 0})
    go_on.set()
    heard(qtbot, returned.is_set)
    done = Heard(do.filtering.choices)
    do.filtering.fetch()  # its outcome comes after that of the count
    heard(qtbot, lambda: len(done) == 1 and not do.kept._is_counting)
    assert news(reported) == {"Iterators": 0}


def test_a_search_that_cannot_be_done_keeps_no_other_from_its_count_and_is_not_tried_all_the_time(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = saved(do, qtbot, "First", "Second")
    first, counted = reported.last[0].id, []

    def failing(_searches: Searches, reference: UUID | str, cancel: CancelToken | None = None) -> int:
        counted.append(reference)
        if reference == first:
            raise ConfigurationError("The filter is none.", "Save it again.")
        return 2

    monkeypatch.setattr(Searches, "count_new", failing)
    do.session.news.emit(())
    do.kept.note_figures(IDLE)
    heard(qtbot, lambda: news(reported) == {"First": 0, "Second": 2})
    do.kept.note_figures(IDLE)
    assert not do.kept._is_counting
    assert len(counted) == 2


def test_an_older_history_does_not_bring_back_what_was_forgotten(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = Heard(do.kept.history)
    held = Held(monkeypatch, Searches, "history")
    do.kept.note("iterator", NO_FILTERS)
    heard(qtbot, held.has_read.is_set)
    do.kept.clear_history()
    heard(qtbot, lambda: bool(reported.all) and reported.last == ())
    deliver(qtbot, held)
    assert reported.last == ()
