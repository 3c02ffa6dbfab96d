from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.tokenizer_file import unigram_file
from webrag_desktop.embedding.catalog import (
    EMBEDDED_MODELS,
    GRANITE_FUSED,
    MINILM_FUSED,
    known_model,
    vector_weight_of,
)
from webrag_desktop.embedding.client import open_client, server_address
from webrag_desktop.embedding.factory import open_embedder, require_match, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.errors import ConfigurationError

OLLAMA = EmbeddingOptions(backend="ollama")
OPENAI = EmbeddingOptions(backend="openai", api_key=SecretStr("sk-test"))


def test_embedded_model_is_described_in_full() -> None:
    model = resolve(EmbeddingOptions(backend="embedded", model="all-MiniLM-L6-v2"))
    assert model == MINILM_FUSED
    assert (model.dimensions, model.document_prefix, model.query_prefix) == (384, "", "")
    assert (model.tokenizer, model.max_tokens, model.similarity_floor) == ("bert-base-uncased", 512, 0.3)


def test_ollamas_default_is_nomic_with_its_prefixes_and_window() -> None:
    model = resolve(OLLAMA)
    assert (model.backend, model.model, model.dimensions) == ("ollama", "nomic-embed-text", 768)
    assert (model.document_prefix, model.query_prefix) == ("search_document: ", "search_query: ")
    assert (model.tokenizer, model.max_tokens) == ("bert-base-uncased", 2048)


def test_openais_default_is_the_small_model() -> None:
    model = resolve(OPENAI)
    assert (model.backend, model.model, model.dimensions) == ("openai", "text-embedding-3-small", 1536)
    assert (model.tokenizer, model.max_tokens, model.query_prefix) == ("cl100k_base", 8191, "")


@pytest.mark.parametrize(
    ("name", "dimensions"),
    [
        ("nomic-embed-text:latest", 768),
        ("nomic-ai/nomic-embed-text-v1.5", 768),
        ("text-embedding-nomic-embed-text-v1.5@q8_0", 768),
        ("BAAI/bge-m3", 1024),
        ("text-embedding-3-large", 3072),
        ("text-embedding-ada-002", 1536),
        ("all-minilm:l6-v2", 384),
        ("sentence-transformers/all-MiniLM-L6-v2", 384),
    ],
)
def test_models_are_known_by_the_names_servers_give_them(name: str, dimensions: int) -> None:
    known = known_model(name)
    assert known is not None
    assert known.dimensions == dimensions


@pytest.mark.parametrize("name", ["nomic-embed-text-v2-moe", "bge-m3-other", "mxbai-embed-large", ""])
def test_similar_names_are_not_known_models(name: str) -> None:
    assert known_model(name) is None


def test_tag_latest_is_the_model_itself_for_ollama() -> None:
    assert resolve(EmbeddingOptions(backend="ollama", model="nomic-embed-text:latest")) == resolve(OLLAMA)


@pytest.mark.parametrize(
    "options",
    [
        EmbeddingOptions(backend="embedded", dimensions=768),
        EmbeddingOptions(backend="ollama", dimensions=384),
        EmbeddingOptions(backend="openai", model="text-embedding-3-small", dimensions=3072),
    ],
)
def test_dimensions_that_contradict_the_model_are_refused(options: EmbeddingOptions) -> None:
    with pytest.raises(ConfigurationError, match=f"EMBEDDING_DIMENSIONS is {options.dimensions}") as caught:
        resolve(options)
    assert "Remove EMBEDDING_DIMENSIONS" in caught.value.hint


def test_right_dimensions_may_be_said_and_reducible_models_reduced() -> None:
    assert resolve(EmbeddingOptions(backend="ollama", dimensions=768)).dimensions == 768
    assert resolve(EmbeddingOptions(backend="openai", dimensions=256)).dimensions == 256


def test_embedded_backend_refuses_other_models_but_knows_its_own_by_name() -> None:
    assert resolve(EmbeddingOptions(backend="embedded", model="all-MiniLM-L6-v2")) == MINILM_FUSED
    assert (
        resolve(EmbeddingOptions(backend="embedded", model="Granite-embedding-30m-english")) == GRANITE_FUSED
    )
    assert resolve(EmbeddingOptions(backend="embedded", model=GRANITE_FUSED.model)) == GRANITE_FUSED
    with pytest.raises(ConfigurationError, match="EMBEDDING_MODEL is nomic-embed-text") as caught:
        resolve(EmbeddingOptions(backend="embedded", model="nomic-embed-text"))
    for one in EMBEDDED_MODELS:
        assert one.name in caught.value.hint


