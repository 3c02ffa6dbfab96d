"""A move gives vectors to what the old model could not embed, and no more than that."""

import pytest

from tests.support.embedding_server import EmbeddingServer, Json, Reply, json_reply
from tests.support.moving import OTHER_BOTH, OTHER_MODEL, MovingLibrary, ask_for, assert_moved
from webrag_desktop.storage.library import sources


@pytest.fixture
def library(moving_library: MovingLibrary) -> MovingLibrary:
    return moving_library


@pytest.mark.parametrize("what", [OTHER_MODEL, OTHER_BOTH])
def test_what_failed_for_want_of_vectors_is_ready_afterwards_and_what_failed_otherwise_is_not(
    library: MovingLibrary, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    real = models._embeddings

    def refuse(payload: Json) -> Reply:
        if any("Mosel" in text for text in payload["input"]):
            return json_reply({"error": {"message": "no", "type": "invalid_request_error"}}, status=400)
        return real(payload)

    with monkeypatch.context() as old_model:
        old_model.setattr(models, "_embeddings", refuse)
        refused = library.add("Mosel", "The Mosel bends below vineyards.")
        changed = library.add("Neckar", "The Neckar flows past castles.")
        empty = library.add("Nothing", page="<html><body></body></html>")
        library.work()
        library.change(changed, "Neckar", "The Neckar meets the Mosel nowhere.")
        library.work()

    def states() -> list[str]:
        with library.database.connection() as conn:
            found = sources.get_sources(conn, [refused, changed, empty])
        return [found[id_].state for id_ in (refused, changed, empty)]

    assert states() == ["failed", "failed", "failed"]
    wanted = ask_for(library, models, what)
    wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)
    assert states() == ["ready", "failed", "failed"]
