"""The embedder over HTTP against a stand-in server that speaks the real protocols."""

import logging
import math
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest
from pydantic import SecretStr

from tests.support.embedding_server import (
    EmbeddingServer,
    Fault,
    Reply,
    cut_body,
    dropped,
    elsewhere,
    garbled,
    hashed_vector,
    out_of_credit,
    silence,
    spoiled,
    status,
    web_page,
)
from webrag_desktop.embedding.base import Embedder
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.server_errors import (
    KeyRefusedError,
    ModelMissingError,
    ServerBusyError,
    ServerUnreachableError,
)
from webrag_desktop.embedding.transport import RetryPolicy
from webrag_desktop.errors import ConfigurationError, EmbeddingError

KEY = "sk-verysecret"


@dataclass
class Pauses:
    """Stands in for waiting and remembers for how long."""

    seconds: list[float] = field(default_factory=list)

    def __call__(self, stop: threading.Event, seconds: float, /) -> bool:
        self.seconds.append(seconds)
        return stop.is_set()


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    models = {"nomic-embed-text": 768, "text-embedding-3-small": 1536, "plain": 8}
    with EmbeddingServer(models) as running:
        yield running


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


Open = Callable[..., Embedder]


@pytest.fixture
def opened(server: EmbeddingServer, pauses: Pauses) -> Iterator[Open]:
    """Opens embedders on the stand-in server and closes them."""
    embedders: list[Embedder] = []

    def opener(backend: str = "openai", **changes: object) -> Embedder:
        settings = {"base_url": server.url, "api_key": SecretStr(KEY)} | changes
        options = EmbeddingOptions(backend=backend, **settings)  # type: ignore[arg-type]
        embedders.append(open_embedder(resolve(options), options, retry=RetryPolicy(pause=pauses)))
        return embedders[-1]

    yield opener
    for embedder in embedders:
        embedder.close()


@pytest.fixture
def plain(opened: Open) -> Embedder:
    """An 8-dimensional model without prefixes, 2 texts per request."""
    return opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", batch_size=2, timeout=5)


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

    server.misbehave(meet, times=3)
    embedder = opened(
        model="plain", dimensions=8, tokenizer="bert-base-uncased", batch_size=1, max_workers=3, timeout=60
    )
    assert len(embedder.embed_texts(["a", "b", "c"])) == 3


def test_a_single_request_needs_no_other_thread(server: EmbeddingServer, plain: Embedder) -> None:
    seen = lane_threads(server)
    plain.embed_texts(["a", "b"])
    assert seen == [[], []]


def test_ollama_gets_one_request_at_a_time(server: EmbeddingServer, opened: Open) -> None:
    seen = lane_threads(server)
    opened("ollama", batch_size=1).embed_texts([f"text {number}" for number in range(4)])
    assert seen == [[]] * 4


def lane_threads(server: EmbeddingServer) -> list[list[str]]:
    """Filled with the names of the embedder's own threads as they are at each text's turn."""
    seen: list[list[str]] = []

    def watch(text: str, dimensions: int) -> list[float]:
        seen.append([thread.name for thread in threading.enumerate() if thread.name.startswith("embedding")])
        return hashed_vector(text, dimensions)

    server.vector = watch
    return seen


def test_many_tokens_make_more_requests(server: EmbeddingServer, opened: Open) -> None:
    opened("ollama").embed_texts(["word " * 2000] * 10)
    assert [len(request.payload["input"]) for request in server.embedding_requests] == [8, 2]


def test_several_threads_may_embed(plain: Embedder) -> None:
    texts = [f"word{number}" for number in range(20)]
    with ThreadPoolExecutor(4) as executor:
        answers = list(executor.map(lambda text: plain.embed_texts([text, "x", text])[2], texts))
    assert np.allclose(answers, [hashed_vector(text, 8) for text in texts])


def test_rows_are_sorted_by_their_index(server: EmbeddingServer, plain: Embedder) -> None:
    server.misbehave(spoiled(lambda rows: rows.reverse()))
    assert np.allclose(plain.embed_texts(["a", "b"]), [hashed_vector("a", 8), hashed_vector("b", 8)])


