"""A move beside others: it begins although deleted rows are being removed, and stops building when it is told to."""

from dataclasses import replace
from threading import Event, Thread

import pytest

from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import OTHER_MODEL, RIVERS, MovingLibrary, ask_for, assert_moved
from webrag_desktop.errors import DatabaseConflictError
from webrag_desktop.maintenance import move_control, space_move
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spaces import space_moves

VACUUMING = "LOCK TABLE chunks IN SHARE UPDATE EXCLUSIVE MODE"  # as a VACUUM does


@pytest.fixture
def library(moving_library: MovingLibrary) -> MovingLibrary:
    return moving_library


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space_moves, "LOCK_MILLISECONDS", 50)
    monkeypatch.setattr(move_control, "BEGINNING", replace(move_control.BEGINNING, first_wait=0.0))


@pytest.mark.usefixtures("_quick")
def test_a_move_does_not_wait_without_bound_behind_a_vacuum(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    with library.database.dedicated() as vacuum:
        vacuum.execute("BEGIN")
        vacuum.execute(VACUUMING)
        with pytest.raises(DatabaseConflictError, match="being removed from the library"):
            wanted.moving.begin()
        assert library.count("SELECT count(*) FROM embedding_spaces") == 1
        assert library.count("SELECT count(*) FROM space_moves") == 0
        vacuum.execute("COMMIT")
    assert wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)


@pytest.mark.usefixtures("_quick")
def test_a_move_begins_once_the_vacuum_has_ended(
    library: MovingLibrary, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    with library.database.dedicated() as vacuum:
        vacuum.execute("BEGIN")
        vacuum.execute(VACUUMING)
        pauses: list[float] = []

        def pause(seconds: float, _cancel: CancelToken) -> None:
            pauses.append(seconds)
            if len(pauses) == 2:
                vacuum.execute("COMMIT")

        monkeypatch.setattr(move_control, "BEGINNING", replace(move_control.BEGINNING, wait=pause))
        assert wanted.moving.begin()
    assert len(pauses) == 2


@pytest.mark.parametrize("wish", ["pause", "cancel"])
def test_a_build_that_gives_way_to_nobody_ends_when_its_move_does(
    library: MovingLibrary, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, wish: str
) -> None:
    begun, heard = Event(), list[bool]()

    def build(_database: Database, _space: StoredSpace, token: CancelToken) -> bool:
        stopped = Event()
        with token.calling(stopped.set):
            heard.append(token.cancelled)
            begun.set()
            heard.append(stopped.wait(60))
        return False

    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    wanted.step(len(RIVERS))
    monkeypatch.setattr(space_move, "BUILDS_THAT_GIVE_WAY", 0)
    monkeypatch.setattr("webrag_desktop.storage.spaces.space_index.build", build)
    spaces = wanted.spaces
    mover = space_move.SpaceMover(wanted.database, spaces.indexer_of)
    given_way = CancelToken()
    given_way.cancel()  # somebody has work for the worker, which waits for this build
    building = Thread(target=mover.step, args=(given_way, CancelToken()))
    building.start()
    assert begun.wait(60)
    getattr(wanted.moving, wish)()
    building.join()
    spaces.close()
    assert heard == [False, True]
