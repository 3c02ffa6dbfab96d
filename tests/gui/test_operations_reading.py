"""Texts opened for the reader, and citations kept in order."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.corpus import GLOSSARY, SKLEARN, add_page, captured
from tests.support.gui_library import (
    Address,
    Heard,
    OpenedAddresses,
    heard,
    open_operations,
    settings_for,
)
from tests.support.reading_pages import TRICKY
from webrag_desktop.gui.data.view_data import (
    CitationRow,
    CitationState,
    Passage,
    ReaderDocument,
    SearchResults,
    SpanReference,
)
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.research import ResearchConnections
from webrag_desktop.gui.shell.main_window import MainWindow
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.ingestion.extract import EXTRACTOR_VERSION, extract
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources

Clone = Callable[[str], Address]
PAGE = "https://www.cables.example/creep.html"
SENTENCE = "He is cheap. Zinc does not creep at all in the cold."


@pytest.fixture
def address(clone: Clone, corpus_template: str) -> Address:
    return clone(corpus_template)


@pytest.fixture
def do(address: Address, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings_for(address, tmp_path), qtbot) as made:
        yield made


@pytest.fixture
def database(address: Address) -> Iterator[Database]:
    opened = Database(address)
    yield opened
    opened.close()


@pytest.fixture
def library(database: Database, make_indexer: Callable[[Database], Indexer]) -> Callable[[str, int], UUID]:
    """Index a text of the page at PAGE, the first or a later one; returns its document's id."""
    indexer = make_indexer(database)
    known: list[UUID] = []

    def put(html: str, day: int) -> UUID:
        if not known:
            known.append(add_page(database, indexer, PAGE, html.encode()))
            return known[0]
        capture = captured(PAGE, html.encode()).model_copy(
            update={"fetched_at": datetime(2026, 3, day, 12, tzinfo=UTC)}
        )
        with database.connection() as conn:
            stored = captures.save_capture(conn, known[0], capture)
        origin = Origin(stored.id, stored.raw_hash, EXTRACTOR_VERSION)
        indexer.index(known[0], extract(capture), origin, report=lambda *_step: None)
        with database.connection() as conn:
            sources.set_state(conn, known[0], "ready")
        return known[0]

    return put


def opened(do: Operations, qtbot: QtBot, open_: Callable[[], None]) -> ReaderDocument:
    documents = Heard(do.reading.document)
    open_()
    heard(qtbot, lambda: len(documents) > 0)
    document: ReaderDocument = documents.last
    return document


def passage_of(do: Operations, qtbot: QtBot, query: str, page: str) -> Passage:
    results = Heard(do.searching.results)
    do.searching.search(query)
    heard(qtbot, lambda: len(results) > 0)
    answer: SearchResults = results.last
    group = next(group for group in answer.groups if group.address == page)
    return max(group.passages, key=lambda passage: passage.score)


def id_of(database: Database, page: str) -> UUID:
    with database.connection() as conn:
        row = conn.execute("SELECT id FROM documents WHERE source_url = %s", [page]).fetchone()
    assert row is not None
    found: UUID = row[0]
    return found


# -- Reading ------------------------------------------------------------------------------------------------------


def test_the_text_a_document_shows_is_opened(do: Operations, qtbot: QtBot, database: Database) -> None:
    waiting = Heard(do.reading.waiting)
    glossary = id_of(database, GLOSSARY)
    document = opened(do, qtbot, lambda: do.reading.open_document(glossary))
    assert waiting.all == [glossary]
    assert (document.document_id, document.address) == (glossary, GLOSSARY)
    assert (document.title, document.place) == ("Glossary", "docs.python.org")
    assert document.current
    assert len(document.blocks) > 100
    assert any(entry.text == "Glossary" for entry in document.outline)


def test_a_passage_s_text_is_opened_once(do: Operations, qtbot: QtBot) -> None:
    passage = passage_of(do, qtbot, "early stopping", SKLEARN)
    waiting = Heard(do.reading.waiting)
    document = opened(do, qtbot, lambda: do.reading.open_span(passage.span))
    assert document.version_id == passage.span.version_id
    again = opened(do, qtbot, lambda: do.reading.open_span(passage.span))
    assert again is document
    assert len(waiting) == 1


