"""Choosing a backend and looking at it, with and without a server."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.embedding_server import (
    EmbeddingServer,
    Fault,
    Reply,
    dropped,
    json_reply,
    silence,
    spoiled,
    status,
    web_page,
)
from tests.support.llama_server import loading, no_embeddings
from webrag_desktop.embedding import embedded
from webrag_desktop.embedding import server_check as status_module
from webrag_desktop.embedding.catalog import DEFAULT_EMBEDDED, MINILM_FUSED
from webrag_desktop.embedding.factory import resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.server_check import check_backend
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.models.stack import BackendStatus

NOWHERE = "http://127.0.0.1:1"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer({"nomic-embed-text": 768}) as running:
        yield running


def test_auto_takes_ollama_where_it_has_the_model(server: EmbeddingServer) -> None:
    model = resolve(EmbeddingOptions(base_url=server.url))
    assert (model.backend, model.model, model.dimensions) == ("ollama", "nomic-embed-text", 768)
    assert server.embedding_requests == []


def test_auto_takes_the_embedded_model_where_nobody_answers() -> None:
    assert resolve(EmbeddingOptions(base_url=NOWHERE)) == DEFAULT_EMBEDDED.forms[0]


def test_auto_takes_the_embedded_model_where_ollama_lacks_the_model() -> None:
    with EmbeddingServer({"llama3": 4096, "nomic-embed-text:v1.5": 768}) as server:
        assert resolve(EmbeddingOptions(base_url=server.url)) == DEFAULT_EMBEDDED.forms[0]


@pytest.mark.parametrize("fault", [web_page, status(500, "no"), status(401, "key")])
def test_auto_takes_the_embedded_model_where_something_else_answers(
    server: EmbeddingServer, fault: Fault
) -> None:
    server.misbehave(fault, path="/api/tags")
    assert resolve(EmbeddingOptions(base_url=server.url)) == DEFAULT_EMBEDDED.forms[0]


def test_auto_does_not_replace_a_model_that_was_asked_for(server: EmbeddingServer) -> None:
    with pytest.raises(ConfigurationError, match="EMBEDDING_MODEL is bge-m3") as caught:
        resolve(EmbeddingOptions(base_url=server.url, model="bge-m3"))
    assert "ollama pull bge-m3" in caught.value.hint
    assert resolve(EmbeddingOptions(base_url=NOWHERE, model="all-MiniLM-L6-v2")) == MINILM_FUSED


@pytest.mark.parametrize("fault", [status(503, "starting"), dropped])
def test_auto_keeps_to_a_model_that_was_asked_for_while_its_server_is_away(
    server: EmbeddingServer, fault: Fault
) -> None:
    there = resolve(EmbeddingOptions(base_url=server.url, model="nomic-embed-text"))
    assert resolve(EmbeddingOptions(base_url=NOWHERE, model="nomic-embed-text:latest")) == there
    server.misbehave(fault, path="/api/tags")
    assert resolve(EmbeddingOptions(base_url=server.url, model="nomic-embed-text")) == there


@pytest.mark.parametrize("name", ["text-embedding-3-small", "text-embedding-nomic-embed-text-v1.5"])
def test_auto_does_not_wait_for_ollama_to_bring_a_model_of_others(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"EMBEDDING_MODEL is {name}") as caught:
        resolve(EmbeddingOptions(base_url=NOWHERE, model=name))
    assert "EMBEDDING_BACKEND=openai" in caught.value.hint


def test_auto_refuses_dimensions_the_found_model_lacks(server: EmbeddingServer) -> None:
    assert resolve(EmbeddingOptions(base_url=server.url, dimensions=768)).dimensions == 768
    with pytest.raises(ConfigurationError, match="EMBEDDING_DIMENSIONS is 768"):
        resolve(EmbeddingOptions(base_url=NOWHERE, dimensions=768))


def test_embedded_model_is_found_in_order() -> None:
    found = check_backend(MINILM_FUSED, EmbeddingOptions())
    assert found.ok
    assert (found.backend, found.address, found.reachable, found.model_present) == (
        "embedded",
        None,
        True,
        True,
    )


def test_missing_model_file_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "installed_model_file", lambda: Path("/nowhere/model.onnx"))
    found = check_backend(MINILM_FUSED, EmbeddingOptions())
    assert not found.ok
    assert found.model_present is False
    assert "Reinstall" in (found.remedy or "")


def test_ollama_in_order(server: EmbeddingServer) -> None:
    options = EmbeddingOptions(backend="ollama", base_url=server.url)
    found = check_backend(resolve(options), options)
    assert found.ok
    assert (found.address, found.version, found.model_present) == (server.url, "0.12.6", True)


def test_ollama_without_the_model_comes_with_the_remedy(server: EmbeddingServer) -> None:
    options = EmbeddingOptions(backend="ollama", base_url=server.url)
    server.models.clear()
    found = check_backend(resolve(options), options)
    assert (found.ok, found.reachable, found.model_present) == (False, True, False)
    assert found.remedy == "Fetch it with: ollama pull nomic-embed-text"


def test_absent_server_is_a_status_not_an_error() -> None:
    options = EmbeddingOptions(backend="ollama", base_url=NOWHERE)
    found = check_backend(resolve(options), options)
    assert (found.ok, found.reachable, found.model_present) == (False, False, None)
    assert found.problem is not None
    assert found.remedy


def test_silent_server_is_not_waited_for(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status_module, "PROBE_TIMEOUT", 0.2)
    server.misbehave(silence, path="/api/version")
    options = EmbeddingOptions(backend="ollama", base_url=server.url)
    found = check_backend(resolve(options), options)
    assert not found.reachable
    assert found.problem is not None
    assert "did not answer" in found.problem


@pytest.fixture
def openai() -> EmbeddingOptions:
    """What a server is asked for in the tests that follow; its address is theirs."""
    return EmbeddingOptions(backend="openai", model="nomic-embed-text")


def looked_at(server: EmbeddingServer, options: EmbeddingOptions) -> BackendStatus:
    there = replace(options, base_url=server.url)
    return check_backend(resolve(there), there)


def test_openai_compatible_server_that_embeds_is_in_order() -> None:
    with EmbeddingServer({"text-embedding-3-small": 1536}, key="sk-right") as server:
        options = EmbeddingOptions(backend="openai", base_url=server.url, api_key=SecretStr("sk-right"))
        found = check_backend(resolve(options), options)
    assert (found.ok, found.model_present, found.note) == (True, True, None)
    assert [request.path for request in server.received] == ["/v1/embeddings", "/v1/models"]
    assert server.embedding_requests == []  # nothing but the known text was sent


def test_one_that_lacks_the_model_is_not_and_what_it_has_is_reported(
    server: EmbeddingServer, openai: EmbeddingOptions
) -> None:
    server.models = {f"other-{number}": 768 for number in range(5)}
    found = looked_at(server, openai)
    assert (found.ok, found.reachable, found.model_present) == (False, True, False)
    assert "The server lists other-0, other-1, other-2 and others." in (found.remedy or "")


@pytest.mark.parametrize("id_", ["/models/nomic-embed-text-v1.5.Q8_0.gguf", "gpt-oss"])
def test_a_model_that_is_listed_under_another_name_and_works_is_in_order_and_the_name_is_reported(
    server: EmbeddingServer, openai: EmbeddingOptions, id_: str
) -> None:
    server.misbehave(lambda _: listing(id_), path="/v1/models")
    found = looked_at(server, openai)
    assert (found.ok, found.model_present, found.problem) == (True, True, None)
    assert f"The server lists {id_}." in (found.note or "")


def listing(id_: str, *aliases: str) -> Reply:
    """The list of llama.cpp's server."""
    row = {"id": id_, "aliases": list(aliases), "object": "model", "owned_by": "llamacpp"}
    return json_reply({"object": "list", "data": [row]})


