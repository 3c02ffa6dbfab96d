"""Asking the library: passages as they are read, with marks that are exact, and what happens to older questions."""

import re
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from tests.support.corpus import GLOSSARY, SKLEARN, add_page
from tests.support.gui_library import Address, Heard, Outage, heard, open_operations, settings_for
from tests.support.reading_pages import TRICKY
from webrag_desktop import Library
from webrag_desktop.errors import DatabaseUnreachableError, InputError
from webrag_desktop.gui.data.view_data import Passage, ResultGroup, SearchResults, SpanReference, TextMark
from webrag_desktop.gui.research.operations import asking, searching
from webrag_desktop.gui.session.background import Task
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]
PAGE = "https://www.cables.example/creep.html"
BROAD = "python function class method object iterator"  # found in many passages


@pytest.fixture
def address(clone: Clone, corpus_template: str) -> Address:
    return clone(corpus_template)


@pytest.fixture
def do(address: Address, tmp_path: Path, qtbot: QtBot) -> Iterator[Operations]:
    with open_operations(settings_for(address, tmp_path), qtbot) as made:
        yield made


@pytest.fixture
def tricky(address: Address, make_indexer: Callable[[Database], Indexer]) -> Iterator[Database]:
    """The corpus with one more page, hard to trace."""
    database = Database(address)
    add_page(database, make_indexer(database), PAGE, TRICKY.encode())
    yield database
    database.close()


def found(do: Operations, qtbot: QtBot, query: str) -> SearchResults:
    """All that a question finds, after its first page."""
    results, grown, whole = (
        Heard(signal) for signal in (do.searching.results, do.searching.grown, do.searching.found)
    )
    do.searching.search(query)
    heard(qtbot, lambda: len(whole) > 0)
    answer: SearchResults = (grown if len(grown) else results).last
    return answer


def group_at(results: SearchResults, address: str) -> ResultGroup:
    return next(group for group in results.groups if group.address == address)


def marked(passage: Passage, kind: str) -> list[str]:
    return [passage.text[mark.start : mark.end] for mark in passage.marks if mark.kind == kind]


def markdown_of(database: Database, span: SpanReference) -> str:
    with database.connection() as conn:
        row = conn.execute(
            "SELECT markdown FROM document_versions WHERE id = %s", [span.version_id]
        ).fetchone()
    assert row is not None
    return str(row[0])[span.char_start : span.char_end]


def best(results: SearchResults, address: str) -> Passage:
    return max(group_at(results, address).passages, key=lambda passage: passage.score)


# -- What is shown ------------------------------------------------------------------------------------------------


def test_passages_come_by_document_with_everything_that_is_shown(do: Operations, qtbot: QtBot) -> None:
    started = Heard(do.searching.started)
    results = found(do, qtbot, "  how does early stopping work  ")
    assert started.all == ["how does early stopping work"]
    assert results.query == "how does early stopping work"
    assert (results.corpus_documents, results.threshold_tokens) == (3, 30000)
    assert results.corpus_tokens > 30000
    assert results.milliseconds > 0
    assert results.degraded is None
    group = results.groups[0]
    assert (group.address, group.place, group.kind) == (SKLEARN, "scikit-learn.org", "html")
    assert group.title == "1.11. Ensemble methods"
    assert group.passages_in_document > len(group.passages) > 0
    passage = best(results, SKLEARN)
    assert "early" in passage.quote.lower()
    assert passage.found_by == ("by meaning", "by words")
    assert 0 < passage.score <= 1
    assert passage.similarity is not None
    words = dict(passage.terms)
    assert set(words) <= {"early", "stopping", "work"}
    assert words["early"] >= 1
    assert list(words) == sorted(words, key=results.query.index)


def test_a_new_question_shows_its_best_passages_before_the_others(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "FIRST_PAGE", 1)
    order: list[str] = []
    for name in ("results", "grown", "found"):
        getattr(do.searching, name).connect(lambda _told, name=name: order.append(name))
    results, grown = Heard(do.searching.results), Heard(do.searching.grown)
    question = BROAD
    whole = found(do, qtbot, question)
    assert order == ["results", "grown", "found"]
    first: SearchResults = results.last
    assert first.passages == 1 < whole.passages
    shown = [one for group in first.groups for one in group.passages]
    ranked = sorted((one for group in whole.groups for one in group.passages), key=lambda one: -one.score)
    assert {one.chunk_id for one in shown} == {one.chunk_id for one in ranked[:1]}
    assert {one.chunk_id: one.text for one in shown}.items() <= {
        one.chunk_id: one.text for one in ranked
    }.items()
    assert [group.document_id for group in whole.groups][: len(first.groups)] == [
        group.document_id for group in first.groups
    ]
    do.searching.again()  # all at once: what is selected may be any of them
    heard(qtbot, lambda: len(results) == 2)
    assert results.last.groups == whole.groups
    assert len(grown) == 1