def test_the_text_selected_last_is_the_one_that_is_reported(do: Operations, qtbot: QtBot) -> None:
    """One that is kept is shown at once; one that was being opened for the selection before must not replace it."""
    slow, kept = passage_of(do, qtbot, "early stopping", SKLEARN), passage_of(do, qtbot, "iterator", GLOSSARY)
    opened(do, qtbot, lambda: do.reading.open_span(kept.span))
    documents, failures = Heard(do.reading.document), Heard(do.reading.failed)
    leaving: list[Callable[[], None]] = [partial(do.reading.open_span, kept.span), do.reading.stay]
    for leave in leaving:
        do.reading.open_span(slow.span)
        leave()
        do.reading.open_span(SpanReference(uuid4(), uuid4(), 0, 1))  # it fails
        leave()
        _let_all_end(do, qtbot)
    assert {document.version_id for document in documents.all} == {kept.span.version_id}
    assert not failures.all
    opened(do, qtbot, lambda: do.reading.open_span(slow.span))


def _let_all_end(do: Operations, qtbot: QtBot) -> None:
    heard(qtbot, lambda: do.background._running <= {do.session._feed})
    ended: list[None] = []
    do.session.call(lambda _services, _task: None, on_success=ended.append)
    heard(qtbot, lambda: len(ended) == 1)


def test_the_window_shows_the_passage_selected_last(
    application: QApplication, do: Operations, qtbot: QtBot
) -> None:
    slow, kept = passage_of(do, qtbot, "early stopping", SKLEARN), passage_of(do, qtbot, "iterator", GLOSSARY)
    window = MainWindow()
    qtbot.addWidget(window)
    research = ResearchConnections(window, do)
    research.show_span(kept.span)
    heard(qtbot, lambda: window.research.reader.highlighted_span() == kept.span)
    research.show_span(slow.span)
    research.show_span(kept.span)  # the reader has its text already
    _let_all_end(do, qtbot)
    assert window.research.reader.highlighted_span() == kept.span
    do.reading.open_document(slow.span.document_id)  # no span of it is wanted
    heard(qtbot, lambda: research._shown is not None and research._shown.version_id == slow.span.version_id)


def test_the_reader_says_what_it_waits_for_once_it_takes_long(
    application: QApplication, do: Operations, qtbot: QtBot
) -> None:
    window = MainWindow()
    qtbot.addWidget(window)
    research, reader = ResearchConnections(window, do), window.research.reader
    passage = passage_of(do, qtbot, "iterator", GLOSSARY)
    research.show_span(passage.span)
    heard(qtbot, lambda: reader.highlighted_span() == passage.span)
    do.reading.waiting.emit(passage.span.document_id)
    assert reader.highlighted_span() == passage.span  # it stays for a moment
    research.show_span(passage.span)
    assert not research._late.isActive()
    do.reading.waiting.emit(passage.span.document_id)
    heard(qtbot, lambda: reader._header._title.text() == "Opening “Glossary”")
    assert reader._stack.currentWidget() is reader._skeleton
    research.show_span(passage.span)
    heard(qtbot, lambda: reader.highlighted_span() == passage.span)
    assert reader._stack.currentWidget() is reader._text


def test_an_older_text_is_opened_as_such(
    do: Operations, qtbot: QtBot, library: Callable[[str, int], UUID]
) -> None:
    document_id = library(TRICKY, 1)
    old = opened(do, qtbot, lambda: do.reading.open_document(document_id))
    assert old.current
    news = Heard(do.session.news)
    library(TRICKY.replace("<h1", f"<p>{SENTENCE}</p><h1"), 2)
    heard(qtbot, lambda: any(one.state == "ready" for batch in news.all for one in batch))
    span = SpanReference(document_id, old.version_id, 0, 5)
    shown = opened(do, qtbot, lambda: do.reading.open_span(span))
    assert (shown.version_id, shown.current, shown.markdown) == (old.version_id, False, old.markdown)
    new = opened(do, qtbot, lambda: do.reading.open_document(document_id))
    assert new.current
    assert new.version_id != old.version_id


def test_a_removed_document_says_so(do: Operations, qtbot: QtBot) -> None:
    failures = Heard(do.reading.failed)
    do.reading.open_document(uuid4())
    heard(qtbot, lambda: len(failures) == 1)
    assert failures.last.message == "This document is not in your library any more."
    do.reading.open_span(SpanReference(uuid4(), uuid4(), 0, 1))
    heard(qtbot, lambda: len(failures) == 2)


def test_a_document_without_text_says_so(do: Operations, qtbot: QtBot, database: Database) -> None:
    from tests.support.new_source import new_source

    with database.connection() as conn:
        empty = new_source(conn, "url", "https://a/", "https://a/")
        sources.set_state(conn, empty, "failed", reason="It did not answer.")
    failures = Heard(do.reading.failed)
    do.reading.open_document(empty)
    heard(qtbot, lambda: len(failures) == 1)
    assert failures.last.message == "There is no text to read yet."


