"""Ollama's own interface: nothing is cut off without a word, and its errors are understood."""

from typing import Any

import numpy as np
import pytest

from tests.support.embedding_server import (
    EmbeddingServer,
    Fault,
    Reply,
    hashed_vector,
    json_reply,
    status,
    web_page,
)
from tests.support.remote_embedding import Open
from tests.support.tokenizer_file import unigram_file
from webrag_desktop.embedding.server_errors import ModelMissingError, ServerBusyError, TextsRefusedError
from webrag_desktop.errors import EmbeddingError


def changed(**fields: Any) -> Fault:
    return lambda answer: json_reply(answer | fields)


def test_request_forbids_truncation_and_names_the_window(server: EmbeddingServer, opened: Open) -> None:
    opened("ollama").embed_texts(["one", "two"])
    (request,) = server.embedding_requests
    assert request.path == "/api/embed"
    assert request.payload == {
        "model": "nomic-embed-text",
        "input": ["search_document: one", "search_document: two"],
        "truncate": False,
        "options": {"num_ctx": 2048, "num_batch": 2048},
    }


def test_every_request_names_the_same_window_so_that_the_model_stays_loaded(
    server: EmbeddingServer, opened: Open
) -> None:
    embedder = opened("ollama")
    embedder.embed_texts(["one", "two"])
    embedder.embed_query("three")
    sent = [request for request in server.received if request.path == "/api/embed"]
    assert len(sent) > 3  # those that check the server are among them
    assert {str(request.payload["options"]) for request in sent} == {"{'num_ctx': 2048, 'num_batch': 2048}"}
    assert {request.payload["truncate"] for request in sent} == {False}


def test_vectors_come_in_order(opened: Open) -> None:
    vectors = opened("ollama").embed_texts(["tree", "river", "stone"])
    expected = [hashed_vector(f"search_document: {word}", 768) for word in ("tree", "river", "stone")]
    assert np.allclose(vectors, expected)


@pytest.mark.parametrize(
    ("fault", "kind", "words", "hint"),
    [
        (status(404, "model 'x' not found", native=True), ModelMissingError, "does not have", "ollama pull"),
        (
            lambda _: Reply(404, b"404 page not found", {"Content-Type": "text/plain"}),
            ModelMissingError,
            "does not have this model or endpoint",
            "older than 0.3",
        ),
        (status(503, "server busy", native=True), ServerBusyError, "too much to do", "says: server busy"),
        (changed(embeddings=None), EmbeddingError, "other than a list of vectors", "Ollama"),
        (changed(embeddings=[]), EmbeddingError, "gave 0 vectors for 1 texts", "Update"),
        (changed(embeddings=[[]]), EmbeddingError, "gave 0 numbers per text", "EMBEDDING_MODEL"),
        (changed(embeddings=[[0.0] * 768]), EmbeddingError, "vector of zeros", "broken"),
        (web_page, EmbeddingError, "A web page answered", "EMBEDDING_BASE_URL"),
    ],
)
def test_every_failure_has_its_own_words_and_a_hint(
    server: EmbeddingServer,
    opened: Open,
    fault: Fault,
    kind: type[EmbeddingError],
    words: str,
    hint: str,
) -> None:
    server.misbehave(fault, times=9)
    with pytest.raises(kind, match=words) as caught:
        opened("ollama").embed_query("a")
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "fault",
    [
        status(400, "the input length exceeds the context length", native=True),
        status(500, "failed to encode response: json: unsupported value: NaN", native=True),
        status(500, 'do embedding request: Post "http://127.0.0.1:33967/embedding": EOF', native=True),
    ],
)
def test_one_bad_input_fails_its_batch_and_is_found(
    server: EmbeddingServer, opened: Open, fault: Fault
) -> None:
    server.fail_over("evil", fault)
    with pytest.raises(TextsRefusedError, match=r"^Text 6 of 9 \(“evil”\) cannot be embedded"):
        opened("ollama").embed_texts(["a", "b", "c", "d", "e", "evil", "g", "h", "i"])


def test_a_smaller_context_than_the_library_counts_on_is_noticed_before_anything_is_stored(
    server: EmbeddingServer, opened: Open
) -> None:
    server.window = 60
    with pytest.raises(
        EmbeddingError, match=r"refuses texts of 128 tokens.*nomic-embed-text reading 2048"
    ) as caught:
        opened("ollama").embed_texts(["short"])
    assert "exceeds the context length" in caught.value.hint
    assert server.embedding_requests == []


def test_a_window_the_user_named_is_what_is_sent_to_the_server(
    server: EmbeddingServer, opened: Open, tmp_path: Any
) -> None:
    server.models["bge-m3"] = 1024
    file = unigram_file(tmp_path / "tokenizer.json")
    opened("ollama", model="bge-m3", tokenizer=str(file), max_tokens=300).embed_query("a")
    assert server.embedding_requests[0].payload["options"] == {"num_ctx": 300, "num_batch": 300}
