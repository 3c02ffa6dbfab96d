"""A library and the forms of the embedded model."""

from pathlib import Path

import pytest

from tests.support.moving import RIVERS, MovingLibrary, assert_moved
from webrag_desktop.config import Settings
from webrag_desktop.embedding.catalog import GRANITE_FUSED, MINILM_FUSED, MINILM_SHIPPED
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.indexing.corpus_space import settle_space
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.library.moves import move_cost
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.progress import CancelToken
from webrag_desktop.storage.database import Database


@pytest.mark.parametrize("form", [MINILM_FUSED, MINILM_SHIPPED, GRANITE_FUSED], ids=lambda form: form.model)
def test_a_library_keeps_the_space_of_the_form_it_was_made_in(
    database: Database, form: EmbeddingModel
) -> None:
    made = settle_space(database, EmbeddingOptions(backend="embedded", model=form.model), ChunkTargets())
    for options in (EmbeddingOptions(), EmbeddingOptions(backend="embedded")):
        assert settle_space(database, options, ChunkTargets()) == made
    assert made.space.model == form


@pytest.mark.parametrize(
    ("here", "there"), [(MINILM_FUSED, GRANITE_FUSED), (GRANITE_FUSED, MINILM_FUSED)], ids=["there", "back"]
)
def test_a_library_moves_between_the_embedded_models(
    database: Database, tmp_path: Path, here: EmbeddingModel, there: EmbeddingModel
) -> None:
    library = MovingLibrary(database, embedded(here), ChunkTargets())
    for river in RIVERS[:3]:
        library.add(river)
    library.work()
    vector = library.search("cold water of the Rhine").query_embedding
    wanted = MovingLibrary(database, embedded(there), ChunkTargets())
    with pytest.raises(ConfigurationError, match="EMBEDDING_MODEL") as caught:
        wanted.spaces.settle()
    assert "`webrag space move`" in caught.value.hint
    settings = Settings.of(
        WEBRAG_HOME=str(tmp_path), EMBEDDING_BACKEND="embedded", EMBEDDING_MODEL=there.model
    )
    cost = move_cost(wanted.moving, settings, CancelToken())
    assert cost is not None
    assert (cost.present, cost.wanted, cost.problem) == (here.model, there.model, "")
    assert abs(cost.chunks - library.count("SELECT child_chunks FROM corpus")) <= 1  # of one word or another
    assert cost.rate
    assert wanted.moving.begin()
    wanted.work()
    assert_moved(wanted)
    space = wanted.spaces.settle().space
    assert (space.model, space.chunking_id.rsplit("/", 1)[-1]) == (there, there.tokenizer)
    found = wanted.search("cold water of the Rhine")
    assert found.degraded is None
    assert found.chunks[0].title == "Rhine"
    assert (len(found.query_embedding), found.query_embedding == vector) == (384, False)


def test_the_cost_of_a_move_counts_tokens_as_the_other_model_does(database: Database, tmp_path: Path) -> None:
    library = MovingLibrary(database, embedded(MINILM_FUSED), ChunkTargets())
    lines = "\n\n".join(f"Ärger über größere Bäume {n} für Möwen." * 40 for n in range(40))
    library.add("Gulls", lines)
    library.work()
    settings = Settings.of(
        WEBRAG_HOME=str(tmp_path), EMBEDDING_BACKEND="embedded", EMBEDDING_MODEL=GRANITE_FUSED.model
    )
    wanted = MovingLibrary(database, embedded(GRANITE_FUSED), ChunkTargets())
    cost = move_cost(wanted.moving, settings, CancelToken())
    before = library.count("SELECT child_chunks FROM corpus")
    assert wanted.moving.begin()
    wanted.work()
    after = wanted.count("SELECT child_chunks FROM corpus")
    assert cost is not None
    assert abs(cost.chunks - after) < 0.15 * after < abs(before - after)


def embedded(form: EmbeddingModel) -> EmbeddingOptions:
    return EmbeddingOptions(backend="embedded", model=form.model)
