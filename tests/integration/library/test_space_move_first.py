"""Where nothing can be embedded in the space in use, a requested move runs first, and what is queued waits for it."""

from dataclasses import replace
from threading import Thread

import pytest
from pydantic import SecretStr

from tests.support.embedding_server import EmbeddingServer, hashed_vector, status
from tests.support.moving import (
    NEW_CHUNKS,
    OLD_CHUNKS,
    RIVERS,
    MovingLibrary,
    assert_moved,
    embedding,
    of_length,
    refusing,
    shape,
)
from tests.support.queue_work import assert_sound
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.errors import ConfigurationError, DatabaseConflictError
from webrag_desktop.indexing import chunking
from webrag_desktop.jobs.postponement import awaited_after
from webrag_desktop.jobs.worker_process import work_waits
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.library import sources
from webrag_desktop.storage.queue import jobs, queue_control
from webrag_desktop.storage.spaces.space_tables import active_space

NOWHERE = "http://127.0.0.1:9"  # the discard port: nobody answers there
UNKNOWN = "a-model-of-my-own"
WRONG, RIGHT = "cl100k_base", "bert-base-uncased"


def described(
    url: str, *, model: str = UNKNOWN, tokenizer: str = RIGHT, dimensions: int = 64
) -> EmbeddingOptions:
    """Settings that describe a model which the program does not know."""
    return EmbeddingOptions(
        backend="openai",
        base_url=url,
        model=model,
        api_key=SecretStr("k"),
        dimensions=dimensions,
        tokenizer=tokenizer,
        max_tokens=512,
        timeout=5,
    )


def wait_no_more(library: MovingLibrary) -> None:
    library.run("UPDATE jobs SET not_before = NULL, waits_for = NULL")


def states(library: MovingLibrary) -> dict[str, int]:
    with library.database.connection() as conn:
        return dict(conn.execute("SELECT state, count(*) FROM sources GROUP BY state").fetchall())


