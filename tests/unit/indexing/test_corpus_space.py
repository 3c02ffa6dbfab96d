"""The space that settings ask for, and how its chunk sizes are known again."""

import pytest

from webrag_desktop.config import Settings
from webrag_desktop.embedding.factory import open_tokenizer, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.indexing.chunking import EARLIER, ChunkingOptions, chunking_id
from webrag_desktop.indexing.corpus_space import chosen_space, chunking_of, chunking_options
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.models.spaces import EmbeddingModel, EmbeddingSpace

MODEL = EmbeddingModel(backend="test", model="m", dimensions=3, tokenizer="words", max_tokens=512)


@pytest.mark.parametrize("tokenizer", ["bert-base-uncased", "file/3f2a-17", "a-b-c/1-2-3"])
def test_the_chunk_sizes_of_a_space_are_read_from_its_name(tokenizer: str) -> None:
    options = ChunkingOptions(window_tokens=478, child_tokens=128, parent_tokens=900)
    space = EmbeddingSpace(model=MODEL, chunking_id=chunking_id(options, tokenizer))
    assert chunking_of(space) == options


def test_a_space_of_before_is_cut_by_its_own_rules() -> None:
    space = EmbeddingSpace(model=MODEL, chunking_id=f"{EARLIER}/256-1000-478/bert-base-uncased")
    assert chunking_of(space) == ChunkingOptions(window_tokens=478, child_tokens=256, rules=EARLIER)
    assert not chunking_of(space).by_units


@pytest.mark.parametrize(
    "name", ["headings-0/256-1000-478/bert-base-uncased", "synthetic", "", "headings-1", "headings-1/a-b-c/x"]
)
def test_rules_that_this_program_does_not_have_are_refused_with_the_move_as_remedy(name: str) -> None:
    with pytest.raises(ConfigurationError, match="another version") as caught:
        chunking_of(EmbeddingSpace(model=MODEL, chunking_id=name))
    assert "`webrag space move`" in caught.value.hint


# -- Sizes that nobody set ---------------------------------------------------------------------------------------------


def sizes(child: int | None = None, parent: int | None = None) -> ChunkTargets:
    """As the settings give them."""
    given = {"CHUNK_CHILD_TOKENS": child, "CHUNK_PARENT_TOKENS": parent}
    return Settings.of(**{name: size for name, size in given.items() if size}).chunk_targets()


def cut(targets: ChunkTargets, max_tokens: int, prefix: str = "") -> tuple[int, int]:
    """Sizes of children and parents for a model that reads so much."""
    model = MODEL.model_copy(update={"max_tokens": max_tokens, "document_prefix": prefix})
    options = chunking_options(targets, model, open_tokenizer("bert-base-uncased"))
    assert options.window_tokens <= max_tokens - 34
    return options.child_tokens, options.parent_tokens


@pytest.mark.parametrize(
    ("targets", "max_tokens", "fitted"),
    [
        (sizes(), 512, (256, 1000)),
        (sizes(), 290, (256, 1000)),
        (sizes(), 289, (255, 1000)),
        (sizes(), 256, (222, 1000)),
        (sizes(), 50, (16, 1000)),
        (sizes(parent=120), 512, (120, 120)),
        (sizes(parent=240), 256, (222, 240)),
        (sizes(2000), 8192, (2000, 2000)),
        (sizes(222), 256, (222, 1000)),
        (sizes(64, 200), 256, (64, 200)),
    ],
)
def test_the_usual_sizes_give_way_to_the_model_and_to_what_was_set(
    targets: ChunkTargets, max_tokens: int, fitted: tuple[int, int]
) -> None:
    assert cut(targets, max_tokens) == fitted


def test_a_prefix_takes_its_share() -> None:
    assert cut(sizes(), 256, "search_document: ") == (218, 1000)


@pytest.mark.parametrize("model", ["all-minilm", "sentence-transformers/all-MiniLM-L6-v2"])
def test_a_small_model_needs_no_chunk_sizes(model: str) -> None:
    space = chosen_space(EmbeddingOptions(backend="ollama", model=model), sizes())
    assert space.chunking_id == "headings-4/222-1000-222/bert-base-uncased"
    assert chunking_of(space).child_tokens == 222


@pytest.mark.parametrize(("child", "parent"), [(223, None), (256, None), (256, 1000), (300, 2000)])
def test_a_size_that_was_set_and_does_not_fit_is_refused(child: int, parent: int | None) -> None:
    with pytest.raises(
        ConfigurationError, match=f"CHUNK_CHILD_TOKENS is {child}, but m takes 222 tokens"
    ) as caught:
        cut(sizes(child, parent), 256)
    assert "Set CHUNK_CHILD_TOKENS to 222 or less" in caught.value.hint


def test_parents_smaller_than_children_are_refused_where_both_were_set() -> None:
    with pytest.raises(ConfigurationError, match="do not fit into parents of 100"):
        cut(sizes(200, 100), 512)


@pytest.mark.parametrize("max_tokens", [1, 34, 49])
def test_a_model_that_reads_next_to_nothing_is_refused_with_a_hint_that_can_be_followed(
    max_tokens: int,
) -> None:
    with pytest.raises(ConfigurationError, match=f"m reads {max_tokens} tokens at once") as caught:
        cut(sizes(), max_tokens)
    assert "EMBEDDING_MAX_TOKENS" in caught.value.hint


@pytest.mark.parametrize(
    "options",
    [
        EmbeddingOptions(backend="embedded"),
        EmbeddingOptions(backend="ollama"),
        EmbeddingOptions(backend="openai"),
        *(
            EmbeddingOptions(backend="openai", model=name)
            for name in ("text-embedding-3-large", "text-embedding-ada-002", "all-minilm")
        ),
    ],
)
def test_no_default_contradicts_a_model_that_the_program_knows(options: EmbeddingOptions) -> None:
    space = chosen_space(options, sizes())
    assert resolve(options) == space.model
    assert 0 < chunking_of(space).child_tokens <= chunking_of(space).window_tokens
