"""Settings by the names, defaults and ranges that are documented."""

import re
from pathlib import Path

import pytest

from webrag_desktop.config import load_settings, setting_names, shareable_settings
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.rerank_options import RerankConfig

BLANK_ENV = Path(__file__).parents[2] / "blank.env"
DEFAULTS = {
    "RETRIEVAL_FULL_CONTEXT_THRESHOLD": 30000,
    "RETRIEVAL_CONTEXT_BUDGET": 40000,
    "RETRIEVAL_TOP_K_CHILDREN_LIMIT": 60,
    "RETRIEVAL_SIMILARITY_FLOOR": 0.3,
    "RETRIEVAL_DEPTH_DECAY_RATE": 0.05,
    "RETRIEVAL_DEPTH_FLOOR": 0.80,
    "RETRIEVAL_HNSW_EF_SEARCH": 100,
    "RETRIEVAL_LEXICAL_SCORE": "bm25",
    "RETRIEVAL_TSQUERY_MODE": "web",
    "RETRIEVAL_TEXT_SEARCH_CONFIG": None,
    "RETRIEVAL_CORRECTIONS": True,
    "RETRIEVAL_BLEND": "linear",
    "RETRIEVAL_NORMALIZE": "minmax",
    "RETRIEVAL_VECTOR_WEIGHT": 0.5,
    "RETRIEVAL_NEIGHBOR_SAME_PAGE": 1,
    "RETRIEVAL_NEIGHBOR_CROSS_PAGE": 2,
    "RETRIEVAL_INCLUDE_PARENTS": True,
    "RETRIEVAL_FINAL_MAX_TOKENS": 12000,
    "RETRIEVAL_MIN_PRIMARY_HITS_TO_KEEP": 3,
    "RETRIEVAL_TOP_K_DENSE": None,
    "RETRIEVAL_RERANK_ENABLED": False,
    "RETRIEVAL_RERANK_MODEL": None,
    "RETRIEVAL_RERANK_MODEL_FILE": None,
    "RETRIEVAL_RERANK_API_KEY": None,
    "RETRIEVAL_RERANK_BASE_URL": None,
    "RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK": 50,
    "RETRIEVAL_RERANK_RETURN_TOP_N": 15,
    "RETRIEVAL_RERANK_MAX_TEXT_CHARS_PER_CANDIDATE": 1200,
    "RETRIEVAL_RERANK_STRICT_JSON_OUTPUT": True,
    "RETRIEVAL_RERANK_TIMEOUT": 60.0,
    "EMBEDDING_BACKEND": "auto",
    "EMBEDDING_DIMENSIONS": 768,
    "EMBEDDING_BATCH_SIZE": 256,
    "EMBEDDING_MAX_WORKERS": 4,
    "EMBEDDING_CORES": None,
    "CHUNK_CHILD_TOKENS": 256,
    "CHUNK_PARENT_TOKENS": 1000,
    "EMBEDDING_BASE_URL": None,
    "EMBEDDING_MODEL": None,
    "EMBEDDING_API_KEY": None,
    "CHAT_BASE_URL": "http://localhost:11434",
    "CHAT_MODEL": None,
    "CHAT_API_KEY": None,
    "WEBRAG_DATABASE_URL": None,
    "WEBRAG_STACK": "auto",
}


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in names():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))


def names() -> dict[str, str]:
    return {name: name.lower() for name in setting_names()}


@pytest.mark.parametrize(("setting", "default"), DEFAULTS.items())
def test_defaults(setting: str, default: object) -> None:
    assert getattr(load_settings(), names()[setting]) == default


def test_blank_env_explains_every_setting_with_its_default() -> None:
    written = dict(re.findall(r"^# ([A-Z_]+)=(.*)$", BLANK_ENV.read_text(encoding="utf-8"), re.MULTILINE))
    assert set(written) == set(names())
    settings = load_settings()
    for setting, text in written.items():
        value = getattr(settings, names()[setting])
        if text and setting != "WEBRAG_HOME":
            assert str(value).lower() == text or float(text) == value, setting


def test_the_file_in_the_data_folder_is_read_and_the_environment_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("CHUNK_CHILD_TOKENS=128\nCHUNK_PARENT_TOKENS=500\n", encoding="utf-8")
    monkeypatch.setenv("CHUNK_PARENT_TOKENS", "600")
    settings = load_settings()
    assert (settings.chunk_child_tokens, settings.chunk_parent_tokens) == (128, 600)


