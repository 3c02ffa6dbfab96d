"""What has no vectors in the space that a library leaves, and gets them in the one it goes to."""

from uuid import UUID

import pytest

from tests.support.embedding_server import EmbeddingServer, status
from tests.support.moving import (
    OTHER_BOTH,
    OTHER_CHUNKS,
    OTHER_MODEL,
    MovingLibrary,
    ask_for,
    assert_moved,
    refusing,
)
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import queue_control


@pytest.fixture
def library(moving_library: MovingLibrary) -> MovingLibrary:
    return moving_library


@pytest.mark.parametrize("what", [OTHER_MODEL, OTHER_CHUNKS, OTHER_BOTH])
def test_what_failed_for_want_of_vectors_is_ready_once_the_library_is_where_it_has_them(
    library: MovingLibrary, models: EmbeddingServer, what: str
) -> None:
    accepts = refusing(models, "granite")
    without = library.add("Neva", "The river carries granite.")
    older = library.add("Volga")
    library.work()
    library.change(older, "Volga", "The river carries granite, too.")
    library.work()
    assert states(library, without, older) == ["failed", "failed"]
    accepts.set()
    wanted = ask_for(library, models, what)
    wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)
    assert states(library, without, older) == ["ready", "failed"]  # the changed text is nowhere yet
    assert wanted.search("granite").chunks[0].title == "Neva"


def test_what_was_stopped_for_want_of_vectors_is_ready_once_the_library_is_where_it_has_them(
    library: MovingLibrary, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webrag_desktop.storage.queue.jobs.MODEL_PATIENCE_SECONDS", 0.0)
    stopped = library.add("Neva", "The river carries granite.")
    unread = library.add("Volga", page="<html></html>")
    models.misbehave(status(503), times=50)
    library.work()
    with library.database.connection() as conn:
        assert set(queue_control.cancel(conn, [stopped])) == {stopped}
    assert states(library, stopped, unread) == ["cancelled", "failed"]
    models._faults.clear()
    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)
    assert states(library, stopped, unread) == ["ready", "failed"]  # of the other there is no text
    assert wanted.search("granite").chunks[0].title == "Neva"


def states(library: MovingLibrary, *source_ids: UUID) -> list[str]:
    with library.database.connection() as conn:
        rows = sources.get_sources(conn, list(source_ids))
    return [rows[source_id].state for source_id in source_ids]
