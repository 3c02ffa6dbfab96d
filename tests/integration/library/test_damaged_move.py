"""What is noted of a move is damaged: whoever needs it is shown the way out, and that way leads out."""

import pytest

from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import OTHER_MODEL, RIVERS, MovingLibrary, ask_for, assert_moved
from tests.support.queue_work import assert_sound
from webrag_desktop.errors import ConfigurationError, DatabaseError

DAMAGE = {
    "where to": "UPDATE space_moves SET definition = '{}'",
    "where from": "UPDATE space_moves SET origin = jsonb_set(origin, '{model,dimensions}', '\"many\"')",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_it_is_reported_with_its_remedy_which_ends_the_move(
    moving_library: MovingLibrary, models: EmbeddingServer, damage: str
) -> None:
    wanted = ask_for(moving_library, models, OTHER_MODEL)
    assert wanted.moving.begin()
    wanted.run(DAMAGE[damage])
    for use in (wanted.moving.look, wanted.moving.progress, wanted.moving.begin, wanted.work):
        with pytest.raises(
            ConfigurationError, match="its move to another embedding space is damaged"
        ) as reported:
            use()
        assert isinstance(reported.value, DatabaseError)
        assert "`webrag space cancel`" in reported.value.hint
    assert wanted.moving.cancel()
    move, _progress = wanted.moving.progress()
    assert move is not None
    assert (move.state, move.space.model.dimensions) == ("cancelled", 64)
    assert wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_note_of_a_move_that_is_over_is_put_right_too(
    moving_library: MovingLibrary, models: EmbeddingServer, damage: str
) -> None:
    wanted = ask_for(moving_library, models, OTHER_MODEL)
    wanted.moving.begin()
    wanted.work()
    wanted.run(DAMAGE[damage])
    with pytest.raises(ConfigurationError, match="is damaged"):
        wanted.moving.look()
    assert not wanted.moving.cancel()
    assert wanted.moving.look().matches
    wanted.add("Neva")
    assert wanted.work() == 1
    assert wanted.count("SELECT count(*) FROM documents") == len(RIVERS) + 1
    assert_sound(wanted.database)