def test_a_question_stopped_after_its_first_page_gets_no_more(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "FIRST_PAGE", 1)
    results, cancelled = Heard(do.searching.results), Heard(do.searching.cancelled)
    grown = Heard(do.searching.grown)
    do.searching.results.connect(lambda _found: QTimer.singleShot(0, do.searching.cancel))
    do.searching.search(BROAD)
    heard(qtbot, lambda: len(results) == 1 and len(cancelled) == 1)
    qtbot.wait(200)
    assert not len(grown)


def _refused(*_given: object) -> None:
    raise InputError("This is no question yet.", "")


def _of_a_server(*_given: object) -> None:
    """What is typed is not searched for where the model is a server's."""


def _stopped(_query: str, _filters: object, _readings: object, _library: object, task: Task) -> None:
    while True:  # until the box is empty again
        task.cancel.raise_if_cancelled()


@pytest.mark.parametrize("typed", [_refused, _of_a_server, _stopped])
def test_a_first_page_gets_its_others_where_nothing_is_found_for_what_is_typed_meanwhile(
    do: Operations, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, typed: Callable[..., None]
) -> None:
    monkeypatch.setattr(asking, "FIRST_PAGE", 1)
    monkeypatch.setattr(searching, "search_as_typed", typed)
    grown, whole = Heard(do.searching.grown), Heard(do.searching.found)

    def type_on(_first: object) -> None:
        do.searching.search_as_typed("gene")
        if typed is _stopped:
            QTimer.singleShot(0, do.searching.stop_typed)

    do.searching.results.connect(lambda first: QTimer.singleShot(0, lambda: type_on(first)))
    do.searching.search(BROAD)
    heard(qtbot, lambda: len(grown) == 1 and len(whole) == 1)
    assert grown.last.query == BROAD
    assert grown.last.passages > 1


def test_the_order_is_the_result_s(do: Operations, qtbot: QtBot) -> None:
    results = found(do, qtbot, "iterator protocol and generators")
    reported: list[RetrievalResult] = []
    do.session.call(
        lambda library, _task: library.search("iterator protocol and generators", mode="chunk"),
        on_success=reported.append,
    )
    heard(qtbot, lambda: len(reported) == 1)
    ids = [passage.chunk_id for group in results.groups for passage in group.passages]
    assert ids == [chunk.chunk_id for chunk in reported[0].chunks]
    assert results.passages == len(ids)