def test_a_library_of_one_embedded_model_is_not_searched_with_the_other() -> None:
    for library, other in (
        (MINILM_FUSED, "granite-embedding-30m-english"),
        (GRANITE_FUSED, "all-MiniLM-L6-v2"),
    ):
        named = EmbeddingOptions(backend="embedded", model=other)
        with pytest.raises(ConfigurationError, match=f"EMBEDDING_MODEL says '{other}'") as caught:
            require_match(library, named)
        assert "`webrag space move`" in caught.value.hint
        require_match(library, EmbeddingOptions(backend="embedded"))
        require_match(resolve(named), named)


def test_what_belongs_to_an_embedded_model_is_stated_once() -> None:
    assert (GRANITE_FUSED.similarity_floor, vector_weight_of(GRANITE_FUSED)) == (0.62, 0.6)
    assert (MINILM_FUSED.similarity_floor, vector_weight_of(MINILM_FUSED)) == (0.3, 0.5)
    assert vector_weight_of(resolve(OLLAMA)) is None
    assert vector_weight_of(None) is None
    assert (GRANITE_FUSED.max_tokens, GRANITE_FUSED.document_prefix, GRANITE_FUSED.query_prefix) == (
        512,
        "",
        "",
    )


def test_unknown_model_needs_a_description() -> None:
    with pytest.raises(ConfigurationError, match="mxbai-embed-large is not one this program knows") as caught:
        resolve(EmbeddingOptions(backend="ollama", model="mxbai-embed-large", dimensions=1024))
    assert "EMBEDDING_TOKENIZER" in caught.value.hint


def test_unknown_model_is_taken_as_described() -> None:
    model = resolve(
        EmbeddingOptions(
            backend="openai",
            model="mxbai-embed-large",
            dimensions=1024,
            tokenizer="bert-base-uncased",
            query_prefix="Represent: ",
        )
    )
    assert (model.dimensions, model.tokenizer, model.max_tokens) == (1024, "bert-base-uncased", 512)
    assert (model.document_prefix, model.query_prefix) == ("", "Represent: ")


@pytest.mark.usefixtures("huggingface")
def test_bge_m3_needs_the_users_tokenizer_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="tokenizer of bge-m3 does not come"):
        resolve(EmbeddingOptions(backend="openai", model="bge-m3"))
    file = unigram_file(tmp_path / "tokenizer.json")
    model = resolve(EmbeddingOptions(backend="openai", model="bge-m3", tokenizer=str(file)))
    assert model.tokenizer.startswith(f"file:{file}#")
    assert (model.dimensions, model.max_tokens) == (1024, 8192)


def test_ollama_window_is_never_above_what_ollama_reads(tmp_path: Path) -> None:
    file = unigram_file(tmp_path / "tokenizer.json")
    assert resolve(EmbeddingOptions(backend="ollama", model="bge-m3", tokenizer=str(file))).max_tokens == 2048


@pytest.mark.parametrize(
    ("backend", "model", "tokenizer"),
    [
        ("ollama", None, "cl100k_base"),
        ("embedded", None, "cl100k_base"),
        ("openai", None, "bert-base-uncased"),
    ],
)
def test_tokenizer_of_another_model_is_refused(backend: str, model: str | None, tokenizer: str) -> None:
    options = EmbeddingOptions(backend=backend, model=model, tokenizer=tokenizer)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=f"EMBEDDING_TOKENIZER is {tokenizer}"):
        resolve(options)


def test_tokenizer_that_is_neither_name_nor_file_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="neither a file nor a tokenizer"):
        resolve(EmbeddingOptions(backend="openai", model="mine", dimensions=8, tokenizer="gpt2"))


def test_a_tokenizer_file_needs_no_ending(tmp_path: Path) -> None:
    file = unigram_file(tmp_path / "tok.dat")
    model = resolve(EmbeddingOptions(backend="openai", model="mine", dimensions=8, tokenizer=str(file)))
    assert model.tokenizer.startswith(f"file:{file}#")


