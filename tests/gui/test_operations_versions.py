"""A document over time, asked for by the window of a real library: texts, what changed, history, schedule."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import Address, Heard, added, heard, listed, open_operations, settings_for
from tests.support.gui_library import paused_operations as paused
from tests.support.pages import PageServer
from webrag_desktop.config import Settings
from webrag_desktop.gui.data.library import NEVER
from webrag_desktop.gui.data.texts import Piece
from webrag_desktop.gui.library.document_words import DAY, WEEK
from webrag_desktop.gui.shell.all_operations import Operations

Clone = Callable[[str], Address]
START = (
    "<title>Cables</title><main><h1>Cables</h1><p>It runs from <a href='/a'>Valentia</a> to Newfoundland.</p>"
)
BEFORE = f"{START}<p>Copper is dear this year, the merchants say.</p></main>"
AFTER = f"{START}<p>Copper is cheap this year, the merchants say.</p><p>Gold is dearer still.</p></main>"


@pytest.fixture
def settings(clone: Clone, migrated_template: str, tmp_path: Path) -> Settings:
    return settings_for(clone(migrated_template), tmp_path / "home")


@pytest.fixture
def do(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings, qtbot) as made:
        yield made


@pytest.fixture
def still(settings: Settings, qtbot: QtBot) -> Iterator[Operations]:
    with paused(settings, qtbot) as made:
        yield made


def changed(do: Operations, qtbot: QtBot, pages: PageServer) -> UUID:
    """A document whose page changed, and was checked since."""
    figures, notices = Heard(do.documents.figures), Heard(do.refreshing.noticed)
    do.documents.add((pages.url("/cables"),))
    heard(qtbot, lambda: bool(figures.all) and figures.last.ready == 1)
    (document,) = listed(do, qtbot)
    pages.pages["/cables"] = AFTER
    do.refreshing.refresh([document])
    heard(qtbot, lambda: len(notices) == 2)
    assert notices.last.text == "1 document changed."
    wanted = Heard(do.refreshing.difference_wanted)
    assert notices.last.action == "Show what changed"
    notices.last.on_action()
    assert wanted.all == [document]
    return document


def test_what_changed_is_reported_as_it_is_read(do: Operations, qtbot: QtBot) -> None:
    with PageServer({"/cables": BEFORE}) as pages:
        document = changed(do, qtbot, pages)
    texts, found = Heard(do.versions.texts), Heard(do.versions.difference)
    do.versions.fetch(document)
    heard(qtbot, lambda: len(texts) == 1)
    old, new = texts.last.versions
    assert (old.number, old.reason, old.shown) == (1, "first", False)
    assert (new.number, new.reason, new.shown) == (2, "changed", True)
    assert texts.last.shown == new
    do.versions.compare(document)
    heard(qtbot, lambda: len(found) == 1)
    reported = found.last
    assert (reported.title, reported.before, reported.after) == ("Cables", old, new)
    assert reported.versions == (old, new)
    change, addition = reported.changes
    assert (change.kind, change.heading) == ("changed", "Cables")
    assert Piece("removed", "dear") in change.before
    assert Piece("added", "cheap") in change.after
    assert "".join(piece.text for piece in change.after) == "Copper is cheap this year, the merchants say."
    assert addition.before == ()
    assert addition.after == (Piece("added", "Gold is dearer still."),)
    do.versions.compare(document, new.id, old.id)  # the other way round
    heard(qtbot, lambda: len(found) == 2)
    assert (found.last.before, found.last.after) == (new, old)
    assert {one.kind for one in found.last.changes} == {"changed", "removed"}


def test_what_happened_is_reported_from_the_beginning(do: Operations, qtbot: QtBot) -> None:
    with PageServer({"/cables": BEFORE}) as pages:
        document = changed(do, qtbot, pages)
    reported = Heard(do.versions.history)
    do.versions.fetch_history(document)
    heard(qtbot, lambda: len(reported) == 1)
    assert reported.last.title == "Cables"
    assert [entry.kind for entry in reported.last.entries] == [
        "added", "captured", "text", "ready", "refreshed", "captured", "text", "ready",
    ]  # fmt: skip


def test_of_a_document_with_one_text_it_is_said_why_nothing_can_be_compared(
    still: Operations, qtbot: QtBot, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Not read yet.", encoding="utf-8")
    (document,) = added(still, qtbot, str(note))
    failures, found = Heard(still.versions.failed), Heard(still.versions.difference)
    still.versions.compare(document)
    heard(qtbot, lambda: len(failures) == 1)
    assert failures.last.message == "The document has no text yet."
    assert found.all == []


def test_how_often_is_set_reported_and_taken_back(still: Operations, qtbot: QtBot, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A note.", encoding="utf-8")
    (document,) = added(still, qtbot, str(note))
    texts, notices = Heard(still.versions.texts), Heard(still.versions.noticed)

    def often() -> tuple[timedelta | None, timedelta | None]:
        before = len(texts)
        still.versions.fetch(document)
        heard(qtbot, lambda: len(texts) > before)
        return texts.last.own, texts.last.library

    assert often() == (None, None)
    still.versions.schedule_library(WEEK)
    heard(qtbot, lambda: len(notices) == 1)
    assert notices.last.text == "Your documents are checked every week."
    heard(qtbot, lambda: (texts.last.own, texts.last.library) == (None, WEEK))  # reported without being asked
    still.versions.schedule(document, DAY)
    heard(qtbot, lambda: len(notices) == 2)
    still.versions.schedule(document, NEVER)
    heard(qtbot, lambda: len(notices) == 3)
    assert notices.last.text == "This document is not checked automatically."
    assert often() == (NEVER, WEEK)
    notices.last.on_action()
    heard(qtbot, lambda: texts.last.own == DAY)
    assert len(notices) == 3  # undoing is not reported again
    still.versions.schedule(document, DAY)  # as it is
    assert often() == (DAY, WEEK)
    assert len(notices) == 3


def test_only_the_document_asked_for_last_is_reported(
    still: Operations, qtbot: QtBot, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A note.", encoding="utf-8")
    (document,) = added(still, qtbot, str(note))
    texts, done = Heard(still.versions.texts), Heard(still.documents.rows)
    still.versions.fetch(document)
    still.versions.fetch(None)
    still.documents.fetch_rows((document,))
    heard(qtbot, lambda: len(done) == 1)
    assert texts.all == []
    still.versions.fetch(uuid4())  # gone: it has no texts
    heard(qtbot, lambda: len(texts) == 1)
    assert texts.last.versions == ()
