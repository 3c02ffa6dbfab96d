"""The space that settings ask for, and how its chunk sizes are known again."""

import pytest

from webrag_desktop.errors import ConfigurationError
from webrag_desktop.indexing.chunking import ChunkingOptions, chunking_id
from webrag_desktop.models import EmbeddingModel, EmbeddingSpace
from webrag_desktop.orchestration.corpus_space import chunking_of

MODEL = EmbeddingModel(backend="test", model="m", dimensions=3, tokenizer="words", max_tokens=512)


@pytest.mark.parametrize("tokenizer", ["bert-base-uncased", "file/3f2a-17", "a-b-c/1-2-3"])
def test_the_chunk_sizes_of_a_space_are_read_from_its_name(tokenizer: str) -> None:
    options = ChunkingOptions(window_tokens=478, child_tokens=128, parent_tokens=900)
    space = EmbeddingSpace(model=MODEL, chunking_id=chunking_id(options, tokenizer))
    assert chunking_of(space) == options


@pytest.mark.parametrize(
    "name", ["headings-0/256-1000-478/bert-base-uncased", "synthetic", "", "headings-1", "headings-1/a-b-c/x"]
)
def test_rules_that_this_program_does_not_have_are_refused_with_the_move_as_remedy(name: str) -> None:
    with pytest.raises(ConfigurationError, match="another version") as caught:
        chunking_of(EmbeddingSpace(model=MODEL, chunking_id=name))
    assert "`webrag space move`" in caught.value.hint