def test_a_settings_file_of_the_current_folder_is_nobody_elses_business(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".env").write_text("CHUNK_CHILD_TOKENS=128\n", encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    assert load_settings().chunk_child_tokens == 256


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("CHUNK_CHILD_TOKENS", "many"),
        ("RETRIEVAL_SIMILARITY_FLOOR", "1.5"),
        ("EMBEDDING_BACKEND", "cloud"),
        ("EMBEDDING_MAX_WORKERS", "0"),
        ("EMBEDDING_CORES", "0"),
        ("RETRIEVAL_HNSW_EF_SEARCH", "1001"),
        ("RETRIEVAL_NEIGHBOR_SAME_PAGE", "-1"),
        ("RETRIEVAL_NEIGHBOR_CROSS_PAGE", "51"),
        ("RETRIEVAL_INCLUDE_PARENTS", "perhaps"),
        ("RETRIEVAL_FINAL_MAX_TOKENS", "0"),
        ("RETRIEVAL_MIN_PRIMARY_HITS_TO_KEEP", "-1"),
        ("RETRIEVAL_TOP_K_DENSE", "1001"),
        ("RETRIEVAL_RERANK_ENABLED", "perhaps"),
        ("RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK", "201"),
        ("RETRIEVAL_RERANK_RETURN_TOP_N", "0"),
        ("RETRIEVAL_RERANK_MAX_TEXT_CHARS_PER_CANDIDATE", "99"),
        ("RETRIEVAL_RERANK_STRICT_JSON_OUTPUT", "perhaps"),
        ("RETRIEVAL_RERANK_TIMEOUT", "0"),
        ("RETRIEVAL_RERANK_TIMEOUT", "1e10"),
        ("RETRIEVAL_LEXICAL_SCORE", "tf"),
        ("RETRIEVAL_TSQUERY_MODE", "loose"),
        ("RETRIEVAL_TEXT_SEARCH_CONFIG", "English; --"),
        ("RETRIEVAL_CORRECTIONS", "perhaps"),
        ("RETRIEVAL_BLEND", "sum"),
        ("RETRIEVAL_NORMALIZE", "max"),
        ("RETRIEVAL_VECTOR_WEIGHT", "1.1"),
        ("FETCH_TIMEOUT", "nan"),
        ("FETCH_HOST_DELAY_SECONDS", "inf"),
        ("FETCH_MAX_BYTES", "1.5"),
        ("FETCH_MAX_BYTES", "1" + "0" * 400),
        ("WEBRAG_HOME", "~nobody_of_that_name/library"),
    ],
)
def test_a_wrong_value_is_refused_by_name(setting: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(setting, value)
    with pytest.raises(ConfigurationError, match=setting):
        load_settings()


@pytest.mark.parametrize("inside", ["", "library", "in/it"])
def test_a_data_folder_that_is_a_file_is_refused(
    inside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    monkeypatch.setenv("WEBRAG_HOME", str(file / inside))
    with pytest.raises(ConfigurationError, match=f"WEBRAG_HOME .*{file} is a file"):
        load_settings()


@pytest.mark.parametrize("address", ["localhost:11434", "HTTPS://api.example.org/v1", "http://[::1]:8080"])
def test_a_servers_address_is_kept_as_it_is_written(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETRIEVAL_RERANK_BASE_URL", address)
    assert load_settings().retrieval_rerank_base_url == address


def test_an_empty_variable_means_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNK_CHILD_TOKENS", "")
    assert load_settings().chunk_child_tokens == 256


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBRAG_DATABASE_URL", "postgresql://me:hunter2@db/x")
    monkeypatch.setenv("EMBEDDING_API_KEY", "hunter2")
    settings = load_settings()
    shown = repr(settings) + repr(settings.stack_options()) + repr(settings.embedding_options())
    assert "hunter2" not in shown
    assert settings.stack_options().database_url == "postgresql://me:hunter2@db/x"


def test_without_a_home_named_the_platforms_own_place_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("WEBRAG_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert load_settings().webrag_home.name == "webrag-desktop"


def test_the_default_written_out_contradicts_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_DIMENSIONS", "768")
    assert load_settings().embedding_options().dimensions is None
    monkeypatch.setenv("EMBEDDING_MODEL", "my-own-model")
    assert load_settings().embedding_options().dimensions == 768


def test_what_is_made_of_the_embedded_model_is_kept_in_the_data_folder() -> None:
    settings = load_settings()
    assert settings.embedding_options().model_folder == settings.webrag_home / "cache" / "models"


def test_processes_of_one_library_share_the_embedders_locks() -> None:
    one, other = (load_settings().embedding_options().locks for _ in range(2))
    assert one is not None
    assert other is not None
    held, wanted = one("turns.lock"), other("turns.lock")
    assert held.acquire(shared=False, timeout=0)
    assert not wanted.acquire(shared=True, timeout=0)
    held.release()
    assert wanted.acquire(shared=True, timeout=0)
    wanted.release()


def test_dimensions_reach_the_embedder_only_when_they_were_given(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().embedding_options().dimensions is None
    monkeypatch.setenv("EMBEDDING_DIMENSIONS", "512")
    assert load_settings().embedding_options().dimensions == 512


@pytest.mark.parametrize(
    ("setting", "value", "reported"),
    [
        ("CHUNK_CHILD_TOKENS", "many", "it must be a whole number"),
        ("EMBEDDING_MAX_WORKERS", "0", "it must be above 0"),
        ("RETRIEVAL_SIMILARITY_FLOOR", "1.5", "it must be at least 0 and at most 1"),
        ("WEBRAG_STACK", "cloud", "it must be one of auto, embedded, compose, external"),
        ("RETRIEVAL_RERANK_ENABLED", "perhaps", "it must be true or false"),
        ("RETRIEVAL_RERANK_BASE_URL", "ftp://models.lan", "it must be the address of a server"),
        ("CHAT_BASE_URL", "file:///etc/hosts", "it must be the address of a server"),
    ],
)
def test_what_a_value_must_be_is_reported(
    setting: str, value: str, reported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(setting, value)
    with pytest.raises(ConfigurationError, match=reported):
        load_settings()


@pytest.mark.parametrize(
    ("setting", "value", "read"),
    [
        ("RETRIEVAL_RERANK_ENABLED", "Yes", True),
        ("RETRIEVAL_RERANK_ENABLED", "off", False),
        ("FETCH_TIMEOUT", "2.5", 2.5),
        ("EMBEDDING_MAX_TOKENS", "512", 512),
        ("RETRIEVAL_SIMILARITY_FLOOR", "1", 1.0),
    ],
)
def test_a_value_is_read_as_what_it_is(
    setting: str, value: str, read: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(setting, value)
    found = getattr(load_settings(), names()[setting])
    assert (found, type(found)) == (read, type(read))


def test_secrets_and_places_are_not_shared(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "CHUNK_CHILD_TOKENS=128\nembedding_model=nomic-embed-text\nEMBEDDING_API_KEY=sk-1\nCHAT_API_KEY=sk-2\n"
        "RETRIEVAL_RERANK_API_KEY=sk-3\nWEBRAG_DATABASE_URL=postgresql://me:pass@host/db\nWEBRAG_STACK=external\n"
        "EMBEDDING_BASE_URL=http://me:pass@host:11434\nCHAT_BASE_URL=http://host/v1?key=sk-4\nOTHER=thing\n"
        "EMBEDDING_DIMENSIONS=\nRETRIEVAL_RERANK_MODEL_FILE=/home/me/judge.onnx\n",
        encoding="utf-8",
    )
    assert shareable_settings(tmp_path) == {
        "CHUNK_CHILD_TOKENS": "128",
        "EMBEDDING_MODEL": "nomic-embed-text",
    }
    assert shareable_settings(tmp_path / "elsewhere") == {}


def test_no_setting_with_a_secret_in_its_name_is_shared(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("".join(f"{name}=7\n" for name in setting_names()), encoding="utf-8")
    shared = shareable_settings(tmp_path)
    assert shared
    assert [name for name in shared if re.search("KEY|SECRET|PASSWORD|DATABASE", name)] == []


def test_what_is_set_for_retrieval_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "LEXICAL_SCORE": "ts_rank",
        "TSQUERY_MODE": "phrase",
        "TEXT_SEARCH_CONFIG": "simple",
        "BLEND": "rrf",
        "NORMALIZE": "zscore",
    }
    for name, value in given.items():
        monkeypatch.setenv(f"RETRIEVAL_{name}", value)
    monkeypatch.setenv("RETRIEVAL_CORRECTIONS", "false")
    monkeypatch.setenv("RETRIEVAL_VECTOR_WEIGHT", "0.25")
    numbers = {
        "FULL_CONTEXT_THRESHOLD": 7,
        "CONTEXT_BUDGET": 77,
        "TOP_K_CHILDREN_LIMIT": 9,
        "SIMILARITY_FLOOR": 0.4,
        "DEPTH_DECAY_RATE": 0.1,
        "DEPTH_FLOOR": 0.5,
        "HNSW_EF_SEARCH": 50,
    }
    for name, number in numbers.items():
        monkeypatch.setenv(f"RETRIEVAL_{name}", str(number))
    options = load_settings().retrieval_options()
    assert {name: getattr(options, name.lower()) for name in given | numbers} == given | numbers
    assert (options.corrections, options.vector_weight) == (False, 0.25)
    monkeypatch.setenv("RETRIEVAL_SIMILARITY_FLOOR", "0.3")
    assert load_settings().retrieval_options().floor_for(0.62) == 0.3  # said, though the default is the same
    asked = load_settings().retrieval_options("strict", 11)
    assert (asked.tsquery_mode, asked.top_k_children_limit) == ("strict", 11)


@pytest.mark.parametrize(
    ("name", "value", "differs"),
    [
        ("EMBEDDING_DIMENSIONS", "65", True),
        ("EMBEDDING_DIMENSIONS", "768", False),  # the default written out
        ("EMBEDDING_MODEL", "m2", True),
        ("EMBEDDING_BASE_URL", "http://127.0.0.1:9", True),
        ("CHUNK_CHILD_TOKENS", "128", True),
        ("EMBEDDING_API_KEY", "key-1", True),  # that there is one
        ("RETRIEVAL_CONTEXT_BUDGET", "100", False),
    ],
)
def test_the_fingerprint_tells_settings_of_indexing_apart(
    name: str, value: str, differs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = load_settings().indexing_fingerprint()
    assert before == load_settings().indexing_fingerprint()
    monkeypatch.setenv(name, value)
    assert (load_settings().indexing_fingerprint() != before) is differs


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("EMBEDDING_API_KEY", "key-1", "key-2"),
        ("EMBEDDING_BASE_URL", "http://ada:one@127.0.0.1:9", "http://ada:two@127.0.0.1:9"),
        ("EMBEDDING_BASE_URL", "http://127.0.0.1:9/v1?key=one", "http://127.0.0.1:9/v1?key=two"),
    ],
)
def test_no_secret_goes_into_the_fingerprint(
    name: str, one: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, one)
    first = load_settings().indexing_fingerprint()
    monkeypatch.setenv(name, other)
    assert load_settings().indexing_fingerprint() == first


def test_a_size_that_is_written_out_is_distinguished_from_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left_open = load_settings().indexing_fingerprint()
    monkeypatch.setenv("CHUNK_CHILD_TOKENS", "256")
    assert load_settings().indexing_fingerprint() != left_open


def test_settings_that_contradict_themselves_have_a_fingerprint_too(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = load_settings().indexing_fingerprint()
    monkeypatch.setenv("EMBEDDING_API_KEY", "k\u00e9y")
    refused = load_settings().indexing_fingerprint()
    assert refused != sound
    assert "k\u00e9y" not in refused


def test_a_tokenizers_relative_path_counts_from_where_it_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "mine"))
    written = tmp_path / ".env"
    for said, beside_file in (
        ("tok.json", tmp_path / "tok.json"),
        ("file:sub/tok", tmp_path / "sub/tok"),
        ("~/tok.json", tmp_path / "mine/tok.json"),
        (str(folder / "tok.json"), folder / "tok.json"),
    ):
        written.write_text(f"EMBEDDING_TOKENIZER={said}\n", encoding="utf-8")
        assert load_settings().embedding_options().tokenizer == str(beside_file)
    monkeypatch.setenv("EMBEDDING_TOKENIZER", "tok.json")
    settings = load_settings()
    assert settings.embedding_options().tokenizer == str(folder / "tok.json")
    assert settings.as_environment()["EMBEDDING_TOKENIZER"] == str(folder / "tok.json")


@pytest.mark.parametrize("where", ["environment", "file"])
def test_a_shipped_tokenizers_name_is_no_path_and_an_unknown_home_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str
) -> None:
    def say(value: str) -> None:
        if where == "environment":
            monkeypatch.setenv("EMBEDDING_TOKENIZER", value)
        else:
            (tmp_path / ".env").write_text(f"embedding_tokenizer={value}\n", encoding="utf-8")

    say("cl100k_base")
    assert load_settings().embedding_tokenizer == "cl100k_base"
    say("~nobody_of_that_name/tok.json")
    with pytest.raises(ConfigurationError, match="EMBEDDING_TOKENIZER"):
        load_settings()


@pytest.mark.parametrize("where", ["environment", "file"])
@pytest.mark.parametrize("said", ["BAAI/bge-m3", "hf:BAAI/bge-m3", "hf:gpt2"])
def test_a_huggingface_name_is_a_path_only_where_there_is_something(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str, said: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    if where == "environment":
        monkeypatch.setenv("EMBEDDING_TOKENIZER", said)
    else:
        (tmp_path / ".env").write_text(f"EMBEDDING_TOKENIZER={said}\n", encoding="utf-8")
    settings = load_settings()
    assert settings.embedding_tokenizer == said
    assert settings.as_environment()["EMBEDDING_TOKENIZER"] == said
    there = (elsewhere if where == "environment" else tmp_path) / "BAAI" / "bge-m3"
    meant = str(there) if said == "BAAI/bge-m3" else said
    there.parent.mkdir()
    assert load_settings().embedding_tokenizer == meant, "a slip of a letter in a path is no name"
    there.mkdir()
    assert load_settings().embedding_tokenizer == meant


@pytest.mark.parametrize("written", ["models/judge.onnx", "~/judge.onnx", "/opt/judge.onnx"])
def test_a_model_file_lies_beside_the_settings_file_that_names_it(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    (tmp_path / ".env").write_text(f"RETRIEVAL_RERANK_MODEL_FILE={written}\n", encoding="utf-8")
    expected = tmp_path / written if written.startswith("models") else Path(written).expanduser()
    assert load_settings().retrieval_rerank_model_file == expected


def test_context_packs_get_their_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().context_options() == ContextOptions()
    monkeypatch.setenv("RETRIEVAL_NEIGHBOR_SAME_PAGE", "3")
    monkeypatch.setenv("RETRIEVAL_NEIGHBOR_CROSS_PAGE", "0")
    monkeypatch.setenv("RETRIEVAL_INCLUDE_PARENTS", "false")
    monkeypatch.setenv("RETRIEVAL_FINAL_MAX_TOKENS", "900")
    monkeypatch.setenv("RETRIEVAL_MIN_PRIMARY_HITS_TO_KEEP", "2")
    monkeypatch.setenv("RETRIEVAL_RERANK_RETURN_TOP_N", "7")
    monkeypatch.setenv("RETRIEVAL_TOP_K_DENSE", "80")
    assert load_settings().context_options() == ContextOptions(3, 0, False, 900, 2, 7, 80)


def test_reranking_gets_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETRIEVAL_RERANK_MODEL", "judge")
    monkeypatch.setenv("RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK", "20")
    monkeypatch.setenv("RETRIEVAL_RERANK_RETURN_TOP_N", "5")
    monkeypatch.setenv("RETRIEVAL_RERANK_MAX_TEXT_CHARS_PER_CANDIDATE", "400")
    monkeypatch.setenv("RETRIEVAL_RERANK_STRICT_JSON_OUTPUT", "false")
    monkeypatch.setenv("RETRIEVAL_RERANK_TIMEOUT", "9")
    assert load_settings().rerank_config() == RerankConfig("judge", 20, 5, 400, False, 9.0)


def test_floor_and_weight_that_nobody_set_are_left_to_the_model() -> None:
    options = load_settings().retrieval_options()
    assert options.floor_for(0.62) == 0.62
    assert options.weighed_for(0.6).fusion.vector_weight == 0.6
    assert (options.floor_for(None), options.fusion.vector_weight) == (0.3, 0.5)
