"""A server that runs another model under the same name is not trusted with the library's space."""

import pytest

from tests.support.embedding_server import EmbeddingServer, hashed_vector
from tests.support.moving import (
    NEW_CHUNKS,
    OTHER_CHUNKS,
    MovingLibrary,
    ask_for,
    assert_moved,
    embedding,
)
from webrag_desktop.errors import ConfigurationError


@pytest.fixture
def library(moving_library: MovingLibrary) -> MovingLibrary:
    return moving_library


def other_model(text: str, dimensions: int) -> list[float]:
    return list(reversed(hashed_vector(text, dimensions)))


def test_what_is_added_stays_queued_until_the_model_of_before_is_back(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    vectors = library.count("SELECT count(*) FROM corpus_chunks WHERE embedding IS NOT NULL")
    models.vector = other_model
    library.add("Mosel", "The Mosel bends below vineyards.")
    with pytest.raises(ConfigurationError, match="another model under the name"):
        library.work()
    assert library.count("SELECT count(*) FROM sources WHERE state = 'queued'") == 1
    assert library.count("SELECT count(*) FROM corpus_chunks WHERE embedding IS NOT NULL") == vectors
    models.vector = hashed_vector
    assert library.work() == 1
    assert library.count("SELECT count(*) FROM sources WHERE state <> 'ready'") == 0


def test_a_question_is_not_compared_with_the_vectors_of_another_model(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    question = "Where does the Rhine rise?"
    assert library.search(question).degraded is None
    models.vector = other_model
    found = library.search(question)
    assert "another model under the name" in (found.degraded or "")
    assert all(chunk.raw_similarity is None for chunk in found.chunks)
    models.vector = hashed_vector
    assert library.search(question).degraded is None


def test_a_space_of_the_same_model_with_other_chunks_takes_none_of_its_vectors(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    models.vector = other_model
    wanted = ask_for(library, models, OTHER_CHUNKS)
    wanted.moving.begin()
    wanted.step(1)
    move, _progress = wanted.moving.progress()
    assert move is not None
    assert "another model under the name" in (move.problem or "")
    assert library.count("SELECT count(*) FROM vector_cache") == 0
    models.vector = hashed_vector
    wanted.moving.resume()
    wanted.work()
    assert_moved(wanted)


def test_another_model_gets_a_space_and_a_memory_of_its_own(
    library: MovingLibrary, models: EmbeddingServer
) -> None:
    models.vector = other_model
    wanted = MovingLibrary(library.database, embedding(models, 64), NEW_CHUNKS)
    wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)
    wanted.add("Mosel", "The Mosel bends below vineyards.")
    assert wanted.work() == 1