def test_vectors_of_other_lengths_are_normalised(server: EmbeddingServer, plain: Embedder) -> None:
    def stretch(rows: list[dict[str, list[float]]]) -> None:
        rows[0]["embedding"] = [7 * number for number in rows[0]["embedding"]]

    server.misbehave(spoiled(stretch))
    vector = plain.embed_query("a")
    assert math.hypot(*vector) == pytest.approx(1.0)
    assert vector == pytest.approx(hashed_vector("a", 8))


def set_first(value: object) -> Fault:
    return spoiled(lambda rows: rows[0].__setitem__("embedding", value))


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (status(401, "Incorrect API key"), KeyRefusedError, "did not accept the API key"),
        (status(403, "no"), KeyRefusedError, "did not accept the API key"),
        (status(404, "model not found", native=True), ModelMissingError, "does not have this model"),
        (status(400, "maximum context length is 512"), EmbeddingError, "refused the texts"),
        (status(500, "boom"), EmbeddingError, "failed"),
        (lambda _: Reply(500, b"[" * 300_000), EmbeddingError, "failed"),
        (out_of_credit, EmbeddingError, "no credit left"),
        (web_page, EmbeddingError, "A web page answered"),
        (garbled, EmbeddingError, "incomplete or garbled"),
        (elsewhere("https://example.org/"), EmbeddingError, "sends us elsewhere"),
        (lambda _: Reply(200, b"[1, 2]"), EmbeddingError, "other than a list of vectors"),
        (lambda _: Reply(200, b'{"data": [1, 2]}'), EmbeddingError, "other than a list of vectors"),
        (spoiled(lambda rows: rows.pop()), EmbeddingError, "gave 1 vectors for 2 texts"),
        (spoiled(lambda rows: rows.append(rows[0])), EmbeddingError, "gave 3 vectors for 2 texts"),
        (spoiled(lambda rows: rows[1].update(index=0)), EmbeddingError, "which vector belongs to which text"),
        (
            spoiled(lambda rows: rows[1].update(index="1")),
            EmbeddingError,
            "which vector belongs to which text",
        ),
        (spoiled(lambda rows: rows[0].pop("embedding")), EmbeddingError, "other than vectors|no plain list"),
        (set_first([0.1] * 7), EmbeddingError, "other than vectors"),
        (
            spoiled(lambda rows: [row.update(embedding=[0.1] * 7) for row in rows]),
            EmbeddingError,
            "7 numbers",
        ),
        (set_first([math.nan] * 8), EmbeddingError, "no valid numbers"),
        (set_first([0.0] * 8), EmbeddingError, "vector of zeros"),
        (set_first("AAAA"), EmbeddingError, "other than vectors"),
    ],
)
def test_every_failure_has_its_own_words_and_a_hint(
    server: EmbeddingServer,
    plain: Embedder,
    pauses: Pauses,
    fault: Fault,
    kind: type[EmbeddingError],
    words: str,
) -> None:
    server.misbehave(fault)
    with pytest.raises(kind, match=words) as caught:
        plain.embed_texts(["a", "b"])
    assert caught.value.hint
    assert KEY not in caught.value.message + caught.value.hint
    assert pauses.seconds == []
    assert len(server.embedding_requests) == 1


@pytest.mark.parametrize("native", [True, False])
def test_servers_own_words_are_passed_on_without_the_key(
    server: EmbeddingServer, plain: Embedder, native: bool
) -> None:
    server.misbehave(status(400, f"input is too long,\n {KEY}!", native=native))
    with pytest.raises(EmbeddingError) as caught:
        plain.embed_query("a")
    assert "The server says: input is too long, •••!" in caught.value.hint


@pytest.mark.parametrize(
    "fault", [status(429, "slow down"), status(503, "server busy", native=True), dropped, cut_body]
)
def test_a_busy_server_or_broken_connection_is_asked_again(
    server: EmbeddingServer, plain: Embedder, pauses: Pauses, fault: Fault
) -> None:
    server.misbehave(fault, times=2)
    assert plain.embed_query("a") == pytest.approx(hashed_vector("a", 8))
    assert pauses.seconds == [0.5, 1.0]


