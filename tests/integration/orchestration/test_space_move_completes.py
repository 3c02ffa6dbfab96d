"""What has no vectors in the space that a library leaves, and gets them in the one it goes to."""

from uuid import UUID

import pytest

from tests.support.embedding_server import EmbeddingServer
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


def states(library: MovingLibrary, *source_ids: UUID) -> list[str]:
    with library.database.connection() as conn:
        rows = sources.get_sources(conn, list(source_ids))
    return [rows[source_id].state for source_id in source_ids]