def test_an_alias_is_a_name(server: EmbeddingServer, openai: EmbeddingOptions) -> None:
    server.misbehave(lambda _: listing("/models/x.gguf", "nomic-embed-text"), path="/v1/models")
    assert looked_at(server, openai).note is None


@pytest.mark.parametrize(
    "fault", [status(404, "no such path"), status(500, "no"), web_page, lambda _: Reply(200, b"[7]")]
)
def test_a_server_without_a_list_does_all_the_same(
    server: EmbeddingServer, openai: EmbeddingOptions, fault: Fault
) -> None:
    server.misbehave(fault, path="/v1/models")
    found = looked_at(server, openai)
    assert (found.ok, found.model_present, found.note) == (True, True, None)


@pytest.mark.parametrize(
    ("fault", "problem", "remedy"),
    [
        (no_embeddings, "does not embed texts", "Start it with `--embeddings`"),
        (loading, "still loading its model", "Loading model"),
        (status(429, "slow down"), "too much to do", "slow down"),
        (status(500, "boom"), "failed", "boom"),
        (spoiled(lambda rows: rows[0].update(embedding=[1.0] * 7)), "7 numbers", "EMBEDDING_MODEL"),
        (spoiled(lambda rows: rows[0].update(embedding=[0.0] * 768)), "vector of zeros", "broken"),
    ],
)
def test_a_server_that_lists_the_model_but_does_not_embed_is_not_in_order(
    server: EmbeddingServer, openai: EmbeddingOptions, fault: Fault, problem: str, remedy: str
) -> None:
    server.misbehave(fault)
    found = looked_at(server, openai)
    assert (found.ok, found.reachable) == (False, True)
    assert problem in (found.problem or "")
    assert remedy in (found.remedy or "")


def test_a_server_that_is_busy_over_other_texts_is_in_order_one_that_is_silent_is_not(
    server: EmbeddingServer, openai: EmbeddingOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_module, "PROBE_TIMEOUT", 0.2)
    server.misbehave(silence)
    found = looked_at(server, openai)
    assert (found.ok, found.model_present) == (True, None)
    assert "busy" in (found.note or "")
    server.misbehave(silence)
    server.misbehave(silence, path="/v1/models")
    found = looked_at(server, openai)
    assert (found.ok, found.reachable) == (False, False)


def test_ollama_too_is_believed_by_what_it_does(server: EmbeddingServer) -> None:
    options = EmbeddingOptions(backend="ollama", base_url=server.url)
    server.misbehave(lambda _: json_reply({"models": []}), path="/api/tags")
    found = check_backend(resolve(options), options)
    assert (found.ok, found.model_present) == (True, True)
    assert "/api/embed" in [request.path for request in server.received]


def test_refused_key_is_reported_without_the_key() -> None:
    with EmbeddingServer({"text-embedding-3-small": 1536}, key="sk-right") as server:
        options = EmbeddingOptions(backend="openai", base_url=server.url, api_key=SecretStr("sk-wrong"))
        found = check_backend(resolve(options), options)
    assert (found.ok, found.reachable) == (False, True)
    assert "EMBEDDING_API_KEY" in (found.remedy or "")
    assert "sk-wrong" not in repr(found)


def test_missing_key_is_reported() -> None:
    options = EmbeddingOptions(backend="openai")
    found = check_backend(resolve(options), options)
    assert not found.ok
    assert "EMBEDDING_API_KEY" in (found.remedy or "")