@pytest.mark.parametrize(
    ("fault", "words"),
    [(status(503, "busy"), "too much to do"), (dropped, "broke off"), (cut_body, "broke off")],
)
def test_patience_ends(
    server: EmbeddingServer, plain: Embedder, pauses: Pauses, fault: Fault, words: str
) -> None:
    server.misbehave(fault, times=9)
    with pytest.raises(ServerBusyError, match=words):
        plain.embed_query("a")
    assert pauses.seconds == [0.5, 1.0, 2.0]
    assert len(server.embedding_requests) == 4


def test_the_server_may_name_the_wait(server: EmbeddingServer, plain: Embedder, pauses: Pauses) -> None:
    server.misbehave(status(429, "slow down", retry_after="7"))
    plain.embed_query("a")
    assert pauses.seconds == [7.0]


def test_the_wait_may_be_a_date(server: EmbeddingServer, plain: Embedder, pauses: Pauses) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    server.misbehave(status(503, "busy", retry_after=date))
    plain.embed_query("a")
    assert 0 < pauses.seconds[0] <= 20


@pytest.mark.parametrize("header", ["soon", "-3", "nan"])
def test_nonsense_waits_are_not_believed(
    server: EmbeddingServer, plain: Embedder, pauses: Pauses, header: str
) -> None:
    server.misbehave(status(503, "busy", retry_after=header))
    plain.embed_query("a")
    assert pauses.seconds == [0.5]


def test_too_long_a_wait_is_not_waited_for(server: EmbeddingServer, plain: Embedder, pauses: Pauses) -> None:
    server.misbehave(status(429, "slow down", retry_after="3600"))
    with pytest.raises(ServerBusyError) as caught:
        plain.embed_query("a")
    assert caught.value.retry_after == 3600
    assert pauses.seconds == []


def test_one_failing_batch_fails_the_call_and_cancels_the_rest(server: EmbeddingServer, opened: Open) -> None:
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", batch_size=1, max_workers=2)
    server.misbehave(status(400, "bad input"), times=2)
    with pytest.raises(EmbeddingError, match="refused the texts"):
        embedder.embed_texts([f"text {number}" for number in range(50)])
    assert len(server.embedding_requests) < 50
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("embedding")]


def test_silence_ends_with_the_timeout(server: EmbeddingServer, opened: Open) -> None:
    server.misbehave(silence)
    embedder = opened(model="plain", dimensions=8, tokenizer="bert-base-uncased", timeout=0.2)
    with pytest.raises(ServerUnreachableError, match=r"did not answer within 0\.2 seconds"):
        embedder.embed_query("a")


def test_nobody_there_is_said(opened: Open) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        embedder = opened("ollama", base_url=address)
        with pytest.raises(ServerUnreachableError, match=f"Nothing answers at http://{address}") as caught:
            embedder.embed_query("a")
    assert "ollama serve" in caught.value.hint


def test_unknown_model_is_explained_with_the_remedy(server: EmbeddingServer, opened: Open) -> None:
    del server.models["nomic-embed-text"]
    with pytest.raises(ModelMissingError) as caught:
        opened("ollama").embed_query("a")
    assert "ollama pull" in caught.value.hint
    assert 'model "nomic-embed-text" not found' in caught.value.hint


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
    with pytest.raises(EmbeddingError, match="gave 8 numbers per text"):
        embedder.embed_query("a")


def test_address_may_be_written_with_v1(server: EmbeddingServer, opened: Open) -> None:
    opened("ollama", base_url=f"{server.url}/v1/").embed_query("a")
    opened("ollama", base_url=server.url.removeprefix("http://")).embed_query("a")
    assert len(server.embedding_requests) == 2


def test_unreadable_address_is_a_matter_of_configuration(opened: Open) -> None:
    with pytest.raises(ConfigurationError, match="not a web address"):
        opened("ollama", base_url="ftp://somewhere")
