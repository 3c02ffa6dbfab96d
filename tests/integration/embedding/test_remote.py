"""The embedder over HTTP against a stand-in server that speaks the real protocols."""

import logging
import math
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.support.embedding_server import (
    EmbeddingServer,
    Reply,
    elsewhere,
    hashed_vector,
    silence,
    spoiled,
    status,
)
from tests.support.remote_embedding import KEY, Open, StillClock
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.server_errors import (
    KeyRefusedError,
    ServerSilentError,
)
from webrag_desktop.errors import ConfigurationError, EmbeddingError


def test_prefixes_go_before_documents_and_questions(server: EmbeddingServer, opened: Open) -> None:
    embedder = opened("ollama")
    (vector,) = embedder.embed_texts(["a tree"])
    question = embedder.embed_query("a tree")
    assert server.embedded_texts == ["search_document: a tree", "search_query: a tree"]
    assert len(vector) == len(question) == 768
    assert vector == pytest.approx(hashed_vector("search_document: a tree", 768))


def test_request_is_what_the_protocol_asks_for(server: EmbeddingServer, opened: Open) -> None:
    opened(model="text-embedding-3-small", dimensions=256).embed_texts(["one", "two"])
    (request,) = server.embedding_requests
    assert request.payload == {
        "model": "text-embedding-3-small",
        "input": ["one", "two"],
        "encoding_format": "float",
        "dimensions": 256,
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_dimensions_are_sent_only_to_models_that_know_them(server: EmbeddingServer, opened: Open) -> None:
    opened("ollama").embed_query("tree")
    assert "dimensions" not in server.embedding_requests[0].payload


def test_texts_are_sent_in_batches_and_come_back_in_order(server: EmbeddingServer, plain: Embedder) -> None:
    texts = [f"word{number}" for number in range(7)]
    vectors = plain.embed_texts(texts)
    assert sorted(len(request.payload["input"]) for request in server.embedding_requests) == [1, 2, 2, 2]
    assert np.allclose(vectors, [hashed_vector(text, 8) for text in texts])


def test_nothing_is_sent_for_nothing(server: EmbeddingServer, plain: Embedder) -> None:
    assert plain.embed_texts([]) == []
    assert server.received == []


def test_requests_run_at_once_up_to_the_limit(server: EmbeddingServer, opened: Open) -> None:
    together = threading.Barrier(3, timeout=30)

    def meet(answer: dict[str, object]) -> Reply:
        together.wait()
        return spoiled(lambda _: None)(answer)

    embedder = opened(
        model="plain", dimensions=8, tokenizer="bert-base-uncased", batch_size=1, max_workers=3, timeout=60
    )
    embedder.embed_texts(["x"])  # the server is checked first, one request at a time
    server.misbehave(meet, times=3)
    assert len(embedder.embed_texts(["a", "b", "c"])) == 3
    assert not together.broken


def test_a_single_request_needs_no_other_thread(server: EmbeddingServer, plain: Embedder) -> None:
    seen = embedding_threads(server)
    plain.embed_texts(["a", "b"])
    assert seen == [[], []]


def test_ollama_gets_one_request_at_a_time(server: EmbeddingServer, opened: Open) -> None:
    embedder = opened("ollama", batch_size=1)
    embedder.embed_texts(["x"])
    seen = embedding_threads(server)
    embedder.embed_texts([f"text {number}" for number in range(4)])
    assert seen == [[]] * 4


def embedding_threads(server: EmbeddingServer) -> list[list[str]]:
    """Filled with the names of the embedder's own threads as they are at each text's turn."""
    seen: list[list[str]] = []

    def watch(text: str, dimensions: int) -> list[float]:
        seen.append([thread.name for thread in threading.enumerate() if thread.name.startswith("embedding")])
        return hashed_vector(text, dimensions)

    server.vector = watch
    return seen


def test_quick_requests_double_from_one_to_the_next(server: EmbeddingServer, opened: Open) -> None:
    opened("ollama").embed_texts(["word " * 2000] * 10)
    assert request_sizes(server) == [1, 2, 4, 3]


def test_requests_grow_to_two_seconds_and_shrink_again(
    server: EmbeddingServer, opened: Open, clock: StillClock
) -> None:
    seconds_per_text = 0.25

    def take_time(text: str, dimensions: int) -> list[float]:
        clock.now += seconds_per_text
        return hashed_vector(text, dimensions)

    server.vector = take_time
    embedder = opened("ollama")
    embedder.embed_texts(["word " * 500] * 40)
    assert request_sizes(server)[:4] == [4, 8, 8, 8]
    seconds_per_text = 1.0
    embedder.embed_texts(["word " * 500] * 12)
    assert request_sizes(server)[-3:] == [8, 2, 2]


def test_a_request_that_takes_too_long_makes_the_next_smaller(server: EmbeddingServer, opened: Open) -> None:
    embedder = opened("ollama", timeout=4)
    embedder.embed_texts(["word " * 500])
    server.misbehave(silence)
    with pytest.raises(ServerSilentError):
        embedder.embed_texts(["word " * 500] * 4)
    embedder.embed_texts(["word " * 500] * 4)
    assert request_sizes(server) == [1, 4, 2, 2]


def request_sizes(server: EmbeddingServer) -> list[int]:
    return [len(request.payload["input"]) for request in server.embedding_requests]


def test_several_threads_may_embed(plain: Embedder) -> None:
    texts = [f"word{number}" for number in range(20)]
    with ThreadPoolExecutor(4) as executor:
        answers = list(executor.map(lambda text: plain.embed_texts([text, "x", text])[2], texts))
    assert np.allclose(answers, [hashed_vector(text, 8) for text in texts])


def test_rows_are_sorted_by_their_index(server: EmbeddingServer, plain: Embedder) -> None:
    server.misbehave(spoiled(lambda rows: rows.reverse()))
    assert np.allclose(plain.embed_texts(["a", "b"]), [hashed_vector("a", 8), hashed_vector("b", 8)])


def test_vectors_of_other_lengths_are_normalised(server: EmbeddingServer, plain: Embedder) -> None:
    def lengthen(rows: list[dict[str, list[float]]]) -> None:
        rows[0]["embedding"] = [7 * number for number in rows[0]["embedding"]]

    server.misbehave(spoiled(lengthen))
    vector = plain.embed_query("a")
    assert math.hypot(*vector) == pytest.approx(1.0)
    assert vector == pytest.approx(hashed_vector("a", 8))


def test_text_above_the_window_is_refused_before_anything_is_sent(
    server: EmbeddingServer, opened: Open
) -> None:
    embedder = opened("ollama")
    # 2048 = 2 special tokens + 4 of the prefix ("search", "_", "document", ":") + 2042
    assert len(embedder.embed_texts(["tree " * 2042])) == 1
    with pytest.raises(EmbeddingError, match=r"Text 2 of 2 is 2049 tokens long.*at most 2048"):
        embedder.embed_texts(["short", "tree " * 2043])
    assert len(server.embedding_requests) == 1


def test_blank_text_is_refused_before_anything_is_sent(server: EmbeddingServer, plain: Embedder) -> None:
    with pytest.raises(EmbeddingError, match="Text 2 of 3 is blank"):
        plain.embed_texts(["a", " \n", "b"])
    assert server.received == []


def test_key_is_in_no_log_and_no_repr(
    server: EmbeddingServer, plain: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.misbehave(status(401, f"Incorrect API key provided: {KEY}"))
    with pytest.raises(KeyRefusedError) as caught:
        plain.embed_query("a")
    assert KEY not in caplog.text
    assert KEY not in repr(caught.value) + repr(plain) + str(vars(plain))
    assert caplog.records


def test_only_the_configured_host_is_asked(server: EmbeddingServer, plain: Embedder) -> None:
    with EmbeddingServer() as other:
        server.misbehave(elsewhere(f"{other.url}/v1/embeddings"))
        with pytest.raises(EmbeddingError, match="sends us elsewhere"):
            plain.embed_query("a")
        assert other.received == []


def test_proxies_of_the_environment_do_not_see_what_stays_in_the_house(
    server: EmbeddingServer, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert len(opened("ollama").embed_query("a")) == 768


def test_wrong_length_from_a_model_the_user_described_is_noticed(opened: Open) -> None:
    embedder = opened(model="plain", dimensions=16, tokenizer="bert-base-uncased")
    for embed in (embedder.embed_query, lambda text: embedder.embed_texts([text])):
        with pytest.raises(EmbeddingError, match="gave 8 numbers per text") as caught:
            embed("a")
        assert "EMBEDDING_DIMENSIONS" in caught.value.hint


def test_address_may_be_written_with_v1(server: EmbeddingServer, opened: Open) -> None:
    opened("ollama", base_url=f"{server.url}/v1/").embed_query("a")
    opened("ollama", base_url=server.url.removeprefix("http://")).embed_query("a")
    assert len(server.embedding_requests) == 2


def test_unreadable_address_is_a_matter_of_configuration(opened: Open) -> None:
    with pytest.raises(ConfigurationError, match="not a web address"):
        opened("ollama", base_url="ftp://somewhere")