def test_the_page_is_opened_at_the_very_place(
    do: Operations, qtbot: QtBot, library: Callable[[str, int], UUID]
) -> None:
    library(TRICKY, 1)
    passage = passage_of(do, qtbot, "galvanic creep_rate", PAGE)
    document = opened(do, qtbot, lambda: do.reading.open_span(passage.span))
    system = _system(do)
    do.reading.browse(document, passage.span)
    assert system.all[0].startswith(f"{PAGE}#creep:~:text=Galvanic%20creep%20at%205%20")
    do.reading.browse(document)
    assert system.all[1] == PAGE
    do.reading._kept.clear()
    do.reading.browse(document, passage.span)
    heard(qtbot, lambda: len(system.all) == 3)
    assert system.all[2] == system.all[0]


def _system(do: Operations) -> OpenedAddresses:
    system = do.browsing._open_url
    assert isinstance(system, OpenedAddresses)
    return system


# -- Citing -------------------------------------------------------------------------------------------------------


def cited(do: Operations, qtbot: QtBot, act: Callable[[], None]) -> tuple[CitationRow, ...]:
    """The citations after something was done to them."""
    rows, notices = Heard(do.citing.citations), Heard(do.citing.noticed)
    act()
    heard(qtbot, lambda: len(notices) > 0)
    reported = len(rows)
    do.citing.refresh()
    heard(qtbot, lambda: len(rows) > reported)
    found: tuple[CitationRow, ...] = rows.last
    return found


def test_a_passage_is_cited_and_uncited_by_the_same_key(
    do: Operations, qtbot: QtBot, library: Callable[[str, int], UUID]
) -> None:
    document = library(TRICKY, 1)
    passage = passage_of(do, qtbot, "galvanic creep_rate", PAGE)
    notices = Heard(do.citing.noticed)
    (row,) = cited(do, qtbot, lambda: do.citing.toggle(passage))
    assert notices.last.text == "Cited as number 1."
    assert (row.number, row.quote, row.state) == (1, passage.quote, CitationState.EXACT)
    assert (row.document_id, row.char_start, row.char_end) == (
        document,
        passage.span.char_start,
        passage.span.char_end,
    )
    assert row.verbatim.startswith("**Galvanic** [creep]")
    assert row.reference == "Cable & copper — Creep in cold joints"
    assert row.link is not None
    assert row.link.startswith(f"{PAGE}#creep:~:text=")
    assert row.explanation is None
    assert cited(do, qtbot, lambda: do.citing.toggle(passage)) == ()
    assert notices.last.text == "Citation 1 removed."
    rows = Heard(do.citing.citations)
    do.undo.undo()
    heard(qtbot, lambda: bool(rows.all) and rows.last == (row,))
    do.undo.undo()
    heard(qtbot, lambda: rows.last == ())


def test_a_citation_names_the_heading_that_the_outline_marks(do: Operations, qtbot: QtBot) -> None:
    passage = passage_of(do, qtbot, "early stopping of gradient boosting", SKLEARN)
    document = opened(do, qtbot, lambda: do.reading.open_document(passage.span.document_id))
    entry = next(entry for entry in document.outline if entry.level > 3)
    start = document.markdown.index("\n\n", entry.char_start) + 2
    span = SpanReference(passage.span.document_id, passage.span.version_id, start, start + 20)
    rows = Heard(do.citing.citations)
    for what in (
        span,
        replace(passage, span=replace(span, char_end=start + 30), heading="The section around it"),
    ):
        do.citing.cite(what)
    heard(qtbot, lambda: len(rows) > 0 and len(rows.last) == 2)
    shown: list[CitationRow] = list(rows.last)
    assert [row.section for row in shown] == [entry.text, entry.text]
    assert entry.text in shown[0].reference


def test_citing_twice_cites_once(do: Operations, qtbot: QtBot) -> None:
    passage = passage_of(do, qtbot, "early stopping", SKLEARN)
    cited(do, qtbot, lambda: do.citing.cite(passage))
    notices = Heard(do.citing.noticed)
    do.citing.cite(passage.span)
    other = passage_of(do, qtbot, "random forests", SKLEARN)
    assert len(cited(do, qtbot, lambda: do.citing.cite(other.span))) == 2
    assert [notice.text for notice in notices.all] == ["Cited as number 2."]


def test_citing_twice_at_once_is_reported_once(do: Operations, qtbot: QtBot) -> None:
    passage = passage_of(do, qtbot, "early stopping", SKLEARN)
    notices = Heard(do.citing.noticed)

    def press_twice() -> None:
        do.citing.toggle(passage)
        do.citing.toggle(passage)

    assert len(cited(do, qtbot, press_twice)) == 1
    other = passage_of(do, qtbot, "random forests", SKLEARN)
    assert len(cited(do, qtbot, lambda: do.citing.cite(other))) == 2
    assert [notice.text for notice in notices.all] == ["Cited as number 1.", "Cited as number 2."]


