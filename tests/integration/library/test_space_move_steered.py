"""A move is paused, resumed and cancelled, gives way to the user's work, and waits for what it needs."""

from threading import Thread

import pytest

from tests.support.embedding_server import EmbeddingServer, Json, Reply, status
from tests.support.moving import (
    OLD_CHUNKS,
    OTHER_BOTH,
    OTHER_CHUNKS,
    OTHER_MODEL,
    RIVERS,
    MovingLibrary,
    ask_for,
    assert_moved,
    embedding,
    library_chunks,
    of_length,
    refusing,
    shape,
    tables,
)
from tests.support.queue_work import assert_sound
from webrag_desktop.errors import ConfigurationError, InputError
from webrag_desktop.indexing import chunking
from webrag_desktop.jobs.worker_process import WorkerProcess, WorkerSupervisor, work_waits
from webrag_desktop.library.moves import MoveWatch
from webrag_desktop.maintenance.space_move import SpaceMover
from webrag_desktop.models.queue import TopicChanged
from webrag_desktop.models.spaces import SpaceMove
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage import events
from webrag_desktop.storage.database import Connection, Database
from webrag_desktop.storage.spaces import space_index, space_moves


@pytest.fixture
def library(moving_library: MovingLibrary) -> MovingLibrary:
    return moving_library


def test_paused_it_rests_over_restarts_and_goes_on_where_it_was(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_BOTH)
    wanted.moving.begin()
    wanted.step(2)
    sent = len(models.embedded_texts)
    assert wanted.moving.pause()
    assert not wanted.moving.pause()
    added = wanted.add("Mosel", "Vineyards stand above the bends of this water.")
    wanted.work()  # jobs are done all the same
    move, progress = wanted.moving.progress()
    assert move is not None
    assert progress is not None
    assert (move.state, progress.documents_done, progress.documents) == ("paused", 2, len(RIVERS) + 1)
    assert wanted.search("vineyards").chunks[0].document_id == added
    assert wanted.moving.resume()
    wanted.work()
    assert_moved(wanted)
    assert len(models.embedded_texts) > sent
    assert len(of_length(models, 64)) == len(set(of_length(models, 64)))


def test_cancelled_it_leaves_nothing_of_the_new_space(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_BOTH)
    before = library_chunks(library)
    wanted.moving.begin()
    wanted.step(3)
    assert wanted.moving.cancel()
    assert not wanted.moving.cancel()
    assert_sound(library.database)
    library.work()
    assert tables(library) == 1
    assert library.count("SELECT count(DISTINCT chunking_id) FROM chunks") == 1
    assert library_chunks(library) == before
    move, _progress = library.moving.progress()
    assert move is not None
    assert (move.state, move.target) == ("cancelled", None)
    assert move.tidied_at is not None
    assert_sound(library.database)


def test_a_cancelled_move_that_is_begun_again_takes_up_what_was_not_dropped_yet(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_BOTH)
    wanted.moving.begin()
    wanted.step(3)
    wanted.moving.cancel()
    wanted.moving.begin()
    _move, progress = wanted.moving.progress()
    assert progress is not None
    assert progress.documents_done == 3
    wanted.work()
    assert_moved(wanted)


def test_one_move_at_a_time(library: MovingLibrary, models: EmbeddingServer) -> None:
    wanted = ask_for(library, models, OTHER_BOTH)
    assert wanted.moving.begin()
    assert wanted.moving.begin()  # the same one
    assert library.count("SELECT count(*) FROM space_moves") == 1
    with pytest.raises(InputError, match="being moved") as caught:
        ask_for(library, models, OTHER_CHUNKS).moving.begin()
    assert "`webrag space cancel`" in caught.value.hint
    assert not library.moving.begin()  # it is there
    assert_sound(library.database)


