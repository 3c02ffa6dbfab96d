"""What moves leave behind is dropped, whatever begins and ends meanwhile."""

import pytest

from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import OTHER_CHUNKS, RIVERS, MovingLibrary, ask_for
from tests.support.queue_work import assert_sound
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.jobs.worker_process import work_waits
from webrag_desktop.maintenance import space_move
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.checks.declared import offenders_of
from webrag_desktop.storage.snapshot import snapshot
from webrag_desktop.storage.spaces.space_index import try_drop_spaces


@pytest.fixture
def library(moving_library: MovingLibrary) -> MovingLibrary:
    return moving_library


def test_what_a_move_leaves_that_began_and_ended_while_another_one_was_tidied_up_goes_too(
    library: MovingLibrary, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space_move, "TIDIED_AT_ONCE", 2)
    wanted = ask_for(library, models, OTHER_CHUNKS)
    wanted.moving.begin()
    spaces = wanted.spaces
    mover = space_move.SpaceMover(wanted.database, spaces.indexer_of)

    def steps(count: int) -> str:
        for _ in range(count):
            mover.step(CancelToken(), CancelToken())
        move, _progress = wanted.moving.progress()
        assert move is not None
        return move.state

    assert steps(len(RIVERS) + 2) == "tidying"
    assert steps(2) == "tidying"
    elsewhere = MovingLibrary(library.database, wanted.options, ChunkTargets(48, 150))
    elsewhere.moving.begin()
    assert steps(2) == "moving"
    assert library.count("SELECT count(DISTINCT chunking_id) FROM chunks") == 3
    elsewhere.moving.cancel()
    steps(2 + len(RIVERS))
    with library.database.connection() as conn:
        assert not work_waits(conn)
    assert library.count("SELECT count(DISTINCT chunking_id) FROM chunks") == 1
    assert_sound(library.database)
    spaces.close()


def test_what_is_dropped_while_doctor_looks_is_not_damage(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_CHUNKS)
    wanted.moving.begin()
    wanted.step()
    wanted.moving.cancel()
    with library.database.connection() as conn, snapshot(conn):
        conn.execute("SELECT FROM corpus")  # what is seen is settled with the first statement
        assert try_drop_spaces(library.database)
        assert library.count("SELECT count(*) FROM embedding_spaces") == 1
        assert offenders_of(conn, "spaces-accounted") == []