def test_order_is_changed_and_taken_back(do: Operations, qtbot: QtBot) -> None:
    for query in ("early stopping", "random forests", "stacking"):
        cited(do, qtbot, lambda query=query: do.citing.cite(passage_of(do, qtbot, query, SKLEARN)))  # type: ignore[misc]
    rows, notices = Heard(do.citing.citations), Heard(do.citing.noticed)
    do.citing.refresh()
    heard(qtbot, lambda: len(rows) > 0)
    first, second, third = rows.last
    do.citing.move(third.id, 1)
    heard(qtbot, lambda: [row.id for row in rows.last] == [third.id, first.id, second.id])
    assert [row.number for row in rows.last] == [1, 2, 3]
    assert not notices.all  # it shows for itself
    do.citing.move(third.id, -5)  # it is first
    do.undo.undo()
    heard(qtbot, lambda: [row.id for row in rows.last] == [first.id, second.id, third.id])
    do.citing.move(first.id, 99)
    heard(qtbot, lambda: [row.id for row in rows.last] == [second.id, third.id, first.id])


def test_what_cannot_be_cited_says_why(do: Operations, qtbot: QtBot) -> None:
    failures = Heard(do.citing.failed)
    do.citing.cite(SpanReference(uuid4(), uuid4(), 0, 5))
    heard(qtbot, lambda: len(failures) == 1)
    assert "not in the library" in failures.last.message


def test_citations_follow_their_page(
    do: Operations, qtbot: QtBot, library: Callable[[str, int], UUID]
) -> None:
    """Exact, then further on in a newer text, then said no more, then the document is removed."""
    document = library(TRICKY, 1)
    passage = passage_of(do, qtbot, "galvanic creep_rate", PAGE)
    cited(do, qtbot, lambda: do.citing.cite(passage))
    rows = Heard(do.citing.citations)
    library(TRICKY.replace('<h2 id="creep"', f'<p>{SENTENCE}</p><h2 id="creep"'), 3)
    heard(qtbot, lambda: bool(rows.all) and rows.last[0].state is CitationState.MOVED)
    further = len(SENTENCE) + 2
    assert rows.last[0].explanation == (
        f"Same words, {further} characters further on, since the copy of {_day(2026, 3)}."
    )
    library(TRICKY.replace("<b>Galvanic</b>", "Electric"), 4)
    heard(qtbot, lambda: rows.last[0].state is CitationState.LOST)
    assert rows.last[0].explanation == (
        f"The page no longer says this. Your copy of {_day(2026, 2, month='January')} does."
    )
    old = opened(do, qtbot, lambda: do.reading.open_span(passage.span))
    assert not old.current
    asked = Heard(do.bin.asked)
    do.documents.remove((document,))
    heard(qtbot, lambda: bool(asked.all))
    do.bin.confirm(asked.last)
    heard(qtbot, lambda: rows.last[0].explanation == "Its source is in the bin. Your copy is kept there.")
    in_bin = opened(do, qtbot, lambda: do.reading.open_span(passage.span))
    assert (in_bin.blocks, in_bin.in_bin) == (old.blocks, True)
    do.bin.ask_to_empty()
    heard(qtbot, lambda: asked.last.kind == "empty")
    assert asked.last.citations == 1
    do.bin.confirm(asked.last)
    heard(qtbot, lambda: rows.last[0].document_id is None)
    assert rows.last[0].explanation == "The document was deleted. The quote is kept."
    assert rows.last[0].quote == passage.quote


def test_of_two_copies_of_one_day_the_time_is_reported(
    do: Operations, qtbot: QtBot, library: Callable[[str, int], UUID]
) -> None:
    library(TRICKY, 1)
    library(TRICKY.replace('<h2 id="creep"', '<p>Another beginning.</p><h2 id="creep"'), 3)
    cited(do, qtbot, lambda: do.citing.cite(passage_of(do, qtbot, "galvanic creep_rate", PAGE)))
    rows = Heard(do.citing.citations)
    library(TRICKY.replace("<b>Galvanic</b>", "Electric"), 3)
    heard(qtbot, lambda: bool(rows.all) and rows.last[0].state is CitationState.LOST)
    noon = datetime(2026, 3, 3, 12, tzinfo=UTC).astimezone()
    assert f"Your copy of {_day(2026, 3)} at {noon:%H:%M:%S} does." in (rows.last[0].explanation or "")


def _day(year: int, day: int, *, month: str = "March") -> str:
    this_year = datetime.now().astimezone().year
    return f"{day} {month}" if year == this_year else f"{day} {month} {year}"