def test_a_model_that_is_down_makes_the_move_wait_and_say_why(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    models.misbehave(status(401), times=3)
    assert wanted.step(2) == [True, False]
    move, _progress = wanted.moving.progress()
    assert move is not None
    assert (move.state, move.failures) == ("waiting", 1)
    assert "API key" in (move.problem or "")
    assert move.hint
    first_wait = move.waits_until
    library.run("UPDATE space_moves SET not_before = now()")
    wanted.step()
    move, _progress = wanted.moving.progress()
    assert move is not None
    assert first_wait is not None
    assert move.waits_until is not None
    assert move.failures == 2
    assert (move.waits_until - first_wait).total_seconds() > 0
    library.run("UPDATE space_moves SET not_before = now(), failures = 5000")  # after some weeks
    assert wanted.step() == [True]
    assert library.search("cold water").degraded is None  # in the old space
    assert wanted.moving.resume()  # at once
    wanted.work()
    assert_moved(wanted)
    move, _progress = wanted.moving.progress()
    assert move is not None
    assert (move.problem, move.failures) == (None, 0)


def test_a_document_that_cannot_be_embedded_keeps_the_library_where_it_is_and_the_others_go_on(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    with library.database.connection() as conn:
        first = conn.execute("SELECT title FROM documents ORDER BY id LIMIT 1").fetchone()
    assert first is not None
    refuse = refusing(models, first[0])
    wanted.moving.begin()
    wanted.step(2 * len(RIVERS), impatient=True)
    move, progress = wanted.moving.progress()
    assert move is not None
    assert progress is not None
    assert (progress.documents_done, progress.documents) == (len(RIVERS) - 1, len(RIVERS))
    assert shape(library)[0] == 48
    assert_sound(library.database)
    refuse.set()
    wanted.work()
    assert_moved(wanted)


def test_a_user_s_job_comes_before_the_move_and_interrupts_a_long_document(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    order: list[int] = []
    real = models._embeddings

    def answer(payload: Json) -> Reply:
        order.append(payload["dimensions"])
        if order == [64]:
            wanted.add("Mosel", "Vineyards stand above the bends of this water.")
        return real(payload)

    models._embeddings = answer  # type: ignore[method-assign]
    wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)
    assert 48 in order[1:4]  # soon after it was given, not after all the rest


def test_the_pause_of_all_indexing_pauses_the_move_too(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    library.run("UPDATE queue_control SET paused = true")
    assert wanted.step() == [False]
    wanted.work()
    assert shape(library)[0] == 48


def test_an_index_that_was_left_half_built_is_built_again(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    wanted.step(len(RIVERS) + 1)
    move, _progress = wanted.moving.progress()
    assert move is not None
    assert move.target is not None
    with library.database.connection() as conn:
        assert space_index.state(conn, move.target) == "ready"
        conn.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass",
            [f"{move.target.table}_hnsw_idx"],
        )
    with library.database.connection() as conn:
        assert space_index.state(conn, move.target) == "broken"
    wanted.work()
    assert_moved(wanted)


def test_texts_cut_by_an_earlier_program_are_searched_and_what_is_added_waits_for_the_move(
    database: Database, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = MovingLibrary(database, embedding(models, 48), OLD_CHUNKS)
    with monkeypatch.context() as earlier:
        earlier.setattr(chunking, "ALGORITHM", "headings-0")
        library.add("Rhine")
        library.work()
    found = library.search("cold water")
    assert [chunk.title for chunk in found.chunks] == ["Rhine"]
    assert found.degraded is None
    library.add("Mosel", "Vineyards stand above the bends of this water.")
    with pytest.raises(ConfigurationError, match="another version") as caught:
        library.work()
    assert "`webrag space move`" in caught.value.hint
    models.received.clear()
    assert library.moving.begin()
    assert library.work() == 1
    assert_moved(library)
    assert {library.search(question).chunks[0].title for question in ("vineyards bends", "cold sea")} == {
        "Rhine",
        "Mosel",
    }


def test_a_worker_is_wanted_while_there_is_something_to_do_about_a_move(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    def wanted_now() -> bool:
        with library.database.connection() as conn:
            return work_waits(conn)

    wanted = ask_for(library, models, OTHER_MODEL)
    assert not wanted_now()
    wanted.moving.begin()
    assert wanted_now()
    wanted.moving.pause()
    assert not wanted_now()
    wanted.moving.resume()
    library.run("UPDATE space_moves SET not_before = now() + interval '1 hour'")
    assert not wanted_now()  # whoever opens the library then goes on
    wanted.moving.resume()
    library.run("UPDATE queue_control SET paused = true")
    assert not wanted_now()
    library.run("UPDATE queue_control SET paused = false")
    wanted.moving.cancel()
    assert wanted_now()  # what was built is dropped
    wanted.work()
    assert not wanted_now()


def test_watchers_hear_of_a_move(library: MovingLibrary, models: EmbeddingServer) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    with events.listening(library.database) as (listener, _conn):
        wanted.moving.begin()
        assert listener.hear(10) == [TopicChanged("queue")]
        wanted.step()
        assert listener.hear(10) == [TopicChanged("space")]


def test_whoever_waits_for_a_move_sees_it_come_on_and_end(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    workers: list[Thread] = []

    def start_worker() -> WorkerProcess:
        workers.append(Thread(target=wanted.work))
        workers[-1].start()
        return _Running()  # type: ignore[return-value]

    watch = MoveWatch(wanted.moving, WorkerSupervisor(start_worker), CancelToken())
    seen = [progress.documents_done for _move, progress in watch.follow()]
    workers[0].join()
    assert (len(workers), seen[0], seen) == (1, 0, sorted(set(seen)))
    assert_moved(wanted)
    wanted.moving.begin()
    assert list(watch.follow()) == []  # there is none


class _Running:
    """A worker that is at it."""

    running = True


def test_waiting_for_a_move_ends_where_it_has_to_wait_itself(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    wanted.moving.pause()

    def no_worker() -> WorkerProcess:
        raise AssertionError("nothing to do for a worker")

    watch = MoveWatch(wanted.moving, WorkerSupervisor(no_worker), CancelToken())
    assert [move.state for move, _progress in watch.follow()] == ["paused"]


def test_an_index_that_is_still_built_for_a_worker_that_died_is_waited_for(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    wanted.step(len(RIVERS))
    move, _progress = wanted.moving.progress()
    assert move is not None
    target = move.target
    assert target is not None
    with library.database.dedicated() as reader, library.database.dedicated() as watcher:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM documents")
        assert wanted.step() == [False]  # it would wait for the reader, and the user's jobs for it
        orphan = Thread(target=space_index.build, args=(library.database, target, CancelToken()))
        orphan.start()
        while space_index.state(watcher, target) != "building":
            watcher.execute("SELECT pg_sleep(0.01)")
        assert wanted.step() == [False]
        reader.execute("COMMIT")
        orphan.join()
        assert space_index.state(watcher, target) == "ready"
    wanted.work()
    assert_moved(wanted)


def test_building_the_index_ends_when_it_is_asked_to_and_leaves_nothing(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    wanted.step(len(RIVERS))
    move, _progress = wanted.moving.progress()
    assert move is not None
    target, enough = move.target, CancelToken()
    assert target is not None
    built: list[bool] = []
    with library.database.dedicated() as reader, library.database.dedicated() as watcher:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM documents")
        builder = Thread(target=lambda: built.append(space_index.build(library.database, target, enough)))
        builder.start()
        while space_index.state(watcher, target) != "building":
            watcher.execute("SELECT pg_sleep(0.01)")
        enough.cancel()
        reader.execute("COMMIT")  # dropping what is half built waits for the reader, too
        builder.join()
        assert built == [False]
        assert space_index.state(watcher, target) == "absent"


@pytest.mark.parametrize("steer", ["pause", "cancel"])
def test_no_job_waits_for_a_move_that_is_stopped_at_the_same_moment(
    library: MovingLibrary, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, steer: str
) -> None:
    wanted = ask_for(library, models, OTHER_MODEL)
    wanted.moving.begin()
    wanted.run("UPDATE space_moves SET not_before = now() + interval '1 hour'")
    wanted.add("Neva")
    mover = SpaceMover(library.database, wanted.spaces.indexer_of)
    assert mover.takes_over(ConfigurationError("Nothing can be embedded in this space.", ""))
    assert mover.comes_first()
    look, looks = space_moves.open_move, []

    def stopped_after_the_second_look(conn: Connection) -> SpaceMove | None:
        move = look(conn)
        looks.append(move)
        if len(looks) == 2:
            assert getattr(wanted.moving, steer)()
        return move

    monkeypatch.setattr(space_moves, "open_move", stopped_after_the_second_look)
    mover.postpone_jobs()
    assert len(looks) == 2
    assert wanted.count("SELECT count(*) FROM jobs WHERE finished_at IS NULL AND not_before IS NULL") == 1
