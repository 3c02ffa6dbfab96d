"""One search sees one state, asks three times, and stops when told to."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.support.blocking import wait_until_blocked
from tests.support.synthetic_library import AngleEmbedder, Passage, Section, SyntheticLibrary
from webrag_desktop.errors import Cancelled, DatabaseError, InputError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval import bm25, growing, pipeline
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.searching.candidates import find_candidates
from webrag_desktop.storage.snapshot import pipelined_snapshot, snapshot


class MeddlingEmbedder(AngleEmbedder):
    """Does something else while the question is embedded."""

    def __init__(self, meddle: Callable[[], object]) -> None:
        super().__init__()
        self._meddle = meddle

    def embed_query(self, text: str, *, cancel: CancelToken | None = None) -> list[float]:
        self._meddle()
        return super().embed_query(text, cancel=cancel)


Meddle = Callable[[Callable[[], object]], None]


@pytest.fixture
def meddle(monkeypatch: pytest.MonkeyPatch) -> Meddle:
    """Has something else done in the middle of the next search, after its first statement."""

    def arrange(action: Callable[[], object]) -> None:
        pending = [action]

        def meddled(*arguments: Any) -> Any:
            if pending:
                pending.pop()()
            return find_candidates(*arguments)

        monkeypatch.setattr(pipeline, "find_candidates", meddled)

    return arrange


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    with database.connection() as lent:
        yield lent


def pages(word: str, count: int) -> list[Section]:
    return [Section([Passage(f"{word} number {n}.", 0.9 - n / 100)]) for n in range(count)]


@pytest.mark.parametrize("mode", ["chunk", "full_context"])
def test_a_document_replaced_in_mid_search_is_seen_whole_as_it_was(
    conn: Connection, library: SyntheticLibrary, meddle: Meddle, mode: Any
) -> None:
    source = library.add("https://a/", pages("old", 5))
    meddle(lambda: library.replace(source, "https://a/", pages("new", 3)))
    result = retrieve(conn, "question", embedder=AngleEmbedder(), mode=mode)
    assert [chunk.chunk_text for chunk in result.chunks] == [f"old number {n}.\n\n" for n in range(5)]
    assert result.corpus_stats.total_parent_chunks == 5
    after = retrieve(conn, "question", embedder=AngleEmbedder(), mode=mode)
    assert [chunk.chunk_text for chunk in after.chunks] == [f"new number {n}.\n\n" for n in range(3)]
    assert after.corpus_stats.total_parent_chunks == 3


@pytest.mark.parametrize("mode", ["chunk", "full_context"])
def test_a_document_added_or_removed_in_mid_search_changes_nothing(
    conn: Connection, library: SyntheticLibrary, meddle: Meddle, mode: Any
) -> None:
    source = library.add("https://a/", pages("old", 2))

    def change() -> None:
        library.add("https://b/", pages("new", 2))
        library.remove(source)

    meddle(change)
    result = retrieve(conn, "question", embedder=AngleEmbedder(), mode=mode)
    assert result.source_urls == ["https://a/"]
    assert len(result.chunks) == 2


@pytest.mark.parametrize("mode", ["chunk", "full_context"])
@pytest.mark.parametrize(
    ("question", "times"), [("word", 3), ("Which number?", 3), ("nubmer", 4), ("(number)", 4)]
)
def test_a_search_asks_the_database_three_times_and_once_more_where_a_word_may_be_unknown(
    conn: Connection, library: SyntheticLibrary, tmp_path: Path, mode: Any, question: str, times: int
) -> None:
    """Round trips are counted on the wire: what is sent at once and ends by asking the server for its answers."""
    library.add("https://a/", pages("word", 3))
    wire = tmp_path / "wire"
    with wire.open("w") as log:
        conn.pgconn.trace(log.fileno())
        conn.pgconn.set_trace_flags(psycopg.pq.Trace.SUPPRESS_TIMESTAMPS)
        assert retrieve(conn, question, embedder=AngleEmbedder(), mode=mode).chunks
        conn.pgconn.untrace()
    lines = wire.read_text().splitlines()  # some go on with the text of a statement
    messages = [line.split("\t") for line in lines if line.startswith(("F\t", "B\t"))]
    turns = [
        {message[2] for message in turn} for _, turn in groupby(messages, key=lambda message: message[0])
    ]
    assert sum(not turn.isdisjoint({"Flush", "Sync", "Query"}) for turn in turns) == times


def test_a_connection_in_mid_transaction_is_refused(conn: Connection) -> None:
    conn.execute("SELECT 1")
    with pytest.raises(InputError, match="transaction"):
        retrieve(conn, "question", embedder=None)


def test_the_connection_comes_back_idle_and_writable(conn: Connection, library: SyntheticLibrary) -> None:
    library.add("https://a/", pages("word", 1))
    retrieve(conn, "word", embedder=AngleEmbedder(), mode="chunk")
    assert conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert (conn.isolation_level, conn.read_only) == (None, None)
    conn.execute("UPDATE sources SET tags = '{x}'")


def test_an_autocommit_connection_has_a_snapshot_too(
    database: Database, library: SyntheticLibrary, meddle: Meddle
) -> None:
    source = library.add("https://a/", pages("old", 2))
    meddle(lambda: library.remove(source))
    with database.dedicated() as dedicated:
        assert len(retrieve(dedicated, "q", embedder=AngleEmbedder(), mode="chunk").chunks) == 2
        assert retrieve(dedicated, "q", embedder=AngleEmbedder(), mode="chunk").is_empty


def test_the_question_is_embedded_before_anything_is_held_open(
    conn: Connection, library: SyntheticLibrary
) -> None:
    library.add("https://a/", pages("word", 1))
    states: list[psycopg.pq.TransactionStatus] = []
    embedder = MeddlingEmbedder(lambda: states.append(conn.info.transaction_status))
    assert retrieve(conn, "word", embedder=embedder, mode="chunk").query_embedding
    assert states == [psycopg.pq.TransactionStatus.IDLE]


def test_a_library_moved_to_another_model_in_mid_search_is_searched_by_words(
    conn: Connection, library: SyntheticLibrary
) -> None:
    library.add("https://a/", pages("word", 1))
    moved = "UPDATE embedding_spaces SET definition = jsonb_set(definition, '{model,model}', '\"other\"')"

    def move() -> None:
        conn.execute(moved)
        conn.commit()

    result = retrieve(conn, "word", embedder=MeddlingEmbedder(move), mode="chunk")
    assert result.query_embedding == []
    assert "made with the embedding model other" in (result.degraded or "")
    assert result.chunks


def test_writing_in_a_snapshot_is_refused(conn: Connection) -> None:
    with pytest.raises(DatabaseError, match="can only be read"), snapshot(conn):
        conn.execute("DELETE FROM sources")


def test_a_search_cancelled_before_it_starts_leaves_the_connection_open(
    conn: Connection, library: SyntheticLibrary
) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        retrieve(conn, "question", embedder=AngleEmbedder(), cancel=token)
    assert conn.execute("SELECT 1").fetchone() == (1,)


def test_a_search_cancelled_between_its_steps_stops_and_closes_the_connection(
    conn: Connection, library: SyntheticLibrary, meddle: Meddle
) -> None:
    library.add("https://a/", pages("word", 1))
    token = CancelToken()
    meddle(token.cancel)
    with pytest.raises(Cancelled):
        retrieve(conn, "question", embedder=AngleEmbedder(), cancel=token)
    assert conn.closed


@pytest.mark.parametrize(
    ("module", "step", "closed"), [(pipeline, "Evidence", True), (growing, "group_by_document", False)]
)
def test_a_search_cancelled_at_a_late_step_stops_and_leaves_the_connection_open_once_all_is_read(
    conn: Connection,
    library: SyntheticLibrary,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    step: str,
    closed: bool,
) -> None:
    """Evidence is looked for while the server reads what is shown."""
    library.add("https://a/", pages("word", 1))
    token, taken = CancelToken(), getattr(module, step)

    def cancelling(*arguments: Any, **named: Any) -> Any:
        token.cancel()
        return taken(*arguments, **named)

    monkeypatch.setattr(module, step, cancelling)
    with pytest.raises(Cancelled):
        retrieve(conn, "word", embedder=AngleEmbedder(), mode="chunk", cancel=token)
    assert conn.closed is closed
    assert closed or conn.execute("SELECT 1").fetchone() == (1,)


def test_a_search_cancelled_while_its_question_is_embedded_leaves_the_connection_open(
    conn: Connection, library: SyntheticLibrary
) -> None:
    library.add("https://a/", pages("word", 1))
    token = CancelToken()
    with pytest.raises(Cancelled):
        retrieve(conn, "question", embedder=MeddlingEmbedder(token.cancel), cancel=token)
    assert not conn.closed
    assert conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_a_running_statement_is_cancelled(
    conn: Connection, database: Database, library: SyntheticLibrary
) -> None:
    library.add("https://a/", pages("word", 1))
    token = CancelToken()
    with database.connection() as blocker, ThreadPoolExecutor(1) as threads:
        blocker.execute("LOCK TABLE chunks IN ACCESS EXCLUSIVE MODE")
        running = threads.submit(retrieve, conn, "question", embedder=AngleEmbedder(), cancel=token)
        blocker.execute(wait_until_blocked("chunks"))
        token.cancel()
        with pytest.raises(Cancelled):
            running.result(timeout=30)
    assert conn.closed


def test_the_nearest_are_looked_for_while_words_are_scored_and_can_be_cancelled_meanwhile(
    conn: Connection, database: Database, library: SyntheticLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add("https://a/", pages("word", 1))
    token, taken, table = CancelToken(), bm25.score, library.space.table
    with database.connection() as blocker:
        blocker.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(sql.Identifier(table)))

        def cancelling(*arguments: Any, **named: Any) -> Any:
            blocker.execute(wait_until_blocked(table))
            token.cancel()
            return taken(*arguments, **named)

        monkeypatch.setattr(bm25, "score", cancelling)
        with pytest.raises(Cancelled):
            retrieve(conn, "word", embedder=AngleEmbedder(), mode="chunk", cancel=token)
    assert conn.closed


def in_snapshot(conn: Connection, action: Callable[[], object]) -> None:
    with pipelined_snapshot(conn):
        conn.execute("SELECT 1")
        action()
        conn.execute("SELECT 2")


def test_a_pipelined_snapshot_that_fails_leaves_the_connection_idle_and_as_it_was(conn: Connection) -> None:
    for autocommit in (False, True):
        conn.autocommit = autocommit
        with pytest.raises(DatabaseError, match="can only be read"):
            in_snapshot(conn, lambda: conn.execute("DELETE FROM sources"))
        with pytest.raises(ZeroDivisionError):
            in_snapshot(conn, lambda: 1 // 0)
        assert conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        assert conn.autocommit is autocommit
        assert conn.execute("SHOW transaction_read_only").fetchone() == ("off",)
        conn.rollback()
    conn.autocommit = False


def test_a_time_limit_of_the_servers_is_no_cancellation(conn: Connection, library: SyntheticLibrary) -> None:
    conn.execute("SET statement_timeout = '50ms'")
    conn.commit()
    with pytest.raises(DatabaseError), snapshot(conn, CancelToken()):
        conn.execute("SELECT pg_sleep(30)")
    conn.execute("RESET statement_timeout")
