"""A library that came here in a backup, of a server that the settings of this computer do not name."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pydantic import SecretStr

from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import OLD_CHUNKS, RIVERS, MovingLibrary
from webrag_desktop.embedding import options as embedding_options
from webrag_desktop.embedding.client import ServerNotSetError
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.server_check import check_backend
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spaces.space_tables import active_space

MODEL = "text-embedding-3-small"
THEIRS = EmbeddingOptions(backend="openai", model=MODEL, api_key=SecretStr("sk-theirs"))
OURS = EmbeddingOptions(api_key=SecretStr("sk-ours"))  # a key that happens to be set, and nothing else
QUESTION = "Where does the Rhine rise?"


@pytest.fixture
def openai(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """What would be contacted where nobody names a server."""
    with EmbeddingServer({MODEL: 1536}) as running:
        monkeypatch.setitem(embedding_options.DEFAULT_ADDRESSES, "openai", running.url)
        yield running


@pytest.fixture
def restored(database: Database, openai: EmbeddingServer) -> MovingLibrary:
    """The library of somebody else, under our settings."""
    made = MovingLibrary(database, THEIRS, OLD_CHUNKS)
    for river in RIVERS:
        made.add(river)
    assert made.work() == len(RIVERS)
    assert made.search(QUESTION).degraded is None
    openai.received.clear()
    return replace(made, options=OURS)


def test_words_answer_and_neither_texts_nor_the_key_go_anywhere(
    restored: MovingLibrary, openai: EmbeddingServer
) -> None:
    found = restored.search(QUESTION)
    assert found.chunks[0].title == "Rhine"
    reported = found.degraded or ""
    assert "searched by its words only" in reported
    assert "the settings of this computer name none" in reported
    for remedy in ("EMBEDDING_BASE_URL", "EMBEDDING_BACKEND=openai", "webrag space move --reembed"):
        assert remedy in reported
    assert openai.received == []


def test_it_is_searched_by_meaning_once_the_user_names_the_server(
    restored: MovingLibrary, openai: EmbeddingServer
) -> None:
    for named in (replace(OURS, base_url=openai.url), replace(OURS, backend="openai")):
        openai.received.clear()
        assert replace(restored, options=named).search(QUESTION).degraded is None
        assert {request.headers["authorization"] for request in openai.received} == {"Bearer sk-ours"}


def test_nor_is_what_is_added_sent_anywhere_and_it_stays_queued(
    restored: MovingLibrary, openai: EmbeddingServer
) -> None:
    restored.add("Mosel", "The Mosel bends below vineyards.")
    with pytest.raises(ServerNotSetError):
        restored.work()
    assert restored.count("SELECT count(*) FROM sources WHERE state = 'queued'") == 1
    assert openai.received == []


def test_status_and_space_tell_what_to_set(restored: MovingLibrary, openai: EmbeddingServer) -> None:
    with restored.database.connection() as conn:
        stored = active_space(conn)
    assert stored is not None
    found = check_backend(stored.space.model, OURS)
    assert not found.ok
    looked = restored.moving.look()
    assert looked.matches
    assert looked.problem is not None
    for reported in (found.remedy, looked.problem.hint):
        assert "EMBEDDING_BASE_URL" in (reported or "")
    assert openai.received == []


def test_a_move_away_from_it_is_offered_all_the_same(restored: MovingLibrary) -> None:
    leaving = replace(restored, options=EmbeddingOptions(backend="embedded"))
    looked = leaving.moving.look()
    assert (looked.matches, looked.problem) == (False, None)
    assert looked.wanted is not None


def test_without_the_key_that_openai_needs_words_answer_too(
    restored: MovingLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(embedding_options.DEFAULT_ADDRESSES, "openai", "https://api.openai.com")
    keyless = replace(restored, options=EmbeddingOptions(backend="openai", model=MODEL))
    found = keyless.search("Rhine")
    assert found.chunks[0].title == "Rhine"
    assert "EMBEDDING_API_KEY" in (found.degraded or "")
