"""A library's embedding space is chosen once, kept, and never mixed with another."""

from collections.abc import Iterator
from threading import Thread

import pytest
from pydantic import SecretStr

from tests.support.corpus import add_page
from tests.support.embedding_server import EmbeddingServer
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop.embedding.factory import open_embedder, open_tokenizer
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.indexing.corpus_space import chunking_options, settle_space
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.maintenance.checkup import run_checks
from webrag_desktop.retrieval.search import retrieve
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spaces.space_tables import EF_CONSTRUCTION, active_space, index_name

NOWHERE = "http://127.0.0.1:9"  # the discard port: nobody answers there
TARGETS = ChunkTargets()
EMBEDDED = EmbeddingOptions(backend="embedded", model=TESTED_MODEL)
RHINE = b"<html><head><title>Rhine</title></head><body><main><h1>Rhine</h1><p>The Rhine carries cold water.</p></main>"
ELBE = b"<html><head><title>Elbe</title></head><body><main><h1>Elbe</h1><p>The Elbe carries warm water.</p></main>"


@pytest.fixture
def ollama() -> Iterator[EmbeddingServer]:
    with EmbeddingServer({"nomic-embed-text": 768}) as server:
        yield server


def test_auto_takes_the_embedded_model_where_no_ollama_answers(database: Database) -> None:
    space = settle_space(database, EmbeddingOptions(base_url=NOWHERE), TARGETS).space
    assert (space.model.backend, space.model.dimensions, space.storage) == ("embedded", 384, "vector")


def test_auto_takes_ollama_when_it_answers_and_stays_with_it_when_it_is_gone(
    database: Database, ollama: EmbeddingServer
) -> None:
    first = settle_space(database, EmbeddingOptions(base_url=ollama.url), TARGETS)
    assert (first.space.model.backend, first.space.model.model) == ("ollama", "nomic-embed-text")
    assert first.space.model.document_prefix == "search_document: "
    assert settle_space(database, EmbeddingOptions(base_url=NOWHERE), TARGETS) == first


def test_settings_that_name_another_model_are_refused_with_the_way_back(database: Database) -> None:
    settle_space(database, EMBEDDED, TARGETS)
    other = EmbeddingOptions(backend="openai", api_key=SecretStr("k"))
    with pytest.raises(ConfigurationError, match="embedded") as caught:
        settle_space(database, other, TARGETS)
    assert "EMBEDDING_BACKEND" in caught.value.message + caught.value.hint


def test_other_chunk_sizes_are_refused_never_mixed(database: Database) -> None:
    settle_space(database, EMBEDDED, TARGETS)
    with pytest.raises(ConfigurationError, match="chunk settings") as caught:
        settle_space(database, EMBEDDED, ChunkTargets(child_tokens=128))
    assert "CHUNK_CHILD_TOKENS" in caught.value.hint


def test_chunks_larger_than_the_model_reads_are_refused(database: Database) -> None:
    with pytest.raises(ConfigurationError, match="CHUNK_CHILD_TOKENS is 500"):
        settle_space(database, EMBEDDED, ChunkTargets(child_tokens=500))


def test_two_processes_choosing_at_once_agree(database: Database) -> None:
    chosen: list[object] = []
    threads = [
        Thread(target=lambda: chosen.append(settle_space(database, EMBEDDED, TARGETS))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(chosen) == 4
    assert all(space == chosen[0] for space in chosen)


def test_a_model_of_many_dimensions_is_stored_in_half_precision(database: Database) -> None:
    large = EmbeddingOptions(backend="openai", model="text-embedding-3-large", api_key=SecretStr("k"))
    stored = settle_space(database, large, TARGETS)
    with database.connection() as conn:
        kind = conn.execute(
            "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = %s::regclass"
            " AND attname = 'embedding'",
            [stored.table],
        ).fetchone()
        assert active_space(conn) == stored
    assert kind == ("halfvec(3072)",)


def test_the_index_of_vectors_is_built_wide_enough_to_reach_every_neighbourhood(database: Database) -> None:
    stored = settle_space(database, EMBEDDED, TARGETS)
    with database.connection() as conn:
        built = conn.execute(
            "SELECT reloptions FROM pg_class WHERE relname = %s", [index_name(stored)]
        ).fetchone()
    assert built == ([f"ef_construction={EF_CONSTRUCTION}"],)
    assert EF_CONSTRUCTION > 64  # what pgvector takes by itself


def test_vectors_too_long_for_any_index_are_refused(database: Database) -> None:
    huge = EmbeddingOptions(
        backend="openai", model="huge", dimensions=5000, tokenizer="cl100k_base", api_key=SecretStr("k")
    )
    with pytest.raises(ConfigurationError, match="5000 dimensions"):
        settle_space(database, huge, TARGETS)


@pytest.mark.parametrize(
    ("backend", "model", "size"), [("openai", "text-embedding-3-large", 3072), ("ollama", None, 768)]
)
def test_documents_are_indexed_and_found_through_a_server(
    database: Database, backend: str, model: str | None, size: int
) -> None:
    with EmbeddingServer({model or "nomic-embed-text": size}) as server:
        key = SecretStr("secret") if backend == "openai" else None
        options = EmbeddingOptions(backend=backend, base_url=server.url, model=model, api_key=key)  # type: ignore[arg-type]
        stored = settle_space(database, options, TARGETS)
        tokenizer = open_tokenizer(stored.space.model.tokenizer)
        embedder = open_embedder(stored.space.model, options)
        chunking = chunking_options(TARGETS, stored.space.model, tokenizer)
        indexer = Indexer(database, stored, embedder, tokenizer, chunking)
        add_page(database, indexer, "https://example.org/rhine", RHINE)
        add_page(database, indexer, "https://example.org/elbe", ELBE)
        with database.connection() as conn:
            result = retrieve(conn, "Rhine cold water", embedder=embedder, tokenizer=tokenizer, mode="chunk")
        embedder.close()
    assert len(result.query_embedding) == size
    assert result.degraded is None
    assert {chunk.title for chunk in result.chunks} <= {"Rhine", "Elbe"}
    assert result.chunks
    with database.connection() as conn:
        assert [finding for finding in run_checks(conn) if not finding.ok] == []


def test_with_the_model_gone_words_still_answer(database: Database) -> None:
    with EmbeddingServer({"nomic-embed-text": 768}) as server:
        options = EmbeddingOptions(base_url=server.url)
        stored = settle_space(database, options, TARGETS)
        tokenizer = open_tokenizer(stored.space.model.tokenizer)
        embedder = open_embedder(stored.space.model, options)
        indexer = Indexer(
            database, stored, embedder, tokenizer, chunking_options(TARGETS, stored.space.model, tokenizer)
        )
        add_page(database, indexer, "https://example.org/rhine", RHINE)
    with database.connection() as conn:
        result = retrieve(conn, "cold water", embedder=embedder, tokenizer=tokenizer, mode="chunk")
    embedder.close()
    assert result.query_embedding == []
    assert result.degraded
    assert [chunk.title for chunk in result.chunks] == ["Rhine"]