def test_quotes_and_marks_are_what_is_stored_wherever_they_stand(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    """Every mark of many questions, on real pages: evidence reads as its span does, words are the question's."""
    database = Database(address)
    for query in (
        "max_depth of a tree",
        "what is an iterator",
        "garbage collection in Go",
        "bagging AND boosting",
    ):
        for group in found(do, qtbot, query).groups:
            for passage in group.passages:
                assert passage.text == passage.text.strip()
                assert marked(passage, "evidence") == [passage.quote]
                first = markdown_of(database, passage.span)
                assert _letters(passage.quote) == _letters_of_markdown(first)
                for word in marked(passage, "term"):
                    assert any(word.lower()[:2] == asked.lower()[:2] for asked in re.split(r"\W|_", query)), (
                        word
                    )
                _are_in_order(passage.marks)
    database.close()


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _letters_of_markdown(markdown: str) -> str:
    from webrag_desktop.text.plain_text import project

    return _letters(project(markdown).text)


def _are_in_order(marks: tuple[TextMark, ...]) -> None:
    for kind in ("evidence", "term"):
        of_kind = [mark for mark in marks if mark.kind == kind]
        assert all(one.end <= other.start for one, other in pairwise(of_kind))
        assert all(mark.start < mark.end for mark in of_kind)
    assert list(marks) == sorted(marks, key=lambda mark: mark.start)


def test_markup_entities_and_emoji_move_nothing(do: Operations, qtbot: QtBot, tricky: Database) -> None:
    passage = best(found(do, qtbot, "galvanic creep_rate"), PAGE)
    assert passage.quote == ("Galvanic creep at 5 °C is < 3 % — measured by R&D with the creep_rate gauge.")
    assert markdown_of(tricky, passage.span).startswith("**Galvanic** [creep](https://x.example/galvanic)")
    assert passage.quote in marked(passage, "evidence")
    assert "Galvanic" in marked(passage, "term")
    assert "creep_rate" in marked(passage, "term")
    assert dict(passage.terms)["galvanic"] == 1
    assert dict(passage.terms)["creep_rate"] == 1
    assert "by exact name" in passage.found_by
    assert passage.place == "Creep in cold joints"
    assert passage.anchor == "creep"


def test_chinese_and_japanese_sentences_are_marked(do: Operations, qtbot: QtBot, tricky: Database) -> None:
    passage = best(found(do, qtbot, "亜鉛めっき鋼線"), PAGE)
    assert passage.quote == "亜鉛めっき鋼線は安価である。"
    assert markdown_of(tricky, passage.span) == passage.quote
    assert "亜鉛めっき鋼線" in marked(passage, "term")


def test_right_to_left_sentences_are_marked(do: Operations, qtbot: QtBot, tricky: Database) -> None:
    passage = best(found(do, qtbot, "כבל נחושת"), PAGE)
    assert passage.quote == "כבל נחושת עמיד בפני קורוזיה."
    assert markdown_of(tricky, passage.span) == passage.quote


def test_a_row_of_a_table_is_read_without_its_borders(do: Operations, qtbot: QtBot, tricky: Database) -> None:
    passage = best(found(do, qtbot, "tungsten-like breaking load of tinned copper"), PAGE)
    assert passage.quote == "Copper | tinned Tungsten-like 410 N"
    assert "\\|" in markdown_of(tricky, passage.span)
    assert passage.place.endswith("Figures")


def test_the_place_does_not_repeat_the_title(do: Operations, qtbot: QtBot, tricky: Database) -> None:
    for group in found(do, qtbot, "galvanic creep").groups:
        for passage in group.passages:
            assert passage.place
            assert group.title not in passage.place.split(" › ")


def test_an_empty_library_answers_with_nothing(
    clone: Clone, migrated_template: str, tmp_path: Path, qtbot: QtBot
) -> None:
    with open_operations(settings_for(clone(migrated_template), tmp_path), qtbot) as do:
        results = found(do, qtbot, "anything")
        assert (results.groups, results.corpus_documents, results.passages) == ((), 0, 0)


# -- What is asked -------------------------------------------------------------------------------------------------


def test_an_empty_question_asks_nothing(do: Operations, qtbot: QtBot) -> None:
    started = Heard(do.searching.started)
    do.searching.search("   ")
    do.searching.again()
    assert not started.all


def test_a_question_that_cannot_be_asked_says_why(do: Operations, qtbot: QtBot) -> None:
    failures = Heard(do.searching.failed)
    do.searching.search("word " * 20_000)
    heard(qtbot, lambda: len(failures) == 1)
    assert "50,000 are the most" in failures.last.message


def test_the_newest_question_wins_and_stops_the_statement_of_the_older(
    do: Operations, qtbot: QtBot, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The older question waits for a table that somebody has locked; nobody waits for it."""
    found(do, qtbot, "warm up")  # the model is loaded
    tokens: dict[str, CancelToken] = {}
    search = Library.search_growing

    def noted(library: Library, query: str, first: int, **given: object) -> object:
        tokens[query] = given["cancel"]  # type: ignore[assignment]
        return search(library, query, first, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(Library, "search_growing", noted)
    results, failures = Heard(do.searching.results), Heard(do.searching.failed)
    database = Database(address)
    with database.dedicated() as locking:
        locking.execute("BEGIN")
        locking.execute("LOCK TABLE chunks IN ACCESS EXCLUSIVE MODE")
        do.searching.search("iterator")
        heard(qtbot, lambda: _waiting(database) == 1)
        do.searching.search("early stopping")
        heard(qtbot, lambda: tokens["iterator"].cancelled and _waiting(database) == 1)
        locking.execute("ROLLBACK")
        heard(qtbot, lambda: len(results) == 1)
    database.close()
    assert results.last.query == "early stopping"
    assert not failures.all


def _waiting(database: Database) -> int:
    """How many searches wait for the lock."""
    with database.connection() as conn:
        row = conn.execute(
            """
            SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'
            """
        ).fetchone()
    assert row is not None
    return int(row[0])


def test_a_search_can_be_stopped(do: Operations, qtbot: QtBot, address: Address) -> None:
    results, failures = Heard(do.searching.results), Heard(do.searching.failed)
    database = Database(address)
    with database.dedicated() as locking:
        locking.execute("BEGIN")
        locking.execute("LOCK TABLE chunks IN ACCESS EXCLUSIVE MODE")
        do.searching.search("iterator")
        heard(qtbot, lambda: _waiting(database) == 1)
        do.searching.cancel()
        heard(qtbot, lambda: _waiting(database) == 0)
        locking.execute("ROLLBACK")
    database.close()
    assert found(do, qtbot, "generator").query == "generator"
    assert [one.query for one in results.all] == ["generator"]
    assert not failures.all


def test_what_is_typed_is_what_is_asked_again_while_it_is_searched(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    found(do, qtbot, "iterator")
    results, database = Heard(do.searching.results), Database(address)
    with database.dedicated() as locking:
        locking.execute("BEGIN")
        locking.execute("LOCK TABLE chunks IN ACCESS EXCLUSIVE MODE")
        do.searching.search_as_typed("generator")
        heard(qtbot, lambda: _waiting(database) == 1)
        do.searching.again()  # a filter was removed
        locking.execute("ROLLBACK")
        heard(qtbot, lambda: len(results) == 1)
    database.close()
    assert (results.last.query, results.last.as_typed) == ("generator", False)


@pytest.mark.parametrize("stop", ["cancel", "stop_typed"])
def test_a_search_for_what_is_typed_can_be_stopped(
    do: Operations, qtbot: QtBot, address: Address, stop: str
) -> None:
    found(do, qtbot, "iterator")
    results, database = Heard(do.searching.results), Database(address)
    with database.dedicated() as locking:
        locking.execute("BEGIN")
        locking.execute("LOCK TABLE chunks IN ACCESS EXCLUSIVE MODE")
        do.searching.search_as_typed("generator")
        heard(qtbot, lambda: _waiting(database) == 1)
        getattr(do.searching, stop)()
        heard(qtbot, lambda: _waiting(database) == 0)
        locking.execute("ROLLBACK")
    database.close()
    do.searching.again()
    heard(qtbot, lambda: len(results) == 1)
    assert results.last.query == "iterator"  # that is shown


def test_a_search_that_loses_its_database_fails_and_is_asked_again_once_it_is_back(
    do: Operations, qtbot: QtBot, address: Address
) -> None:
    found(do, qtbot, "warm up")
    results, failures, lost = (
        Heard(do.searching.results),
        Heard(do.searching.failed),
        Heard(do.session.lost),
    )
    outage, database = Outage(address), Database(address)
    with database.dedicated() as locking:
        locking.execute("BEGIN")
        locking.execute("LOCK TABLE chunks IN ACCESS EXCLUSIVE MODE")
        do.searching.search("iterator")
        heard(qtbot, lambda: _waiting(database) == 1)
        outage.begin()  # in the middle of the search
        with pytest.raises(psycopg.OperationalError):
            locking.execute("ROLLBACK")
    database.close()
    heard(qtbot, lambda: len(failures) == 1 and len(lost) == 1)
    assert not results.all
    outage.end()
    heard(qtbot, lambda: len(results) == 1)
    assert (results.last.query, len(failures), len(lost)) == ("iterator", 1, 1)


def test_a_search_that_hears_of_the_loss_after_the_library_was_opened_again_is_asked_again_at_once(
    do: Operations, qtbot: QtBot, address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_again, asked = threading.Event(), threading.Event()
    search = Library.search_growing

    def late(library: Library, query: str, first: int, **given: object) -> object:
        if not asked.is_set():
            asked.set()
            assert open_again.wait(60)
            raise DatabaseUnreachableError("The database does not answer.", "Start it.")
        return search(library, query, first, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(Library, "search_growing", late)
    results, failures, lost = Heard(do.searching.results), Heard(do.searching.failed), Heard(do.session.lost)
    do.searching.search("iterator")
    heard(qtbot, asked.is_set)
    outage = Outage(address)
    outage.begin()
    heard(qtbot, lambda: len(lost) == 1)  # what follows the library noticed first
    outage.end()
    heard(qtbot, lambda: do.session.is_open)
    open_again.set()
    heard(qtbot, lambda: len(results) == 1)
    assert (results.last.query, len(failures), len(lost)) == ("iterator", 1, 1)


# -- What is removed ----------------------------------------------------------------------------------------------


def test_documents_that_were_removed_are_left_out_until_that_is_taken_back(
    do: Operations, qtbot: QtBot
) -> None:
    results = Heard(do.searching.results)
    before = found(do, qtbot, "an iterator is an object that represents a stream")
    glossary = group_at(before, GLOSSARY)
    do.documents.remove((glossary.document_id,))
    heard(qtbot, lambda: glossary not in results.last.groups)
    assert glossary not in found(do, qtbot, before.query).groups
    do.documents.undo()
    heard(
        qtbot, lambda: glossary.document_id in {g.document_id for g in found(do, qtbot, before.query).groups}
    )


def test_a_document_that_is_gone_does_not_come_back_when_another_is_removed(
    do: Operations, qtbot: QtBot
) -> None:
    results, removed = Heard(do.searching.results), Heard(do.documents.removed)
    first, second = (g.document_id for g in found(do, qtbot, "an iterator in the Go language").groups[:2])

    def shown() -> set[UUID]:
        return {group.document_id for group in results.last.groups}

    do.documents.remove((first,))
    heard(qtbot, lambda: removed.all == [(first,)] and not do.documents.is_hidden(first))
    do.documents.remove((second,))
    heard(qtbot, lambda: not {first, second} & shown())
    do.documents.undo()
    heard(qtbot, lambda: second in shown())
    assert first not in shown()