@pytest.mark.parametrize(
    "wrong",
    [
        {"tokenizer": WRONG},
        {"model": "a-model-that-is-not-there"},
        {"dimensions": 48},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_new_library_settles_on_nothing_that_its_server_refutes(
    database: Database, wrong: dict[str, str]
) -> None:
    with EmbeddingServer({UNKNOWN: 64}, reducible=frozenset()) as server:
        library = MovingLibrary(database, described(server.url, **wrong), OLD_CHUNKS)  # type: ignore[arg-type]
        if "dimensions" in wrong:
            server.vector = lambda text, _dimensions: hashed_vector(text, 64)
        library.add("Rhine")
        with pytest.raises(ConfigurationError):
            library.work()
        with database.connection() as conn:
            assert active_space(conn) is None
        assert states(library) == {"queued": 1}
        library.options = described(server.url)
        assert library.work() == 1  # with nothing to move
    assert states(library) == {"ready": 1}
    assert_sound(database)


def test_a_tokenizer_found_wrong_later_is_left_by_a_move_while_everything_waits(database: Database) -> None:
    """The server was away when the library was made, so nobody could say that the tokenizer is not the model's."""
    with EmbeddingServer({UNKNOWN: 64}, reducible=frozenset({UNKNOWN})) as server:
        library = MovingLibrary(database, described(NOWHERE, tokenizer=WRONG), OLD_CHUNKS)
        library.add("Rhine")
        drained_while_away(library)
        library.options = described(server.url, tokenizer=WRONG)
        library.add("Elbe")
        wait_no_more(library)
        with pytest.raises(ConfigurationError, match="The tokenizer does not belong to a-model-of-my-own"):
            library.work()
        library.options = described(server.url)
        with pytest.raises(ConfigurationError) as reported:
            library.work()
        assert "`webrag space move`" in reported.value.hint
        assert library.moving.begin()
        assert library.work() == 2
        assert_moved(library)
        assert states(library) == {"ready": 2}
        assert library.search("Elbe").chunks[0].title == "Elbe"


def drained_while_away(library: MovingLibrary) -> None:
    """Be the worker without waiting for the server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webrag_desktop.storage.queue.jobs.MODEL_PATIENCE_SECONDS", 0.0)
        patch.setattr("webrag_desktop.storage.queue.jobs.PATIENCE_SECONDS", 0.0)
        assert library.work() == 0


@pytest.mark.parametrize("what", ["model", "dimensions", "address"])
def test_open_jobs_wait_for_a_move_out_of_a_space_that_cannot_be_used_any_more(
    moving_library: MovingLibrary, models: EmbeddingServer, what: str
) -> None:
    library = moving_library
    changed = library.add("Mosel", "The Mosel bends below vineyards.")
    library.work()
    library.add("Neva")
    library.change(changed, "Mosel", "The Mosel carries barges.")
    with EmbeddingServer({UNKNOWN: 64}, reducible=frozenset({UNKNOWN})) as other:
        if what == "model":  # the old one is not there any more, on the same server
            models.models = {"another": 96}
            models.reducible = frozenset({"another"})
            library.options = described(models.url, model="another", dimensions=96)
        elif what == "dimensions":  # the server gives vectors of one length by now, whatever it is asked for
            models.vector = lambda text, _dimensions: hashed_vector(text, 64)
            library.options = replace(library.options, dimensions=64)
        else:  # where the settings point to now nobody has the old model
            library.options = described(other.url)
        library.targets = NEW_CHUNKS if what == "model" else OLD_CHUNKS
        assert library.moving.begin()
        assert library.work() == 2
        assert_moved(library)
        assert states(library) == {"ready": len(RIVERS) + 2}
        assert shape(library)[0] == {"model": 96}.get(what, 64)
        assert library.search("barges").chunks[0].title == "Mosel"
        assert library.search("Neva").chunks[0].title == "Neva"


def test_what_was_put_off_since_the_old_server_is_gone_is_begun_after_the_swap(
    moving_library: MovingLibrary, models: EmbeddingServer
) -> None:
    library = moving_library
    library.add("Neva")
    models.misbehave(status(503), times=50)
    drained_while_away(library)
    assert library.count("SELECT count(*) FROM jobs WHERE waits_for = 'model' AND finished_at IS NULL") == 1
    library.run("UPDATE jobs SET not_before = now() + interval '1 day' WHERE finished_at IS NULL")
    models._faults.clear()
    library.options = replace(library.options, dimensions=64)
    assert library.moving.begin()
    assert library.work() == 1
    assert_moved(library)
    assert states(library) == {"ready": len(RIVERS) + 1}
    assert of_length(models, 64)


def test_a_paused_move_is_named_as_the_remedy_and_nothing_is_lost(
    moving_library: MovingLibrary, models: EmbeddingServer
) -> None:
    library = moving_library
    models.vector = lambda text, dimensions: list(reversed(hashed_vector(text, dimensions)))
    library.options = replace(library.options, dimensions=64)
    library.add("Neva")
    assert library.moving.begin()
    library.moving.pause()
    with pytest.raises(ConfigurationError, match="another model under the name") as reported:
        library.work()
    assert "`webrag space resume`" in reported.value.hint
    assert states(library) == {"ready": len(RIVERS), "queued": 1}
    library.moving.resume()
    assert library.work() == 1
    assert_moved(library)


def test_what_waits_for_a_move_that_fails_itself_says_so_and_is_begun_when_that_is_over(
    moving_library: MovingLibrary, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webrag_desktop.maintenance.space_move.FIRST_PAUSE_SECONDS", 2000.0)
    library = moving_library
    models.vector = lambda text, dimensions: list(reversed(hashed_vector(text, dimensions)))
    library.options = replace(library.options, dimensions=64)
    waiting = [library.add("Neva"), library.add("Volga")]
    assert library.moving.begin()
    accepts = refusing(models, "Rhine")
    assert library.work() == 0  # it leaves: nobody waits so long
    with library.database.connection() as conn:
        rows = sources.get_sources(conn, waiting)
        assert not queue_control.may_begin_soon(conn, waiting)
        assert not queue_control.work_waits(conn)
    for row in rows.values():
        assert (row.state, row.waits_for) == ("queued", "model")
        assert "Waits for the move" in (row.state_reason or "")
        assert "refused the texts" in (row.state_reason or "")
    accepts.set()
    library.moving.resume()
    assert library.work() == 2
    assert_moved(library)


@pytest.mark.parametrize("steer", ["pause", "cancel"])
def test_what_waited_for_a_move_is_begun_again_when_the_user_stops_that(
    moving_library: MovingLibrary, models: EmbeddingServer, steer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webrag_desktop.maintenance.space_move.FIRST_PAUSE_SECONDS", 2000.0)
    library = moving_library
    models.vector = lambda text, dimensions: list(reversed(hashed_vector(text, dimensions)))
    library.options = replace(library.options, dimensions=64)
    library.add("Neva")
    assert library.moving.begin()
    refusing(models, "Rhine")
    assert library.work() == 0
    assert getattr(library.moving, steer)()
    with library.database.connection() as conn:
        assert queue_control.work_waits(conn)
    assert states(library) == {"ready": len(RIVERS), "queued": 1}


def test_without_a_move_the_worker_ends_and_all_stay_queued(
    moving_library: MovingLibrary, models: EmbeddingServer
) -> None:
    library = moving_library
    library.add("Neva")
    models.vector = lambda text, dimensions: list(reversed(hashed_vector(text, dimensions)))
    with pytest.raises(ConfigurationError, match="another model under the name"):
        library.work()
    assert states(library) == {"ready": len(RIVERS), "queued": 1}


@pytest.fixture
def outdated(database: Database, models: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> MovingLibrary:
    """A library cut by rules of before; its move to the present ones waits for an hour."""
    library = MovingLibrary(database, embedding(models, 48), OLD_CHUNKS)
    with monkeypatch.context() as earlier:
        earlier.setattr(chunking, "ALGORITHM", "headings-0")
        library.add("Rhine")
        library.work()
    library.moving.begin()
    library.run("UPDATE space_moves SET not_before = now() + interval '1 hour'")
    assert library.work() == 0  # nothing is left to do
    library.add("Mosel")
    return library


def test_what_must_wait_for_a_move_waits_as_long_and_wants_no_worker_meanwhile(
    outdated: MovingLibrary,
) -> None:
    assert outdated.work() == 0
    with outdated.database.connection() as conn:
        assert not work_waits(conn)
    assert outdated.count("SELECT count(*) FROM jobs WHERE not_before > now() + interval '50 minutes'") == 1
    outdated.moving.resume()
    assert outdated.work() == 1
    assert_moved(outdated)


def test_a_page_whose_site_may_be_asked_again_waits_for_the_move_too(outdated: MovingLibrary) -> None:
    """Else whoever follows it waits for ever, and the worker stays, though nothing can be done."""
    outdated.run(
        "UPDATE jobs SET waits_for = 'site', not_before = now() - interval '1 minute' WHERE finished_at IS NULL"
    )
    worker = Thread(target=outdated.work)
    worker.start()
    worker.join(30)
    stays = worker.is_alive()
    outdated.run("UPDATE jobs SET waits_for = NULL, not_before = NULL" if stays else "SELECT 1")
    worker.join()
    assert not stays
    with outdated.database.connection() as conn:
        assert not queue_control.may_begin_soon(conn, jobs.open_sources(conn))


def test_waiting_for_a_move_again_and_again_uses_up_no_patience_with_anything_else(
    outdated: MovingLibrary,
) -> None:
    for hours in range(1, 9):
        outdated.run(f"UPDATE space_moves SET not_before = now() + interval '{hours} hours'")
        assert outdated.work() == 0
    assert outdated.count("SELECT count(*) FROM jobs WHERE not_before > now() + interval '7 hours'") == 1
    outdated.run("UPDATE jobs SET waits_for = NULL, not_before = NULL")
    with outdated.database.connection() as conn:
        job = jobs.claim(conn)
    assert job is not None
    assert awaited_after(DatabaseConflictError("Somebody else changes it.", ""), job.conflicts) == "database"


def test_the_worker_stays_with_a_move_that_waits_where_a_page_waits_for_its_site(
    outdated: MovingLibrary,
) -> None:
    """Else one would be started again and again for the sake of the page."""
    outdated.run(
        "UPDATE jobs SET waits_for = 'site', not_before = now() + interval '5 minutes' WHERE finished_at IS NULL"
    )
    worker = Thread(target=outdated.work)
    worker.start()
    worker.join(1)
    assert worker.is_alive()
    outdated.run("UPDATE jobs SET waits_for = NULL, not_before = NULL")
    outdated.moving.resume()
    worker.join(60)
    assert not worker.is_alive()
    assert_moved(outdated)
