"""Context packs of stored texts: of the real pages, of pages that change or go meanwhile, in one round trip."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from tests.support.blocking import wait_until_blocked
from tests.support.new_source import new_source
from tests.support.synthetic_library import AngleEmbedder, Passage, Section, SyntheticLibrary
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.embedding.base import Embedder, Tokenizer
from webrag_desktop.errors import Cancelled, InputError
from webrag_desktop.indexing.pipeline import Indexer, Origin
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.models.documents import Capture
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.context.packing import build_context_pack
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import ContextPack
from webrag_desktop.retrieval.contracts.results import RetrievalResult
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.captures import captures
from webrag_desktop.storage.database import Connection, Database

WORDS = WordTokenizer()
URL = "https://example.org/tides"
QUESTION = "how do limpets hold on to the rock"


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    with database.connection() as lent:
        yield lent


def pages() -> list[Section]:
    return [
        Section(
            [Passage(f"Page {page}, passage {n}.", 0.9 if (page, n) == (2, 1) else 0.1) for n in range(3)],
            f"P{page}",
        )
        for page in range(5)
    ]


def best(conn: Connection) -> RetrievalResult:
    return retrieve(conn, "question", embedder=AngleEmbedder(), mode="chunk")


def read(pack: ContextPack) -> list[tuple[str, str]]:
    return [(chunk.role, " ".join(chunk.text.split())) for chunk in pack.chunks]


def markdown_of(conn: Connection, version: UUID) -> str:
    row = conn.execute("SELECT markdown FROM document_versions WHERE id = %s", [version]).fetchone()
    assert row is not None
    conn.commit()
    return str(row[0])


def verbatim(conn: Connection, pack: ContextPack) -> bool:
    return all(
        chunk.text
        == "\n\n[…]\n\n".join(
            markdown_of(conn, chunk.version_id)[s.char_start : s.char_end] for s in chunk.spans
        )
        for chunk in pack.chunks
    )


def test_what_stands_around_comes_from_the_stored_text(conn: Connection, library: SyntheticLibrary) -> None:
    library.add("https://a/", pages())
    pack = build_context_pack(best(conn), "question", conn=conn, tokenizer=WORDS)
    assert read(pack) == [
        ("primary", "Page 2, passage 1."),
        ("parent", "Page 2, passage 0. […] Page 2, passage 2."),
        ("cross_page", "Page 1, passage 1."),
        ("cross_page", "Page 1, passage 2."),
        ("cross_page", "Page 3, passage 0."),
        ("cross_page", "Page 3, passage 1."),
    ]
    assert verbatim(conn, pack)
    children = [chunk.chunk_id for chunk in pack.chunks if chunk.role == "cross_page"]
    found = conn.execute(
        "SELECT count(*) FROM chunks WHERE id = ANY(%s) AND chunk_level = 'child'", [children]
    )
    assert found.fetchone() == (4,)


def test_a_second_chunking_of_the_text_changes_nothing(conn: Connection, library: SyntheticLibrary) -> None:
    """While a library moves to another space, both chunkings lie in one table."""
    library.add("https://a/", pages())
    result = best(conn)
    before = build_context_pack(result, "question", conn=conn, tokenizer=WORDS)
    named = conn.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_name = 'chunks' AND table_schema = 'public'"
    ).fetchall()
    columns = [name for (name,) in named if name not in ("id", "parent_id", "chunking_id", "ordinal")]
    kept = ", ".join(columns)
    first = "overlay({}::text placing '00000000' from 1)::uuid"  # before all others, where ids decide
    for level in ("parent", "child"):
        conn.execute(
            f"INSERT INTO chunks (id, parent_id, chunking_id, {kept}) "
            f"SELECT {first.format('id')}, {first.format('parent_id')}, 'another', {kept} FROM chunks "
            "WHERE chunk_level = %s AND chunking_id <> 'another'",
            [level],
        )
    conn.commit()
    assert build_context_pack(result, "question", conn=conn, tokenizer=WORDS) == before


def test_it_takes_one_round_trip_more(conn: Connection, library: SyntheticLibrary, tmp_path: Path) -> None:
    """Counted on the wire, by what ends each; two begin and end the transaction."""
    library.add("https://a/", pages())
    library.add("https://b/", pages())
    result, wire = best(conn), tmp_path / "wire"
    with wire.open("w") as log:
        conn.pgconn.trace(log.fileno())
        conn.pgconn.set_trace_flags(psycopg.pq.Trace.SUPPRESS_TIMESTAMPS)
        assert build_context_pack(result, "question", conn=conn, tokenizer=WORDS).selected_chunks
        conn.pgconn.untrace()
    trips = sum("ReadyForQuery" in line for line in wire.read_text().splitlines())
    assert trips <= 1 + 2


def test_a_page_that_was_removed_meanwhile_is_as_it_was_found(
    conn: Connection, library: SyntheticLibrary
) -> None:
    source = library.add("https://a/", pages(), title="Tides")
    result = best(conn)
    library.remove(source)
    pack = build_context_pack(result, "question", conn=conn, tokenizer=WORDS)
    assert read(pack) == [("primary", "Page 2, passage 0. Page 2, passage 1. Page 2, passage 2.")]
    assert pack.trace["notes"] == [
        "“Tides” was removed since it was found; nothing around its passages is known."
    ]


def test_a_connection_in_mid_transaction_is_refused(conn: Connection, library: SyntheticLibrary) -> None:
    library.add("https://a/", pages())
    result = best(conn)
    conn.execute("SELECT 1")
    with pytest.raises(InputError, match="transaction"):
        build_context_pack(result, "question", conn=conn, tokenizer=WORDS)


def test_a_running_statement_is_cancelled(
    conn: Connection, database: Database, library: SyntheticLibrary
) -> None:
    library.add("https://a/", pages())
    result, token = best(conn), CancelToken()
    with database.connection() as blocker, ThreadPoolExecutor(1) as threads:
        blocker.execute("LOCK TABLE chunks IN ACCESS EXCLUSIVE MODE")
        running = threads.submit(
            build_context_pack, result, "question", conn=conn, tokenizer=WORDS, cancel=token
        )
        blocker.execute(wait_until_blocked("chunks"))
        token.cancel()
        with pytest.raises(Cancelled):
            running.result(timeout=30)
    assert conn.closed


def test_nothing_is_written_and_the_connection_comes_back_idle(
    conn: Connection, library: SyntheticLibrary
) -> None:
    library.add("https://a/", pages())
    build_context_pack(best(conn), "question", conn=conn, tokenizer=WORDS)
    assert conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert (conn.isolation_level, conn.read_only) == (None, None)


def text(round_: int) -> str:
    """Sections long enough for several children each."""
    parts = [
        f"## Part {n}\n\n"
        + "\n\n".join(
            f"In round {round_} of part {n}, paragraph {p}: "
            + "the tide rises and falls along the coast. " * 30
            for p in range(3)
        )
        for n in range(4)
    ]
    limpets = f"## Limpets\n\nIn round {round_}, limpets hold on to the rock with a strong foot."
    return "# Tides\n\n" + "\n\n".join([*parts[:2], limpets, *parts[2:]]) + "\n"


Index = Callable[[int], UUID]


@pytest.fixture
def index(database: Database, make_indexer: Callable[[Database], Indexer]) -> Index:
    """Reads one page again and again, each time with another text, with the real model."""
    indexer = make_indexer(database)
    with database.connection() as conn:
        source = new_source(conn, "url", URL, URL)

    def read_again(round_: int) -> UUID:
        capture = Capture(
            url=URL,
            final_url=URL,
            status_code=200,
            headers=(("content-type", "text/markdown; charset=utf-8"),),
            body=text(round_).encode(),
            fetched_at=datetime(2026, 1, 2, tzinfo=UTC),
        )
        with database.connection() as conn:
            stored = captures.save_capture(conn, source, capture)
        indexer.index(
            source, extract(capture), Origin(stored.id, stored.raw_hash, 1), report=lambda *_step: None
        )
        return source

    return read_again


def test_a_page_that_changed_meanwhile_is_packed_from_the_text_that_was_found(
    conn: Connection, index: Index, embedder: Embedder, tokenizer: Tokenizer
) -> None:
    index(1)
    result = retrieve(conn, QUESTION, embedder=embedder, tokenizer=tokenizer, mode="chunk")
    before = build_context_pack(result, QUESTION, conn=conn, tokenizer=tokenizer)
    index(2)
    after = build_context_pack(result, QUESTION, conn=conn, tokenizer=tokenizer)
    for pack in (before, after):
        assert "In round 1" in pack.context_pack
        assert "In round 2" not in pack.context_pack
        assert verbatim(conn, pack)
        assert "limpets hold on" in pack.chunks[0].text
    assert {"primary", "cross_page"} <= {chunk.role for chunk in after.chunks}
    assert before.trace["notes"] == []
    (note,) = after.trace["notes"]
    assert "changed or cut again" in note
    assert all(chunk.chunk_id is None for chunk in after.chunks if chunk.role == "cross_page")


@pytest.mark.parametrize("budget", [150, 700, 3000, 12000])
def test_packs_of_real_pages_hold_their_budget_and_are_verbatim(
    corpus: Database, embedder: Embedder, tokenizer: Tokenizer, budget: int
) -> None:
    with corpus.connection() as conn:
        result = retrieve(
            conn, "what does early stopping limit", embedder=embedder, tokenizer=tokenizer, mode="chunk"
        )
        options = ContextOptions(final_max_tokens=budget)
        pack = build_context_pack(result, "q", conn=conn, tokenizer=tokenizer, options=options)
        assert tokenizer.count(pack.context_pack) == pack.trace["final_token_count"]
        assert pack.explanation.budget.held == (pack.trace["final_token_count"] <= budget)
        assert pack.explanation.budget.held or budget == 150
        assert verbatim(conn, pack)
        assert len({chunk.hit for chunk in pack.chunks}) >= 3
        assert ContextPack.model_validate_json(pack.model_dump_json()) == pack
