"""A library and the forms of the embedded model."""

import pytest

from webrag_desktop.embedding.catalog import EMBEDDED_MODEL, SHIPPED_FORM
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.indexing.corpus_space import settle_space
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.models.spaces import EmbeddingModel
from webrag_desktop.storage.database import Database


@pytest.mark.parametrize("form", [EMBEDDED_MODEL, SHIPPED_FORM], ids=["fused", "shipped"])
def test_a_library_keeps_the_space_of_the_form_it_was_made_in(
    database: Database, form: EmbeddingModel
) -> None:
    made = settle_space(database, EmbeddingOptions(backend="embedded", model=form.model), ChunkTargets())
    for options in (EmbeddingOptions(), EmbeddingOptions(backend="embedded")):
        assert settle_space(database, options, ChunkTargets()) == made
    assert made.space.model == form
