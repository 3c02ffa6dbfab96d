"""A new library whose embedding server is away: what is given first is kept, found by its words, and waits."""

from typing import cast
from uuid import UUID

import pytest
from pydantic import SecretStr

from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import OLD_CHUNKS, MovingLibrary
from tests.support.queue_work import assert_sound
from webrag_desktop.embedding.options import Backend, EmbeddingOptions
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models.sources import SourceRow
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import queue_control
from webrag_desktop.storage.spaces.space_tables import active_space

NOWHERE = "http://127.0.0.1:9"  # the discard port: nobody answers there
NOMIC = "nomic-embed-text"


def asking_for(backend: str, model: str | None, url: str) -> EmbeddingOptions:
    return EmbeddingOptions(
        backend=cast("Backend", backend), model=model, base_url=url, api_key=SecretStr("k"), timeout=5
    )


def the_row(library: MovingLibrary, source_id: UUID) -> SourceRow:
    with library.database.connection() as conn:
        found = sources.get_source(conn, source_id)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("backend", "model"), [("auto", NOMIC), ("ollama", None), ("openai", "text-embedding-3-small")]
)
def test_the_first_document_waits_for_the_model_and_its_vectors_follow(
    database: Database, monkeypatch: pytest.MonkeyPatch, backend: str, model: str | None
) -> None:
    monkeypatch.setattr("webrag_desktop.storage.queue.jobs.MODEL_PATIENCE_SECONDS", 20.0)
    library = MovingLibrary(database, asking_for(backend, model, NOWHERE), OLD_CHUNKS)
    first = library.add("Rhine")
    assert library.work() == 0
    waiting = the_row(library, first)
    assert (waiting.state, waiting.waits_for, waiting.searchable) == ("queued", "model", True)
    assert "No embedding server answers" in (waiting.state_reason or "")
    assert "It is tried again automatically." in (waiting.state_hint or "")
    by_words = library.search("Rhine")
    assert by_words.degraded is not None
    assert by_words.chunks[0].title == "Rhine"
    assert_sound(database)

    with EmbeddingServer({NOMIC: 768, "text-embedding-3-small": 1536}) as server:
        library.options = asking_for(backend, model, server.url)
        with database.connection() as conn:
            assert queue_control.requeue(conn, [first]) == [first]
        assert library.work() == 1
        assert the_row(library, first).state == "ready"
        assert library.search("Rhine").degraded is None
    assert_sound(database)


def test_settings_that_cannot_be_met_stay_an_error_and_choose_no_space(database: Database) -> None:
    with EmbeddingServer({"llama3": 4096}) as server:
        library = MovingLibrary(database, asking_for("auto", NOMIC, server.url), OLD_CHUNKS)
        first = library.add("Rhine")
        with pytest.raises(ConfigurationError, match=f"EMBEDDING_MODEL is {NOMIC}") as caught:
            library.work()
    assert f"ollama pull {NOMIC}" in caught.value.hint
    assert the_row(library, first).state == "queued"
    with database.connection() as conn:
        assert active_space(conn) is None
