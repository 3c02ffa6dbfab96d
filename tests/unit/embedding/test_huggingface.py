"""Tokenizers in folders as HuggingFace's, and under names that its cache on this computer knows."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.huggingface import (
    KINDS,
    SECOND,
    TEXTS,
    HuggingFaceHere,
    as_transformers_reads,
    put_into_cache,
    sentencepiece_folder,
    unigram_folder,
    vocabulary_folder,
    wordpiece_folder,
)
from webrag_desktop.embedding.factory import open_tokenizer, require_match, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.tokenizers.huggingface import TokenizerNotHereError, cached_folder, repository
from webrag_desktop.embedding.tokenizers.tokenizer_file import FileTokenizer, tokenizer_file_name
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models.spaces import EmbeddingModel

NAME = "BAAI/bge-m3"
TEXT = " ".join(TEXTS[:3]) + "\n\n  Ein Nebensatz <s> [SEP] mit fremden Wörtern: 你好, naïve ships.\n"


def described(tokenizer: str) -> EmbeddingModel:
    return resolve(EmbeddingOptions(backend="openai", model="mine", dimensions=8, tokenizer=tokenizer))


# -- Counting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_counts_as_transformers_does(tmp_path: Path, kind: str) -> None:
    folder = KINDS[kind](tmp_path / "model")
    tokenizer = open_tokenizer(str(folder))
    own = as_transformers_reads(folder)
    own.backend_tokenizer.no_truncation()
    plain = " ".join(TEXTS[:3])
    ids = own(plain, add_special_tokens=False, padding=False)
    assert tokenizer.count(plain) == len(ids.input_ids) > 30
    assert list(tokenizer.token_starts(plain)) == [start for start, _ in ids[0].offsets]
    assert tokenizer.special_tokens == own.num_special_tokens_to_add(pair=False) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_starts_are_ascending_code_points_of_whole_texts(tmp_path: Path, kind: str) -> None:
    tokenizer = open_tokenizer(str(KINDS[kind](tmp_path / "model")))
    starts = list(tokenizer.token_starts(TEXT * 50))
    assert starts == sorted(starts)
    assert len(starts) == tokenizer.count(TEXT * 50) > 50 * 30
    assert TEXT.index("日本語") in starts or TEXT.index("日本語") - 1 in starts
    assert starts[-1] < len(TEXT * 50)


@pytest.mark.parametrize("kind", KINDS)
def test_markers_in_a_text_are_text(tmp_path: Path, kind: str) -> None:
    tokenizer = open_tokenizer(str(KINDS[kind](tmp_path / "model")))
    assert tokenizer.count("a </s> b") - tokenizer.count("a b") > 1
    assert tokenizer.count("a [SEP] b") - tokenizer.count("a b") > 1


# -- Identity ----------------------------------------------------------------------------------------------------------


def test_a_folder_is_known_by_its_content_wherever_it_lies(
    tmp_path: Path, huggingface: HuggingFaceHere
) -> None:
    folder = unigram_folder(tmp_path / "model")
    library = described(str(folder))
    assert library.tokenizer.startswith(f"file:{folder}#")
    put_into_cache(huggingface.cache, NAME, folder)
    moved = folder.rename(tmp_path / "moved")
    for place in (str(moved), f"file:{moved}", NAME, f"hf:{NAME}"):
        require_match(library, EmbeddingOptions(tokenizer=place))
        opened = open_tokenizer(library.tokenizer, place)
        assert opened.name == library.tokenizer
        assert opened.count("ships") > 0
    assert tokenizer_file_name(NAME).startswith(f"hf:{NAME}#")


def test_what_says_nothing_of_tokens_is_no_part_of_its_content(tmp_path: Path) -> None:
    folder = wordpiece_folder(tmp_path / "model")
    name = tokenizer_file_name(str(folder))
    (folder / "README.md").write_text("# Model", "utf-8")
    (folder / "config.json").write_text(json.dumps({"hidden_size": 8}), "utf-8")
    beside = tokenizer_file_name(str(folder))
    (folder / "config.json").write_text(json.dumps({"hidden_size": 16}), "utf-8")
    assert tokenizer_file_name(str(folder)) == beside
    (folder / "config.json").unlink()
    assert tokenizer_file_name(str(folder)) == name


@pytest.mark.parametrize("file", ["tokenizer.json", "tokenizer_config.json"])
def test_another_content_is_refused(tmp_path: Path, file: str) -> None:
    folder = wordpiece_folder(tmp_path / "model")
    library = described(str(folder))
    changed = json.loads((folder / file).read_text("utf-8"))
    if file == "tokenizer.json":
        changed["model"]["vocab"] = {
            word: rank for word, rank in changed["model"]["vocab"].items() if rank < 200
        }
    else:
        changed["do_lower_case"] = True
    (folder / file).write_text(json.dumps(changed), "utf-8")
    with pytest.raises(ConfigurationError, match="has changed since the library was built"):
        FileTokenizer(library.tokenizer)
    with pytest.raises(ConfigurationError, match="EMBEDDING_TOKENIZER says"):
        require_match(library, EmbeddingOptions(tokenizer=str(folder)))


def test_a_renewed_cache_of_the_same_content_changes_nothing(
    tmp_path: Path, huggingface: HuggingFaceHere
) -> None:
    folder = unigram_folder(tmp_path / "model")
    put_into_cache(huggingface.cache, NAME, folder)
    library = described(NAME)
    put_into_cache(huggingface.cache, NAME, folder, SECOND)
    assert cached_folder(NAME).name == SECOND
    assert described(NAME) == library
    FileTokenizer(library.tokenizer)


def test_a_renewed_cache_of_another_content_is_refused(tmp_path: Path, huggingface: HuggingFaceHere) -> None:
    put_into_cache(huggingface.cache, NAME, unigram_folder(tmp_path / "model"))
    library = described(NAME)
    put_into_cache(huggingface.cache, NAME, unigram_folder(tmp_path / "other", 150), SECOND)
    with pytest.raises(ConfigurationError, match="cache has changed since the library was built"):
        FileTokenizer(library.tokenizer)
    with pytest.raises(ConfigurationError, match="EMBEDDING_TOKENIZER says"):
        require_match(library, EmbeddingOptions(tokenizer=NAME))


# -- Names -------------------------------------------------------------------------------------------------------------


def test_a_path_that_exists_goes_before_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, huggingface: HuggingFaceHere
) -> None:
    monkeypatch.chdir(tmp_path)
    put_into_cache(huggingface.cache, NAME, unigram_folder(tmp_path / "model"))
    assert described(NAME).tokenizer.startswith("hf:")
    wordpiece_folder(tmp_path / NAME)
    assert described(NAME).tokenizer.startswith(f"file:{tmp_path / NAME}#")
    assert described(f"hf:{NAME}").tokenizer.startswith(f"hf:{NAME}#")


@pytest.mark.parametrize(
    ("said", "means"),
    [
        (NAME, NAME),
        (f"hf:{NAME}", NAME),
        (f"hf:{NAME}#0123456789abcdef", NAME),
        ("hf:gpt2", "gpt2"),
        (f"file:{NAME}", None),
        (f"./{NAME}", None),
        (f"~/{NAME}", None),
        (f"/{NAME}", None),
        ("models/tokenizer.json", None),
        ("models/vocab.txt", None),
        ("a/b/c", None),
        ("gpt2", None),
        ("cl100k_base", None),
    ],
)
def test_names_are_distinguished_from_paths(said: str, means: str | None) -> None:
    assert repository(said) == means


def test_what_the_cache_does_not_hold_is_reported_with_the_way_to_it(huggingface: HuggingFaceHere) -> None:
    with pytest.raises(TokenizerNotHereError, match=f"{NAME} is not on this computer") as caught:
        described(NAME)
    assert str(huggingface.cache) in caught.value.message
    assert "downloads it from http://127.0.0.1:9" in caught.value.hint
    assert caught.value.repository == NAME


def test_a_cache_that_lacks_the_vocabulary_does_not_hold_it(
    tmp_path: Path, huggingface: HuggingFaceHere
) -> None:
    snapshot = put_into_cache(huggingface.cache, NAME, unigram_folder(tmp_path / "model"))
    (snapshot / "tokenizer.json").unlink()
    with pytest.raises(TokenizerNotHereError):
        described(NAME)


@pytest.mark.parametrize(
    "said",
    [
        "nomic-ai/nomic-embed-text-v1",
        "nomic-ai/nomic-embed-text-v1.5",
        "google-bert/bert-base-uncased",
        "hf:sentence-transformers/all-MiniLM-L6-v2",
    ],
)
def test_names_of_shipped_tokenizers_need_nothing_else(huggingface: HuggingFaceHere, said: str) -> None:
    nomic = EmbeddingOptions(backend="ollama")
    named = EmbeddingOptions(backend="ollama", tokenizer=said)
    assert resolve(named) == resolve(nomic)
    require_match(resolve(nomic), named)
    assert open_tokenizer(said).name == "bert-base-uncased"
    assert resolve(EmbeddingOptions(backend="embedded", tokenizer=said)).tokenizer == "bert-base-uncased"


@pytest.mark.parametrize(
    ("model", "name", "dimensions", "prefix"),
    [
        ("bge-m3", NAME, 1024, ""),
        ("text-embedding-bge-m3", NAME, 1024, ""),
        ("multilingual-e5-small", "intfloat/multilingual-e5-small", 384, "passage: "),
        ("intfloat/multilingual-e5-base", "intfloat/multilingual-e5-base", 768, "passage: "),
        ("text-embedding-multilingual-e5-large", "intfloat/multilingual-e5-large", 1024, "passage: "),
    ],
)
def test_a_known_models_name_suffices_where_the_cache_has_its_tokenizer(
    tmp_path: Path, huggingface: HuggingFaceHere, model: str, name: str, dimensions: int, prefix: str
) -> None:
    options = EmbeddingOptions(backend="openai", model=model)
    with pytest.raises(ConfigurationError, match=f"tokenizer of {model} does not come with") as caught:
        resolve(options)
    assert not isinstance(caught.value, TokenizerNotHereError), (
        "it would be downloaded, and nobody asked for that"
    )
    assert f"Set EMBEDDING_TOKENIZER to {name} to have it downloaded" in caught.value.hint
    put_into_cache(huggingface.cache, name, unigram_folder(tmp_path / "model"))
    found = resolve(options)
    assert found.tokenizer.startswith(f"hf:{name}#")
    assert (found.dimensions, found.document_prefix) == (dimensions, prefix)


# -- What cannot be used -----------------------------------------------------------------------------------------------


def spoiled(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content, "utf-8")
    return folder


def test_folders_without_a_tokenizer_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for extra in (
        {},
        {"tokenizer_config__json": '{"tokenizer_class": "BertTokenizer"}'},
        {"merges__txt": "a b"},
    ):
        spoiled(folder, **extra)
        with pytest.raises(ConfigurationError, match="holds no tokenizer") as caught:
            described(str(folder))
        assert "EMBEDDING_TOKENIZER" in caught.value.hint


@pytest.mark.parametrize(
    "files",
    [
        {"tokenizer__json": "no json"},
        {"tokenizer__json": "{}"},
        {"tokenizer__json": '{"model": 3}'},
        {"tokenizer_config__json": "no json"},
        {"tokenizer_config__json": "[]"},
        {"config__json": "no json"},
        {"config__json": "[]"},
    ],
)
@pytest.mark.parametrize("make", [wordpiece_folder, unigram_folder, vocabulary_folder])
def test_broken_folders_are_refused(tmp_path: Path, files: dict[str, str], make: object) -> None:
    folder = spoiled(make(tmp_path / "model"), **files)  # type: ignore[operator]
    with pytest.raises(ConfigurationError, match="cannot be used: ") as caught:
        open_tokenizer(described(str(folder)).tokenizer)
    assert str(folder) in caught.value.message
    assert "EMBEDDING_TOKENIZER" in caught.value.hint


def test_a_class_that_does_not_find_its_vocabulary_is_refused(tmp_path: Path) -> None:
    folder = sentencepiece_folder(tmp_path / "model")
    spoiled(folder, tokenizer_config__json='{"tokenizer_class": "BertTokenizer"}')
    with pytest.raises(ConfigurationError, match="no vocabulary for BertTokenizer"):
        open_tokenizer(str(folder))


def test_a_class_without_a_fast_form_is_refused(tmp_path: Path) -> None:
    folder = vocabulary_folder(tmp_path / "model")
    spoiled(folder, tokenizer_config__json='{"tokenizer_class": "ByT5Tokenizer"}')
    with pytest.raises(ConfigurationError, match="has no fast form"):
        open_tokenizer(str(folder))


def test_code_that_comes_with_a_tokenizer_is_not_run(tmp_path: Path) -> None:
    folder, ran = wordpiece_folder(tmp_path / "model"), tmp_path / "ran"
    config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    config |= {"tokenizer_class": "Mine", "auto_map": {"AutoTokenizer": [None, "mine.Mine"]}}
    spoiled(folder, tokenizer_config__json=json.dumps(config), mine__py=f"open({str(ran)!r}, 'w')")
    with pytest.raises(ConfigurationError, match="cannot be used: "):
        open_tokenizer(str(folder))
    assert not ran.exists()


def test_a_folder_that_is_gone_is_reported_by_both_its_places(tmp_path: Path) -> None:
    folder = wordpiece_folder(tmp_path / "model")
    library = described(str(folder))
    shutil.rmtree(folder)
    with pytest.raises(ConfigurationError, match="This library was built with") as caught:
        require_match(library, EmbeddingOptions(tokenizer=str(tmp_path / "elsewhere")))
    assert str(folder) in caught.value.message
    with pytest.raises(ConfigurationError, match="This library was built with it"):
        FileTokenizer(library.tokenizer)


# -- What is loaded, and what is said ----------------------------------------------------------------------------------


def in_a_process(code: str) -> str:
    """What a fresh process prints, on either stream."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
        timeout=120,
    )
    return done.stdout.decode()


