"""A tokenizer is fetched from HuggingFace's hub only where the user named it, and that is said first."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.huggingface import SECOND, HubServer, HuggingFaceHere, put_into_cache, unigram_folder
from webrag_desktop.embedding.factory import open_tokenizer, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.tokenizers.huggingface import (
    TokenizerNotHereError,
    TokenizerUnreadableError,
    with_download,
)
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models.spaces import EmbeddingModel

NAME = "BAAI/bge-m3"
OPTIONS = EmbeddingOptions(backend="openai", model="bge-m3", tokenizer=NAME)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return unigram_folder(tmp_path / "model")


@pytest.fixture
def hub(folder: Path, huggingface: HuggingFaceHere) -> Iterator[HubServer]:
    with HubServer(NAME, folder) as running:
        huggingface.look_at(running.url)
        yield running


def settled(named: str | None = NAME) -> EmbeddingModel:
    return with_download(named, lambda: resolve(OPTIONS))


def test_it_is_said_first_and_only_the_tokenizer_is_fetched(
    hub: HubServer, huggingface: HuggingFaceHere, caplog: pytest.LogCaptureFixture
) -> None:
    asked_before: list[int] = []

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            asked_before.append(len(hub.received))

    logging.getLogger("webrag_desktop").addHandler(heard := Heard())
    try:
        model = settled()
    finally:
        logging.getLogger("webrag_desktop").removeHandler(heard)
    (said,) = caplog.messages
    assert f"Downloading the tokenizer {NAME} from {hub.url}, as EMBEDDING_TOKENIZER says" in said
    assert str(huggingface.cache) in said
    assert asked_before == [0]
    assert hub.fetched == ["tokenizer_config.json", "tokenizer.json"]
    assert model.tokenizer.startswith(f"hf:{NAME}#")
    assert open_tokenizer(model.tokenizer).count("thoughtful ships") > 1


def test_what_the_cache_has_is_never_asked_for(
    hub: HubServer, folder: Path, huggingface: HuggingFaceHere
) -> None:
    put_into_cache(huggingface.cache, NAME, folder)
    open_tokenizer(settled().tokenizer)
    assert hub.received == []


def test_what_was_fetched_is_not_fetched_again(hub: HubServer) -> None:
    model = settled()
    asked = len(hub.received)
    assert settled() == model
    open_tokenizer(model.tokenizer)
    assert len(hub.received) == asked


def test_looking_fetches_nothing(hub: HubServer) -> None:
    with pytest.raises(TokenizerNotHereError):
        resolve(OPTIONS)
    with pytest.raises(TokenizerNotHereError):
        open_tokenizer(NAME)
    assert hub.received == []


@pytest.mark.parametrize("named", [None, "BAAI/bge-small-en", "bert-base-uncased"])
def test_what_was_not_named_is_not_fetched(hub: HubServer, named: str | None) -> None:
    with pytest.raises(TokenizerNotHereError):
        settled(named)
    with pytest.raises(ConfigurationError, match="does not come with this program"):
        with_download(None, lambda: resolve(EmbeddingOptions(backend="openai", model="bge-m3")))
    assert hub.received == []


def test_a_download_that_broke_off_is_not_taken_for_all_of_it(hub: HubServer) -> None:
    hub.failing = {"tokenizer.json"}
    with pytest.raises(
        TokenizerUnreadableError, match=f"{NAME} cannot be downloaded from {hub.url}"
    ) as caught:
        settled()
    assert "Nothing is lost" in caught.value.message
    with pytest.raises(TokenizerNotHereError):
        resolve(OPTIONS)
    hub.failing = set()
    assert settled().tokenizer.startswith(f"hf:{NAME}#")


def test_the_vocabulary_is_fetched_where_there_is_nothing_else(hub: HubServer, tmp_path: Path) -> None:
    hub.files = {
        "vocab.txt": b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nship\n##s\n",
        "pytorch_model.bin": b"weights",
    }
    assert open_tokenizer(settled().tokenizer).count("ships") == 2
    assert hub.fetched == ["vocab.txt"]


@pytest.mark.parametrize(
    ("trouble", "reported", "hint"),
    [
        ((403, "GatedRepo"), "accepted their terms", f"/{NAME} and log in"),
        ((404, "RepoNotFound"), "no model of that name is visible", "Check EMBEDDING_TOKENIZER"),
        ((401, "RepoNotFound"), "no model of that name is visible", "Check EMBEDDING_TOKENIZER"),
        ((500, ""), "500", "try again"),
    ],
)
def test_what_the_hub_refuses_is_reported(
    hub: HubServer, trouble: tuple[int, str], reported: str, hint: str
) -> None:
    hub.trouble = trouble
    with pytest.raises(TokenizerUnreadableError, match=reported) as caught:
        settled()
    assert f"{NAME} cannot be downloaded from {hub.url}" in caught.value.message
    assert hint in caught.value.hint
    assert "EMBEDDING_TOKENIZER" in caught.value.hint


def test_a_model_without_a_tokenizer_is_reported_and_nothing_of_it_fetched(hub: HubServer) -> None:
    hub.files = {"model.safetensors": b"weights", "config.json": b"{}"}
    with pytest.raises(TokenizerUnreadableError, match="it holds no tokenizer"):
        settled()
    assert hub.fetched == []


def test_a_hub_that_does_not_answer_is_reported(huggingface: HuggingFaceHere) -> None:
    with pytest.raises(TokenizerUnreadableError, match=r"cannot be downloaded from http://127\.0\.0\.1:9: "):
        settled()


def test_the_environment_may_forbid_it(
    hub: HubServer, huggingface: HuggingFaceHere, caplog: pytest.LogCaptureFixture
) -> None:
    huggingface.forbid()
    with pytest.raises(TokenizerUnreadableError, match="HF_HUB_OFFLINE"):
        settled()
    assert (hub.received, caplog.messages) == ([], [])


def test_a_name_that_the_hub_cannot_have_is_reported(hub: HubServer) -> None:
    named = "hf:a--b/c..d"
    with pytest.raises(TokenizerUnreadableError, match="cannot be downloaded"):
        with_download(named, lambda: open_tokenizer(named))
    assert hub.received == []


def test_what_changes_on_the_hub_changes_nothing_here(hub: HubServer, tmp_path: Path) -> None:
    model = settled()
    hub.commit = SECOND
    hub.files["tokenizer.json"] = (unigram_folder(tmp_path / "new", 150) / "tokenizer.json").read_bytes()
    assert settled() == model
