"""Trying a connection: what works is measured; what does not is reported with what to do, and what the server lists."""

import socket
from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer
from tests.support.embedding_server import EmbeddingServer, status
from tests.support.fused_model import place_fused_model
from tests.support.llama_server import LlamaServer
from tests.support.ollama_chat import OllamaChatServer
from webrag_desktop import DataFolder
from webrag_desktop.config import Settings
from webrag_desktop.embedding.catalog import EMBEDDED_MODELS
from webrag_desktop.errors import Cancelled
from webrag_desktop.library import server_trials
from webrag_desktop.progress import CancelToken


@pytest.fixture(autouse=True)
def _briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_trials, "_SECONDS", 0.05)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(Settings.of(WEBRAG_HOME=place_fused_model(tmp_path)))


def _nobody() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


def _ollama(url: str, model: str = "nomic-embed-text") -> dict[str, str]:
    return {"EMBEDDING_BACKEND": "ollama", "EMBEDDING_BASE_URL": url, "EMBEDDING_MODEL": model}


def test_an_embedding_model_is_measured_and_the_list_comes_too(folder: DataFolder) -> None:
    with EmbeddingServer({"nomic-embed-text": 768, "bge-m3": 1024}) as server:
        trial = folder.try_embedding(_ollama(server.url))
    assert trial.ok
    assert (trial.model, trial.dimensions, trial.address) == ("nomic-embed-text", 768, server.url)
    assert {name.removesuffix(":latest") for name in trial.models} == {"nomic-embed-text", "bge-m3"}
    assert trial.rate is not None
    assert trial.rate > 0
    assert trial.seconds is not None


def test_the_model_of_the_program_needs_no_server(folder: DataFolder) -> None:
    trial = folder.try_embedding({"EMBEDDING_BACKEND": "embedded"})
    assert (trial.ok, trial.dimensions, trial.address) == (True, 384, None)
    assert trial.models == tuple(one.name for one in EMBEDDED_MODELS)
    assert trial.weights
    assert trial.rate


def test_a_model_that_the_server_lacks_is_reported_with_those_it_has(folder: DataFolder) -> None:
    with EmbeddingServer({"bge-m3": 1024}) as server:
        trial = folder.try_embedding(_ollama(server.url))
    assert "does not have the model nomic-embed-text" in trial.problem
    assert "ollama pull nomic-embed-text" in trial.remedy
    assert [name.removesuffix(":latest") for name in trial.models] == ["bge-m3"]


def test_a_key_that_is_refused_is_reported_without_the_key(folder: DataFolder) -> None:
    with LlamaServer({"text-embedding-3-small": 1536}, key="right") as server:
        given = {
            "EMBEDDING_BACKEND": "openai",
            "EMBEDDING_BASE_URL": server.url,
            "EMBEDDING_MODEL": "text-embedding-3-small",
            "EMBEDDING_API_KEY": "sk-wrong",
        }
        refused = folder.try_embedding(given)
        assert folder.try_embedding(given | {"EMBEDDING_API_KEY": "right"}).ok
    assert not refused.ok
    assert "key" in refused.problem + refused.remedy
    assert "sk-wrong" not in refused.problem + refused.remedy


def test_no_server_at_the_address_is_reported(folder: DataFolder) -> None:
    address = _nobody()
    trial = folder.try_embedding(_ollama(address))
    assert address in trial.problem
    assert trial.remedy
    chat = folder.try_chat({"CHAT_BASE_URL": address, "CHAT_MODEL": "llama3.1"})
    assert address in chat.problem
    assert chat.remedy


def test_a_server_that_loads_its_model_is_reported(folder: DataFolder) -> None:
    with EmbeddingServer() as server:
        server.misbehave(status(503, "Loading model"), times=9, path="/api/embed")
        trial = folder.try_embedding(_ollama(server.url))
    assert not trial.ok
    assert trial.models


def test_a_chat_model_writes_a_few_words_and_is_measured(folder: DataFolder) -> None:
    with OllamaChatServer("llama3.1", answers=lambda _payload: "The harbour wakes early. " * 4) as server:
        server.pulled.append("qwen3:8b")
        trial = folder.try_chat({"CHAT_BASE_URL": server.url, "CHAT_MODEL": "llama3.1"})
        nothing_named = folder.try_chat({"CHAT_BASE_URL": server.url})
    assert trial.ok
    assert trial.rate
    assert trial.counted
    assert len(trial.models) == 2
    assert nothing_named.problem == "No model is named yet."
    assert nothing_named.models == trial.models


def test_a_chat_key_that_is_refused_is_reported_without_the_key(folder: DataFolder) -> None:
    with ChatServer("judge", key="right", answers=lambda _payload: "One. Two. Three.") as server:
        given = {"CHAT_BASE_URL": server.url, "CHAT_MODEL": "judge", "CHAT_API_KEY": "sk-wrong"}
        refused = folder.try_chat(given)
        assert folder.try_chat(given | {"CHAT_API_KEY": "right"}).ok
    assert "CHAT_API_KEY" in refused.problem + refused.remedy
    assert "sk-wrong" not in refused.problem + refused.remedy


def test_a_chat_model_that_is_not_listed_is_reported(folder: DataFolder) -> None:
    with OllamaChatServer("llama3.1") as server:
        trial = folder.try_chat({"CHAT_BASE_URL": server.url, "CHAT_MODEL": "absent"})
    assert "does not have the model absent" in trial.problem
    assert trial.models


def test_a_trial_that_was_cancelled_tells_nothing(folder: DataFolder) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with OllamaChatServer("llama3.1") as server, pytest.raises(Cancelled):
        folder.try_chat({"CHAT_BASE_URL": server.url, "CHAT_MODEL": "llama3.1"}, cancel)
    with EmbeddingServer() as server, pytest.raises(Cancelled):
        folder.try_embedding(_ollama(server.url), cancel)