def test_nothing_is_printed_and_no_usage_is_reported(tmp_path: Path) -> None:
    folder = xlm(tmp_path)
    code = (
        "from webrag_desktop.embedding.factory import open_tokenizer\n"
        f"open_tokenizer({str(folder)!r})\n"
        "from huggingface_hub import constants\n"
        "print(constants.HF_HUB_DISABLE_TELEMETRY, constants.HF_HUB_DISABLE_UPDATE_CHECK)"
    )
    assert in_a_process(code) == "True True\n"


def xlm(tmp_path: Path) -> Path:
    return KINDS["xlm-roberta"](tmp_path / "model")


def test_transformers_is_loaded_only_where_a_folder_is_opened(tmp_path: Path) -> None:
    folder = unigram_folder(tmp_path / "model")
    code = (
        "import sys\n"
        "from webrag_desktop.embedding.factory import open_tokenizer, resolve\n"
        "from webrag_desktop.embedding.options import EmbeddingOptions\n"
        "resolve(EmbeddingOptions(backend='ollama', tokenizer='nomic-ai/nomic-embed-text-v1'))\n"
        f"open_tokenizer({str(folder / 'tokenizer.json')!r})\n"
        "resolve(EmbeddingOptions(backend='openai', model='m', dimensions=8, "
        f"tokenizer={str(folder)!r}))\n"
        "print('transformers' in sys.modules)\n"
        f"open_tokenizer({str(folder)!r})\n"
        "print('transformers' in sys.modules, 'torch' in sys.modules)"
    )
    assert in_a_process(code) == "False\nTrue False\n"
