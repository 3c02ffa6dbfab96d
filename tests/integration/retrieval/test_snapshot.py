"""One search sees one state, asks three times, and stops when told to."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.synthetic_library import AngleEmbedder, Passage, Section, SyntheticLibrary
from webrag_desktop.errors import Cancelled, DatabaseError, InputError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval import search
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.searching.candidates import find_candidates
from webrag_desktop.storage.snapshot import snapshot


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

        monkeypatch.setattr(search, "find_candidates", meddled)

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
def test_a_search_asks_the_database_three_times(
    conn: Connection, library: SyntheticLibrary, tmp_path: Path, mode: Any
) -> None:
    """Round trips are counted on the wire, by what ends each. Two begin and end the transaction."""
    library.add("https://a/", pages("word", 3))
    wire = tmp_path / "wire"
    with wire.open("w") as log:
        conn.pgconn.trace(log.fileno())
        conn.pgconn.set_trace_flags(psycopg.pq.Trace.SUPPRESS_TIMESTAMPS)
        assert retrieve(conn, "word", embedder=AngleEmbedder(), mode=mode).chunks
        conn.pgconn.untrace()
    trips = sum("ReadyForQuery" in line for line in wire.read_text().splitlines())
    assert trips == 3 + 2


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
    with pytest.raises(DatabaseError, match="read-only"), snapshot(conn):
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


@pytest.mark.parametrize("step", ["Evidence", "group_by_document"])
def test_a_search_cancelled_when_all_is_read_stops_and_leaves_the_connection_open(
    conn: Connection, library: SyntheticLibrary, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    library.add("https://a/", pages("word", 1))
    token, taken = CancelToken(), getattr(search, step)

    def cancelling(*arguments: Any) -> Any:
        token.cancel()
        return taken(*arguments)

    monkeypatch.setattr(search, step, cancelling)
    with pytest.raises(Cancelled):
        retrieve(conn, "word", embedder=AngleEmbedder(), mode="chunk", cancel=token)
    assert conn.execute("SELECT 1").fetchone() == (1,)


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
        blocker.execute(WAIT_UNTIL_BLOCKED)
        token.cancel()
        with pytest.raises(Cancelled):
            running.result(timeout=30)
    assert conn.closed


WAIT_UNTIL_BLOCKED = """
    SET LOCAL statement_timeout = '30s';
    DO $$ BEGIN
        WHILE NOT EXISTS (SELECT FROM pg_locks WHERE relation = 'chunks'::regclass AND NOT granted) LOOP
            PERFORM pg_sleep(0.01);
        END LOOP;
    END $$;
"""


def test_a_time_limit_of_the_servers_is_no_cancellation(conn: Connection, library: SyntheticLibrary) -> None:
    conn.execute("SET statement_timeout = '50ms'")
    conn.commit()
    with pytest.raises(DatabaseError), snapshot(conn, CancelToken()):
        conn.execute("SELECT pg_sleep(30)")
    conn.execute("RESET statement_timeout")