def test_another_contradiction_is_reported_before_a_missing_file_is(tmp_path: Path) -> None:
    missing = str(tmp_path / "nowhere.json")
    with pytest.raises(ConfigurationError, match="EMBEDDING_MAX_TOKENS says"):
        require_match(resolve(OLLAMA), EmbeddingOptions(tokenizer=missing, max_tokens=256))
    with pytest.raises(ConfigurationError, match=r"nowhere\.json cannot be read"):
        require_match(resolve(OLLAMA), EmbeddingOptions(tokenizer=missing))


def test_prefixes_may_be_overridden_even_by_nothing() -> None:
    model = resolve(EmbeddingOptions(backend="ollama", document_prefix="", query_prefix="q: "))
    assert (model.document_prefix, model.query_prefix) == ("", "q: ")


def test_what_was_not_said_matches_any_library() -> None:
    for model in (MINILM_FUSED, resolve(OLLAMA), resolve(OPENAI)):
        require_match(model, EmbeddingOptions())
    require_match(resolve(OLLAMA), EmbeddingOptions(backend="ollama", model="nomic-embed-text:latest"))
    require_match(
        MINILM_FUSED, EmbeddingOptions(backend="embedded", model="all-minilm-l6-v2", dimensions=384)
    )


@pytest.mark.parametrize(
    ("options", "setting"),
    [
        (OPENAI, "EMBEDDING_BACKEND"),
        (EmbeddingOptions(model="bge-m3"), "EMBEDDING_MODEL"),
        (EmbeddingOptions(dimensions=1536), "EMBEDDING_DIMENSIONS"),
        (EmbeddingOptions(document_prefix=""), "EMBEDDING_DOCUMENT_PREFIX"),
        (EmbeddingOptions(tokenizer="cl100k_base"), "EMBEDDING_TOKENIZER"),
        (EmbeddingOptions(max_tokens=512), "EMBEDDING_MAX_TOKENS"),
    ],
)
def test_settings_against_the_library_are_explained(options: EmbeddingOptions, setting: str) -> None:
    with pytest.raises(ConfigurationError, match=setting) as caught:
        require_match(resolve(OLLAMA), options)
    assert "webrag space move" in caught.value.hint
    assert f"remove {setting}" in caught.value.hint


def test_a_tokenizer_file_is_known_by_its_content(tmp_path: Path) -> None:
    file = unigram_file(tmp_path / "tokenizer.json")
    options = EmbeddingOptions(backend="ollama", model="bge-m3", tokenizer=str(file))
    library = resolve(options)
    moved = file.rename(tmp_path / "moved.json")
    require_match(library, EmbeddingOptions(tokenizer=str(moved), max_tokens=8192))
    moved.write_bytes(moved.read_bytes() + b" ")
    with pytest.raises(ConfigurationError, match="EMBEDDING_TOKENIZER"):
        require_match(library, EmbeddingOptions(tokenizer=str(moved)))


def test_openai_needs_a_key() -> None:
    with pytest.raises(ConfigurationError, match="OpenAI needs an API key"):
        open_embedder(resolve(OPENAI), EmbeddingOptions(backend="openai"))


def test_address_and_key_are_used_only_for_the_backend_they_were_given_for() -> None:
    options = EmbeddingOptions(backend="openai", base_url="gpu.example.org", api_key=SecretStr("sk-test"))
    assert server_address("openai", options).host == "gpu.example.org"
    assert server_address("ollama", options).host == "localhost"
    assert server_address("ollama", EmbeddingOptions(base_url="box:11434")).host == "box"


def test_key_is_not_sent_to_a_server_nobody_named() -> None:
    client = open_client("ollama", EmbeddingOptions(api_key=SecretStr("sk-test")))
    assert "authorization" not in client.headers
    client.close()


def test_library_of_another_model_file_or_backend_is_not_opened() -> None:
    older = MINILM_FUSED.model_copy(update={"model": "all-MiniLM-L6-v2-int8-000000000000"})
    with pytest.raises(ConfigurationError, match="cannot be compared"):
        open_embedder(older, EmbeddingOptions())
    with pytest.raises(ConfigurationError, match="this version does not know"):
        open_embedder(MINILM_FUSED.model_copy(update={"backend": "cohere"}), EmbeddingOptions())
