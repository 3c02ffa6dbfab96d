"""Where a quotation is from, asked by the window of a real library: places, dates, older texts, newest first."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from pytestqt.qtbot import QtBot

from tests.support.gui_library import Address, Heard, heard, listed, open_operations, settings_for
from tests.support.pages import PageServer
from webrag_desktop.errors import InputError
from webrag_desktop.gui.data.texts import FoundQuote, Piece
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.library.quotes import Quotes
from webrag_desktop.models.quotes import QuoteReport
from webrag_desktop.progress import CancelToken, Step

Clone = Callable[[str], Address]
START = (
    "<title>Cables</title><main><h1>Cables</h1><h2>Prices</h2>"
    "<p>It runs from <a href='/a'>Valentia</a> to here.</p>"
)
BEFORE = f"{START}<p>Copper is dear this year, the merchants of the City say.</p></main>"
AFTER = f"{START}<p>Copper is cheap this year, the merchants of the City say.</p></main>"


@pytest.fixture
def do(clone: Clone, migrated_template: str, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings_for(clone(migrated_template), tmp_path / "home"), qtbot) as made:
        yield made


@pytest.fixture
def document(do: Operations, qtbot: QtBot) -> UUID:
    """A page that changed since it was added."""
    with PageServer() as pages:
        pages.pages["/cables"] = BEFORE
        figures, notices = Heard(do.documents.figures), Heard(do.refreshing.noticed)
        do.documents.add((pages.url("/cables"),))
        heard(qtbot, lambda: bool(figures.all) and figures.last.ready == 1)
        (found,) = listed(do, qtbot)
        pages.pages["/cables"] = AFTER
        do.refreshing.refresh([found])
        heard(qtbot, lambda: len(notices) == 2)
    return found


def look(do: Operations, qtbot: QtBot, quote: str, *, older: bool = False) -> FoundQuote:
    found = Heard(do.quotes.found)
    do.quotes.find(quote, older=older)
    heard(qtbot, lambda: len(found) > 0)
    reported: FoundQuote = found.last
    return reported


def test_a_place_has_its_title_section_words_and_date(do: Operations, qtbot: QtBot, document: UUID) -> None:
    found = look(do, qtbot, "It runs from Valentia to here.")
    (place,) = found.places
    assert (found.grade, found.older, place.is_verified) == ("exact_as_rendered", False, True)
    assert (place.title, place.section, place.text) == ("Cables", "Prices", "It runs from Valentia to here.")
    assert (place.shown, place.version_number, place.span.document_id) == (True, 2, document)
    assert place.fetched_at is not None
    assert place.pieces == (Piece("same", place.text),)


def test_words_that_differ_are_pieces(do: Operations, qtbot: QtBot, document: UUID) -> None:
    found = look(do, qtbot, "Copper is rare this year, the merchants of the City say.")
    (place,) = found.places
    assert (found.grade, place.is_verified) == ("near", False)
    assert place.pieces == (
        Piece("same", "Copper is "),
        Piece("removed", "rare"),
        Piece("added", " cheap"),
        Piece("same", " this year, the merchants of the City say."),
    )


def test_an_older_text_is_found_when_asked_for_with_its_own_date(
    do: Operations, qtbot: QtBot, document: UUID
) -> None:
    quote = "Copper is dear this year, the merchants of the City say."
    assert look(do, qtbot, quote).grade == "near"
    steps = Heard(do.quotes.step)
    found = look(do, qtbot, quote, older=True)
    (place,) = found.places
    assert (found.grade, found.older, place.shown, place.version_number) == ("exact", True, False, 1)
    shown = look(do, qtbot, "It runs from Valentia").places[0]
    assert place.fetched_at is not None
    assert shown.fetched_at is not None
    assert place.fetched_at < shown.fetched_at
    assert len(steps) >= 1


def test_the_newest_quotation_replaces_the_one_before_and_stops_it(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def verify(_self: Quotes, text: str, *, cancel: CancelToken, **_more: object) -> QuoteReport:
        if text == "slow":
            begun.set()
            with cancel.calling(stopped.set):
                assert stopped.wait(30)
            cancel.raise_if_cancelled()
        return QuoteReport(quote=text, grade="none")

    monkeypatch.setattr(Quotes, "verify", verify)
    found, failed = Heard(do.quotes.found), Heard(do.quotes.failed)
    do.quotes.find("slow")
    qtbot.waitUntil(begun.is_set)  # what has not begun is dropped, and has nothing to stop
    do.quotes.find("quick")
    heard(qtbot, lambda: len(found) > 0)
    assert stopped.wait(30)
    assert [one.quote for one in found.all] == ["quick"]
    assert len(failed) == 0


def test_stopping_leaves_older_texts_alone(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()

    def verify(
        _self: Quotes, _text: str, *, cancel: CancelToken, progress: Callable[[Step], None], **_more: object
    ) -> QuoteReport:
        progress(Step("Looking through older versions", 3, 9, "3 of 9"))
        with cancel.calling(stopped.set):
            assert stopped.wait(30)
        cancel.raise_if_cancelled()
        raise AssertionError

    monkeypatch.setattr(Quotes, "verify", verify)
    found, steps, ended = Heard(do.quotes.found), Heard(do.quotes.step), Heard(do.quotes.stopped)
    do.quotes.find("words", older=True)
    heard(qtbot, lambda: len(steps) > 0)
    assert (steps.last.done, steps.last.total) == (3, 9)
    do.quotes.stop()
    assert len(ended) == 1
    assert stopped.wait(30)
    do.quotes.stop()  # nothing runs
    assert (len(ended), len(found)) == (1, 0)


def test_what_cannot_be_looked_for_is_reported(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verify(_self: Quotes, _text: str, **_more: object) -> QuoteReport:
        raise InputError("It is too long.", "Give a part.")

    monkeypatch.setattr(Quotes, "verify", verify)
    failed = Heard(do.quotes.failed)
    do.quotes.find("words")
    heard(qtbot, lambda: len(failed) > 0)
    assert (failed.last.message, failed.last.hint) == ("It is too long.", "Give a part.")
